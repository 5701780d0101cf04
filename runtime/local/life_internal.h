/*
 * life_internal.h - what life.c (what to do) and life_describe.c (how to describe it) share.
 */
#ifndef TRAINC_RUNTIME_LOCAL_LIFE_INTERNAL_H
#define TRAINC_RUNTIME_LOCAL_LIFE_INTERNAL_H

#include "runtime/local/life.h"
#include "runtime/run/judge.h"

enum process { PROCESS_GONE, PROCESS_RUNS, PROCESS_ASKED, PROCESS_KILLED };

struct unit {                           /* what life keeps of a replica besides its run_replica */
	enum process process;
	bool ours;                      /* it was told to stop, so how it ends does not count */
	bool restart;                   /* it was told to stop and begin again */
	bool in_place;                  /* the next attempt keeps the pod */
	int64_t failures;               /* failed attempts that counted against `retries` */
	int64_t series;                 /* failures in a row: they decide how long to wait */
	int64_t due;                    /* ASKED, KILLED: when the grace period ends */
};

struct life_part {                           /* a role */
	const struct plan_role *plan;
	struct run_role *run;
	struct unit *units;
	enum replica_state *states;     /* as conditions see them */
	int64_t grace;
	struct judge_role *judged;      /* what the judge sees of the role */
	bool *present;                  /* which of its replicas have processes, for the judge */
	bool required;                  /* a failure of the role is a failure of the job */
};

enum mode {
	MODE_GOING,
	MODE_SUSPENDED,
	MODE_ANEW,                      /* everything stops, then begins again */
	MODE_ENDING                     /* the verdict is known */
};

struct life {
	struct arena *arena;
	struct arena words;             /* memory of `cause`, until it is set again */
	const struct plan_job *job;
	struct run_state *state;
	struct life_part *parts;             /* one for each role */
	struct role_states *seen;       /* the states of all parts */
	enum mode mode;
	bool succeeded, asked_to_stop;  /* ENDING: the verdict */
	bool stop_all, kill;            /* ENDING: everything ends, whatever `clean` says, and without grace */
	struct str reason;              /* ANEW, ENDING: why */
	int64_t backoff;
	int64_t anew_at;                /* ANEW: the job does not begin again before this time */
	struct judge_facts facts;
	int64_t degraded_until;
	unsigned beginnings;

	struct life_action *queue;
	size_t at, n;
	bool changed;
	uint64_t version;
	int64_t deadline;
};

/* Sets phase and cause from everything else.  Lowers the deadline to when they change by themselves. */
void life_describe(struct life *l, int64_t now);
/* Sets the replica to blame: section 4, last paragraph. */
void life_blame(struct life *l);

bool life_runs_any(const struct life *l);
static inline void life_wake(struct life *l, int64_t at)
{
	if (at < l->deadline)
		l->deadline = at;
}

#endif
