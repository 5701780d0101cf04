/*
 * replica_pod.h - the pod of a replica that a command works with.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_REPLICA_POD_H
#define TRAINC_RUNTIME_CLUSTER_REPLICA_POD_H

#include "runtime/cluster/cluster_watch.h"

struct replica_pod {
	struct str role;                /* name of the role as written */
	int64_t index;
	const struct plan_role *plan;
	struct str ns, name, uid;
	const struct data *object;      /* the pod, with a few of its fields */
	bool deleting;
	bool owned;                     /* a controller, such as that of Jobs, creates it again */
};

/* The pods of a role. */
struct replica_pods {
	struct map by_index;            /* index -> struct members */
	const struct plan_role *role;
	struct str ns;
};

/* Lists the pods of a role of the run W; false with a status after a report. */
bool replica_pods_list(struct session *s, struct run_watch *w, const struct plan_role *r, struct replica_pods *ret,
	int *ret_status);
/* Picks the newest running pod of a replica, as replica_pod_find(); false if there is none. */
bool replica_pods_pick(struct arena *a, const struct replica_pods *pods, int64_t index, bool starting,
	struct replica_pod *ret);

/*
 * Finds the newest running pod of replica INDEX of a role of the run W, with one request. STARTING: a pod that has not
 * started its main container will do. Returns false and sets a status after reporting an error; if the replica has no
 * such pod, the report says why, as `why` does.
 */
bool replica_pod_find(struct session *s, struct run_watch *w, struct str role, int64_t index, bool starting,
	struct replica_pod *ret, int *ret_status);

/* Reports why a replica has no pod that runs; the watches of the run must have started. */
void replica_pod_say_none(struct session *s, struct run_watch *w, struct str role, int64_t index);

/*
 * Starts the program of a replica again in its container: only for roles whose code may be replaced. False with a
 * status after a report (sync.c).
 */
bool sync_restart_program(struct session *s, const struct replica_pod *pod, int *ret_status);

/* Reports that the run has no such role. */
void replica_say_no_role(struct session *s, const struct run_watch *w, struct str role);

#endif
