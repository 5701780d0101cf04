/*
 * rules.h - consequences of the states of replicas, wherever they run.
 *
 * Pure functions over a plan: the cluster's runtime, the local backend and the tests ask the same
 * questions.  The rules are those of docs/language.md (`start_after`, `success`, `retries`,
 * elastic).
 */
#ifndef TRAINC_RUNTIME_RUN_RULES_H
#define TRAINC_RUNTIME_RUN_RULES_H

#include "plan/plan.h"

enum replica_state {
	REPLICA_WAITING,                /* does not run (yet, or again) */
	REPLICA_STARTED,                /* its pod or process runs */
	REPLICA_READY,                  /* all of its containers have started */
	REPLICA_SUCCEEDED,
	REPLICA_FAILED                  /* for good: no attempt is left */
};

/* Replicas 0 to n-1 of one role; n is the plan's maximum. */
struct role_states {
	const enum replica_state *at;
	size_t n;
};

/*
 * Does a condition hold?  `roles` has one entry for each of the job's roles, in
 * the plan's order.  An elastic role is done when at least its minimum has
 * succeeded and none is active; it is ready or started when its minimum is.
 * A role without replicas meets no condition.
 */
bool condition_holds(const struct plan_job *j, const struct plan_condition *c, const struct role_states *roles);

/* What to do about an attempt of a replica that ended without success. */
enum attempt_verdict { ATTEMPT_AGAIN, ATTEMPT_AGAIN_FREE, ATTEMPT_FAILED };

/*
 * `exit_code` is 1 to 255 (128 + the signal), `attempts` counts the failed ones before this.  A
 * disruption (preemption, a drained node) costs nothing: ATTEMPT_AGAIN_FREE, whatever the code.
 * Codes outside `retry_on` are final.  An unknown code, -1 (the pod was lost), is not outside.
 */
enum attempt_verdict attempt_judge(const struct plan_role *r, int exit_code, bool disrupted, int64_t attempts);

/*
 * What a failed replica does to the job, by the role's `on_failed_pod`; `again`
 * says that it may begin once more:
 *
 *              may begin again     may not
 *   (not set)  restarts            fails
 *   fail       fails               fails
 *   restart    restarts            restarts
 *   replace    goes on             fails
 *   ignore     goes on             goes on
 */
enum failure_effect { FAILURE_PASSES, FAILURE_RESTARTS, FAILURE_ENDS };
enum failure_effect failure_judge(const struct plan_role *r, bool again);

/*
 * How many replicas may fail for good before the role has failed: 0, except for an elastic role,
 * which goes on with its minimum, and for a role whose failures do not matter.
 */
int64_t role_spare_replicas(const struct plan_role *r);

/* Does a failure of the role count as the job's?  Not that of an aux role, unless the job has only such roles. */
bool role_required(const struct plan_job *j, const struct plan_role *r);
/* Could anything that the role still does change what happens next? */
bool role_matters(const struct plan_job *j, unsigned role);
/* May a replica of it begin again after it failed, in place or as a new one? */
bool role_begins_again(const struct plan_role *r);

/*
 * How long the next attempt waits after `series` bad ends in a row (1, 2, ...):
 * `first`, then twice as long each time, up to ATTEMPT_DELAY_MOST_SECONDS.
 */
enum attempt_limits { ATTEMPT_DELAY_SECONDS = 10, ATTEMPT_DELAY_MOST_SECONDS = 600, ATTEMPT_SETTLED_SECONDS = 600 };
int64_t attempt_delay(int64_t first, int64_t series);

/* Does `clean` remove a replica when the job has ended?  `active`: it runs, or would begin. */
bool clean_takes(const struct plan_job *j, bool active);

/* The time at which a job that began at `begin` exceeds its `timeout`; RULES_NEVER without one. */
#define RULES_NEVER INT64_MAX
int64_t job_deadline(const struct plan_job *j, int64_t begin);
/*
 * Has the job used up its framework's `backoff_limit`? RESTARTS are those of all roles that begin again: a limit of n
 * allows n - 1, and 0 none.
 */
bool job_past_limit(const struct plan_job *j, int64_t restarts);

#endif
