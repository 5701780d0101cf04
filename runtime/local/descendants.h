/*
 * descendants.h - finds processes that the programs of replicas have started, through /proc: daemons that left their
 * process group, and their children.
 */
#ifndef TRAINC_RUNTIME_LOCAL_DESCENDANTS_H
#define TRAINC_RUNTIME_LOCAL_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum descendant {
	DESCENDANT_SPARE,               /* spare the process and everything below it */
	DESCENDANT_PASS,                /* spare the process, but examine the processes below it */
	DESCENDANT_KILL                 /* kill the process and everything below it */
};

/*
 * Calls JUDGE for each process below OF, from the top. Returns the number of processes that were killed; processes that
 * had already ended do not count.
 */
size_t descendants_kill(pid_t of, enum descendant (*judge)(void *context, pid_t pid), void *context);

/* Did the environment of the process contain this entry ("NAME=value") when it was started? */
bool process_has_variable(pid_t pid, const char *entry);

#endif
