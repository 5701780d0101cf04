/*
 * cluster.h - the cluster as a backend of the commands: one API server for one command.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_CLUSTER_H
#define TRAINC_RUNTIME_CLUSTER_CLUSTER_H

#include "base/map.h"
#include "runtime/cluster/members.h"
#include "runtime/command/backend.h"

struct view;
struct copy;
struct code_sync;
struct run_histories;
struct capacity;
struct object;

extern const struct backend backend_cluster;

struct cluster {
	struct client client;
	struct session *session;
	struct arena *arena;            /* arena of the session */
	struct discovery discovery;
	struct cluster_watch **watches; /* runs that are watched */
	size_t nwatches;
	struct view **views;            /* views of the namespaces that these runs are in */
	size_t nviews;
	struct map parents;             /* "NAMESPACE/RUN" -> struct data: parents that were part of a list */
	/* status of a reported failure after which no request can succeed; 0: no such failure occurred */
	int hopeless;
	struct map listed;              /* namespaces whose parents have all been listed */
	size_t parents_skipped;         /* number of listed parents that cannot be used */
	struct map permitted;           /* set of "VERB PLURAL.GROUP NAMESPACE": access reviews that allowed the
					 * request */
	/*
	 * sets of "NAMESPACE VERBS" and "NAMESPACE": the missing permissions, and the missing namespaces, that have
	 * been reported
	 */
	struct map denied;
	struct map namespaces;          /* namespaces that are known to exist */
	struct str user;                /* the user, as the API server calls him; empty: it does not say, or was not
					 * asked */
	struct map shelves;             /* namespaces -> the histories of their deleted runs: cluster_history.c */
	bool listening;                 /* signals are handled */
	bool interrupted;               /* a signal has arrived, or the time is up: no new request is sent */
	int signal;                     /* the signal; 0: no signal has arrived */
	bool late;                      /* the time of --timeout is up */
	bool late_said;                 /* the timeout has been reported */
	struct str waited;              /* error of the request that the command waited for when the time was up; empty:
					 * no error, or already reported */
	int64_t deadline;               /* end of the requests by the steady clock; 0: no limit */
	struct loop_timer due;
};

/* The cluster of the session; valid after backend_cluster.begin(). */
struct cluster *cluster_of(const struct session *s);
/* The namespace of a run: the value of --namespace, else the program's namespace, else the context's. */
struct str cluster_namespace(const struct cluster *k, struct str program);

/*
 * Reads the parent of a run. Returns false and sets a status after reporting an error. RET->there is false if the run
 * does not exist.
 */
bool cluster_parent(struct cluster *k, struct str run, struct str ns, struct parent *ret, int *ret_status);
/*
 * Reads the parents of a namespace, or of all namespaces (NS empty), and adds their runs to RET if RET is not NULL.
 * Returns the request that failed, or NULL.
 */
const struct answer *cluster_parents(struct cluster *k, struct str ns, struct chosen *ret);
/*
 * Reads the parents of all runs of a namespace with one list, so that cluster_parent() needs no request for each run.
 * False: such requests are still needed.
 */
bool cluster_list_parents(struct cluster *k, struct str ns);
/*
 * Handles SIGINT, SIGTERM, SIGHUP and the end of --timeout while requests are sent. Commands that wait handle these
 * themselves.
 */
void cluster_listen(struct cluster *k, bool listen);
/*
 * Permits requests for a short time although the command was interrupted, until the call with BEGIN false: to note what
 * was left undone.
 */
void cluster_last_requests(struct cluster *k, bool begin);
/* The exit status of a command that was interrupted: 128 + the signal, or 124 after a timeout. */
int cluster_interrupted(const struct cluster *k);
/* Reports that the time is up, the error of the request that was waited for, and the consequence (THEN). */
void cluster_say_late(struct cluster *k, const char *then);
/* Waits for NS nanoseconds, but no longer than until the command is interrupted. */
void cluster_pause(struct cluster *k, int64_t ns);
/* Twelve random digits, for a name that no other command uses. */
struct str cluster_random(struct arena *a);
/* Reports a failed answer; returns the exit status. */
int cluster_say(struct cluster *k, const struct answer *x);

/* Does the state of a run depend on objects of this kind, besides Pods, Jobs and Events? */
bool cluster_watches_kind(const struct resource *r);

/* ---- changes: apply.c, cluster_remove.c, change.c, pod_lines.c ---- */

int cluster_apply(struct session *s, struct programs *all, struct attend *ret);
bool cluster_attach(struct attached *x, struct programs *all, int *ret_status);
bool cluster_attach_signal(struct attached *x, int signal);
int cluster_attach_end(struct attached *x, enum attend_end end, int status);
int cluster_diff(struct session *s, struct programs *all);
/* Writes the code of programs that travels by claims to them; returns the exit status. */
int cluster_upload(struct session *s, struct programs *all);
bool cluster_nodes(struct session *s, struct str *namespaces, size_t n, struct status_objects *ret, int *ret_status);
bool cluster_survey(struct session *s, struct capacity *c, struct str *ns, int *ret_status);
void cluster_contexts(struct session *s, struct buf *out);
void cluster_namespaces(struct session *s, struct buf *out);
/* A tree as YAML text in the arena. */
struct str cluster_yaml(struct arena *a, const struct object *tree);
bool cluster_definitions(struct session *s, struct manifest_text **ret, size_t *ret_n, int *ret_status);
bool cluster_addons(struct session *s, struct addon_found *ret, int *ret_status);
bool cluster_manifests(struct session *s, struct manifest_text **ret, size_t *ret_n, int *ret_status);
int cluster_remove(struct session *s, struct attend *a, struct changes *c);
bool cluster_scale(struct session *s, struct run_watch *w, struct str role, struct str number, int *ret_status);
bool cluster_suspend(struct session *s, struct run_watch *w, bool suspend, int *ret_status);
int cluster_exec(struct session *s, struct run_watch *w, struct str role, int64_t index, char *const *words);
int cluster_join(struct session *s, struct run_watch *w, struct str role, int64_t index);
void cluster_top(struct session *s, struct run_watch *w, struct top *ret);
int cluster_forward(struct session *s, struct run_watch *w, const struct forward_order *o);
int cluster_sync(struct session *s, struct run_watch *w, struct code_sync *what);
int cluster_copy(struct session *s, struct run_watch *w, struct copy *what);
int cluster_events(struct session *s, struct run_watch *w, bool follow);
bool cluster_history(struct session *s, const struct chosen *c, struct run_histories *ret, int *ret_status);
bool cluster_restart(struct session *s, struct run_watch *w, struct str role, struct str number, int *ret_status);
struct log_source *cluster_logs(struct session *s, const struct attend *a, const struct log_choice *choice);

/*
 * Deletes objects in the foreground, each only if it still has the uid with which it was listed. Waits for all objects
 * whose deletion the server has accepted. Returns 0 if all are gone, the status of a refused deletion, or the status of
 * an interruption. When the time of --timeout is up, reports the objects that are left.
 */
struct removal {
	struct members *members;
	int64_t slow;                   /* time in ns after which the remaining objects are reported; 0: 30 s */
	bool dry_run;
	/*
	 * Called before the wait and after each step of the wait; true: the wait must go on. NULL: deleted objects are
	 * printed, unless the user asked for JSON.
	 */
	bool (*step)(void *to);
	/* Called once, before the wait, when all deletions have been sent; returns a status. May be NULL. */
	int (*sent)(void *to);
	void *to;
	bool *gone;                     /* for each member: is the member gone? Set by cluster_delete() */
};
int cluster_delete(struct cluster *k, struct removal *r);
/* Adds the deletion of one object to a batch. */
struct answer *cluster_add_deletion(struct cluster *k, struct batch *b, const struct member *m, bool dry_run);
/*
 * Does the answer to a deletion say that our object is gone? "Not found" says so, and so does a conflict because of
 * another uid.
 */
bool cluster_is_gone(const struct answer *x);

#endif
