/*
 * system.h - system calls of Linux that not every C library has a function for, and the tuning of malloc() that only
 * glibc has. The calls are made by number, with any C library, so a program that was built on a new system starts on an
 * old one; there they fail with ENOSYS, or with EPERM where a container runtime filters them. Numbers from 424 on are
 * the same on every machine. The program for macOS has another file with those of these functions that it needs
 * (.ci/dist/macos).
 */
#ifndef TRAINC_BASE_SYSTEM_H
#define TRAINC_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A descriptor of the process PID (Linux 5.3), closed on exec; -1 with errno. */
int system_pidfd_open(pid_t pid);
/* Sends SIGNAL to the process of the descriptor FD (Linux 5.1). Returns 0, or -1 with errno. */
int system_pidfd_signal(int fd, int signal);
/* Closes the descriptors FIRST to LAST (Linux 5.9). FLAGS: CLOSE_RANGE_UNSHARE or 0. Returns 0, or -1 with errno. */
int system_close_range(unsigned first, unsigned last, unsigned flags);
/*
 * Closes all descriptors from FIRST on, with any kernel. Calls only functions that are safe between fork() and exec();
 * needs /proc where the kernel has no close_range().
 */
void system_close_from(int first);
/* A copy of the mount tree at PATH (Linux 5.2), closed on exec; -1 with errno. */
int system_clone_mounts(const char *path);
/* Attaches the tree of mounts FD at PATH (Linux 5.2). Returns 0, or -1 with errno. */
int system_attach_mounts(int fd, const char *path);
/*
 * Renames FROM in the directory DIR to TO in the directory OTHER, if TO does not exist (else EEXIST), or exchanges both
 * (ENOENT if one of them does not exist). Returns 0, or -1 with errno: EINVAL where the file system cannot.
 */
enum system_renaming { SYSTEM_NEW = 1, SYSTEM_EXCHANGE = 2 };
int system_rename(int dir, const char *from, int other, const char *to, enum system_renaming how);

/* Is the pipe FD one that has a name in a directory, unlike those of pipe() and the shell? */
bool system_pipe_has_name(int fd);
/* Replaces this process by this program, with the words ARGV. Returns only if that fails, with errno. */
void system_exec_self(char **argv);
/*
 * Asks the system to kill this process when the one that started it ends; fork() does not pass this on. Does nothing
 * where no system call can do that.
 */
void system_end_with_parent(void);

/* The name of a signal without "SIG", such as "KILL"; NULL if SIGNAL is none that has a name. */
const char *system_signal_name(int signal);

/*
 * Blocks of at least BYTES are returned to the system when they are freed, and smaller ones when that much is free at
 * the end of the heap. THREADS: false if only one thread allocates. Does nothing where malloc() cannot be tuned.
 */
void system_tune_heap(size_t bytes, bool threads);
/* Returns free memory anywhere in the heap to the system, if malloc() can. */
void system_trim_heap(void);

#endif
