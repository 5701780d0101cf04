/*
 * life.h - decides what to do next with the replicas of one job, given what has happened to them.
 *
 * Pure: no process, no clock. The caller, which runs the replicas, reports events and their times, and asks for orders
 * until no order is left. The same events at the same times give the same orders. Times are nanoseconds of one clock.
 *
 * The state of the run is a struct run_state; life fills in everything except facts that only the machine knows
 * (processes, hosts, logs).
 *
 * Rules: runtime/run/rules.h, docs/local.md.
 */
#ifndef TRAINC_RUNTIME_LOCAL_LIFE_H
#define TRAINC_RUNTIME_LOCAL_LIFE_H

#include "runtime/run/run_state.h"

#define SECOND INT64_C(1000000000)
#define LIFE_NEVER RULES_NEVER

enum life_limits {
	LIFE_GRACE_SECONDS = 10,                /* seconds between TERM and KILL, unless the role sets it */
	LIFE_REAP_SECONDS = 5,                  /* seconds after KILL until the process is given up */
	LIFE_DEGRADED_SECONDS = 60              /* seconds after a new attempt in which the run counts as Degraded */
};

struct life_size {                      /* the first size of an elastic role that does not start with its maximum */
	unsigned role;                  /* position of the role, or of the cell */
	bool cell;                      /* it is the number of copies of an elastic cell */
	int64_t n;
};
struct life_options {
	int64_t backoff;                /* ns before the second attempt; 0: ATTEMPT_DELAY_SECONDS */
	const struct life_size *sizes;
	size_t nsizes;
};

struct life;

/*
 * Starts the job, suspended if the program requests that. S gets its roles and replicas (from the arena) and is updated
 * from now on.
 */
struct life *life_new(struct arena *a, const struct plan_job *j, const struct life_options *o, struct run_state *s,
	int64_t now);

/* ---- events ---- */

/* Must be called when all containers of a replica run their programs. */
void life_started(struct life *l, unsigned role, int64_t i);
void life_ready(struct life *l, unsigned role, int64_t i);

/* The end of an attempt, of which no process is left. */
struct life_end {
	int64_t time;                   /* when the program of the replica ended, which may be before its other
					 * processes did */
	int exit_code;                  /* exit code, 0 to 255; 128 + the signal for a signal */
	int signal;                     /* the signal that ended the program; 0: no signal */
	bool init;                      /* an init container failed, to which `retry_on` does not apply */
	int64_t unready;                /* the attempt was ended because it was not ready after this number of seconds;
					 * 0: it was not ended for this reason */
};
void life_ended(struct life *l, unsigned role, int64_t i, const struct life_end *e);

/*
 * Reports that a replica cannot be started, and that another try would not help: the job fails. CAUSE must live as long
 * as the run.
 */
void life_refused(struct life *l, unsigned role, int64_t i, struct str cause, int64_t now);

/*
 * Reports that something outside of the program kept a replica from starting (its port was taken): the whole job
 * restarts, and this restart is not counted.
 */
void life_begin_anew(struct life *l, unsigned role, int64_t i, struct str cause);

/* Requests of the user; false with an explanation. */
bool life_stop(struct life *l, bool kill, struct str *why);
bool life_suspend(struct life *l, bool suspend, int64_t now, struct str *why);
bool life_scale(struct life *l, struct str role, int64_t n, struct str *why);
/* Reports the record that a process of the current attempt wrote about its own failure. */
void life_told(struct life *l, unsigned role, int64_t i, const struct last_words *words);
/*
 * Stops replica I of ROLE if it runs, and starts it with all its attempts still available; IN_PLACE: in the same pod.
 */
bool life_restart(struct life *l, struct str role, int64_t i, bool in_place, struct str *why);

/* ---- orders ---- */

enum life_order {
	LIFE_START,                     /* start a new pod: empty scratch space, init containers first */
	LIFE_START_IN_PLACE,            /* start the program again, in the existing pod */
	LIFE_TERM,
	LIFE_KILL,
	LIFE_GIVE_UP                    /* the process does not die: stop waiting for it */
};
struct life_action {
	enum life_order order;
	unsigned role;
	int64_t index;
};

/* Takes the next order; false if no order is left. All events of the same time should be reported before. */
bool life_next(struct life *l, int64_t now, struct life_action *ret);
/* The time at which to ask again even if no event comes; LIFE_NEVER: ask again only after an event. */
int64_t life_deadline(const struct life *l);
/*
 * The number of times that the job has started. When the first order of a new start is given, no process runs, so ports
 * may be changed.
 */
unsigned life_beginnings(const struct life *l);
/* Is the verdict known, and does no process run any more? */
bool life_over(const struct life *l);
/* A number that rises whenever the state may have changed. */
uint64_t life_version(const struct life *l);
void life_release(struct life *l);

#endif
