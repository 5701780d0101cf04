/*
 * backend.h - where runs are: on this machine or in a cluster.  Every command for runs uses a
 * backend, and none asks which one it is.
 *
 * A function that returns false has said why, on standard error, and sets the status to end with.
 * Memory lives in the arena of the session.
 */
#ifndef TRAINC_RUNTIME_COMMAND_BACKEND_H
#define TRAINC_RUNTIME_COMMAND_BACKEND_H

#include "command/session.h"
#include "runtime/command/changes.h"
#include "runtime/run/attend.h"
#include "runtime/status/object.h"

/* A run that a command means. */
struct chosen_run {
	struct str name;
	struct str ns;                  /* namespace in the program; empty: it names none */
	/* plan_record_write() of its program; empty: the run was named without its program */
	struct str record;
};
struct chosen {
	struct chosen_run *at;
	size_t n;
};

/* A run that `run` stays with until its end. */
struct attached {
	struct session *session;
	struct attend *attend;
	void *own;                      /* private to the backend */
	int signals;                    /* number of requests to stop */
};

/* What a cluster has of an add-on; texts in the arena of the session. */
struct addon_found {
	unsigned version;               /* of kube/addon.h; 0: it cannot be told */
	struct str source;              /* where it is known from; empty: the add-on is not there */
	struct str warning;             /* what does not fit together; empty without */
};

/* A manifest, with a name for messages. */
struct manifest_text {
	struct str name, text;
};

struct backend {
	const char *option;             /* options that the command line needs to reach the run: " --local", or "" */
	const char *place;              /* "on this machine" */
	bool streams;                   /* each log that is read costs a stream of the server */

	/* Before anything else: finds the state directory, or the API server. */
	bool (*begin)(struct session *s, int *ret_status);
	void (*end)(struct session *s);
	/* Finds all runs, in order. */
	bool (*names)(struct session *s, struct chosen *ret, int *ret_status);
	bool (*exists)(struct session *s, struct str name);
	/* Looks at a run. */
	bool (*open)(struct session *s, const struct chosen_run *r, struct run_watch *ret, int *ret_status);
	/* To be called when all runs have been opened: fetches their states.  NULL: open() did that already. */
	bool (*opened)(struct session *s, int *ret_status);
	/*
	 * Makes the jobs of all programs run.  Returns the status so far; runs that are to be
	 * waited for are in RET.
	 */
	int (*apply)(struct session *s, struct programs *all, struct attend *ret);
	/*
	 * Shows what `apply` would start, and starts nothing; returns the status to end with.  NULL: `apply` does
	 * it itself.
	 */
	int (*preview)(struct session *s, struct programs *all);
	/* As `apply`, for `run`: if it fails, it takes back what it started, and sets a status. */
	bool (*attach)(struct attached *r, struct programs *all, int *ret_status);
	void (*attach_changed)(struct attached *r, size_t run);
	/* Handles SIGINT and the like: true to leave. */
	bool (*attach_signal)(struct attached *r, int signal);
	/* Called at the end: ends and cleans up; STATUS is the verdict's, and the status to leave with is returned. */
	int (*attach_end)(struct attached *r, enum attend_end end, int status);
	/* The lines of all runs of A. */
	struct log_source *(*logs)(struct session *s, const struct attend *a, const struct log_choice *choice);
	bool (*scale)(struct session *s, struct run_watch *w, struct str role, struct str number, int *ret_status);
	/* Starts replica N of a role again; NULL: the backend has no such request. */
	bool (*restart)(struct session *s, struct run_watch *w, struct str role, struct str number, int *ret_status);
	/* A command in replica INDEX of a role, a shell where WORDS are none: the status to leave with. */
	int (*exec)(struct session *s, struct run_watch *w, struct str role, int64_t index, char *const *words);
	/*
	 * Carries connections to where TEXT, [HOSTPORT:]ROLE/N:PORT, says, until it is interrupted or the run ends;
	 * NULL: the backend cannot.
	 */
	int (*forward)(struct session *s, struct run_watch *w, struct str text);
	bool (*suspend)(struct session *s, struct run_watch *w, bool suspend, int *ret_status);
	/*
	 * Stops the runs of A, removes everything that belongs to them and notes it in C; returns
	 * the status to leave with.
	 */
	int (*remove)(struct session *s, struct attend *a, struct changes *c);
	/*
	 * Adds what `fit` counts with: nodes, the pods on them, and quotas and queues of the namespaces. An empty
	 * namespace is replaced by the one that is meant.  NULL: there are no nodes.
	 */
	bool (*nodes)(struct session *s, struct str *namespaces, size_t n, struct status_objects *ret, int *ret_status);
	/*
	 * The jobs of whatever system that the command line names, and what they refer to, as manifests in the arena of
	 * the session; NULL: the backend has none.  False with a status after saying what is missing.
	 */
	bool (*manifests)(struct session *s, struct manifest_text **ret, size_t *ret_n, int *ret_status);
	/*
	 * The CustomResourceDefinitions that the operands behind the first name: by their kind, plural, name or group.
	 */
	bool (*definitions)(struct session *s, struct manifest_text **ret, size_t *ret_n, int *ret_status);
	/* The versions of add-ons, one for each row of kube/addon.h. */
	bool (*addons)(struct session *s, struct addon_found *ret, int *ret_status);
	/*
	 * For completion, one name a line: contexts, which need no begin(), and namespaces. NULL: the backend has none.
	 */
	void (*contexts)(struct session *s, struct buf *out);
	void (*namespaces)(struct session *s, struct buf *out);
	/*
	 * Shows what apply would change; NULL: nothing can be compared. 0, 1 when there are differences, else what went
	 * wrong.
	 */
	int (*diff)(struct session *s, struct programs *all);
};

/* The backend that the command line means; NULL after saying what is missing (status 2). */
const struct backend *backend_of(struct session *s);
/*
 * Finds and begins the backend of a command about runs, and prepares A; NULL with a status after saying what is wrong.
 */
const struct backend *backend_begin(struct session *s, struct attend *a, int *ret_status);
/* Releases A and ends the backend; returns STATUS. */
int backend_end(struct session *s, struct attend *a, int status);
extern const struct backend backend_local;

#endif
