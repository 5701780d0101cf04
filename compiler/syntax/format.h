/*
 * format.h - prints a text in the canonical style. Formatting again changes nothing, and the tree stays the same except
 * for the order of imports. Comments and strings keep their text.
 */
#ifndef TRAINC_SYNTAX_FORMAT_H
#define TRAINC_SYNTAX_FORMAT_H

#include "base/buf.h"
#include "diag/diag.h"

/* False, after reporting, when the text has syntax errors; nothing is appended then. */
bool format_source(struct arena *a, struct names *names, struct diags *ds, const struct source *source,
	struct buf *out);

#endif
