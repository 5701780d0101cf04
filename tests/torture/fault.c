/*
 * fault.c - makes calls of the C library fail when a test requests it.
 *
 * `$(BUILD)/torture/trainc` and `trainc-cluster` beside it are the programs linked with --wrap for each function below.
 * FAULT is KIND:MODE:N:HOW, for example `memory:once:17:` or `read:from:3:EIO`.
 * KIND is the first argument of each WRAP.  MODE is `once` (call N fails) or
 * `from` (calls from N on fail).  HOW is the name of an error, or `short` for a
 * count of one byte.  A byte goes to descriptor 9, or the one that FAULT_HIT names,
 * when a call fails, so that the test knows that there was an N-th call.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { SHORT = -1 };

static struct {
	bool from;
	char kind[16];
	long n, seen;
	int error, hit;
} plan;

static int error_of(const char *name)
{
	static const struct { const char *name; int error; } table[] = {
		{ "EIO", EIO }, { "EMFILE", EMFILE }, { "ENOSPC", ENOSPC }, { "EINTR", EINTR }, { "EACCES", EACCES },
		{ "EROFS", EROFS }, { "EPIPE", EPIPE }, { "short", SHORT }, { "ECONNRESET", ECONNRESET },
		{ "ECONNREFUSED", ECONNREFUSED }, { "EAGAIN", EAGAIN }, { "ENOBUFS", ENOBUFS }, { "ENOENT", ENOENT },
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (strcmp(table[i].name, name) == 0)
			return table[i].error;
	return ENOMEM;
}

/* Runs before main(), but after the initialization of the C library, which this program does not test. */
__attribute__((constructor)) static void read_plan(void)
{
	const char *text = getenv("FAULT"), *hit = getenv("FAULT_HIT");
	char mode[8] = "", how[16] = "";

	if (!text || sscanf(text, "%15[^:]:%7[^:]:%ld:%15s", plan.kind, mode, &plan.n, how) < 3)
		return;
	plan.hit = hit ? atoi(hit) : 9;
	plan.from = strcmp(mode, "from") == 0;
	plan.error = error_of(how);
}

/* Decides whether this call of KIND fails; sets errno if it does. */
static bool fails(const char *kind)
{
	if (strcmp(plan.kind, kind) != 0)
		return false;
	plan.seen++;
	if (plan.seen != plan.n && (!plan.from || plan.seen < plan.n))
		return false;
	syscall(SYS_write, plan.hit, "", 1);
	if (plan.error != SHORT)
		errno = plan.error;
	return true;
}

#define WRAP(kind, type, name, parameters, arguments, failed)   \
	type __real_##name parameters;                          \
	type __wrap_##name parameters;                          \
	type __wrap_##name parameters { return fails(kind) ? (failed) : __real_##name arguments; }

WRAP("memory", void *, malloc, (size_t n), (n), NULL)
WRAP("memory", void *, calloc, (size_t n, size_t size), (n, size), NULL)
WRAP("memory", void *, realloc, (void *p, size_t n), (p, n), NULL)
WRAP("memory", void *, mmap, (void *p, size_t n, int a, int b, int fd, off_t at), (p, n, a, b, fd, at), MAP_FAILED)
/* In these functions the C library allocates memory without a call that a dynamic program can intercept. */
WRAP("memory", int, regcomp, (regex_t *re, const char *p, int flags), (re, p, flags), REG_ESPACE)
WRAP("memory", int, regexec, (const regex_t *re, const char *t, size_t n, regmatch_t *m, int f), (re, t, n, m, f),
	REG_ESPACE)
WRAP("memory", DIR *, opendir, (const char *path), (path), NULL)
WRAP("memory", DIR *, fdopendir, (int fd), (fd), NULL)
WRAP("close", int, close, (int fd), (fd), (syscall(SYS_close, fd), -1))
WRAP("fsync", int, fsync, (int fd), (fd), -1)
WRAP("rename", int, rename, (const char *from, const char *to), (from, to), -1)
WRAP("rename", int, renameat2, (int d, const char *from, int e, const char *to, unsigned f), (d, from, e, to, f), -1)
WRAP("rename", int, renameat, (int d, const char *from, int e, const char *to), (d, from, e, to), -1)
WRAP("rename", int, linkat, (int d, const char *from, int e, const char *to, int f), (d, from, e, to, f), -1)
WRAP("rename", int, link, (const char *from, const char *to), (from, to), -1)
WRAP("stat", int, stat, (const char *path, struct stat *st), (path, st), -1)
WRAP("stat", int, lstat, (const char *path, struct stat *st), (path, st), -1)
WRAP("stat", int, fstat, (int fd, struct stat *st), (fd, st), -1)
WRAP("stat", int, access, (const char *path, int mode), (path, mode), -1)
WRAP("stat", int, fstatat, (int at, const char *path, struct stat *st, int flags), (at, path, st, flags), -1)
WRAP("stat", int, faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags), -1)
WRAP("stat", char *, realpath, (const char *path, char *into), (path, into), NULL)
/* the variants for buffers of known size (_FORTIFY_SOURCE) */
WRAP("stat", char *, __realpath_chk, (const char *path, char *into, size_t n), (path, into, n), NULL)
WRAP("open", int, __open_2, (const char *path, int flags), (path, flags), -1)
WRAP("open", int, __openat_2, (int at, const char *path, int flags), (at, path, flags), -1)
WRAP("mkdir", int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
WRAP("mkdir", int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode), -1)
WRAP("unlink", int, unlink, (const char *path), (path), -1)
WRAP("unlink", int, unlinkat, (int at, const char *path, int flags), (at, path, flags), -1)

/* Is FD a file, a pipe or a socket? The kernel reads a timer or a signal as a whole or not at all. */
static bool is_stream(int fd)
{
	struct stat st;

	return syscall(SYS_fstat, fd, &st) == 0 && st.st_mode & S_IFMT;
}

ssize_t __real_read(int fd, void *p, size_t n);
ssize_t __wrap_read(int fd, void *p, size_t n);
ssize_t __wrap_read(int fd, void *p, size_t n)
{
	if (fails("read") && plan.error != SHORT)
		return -1;
	bool shorter = plan.error == SHORT && n > 1 && strcmp(plan.kind, "read") == 0 && is_stream(fd);
	return __real_read(fd, p, shorter ? 1 : n);
}

ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n)
{
	/* writing to standard error never fails, because the test reads the messages */
	bool ours = fd != STDERR_FILENO && (plan.error != EPIPE || fd == STDOUT_FILENO);

	if (!ours || !fails("write"))
		return __real_write(fd, p, n);
	return plan.error == SHORT ? __real_write(fd, p, n > 1 ? 1 : n) : -1;
}

static mode_t mode_of(int flags, va_list args) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0; }

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = mode_of(flags, args);
	va_end(args);
	return fails("open") ? -1 : __real_open(path, flags, mode);
}

int __real_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = mode_of(flags, args);
	va_end(args);
	return fails("open") ? -1 : __real_openat(at, path, flags, mode);
}

WRAP("open", int, mkstemp, (char *template), (template), -1)
WRAP("open", int, mkostemp, (char *template, int flags), (template, flags), -1)

/* ---- what only the program for clusters calls ---- */

WRAP("memory", char *, strdup, (const char *text), (text), NULL)
WRAP("socket", int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1)
WRAP("socket", int, socketpair, (int domain, int type, int protocol, int *both), (domain, type, protocol, both), -1)
WRAP("socket", int, pipe2, (int *both, int flags), (both, flags), -1)
WRAP("connect", int, connect, (int fd, const struct sockaddr *to, socklen_t n), (fd, to, n), -1)
WRAP("listen", int, bind, (int fd, const struct sockaddr *to, socklen_t n), (fd, to, n), -1)
WRAP("listen", int, listen, (int fd, int n), (fd, n), -1)
WRAP("socketopt", int, setsockopt, (int fd, int a, int b, const void *p, socklen_t n), (fd, a, b, p, n), -1)
WRAP("socketopt", int, getsockname, (int fd, struct sockaddr *to, socklen_t *n), (fd, to, n), -1)
WRAP("send", ssize_t, send, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags), -1)
WRAP("recv", ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags), -1)
WRAP("wait", int, epoll_wait, (int fd, struct epoll_event *e, int n, int limit), (fd, e, n, limit), -1)
WRAP("wait", int, poll, (struct pollfd *p, nfds_t n, int limit), (p, n, limit), -1)
WRAP("loop", int, epoll_create1, (int flags), (flags), -1)
WRAP("loop", int, eventfd, (unsigned n, int flags), (n, flags), -1)
WRAP("loop", int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags), -1)
WRAP("loop", int, timerfd_create, (int clock, int flags), (clock, flags), -1)
/* timerfd_settime() is not here: it takes nothing from the kernel that could be missing */
WRAP("process", pid_t, fork, (void), (), -1)
WRAP("process", int, execv, (const char *path, char *const *args), (path, args), -1)
WRAP("process", int, execve, (const char *path, char *const *args, char *const *env), (path, args, env), -1)
WRAP("process", int, execvp, (const char *path, char *const *args), (path, args), -1)
WRAP("process", int, execvpe, (const char *path, char *const *args, char *const *env), (path, args, env), -1)
WRAP("process", int, posix_spawnp, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *how, char *const *args, char *const *env),
	(pid, path, actions, how, args, env), plan.error)
WRAP("process", int, pthread_create, (pthread_t *thread, const pthread_attr_t *how, void *(*f)(void *), void *with),
	(thread, how, f, with), plan.error)

int __real_epoll_ctl(int fd, int what, int other, struct epoll_event *e);
int __wrap_epoll_ctl(int fd, int what, int other, struct epoll_event *e);
int __wrap_epoll_ctl(int fd, int what, int other, struct epoll_event *e)
{
	/* removing a descriptor never fails */
	return what != EPOLL_CTL_DEL && fails("loop") ? -1 : __real_epoll_ctl(fd, what, other, e);
}
