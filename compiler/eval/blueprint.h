/*
 * blueprint.h - binds arguments to the formals of frameworks and accelerators.
 */
#ifndef TRAINC_EVAL_BLUEPRINT_H
#define TRAINC_EVAL_BLUEPRINT_H

#include "eval/eval.h"

/*
 * Makes a frame with the formals of D. `bound[i]` is the argument of formal i, to be evaluated in OUTER on first use,
 * or NULL if the default applies.
 */
struct frame *blueprint_bind(struct eval *ev, const struct decl *d, struct node **bound, struct frame *outer);

#endif
