/*
 * plan_value.h - converts values to the types of the plan. Results live as long as EV's arena. A value that depends on
 * the pod has no text here; callers that accept such values use lower/lower_text.c.
 */
#ifndef TRAINC_EVAL_PLAN_VALUE_H
#define TRAINC_EVAL_PLAN_VALUE_H

#include "eval/eval.h"
#include "plan/plan.h"

/* The text of a value, with host names as in the cluster; false when it is not known. */
bool value_str(struct eval *ev, const struct value *v, struct str *ret);
/* The text of a value with the place AT; not set when the value has no text. */
struct plan_str value_text_at(struct eval *ev, const struct value *v, struct span at);
/* A map of strings as pairs (labels, node, env of an accelerator). */
struct plan_pairs value_pairs(struct eval *ev, const struct value *map);
/* A list of strings, each with its place. */
struct plan_str *value_strs(struct eval *ev, const struct value *list, size_t *ret_n);
/* Normalizes an absolute path: no `//`, `/./` and final `/`. False with a report (TJ0613) when it is not absolute. */
bool mount_path(struct eval *ev, struct str path, struct span at, struct str *ret);

/*
 * May a variable have that name? Since 1.32 Kubernetes allows every printable ASCII character but `=`. False with a
 * report (TJ0701).
 */
bool env_name_ok(struct eval *ev, struct str name, struct span at);

#endif
