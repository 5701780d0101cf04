/*
 * run_state.h - the state of one run: the engine updates it, the state file stores it, every command shows it. A run is
 * one job of a program, and has the name of the job. Times are nanoseconds of the real-time clock; 0: not yet.
 */
#ifndef TRAINC_RUNTIME_RUN_RUN_STATE_H
#define TRAINC_RUNTIME_RUN_RUN_STATE_H

#include <sys/types.h>

#include "base/buf.h"
#include "runtime/run/last_words.h"
#include "runtime/run/rules.h"

/* Phases of a run: docs/status.md. A local run is never QUEUED, STALLED or ABSENT. */
enum run_phase {
	RUN_PENDING,                    /* no replica runs yet: the run waits for start_after, or has just started */
	RUN_STARTING,
	RUN_RUNNING,
	RUN_DEGRADED,                   /* a replica is between two attempts, or was within the last 60 s */
	RUN_FAILING,                    /* the run has failed, and replicas are still stopping */
	RUN_FAILED,
	RUN_COMPLETING,                 /* the run has succeeded, and replicas are still stopping */
	RUN_SUCCEEDED,
	RUN_SUSPENDED,
	RUN_TERMINATING,                /* somebody asked the run to stop */
	RUN_UNKNOWN,                    /* unknown: the keeper is gone without a verdict, or the objects do not show the
					 * state */
	RUN_QUEUED,                     /* a queue has not admitted the run yet */
	RUN_STALLED,                    /* the run cannot continue until a user acts */
	RUN_ABSENT                      /* no object of the run exists */
};
/* In the cause of a replica that succeeded after its pod was to be taken from its node. */
#define RUN_ENDED_WITH_0 "ended with 0 although it was stopped"
/* The cause of a run of this machine that somebody has stopped or deleted. */
#define RUN_STOPPED "stopped"
/* The cause in the state of a run whose recorded verdict is all that is left. */
#define RUN_REMOVED "its objects have been removed since"
/* how the cause of an object ends that somebody has deleted or changed */
#define RUN_STRAYED " after it was applied"
/* how the cause of a role begins that may start, but that no command or controller starts */
#define RUN_UNATTENDED "no attendant starts"
/* The controller of Volcano keeps the state of the run; what follows is its word for it. */
#define RUN_KEPT "Volcano says "
const char *run_phase_word(enum run_phase phase);       /* "Running" */
bool run_phase_final(enum run_phase phase);             /* FAILED, SUCCEEDED, UNKNOWN: the state is final */

/* Identifies a process: its start time distinguishes it from a later process with the same number. */
struct process_id {
	pid_t pid;                      /* number of the process; 0: no process */
	uint64_t start;                 /* start time: field 22 of /proc/PID/stat */
};
/* Fills in the identity of a living process; false when the process is gone. */
bool process_identify(pid_t pid, struct process_id *ret);
/*
 * The parent of a process (0: outside of our namespace). RET_STATE is the state of the process, a letter of proc(5).
 * Returns -1 if the process is gone.
 */
pid_t process_parent(pid_t pid, char *ret_state);
/* Is the process with this identity still running, in this boot, and not a zombie? */
bool process_alive(const struct process_id *id, struct str boot_id);
/* The text of /proc/sys/kernel/random/boot_id. */
struct str boot_id_read(struct arena *a);

/* The kinds of spans in a replica's life, for the time line. */
enum span_kind {
	SPAN_PENDING,                   /* the replica waits for a node, or for its next attempt */
	SPAN_STARTING,                  /* the replica has a node: images, mounts, init containers */
	SPAN_EARLIER,                   /* several attempts, of which nothing but the number is known */
	SPAN_RUNNING,
	SPAN_SUCCEEDED,                 /* the replica ran and succeeded */
	SPAN_FAILED,
	SPAN_STOPPED                    /* the replica ran and was asked to end */
};
const char *span_kind_word(enum span_kind kind);        /* "pending" */
struct run_span {
	enum span_kind kind;
	int64_t begin, end;             /* begin and end of the span; end 0: the span has not ended */
};
enum { RUN_SPANS_MAX = 16 };            /* number of spans of a replica that a local run keeps; older spans are
					 * dropped */

/* The resources that the processes of a replica use on this machine. */
struct run_usage {
	bool known, rated;
	int64_t cpu;                    /* processor time in ns of the living processes, and of their children that have
					 * ended */
	double rate;                    /* number of processors used recently; valid when `rated` */
	int64_t memory;                 /* memory in bytes */
};

/* The structs of a state: run_replica to run_state. Each member has a row there. */
#include "data/shape_structs.h"
#include "runtime/run/run_state.def"
#include "data/shape_end.h"

/* Starts a RUNNING span for a new attempt. The room for all spans is taken from the arena once. */
void run_replica_span_begin(struct arena *a, struct run_replica *r, int64_t now);
/* Ends the last span with KIND, if it has not ended yet. */
void run_replica_span_end(struct run_replica *r, enum span_kind kind, int64_t now);

/* Records when the run entered its phase. Must be called whenever the phase may have changed; run_save() does so. */
void run_state_observe(struct run_state *s, int64_t now);
/* Notes whether the job counts as running, and as restarting. */
void run_state_running(struct run_state *s, bool running, bool restarting, int64_t now);

/* The number of a role's replicas in each state. */
struct run_count {
	int64_t active, ready, succeeded, failed, restarts;
};
struct run_count run_count(const struct run_role *r);
/* Does a replica of any role run? */
bool run_is_active(const struct run_state *s);
/*
 * The role that NAME means: its name, or of a role of a cell CELL/COPY/ROLE, and CELL/COPY if the cell has one role;
 * NULL if there is none.
 */
const struct run_role *run_find_role(const struct run_state *s, struct str name);
/* The message that the run has no role NAME, with the ROLES that it has. */
struct str run_lacks_role(struct arena *a, struct str run, struct str name, const struct str *roles, size_t n);
/* Does ADDRESS mean the role, its cell, or its copy of the cell? */
bool run_role_meant(const struct run_role *r, struct str address);

/* A copy in A of the state and of everything that it points to. */
struct run_state run_state_copy(struct arena *a, const struct run_state *s);
/* A digest of the text that run_state_write() would write; equal states have equal digests. */
uint64_t run_state_digest(const struct run_state *s);

/*
 * Writes the state as a JSON document of one line (schemaVersion 1) for the state and result files. run_state_read()
 * restores the members that have IN_FILE in run_state.def.
 */
void run_state_write(const struct run_state *s, struct buf *out);
/* Reads a state; false with an explanation if the text was not written by run_state_write(). */
bool run_state_read(struct arena *a, struct str text, struct run_state *ret, struct str *why);

#endif
