/*
 * rules.h - decides what follows from the states of replicas, wherever they run. Pure functions over a plan, used by
 * the cluster's runtime, the local backend and the tests. docs/language.md describes the rules (`start_after`,
 * `success`, `retries`, elastic).
 */
#ifndef TRAINC_RUNTIME_RUN_RULES_H
#define TRAINC_RUNTIME_RUN_RULES_H

#include "plan/plan.h"

enum replica_state {
	REPLICA_WAITING,                /* the replica does not run yet, or waits for its next attempt */
	REPLICA_STARTED,                /* a pod or process of the replica runs */
	REPLICA_READY,                  /* all containers of the replica have started */
	REPLICA_SUCCEEDED,
	REPLICA_FAILED                  /* the replica failed for good: no attempt is left */
};

/* Does a pod or process of a replica in this state run? */
static inline bool replica_runs(enum replica_state s) { return s == REPLICA_STARTED || s == REPLICA_READY; }

/* The states of replicas 0 to n-1 of one role; n is the plan's maximum. */
struct role_states {
	const enum replica_state *at;
	size_t n;
	/* of a role of a cell: its copy is lost, or the run has been scaled to fewer copies. judge() sets it */
	bool gone;
};

/*
 * Does a condition hold? ROLES has one entry for each of the job's roles, in the plan's order. An elastic role is done
 * if at least its minimum of replicas has succeeded and no replica is active. It is ready or started if its minimum of
 * replicas is. For a role without replicas, no condition holds.
 */
bool condition_holds(const struct plan_job *j, const struct plan_condition *c, const struct role_states *roles);

/* The result of judging an attempt of a replica that ended without success. */
enum attempt_verdict { ATTEMPT_AGAIN, ATTEMPT_AGAIN_FREE, ATTEMPT_FAILED };

/*
 * Judges a failed attempt. EXIT_CODE is 1 to 255 (128 + the signal); ATTEMPTS is the number of failed attempts before
 * this one. A disruption (preemption, a drained node) does not count, whatever the code is: ATTEMPT_AGAIN_FREE. Codes
 * outside `retry_on` are final. An unknown code, -1 (the pod was lost), is treated like a code in `retry_on`.
 */
enum attempt_verdict attempt_judge(const struct plan_role *r, int exit_code, bool disrupted, int64_t attempts);

/*
 * What a failed replica does to the job, by the role's `on_failed_pod`. AGAIN: the replica may start again.
 *
 *              may start again     may not
 *   (not set)  restarts            fails
 *   fail       fails               fails
 *   restart    restarts            restarts
 *   replace    continues           fails
 *   ignore     continues           continues
 */
enum failure_effect { FAILURE_PASSES, FAILURE_RESTARTS, FAILURE_ENDS };
enum failure_effect failure_judge(const struct plan_role *r, bool again);

/*
 * The number of replicas that may fail for good before the role has failed: 0, except for an elastic role, which
 * continues with its minimum, and for a role whose failures do not matter.
 */
int64_t role_spare_replicas(const struct plan_role *r);

/*
 * The number of copies that a cell may lose while the run goes on; WANTED is the number of copies that it should have.
 */
int64_t cell_spare_copies(const struct plan_cell *c, int64_t wanted);

/* Does a failure of the role fail the job? A failure of an aux role does not, unless the job has only aux roles. */
bool role_required(const struct plan_job *j, const struct plan_role *r);
/* Can the role still influence the course of the job? */
bool role_matters(const struct plan_job *j, unsigned role);
/* May a replica of the role restart after it failed, in place or as a new object? */
bool role_begins_again(const struct plan_role *r);

/*
 * The wait before the next attempt after SERIES consecutive bad ends (1, 2, ...): FIRST, then twice as long each time,
 * up to ATTEMPT_DELAY_MOST_SECONDS.
 */
enum attempt_limits { ATTEMPT_DELAY_SECONDS = 10, ATTEMPT_DELAY_MOST_SECONDS = 600, ATTEMPT_SETTLED_SECONDS = 600 };
int64_t attempt_delay(int64_t first, int64_t series);

/* Does `clean` remove the replica when the job has ended? ACTIVE: the replica runs, or would start. */
bool clean_takes(const struct plan_job *j, bool active);

/* The time at which a job that started at `begin` exceeds its `timeout`; RULES_NEVER without a timeout. */
#define RULES_NEVER INT64_MAX
int64_t job_deadline(const struct plan_job *j, int64_t begin);
/*
 * Has the job used up its framework's `backoff_limit`? RESTARTS is the number of restarts of all roles that restart. A
 * limit of n allows n - 1 restarts, and a limit of 0 allows no restarts.
 */
bool job_past_limit(const struct plan_job *j, int64_t restarts);

#endif
