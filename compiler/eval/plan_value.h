/*
 * plan_value.h - converts values to the types of the plan. Results live as long as EV's arena. These functions find no
 * text for a value that depends on the pod; lower/lower_text.c handles such values.
 */
#ifndef TRAINC_EVAL_PLAN_VALUE_H
#define TRAINC_EVAL_PLAN_VALUE_H

#include "eval/eval.h"
#include "plan/plan.h"

/* The text of a value, with host names as in the cluster; false when it is not known. */
bool value_str(struct eval *ev, const struct value *v, struct str *ret);
/* The text of a value, with the span AT; `set` is false when the value has no text. */
struct plan_str value_text_at(struct eval *ev, const struct value *v, struct span at);
/* A map of strings as pairs (labels, node, env of an accelerator). */
struct plan_pairs value_pairs(struct eval *ev, const struct value *map);
/* A list of strings, each with its span. */
struct plan_str *value_strs(struct eval *ev, const struct value *list, size_t *ret_n);
/*
 * Normalizes an absolute path: removes `//`, `/./` and a final `/`. False after reporting a path that is not absolute
 * or contains `..` (TJ0613).
 */
bool mount_path(struct eval *ev, struct str path, struct span at, struct str *ret);

/*
 * May a variable have that name? False after a report (TJ0701). Since version 1.32, Kubernetes allows every printable
 * ASCII character except `=`.
 */
bool env_name_ok(struct eval *ev, struct str name, struct span at);

#endif
