/*
 * site.h - the node labels by which an accelerator is found, as the project's `nodes` chooses them.
 */
#ifndef TRAINC_EVAL_SITE_H
#define TRAINC_EVAL_SITE_H

#include "check/module.h"
#include "eval/eval.h"

/* The nodes that the library knows as NAME; NULL if there are none. */
const struct stdlib_site *site_find(struct str name);
/* Reports a name of nodes that the library does not know (TJ0312), with what was probably meant. */
struct diag *site_unknown(struct eval *ev, struct str name, struct span at);

/*
 * Adds to ACC the labels that its table TABLE, the value of its field `nodes`, has for the project's nodes. A label
 * with one value goes to ACC->node if there is one way only, all others to ACC->choices.
 */
void site_labels(struct eval *ev, const struct value *table, struct plan_accelerator *acc);

#endif
