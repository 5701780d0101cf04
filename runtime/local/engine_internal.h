/*
 * engine_internal.h - what engine.c (the loop) and replica.c (the processes of
 * one replica) share.
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
struct watch {                          /* what epoll stores for a descriptor */
	enum watch_kind kind;
	struct container *container;    /* OUTPUT, REPORT */
};

/* Probes that find out whether a container is ready: probe.c. */
struct probing {
	pid_t pid;                      /* process of the running probe; 0: none */
	int64_t due, pause;             /* when the next probe is due, and the pause after the one before */
	int64_t until;                  /* when the container's time is over; 0: there are no probes */
	bool overdue;                   /* its time is over, and it was asked to end: KILL follows at `until` */
};

struct replica;
struct container {
	struct replica *replica;
	size_t k;                       /* position among the role's containers */
	pid_t pid;                      /* 0: no process */
	struct container *same_slot;    /* next one in the slot of the table of processes */
	int output, report;             /* ends of pipes, or -1 */
	struct watch output_watch, report_watch;
	struct log_writer log;
	bool logs;                      /* `log` is open */
	uint64_t attempt_at;            /* length of the log when its last process began */
	struct str command;             /* its first word, for messages */
	int64_t again, series, begin;   /* for a sidecar that ended: when it starts again */
	struct probing probe;
	int64_t unready;                /* number of seconds after which it was ended because it was not ready; 0: it
					 * was not ended */
};

enum replica_phase {
	PHASE_IDLE,
	PHASE_STARTING,                 /* containers start one after the other: `next` */
	PHASE_RUNS,
	/* the main container has ended, or an init has failed; others have been told to stop */
	PHASE_STOPPING,
	PHASE_GONE                      /* everything has ended, and that has not been reported yet */
};

struct replica {
	unsigned role;
	int64_t index;
	enum replica_phase phase;
	struct container *containers;
	size_t ncontainers, next;
	struct life_end end;
	struct str refused;             /* not empty: why it cannot be started */
	int64_t patience;               /* STOPPING: when the rest is killed, then given up; 0: never */
	bool asked, killed;             /* it was asked to stop; it was killed */
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
	struct processors *processors;  /* NULL: nothing is pinned */
	struct places *places;
	struct isolation *iso;

	struct replica *replicas;       /* in the order of places_number() */
	size_t nreplicas;
	struct container **table;       /* processes by number */
	size_t table_size;
	size_t gone;                    /* replicas in PHASE_GONE */
	size_t probing;                 /* number of containers that are probed */

	int epoll, signals, logs;
	struct spawn_low low;
	struct watch signal_watch, control_watch, lifeline_watch, forward_watch;
	struct control *control;
	struct forward *forward;        /* NULL: no port is published */
	int64_t *host_ports;            /* port of this machine for each of options->published; NULL: none was taken */
	uint64_t mark;                  /* mark of the run, by which its processes are recognized (mark.h) */
	struct rlimit files;            /* the caller's limit, which children get back */
	pid_t self;
	int64_t clock_offset;           /* real time minus time since boot, at the start */
	int64_t now;
	int64_t heard;                  /* when the last words of all were read */
	int64_t directory_due;          /* when to look again whether the directory of the run exists */
	bool removed;                   /* the directory was removed */
	uint64_t told;                  /* version of the life that was last reported */
	int64_t tell_after;
	bool more;                      /* orders are left that need no event: clients are served before the next
					 * ones */
	bool changed;                   /* something other than the life has changed */
	int reserve;                    /* descriptor of a file that reserves room for the state */
	off_t reserved;
	off_t given;                    /* bytes taken from the reserve for the last output of programs */
	unsigned collisions, beginnings;
	unsigned interrupts;            /* number of signals that asked to stop */
	char *chunk;                    /* buffer for one read */
};

enum { CHUNK = 64 * 1024 };

struct replica *engine_replica(const struct engine *e, unsigned role, int64_t i);
struct run_replica *engine_run_replica(const struct engine *e, const struct replica *r);
bool engine_watch(struct engine *e, int fd, struct watch *w);
void engine_unwatch(struct engine *e, int *fd);

/* ---- tell.c ---- */

/* Before anything starts: reserves room for the verdict.  False with a sentence. */
bool tell_open(struct engine *e, struct str *why);
/* Save the state, and publish it. */
void tell_state(struct engine *e);
/* Gives output N bytes of the reserved room when the disk is full, as long as half of it stays. */
void tell_give(struct engine *e, off_t n);
/* Has anything changed, and may it be published now?  That is at most twenty times a second, and less often
 * where it takes long. */
bool tell_due(const struct engine *e, int64_t *ret_when);
void tell_close(struct engine *e);

/* ---- replica.c ---- */

void replica_init(struct engine *e, struct replica *r, unsigned role, int64_t index);
/* Begins an attempt; `fresh`: in a new pod. */
void replica_start(struct engine *e, struct replica *r, bool fresh);
/* Sends TERM to its program; the other processes follow when the program has ended. */
void replica_stop(struct engine *e, struct replica *r);
/* Sends KILL to all of its processes. */
void replica_kill(struct engine *e, struct replica *r);
/* Its processes cannot be killed: gives them up. */
void replica_abandon(struct engine *e, struct replica *r);
/* Handles the time: restarts sidecars, kills what had its grace period.  Returns when to call it again. */
int64_t replica_tick(struct engine *e, struct replica *r);
void replica_output(struct engine *e, struct container *c);
void replica_report(struct engine *e, struct container *c);
/*
 * A process of it has ended and is not reaped yet, so that its number is still taken.  `exit_code`
 * is 128 + a signal.
 */
void replica_ended(struct engine *e, struct container *c, int exit_code, int signal);
struct container *container_of(const struct engine *e, pid_t pid);
/* A running container counts as ready from now on: containers that wait for it start. */
void replica_container_ready(struct engine *e, struct container *c);
void replica_release(struct engine *e, struct replica *r);
/* The last lines of what it printed. */
void replica_tail(struct engine *e, const struct replica *r, struct str **lines, size_t *n);

/* ---- probe.c ---- */

/* The program of the container runs: probes it until it is ready. */
void probe_begin(struct engine *e, struct container *c);
/* Stops probing. */
void probe_stop(struct engine *e, struct container *c);
/* Handles the time.  Returns when to call it again. */
int64_t probe_tick(struct engine *e, struct container *c);
/*
 * A process has ended, and is not reaped yet.  If it was a probe that makes its container ready, returns that
 * container, which is probed no more; else NULL.
 */
struct container *probe_ended(struct engine *e, pid_t pid, int exit_code);

#endif
