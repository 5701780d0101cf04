/* names.c - functions of Linux and of its C library that macOS does not have, for the compiler half. */
#include "names.h"

#include <errno.h>
#include <fcntl.h>
#include <mach-o/dyld.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/restriction.h"
#include "base/system.h"

void *memrchr(const void *p, int c, size_t n)
{
	const unsigned char *at = p;

	while (n--)
		if (at[n] == (unsigned char)c)
			return (void *)(uintptr_t)(at + n);
	return NULL;
}

int pipe2(int fd[2], int flags)
{
	if (pipe(fd) != 0)
		return -1;
	for (int i = 0; i < 2 && flags & O_CLOEXEC; i++)
		fcntl(fd[i], F_SETFD, FD_CLOEXEC);
	return 0;
}

ssize_t getrandom(void *to, size_t n, unsigned flags)
{
	(void)flags;
	return getentropy(to, n) == 0 ? (ssize_t)n : -1;
}

/* ---- base/system.h, as far as the compiler half uses it ---- */

int system_rename(int dir, const char *from, int other, const char *to, enum system_renaming how)
{
	int status = renameatx_np(dir, from, other, to, how == SYSTEM_NEW ? RENAME_EXCL : RENAME_SWAP);

	if (status != 0 && errno == ENOTSUP)
		errno = EINVAL;
	return status;
}

bool system_pipe_has_name(int fd)
{
	struct stat st;

	return fstat(fd, &st) != 0 || st.st_nlink != 0;
}

void system_exec_self(char **argv)
{
	char path[4096];
	uint32_t size = sizeof path;

	if (_NSGetExecutablePath(path, &size) == 0)
		execv(path, argv);
	else
		errno = ENAMETOOLONG;
}

void system_end_with_parent(void) { }

void system_tune_heap(size_t bytes, bool threads)
{
	(void)bytes;
	(void)threads;
}

/* ---- base/restriction.h: macOS has no filter of system calls and no Landlock ---- */

void restriction_read_only(void) { }

void restriction_write_at(struct arena *a, const struct restriction_place *places, size_t n)
{
	(void)a;
	(void)places;
	(void)n;
}

bool restriction_filters(void) { return false; }

int restriction_landlock(void) { return 0; }
