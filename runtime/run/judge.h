/*
 * judge.h - what becomes of a job, given the states of its replicas.
 *
 * This is the only place that decides it: local runs (runtime/local/life.c), the
 * decisions of a controller (runtime/decide) and `trainc status` (runtime/status)
 * hand in what they know and act on the verdict.  Pure; nothing is allocated.
 */
#ifndef TRAINC_RUNTIME_RUN_JUDGE_H
#define TRAINC_RUNTIME_RUN_JUDGE_H

#include "runtime/run/rules.h"

/* ---- one attempt of one replica ---- */

struct attempt_end {
	int exit_code;                  /* 1 to 255 (128 + the signal); -1: unknown */
	bool disrupted;                 /* its node was taken away: not a failure of the program */
	bool init;                      /* an init container failed: `retry_on` does not apply */
	bool in_place;                  /* it would begin again in place, which `on_failed_pod` does not count as a
					 * failed pod */
	int64_t failures;               /* number of earlier attempts that counted */
};

/*
 * Does a replica of role R begin again after this end?  ATTEMPT_AGAIN_FREE: yes, and it does not
 * count against `retries`.
 */
enum attempt_verdict judge_attempt(const struct plan_role *r, const struct attempt_end *end);

/* ---- the job ---- */

struct judge_role {
	const enum replica_state *states;       /* plan->max replicas, in the states that conditions see */
	/*
	 * for each of them: does a process or an object exist?  That may be so for a WAITING one, too; NULL: none
	 * exists
	 */
	const bool *present;
	int64_t desired;                /* how many should run now: those with the lowest indexes */
	bool released;                  /* `start_after` has held; judge() sets it */
	bool governed;                  /* another controller judges its failures */
};

struct judge_facts {
	const struct plan_job *job;
	struct judge_role *roles;       /* in the order of the job's roles */
	const struct role_states *seen; /* the same states, for conditions */
	int64_t begin, now;             /* `begin`: when `timeout` began to count; 0: not yet */
	int64_t spent;                  /* number of restarts, in roles whose replicas begin again */
};

enum judge_what {
	JUDGE_GOING,
	JUDGE_SUCCEEDED,                /* the success rule holds */
	JUDGE_FAILED,                   /* a required role has lost more replicas than it may lose */
	JUDGE_DEADLINE,                 /* `timeout` is over */
	JUDGE_LIMIT,                    /* the framework's `backoff_limit` is reached */
	JUDGE_UNREACHABLE,              /* nothing is left that could make the success rule hold */
	JUDGE_IDLE                      /* nothing is left to run, and the job has no success rule */
};

/*
 * Releases the roles whose turn has come, then judges.  A success counts even if it came late, and
 * a failed role is named before time and number of restarts.
 */
enum judge_what judge(struct judge_facts *f);

/* Does the whole job begin again after this verdict, when it has done so BEGUN_ANEW times? */
bool judge_begins_anew(const struct plan_job *j, enum judge_what what, int64_t begun_anew);
/* Has role K lost a replica for good, so that the job waits until somebody starts that again? */
bool judge_waits(const struct judge_facts *f, size_t k);

bool judge_past_deadline(const struct plan_job *j, int64_t begin, int64_t now);

#endif
