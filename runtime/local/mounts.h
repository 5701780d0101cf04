/*
 * mounts.h - the files as one process sees them.
 *
 * Mounts of a sandbox are laid over the machine's directories in a mount namespace of the process.
 *  Where a mount point is missing, the directory that should hold it is replaced by a mirror: a
 * tmpfs with every entry of it bound (or, a symbolic link, made again).  So existing files are the
 * machine's, and are written through; new files in such a directory vanish with the process, as
 * they would in a container.
 */
#ifndef TRAINC_RUNTIME_LOCAL_MOUNTS_H
#define TRAINC_RUNTIME_LOCAL_MOUNTS_H

#include "runtime/local/isolate.h"

struct mounts_extra {
	bool proc;                      /* the process has a process namespace of its own: mount its /proc */
	/* it has a network of its own, and so its own /etc/hosts, resolv.conf and, if permitted, /sys */
	bool network;
	bool shm;                       /* /dev/shm of its own */
	struct str hosts;               /* text of /etc/hosts behind the sandbox's lines */
};

/*
 * Enters a new mount namespace and builds the view.  The process must have the right to mount
 * there.  False with the step that failed; then the process can only report that and end.
 */
bool mounts_enter(const struct sandbox *box, const struct mounts_extra *extra, struct isolation_error *ret);

#endif
