/*
 * spawn.h - one process of a container: from a complete description to a running program.
 *
 * The child has a session and a process group of its own, standard input from /dev/null, both
 * outputs into one pipe, no other descriptor and default signals, and dies when its parent does.
 * If it cannot run the program, it reports why through a pipe that exec closes.
 */
#ifndef TRAINC_RUNTIME_LOCAL_SPAWN_H
#define TRAINC_RUNTIME_LOCAL_SPAWN_H

#include <sched.h>
#include <sys/resource.h>

#include "runtime/local/isolate.h"

/*
 * Descriptors that a keeper opens before all others, so that their numbers are low: what a child
 * needs is put there while it starts.
 */
struct spawn_low {
	int null;                       /* /dev/null */
	int output, report;             /* the child's ends of two pipes; /dev/null between starts */
	int begun;                      /* an event: the child has descriptors of its own */
	int last;                       /* the highest of these */
	bool usable;                    /* a child can take the low ones alone */
};
/* False with errno; closed by spawn_low_close() even then. */
bool spawn_low_open(struct spawn_low *low);
void spawn_low_close(struct spawn_low *low);

struct spawn {
	const char *const *candidates;  /* files to execute: the first that can be; NULL at the end */
	char *const *argv, *const *envp;
	const char *cwd;
	struct isolation *isolation;
	size_t replica;
	const struct sandbox *box;      /* never NULL; may be empty */
	struct rlimit files;            /* RLIMIT_NOFILE of the child */
	const cpu_set_t *cpus;          /* processors on which it may run; NULL: all that we may use */
	uint64_t mark;                  /* the replica's mark (mark.h) */
	const struct spawn_low *low;    /* of the keeper */
	int output;                     /* becomes standard output and error */
	unsigned seconds;               /* seconds after which an alarm ends it; 0: never */
	/* a function that the child runs instead of a program, giving its exit status; NULL: the program */
	int (*instead)(const void *);
	const void *context;
};

struct spawned {
	pid_t pid;
	int report;                     /* readable when the program runs, or when it never will */
};
/* False with errno: there is no child. */
bool spawn_start(const struct spawn *s, struct spawned *ret);

/* Reads and closes the report.  True: the program runs.  False with a sentence about why not. */
bool spawn_report(struct arena *a, const struct spawned *s, struct str command, struct str *why);

#endif
