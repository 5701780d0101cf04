/*
 * supervise_kinds.h - the kinds of custom resources that a controller looks after, by its options --kubeflow, --kinds
 * and --ancestors.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_SUPERVISE_KINDS_H
#define TRAINC_RUNTIME_SUPERVISE_SUPERVISE_KINDS_H

#include "runtime/supervise/supervise_control.h"

/* Reads the options. Returns false after it has reported what is wrong. */
bool kinds_read(struct session *s, struct controller *c);
/* Returns the kind after the position AT, which begins at 0, and moves AT behind it; NULL after the last kind. */
const struct custom_kind *kinds_next(const struct controller *c, size_t *at);
/* Does C look after the kind of the training operator with the given group and plural, or after an ancestor's? */
bool kinds_have(const struct controller *c, struct str group, struct str plural);

#endif
