/*
 * fix.h - apply the certain edits of diagnostics to the texts that they are about.
 */
#ifndef TRAINC_FIX_H
#define TRAINC_FIX_H

#include "base/buf.h"
#include "diag/diag.h"

/*
 * Append the text of a source with the first fix of every diagnostic applied.
 * A fix is applied whole or not at all: not when one of its edits is in another
 * source or overlaps an edit that was applied before.  Returns how many were.
 */
size_t fix_apply(const struct diags *ds, const struct source *source, struct buf *out);

#endif
