/*
 * life.h - what to do next with the replicas of one job, given what has happened to them.
 *
 * Pure: no process, no clock.  Whoever runs the replicas reports what happened and when, and asks
 * for orders until there are none; the same events at the same times give the same orders.  Times
 * are nanoseconds of one clock.
 *
 * The state of the run is a struct run_state; life fills in everything but what only the machine
 * knows (processes, hosts, logs).
 *
 * Rules: runtime/run/rules.h, docs/local.md.
 */
#ifndef TRAINC_RUNTIME_LOCAL_LIFE_H
#define TRAINC_RUNTIME_LOCAL_LIFE_H

#include "runtime/run/run_state.h"

#define SECOND INT64_C(1000000000)
#define LIFE_NEVER RULES_NEVER

enum life_limits {
	LIFE_GRACE_SECONDS = 10,                /* between TERM and KILL, unless the role sets it */
	LIFE_REAP_SECONDS = 5,                  /* after KILL: then the process is given up */
	LIFE_DEGRADED_SECONDS = 60              /* how long after a new attempt the run counts as Degraded */
};

struct life_size {                      /* an elastic role that does not start with its maximum */
	unsigned role;
	int64_t n;
};
struct life_options {
	int64_t backoff;                /* ns; 0: ATTEMPT_DELAY_SECONDS */
	const struct life_size *sizes;
	size_t nsizes;
};

struct life;

/*
 * The job begins, suspended if the program says so.  `s` gets its roles and
 * replicas (from the arena) and is filled in from now on.
 */
struct life *life_new(struct arena *a, const struct plan_job *j, const struct life_options *o, struct run_state *s,
	int64_t now);

/* ---- what happened ---- */

/* The processes of a replica exist; all of its containers run their programs. */
void life_started(struct life *l, unsigned role, int64_t i);
void life_ready(struct life *l, unsigned role, int64_t i);

/* Everything of an attempt is gone. */
struct life_end {
	int64_t time;                   /* when its program ended, not what it left */
	int exit_code;                  /* 0 to 255: 128 + the signal */
	int signal;                     /* or 0 */
	bool init;                      /* an init container failed: `retry_on` does not apply */
	int64_t unready;                /* seconds after which it was ended because it was not ready; 0: it was not */
};
void life_ended(struct life *l, unsigned role, int64_t i, const struct life_end *e);

/*
 * It could not be started at all, and trying again would not help: the job fails (F-48 of
 * docs/testing.md).  `cause` lives as long as the run.
 */
void life_refused(struct life *l, unsigned role, int64_t i, struct str cause, int64_t now);

/*
 * Something outside of the program kept a replica from starting (its port was taken): the whole
 * job begins again, and that is not counted.
 */
void life_begin_anew(struct life *l, unsigned role, int64_t i, struct str cause);

/* Requests; false with a sentence for the user. */
bool life_stop(struct life *l, bool kill, struct str *why);
bool life_suspend(struct life *l, bool suspend, int64_t now, struct str *why);
bool life_scale(struct life *l, struct str role, int64_t n, struct str *why);
/* What a process of the present attempt wrote about its own failure. */
void life_told(struct life *l, unsigned role, int64_t i, const struct last_words *words);
/* Stops replica I of ROLE if it runs, and starts it with all its attempts before it. */
bool life_restart(struct life *l, struct str role, int64_t i, struct str *why);

/* ---- what to do ---- */

enum life_order {
	LIFE_START,                     /* a new pod: empty scratch space, init containers first */
	LIFE_START_IN_PLACE,            /* the program once more, beside what is there */
	LIFE_TERM,
	LIFE_KILL,
	LIFE_GIVE_UP                    /* it does not die: wait no longer */
};
struct life_action {
	enum life_order order;
	unsigned role;
	int64_t index;
};

/* The next order; false when there is none.  All events of the same time should be reported first. */
bool life_next(struct life *l, int64_t now, struct life_action *ret);
/* When to ask again even if nothing happens; LIFE_NEVER. */
int64_t life_deadline(const struct life *l);
/* How often the job has begun.  At the first order of a new beginning nothing runs, so ports may be changed. */
unsigned life_beginnings(const struct life *l);
/* The verdict is known and nothing runs. */
bool life_over(const struct life *l);
/* Increases whenever the state may have changed. */
uint64_t life_version(const struct life *l);
void life_release(struct life *l);

#endif
