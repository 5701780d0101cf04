/*
 * status.h - what the objects of a cluster say about one job: a verdict without
 * any input or output.
 *
 * Objects are trees as `kubectl get -o json` prints them.  Pods and Jobs are
 * matched to roles by the labels that the targets write, or by name.  What decides
 * comes from the plan: `success`, `running`, `restart`, `retry_on`.
 * Sources: runtime-requirements.md section 4 (the rows S-.. that are named in
 * pod.c and status.c), operator-semantics.md sections 7 and 8.
 */
#ifndef TRAINC_RUNTIME_STATUS_STATUS_H
#define TRAINC_RUNTIME_STATUS_STATUS_H

#include "runtime/rules.h"

enum cluster_state {                    /* in the order in which the worst role decides */
	CLUSTER_FAILED, CLUSTER_FAILING, CLUSTER_STALLED, CLUSTER_UNKNOWN, CLUSTER_DEGRADED, CLUSTER_QUEUED, CLUSTER_PENDING,
	CLUSTER_STARTING, CLUSTER_RUNNING, CLUSTER_COMPLETING, CLUSTER_SUCCEEDED, CLUSTER_SUSPENDED, CLUSTER_TERMINATING,
	CLUSTER_ABSENT
};
const char *cluster_state_word(enum cluster_state s);

struct status_role {
	const struct plan_role *role;
	int64_t desired, active, ready, succeeded, failed, restarts;
	enum cluster_state state;
	struct str cause;
	/* of the replicas, by index: what conditions are asked about */
	enum replica_state *at;
	bool retryable;                 /* every failed replica may begin again */
};

struct status_failure {
	bool known;
	const struct plan_role *role;
	int64_t index, time;            /* end, in nanoseconds */
	int exit_code, signal;
	struct str reason, log;
};

struct status {
	const struct plan_job *job;
	enum cluster_state state;
	struct str cause;
	const char *conditions[2];      /* those that hold: Created, then Running, Restarting, Succeeded, Failed or Suspended */
	size_t nconditions;
	struct status_role *roles;      /* as the plan's */
	struct status_failure failure;
};

/* The objects of one or several Lists or documents, flat. */
struct status_objects {
	const struct data **at;
	size_t n;
};
/* Adds a document: a List gives its items. */
void status_add(struct arena *a, struct status_objects *o, const struct data *document);

/* `now`: nanoseconds of the real-time clock, for what depends on how long something waits. */
struct status status_of(struct arena *a, const struct plan_job *j, const struct status_objects *o, int64_t now);

/* One run of `status -o json`, without its braces; and the table. */
void status_json(const struct status *s, struct buf *out);
void status_table(struct arena *a, const struct status *s, struct buf *out);

/* ---- pods (pod.c) ---- */

struct pod_view {
	struct str name;
	enum cluster_state state;
	bool running, ready, succeeded, failed, deleting;
	int64_t restarts;
	int exit_code, signal;          /* of the failed container; -1: none */
	int64_t finished;
	struct str cause, log;
};
/* Rows S-30 to S-41. */
struct pod_view pod_judge(struct arena *a, const struct data *pod, struct str container, int64_t now);

/* The value at the end of a path of keys, or NULL. */
const struct data *status_path(const struct data *d, const char *path);
struct str status_text(const struct data *d, const char *path);
int64_t status_number(const struct data *d, const char *path, int64_t otherwise);
/* The element of conditions[] of that type when its status is True, or NULL. */
const struct data *status_condition_true(const struct data *object, const char *type);

#endif
