/* gather.h - sorts the objects of one job: assigns each pod to its replica, and each Job to its role. */
#ifndef TRAINC_RUNTIME_STATUS_GATHER_H
#define TRAINC_RUNTIME_STATUS_GATHER_H

#include "runtime/run/rules.h"
#include "runtime/status/attempts.h"
#include "runtime/status/pod.h"
#include "runtime/status/replica_names.h"
#include "runtime/status/status.h"
#include "runtime/status/status_object.h"

struct gathered_pod {
	struct str name;
	int64_t made;
};

struct gathered_replica {
	const struct gathered_pod *pod; /* the latest pod of the replica; NULL: the replica has no pod */
	struct pod_view view;
	int64_t failures;               /* number of earlier pods that failed on their own */
	int64_t restarts;               /* number of restarts in place, in earlier pods of the replica */
	int64_t first;                  /* time at which the replica's first pod started; 0: unknown */
	struct run_span *spans;         /* the spans of the replica so far, in the order in which its pods were
					 * created */
	size_t nspans;
	struct attempts_pod *pods;      /* all existing pods of the replica */
	size_t npods;
	bool done, lost;                /* the Job reports that this replica succeeded, or failed for good */
};

struct part_job {
	const struct data *object;
	int64_t index;                  /* the replica that the Job represents; -1: unknown */
	int64_t from, to;               /* the replicas that the Job represents: one, a slice, or the whole role */
};

struct gathered_part {
	const struct plan_role *plan;
	int64_t desired;
	bool unwanted;                  /* its copy has gone, because the run has been scaled down */
	bool lost;                      /* the copy is lost, and the run goes on without it */
	bool anew;                      /* the copy has failed and restarts by itself: see copies.h */
	struct gathered_replica *at;             /* the replicas, plan->max of them */
	enum replica_state *states;     /* states as they are shown */
	/* states for conditions and the verdict: a failed pod that may restart is not FAILED */
	enum replica_state *judged;
	struct attempts_before before;
	struct part_job *jobs;          /* the Jobs of the role, by name */
	size_t njobs;
	/* the result of judging the role (status.c) */
	enum run_phase phase;
	struct str cause;
	bool suspended;
	bool waits;                     /* a Job of the role waits for other roles (`start_after`) */
	int64_t since;                  /* when the Job of the role was suspended; 0: unknown */
};

struct gathering {
	struct arena *arena;
	const struct plan_job *job;
	int64_t now;
	const struct status_objects *all;
	struct events events;
	struct looked_up looked_up;
	struct replica_names names;     /* for pods and Jobs without labels */
	struct map nodes;               /* names of nodes that are not ready -> the condition of the node */
	struct map claims;              /* names of pods -> the newest warning about a claim that only that pod uses */
	struct gathered_part *parts;             /* the roles, in the plan's order */
	const struct data *whole;       /* the object that represents the run, or NULL */
	const struct data **others;
	size_t nothers;
	size_t npods;
	const struct event **warnings;  /* the newest warning about each object of the run that has warnings */
	size_t nwarnings;
	struct failing *failing;        /* all pods that have failed */
	size_t nfailing;
};

struct failing {
	const struct gathered_part *part;
	int64_t index;
	const struct gathered_pod *pod;
	struct pod_view view;           /* the failure that the pod shows; `again`: a later attempt has started since
					 * then */
};

struct gathering gather_objects(struct arena *a, const struct plan_job *j, const struct status_objects *o, int64_t now);
/* The number of copies of C that the run should have: those before the first one that has been scaled away. */
int64_t gathered_copies(const struct gathering *g, const struct plan_cell *c);
/* The pod of the first failing rank of PART, or of the run if PART is NULL; NULL if no pod has failed. */
const struct failing *gathered_failure(const struct gathering *g, const struct gathered_part *part);
/* Which replica failed and why: "worker 1: OOMKilled (exit code 137)". */
struct str failing_words(struct arena *a, const struct failing *f);
bool gathered_any(const struct gathering *g);

#endif
