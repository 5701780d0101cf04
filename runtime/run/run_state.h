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
/* The cause in the state of a run whose recorded verdict is all that is left. */
#define RUN_REMOVED "its objects have been removed since"
/* how the cause of an object ends that somebody has deleted or changed */
#define RUN_STRAYED " after it was applied"
/* how the cause of a role begins that may start, but that no command or controller starts */
#define RUN_UNATTENDED "no attendant starts"
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

struct run_replica {
	int64_t index;
	enum replica_state state;
	struct process_id process;      /* the process of the main container, while it runs */
	pid_t pid;                      /* number of the last attempt's process, for information */
	int64_t attempts;               /* number of attempts started so far; 1 during the first attempt */
	int64_t resumed;                /* number of attempts that started because the run was resumed */
	int64_t begin, end;             /* begin and end of the last attempt; 0: not yet */
	int exit_code;                  /* exit code of the last attempt that ended: 0 to 255 (128 + signal), or -1 */
	int signal;                     /* the signal that ended the last attempt that ended, or 0 */
	int64_t again;                  /* when the next attempt is due; 0: no attempt is due */
	struct str cause;               /* why the replica waits, or failed: "command not found: 'train'" */
	struct last_words words;        /* record of the current attempt's failure (not in files) */
	struct str host;
	/* in a local run: the ports in use, "http=20017,metrics=20018", which differ from the declared ones */
	struct str ports;
	struct str pod, ip, node;       /* in a cluster: the pod, its address, and where it runs (not in files) */
	struct str published;           /* in a local run: the ports published at 127.0.0.1 by --publish, "http=6006" */
	struct str log;                 /* in a local run: the file with the output of the replica's main container */
	struct run_span *spans;         /* the spans, in the order in which they began; in a local run one for each
					 * attempt */
	size_t nspans;
	struct run_usage usage;         /* set by run_watch_measure(), only on request (not in files) */
};

/* Starts a RUNNING span for a new attempt. The room for all spans is taken from the arena once. */
void run_replica_span_begin(struct arena *a, struct run_replica *r, int64_t now);
/* Ends the last span with KIND, if it has not ended yet. */
void run_replica_span_end(struct run_replica *r, enum span_kind kind, int64_t now);

struct run_role {
	struct str name;
	bool aux, elastic, endless;
	int64_t min, max, desired;      /* limits of the number of replicas, and the number that should run now */
	struct run_replica *at;         /* the replicas, max of them */
	/* cause of the role as a whole (not in files); empty: the causes of its replicas count */
	struct str cause;
};

/* An object in a cluster, other than a replica, that the run needs (not in files). */
struct run_object {
	struct str kind, name;
	enum run_phase phase;
	struct str cause;
	bool holds;                     /* the object may be the reason why no replica runs */
};

/* An Event that a cluster reported about an object of the run (not in files). */
struct run_event {
	int64_t time, count;
	struct str kind, name, reason, message;
};

struct run_failure {
	bool known;
	struct str role;
	int64_t index;
	int exit_code, signal;
	struct str reason;              /* why the rank failed: "exit code 3", "killed by SEGV", "deadline exceeded" */
	struct str *log;                /* the last lines of the rank's log */
	size_t nlog;
	int64_t time;                   /* time of the failure, in a cluster; 0: unknown (not in files) */
};

struct run_state {
	struct str name, ns, framework;
	struct str file;                /* the program's file, as given on the command line */
	struct str isolate;             /* isolation of a local run: "none", "job", "replica" */
	struct str boot_id;
	struct process_id keeper;
	enum run_phase phase;
	struct str cause;               /* why the run does not continue, or why it ended, in one line */
	/*
	 * length of the last part of `cause`, which names an object of an ended run that is being deleted (not in
	 * files)
	 */
	size_t deletion;
	int64_t begin, end;
	struct str digest;              /* identity of the program that was started, for comparison with another
					 * program */
	/* the phase at the last call of run_state_observe() */
	enum run_phase observed;
	int64_t since;                  /* when the run entered its phase */
	/* does the run count as running, or as restarting, by the job's own rule? Set by run_state_running() */
	bool running, restarting;
	int64_t ran, restarted;         /* when the run last began to count as running, and as restarting; 0: never */
	int64_t job_restarts;           /* number of times the whole job was started again */
	/* when all replicas of a local run will start again, at the earliest; 0: they will not */
	int64_t restarts_at;
	/* the run has failed in a cluster and must start again, and why (not in files) */
	bool restart_due;
	struct str restart_cause;
	uint64_t lost_bytes;            /* number of bytes of output that could not be written */
	int64_t removed_bytes;          /* number of bytes of output that were removed, because a log has a limit */
	struct run_role *roles;
	size_t nroles;
	struct run_failure failure;     /* the first failing rank: docs/status.md */
	struct run_object *objects;
	size_t nobjects;
	struct run_event *events;       /* warnings, newest first */
	size_t nevents;
};

/* Records when the run entered its phase. Must be called whenever the phase may have changed; run_save() does so. */
void run_state_observe(struct run_state *s, int64_t now);
/* Notes whether the job counts as running, and as restarting. */
void run_state_running(struct run_state *s, bool running, bool restarting, int64_t now);

/* The number of a role's replicas in each state. */
struct run_count {
	int64_t active, ready, succeeded, failed, restarts;
};
struct run_count run_count(const struct run_role *r);
const struct run_role *run_find_role(const struct run_state *s, struct str name);

/* A copy in A of the state and of everything that it points to. */
struct run_state run_state_copy(struct arena *a, const struct run_state *s);
/* A digest of the text that run_state_write() would write; equal states have equal digests. */
uint64_t run_state_digest(const struct run_state *s);

/*
 * Writes the state as a JSON document of one line (schemaVersion 1) for the state and result files. run_state_read()
 * restores everything except members marked "not in files".
 */
void run_state_write(const struct run_state *s, struct buf *out);
/* Reads a state; false with an explanation if the text was not written by run_state_write(). */
bool run_state_read(struct arena *a, struct str text, struct run_state *ret, struct str *why);

#endif
