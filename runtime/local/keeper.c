/*
 * keeper.c - starts the process that outlives a command, or ends together with it. The keeper needs no copy of the
 * plan, because it is a fork of the command that has compiled it. It must not inherit anything else: descriptors (such
 * as another keeper's lifeline), the terminal, signal handlers.
 */
#include "runtime/local/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "plan/code.h"
#include "runtime/local/descendants.h"
#include "runtime/local/forward.h"
#include "runtime/local/history.h"
#include "runtime/local/run_dir.h"
#include "base/system.h"
#include "base/words.h"

enum { STATUS_SYSTEM = 3, STATUS_INTERNAL = 70 };

/* ---- the one message from the keeper to the command ---- */

struct keeper_report {
	int status;                     /* 0: the run has started, and the text has notes; else the status of a
					 * refusal */
	uint32_t n;                     /* number of bytes of the text that follows */
};

/*
 * Sends the message with its length in front: waiting for the end of the pipe could take forever, since processes of
 * the keeper may hold it open.
 */
static void report(int fd, int status, struct str text)
{
	struct keeper_report r = { status, (uint32_t)(text.n < 1 << 20 ? text.n : 1 << 20) };

	if (file_write_all(fd, (const char *)&r, sizeof r))
		file_write_all(fd, text.p, r.n);
	close(fd);
}

static bool read_whole(int fd, void *into, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t k = read(fd, (char *)into + done, n - done);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		done += (size_t)k;
	}
	return true;
}

static bool read_report(struct arena *a, int fd, struct keeper_report *ret, struct str *text)
{
	if (!read_whole(fd, ret, sizeof *ret))
		return false;
	char *p = arena_alloc(a, ret->n + 1);
	*text = (struct str){ p, ret->n };
	return read_whole(fd, p, ret->n);
}

/* ---- the keeper ---- */

enum { REPORT_FD = 3, LIFELINE_FD = 4, FIRST_FREE_FD = 5 };

/* Closes all descriptors of the command except the two that are given, and moves these two to fixed numbers. */
static void keep_descriptors(int report_fd, int *lifeline)
{
	int high = fcntl(report_fd, F_DUPFD_CLOEXEC, 16),
		life = *lifeline >= 0 ? fcntl(*lifeline, F_DUPFD_CLOEXEC, 16) : -1;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup3(high, REPORT_FD, O_CLOEXEC);
	if (life >= 0)
		dup3(life, LIFELINE_FD, O_CLOEXEC);
	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		dup2(null, fd);
	system_close_from(life >= 0 ? FIRST_FREE_FD : LIFELINE_FD);
	*lifeline = life >= 0 ? LIFELINE_FD : -1;
}

static void default_signals(void)
{
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);       /* with SIGXFSZ ignored, a file that reaches its maximum size is handled like a
					 * full disk, and the lost bytes are counted */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Redirects standard error to a file, so that errors of the keeper itself can be found later. */
static void log_errors(const struct run_dir *dir)
{
	int fd = openat(dir->fd, "keeper.log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return;
	dup2(fd, STDERR_FILENO);
	close(fd);
}

static const char *const isolate_words[] = { [ISOLATE_NONE] = "none", [ISOLATE_JOB] = "job",
	[ISOLATE_REPLICA] = "replica" };

struct run_state keeper_first_state(struct arena *a, const struct keeper_start *s)
{
	struct run_launch launch = { 0 };

	launches_note(a, s->job, &launch);
	return (struct run_state){ .name = s->name, .ns = plan_namespace(s->job), .framework = s->job->framework,
		.file = s->file,
		.digest = s->digest, .isolate = str_of(isolate_words[s->options->isolate]), .boot_id = boot_id_read(a),
			.cause = STR(""), .images = launch.images, .nimages = launch.nimages, .code = launch.code,
			.ncode = launch.ncode, .words = launch.words, .facts = launch.facts, .nfacts = launch.nfacts };
}

static struct run_state begin_state(struct arena *a, const struct keeper_start *s)
{
	struct run_state state = keeper_first_state(a, s);

	state.begin = clock_real();
	process_identify(getpid(), &state.keeper);
	return state;
}

/* Saves the archives of the run's code. `sync` reads from them which files the old code has. */
static bool save_code(struct arena *a, const struct plan_job *j, const struct run_dir *dir, struct str *why)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_code *c = j->roles[i].code;
		struct str name = c ? str_printf(a, "code/%.*s", STR_ARG(code_short(c))) : STR("");
		if (!c || !c->packed.n || !j->roles[i].max || faccessat(dir->fd, name.p, F_OK, 0) == 0)
			continue;
		mkdirat(dir->fd, "code", 0700);
		int fd = openat(dir->fd, name.p, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		bool ok = fd >= 0 && file_write_all(fd, c->packed.p, c->packed.n);
		if (!ok)
			*why = str_printf(a, "cannot write '%.*s': %.*s", STR_ARG(name),
				STR_ARG(file_reason(a, errno)));
		if (fd >= 0)
			close(fd);
		if (!ok)
			return false;
	}
	return true;
}

/* Starts the run, or reports why it cannot be started; the directory is locked. */
static bool keep(struct arena *a, const struct keeper_start *s, const struct run_dir *dir, int lifeline,
	struct str *why, int *status)
{
	struct run_state state = begin_state(a, s);
	struct engine *e = engine_new(a, s->job, s->options, dir, &state, why, status);

	if (!e)
		return false;
	struct control_ops ops = engine_ops(e);
	struct control *c = control_open(a, dir, &ops, why);
	if (!c || !save_code(a, s->job, dir, why) || !run_save(a, dir, &state, why)) {
		*status = STATUS_SYSTEM;
		if (c)
			control_close(c);
		engine_release(e);
		return false;
	}
	report(REPORT_FD, 0, engine_notes(e));
	engine_run(e, c, lifeline);
	control_close(c);
	engine_release(e);
	return true;
}

static void keeper_main(struct arena *a, const struct keeper_start *s, struct str run_dir, int report_fd, int lifeline)
{
	struct str why = STR(""), ignored;
	int status = STATUS_SYSTEM;

	setsid();
	default_signals();
	keep_descriptors(report_fd, &lifeline);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_NAME, "trainc-keeper");
	struct str earlier = s->replace ? history_keep(a, run_dir) : STR("");
	struct run_dir dir = { run_dir, run_dir_make(a, run_dir, s->replace, &why, &status) };
	if (dir.fd >= 0)
		log_errors(&dir);
	if (dir.fd >= 0 && keep(a, s, &dir, lifeline, &why, &status))
		return;
	if (dir.fd >= 0) {
		close(dir.fd);
		run_dir_remove(a, run_dir, &ignored);
	}
	history_restore(earlier, run_dir);
	report(REPORT_FD, status, why);
}

/* ---- the guard ---- */

static enum descendant judge_all(void *context, pid_t pid)
{
	(void)context, (void)pid;
	return DESCENDANT_KILL;
}

/* Kills every descendant of this process and reaps its children, for at most five seconds. */
static void kill_descendants(void)
{
	const struct timespec pause = { 0, 5 * 1000000 };

	for (int rounds = 0; rounds < 1000; rounds++) {
		descendants_kill(getpid(), judge_all, NULL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitpid(-1, NULL, WNOHANG) < 0)
			return;
		nanosleep(&pause, NULL);
	}
}

/* Ends this process in the same way as the keeper ended, so that the waiting process learns how the keeper ended. */
static _Noreturn void end_as(int how)
{
	const struct rlimit none = { 0, 0 };

	if (WIFSIGNALED(how)) {
		setrlimit(RLIMIT_CORE, &none);
		signal(WTERMSIG(how), SIG_DFL);
		kill(getpid(), WTERMSIG(how));
	}
	_exit(WIFEXITED(how) ? WEXITSTATUS(how) : STATUS_INTERNAL);
}

/*
 * The guard: the parent of a detached keeper. When the keeper is killed, the processes that it started become children
 * of the guard, which kills them.
 */
static _Noreturn void guard(pid_t keeper)
{
	int how = 0;

	for (int fd = 0; fd <= 2; fd++)
		close(fd);
	open("/dev/null", O_RDWR);
	(void)!dup(0);
	(void)!dup(0);
	system_close_from(3);
	for (int s = 1; s < NSIG; s++)
		signal(s, s == SIGCHLD ? SIG_DFL : SIG_IGN);
	(void)!chdir("/");
	for (pid_t pid; (pid = wait(&how)) != keeper;)
		if (pid < 0 && errno != EINTR)
			_exit(STATUS_INTERNAL);
	if (!WIFEXITED(how))
		kill_descendants();
	end_as(how);
}

/* Forks; returns in the keeper, while the parent becomes the guard. */
static void leave_guard(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_NAME, "trainc-guard");
	setsid();
	pid_t pid = fork();
	if (pid > 0)
		guard(pid);             /* if no further process can be started, the keeper has no guard */
}

/* ---- the command ---- */

struct start_pipes {
	int report[2], life[2];
};

static void close_pipes(struct start_pipes *p)
{
	int *all[] = { &p->report[0], &p->report[1], &p->life[0], &p->life[1] };

	for (size_t i = 0; i < 4; i++) {
		if (*all[i] >= 0)
			close(*all[i]);
		*all[i] = -1;
	}
}

static bool open_pipes(struct start_pipes *p, bool attached)
{
	*p = (struct start_pipes){ { -1, -1 }, { -1, -1 } };
	return pipe2(p->report, O_CLOEXEC) == 0 && (!attached || pipe2(p->life, O_CLOEXEC) == 0);
}

static struct str how_it_died(struct arena *a, pid_t pid, struct str run_dir)
{
	int how = 0;
	struct str log, why;

	while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
		;
	const char *name = WIFSIGNALED(how) ? system_signal_name(WTERMSIG(how)) : NULL;
	struct str said = STR("");
	if (file_read(a, str_cat(a, run_dir, STR("/keeper.log"), STR("")), &log, &why) && log.n)
		said = str_printf(a, ": %.*s", (int)(log.n < 400 ? log.n : 400), log.p);
	if (name)
		return str_printf(a, "the keeper of the run was killed by %s while it started%.*s", name,
			STR_ARG(said));
	return str_printf(a, "the keeper of the run ended while it started%.*s", STR_ARG(said));
}

static bool wait_for_report(struct arena *a, int fd, struct keeper *k, struct str *why, int *status)
{
	struct keeper_report r;
	struct str text;

	if (!read_report(a, fd, &r, &text)) {
		*why = how_it_died(a, k->pid, k->run_dir);
		*status = STATUS_INTERNAL;
		return false;
	}
	if (r.status == 0) {
		k->notes = text;
		return true;
	}
	while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*why = text;
	*status = r.status;
	return false;
}

/*
 * The number of descriptors that the keeper needs: for each container a log, its times and a pipe; sockets that hold
 * ports; both ends of the connections that it forwards; and some of its own.
 */
static rlim_t descriptors_needed(const struct plan_job *j, size_t published)
{
	rlim_t n = 40 + (published ? published + 2 * FORWARD_MOST : 0);

	for (size_t k = 0; k < j->nroles; k++) {
		const struct plan_role *r = &j->roles[k];
		n += (rlim_t)r->max * (4 * (1 + r->nsidecars + r->ninits) + 2 * r->main.nports);
	}
	return n;
}

/* May the caller have that many descriptors? If not, returns false with an explanation. */
static bool has_descriptors(struct arena *a, const struct plan_job *j, size_t published, struct str *why)
{
	rlim_t needed = descriptors_needed(j, published);
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_max >= needed)
		return true;
	*why = str_printf(a, "'%.*s' needs about %llu open files, and at most %llu are permitted: raise the hard limit "
		"with 'ulimit -Hn %llu'",
		STR_ARG(j->name), (unsigned long long)needed, (unsigned long long)files.rlim_max,
		(unsigned long long)needed);
	return false;
}

bool keeper_start(struct arena *a, const struct keeper_start *s, struct keeper *ret, struct str *why, int *status)
{
	struct keeper k = { .lifeline = -1, .run_dir = run_dir_path(a, s->state_dir, s->name) };
	struct start_pipes pipes;

	*status = STATUS_SYSTEM;
	if (!has_descriptors(a, s->job, s->options->npublished, why))
		return false;
	if (s->attached)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	k.pid = open_pipes(&pipes, s->attached) ? fork() : -1;
	if (k.pid == 0) {
		if (!s->attached)
			leave_guard();
		keeper_main(a, s, k.run_dir, pipes.report[1], pipes.life[0]);
		exit(0);
	}
	if (k.pid < 0) {
		*why = str_printf(a, "cannot start the keeper of '%.*s': %.*s", STR_ARG(s->name),
			STR_ARG(file_reason(a, errno)));
		*status = STATUS_SYSTEM;
		close_pipes(&pipes);
		return false;
	}
	close(pipes.report[1]);
	pipes.report[1] = -1;
	bool ok = wait_for_report(a, pipes.report[0], &k, why, status);
	if (ok) {
		k.lifeline = pipes.life[1];
		pipes.life[1] = -1;
		*ret = k;
	}
	close_pipes(&pipes);
	return ok;
}

/* ---- after the keeper's death ---- */

static bool is_keeper(const struct keeper *keepers, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (keepers[i].pid == pid)
			return true;
	return false;
}

/* Kills and reaps every child that is not a keeper; false if no such child was found. */
static bool kill_children(const struct keeper *keepers, size_t n, size_t *gone)
{
	DIR *d = directory_open("/proc");
	bool found = false;
	char state;

	for (struct dirent *e; d && (e = readdir(d));) {
		pid_t pid = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? (pid_t)strtol(e->d_name, NULL, 10) : 0;
		if (!pid || process_parent(pid, &state) != getpid() || is_keeper(keepers, n, pid))
			continue;
		found = true;
		kill(pid, SIGKILL);
		*gone += waitpid(pid, NULL, WNOHANG) == pid;
	}
	if (d)
		closedir(d);
	return found;
}

size_t keeper_sweep(const struct keeper *keepers, size_t n)
{
	const struct timespec pause = { 0, 5 * 1000000 };
	size_t gone = 0;

	/*
	 * the children of a process that dies become children of this process, so this is repeated until no child is
	 * left, for at most five seconds
	 */
	for (int rounds = 0; rounds < 1000 && kill_children(keepers, n, &gone); rounds++)
		nanosleep(&pause, NULL);
	return gone;
}
