/*
 * loop.h - the event loop of the cluster runtime: descriptors, timers, signals and child processes over one epoll.
 * Everything happens in the thread that calls loop_run(). The structs below belong to the caller, usually inside a
 * larger struct, and must not be moved while they are armed. A callback may arm, disarm and free anything, including
 * itself. loop_new() and the functions that take a descriptor return NULL or false with errno set if the kernel
 * refuses.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_LOOP_H
#define TRAINC_RUNTIME_CLUSTER_LOOP_H

#include <signal.h>
#include <sys/types.h>

#include "base/buf.h"

struct loop;

/* Creates a loop in which nothing is armed yet. */
struct loop *loop_new(void);
void loop_release(struct loop *l);

/* Waits for events and calls back until loop_stop(), or until nothing is armed any more. */
void loop_run(struct loop *l);
/* Ends loop_run() after the current callback has returned; the loop can run again. */
void loop_stop(struct loop *l);
/*
 * A descriptor for a caller that has its own poll: it is readable when an event or a timer is due. loop_turn() then
 * does one round without waiting.
 */
int loop_descriptor(struct loop *l);
void loop_turn(struct loop *l);
/* The current time by the clock of the timers: monotonic nanoseconds, read once per round. */
int64_t loop_now(struct loop *l);

/* ---- descriptors ---- */

struct loop_fd {
	int fd;                         /* the descriptor; -1: not armed. It must be -1 before the first use */
	unsigned events;                /* events to wait for: EPOLLIN, EPOLLOUT */
	void (*ready)(struct loop_fd *f, unsigned events);
	void *to;                       /* for the caller's use */
};

/* Arms F for the EVENTS of FD, or changes the events if F is armed. The caller still owns the descriptor. */
bool loop_fd_set(struct loop *l, struct loop_fd *f, int fd, unsigned events);
/* Disarms F; harmless if F is not armed.  Must be called before the descriptor is closed. */
void loop_fd_drop(struct loop *l, struct loop_fd *f);

/* ---- timers ---- */

struct loop_timer {
	int64_t at;                     /* when the timer fires, by loop_now() */
	size_t slot;                    /* private to loop.c: position in the heap + 1; 0: the timer is not armed */
	void (*fire)(struct loop_timer *t);
	void *to;
};

/* Arms T to fire once, NS nanoseconds from now. If T is armed, its time changes. */
void loop_timer_set(struct loop *l, struct loop_timer *t, int64_t ns);
/* Disarms T; harmless if T is not armed. */
void loop_timer_drop(struct loop *l, struct loop_timer *t);
static inline bool loop_timer_armed(const struct loop_timer *t) { return t->slot != 0; }

/* ---- signals ---- */

/*
 * Blocks the signals of SET in this process and calls HEARD for each one that arrives. Only one set can be active.
 * Child processes started with loop_child_start() get the previous signal mask.
 */
bool loop_signals(struct loop *l, const sigset_t *set, void (*heard)(void *to, int signal), void *to);

/* Restores the old dispositions of the signals; loop_signals() may be called again. */
void loop_signals_drop(struct loop *l);

/* ---- child processes ---- */

struct loop_child {
	pid_t pid;                      /* process of the child; 0: the child is not running */
	struct loop_fd pidfd;
	void (*ended)(struct loop_child *c, int wait_status);
	void *to;
	struct loop *loop;
};

/*
 * Starts ARGV[0] (found in PATH if it contains no '/') with the environment ENV and these descriptors as 0, 1 and 2,
 * without a shell. Returns 0, or the errno of fork or exec.
 */
int loop_child_start(struct loop *l, struct loop_child *c, char *const *argv, char *const *env, const int fds[3]);
/* Kills and reaps a child that still runs, without calling ENDED. */
void loop_child_kill(struct loop *l, struct loop_child *c);

#endif
