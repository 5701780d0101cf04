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
	JOBS_MARK,                      /* write ENDED_ANNOTATION into the Job */
	/* delete the Job or Deployment, which would continue after the verdict, or after its copy of a cell is lost */
	JOBS_END
};

struct jobs_action {
	enum jobs_what what;
	bool deployment;                /* the object is the Deployment of an aux role that never ends */
	struct str name, uid, role;
};

/*
 * The order of actions: all actions of one stage must have succeeded before the first action of the next stage.
 * Deployments end before Jobs, because only Jobs and their pods show the verdict.
 */
enum jobs_stage { JOBS_STAGE_MARK, JOBS_STAGE_DEPLOYMENT, JOBS_STAGE_JOB };
enum jobs_stage jobs_stage_of(const struct jobs_action *x);

struct jobs_decision {
	struct jobs_action *at;
	size_t n;
};

/*
 * STATE is the result of status_of() for the same OBJECTS. A marked Job ends even if
 * STATE has no verdict any more.
 */
struct jobs_decision decide_jobs(struct arena *a, const struct plan_job *j, const struct run_state *state,
	const struct status_objects *objects);

/* How many Jobs and Deployments of a run exist that are not being deleted, and how many of them have ended. */
struct jobs_census {
	size_t n;
	size_t over;                    /* Jobs that are over */
	size_t ending;                  /* Jobs that are not over and whose replicas have all succeeded */
	size_t marked;                  /* Jobs that are not over and have the mark of JOBS_MARK */
	int64_t end;                    /* the latest end of a Job that is over; 0: unknown */
};
struct jobs_census jobs_census(struct arena *a, const struct plan_job *j, const struct run_state *state,
	const struct status_objects *objects);

#endif
