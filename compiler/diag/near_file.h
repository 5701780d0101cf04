/*
 * near_file.h - reports a file that cannot be read, and suggests the file that a misspelled path was meant for.
 */
#ifndef TRAINC_DIAG_NEAR_FILE_H
#define TRAINC_DIAG_NEAR_FILE_H

#include "diag/diag.h"

/*
 * The question "did you mean 'job.tj'?" for a PATH that does not exist: it names the file in the same directory whose
 * name is nearest and has one of the suffixes ENDINGS, such as ".yaml .yml". Empty if no name is near.
 */
struct str near_file(const struct reader *r, struct arena *a, struct str path, const char *endings);

/* Reports that PATH cannot be read, because of WHY. For a path that does not exist, the help is from near_file(). */
struct diag *report_no_reading(struct diags *ds, const struct reader *r, struct str path, struct str why,
	const char *endings);

#endif
