/*
 * workload.h - the kinds of objects that run pods, one row each. A role of a program becomes one of those that have
 * an id; objects of the other kinds are only written by users, and read by `import`, `status` and `fit`. To let a
 * target write another kind, give it an id and a row: the compiler and the tests then report the code that must
 * handle it.
 */
#ifndef TRAINC_KUBE_WORKLOAD_H
#define TRAINC_KUBE_WORKLOAD_H

#include "base/str.h"

enum workload_id {
	WORKLOAD_JOB, WORKLOAD_POD, WORKLOAD_DEPLOYMENT,
	WORKLOAD_OPERATED,              /* pods that an operator makes from the one object for the whole job */
	WORKLOAD_GROUP,                 /* an object whose controller makes groups of numbered pods: copies of a cell */
	WORKLOAD_TASK,                  /* pods that Volcano makes from a task of the one object for the whole job */
	WORKLOADS,                      /* number of kinds that a role may become */
	WORKLOAD_FOREIGN = WORKLOADS    /* kinds of objects that no target writes */
};

enum workload_trait {
	/* the object is itself a pod: no controller of Kubernetes is between it and the kubelet */
	WORKLOAD_BARE = 1,
	/* its pods are replicas with an index: each has a name, labels and a Service of its own */
	WORKLOAD_NUMBERED = 2,
	WORKLOAD_ENDS = 4,              /* pods of the kind may succeed; otherwise they restart forever */
	WORKLOAD_SIZED = 8,             /* an autoscaler can change the size of the object (it has a scale
					 * subresource) */
	WORKLOAD_REPLICAS = 16          /* the object makes `spec.replicas` pods from `spec.template` */
};

struct workload {
	enum workload_id id;
	const char *api_version, *kind;
	const char *argument;           /* the kind as kubectl accepts it: "job" */
	/*
	 * type of the object's spec in the schemas ("batch.v1.JobSpec"), into which `raw job` is merged; NULL for a
	 * pod, and for a LeaderWorkerSet, which is made of two roles
	 */
	const char *spec;
	/* label of the kind's pods, set by its controller, that holds their index; NULL: no label holds the index */
	const char *index;
	/* the same label or annotation, as a container can read it: "metadata.annotations['...']" */
	const char *field;
	/* environment variable of the containers that holds the index; NULL: no variable holds the index */
	const char *variable;
	/* the restart policy that is closest to restart = "always"; NULL: the pods need no policy */
	const char *always;
	unsigned traits;                /* a set of enum workload_trait */
};

/* Returns the row of ID, which must be less than WORKLOADS. */
const struct workload *workload_row(enum workload_id id);
/* Returns the row of the kind KIND of Kubernetes itself; NULL if objects of this kind do not run pods. */
const struct workload *workload_named(struct str kind);
/* Returns row I of all kinds; NULL after the last. */
const struct workload *workload_at(size_t i);

#endif
