/*
 * render.h - writes diagnostics as text for people, as JSON lines, as SARIF, and in formats of hosts of code. The
 * functions read the collection after diags_finish(), and append to a buffer instead of printing.
 */
#ifndef TRAINC_DIAG_RENDER_H
#define TRAINC_DIAG_RENDER_H

#include "base/buf.h"
#include "diag/diag.h"

struct render_options {
	bool colour;
	unsigned width;                 /* columns of the terminal; 0: not a terminal, lines are clipped at 160 */
	size_t limit;                   /* largest number of errors, and of warnings, to print in full; 0: 50 */
};

void diags_text(const struct diags *ds, struct render_options options, struct buf *out);
void diags_json(const struct diags *ds, struct buf *out);
/* Writes one log for several collections, one for each program, each as a `run` of the log. */
void diags_sarif(const struct diags *const *all, size_t n, struct buf *out);
/* Write workflow commands of GitHub, a Code Quality report of GitLab, and JUnit, for several collections. */
void diags_github(const struct diags *const *all, size_t n, struct buf *out);
void diags_gitlab(const struct diags *const *all, size_t n, struct buf *out);
void diags_junit(const struct diags *const *all, size_t n, struct buf *out);

#endif
