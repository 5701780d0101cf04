/* system.c - system calls by number, and the tuning of malloc(). */
#include "base/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* From the kernel's headers, which may be older than the kernel. */
enum {
	CALL_PIDFD_SIGNAL = 424, CALL_OPEN_TREE = 428, CALL_MOVE_MOUNT = 429, CALL_PIDFD_OPEN = 434,
	CALL_CLOSE_RANGE = 436,
};
enum { TREE_CLONE = 1, TREE_RECURSIVE = 0x8000, MOVE_FROM_DESCRIPTOR = 4 };

int system_pidfd_open(pid_t pid)
{
	return (int)syscall(CALL_PIDFD_OPEN, pid, 0);
}

int system_pidfd_signal(int fd, int signal)
{
	return (int)syscall(CALL_PIDFD_SIGNAL, fd, signal, NULL, 0);
}

int system_close_range(unsigned first, unsigned last, unsigned flags)
{
	return (int)syscall(CALL_CLOSE_RANGE, first, last, flags);
}

int system_clone_mounts(const char *path)
{
	return (int)syscall(CALL_OPEN_TREE, AT_FDCWD, path, TREE_CLONE | TREE_RECURSIVE | O_CLOEXEC);
}

int system_attach_mounts(int fd, const char *path)
{
	return (int)syscall(CALL_MOVE_MOUNT, fd, "", AT_FDCWD, path, MOVE_FROM_DESCRIPTOR);
}

int system_rename(int dir, const char *from, int other, const char *to, enum system_renaming how)
{
	return (int)syscall(SYS_renameat2, dir, from, other, to, how);
}

/* An entry of a directory as the kernel returns it. */
struct kernel_entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

static int descriptor_of(const char *name)
{
	int n = 0;

	for (; *name; name++) {
		if (*name < '0' || *name > '9' || n > 100000000)
			return -1;
		n = n * 10 + *name - '0';
	}
	return n;
}

void system_close_from(int first)
{
	_Alignas(struct kernel_entry) char entries[4096];
	long n;

	if (system_close_range((unsigned)first, ~0U, 0) == 0)
		return;
	int dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	while ((n = syscall(SYS_getdents64, dir, entries, sizeof entries)) > 0)
		for (long at = 0; at < n;) {
			const struct kernel_entry *e = (const void *)(entries + at);
			int fd = descriptor_of(e->name);
			if (fd >= first && fd != dir)
				close(fd);
			at += e->length;
		}
	close(dir);
}

bool system_pipe_has_name(int fd)
{
	struct statfs system;

	return fstatfs(fd, &system) != 0 || system.f_type != PIPEFS_MAGIC;
}

/* The kernel finds the file even if another one has its name by now. */
void system_exec_self(char **argv) { execv("/proc/self/exe", argv); }

void system_end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

const char *system_signal_name(int signal)
{
	static const char *const names[] = {
		[SIGHUP] = "HUP", [SIGINT] = "INT", [SIGQUIT] = "QUIT", [SIGILL] = "ILL", [SIGTRAP] = "TRAP",
		[SIGABRT] = "ABRT", [SIGBUS] = "BUS", [SIGFPE] = "FPE", [SIGKILL] = "KILL", [SIGUSR1] = "USR1",
		[SIGSEGV] = "SEGV", [SIGUSR2] = "USR2", [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
		[SIGSTKFLT] = "STKFLT", [SIGCHLD] = "CHLD", [SIGCONT] = "CONT", [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
		[SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU", [SIGURG] = "URG", [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ",
		[SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH", [SIGPOLL] = "POLL", [SIGPWR] = "PWR",
		[SIGSYS] = "SYS",
	};

	return signal > 0 && (size_t)signal < sizeof names / sizeof *names ? names[signal] : NULL;
}

void system_tune_heap(size_t bytes, bool threads)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, (int)bytes);
	mallopt(M_TRIM_THRESHOLD, (int)bytes);
	if (!threads)
		mallopt(M_ARENA_MAX, 1);
#else
	(void)bytes;
	(void)threads;
#endif
}

void system_trim_heap(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
