/*
 * enter.c - see enter.h. /proc shows the namespaces of a process, and the arguments and environment with which it was
 * started. All files are opened before the first namespace is entered, because afterwards /proc may show other
 * processes. After the files have been opened, another check makes sure that the process still belongs to the replica.
 */
#include "runtime/local/enter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/system.h"
#include "base/words.h"
#include "runtime/local/descendants.h"
#include "runtime/local/mark.h"

/*
 * The namespaces, in the order in which they are entered: the user namespace first, because it gives the rights for the
 * others, and the mount namespace last. After the last step, only descriptors that are already open can be used.
 */
static const struct {
	const char *name;
	int flag;
} kinds[] = {
	{ "user", CLONE_NEWUSER }, { "net", CLONE_NEWNET }, { "ipc", CLONE_NEWIPC }, { "uts", CLONE_NEWUTS },
	{ "pid_for_children", CLONE_NEWPID }, { "mnt", CLONE_NEWNS },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct entering {
	struct arena *arena;
	pid_t pid;
	int process;                    /* pidfd of the replica's process */
	int spaces[KINDS];              /* descriptors of the replica's namespaces; -1: this process is already in the
					 * namespace */
	int root, directory;            /* root and working directory of the replica; `root` -1: the replica and this
					 * process have the same root */
	char **environment;
	bool pinned;                    /* the program is pinned to the processors `cpus` */
	cpu_set_t cpus;
	bool processes;                 /* the replica has a process namespace of its own, so /proc shows other
					 * numbers here */
};

/* ---- finding the replica ---- */

static struct str not_running(struct arena *a, const struct enter *w, const struct run_replica *r)
{
	struct str who = str_printf(a, "%.*s/%lld of run '%.*s'", STR_ARG(w->role), (long long)w->index,
		STR_ARG(w->run->name));

	if (run_phase_final(w->run->phase) || r->state == REPLICA_SUCCEEDED || r->state == REPLICA_FAILED)
		return r->exit_code >= 0 ? str_printf(a, "%.*s has ended: %.*s", STR_ARG(who),
			STR_ARG(end_words(a, r->exit_code, r->signal)))
			: str_printf(a, "%.*s has ended", STR_ARG(who));
	return str_printf(a, "%.*s does not run now%s%.*s", STR_ARG(who), r->cause.n ? ": " : "", STR_ARG(r->cause));
}

/* The number of the replica, counted over all roles, as in the mark. */
static size_t row_of_replica(const struct run_state *s, const struct run_role *role, int64_t index)
{
	size_t n = (size_t)index;

	for (size_t k = 0; k < s->nroles && &s->roles[k] != role; k++)
		n += (size_t)s->roles[k].max;
	return n;
}

static bool find_running(struct arena *a, const struct enter *w, const struct run_replica **ret, size_t *number,
	struct str *why)
{
	const struct run_role *role = run_find_role(w->run, w->role);

	if (!role) {
		struct str *roles = ARENA_ARRAY(a, struct str, w->run->nroles);
		for (size_t i = 0; i < w->run->nroles; i++)
			roles[i] = w->run->roles[i].name;
		*why = run_lacks_role(a, w->run->name, w->role, roles, w->run->nroles);
		return false;
	}
	if (w->index >= role->max) {
		*why = str_printf(a, "role '%.*s' has replicas 0 to %lld, not %lld", STR_ARG(w->role),
			(long long)role->max - 1, (long long)w->index);
		return false;
	}
	*ret = &role->at[w->index];
	*number = row_of_replica(w->run, role, w->index);
	if ((*ret)->process.pid && process_alive(&(*ret)->process, w->run->boot_id))
		return true;
	*why = not_running(a, w, *ret);
	return false;
}

/* ---- opening ---- */

static int open_of(pid_t pid, const char *name, int flags)
{
	char path[128];

	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
	return open(path, flags | O_CLOEXEC);
}

static bool same_file(int fd, const char *path)
{
	struct stat theirs, ours;

	return fstat(fd, &theirs) == 0 && stat(path, &ours) == 0 && theirs.st_ino == ours.st_ino &&
		theirs.st_dev == ours.st_dev;
}

static bool open_space(struct entering *e, size_t i)
{
	char name[64], ours[64];

	snprintf(name, sizeof name, "ns/%s", kinds[i].name);
	snprintf(ours, sizeof ours, "/proc/self/ns/%s", kinds[i].name);
	e->spaces[i] = open_of(e->pid, name, O_RDONLY);
	if (e->spaces[i] < 0)
		return errno == ENOENT;         /* the kernel has no such namespaces */
	if (same_file(e->spaces[i], ours)) {
		close(e->spaces[i]);
		e->spaces[i] = -1;
	} else if (kinds[i].flag == CLONE_NEWPID) {
		e->processes = true;
	}
	return true;
}

static bool is_entry(struct str s)
{
	const char *equals = memchr(s.p, '=', s.n);

	for (const char *p = s.p; equals && p < equals; p++)
		if (*p <= ' ' || *p == 0x7F)
			return false;
	return equals && equals > s.p;
}

/*
 * Reads the environment with which the process was started. A program that changes its process title may have
 * overwritten a part of the environment.
 */
static bool read_environment(struct entering *e, size_t *ret_n)
{
	struct str text, why;
	size_t n = 0;

	if (!file_read(e->arena, str_printf(e->arena, "/proc/%ld/environ", (long)e->pid), &text, &why))
		return false;
	while (text.n) {
		size_t length = strnlen(text.p, text.n);
		struct str entry = { text.p, length };
		if (is_entry(entry))
			ARENA_PUSH(e->arena, e->environment, n, arena_copy(e->arena, entry.p, entry.n));
		length += length < text.n;
		text = (struct str){ text.p + length, text.n - length };
	}
	*ret_n = n;
	return true;
}

/* Makes the environment of the command; adds TERM if the command has a terminal. */
static bool make_environment(struct entering *e)
{
	size_t n;

	if (!read_environment(e, &n))
		return false;
	char *term = getenv("TERM"),
		*entry = term && isatty(STDIN_FILENO) ? str_cat_chars(e->arena, STR("TERM"), STR("="), str_of(term)) :
		NULL;
	if (entry)
		ARENA_PUSH(e->arena, e->environment, n, entry);
	ARENA_PUSH(e->arena, e->environment, n, (char *)NULL);
	return true;
}

static bool open_all(struct entering *e)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!open_space(e, i))
			return false;
	e->directory = open_of(e->pid, "cwd", O_PATH | O_DIRECTORY);
	e->root = open_of(e->pid, "root", O_PATH | O_DIRECTORY);
	if (e->directory < 0 || e->root < 0)
		return false;
	if (same_file(e->root, "/") && e->spaces[KINDS - 1] < 0) {
		close(e->root);
		e->root = -1;
	}
	return make_environment(e);
}

/* ---- entering ---- */

/* Enters the namespaces; false with errno. */
static bool enter_spaces(const struct entering *e)
{
	for (size_t i = 0; i < KINDS; i++)
		if (e->spaces[i] >= 0 && setns(e->spaces[i], kinds[i].flag) != 0)
			return false;
	if (e->root >= 0 && (fchdir(e->root) != 0 || chroot(".") != 0))
		return false;
	return fchdir(e->directory) == 0 || chdir("/") == 0;
}

extern char **environ;

/*
 * Does a file of that name exist in the directories of PATH? If one of the directories may not be searched, execvp()
 * reports EACCES even for a command that does not exist.
 */
static bool command_exists(const char *word)
{
	const char *path = getenv("PATH");
	char file[4096];

	if (strchr(word, '/') || !path)
		return access(word, F_OK) == 0;
	for (size_t n; *path; path += n + (path[n] == ':')) {
		n = strcspn(path, ":");
		snprintf(file, sizeof file, "%.*s/%s", (int)n, path, word);
		if (access(file, F_OK) == 0)
			return true;
	}
	return false;
}

static _Noreturn void run_command(const struct entering *e, char *const *words, uint64_t mark)
{
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	mark_set(mark);
	if (e->pinned)
		sched_setaffinity(0, sizeof e->cpus, &e->cpus);
	system_close_from(3);
	environ = e->environment;
	execvp(words[0], words);
	int error = errno;
	bool missing = error == ENOENT || error == ENOTDIR || (error == EACCES && !command_exists(words[0]));
	dprintf(STDERR_FILENO, "trainc: %s: '%s'\n",
		missing ? "command not found" : error == EACCES ? "not executable" : strerror(error), words[0]);
	_exit(missing ? 127 : 126);
}

/* ---- waiting ---- */

/*
 * Redirects signals to the command. The terminal sends its signals to the command itself. Returns a descriptor for the
 * signals, or -1.
 */
static int hear_signals(void)
{
	sigset_t passed;

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&passed);
	sigaddset(&passed, SIGTERM);
	sigaddset(&passed, SIGHUP);
	sigprocmask(SIG_BLOCK, &passed, NULL);
	return signalfd(-1, &passed, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void pass_on(int signals, pid_t child)
{
	struct signalfd_siginfo s;

	while (read(signals, &s, sizeof s) == sizeof s)
		kill(child, (int)s.ssi_signo);
}

static enum descendant judge_left(void *context, pid_t pid)
{
	(void)context, (void)pid;
	return DESCENDANT_KILL;
}

/* Ends the processes that the command has started and left behind. */
static void end_rest(const struct entering *e)
{
	if (e->processes)
		/*
		 * /proc shows other process numbers here. The first process of the replica's namespace reaps these
		 * processes, and ends with the run
		 */
		return;
	for (int rounds = 0; rounds < 100; rounds++) {
		descendants_kill(getpid(), judge_left, NULL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitpid(-1, NULL, WNOHANG) < 0)
			return;
		poll(NULL, 0, 10);
	}
}

/* Waits until the command ends. The end of the replica also ends the command. */
static struct entered wait_for(const struct entering *e, int signals, pid_t child)
{
	struct entered ret = { 0 };
	int fd = system_pidfd_open(child), status = 0;
	struct pollfd ends[] = { { .fd = fd, .events = POLLIN }, { .fd = e->process, .events = POLLIN },
		{ .fd = signals, .events = POLLIN } };

	while (fd >= 0 && !ends[0].revents && !ends[1].revents) {
		if (poll(ends, 3, -1) < 0 && errno != EINTR)
			break;
		pass_on(signals, child);
	}
	if (fd >= 0 && !ends[0].revents) {
		poll(ends, 1, 200);             /* the command may end on its own, together with the replica */
		ret.over = !ends[0].revents;
		if (ret.over)
			kill(child, SIGKILL);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (fd >= 0)
		close(fd);
	end_rest(e);
	ret.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return ret;
}

bool enter_environment(struct arena *a, const struct enter *w, char *const **ret, struct str *why)
{
	struct entering e = { .arena = a };
	const struct run_replica *r;
	size_t number, n;

	if (!find_running(a, w, &r, &number, why))
		return false;
	e.pid = r->process.pid;
	bool read = read_environment(&e, &n);
	int error = errno;
	if (!process_alive(&r->process, w->run->boot_id)) {
		*why = not_running(a, w, r);
		return false;
	}
	if (!read) {
		*why = str_printf(a, "cannot read the environment of %.*s/%lld: %.*s", STR_ARG(w->role),
			(long long)w->index,
			STR_ARG(file_reason(a, error)));
		return false;
	}
	ARENA_PUSH(a, e.environment, n, (char *)NULL);
	*ret = e.environment;
	return true;
}

bool enter_network(struct arena *a, const struct enter *w, size_t *ret, struct str *why)
{
	enum { USER, NETWORK };                 /* indexes in `kinds` */
	struct entering e = { .arena = a };
	const struct run_replica *r;
	int error = 0;

	if (!find_running(a, w, &r, ret, why))
		return false;
	e.pid = r->process.pid;
	if (!open_space(&e, USER) || !open_space(&e, NETWORK))
		error = errno;
	if (!process_alive(&r->process, w->run->boot_id)) {
		*why = not_running(a, w, r);
		return false;
	}
	for (size_t i = USER; !error && e.spaces[NETWORK] >= 0 && i <= NETWORK; i++)
		if (e.spaces[i] >= 0 && setns(e.spaces[i], kinds[i].flag) != 0)
			error = errno;
	if (error)
		*why = str_printf(a, "cannot enter the network of %.*s/%lld: %.*s", STR_ARG(w->role),
			(long long)w->index, STR_ARG(file_reason(a, error)));
	return !error;
}

bool enter_replica(struct arena *a, const struct enter *w, struct entered *ret, struct str *why)
{
	char shell[] = "sh";
	char *const usual[] = { shell, NULL };
	struct entering e = { .arena = a, .root = -1, .directory = -1 };
	const struct run_replica *r;
	size_t number;

	if (!find_running(a, w, &r, &number, why))
		return false;
	e.pid = r->process.pid;
	e.process = system_pidfd_open(e.pid);
	bool opened = e.process >= 0 && open_all(&e);
	int error = errno;
	e.pinned = sched_getaffinity(e.pid, sizeof e.cpus, &e.cpus) == 0;
	if (!process_alive(&r->process, w->run->boot_id)) {
		*why = not_running(a, w, r);
		return false;
	}
	if (!opened || !enter_spaces(&e)) {
		*why = str_printf(a, "cannot enter %.*s/%lld: %.*s", STR_ARG(w->role), (long long)w->index,
			STR_ARG(file_reason(a, opened ? errno : error)));
		return false;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	int signals = hear_signals();
	pid_t child = fork();
	if (child == 0)
		run_command(&e, w->words[0] ? w->words : usual, mark_of_replica(mark_of_run(w->run), number));
	if (child < 0) {
		*why = str_printf(a, "cannot start a process: %.*s", STR_ARG(file_reason(a, errno)));
		return false;
	}
	*ret = wait_for(&e, signals, child);
	if (signals >= 0)
		close(signals);
	return true;
}
