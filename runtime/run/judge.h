/*
 * judge.h - decides the fate of a job from the states of its replicas. No other code decides the fate of a job: local
 * runs (runtime/local/life.c), the decisions of a controller (runtime/decide) and `trainc status` (runtime/status) pass
 * in the facts that they know and act on the verdict. Pure; nothing is allocated.
 */
#ifndef TRAINC_RUNTIME_RUN_JUDGE_H
#define TRAINC_RUNTIME_RUN_JUDGE_H

#include "runtime/run/rules.h"

/* ---- one attempt of one replica ---- */

struct attempt_end {
	int exit_code;                  /* 1 to 255 (128 + the signal); -1: unknown */
	bool disrupted;                 /* the node was taken away: the program did not fail */
	bool init;                      /* an init container failed, to which `retry_on` does not apply */
	bool in_place;                  /* the attempt would restart in place, so it is not a failed pod for
					 * `on_failed_pod` */
	int64_t failures;               /* number of earlier attempts that count against `retries` */
};

/*
 * Does a replica of role R restart after this end? ATTEMPT_AGAIN_FREE: yes, without counting against `retries`.
 */
enum attempt_verdict judge_attempt(const struct plan_role *r, const struct attempt_end *end);

/* ---- the job ---- */

struct judge_role {
	const enum replica_state *states;       /* states of the replicas as conditions see them, plan->max of them */
	/*
	 * for each replica: does a process or an object of the replica exist? It may exist even if the replica is
	 * WAITING. NULL: no replica has a process or an object
	 */
	const bool *present;
	int64_t desired;                /* number of replicas that should run now: those with the lowest indexes */
	bool released;                  /* the condition of `start_after` has held; judge() sets it */
	bool governed;                  /* another controller judges the failures of the role */
	/* of a role of a cell */
	bool unwanted;                  /* its copy has gone, because the run has been scaled down */
	bool given_up;                  /* `governed`: that controller has given the role up */
	bool again;                     /* the copy may restart by itself after a failure in it */
	bool lost;                      /* the copy has failed and does not restart; judge() sets it */
};

struct judge_facts {
	const struct plan_job *job;
	struct judge_role *roles;       /* the roles, in the job's order */
	struct role_states *seen;       /* the states of the roles, in the form that conditions need */
	int64_t begin, now;             /* when `timeout` started to count (0: not yet); the current time */
	int64_t spent;                  /* number of restarts so far, in roles whose replicas restart */
	/* JUDGE_COPY: a role of the copy that must restart. JUDGE_FAILED: the role that has failed. judge() sets it */
	size_t failed;
};

enum judge_what {
	JUDGE_GOING,
	JUDGE_SUCCEEDED,                /* the success rule holds */
	/*
	 * a required role has lost more replicas than it may lose, or a cell more copies; the failures of a role in a
	 * cell are those of its copy
	 */
	JUDGE_FAILED,
	JUDGE_COPY,                     /* a copy of a cell has failed, and must restart by itself */
	JUDGE_DEADLINE,                 /* `timeout` has passed */
	JUDGE_LIMIT,                    /* the framework's `backoff_limit` is reached */
	JUDGE_UNREACHABLE,              /* the success rule cannot hold any more, whatever happens */
	JUDGE_IDLE                      /* no replica is left to run, and the job has no success rule */
};

/*
 * Finds the copies that are lost, releases the roles whose `start_after` holds, then judges. A success counts even if
 * it came late. A failed role takes precedence over the deadline and the limit of restarts.
 */
enum judge_what judge(struct judge_facts *f);

/* Is role K in a copy that is lost, and does the run go on without that copy? Valid after judge(). */
bool judge_spares(const struct judge_facts *f, size_t k);

/* Does the whole job restart after this verdict? BEGUN_ANEW: how often it has already restarted. */
bool judge_begins_anew(const struct plan_job *j, enum judge_what what, int64_t begun_anew);

bool judge_past_deadline(const struct plan_job *j, int64_t begin, int64_t now);

#endif
