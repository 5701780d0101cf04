/*
 * mend.h - check --fix: applies the fixes of a program that are certainly right, after trying them. An edit is
 * applied if the edited program no longer has the mistake, and has no new one because of the edit. Mistakes that an
 * edit makes visible are fixed too, so that a second run finds nothing to do. In a file of random text some mistakes
 * may remain; this is reported.
 */
#ifndef TRAINC_MEND_H
#define TRAINC_MEND_H

#include "command/session.h"

/*
 * Fixes one program and the files that it imports, and reports how many edits were applied in which file, and which
 * were not. The standard library, packages, standard input and the command line are never changed. *RET_ERRORS is the
 * number of errors before the fixes. Returns false, after a report, when a file could not be written or the options
 * are wrong.
 */
bool mend_program(struct session *s, struct str path, size_t *ret_errors);

/*
 * Fixes in memory only, and prints nothing: calls EACH with TO for every text that would replace a file. Returns
 * false if some edits may not have been tried, because of the limit on trials.
 */
bool mend_texts(struct session *s, struct str path, void (*each)(void *to, struct str name, struct str text), void *to);

#endif
