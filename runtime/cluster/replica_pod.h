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

/*
 * Finds the newest running pod of replica INDEX of a role of the run W, with one request. STARTING: a pod that has not
 * started its main container will do. Returns false and sets a status after reporting an error; if the replica has no
 * such pod, the report says why, as `why` does.
 */
bool replica_pod_find(struct session *s, struct run_watch *w, struct str role, int64_t index, bool starting,
	struct replica_pod *ret, int *ret_status);

#endif
