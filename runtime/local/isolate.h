/*
 * isolate.h - what the processes of a run can see of the machine and of each other.
 *
 *   ISOLATE_NONE     the machine's network; replicas share 127.0.0.1
 *   ISOLATE_JOB      one network namespace for the run, with nothing but loopback
 *   ISOLATE_REPLICA  a network namespace for each replica, with a router between
 *                    them that leads nowhere else (network.h); each replica has
 *                    its own host name, /dev/shm and System V objects; names,
 *                    ports and so the environment are the same as in a cluster
 *
 * In the last two modes, nothing outside the run can be reached: attempts, including name lookups, are refused at once.
 *
 * In every mode, a container with mounts, files or `--image-root` gets its own mount namespace, in which these cover
 * the machine's files; the machine's own directories are never written to (mounts.h). In the modes JOB and REPLICA all
 * processes live in a process namespace whose first process dies with the keeper, so no process survives the keeper.
 * Where /proc cannot be mounted again, as in some containers, the processes stay in the machine's process namespace.
 * For an ordinary user, all namespaces are in one user namespace, which maps the user's id to itself.
 */
#ifndef TRAINC_RUNTIME_LOCAL_ISOLATE_H
#define TRAINC_RUNTIME_LOCAL_ISOLATE_H

#include <sys/types.h>

#include "base/buf.h"

enum isolate_mode { ISOLATE_NONE, ISOLATE_JOB, ISOLATE_REPLICA };

struct isolation;

/*
 * Enters the namespaces that the mode needs and makes a network for each of REPLICAS. Must be called once, in the
 * keeper, before it starts anything else and while it has one thread. MOUNTS: some container has mounts, files or a
 * root. Returns NULL with an explanation: which step the kernel refuses, and which setting permits that step or which
 * option avoids it. The arena must live as long as the isolation.
 */
struct isolation *isolation_open(struct arena *a, enum isolate_mode mode, bool mounts, size_t replicas,
	struct str *why);

/*
 * An isolation for a run that will not be started. It knows the addresses of the replicas, but creates and enters
 * nothing.
 */
struct isolation *isolation_planned(struct arena *a, enum isolate_mode mode);

/* The address of a replica, as text: "127.0.0.1", or "10.88.0.7" in mode REPLICA. */
struct str isolation_address(const struct isolation *iso, size_t replica);

/*
 * Makes a non-blocking TCP socket in the network of a replica; FAMILY is AF_INET or AF_INET6. On failure, returns -1
 * with errno.
 */
int isolation_socket(const struct isolation *iso, size_t replica, int family);

enum sandbox_kind { SANDBOX_BIND, SANDBOX_TMPFS };

struct sandbox_mount {
	enum sandbox_kind kind;
	/*
	 * BIND: a file or directory of the machine. It is opened first, so a mount that covers its path later does not
	 * matter
	 */
	const char *source;
	/* absolute and normalized; missing parts are made without changing the machine's directories */
	const char *target;
	bool readonly;
	uint64_t size;                  /* TMPFS: size in bytes, 0: the kernel's default */
};

struct sandbox {
	const struct sandbox_mount *mounts;     /* the mounts, in the order in which they are made */
	size_t nmounts;
	const char *root;               /* --image-root: a directory that becomes `/`; NULL: the root of the machine */
	const char *hosts;              /* lines to put into /etc/hosts before the loopback lines; NULL: no lines */
	const char *hostname;           /* host name in the mode REPLICA; NULL: unchanged */
};

/*
 * These two functions are called in a child between fork and exec, one after the other. isolation_join() enters the
 * replica's network and opens nothing. isolation_enter() builds the view of the files. It changes nothing outside of
 * the child and does not keep the working directory, so chdir() must follow. On failure they return false; ERROR
 * contains errno, or 0, and the failed step, such as "mount '/srv/corpus' at '/data'".
 */
struct isolation_error {
	int error;
	char step[256];
};
bool isolation_join(const struct isolation *iso, size_t replica, struct isolation_error *ret);
bool isolation_enter(const struct isolation *iso, const struct sandbox *box, struct isolation_error *ret);

/*
 * Kills and reaps all processes of the process namespace; this also reaps every ended child of the caller. Closes the
 * descriptors that isolation_open() opened. The caller stays in its namespaces, which end together with it.
 */
void isolation_close(struct isolation *iso);

#endif
