/*
 * code_watch.h - notices that the files from which the code of a run is taken have changed: those of its directories
 * that no rule leaves out, and the files of the program. The kernel reports that something has changed in one of the
 * directories; what is compared are names, sizes and times of all files. So a file that a rule leaves out changes
 * nothing, however often it is written.
 */
#ifndef TRAINC_RUNTIME_COMMAND_CODE_WATCH_H
#define TRAINC_RUNTIME_COMMAND_CODE_WATCH_H

#include "command/session.h"
#include "plan/plan.h"

struct code_watch {
	struct trainc *program;
	const struct plan_code **codes; /* what is looked at, each once */
	size_t n;
	int fd;                         /* readable after a change; -1: the files have to be looked at regularly */
	const char *polls;              /* why: the end of a sentence; NULL: the kernel reports changes */
	int newest;                     /* the highest number of a directory that is watched */
	int64_t cost;                   /* how long the last look took, in ns */
};

/*
 * Begins to watch what is taken for JOB, or for its role ROLE alone if that is not empty; JOB may be NULL, for the
 * files of the program alone. PROGRAM was compiled, and is not checked; it must live as long as the watch.
 */
void code_watch_open(struct code_watch *w, struct arena *a, struct trainc *program, const struct plan_job *job,
	struct str role);
/* Looks at all files. Two looks give the same 64 digits if nothing has changed between them. */
void code_watch_look(struct code_watch *w, char ret[65]);
/* The shortest time in ns until the next look, so that looking costs little: after a change, or in any case. */
int64_t code_watch_pause(const struct code_watch *w, bool changed);
/* Takes what the kernel has reported; true if that was anything. */
bool code_watch_changed(struct code_watch *w);
void code_watch_close(struct code_watch *w);

#endif
