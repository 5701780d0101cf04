/*
 * spawn.h - starts one process of a container from a complete description. The child has its own session and process
 * group, standard input from /dev/null, both outputs into one pipe, default signals, and no other descriptors. It dies
 * when its parent dies. If it cannot execute the program, it reports the reason through a pipe that exec closes.
 */
#ifndef TRAINC_RUNTIME_LOCAL_SPAWN_H
#define TRAINC_RUNTIME_LOCAL_SPAWN_H

#include <sched.h>
#include <sys/resource.h>

#include "runtime/local/isolate.h"

/*
 * Descriptors that a keeper opens before all others, so that their numbers are low: while a child starts, its
 * descriptors take these numbers.
 */
struct spawn_low {
	int null;                       /* /dev/null */
	int output, report;             /* the child's ends of two pipes; /dev/null between starts */
	int begun;                      /* an eventfd, with which the child reports that it has its own descriptors */
	int last;                       /* the highest of these descriptors */
	bool usable;                    /* a child can be started with copies of the low descriptors only */
};
/* Opens the descriptors; false with errno. Even on failure, they must be closed with spawn_low_close(). */
bool spawn_low_open(struct spawn_low *low);
void spawn_low_close(struct spawn_low *low);

struct spawn {
	const char *const *candidates;  /* files to try, ended by NULL; the first one that can be executed is used */
	char *const *argv, *const *envp;
	const char *cwd;
	struct isolation *isolation;
	size_t replica;
	const struct sandbox *box;      /* view of the files; may be empty, but not NULL */
	struct rlimit files;            /* RLIMIT_NOFILE of the child */
	const cpu_set_t *cpus;          /* processors on which the child may run; NULL: all that this process may use */
	uint64_t mark;                  /* the replica's mark (mark.h) */
	const struct spawn_low *low;    /* the keeper's low descriptors */
	int output;                     /* descriptor that becomes standard output and standard error */
	unsigned seconds;               /* seconds after which an alarm ends the child; 0: never */
	/* function that the child runs instead of a program, and that returns its exit status; NULL: the program */
	int (*instead)(const void *);
	const void *context;
};

struct spawned {
	pid_t pid;
	int report;                     /* readable when the program has started or has failed to start */
};
/* Starts the child; false with errno if no child was started. */
bool spawn_start(const struct spawn *s, struct spawned *ret);

/* Reads and closes the report. True: the program runs. Otherwise returns false with an explanation. */
bool spawn_report(struct arena *a, const struct spawned *s, struct str command, struct str *why);

#endif
