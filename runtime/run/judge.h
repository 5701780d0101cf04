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
	bool disrupted;                 /* its node was taken from it: nobody's failure */
	bool init;                      /* an init container failed: `retry_on` is about the program */
	bool in_place;                  /* it would start again in place, which is no failed pod to `on_failed_pod` */
	int64_t failures;               /* attempts before it that counted */
};

/* Does a replica of role R begin again after this end?  ATTEMPT_AGAIN_FREE: without counting against `retries`. */
enum attempt_verdict judge_attempt(const struct plan_role *r, const struct attempt_end *end);

/* ---- the job ---- */

struct judge_role {
	const enum replica_state *states;       /* of plan->max replicas, as conditions see them */
	const bool *present;            /* of as many: a process or an object exists, also of one that is WAITING; NULL: of none */
	int64_t desired;                /* how many should run now: those with lower indexes */
	bool released;                  /* `start_after` has held; judge() sets it */
	bool governed;                  /* another controller judges its failures */
};

struct judge_facts {
	const struct plan_job *job;
	struct judge_role *roles;       /* as the job's */
	const struct role_states *seen; /* the same states, for conditions */
	int64_t begin, now;             /* begin: when `timeout` began to count; 0: not yet */
	int64_t spent;                  /* how often a replica of a role that begins again did so */
};

enum judge_what {
	JUDGE_GOING,
	JUDGE_SUCCEEDED,                /* the success rule holds */
	JUDGE_FAILED,                   /* a required role has lost more replicas than it may */
	JUDGE_DEADLINE,                 /* `timeout` is over */
	JUDGE_LIMIT,                    /* the framework's `backoff_limit` is reached */
	JUDGE_UNREACHABLE,              /* nothing is left that could make the success rule hold */
	JUDGE_IDLE                      /* nothing is left, and the job has no success rule */
};

/*
 * Releases the roles whose turn has come, then judges.  Success counts although it
 * came late, and a failed role is named before time and number.
 */
enum judge_what judge(struct judge_facts *f);

/* Does the whole job begin again after this verdict, having done so BEGUN_ANEW times? */
bool judge_begins_anew(const struct plan_job *j, enum judge_what what, int64_t begun_anew);
/* Has role K lost a replica for good, so that the job waits for somebody who starts it again? */
bool judge_waits(const struct judge_facts *f, size_t k);

bool judge_past_deadline(const struct plan_job *j, int64_t begin, int64_t now);

#endif
