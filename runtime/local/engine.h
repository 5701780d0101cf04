/*
 * engine.h - runs the replicas of one job as processes of this machine.
 *
 * One loop over one epoll: signals (of children that end, and requests to stop), output (pipes),
 * timers, requests (control.h).  life.h decides what to do about each event; it does no input or
 * output.
 *
 * The engine runs in the keeper: a process of its own which is the subreaper of everything that
 * the replicas start.
 */
#ifndef TRAINC_RUNTIME_LOCAL_ENGINE_H
#define TRAINC_RUNTIME_LOCAL_ENGINE_H

#include "runtime/local/control.h"
#include "runtime/local/isolate.h"
#include "runtime/local/publish.h"

struct engine_mapping {                 /* --mount NAME=DIR */
	struct str name, dir;
};

struct engine_start {                   /* --replicas ROLE=N: how many of an elastic role to start with */
	struct str role;
	int64_t n;
};

struct engine_options {
	enum isolate_mode isolate;
	const struct engine_mapping *mappings;
	size_t nmappings;
	const struct engine_start *starts;
	size_t nstarts;
	struct str image_root;          /* empty: none */
	bool no_devices;                /* programs run without the accelerators that they ask for */
	bool pin;                       /* --pin: each replica has processors of its own */
	bool inherit_env;               /* everything in the caller's environment, not only the list of docs/local.md */
	uint64_t log_limit;             /* bytes that each log keeps; 0: all */
	int64_t backoff;                /* ns before the second attempt, doubling up to 10 min: 10 s unless told */
	char *const *caller_env;        /* of the command */
	const struct str *env;          /* --env NAME=VALUE: overrides the program */
	size_t nenv;
	const struct published_port *published;      /* --publish */
	size_t npublished;
	/* --dry-run: look at everything, make nothing; such an engine is for engine_preview() */
	bool dry;
	struct str directory;           /* absolute: the base of relative paths on the command line */
};

struct engine;

/*
 * Checks everything that can be refused before anything starts: commands that do not exist, mounts
 * without a directory, environments that exec would refuse, more devices than there are, ports.
 * From here on the engine fills in `state` and keeps it up to date; `dir` must stay open.  NULL
 * with sentences for standard error (all that were found, one on each line) and `*status` 3
 * (directories, kernel) or 8 (the program).
 */
struct engine *engine_new(struct arena *a, const struct plan_job *job, const struct engine_options *o,
	const struct run_dir *dir, struct run_state *state, struct str *why, int *status);

/* Notes for the user that are no refusals ("images are ignored ..."), one on each line. */
struct str engine_notes(const struct engine *e);

/* What would be started, for people or as a JSON object, of an engine that was made with `dry`. */
void engine_preview(const struct engine *e, bool json, struct buf *out);

/* The operations for control_open(). */
struct control_ops engine_ops(struct engine *e);

/*
 * Runs to the end: until there is a verdict and no process is left.  Publishes and saves the state
 * at each change, writes the result file last.  `lifeline` is a descriptor or -1: end of file on
 * it means that the command that started the run is gone, and everything is killed at once.
 */
void engine_run(struct engine *e, struct control *c, int lifeline);

/* Descriptors, isolation. */
void engine_release(struct engine *e);

#endif
