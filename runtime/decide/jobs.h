/*
 * jobs.h - decides the next actions for a run whose roles are Jobs or, for some aux roles, Deployments. Kubernetes runs
 * each of these objects, but does not know how they depend on each other. Pure, like decide(): the input is the plan,
 * the state and the existing objects, and the result is the list of actions. The same state gives the same answer, so
 * an action that was lost is repeated.
 */
#ifndef TRAINC_RUNTIME_DECIDE_JOBS_H
#define TRAINC_RUNTIME_DECIDE_JOBS_H

#include "runtime/run/run_state.h"
#include "runtime/status/status.h"

enum jobs_what {
	JOBS_RELEASE,                   /* resume the Job: the condition that it waited for has held */
	JOBS_END                        /* delete the Job or Deployment, which would continue after the verdict */
};

struct jobs_action {
	enum jobs_what what;
	bool deployment;                /* the object is the Deployment of an aux role that never ends */
	struct str name, uid, role;
};

struct jobs_decision {
	struct jobs_action *at;
	size_t n;
};

/* STATE is the result of status_of() for the same OBJECTS. */
struct jobs_decision decide_jobs(struct arena *a, const struct plan_job *j, const struct run_state *state,
	const struct status_objects *objects);

#endif
