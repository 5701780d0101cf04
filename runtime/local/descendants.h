/*
 * descendants.h - what the programs of replicas have started, found through
 * /proc: daemons that left their process group, and what they started in turn.
 */
#ifndef TRAINC_RUNTIME_LOCAL_DESCENDANTS_H
#define TRAINC_RUNTIME_LOCAL_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum descendant {
	DESCENDANT_SPARE,               /* leave it and everything below it alone */
	DESCENDANT_PASS,                /* leave it, look below it */
	DESCENDANT_KILL                 /* kill it and everything below it */
};

/* Judge the processes below `of`, from the top.  Returns how many were killed; those that have ended already do not count. */
size_t descendants_kill(pid_t of, enum descendant (*judge)(void *context, pid_t pid), void *context);

/* Does the environment that a process was started with hold this entry ("NAME=value")? */
bool process_has_variable(pid_t pid, const char *entry);

#endif
