/*
 * restriction.h - gives up rights of this process that it does not need any more, for good. Programs, manifests and
 * messages of editors are written by others. If one of them made a mistake in this code do something else than it
 * should, the system would refuse to start a process, to open a connection, or to write a file that was not named.
 *
 * The filter of system calls (seccomp) is a list of what is permitted: reading files, memory, clocks, open descriptors.
 * Landlock limits the directories in which files may be written. Each is used if the kernel has it; without it, nothing
 * is refused, and nothing is reported, because the commands do the same with and without.
 */
#ifndef TRAINC_BASE_RESTRICTION_H
#define TRAINC_BASE_RESTRICTION_H

#include <stdbool.h>

#include "base/str.h"

/* A directory below which files may be written, or a single file, such as a device. */
struct restriction_place {
	struct str path;
	bool makes_directories;         /* directories may be made there, too */
};

/* From now on this process starts nothing, connects to nothing, and writes only to descriptors that are open now. */
void restriction_read_only(void);

/* As restriction_read_only(), but files may be written at N places. Places that do not exist are ignored. */
void restriction_write_at(struct arena *a, const struct restriction_place *places, size_t n);

/* Does the kernel have filters of system calls? */
bool restriction_filters(void);
/* The version of Landlock in the kernel; 0 without it. */
int restriction_landlock(void);

#endif
