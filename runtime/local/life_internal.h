/* life_internal.h - shared by life.c, which decides what to do, and life_describe.c, which describes the state. */
#ifndef TRAINC_RUNTIME_LOCAL_LIFE_INTERNAL_H
#define TRAINC_RUNTIME_LOCAL_LIFE_INTERNAL_H

#include "runtime/local/life.h"
#include "runtime/run/judge.h"

enum process { PROCESS_GONE, PROCESS_RUNS, PROCESS_ASKED, PROCESS_KILLED };

struct unit {                           /* the facts about a replica that its run_replica does not contain */
	enum process process;
	bool ours;                      /* the replica was asked to stop, so its exit code does not count */
	bool restart;                   /* the replica was asked to stop and restarts after that */
	bool stays;                     /* that restart is in the same pod */
	bool in_place;                  /* the next attempt is in the same pod */
	int64_t failures;               /* number of failed attempts that count against `retries` */
	int64_t series;                 /* number of consecutive failures, which decides how long to wait */
	int64_t due;                    /* ASKED, KILLED: end of the grace period */
};

struct life_copy {                      /* a copy of a cell, which may restart by itself */
	const struct plan_cell *cell;
	int64_t restarts;               /* number of its restarts so far */
	int64_t series;                 /* number of consecutive ones, which decides how long to wait */
	int64_t begun;                  /* when it restarted last */
	bool anew;                      /* it stops, and then restarts */
	int64_t anew_at;                /* earliest time at which it restarts */
	struct str cause;               /* why it does */
};

struct life_part {                           /* a role of the job */
	struct life_copy *copy;         /* the copy to which the role belongs; NULL: it is in no cell */
	const struct plan_role *plan;
	struct run_role *run;
	struct unit *units;
	enum replica_state *states;     /* states of the replicas, as conditions see them */
	int64_t grace;
	struct judge_role *judged;      /* the role as the judge sees it */
	bool *present;                  /* for the judge: does each replica have processes? */
	bool required;                  /* a failure of the role is a failure of the job */
};

enum mode {
	MODE_GOING,
	MODE_SUSPENDED,
	MODE_ANEW,                      /* everything stops, then the job restarts */
	MODE_ENDING                     /* the verdict is known, and replicas are stopping */
};

struct life {
	struct arena *arena;
	struct arena words;             /* memory of `cause`, until it is set again */
	const struct plan_job *job;
	struct run_state *state;
	struct life_part *parts;             /* one part for each role */
	struct role_states *seen;       /* the states of all parts */
	enum mode mode;
	bool succeeded, asked_to_stop;  /* ENDING: the verdict */
	bool stop_all, kill;            /* ENDING: end every replica, whatever `clean` says; end without a grace
					 * period */
	struct str reason;              /* ANEW, ENDING: the reason */
	int64_t backoff;
	int64_t anew_at;                /* ANEW: earliest time at which the job restarts */
	struct judge_facts facts;
	int64_t degraded_until;
	/* the replica that restarted last; NULL: a copy or the whole job restarted */
	const struct life_part *degraded_by;
	int64_t degraded_index;
	unsigned beginnings;

	struct life_action *queue;
	size_t at, n;
	bool changed;
	uint64_t version;
	int64_t deadline;
};

/*
 * Sets phase and cause from all other facts. If these two will change at a certain time without an event, sets the
 * deadline to that time, unless the deadline is earlier.
 */
void life_describe(struct life *l, int64_t now);
/* Finds the replica that failed first, in COPY or anywhere, and notes it as the reason why the run failed. */
void life_blame(struct life *l, const struct life_copy *copy);

bool life_runs_any(const struct life *l);
static inline void life_wake(struct life *l, int64_t at)
{
	if (at < l->deadline)
		l->deadline = at;
}

#endif
