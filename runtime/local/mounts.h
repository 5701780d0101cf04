/*
 * mounts.h - builds one process's view of the files. The mounts of a sandbox are placed over the machine's directories
 * in a mount namespace of the process. Where a mount point is missing, the directory that should contain it is replaced
 * by a mirror: a tmpfs in which every entry of the directory is bound, and symbolic links are made again. So existing
 * files are the machine's own files, and writes change them. New files in a mirrored directory vanish with the process,
 * as they would in a container.
 */
#ifndef TRAINC_RUNTIME_LOCAL_MOUNTS_H
#define TRAINC_RUNTIME_LOCAL_MOUNTS_H

#include "runtime/local/isolate.h"

struct mounts_extra {
	bool proc;                      /* the process has a process namespace of its own: mount a /proc for it */
	/* the process has a network of its own, and so its own /etc/hosts, resolv.conf and, if permitted, /sys */
	bool network;
	bool shm;                       /* the process gets its own /dev/shm */
	struct str hosts;               /* text of /etc/hosts after the sandbox's lines */
};

/*
 * Enters a new mount namespace and builds the view. The process must have the right to mount there. On failure, returns
 * false with the failed step; then the process can do nothing but report the step and end.
 */
bool mounts_enter(const struct sandbox *box, const struct mounts_extra *extra, struct isolation_error *ret);

#endif
