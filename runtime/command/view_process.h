/* view_process.h - runs another command of trainc, whose output a view shows. */
#ifndef TRAINC_RUNTIME_COMMAND_VIEW_PROCESS_H
#define TRAINC_RUNTIME_COMMAND_VIEW_PROCESS_H

#include <sys/types.h>

#include "command/session.h"

/* A command that runs. It begins as { .out = -1 }. */
struct view_process {
	pid_t pid;
	int out;                        /* what it prints, also its messages; -1: it does not run */
};

/*
 * Starts `trainc WORDS...` with the options of the session about the place of runs: --local, --context and others. ALL:
 * also with the session's other options that `list` has, except -w and -o. False if the process cannot be started.
 */
bool view_process_start(struct session *s, const char *const *words, bool all, struct view_process *ret);
/* Ends it, if it still runs, and forgets it; returns its exit status, or -1 if it was ended. */
int view_process_end(struct view_process *p);

#endif
