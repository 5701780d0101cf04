/*
 * sync.h - what `sync` wants from a backend, and the result.
 */
#ifndef TRAINC_RUNTIME_COMMAND_SYNC_H
#define TRAINC_RUNTIME_COMMAND_SYNC_H

#include "plan/plan.h"

/* How programs are restarted: those whose code was replaced, all of them, or none. */
enum sync_restart { SYNC_CHANGED, SYNC_ALWAYS, SYNC_NEVER };

struct sync_result {
	struct str role;
	int64_t index;
	const char *result;             /* "synced", "unchanged", "failed", or "left": nothing was changed */
};

/* The result for a role. */
struct sync_role {
	struct str name, from, to;      /* ids of the code; `from` is empty if it is not known */
	int64_t n, running;             /* replicas, and how many of them run the code now */
	int64_t changed;                /* files */
	bool restarted;
	bool unchanged;                 /* all had the code */
};

struct code_sync {
	const struct plan_job *job;     /* the program with the new code */
	struct str project;             /* the directory of its project */
	struct str only;                /* the only role that is meant; empty: all */
	enum sync_restart restart;
	/* results */
	struct sync_role *roles;
	size_t nroles;
	struct sync_result *at;
	size_t n;
};

#endif
