/*
 * descendants.h - processes that the programs of replicas have started, found through /proc:
 * daemons that left their process group, and their own children.
 */
#ifndef TRAINC_RUNTIME_LOCAL_DESCENDANTS_H
#define TRAINC_RUNTIME_LOCAL_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum descendant {
	DESCENDANT_SPARE,               /* leave the process and everything below it alone */
	DESCENDANT_PASS,                /* leave it, look below it */
	DESCENDANT_KILL                 /* kill it and everything below it */
};

/*
 * Asks about each process below `of`, from the top.  Returns how many were killed; those that had
 * ended already do not count.
 */
size_t descendants_kill(pid_t of, enum descendant (*judge)(void *context, pid_t pid), void *context);

/* Had the process this entry ("NAME=value") in its environment when it was started? */
bool process_has_variable(pid_t pid, const char *entry);

#endif
