/*
 * take_code.h - takes the snapshots of the code that a program's roles name, when the plan of the program is complete.
 */
#ifndef TRAINC_COMMAND_TAKE_CODE_H
#define TRAINC_COMMAND_TAKE_CODE_H

#include "code/snapshot.h"
#include "compile.h"

/* What a role wants: the wish for snapshot_take(). It lives as long as the program. */
struct snapshot_wish code_wish(struct trainc *t, const struct plan_code *code);

/*
 * Reads the files of all roles with code and completes their plans; reports what is wrong with the files. Roles that
 * want the same code share one snapshot.
 */
void take_code(struct trainc *t);

/* Reports problems of a snapshot at the field `code`. */
void report_snapshot(struct trainc *t, const struct plan_code *code, const struct snapshot *s);

/* Warns about words of the command that name files which the snapshot lacks, and about an `include` without effect. */
void warn_of_missing(struct trainc *t, const struct plan_role *r, const struct snapshot *s);

#endif
