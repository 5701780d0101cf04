/*
 * linediff.h - writes the difference of two texts in unified form, for `trainc fmt --diff`.
 */
#ifndef TRAINC_LINEDIFF_H
#define TRAINC_LINEDIFF_H

#include "base/buf.h"

/* Appends the difference with three lines of context, or nothing when the texts are equal. */
void line_diff(struct arena *a, struct str name, struct str before, struct str after, struct buf *out);

#endif
