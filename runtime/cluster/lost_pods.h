/*
 * lost_pods.h - pods on nodes that do not answer. The API server keeps such a pod until its node confirms that it has
 * ended, so a run with such pods is deleted for as long as the node is away. `delete --force-node` removes them without
 * that; their processes may go on until somebody stops the machine.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_LOST_PODS_H
#define TRAINC_RUNTIME_CLUSTER_LOST_PODS_H

#include "runtime/cluster/cluster.h"

struct lost_pods {
	struct member *at;
	struct str *nodes;              /* for each pod: its node */
	size_t n;
};

/*
 * Adds the pods of run NAME whose nodes are not ready, or do not exist any more. Returns false and sets a status after
 * reporting a request that failed.
 */
bool lost_pods_find(struct cluster *k, struct str ns, struct str name, struct lost_pods *ret, int *ret_status);
/*
 * Names the pods and what their removal means, and asks unless the user has said --yes. True: they are to be removed.
 */
bool lost_pods_agreed(struct cluster *k, const struct lost_pods *l, int *ret_status);
/* Removes the pods at once; returns the status of the worst refusal. */
int lost_pods_remove(struct cluster *k, const struct lost_pods *l);

#endif
