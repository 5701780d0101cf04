#include "runtime/local/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "runtime/local/mark.h"

enum step { STEP_ISOLATE, STEP_DIRECTORY, STEP_EXEC, STEP_INTERPRETER, STEP_PROCESSORS, STEP_OTHER };

struct failure {
	enum step step;
	struct isolation_error why;
};

enum { REPORT = 3 };                    /* number of the report's descriptor in the child */

/* ---- in the child: async-signal-safe calls only, but for isolation_enter ---- */

static void report(int fd, enum step step, int error)
{
	struct failure f = { .step = step, .why.error = error };

	if (write(fd, &f, sizeof f) < 0)        /* nobody is left to hear it */
		_exit(127);
	_exit(127);
}

/*
 * All signals: the C library refuses to touch the two that it keeps for itself, but a program
 * before us may have left them ignored.  For the kernel all zeros mean the default action,
 * whatever the layout of its struct.
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

/* Standard descriptors and the report, nothing else.  False with errno. */
static bool descriptors(const struct spawn *s, int *fd)
{
	int report_fd = *fd;

	/* away from the numbers that are about to be used */
	if (report_fd <= REPORT) {
		report_fd = fcntl(report_fd, F_DUPFD_CLOEXEC, REPORT + 1);
		if (report_fd < 0)
			return false;
		*fd = report_fd;
	}
	if (dup2(s->null, STDIN_FILENO) < 0 || dup2(s->output, STDOUT_FILENO) < 0 || dup2(s->output, STDERR_FILENO) < 0)
		return false;
	if (dup3(report_fd, REPORT, O_CLOEXEC) < 0)
		return false;
	*fd = REPORT;
	closefrom(REPORT + 1);
	return true;
}

static void execute(const struct spawn *s, int fd)
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
	if (!isolation_enter(s->isolation, s->replica, s->box, &f.why)) {
		if (write(fd, &f, sizeof f) < 0)
			_exit(127);
		_exit(127);
	}
	/*
	 * after anything that changes credentials, which forgets it; 0: the parent is outside of the process namespace
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
	_exit(127);
}

/* ---- in the parent ---- */

bool spawn_start(const struct spawn *s, struct spawned *ret)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return false;
	pid_t pid = fork();
	if (pid == 0)
		child(s, parent, ends[1]);
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
