/*
 * backend.h - the place where runs are: this machine or a cluster. Every command for runs uses a backend, and no
 * command asks which backend it uses.
 *
 * A function that returns false has already reported the reason on standard error, and sets the exit status. Memory
 * lives in the arena of the session.
 */
#ifndef TRAINC_RUNTIME_COMMAND_BACKEND_H
#define TRAINC_RUNTIME_COMMAND_BACKEND_H

#include "command/session.h"
#include "runtime/command/changes.h"
#include "runtime/run/attend.h"
#include "runtime/status/status_object.h"

/* A run that the command line names. */
struct chosen_run {
	struct str name;
	struct str ns;                  /* namespace that the program gives; empty: the program gives no namespace */
	/* plan_record_write() of the run's program; empty: the run was named without its program */
	struct str record;
	/* for `diff --against`: what the run's program is, as a launch would note it; NULL: the run was named */
	const struct run_launch *now;
	bool listed;                    /* found among all runs: if it has been removed since, that is not an error */
};
struct chosen {
	struct chosen_run *at;
	size_t n;
	struct str ns;                  /* namespace whose runs were listed; empty: all runs of the backend were
					 * listed */
};

/* A run that the command `run` follows until its end. */
struct attached {
	struct session *session;
	struct attend *attend;
	void *own;                      /* private to the backend */
	int signals;                    /* number of requests to stop */
};

/* An add-on as it was found in a cluster. Texts live in the arena of the session. */
struct addon_found {
	unsigned version;               /* the version that was found, as kube/addon.h numbers it; 0: unknown */
	struct str source;              /* the object that revealed the version; empty: the add-on is not installed */
	struct str warning;             /* inconsistency in the installation; empty: the installation is consistent */
};

/* A manifest, with a name for messages. */
struct manifest_text {
	struct str name, text;
};

struct copy;
struct code_sync;
struct forward_order;
struct top;
struct run_histories;
struct capacity;

struct backend {
	const char *option;             /* options that the command line needs to reach the run: " --local", or "" */
	const char *place;              /* where the runs are, such as "on this machine" */
	bool streams;                   /* each log that is read keeps a stream of the server open */

	/* Called before all other functions: finds the state directory, or the API server. */
	bool (*begin)(struct session *s, int *ret_status);
	void (*end)(struct session *s);
	/*
	 * The time of the machine that dates the states of runs; KNOWN: false if only the clock of this machine is
	 * known. NULL: it is this machine.
	 */
	int64_t (*now)(struct session *s, bool *known);
	/* Finds all runs, in order; NS: the namespace that a program gives, or empty. */
	bool (*names)(struct session *s, struct str ns, struct chosen *ret, int *ret_status);
	bool (*exists)(struct session *s, struct str name);
	/* Opens a run, to read and watch its state. */
	bool (*open)(struct session *s, const struct chosen_run *r, struct run_watch *ret, int *ret_status);
	/* Called after all runs have been opened: fetches their states.  NULL: open() has already fetched the state. */
	bool (*opened)(struct session *s, int *ret_status);
	/*
	 * Applies the jobs of all programs. Adds the runs to wait for to RET and returns the exit status so far. For
	 * runs that are only printed (-o json) and not waited for, the states are already known.
	 */
	int (*apply)(struct session *s, struct programs *all, struct attend *ret);
	/*
	 * Shows what `apply` would start, and starts nothing; returns the exit status. NULL: `apply` shows this itself.
	 */
	int (*preview)(struct session *s, struct programs *all);
	/*
	 * Does the same as `apply`, for the command `run`. On failure, removes everything that it started and sets a
	 * status.
	 */
	bool (*attach)(struct attached *r, struct programs *all, int *ret_status);
	void (*attach_changed)(struct attached *r, size_t run);
	/* Handles SIGINT and similar signals. Returns true if the command should end. */
	bool (*attach_signal)(struct attached *r, int signal);
	/*
	 * Called at the end: ends the runs where necessary and cleans up. STATUS is the status of the verdict; returns
	 * the exit status.
	 */
	int (*attach_end)(struct attached *r, enum attend_end end, int status);
	/* Returns the logs of all runs of A as one source of lines. */
	struct log_source *(*logs)(struct session *s, const struct attend *a, const struct log_choice *choice);
	bool (*scale)(struct session *s, struct run_watch *w, struct str role, struct str number, int *ret_status);
	/* Restarts replica N of a role. Called before opened(). */
	bool (*restart)(struct session *s, struct run_watch *w, struct str role, struct str number, int *ret_status);
	/*
	 * Runs a command in replica INDEX of a role, or a shell if WORDS is empty; returns the exit status. Called
	 * before opened().
	 */
	int (*exec)(struct session *s, struct run_watch *w, struct str role, int64_t index, char *const *words);
	/*
	 * Passes on what the program of a replica prints, and standard input if the program reads it, until it ends;
	 * returns the exit status. Called before opened(). NULL: programs have no stream that can be joined.
	 */
	int (*join)(struct session *s, struct run_watch *w, struct str role, int64_t index);
	/*
	 * Forwards connections to the ports that O names until the command is interrupted or the run ends; returns the
	 * exit status. Called before opened().
	 */
	int (*forward)(struct session *s, struct run_watch *w, const struct forward_order *o);
	/*
	 * Fills in what the running replicas use, in the rows that RET has already, and says why values are not served.
	 * NULL: the processes of replicas are on this machine.
	 */
	void (*top)(struct session *s, struct run_watch *w, struct top *ret);
	/*
	 * Copies files out of a replica, or into one; returns the exit status. Called before opened(). NULL: the files
	 * of replicas are on this machine.
	 */
	int (*copy)(struct session *s, struct run_watch *w, struct copy *what);
	/*
	 * Replaces the code of running replicas, in all or in none; returns the exit status. Called before opened().
	 */
	int (*sync)(struct session *s, struct run_watch *w, struct code_sync *what);
	/*
	 * Prints what controllers, the scheduler and nodes have reported about the run, with FOLLOW also what they
	 * report until it ends; returns the exit status. NULL: the backend has no such reports.
	 */
	int (*events)(struct session *s, struct run_watch *w, bool follow);
	/*
	 * Adds the histories of the chosen runs to RET; with none chosen, those of all runs, also of deleted ones.
	 * Returns false and sets a status after reporting an error, or a run that was never started.
	 */
	bool (*history)(struct session *s, const struct chosen *c, struct run_histories *ret, int *ret_status);
	bool (*suspend)(struct session *s, struct run_watch *w, bool suspend, int *ret_status);
	/*
	 * Stops the runs of A, removes everything that belongs to them and adds the deletions to C; returns the exit
	 * status.
	 */
	int (*remove)(struct session *s, struct attend *a, struct changes *c);
	/*
	 * Adds the objects that `fit` reads: nodes, the pods on them, and the quotas and queues of the namespaces.
	 * Replaces an empty namespace by the current one. Without RET_STATUS, a failure is not reported. NULL: the
	 * backend has no nodes.
	 */
	bool (*nodes)(struct session *s, struct str *namespaces, size_t n, struct status_objects *ret, int *ret_status);
	/*
	 * Adds what the cluster has, who holds it and who waits for it: `fit --all`. Notes what cannot be read. NS gets
	 * the namespace that the command is about. Returns false and sets a status after reporting an error that
	 * concerns all of it. NULL: the backend has no nodes.
	 */
	bool (*survey)(struct session *s, struct capacity *c, struct str *ns, int *ret_status);
	/*
	 * The jobs that the command line names, whichever controller runs them, and the objects that they refer to, as
	 * manifests in the arena of the session. NULL: the backend has no manifests. Returns false and sets a status
	 * after reporting what is missing.
	 */
	bool (*manifests)(struct session *s, struct manifest_text **ret, size_t *ret_n, int *ret_status);
	/*
	 * The CustomResourceDefinitions that the operands after the first select by kind, plural, name or group.
	 */
	bool (*definitions)(struct session *s, struct manifest_text **ret, size_t *ret_n, int *ret_status);
	/* The versions of add-ons, one for each row of kube/addon.h. */
	bool (*addons)(struct session *s, struct addon_found *ret, int *ret_status);
	/*
	 * For completion: the names of contexts, for which begin() need not be called, and of namespaces, one per line.
	 * NULL: the backend has no such names.
	 */
	void (*contexts)(struct session *s, struct buf *out);
	void (*namespaces)(struct session *s, struct buf *out);
	/*
	 * Shows what apply would change. Returns 0, 1 if there are differences, or another status after an error. NULL:
	 * the backend cannot compare.
	 */
	int (*diff)(struct session *s, struct programs *all);
	/*
	 * Writes the code of the programs that travels by claims to them; returns the exit status. NULL: the backend
	 * has no claims.
	 */
	int (*upload)(struct session *s, struct programs *all);
};

/* Returns the backend that the command line selects; NULL (status 2) after reporting why no backend can be used. */
const struct backend *backend_of(struct session *s);
/*
 * Finds the backend of a command about runs, calls its begin() and prepares A. Returns NULL and sets a status after
 * reporting an error.
 */
const struct backend *backend_begin(struct session *s, struct attend *a, int *ret_status);
/* Releases A and ends the backend; returns STATUS. */
int backend_end(struct session *s, struct attend *a, int status);
extern const struct backend backend_local;

#endif
