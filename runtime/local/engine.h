/*
 * engine.h - runs the replicas of one job as processes of this machine. One loop over one epoll handles signals (of
 * children that end, and requests to stop), output (pipes), timers, and requests (control.h). life.h decides how to
 * react to each event; it does no input or output. The engine runs in the keeper, a process of its own that is the
 * subreaper of everything that the replicas start.
 */
#ifndef TRAINC_RUNTIME_LOCAL_ENGINE_H
#define TRAINC_RUNTIME_LOCAL_ENGINE_H

#include "runtime/local/control.h"
#include "runtime/local/isolate.h"
#include "runtime/local/publish.h"

struct engine_mapping {                 /* an option --mount NAME=DIR */
	struct str name, dir;
};

struct engine_start {                   /* an option --replicas ROLE=N: the number of replicas with which an elastic
					 * role starts */
	struct str role;
	int64_t n;
};

struct engine_options {
	enum isolate_mode isolate;
	const struct engine_mapping *mappings;
	size_t nmappings;
	const struct engine_start *starts;
	size_t nstarts;
	struct str image_root;          /* value of --image-root; empty: not given */
	bool no_devices;                /* programs run without the accelerators that they request */
	bool pin;                       /* --pin: each replica gets processors of its own */
	bool inherit_env;               /* inherit-env: programs get the caller's whole environment, not only the
					 * variables that docs/local.md lists */
	uint64_t log_limit;             /* number of bytes that each log keeps; 0: all bytes */
	int64_t backoff;                /* ns before the second attempt, doubling up to 10 min; 10 s by default */
	char *const *caller_env;        /* environment of the command */
	const struct str *env;          /* --env NAME=VALUE: overrides variables of the program */
	size_t nenv;
	const struct published_port *published;      /* --publish: ports to publish */
	size_t npublished;
	/* dry-run: check everything but create nothing; such an engine may only be used for engine_preview() */
	bool dry;
	struct str directory;           /* absolute path to which relative paths on the command line refer */
};

struct engine;

/*
 * Checks everything that can be refused before anything starts: commands that do not exist, mounts without a directory,
 * environments that exec would refuse, more devices than the machine has, ports. From here on the engine fills in STATE
 * and keeps it up to date; DIR must stay open. Returns NULL after an error: WHY has all errors that were found, one per
 * line, and STATUS is 3 (directories, kernel) or 8 (the program).
 */
struct engine *engine_new(struct arena *a, const struct plan_job *job, const struct engine_options *o,
	const struct run_dir *dir, struct run_state *state, struct str *why, int *status);

/* Notes for the user that are not errors ("images are ignored ..."), one per line. */
struct str engine_notes(const struct engine *e);

/*
 * Appends a description of the processes that would be started, as text for people or as a JSON object. E must have
 * been made with `dry`.
 */
void engine_preview(const struct engine *e, bool json, struct buf *out);

/* The operations for control_open(). */
struct control_ops engine_ops(struct engine *e);

/*
 * Runs until there is a verdict and no process is left. Publishes and saves the state at each change, and writes the
 * result file at the end. LIFELINE is a descriptor or -1: its end of file means that the command that started the run
 * is gone, and everything is killed at once.
 */
void engine_run(struct engine *e, struct control *c, int lifeline);

/* Closes descriptors and ends the isolation. */
void engine_release(struct engine *e);

#endif
