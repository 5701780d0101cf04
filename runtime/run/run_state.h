/*
 * run_state.h - what is known about one run: the engine keeps it, the state file carries it, every
 * command shows it.
 *
 * A run is one job of a program, on this machine; its name is the job's.  Times are nanoseconds of
 * the real-time clock, 0 for not yet.
 */
#ifndef TRAINC_RUNTIME_RUN_RUN_STATE_H
#define TRAINC_RUNTIME_RUN_RUN_STATE_H

#include <sys/types.h>

#include "base/buf.h"
#include "runtime/run/last_words.h"
#include "runtime/run/rules.h"

/* Run states: docs/status.md.  A local run is never QUEUED, STALLED or ABSENT. */
enum run_phase {
	RUN_PENDING,                    /* nothing runs yet: it waits for start_after, or has just begun */
	RUN_STARTING,
	RUN_RUNNING,
	RUN_DEGRADED,                   /* a replica is between two attempts, or was within the last 60 s */
	RUN_FAILING,                    /* failed, while replicas are still stopping */
	RUN_FAILED,
	RUN_COMPLETING,                 /* succeeded, while replicas are still stopping */
	RUN_SUCCEEDED,
	RUN_SUSPENDED,
	RUN_TERMINATING,                /* somebody asked to stop it */
	RUN_UNKNOWN,                    /* its keeper is gone without a verdict, and objects do not tell */
	RUN_QUEUED,                     /* a queue holds it back */
	RUN_STALLED,                    /* does not get further by itself */
	RUN_ABSENT                      /* nothing of it is there */
};
const char *run_phase_word(enum run_phase phase);       /* "Running" */
bool run_phase_final(enum run_phase phase);             /* FAILED, SUCCEEDED, UNKNOWN: nothing will change */

/* A process, told apart from a later one with the same number. */
struct process_id {
	pid_t pid;                      /* 0: none */
	uint64_t start;                 /* field 22 of /proc/PID/stat */
};
/* Identifies a living process of ours; false when it is gone. */
bool process_identify(pid_t pid, struct process_id *ret);
/* Its parent (0: outside of our namespace) and its state, a letter of proc(5); -1 when it is gone. */
pid_t process_parent(pid_t pid, char *ret_state);
/* Is it still the same process, in this boot, and not a zombie? */
bool process_alive(const struct process_id *id, struct str boot_id);
/* /proc/sys/kernel/random/boot_id */
struct str boot_id_read(struct arena *a);

/* A stretch of a replica's life, for the time line. */
enum span_kind {
	SPAN_PENDING,                   /* waits for a place, or for its next attempt */
	SPAN_STARTING,                  /* has a node: images, mounts, init containers */
	SPAN_EARLIER,                   /* several attempts of which only the number is known */
	SPAN_RUNNING,
	SPAN_SUCCEEDED,                 /* ran, and ended so */
	SPAN_FAILED,
	SPAN_STOPPED                    /* ran, and was asked to end */
};
const char *span_kind_word(enum span_kind kind);        /* "pending" */
struct run_span {
	enum span_kind kind;
	int64_t begin, end;             /* end 0: it goes on */
};
enum { RUN_SPANS_MAX = 16 };            /* spans of a replica that a local run keeps: the newest ones */

/* The resources that the processes of a replica use on this machine. */
struct run_usage {
	bool known, rated;
	int64_t cpu;                    /* ns of processor time of the living processes, and of their children that
					 * have ended */
	double rate;                    /* valid when `rated`: processors in use lately */
	int64_t memory;                 /* bytes */
};

struct run_replica {
	int64_t index;
	enum replica_state state;
	struct process_id process;      /* process of the main container, while it runs */
	pid_t pid;                      /* process of the last attempt, kept for the record */
	int64_t attempts;               /* attempts begun so far: 1 when it runs for the first time */
	int64_t resumed;                /* how many of those attempts began because of a resumption */
	int64_t begin, end;             /* of the last attempt; 0: not yet */
	int exit_code;                  /* exit code of the last attempt that ended: 0 to 255 (128 + signal), or -1 */
	int signal;                     /* or 0 */
	int64_t again;                  /* when the next attempt is due, or 0 */
	struct str cause;               /* why it waits, or failed: "command not found: 'train'" */
	struct last_words words;        /* of this attempt (not in files) */
	struct str host;
	/* "http=20017,metrics=20018": numbers in a local run, which differ from the declared ones */
	struct str ports;
	struct str published;           /* in a local run: "http=6006", port and number at 127.0.0.1,
		as --publish says */
	struct str log;                 /* in a local run: the file with the output of its main container */
	struct run_span *spans;         /* in the order of their beginnings; in a local run one for each attempt */
	size_t nspans;
	struct run_usage usage;         /* when somebody has asked for it: run_watch_measure() (not in files) */
};

/* An attempt begins: appends a RUNNING span; room for all spans is taken from the arena once. */
void run_replica_span_begin(struct arena *a, struct run_replica *r, int64_t now);
/* Ends the last span, if it still goes on, with KIND. */
void run_replica_span_end(struct run_replica *r, enum span_kind kind, int64_t now);

struct run_role {
	struct str name;
	bool aux, elastic, endless;
	int64_t min, max, desired;      /* desired: how many should run now */
	struct run_replica *at;         /* max of them */
	/* cause of the role as a whole; empty: that of its replicas counts (not in files) */
	struct str cause;
};

/* Something besides the replicas that the run needs, in a cluster (not in files). */
struct run_object {
	struct str kind, name;
	enum run_phase phase;
	struct str cause;
	bool holds;                     /* the object may be the reason why no replica runs */
};

/* What a cluster reported about an object of the run (not in files). */
struct run_event {
	int64_t time, count;
	struct str kind, name, reason, message;
};

struct run_failure {
	bool known;
	struct str role;
	int64_t index;
	int exit_code, signal;
	struct str reason;              /* "exit code 3", "killed by SEGV", "deadline exceeded" */
	struct str *log;                /* the last lines of its log */
	size_t nlog;
	int64_t time;                   /* time of the failure, in a cluster; 0: unknown (not in files) */
};

struct run_state {
	struct str name, ns, framework;
	struct str file;                /* the program, as given on the command line */
	struct str isolate;             /* "none", "job", "replica" */
	struct str boot_id;
	struct process_id keeper;
	enum run_phase phase;
	struct str cause;               /* one line: why it has not come further, or why it ended */
	int64_t begin, end;
	struct str digest;              /* identity of the program as it was started, for comparison with another
					 * program */
	/* kept by run_state_observe() */
	enum run_phase observed;
	int64_t since;                  /* when it entered this phase */
	/* whether it counts as running, by the job's own rule: set by run_state_running() */
	bool running, restarting;
	int64_t ran, restarted;         /* when each condition last began to hold; 0: never */
	int64_t job_restarts;           /* how often the whole job was started again */
	uint64_t lost_bytes;            /* output that could not be written */
	int64_t removed_bytes;          /* output that was removed again, because a log has a limit */
	struct run_role *roles;
	size_t nroles;
	struct run_failure failure;     /* the first failing rank: docs/status.md */
	struct run_object *objects;
	size_t nobjects;
	struct run_event *events;       /* warnings, the newest first */
	size_t nevents;
};

/* To be called whenever the phase may have changed (run_save() does): notes since when it is what it is. */
void run_state_observe(struct run_state *s, int64_t now);
/* Does the job count as running, or as restarting? */
void run_state_running(struct run_state *s, bool running, bool restarting, int64_t now);

/* How many of a role's replicas are in which state. */
struct run_count {
	int64_t active, ready, succeeded, failed, restarts;
};
struct run_count run_count(const struct run_role *r);
const struct run_role *run_find_role(const struct run_state *s, struct str name);

/*
 * As a JSON document (schemaVersion 1) for the state and result files: everything
 * above, so that run_state_read() gives the same again.  One line.
 */
void run_state_write(const struct run_state *s, struct buf *out);
/* False with a sentence when the text is not one of ours. */
bool run_state_read(struct arena *a, struct str text, struct run_state *ret, struct str *why);

#endif
