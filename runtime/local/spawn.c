/* spawn.c - starts a process, and prepares it in the child before it executes its program. */
#include "runtime/local/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/system.h"
#include "runtime/local/mark.h"

enum step { STEP_ISOLATE, STEP_DIRECTORY, STEP_EXEC, STEP_INTERPRETER, STEP_PROCESSORS, STEP_OTHER };

struct failure {
	enum step step;
	struct isolation_error why;
};

enum { REPORT = 3 };                    /* number of the descriptor for the report in the child */

/* ---- in the child: only async-signal-safe calls, except isolation_join() and isolation_enter() ---- */

static _Noreturn void send_failure(int fd, const struct failure *f)
{
	if (write(fd, f, sizeof *f) < 0)        /* no process is left to read the report */
		_exit(127);
	_exit(127);
}

static _Noreturn void report(int fd, enum step step, int error)
{
	struct failure f = { .step = step, .why.error = error };

	send_failure(fd, &f);
}

/*
 * Sets the default action for all signals. The C library refuses to change the two signals that it keeps for itself,
 * but the program that started this one may have left them ignored. For the kernel all zeros mean the default action,
 * whatever the layout of its struct is.
 */
static void default_signals(void)
{
	static const unsigned long standard[8];
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		syscall(SYS_rt_sigaction, s, standard, NULL, (size_t)(NSIG - 1) / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Sets up the standard descriptors and the descriptor of the report, and closes all others. On failure, returns false
 * with errno.
 */
static bool descriptors(const struct spawn *s, int *fd)
{
	int report_fd = *fd;

	/* moves the report's descriptor away from the numbers that are about to be used */
	if (report_fd <= REPORT) {
		report_fd = fcntl(report_fd, F_DUPFD_CLOEXEC, REPORT + 1);
		if (report_fd < 0)
			return false;
		*fd = report_fd;
	}
	if (dup2(s->low->null, STDIN_FILENO) < 0 || dup2(s->output, STDOUT_FILENO) < 0 ||
		dup2(s->output, STDERR_FILENO) < 0)
		return false;
	if (dup3(report_fd, REPORT, O_CLOEXEC) < 0)
		return false;
	*fd = REPORT;
	system_close_from(REPORT + 1);
	return true;
}

static _Noreturn void execute(const struct spawn *s, int fd)
{
	int error = ENOENT;
	struct stat is;

	for (size_t i = 0; s->candidates[i]; i++) {
		execve(s->candidates[i], s->argv, s->envp);
		int now = errno;
		if (now == ENOENT && stat(s->candidates[i], &is) == 0)
			report(fd, STEP_INTERPRETER, ENOENT);
		if (now == EACCES && stat(s->candidates[i], &is) == 0 && S_ISDIR(is.st_mode))
			now = EISDIR;
		errno = now;
		if (errno == EACCES || errno == EISDIR)
			error = errno;
		else if (errno != ENOENT && errno != ENOTDIR) {
			error = errno;
			break;
		}
	}
	report(fd, STEP_EXEC, error);
}

static _Noreturn void child(const struct spawn *s, pid_t parent, int fd)
{
	struct failure f = { .step = STEP_ISOLATE };

	default_signals();
	mark_set(s->mark);
	if (s->cpus && sched_setaffinity(0, sizeof *s->cpus, s->cpus) != 0)
		report(fd, STEP_PROCESSORS, errno);
	setsid();
	if (!isolation_enter(s->isolation, s->box, &f.why))
		send_failure(fd, &f);
	/*
	 * PR_SET_PDEATHSIG must be set after anything that changes credentials, which resets it; getppid() is 0 if the
	 * parent is outside of the process namespace
	 */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent && getppid() != 0)
		_exit(127);
	if (!descriptors(s, &fd))
		report(fd, STEP_OTHER, errno);
	if (chdir(s->cwd) < 0)
		report(fd, STEP_DIRECTORY, errno);
	setrlimit(RLIMIT_NOFILE, &s->files);
	alarm(s->seconds);
	if (s->instead)
		_exit(s->instead(s->context));
	execute(s, fd);
}

/* Runs in a child with copies of all descriptors. */
static _Noreturn void child_with_all(const struct spawn *s, pid_t parent, int fd)
{
	struct failure f = { .step = STEP_ISOLATE };

	if (!isolation_join(s->isolation, s->replica, &f.why))
		send_failure(fd, &f);
	child(s, parent, fd);
}

/*
 * Runs in a child that starts with its parent's own descriptors: it copies the low descriptors, informs the parent, and
 * only then opens or closes descriptors.
 */
static _Noreturn void child_with_low(const struct spawn *s, pid_t parent)
{
	struct failure f = { .step = STEP_ISOLATE };
	bool joined = isolation_join(s->isolation, s->replica, &f.why);

	if (system_close_range((unsigned)s->low->last + 1, ~0U, CLOSE_RANGE_UNSHARE) != 0 ||
		eventfd_write(s->low->begun, 1) != 0)
		_exit(127);
	if (!joined)
		send_failure(s->low->report, &f);
	struct spawn mine = *s;
	mine.output = s->low->output;
	child(&mine, parent, s->low->report);
}

/* ---- in the parent ---- */

static int largest(int a, int b) { return a > b ? a : b; }

bool spawn_low_open(struct spawn_low *low)
{
	low->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	low->output = fcntl(low->null, F_DUPFD_CLOEXEC, 0);
	low->report = fcntl(low->null, F_DUPFD_CLOEXEC, 0);
	low->begun = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/* an empty range: tests whether the kernel and its system call filters permit the flag */
	low->usable = system_close_range(~0U, ~0U, CLOSE_RANGE_UNSHARE) == 0;
	low->last = largest(largest(low->null, low->output), largest(low->report, low->begun));
	return low->null >= 0 && low->output >= 0 && low->report >= 0 && low->begun >= 0;
}

void spawn_low_close(struct spawn_low *low)
{
	int *const all[] = { &low->null, &low->output, &low->report, &low->begun };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (*all[i] >= 0) {
			close(*all[i]);
			*all[i] = -1;
		}
}

/* Waits until the child has descriptors of its own, or has ended. */
static void wait_until_begun(const struct spawn_low *low, int process)
{
	struct pollfd of[] = { { .fd = low->begun, .events = POLLIN }, { .fd = process, .events = POLLIN } };
	eventfd_t n;

	while (poll(of, 2, -1) < 0 && errno == EINTR)
		;
	eventfd_read(low->begun, &n);
}

/*
 * Forks with copies of the low descriptors only. A keeper of a thousand replicas has thousands of descriptors, and each
 * child would copy and close all of them. Returns -1 with errno if the kernel does not permit such a fork.
 */
static pid_t fork_low(const struct spawn *s, pid_t parent, int report_end)
{
	const struct spawn_low *low = s->low;
	int process = -1;
	struct clone_args how = { .flags = CLONE_FILES | CLONE_PIDFD, .exit_signal = SIGCHLD };
	pid_t pid = -1;

	how.pidfd = (uintptr_t)&process;
	if (dup3(s->output, low->output, O_CLOEXEC) >= 0 && dup3(report_end, low->report, O_CLOEXEC) >= 0)
		pid = (pid_t)syscall(SYS_clone3, &how, sizeof how);
	if (pid == 0)
		child_with_low(s, parent);
	int error = errno;
	if (pid > 0) {
		wait_until_begun(low, process);
		close(process);
	}
	dup3(low->null, low->output, O_CLOEXEC);        /* the originals of these descriptors belong to the child now */
	dup3(low->null, low->report, O_CLOEXEC);
	errno = error;
	return pid;
}

bool spawn_start(const struct spawn *s, struct spawned *ret)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return false;
	pid_t pid = s->low->usable ? fork_low(s, parent, ends[1]) : -1;
	if (pid < 0)
		pid = fork();
	if (pid == 0)
		child_with_all(s, parent, ends[1]);
	int error = errno;
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		errno = error;
		return false;
	}
	*ret = (struct spawned){ pid, ends[0] };
	return true;
}

static struct str exec_sentence(struct arena *a, int error, struct str command)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR: return str_printf(a, "command not found: '%.*s'", STR_ARG(command));
	case EACCES: return str_printf(a, "not executable: '%.*s'", STR_ARG(command));
	case EISDIR: return str_printf(a, "'%.*s' is a directory, not a program", STR_ARG(command));
	case ENOEXEC: return str_printf(a,
		"'%.*s' is not a program that this machine can run: a script begins with '#!'", STR_ARG(command));
	case E2BIG: return str_printf(a, "arguments and environment of '%.*s' are larger than this machine permits",
		STR_ARG(command));
	}
	return str_printf(a, "cannot run '%.*s': %.*s", STR_ARG(command), STR_ARG(file_reason(a, error)));
}

bool spawn_report(struct arena *a, const struct spawned *s, struct str command, struct str *why)
{
	struct failure f;
	ssize_t n = read(s->report, &f, sizeof f);

	close(s->report);
	if (n != sizeof f)
		return true;
	f.why.step[sizeof f.why.step - 1] = '\0';
	struct str reason = file_reason(a, f.why.error);
	if (f.step == STEP_EXEC)
		*why = exec_sentence(a, f.why.error, command);
	else if (f.step == STEP_INTERPRETER)
		*why = str_printf(a, "the interpreter that '%.*s' names in its first line does not exist",
			STR_ARG(command));
	else if (f.step == STEP_ISOLATE)
		*why = f.why.error ? str_printf(a, "%s: %.*s", f.why.step, STR_ARG(reason)) :
			str_copy(a, str_of(f.why.step));
	else if (f.step == STEP_PROCESSORS)
		*why = str_printf(a, "cannot keep it on its processors (--pin): %.*s", STR_ARG(reason));
	else if (f.step == STEP_DIRECTORY)
		*why = str_printf(a, "cannot enter the working directory: %.*s", STR_ARG(reason));
	else
		*why = reason;
	return false;
}
