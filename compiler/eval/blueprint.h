/*
 * blueprint.h - frameworks and accelerators: formals bound to arguments.
 */
#ifndef TRAINC_EVAL_BLUEPRINT_H
#define TRAINC_EVAL_BLUEPRINT_H

#include "eval/eval.h"

/*
 * A frame with the formals of `d`: `bound[i]` is the argument of formal i, to be
 * evaluated in `outer` on first use, or NULL where the default applies.
 */
struct frame *blueprint_bind(struct eval *ev, const struct decl *d, struct node **bound, struct frame *outer);

#endif
