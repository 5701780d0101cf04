/*
 * engine_internal.h - shared by engine.c (the loop) and replica.c (the processes of one replica).
 */
#ifndef TRAINC_RUNTIME_LOCAL_ENGINE_INTERNAL_H
#define TRAINC_RUNTIME_LOCAL_ENGINE_INTERNAL_H

#include <sys/resource.h>

#include "runtime/local/engine.h"
#include "runtime/local/launch.h"
#include "runtime/local/life.h"
#include "runtime/local/log_file.h"
#include "runtime/local/processors.h"
#include "runtime/local/spawn.h"

enum watch_kind { WATCH_SIGNALS, WATCH_CONTROL, WATCH_LIFELINE, WATCH_FORWARD, WATCH_OUTPUT, WATCH_REPORT };

struct container;
struct watch {                          /* the value that epoll stores for a descriptor */
	enum watch_kind kind;
	struct container *container;    /* for OUTPUT and REPORT: the container */
};

/* The state of the probes that find out whether a container is ready: probe.c. */
struct probing {
	pid_t pid;                      /* process of the running probe; 0: no probe is running */
	int64_t due, pause;             /* when the next probe is due; the pause before that probe */
	int64_t until;                  /* when the time for becoming ready is over; 0: the container has no probes */
	bool overdue;                   /* the time is over and the container was asked to end: the container is killed
					 * at `until` */
};

struct replica;
struct container {
	struct replica *replica;
	size_t k;                       /* position among the containers of the role */
	pid_t pid;                      /* process of the container; 0: the container has no process */
	struct container *same_slot;    /* the next container in the same slot of the table of processes */
	int output, report;             /* our ends of the pipes to the container, or -1 */
	struct watch output_watch, report_watch;
	struct log_writer log;
	bool logs;                      /* `log` has been opened */
	uint64_t attempt_at;            /* length of the log when the last process of the container started */
	struct str command;             /* first word of the container's command, for messages */
	int64_t again, series, begin;   /* for a sidecar that has ended: when it starts again, number of consecutive
					 * ends, start of its last process */
	struct probing probe;
	int64_t unready;                /* the container was ended because it was not ready after this number of
					 * seconds; 0: it was not ended for this reason */
};

enum replica_phase {
	PHASE_IDLE,
	PHASE_STARTING,                 /* containers start one after the other; `next` is the next one */
	PHASE_RUNS,
	/* the main container has ended or an init container has failed; the others have been asked to stop */
	PHASE_STOPPING,
	PHASE_GONE                      /* all processes have ended, but that has not been reported to life yet */
};

struct replica {
	unsigned role;
	int64_t index;
	enum replica_phase phase;
	struct container *containers;
	size_t ncontainers, next;
	struct life_end end;
	struct str refused;             /* why the replica cannot be started; empty: it can be started */
	int64_t patience;               /* STOPPING: the time at which the remaining processes are killed and, later,
					 * given up; 0: never */
	bool asked, killed;             /* the replica was asked to stop; it was killed */
};

struct engine {
	struct arena *arena;
	const struct plan_job *job;
	const struct engine_options *options;
	struct run_dir dir;
	struct run_state *state;
	struct life *life;
	struct launch *launch;
	struct devices *devices;
	struct processors *processors;  /* NULL: processors are not pinned */
	struct places *places;
	struct isolation *iso;

	struct replica *replicas;       /* the replicas, in the order of places_number() */
	size_t nreplicas;
	struct container **table;       /* containers by the number of their process */
	size_t table_size;
	size_t gone;                    /* number of replicas in PHASE_GONE */
	/* until when to wait for killed processes that replicas in PHASE_GONE left behind; 0: none is left */
	int64_t patience;
	size_t probing;                 /* number of containers that are probed */

	int epoll, signals, logs;
	struct spawn_low low;
	struct watch signal_watch, control_watch, lifeline_watch, forward_watch;
	struct control *control;
	struct forward *forward;        /* forwards connections to published ports; NULL: no port is published */
	int64_t *host_ports;            /* for each of options->published, its port on this machine; NULL: no ports were
					 * taken */
	uint64_t mark;                  /* mark of the run, by which its processes are recognized (mark.h) */
	struct rlimit files;            /* the caller's limit of descriptors, which is set again in children */
	pid_t self;
	int64_t clock_offset;           /* difference between the real time and the time since boot, measured at the
					 * start */
	int64_t now;
	int64_t heard;                  /* when the last words of all replicas were last read */
	int64_t directory_due;          /* when to check again whether the directory of the run exists */
	bool removed;                   /* the directory was removed */
	uint64_t told;                  /* version of the life whose state was last published */
	int64_t tell_after;
	bool more;                      /* orders are pending that need no event; clients are served before the engine
					 * carries out these orders */
	bool changed;                   /* something outside of the struct life has changed */
	int reserve;                    /* descriptor of a file that reserves disk space for the state */
	off_t reserved;
	off_t given;                    /* number of bytes taken from the reserve for the last output of programs */
	unsigned collisions, beginnings;
	unsigned interrupts;            /* number of signals that asked to stop */
	char *chunk;                    /* buffer for reading */
};

enum { CHUNK = 64 * 1024 };

struct replica *engine_replica(const struct engine *e, unsigned role, int64_t i);
struct run_replica *engine_run_replica(const struct engine *e, const struct replica *r);
bool engine_watch(struct engine *e, int fd, struct watch *w);
void engine_unwatch(struct engine *e, int *fd);

/* ---- tell.c ---- */

/* Reserves disk space for the verdict, before anything starts. On failure, returns false with an explanation. */
bool tell_open(struct engine *e, struct str *why);
/* Saves the state and publishes it. */
void tell_state(struct engine *e);
/*
 * If the disk is full, releases N bytes of the reserved space for output, as long as half of the reserved space is
 * left.
 */
void tell_give(struct engine *e, off_t n);
/*
 * Has anything changed, and may the state be published now? States are published at most twenty times a second, and
 * less often if publishing takes long.
 */
bool tell_due(const struct engine *e, int64_t *ret_when);
void tell_close(struct engine *e);

/* ---- replica.c ---- */

void replica_init(struct engine *e, struct replica *r, unsigned role, int64_t index);
/* Starts an attempt; FRESH: in a new pod. */
void replica_start(struct engine *e, struct replica *r, bool fresh);
/* Sends TERM to the program of the replica; its other processes are ended after the program. */
void replica_stop(struct engine *e, struct replica *r);
/* Sends KILL to all processes of the replica. */
void replica_kill(struct engine *e, struct replica *r);
/* Gives up the processes of the replica, because they cannot be killed. */
void replica_abandon(struct engine *e, struct replica *r);
/*
 * Handles everything that is due: restarts sidecars, kills processes whose grace period is over. Returns the time of
 * the next call.
 */
int64_t replica_tick(struct engine *e, struct replica *r);
void replica_output(struct engine *e, struct container *c);
void replica_report(struct engine *e, struct container *c);
/*
 * Handles a process of the replica that has ended. The process is not reaped yet, so its number cannot belong to
 * another process. EXIT_CODE is 128 + the signal if a signal ended the process.
 */
void replica_ended(struct engine *e, struct container *c, int exit_code, int signal);
struct container *container_of(const struct engine *e, pid_t pid);
/* Marks a running container as ready, and starts the containers that wait for it. */
void replica_container_ready(struct engine *e, struct container *c);
void replica_release(struct engine *e, struct replica *r);
/* Copies the last lines that the replica printed. */
void replica_tail(struct engine *e, const struct replica *r, struct str **lines, size_t *n);

/* ---- probe.c ---- */

/* Starts to probe a container whose program runs, until it is ready. */
void probe_begin(struct engine *e, struct container *c);
/* Stops probing. */
void probe_stop(struct engine *e, struct container *c);
/* Handles all probes that are due. Returns the time of the next call. */
int64_t probe_tick(struct engine *e, struct container *c);
/*
 * Handles a process that has ended and is not reaped yet. If the process was a probe that makes its container ready,
 * stops probing and returns that container; else returns NULL.
 */
struct container *probe_ended(struct engine *e, pid_t pid, int exit_code);

#endif
