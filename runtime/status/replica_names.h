/*
 * replica_names.h - finds the replica of a pod by the name of the pod, which is all that an Event has of it.
 */
#ifndef TRAINC_RUNTIME_STATUS_REPLICA_NAMES_H
#define TRAINC_RUNTIME_STATUS_REPLICA_NAMES_H

#include "base/map.h"
#include "plan/plan.h"

struct replica_place {
	size_t role;                    /* number of the role in the plan */
	int64_t index;
};

struct replica_names {
	struct arena *arena;
	const struct plan_job *job;
	struct map at;                  /* names of pods and Jobs -> struct replica_place, if `made` */
	bool made;
};

/*
 * The replica called NAME; NULL: no replica has that name. The names are built when a name is first needed: pods with
 * labels need no names, and the names of 10,000 replicas take more than a megabyte.
 */
const struct replica_place *replica_names_find(struct replica_names *n, struct str name);
/* The replica whose pod is called NAME; a controller may have appended a random part to the name. NULL: none. */
const struct replica_place *replica_names_of_pod(struct replica_names *n, struct str name);

#endif
