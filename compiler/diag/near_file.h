/*
 * near_file.h - reports a file that cannot be read, and suggests the one that a misspelled path means.
 */
#ifndef TRAINC_DIAG_NEAR_FILE_H
#define TRAINC_DIAG_NEAR_FILE_H

#include "diag/diag.h"

/*
 * Reports that PATH cannot be read, because of WHY. For a path that does not exist, suggests the file beside it whose
 * name is nearest and has one of ENDINGS, such as ".yaml .yml".
 */
struct diag *report_no_reading(struct diags *ds, const struct reader *r, struct str path, struct str why,
	const char *endings);

#endif
