/*
 * fix.h - chooses the fixes of diagnostics that are certainly right, and writes the changed texts.
 */
#ifndef TRAINC_FIX_H
#define TRAINC_FIX_H

#include "base/buf.h"
#include "diag/diag.h"

/* Diagnostics whose first fix is to be applied, completely or not at all. */
struct fixes {
	const struct diag **at;         /* the diagnostics to fix, in their order */
	size_t n;
};

/*
 * Chooses fixes that can be applied together: no edit overlaps an earlier one, and each fix changes only one source.
 * WANTED says which diagnostics are considered (NULL: all). Memory is that of the diagnostics' arena.
 */
struct fixes fix_choose(const struct diags *ds, bool (*wanted)(void *context, const struct diag *d,
	const struct source *source), void *context);

/* The edits of one source that the fixes make. */
struct fix_edits {
	const struct source *source;
	const struct diag_edit **at;    /* the edits, sorted by position, without overlap */
	uint32_t *now;                  /* offset of each edit's text in the edited text */
	size_t n, fixes;                /* number of edits; number of diagnostics that they fix */
};

struct fix_edits fix_edits(const struct diags *ds, struct fixes fixes, const struct source *source);

/* Appends the text of the source with the edits applied. */
void fix_write(const struct fix_edits *edits, struct buf *out);

/*
 * Returns the index of the first edit whose new text ends after OFFSET, an offset in the edited text; n if no edit
 * does.
 */
size_t fix_around(const struct fix_edits *edits, uint32_t offset);

/*
 * Returns the offset that a byte of the source has in the edited text; for a byte that is replaced, the start of its
 * replacement.
 */
uint32_t fix_moved(const struct fix_edits *edits, uint32_t offset);

#endif
