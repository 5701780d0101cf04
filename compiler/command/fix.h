/*
 * fix.h - the certain edits of diagnostics, and the texts that they make.
 */
#ifndef TRAINC_FIX_H
#define TRAINC_FIX_H

#include "base/buf.h"
#include "diag/diag.h"

/* Diagnostics whose first fix is to be made: whole or not at all. */
struct fixes {
	const struct diag **at;         /* in the order of the diagnostics */
	size_t n;
};

/*
 * Those that go together: no edit overlaps that of an earlier one, each fix is about one source.
 * `wanted` says which are considered (NULL: all).  Memory of the diagnostics' arena.
 */
struct fixes fix_choose(const struct diags *ds, bool (*wanted)(void *context, const struct diag *d, const struct source *source), void *context);

/* What is done to one source. */
struct fix_edits {
	const struct source *source;
	const struct diag_edit **at;    /* by place, without overlap */
	size_t n, fixes;                /* how many they belong to */
};

struct fix_edits fix_edits(const struct diags *ds, struct fixes fixes, const struct source *source);

/* Append the text of the source with the edits made. */
void fix_write(const struct fix_edits *edits, struct buf *out);

/* Where in that text a byte of the source is; both are offsets in the file.  What is replaced is at the start of what replaces it. */
uint32_t fix_moved(const struct fix_edits *edits, uint32_t offset);

#endif
