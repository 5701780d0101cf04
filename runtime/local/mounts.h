/*
 * mounts.h - the files as one process sees them.
 *
 * What a sandbox asks for is laid over the machine's directories in a mount
 * namespace of the process.  Where a mount point is missing, the directory that
 * should hold it is replaced by a mirror: a tmpfs with every entry of it bound
 * (or, a symbolic link, made again).  So existing files are the machine's, and
 * written through; what is new in such a directory ends with the process, as it
 * would in a container.
 */
#ifndef TRAINC_RUNTIME_LOCAL_MOUNTS_H
#define TRAINC_RUNTIME_LOCAL_MOUNTS_H

#include "runtime/local/isolate.h"

struct mounts_extra {
	bool proc;                      /* the process has a process namespace of its own: mount its /proc */
	bool network;                   /* it has a network of its own: so have /etc/hosts, resolv.conf and, if permitted, /sys */
	bool shm;                       /* /dev/shm of its own */
	struct str hosts;               /* what follows the sandbox's lines in /etc/hosts */
};

/*
 * Enter a new mount namespace and build the view.  The process must have the
 * right to mount there.  False with the step that failed; the process is then
 * good for nothing but to say so and end.
 */
bool mounts_enter(const struct sandbox *box, const struct mounts_extra *extra, struct isolation_error *ret);

#endif
