/*
 * sync_once.h - one sync of a run.
 */
#ifndef TRAINC_RUNTIME_COMMAND_SYNC_ONCE_H
#define TRAINC_RUNTIME_COMMAND_SYNC_ONCE_H

#include "runtime/command/runs.h"

/* Syncs the run once, and prints the result; QUIET: nothing is printed if nothing has changed. */
int sync_once(struct session *s, const struct backend *b, struct run_watch *w, bool quiet);
/*
 * Makes SUB the session whose only operand is the program of the run: the operand, or the file that the run was started
 * with. Returns false, with a status, after reporting that this file is not here.
 */
bool sync_program(struct session *s, const struct run_watch *w, struct session *sub, int *ret_status);
/* The job of the run among the programs, and the directory of its project; NULL: there is none. */
const struct plan_job *sync_job(const struct programs *all, struct str name, struct str *project);

#endif
