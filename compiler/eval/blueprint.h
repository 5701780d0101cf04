/*
 * blueprint.h - frameworks and accelerators: formals bound to arguments.
 */
#ifndef TRAINC_EVAL_BLUEPRINT_H
#define TRAINC_EVAL_BLUEPRINT_H

#include "eval/job.h"

/*
 * A frame with the formals of `d`: `bound[i]` is the argument of formal i, to be
 * evaluated in `outer` on first use, or NULL where the default applies.
 */
struct frame *blueprint_bind(struct eval *ev, const struct decl *d, struct node **bound, struct frame *outer);

/* The text of a value; false when it has none that is known.  Host names are as the cluster places them. */
bool value_str(struct eval *ev, const struct value *v, struct str *ret);
/* The same at `at`; not set when there is none. */
struct plan_str value_text_at(struct eval *ev, const struct value *v, struct span at);
/* A map value of strings as pairs (labels, node, env of an accelerator). */
struct plan_pairs value_pairs(struct eval *ev, const struct value *map);
/* A list value of strings, each with its place. */
struct plan_str *value_strs(struct eval *ev, const struct value *list, size_t *ret_n);
/* An absolute path without `//`, `/./` and a final `/`; false with a report (TJ0613) otherwise. */
bool mount_path(struct eval *ev, struct str path, struct span at, struct str *ret);

#endif
