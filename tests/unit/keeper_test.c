/*
 * keeper_test.c - the keeper as a process: what it inherits, how it refuses to start, and which process survives the
 * end of which other. The engine is a stand-in that starts two processes and waits.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "runtime/local/keeper.h"
#include "runtime/local/run_dir.h"
#include "unit.h"

static struct arena arena;
static struct str why, state;
static int status;

/* ---- the stand-in ---- */

struct engine {
	struct arena *arena;
	struct run_state *state;
	struct run_dir dir;
	struct str name;
	bool stopped;
};

static bool stop(void *context, bool kill_them, struct str *ret)
{
	(void)kill_them, (void)ret;
	((struct engine *)context)->stopped = true;
	return true;
}
static bool refuse_suspend(void *context, bool yes, struct str *ret)
{
	return (void)context, (void)yes, *ret = STR("no"), false;
}
static bool refuse_scale(void *context, struct str role, int64_t n, struct str *ret)
{
	return (void)context, (void)role, (void)n, *ret = STR("no"), false;
}

struct engine *engine_new(struct arena *a, const struct plan_job *job, const struct engine_options *o,
	const struct run_dir *dir, struct run_state *s, struct str *ret_why, int *ret_status)
{
	struct engine *e = ARENA_NEW(a, struct engine);

	(void)o;
	*e = (struct engine){ .arena = a, .state = s, .dir = *dir, .name = job->name };
	if (str_is(job->name, "refused")) {
		*ret_why = STR("worker: there is no program 'x'\nps: neither\n");
		*ret_status = 8;
		return NULL;
	}
	if (str_is(job->name, "crashing")) {
		(void)!write(STDERR_FILENO, "out of luck\n", 12);
		abort();
	}
	return e;
}

struct str engine_notes(const struct engine *e)
{
	return str_is(e->name, "noted") ? STR("images are ignored\n") : STR("");
}
struct control_ops engine_ops(struct engine *e)
{
	return (struct control_ops){ e, stop, refuse_suspend, refuse_scale, refuse_scale, NULL };
}
void engine_release(struct engine *e) { (void)e; }

static void note(const char *dir, const char *name, const char *text)
{
	struct str ignored;
	file_replace(&arena, str_printf(&arena, "%s/%s", dir, name), str_of(text), &ignored);
}

/* Lists descriptors, signals and session attributes that the keeper should not have inherited. */
static void note_inheritance(const struct engine *e, int lifeline)
{
	struct buf b = { 0 };
	sigset_t blocked;

	for (int fd = 0; fd < 100; fd++)
		if (fcntl(fd, F_GETFD) >= 0 && fd > 2 && !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
			buf_printf(&b, "descriptor %d\n", fd);
	if (lifeline >= 0 && fcntl(lifeline, F_GETFD) < 0)
		buf_z(&b, "no lifeline\n");
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	if (sigismember(&blocked, SIGTERM) || signal(SIGUSR1, SIG_DFL) != SIG_DFL)
		buf_z(&b, "signals\n");
	if (getsid(0) != getpid() || isatty(1))
		buf_z(&b, "session\n");
	note(e->dir.path.p, "inherited", buf_text(&b).n ? buf_text(&b).p : "");
	buf_release(&b);
}

void engine_run(struct engine *e, struct control *c, int lifeline)
{
	struct str ignored;

	/* This is written before the process ids, so whoever can read those finds it. */
	note_inheritance(e, lifeline);
	e->state->phase = RUN_RUNNING;
	run_save(&arena, &e->dir, e->state, &ignored);
	pid_t child = fork();
	if (child == 0) {               /* a replica that ignores signals, and its child */
		setsid();
		pid_t grandchild = fork();
		if (grandchild) {
			struct str text = str_printf(&arena, "%ld %ld", (long)getpid(), (long)grandchild);
			file_replace(&arena, str_printf(&arena, "%.*s/pids", STR_ARG(e->dir.path)), text, &ignored);
		}
		alarm(20);
		for (;;)
			pause();
	}
	bool cut = false;
	for (int i = 0; i < 200 && !e->stopped && !cut; i++) {
		struct pollfd p[2] = { { .fd = control_fd(c), .events = POLLIN },
			{ .fd = lifeline, .events = POLLIN } };
		poll(p, 2, 100);
		control_serve(c);
		cut = p[1].revents;
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	while (waitpid(-1, NULL, WNOHANG) == 0)         /* the grandchild has become our child */
		keeper_sweep(NULL, 0);
	e->state->phase = RUN_FAILED;
	run_save(&arena, &e->dir, e->state, &ignored);
}

/* ---- tests ---- */

static bool start(const char *name, bool attached, struct keeper *ret)
{
	static struct plan_job job;
	static const struct engine_options options;
	struct keeper_start s = { .job = &job, .name = str_of(name), .file = STR("a.tj"), .digest = STR("d"),
		.state_dir = state, .options = &options, .attached = attached, .replace = true };

	job = (struct plan_job){ .name = str_of(name), .framework = STR("") };
	why = STR("");
	status = 0;
	return keeper_start(&arena, &s, ret, &why, &status);
}

static void pause_ms(long ms) { nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL); }

/* Returns the process ids of the stand-in as soon as they exist. */
static void pids_of(const struct keeper *k, pid_t ret[2])
{
	struct str text;

	ret[0] = ret[1] = 0;
	for (int i = 0; i < 500 && !ret[1]; i++, pause_ms(10))
		if (file_read(&arena, str_printf(&arena, "%.*s/pids", STR_ARG(k->run_dir)), &text, &why))
			ret[0] = (pid_t)strtol(text.p, NULL, 10), ret[1] = (pid_t)strtol(strchr(text.p, ' '), NULL, 10);
}

static bool gone(pid_t pid)
{
	for (int i = 0; i < 300; i++, pause_ms(10)) {
		struct process_id id;
		if (!process_identify(pid, &id))
			return true;
	}
	return false;
}

static int end_of(pid_t pid)
{
	int how;
	return waitpid(pid, &how, 0) == pid && WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static enum run_phase phase_of(const char *name)
{
	struct run_state s;
	return run_load(&arena, state, str_of(name), &s, &why) ? s.phase : RUN_PENDING;
}

static bool stop_run(const struct keeper *k)
{
	int fd = control_connect(&arena, k->run_dir, &why);
	bool ok = fd >= 0 && control_ask(&arena, fd, STR("stop"), &why) == CONTROL_OK;

	if (fd >= 0)
		close(fd);
	return ok;
}

static void an_ordinary_run(void)
{
	struct keeper k, other;
	struct run_state s;
	struct str text;
	pid_t pids[2];
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	signal(SIGUSR1, SIG_IGN);
	int stray = open("/dev/null", O_RDONLY);        /* without close-on-exec */
	CHECK(start("noted", true, &k) && k.lifeline >= 0);
	CHECK_TEXT(k.notes, "images are ignored\n");
	pids_of(&k, pids);
	CHECK(file_read(&arena, str_printf(&arena, "%.*s/inherited", STR_ARG(k.run_dir)), &text, &why));
	CHECK_TEXT(text, "");
	CHECK(run_load(&arena, state, STR("noted"), &s, &why) && s.phase == RUN_RUNNING && s.keeper.pid == k.pid &&
		str_is(s.file, "a.tj") &&
	      str_is(s.digest, "d") && str_is(s.isolate, "none"));
	CHECK(!start("noted", true, &other) && status == 5);
	CHECK_TEXT(why, "'noted' is already running");
	CHECK(stop_run(&k) && end_of(k.pid) == 0 && gone(pids[0]) && gone(pids[1]));
	CHECK(phase_of("noted") == RUN_FAILED);
	/* a new run of the name replaces the previous one */
	CHECK(start("noted", true, &other) && stop_run(&other) && end_of(other.pid) == 0);
	close(k.lifeline);
	close(other.lifeline);
	close(stray);
	sigprocmask(SIG_UNBLOCK, &term, NULL);
	signal(SIGUSR1, SIG_DFL);
}

static void refusals(void)
{
	struct keeper k;

	CHECK(!start("refused", true, &k) && status == 8);
	CHECK_TEXT(why, "worker: there is no program 'x'\nps: neither\n");
	CHECK(access(run_dir_path(&arena, state, STR("refused")).p, F_OK) != 0);
	CHECK(!start("crashing", false, &k) && status == 70);
	CHECK_TEXT(why, "the keeper of the run was killed by ABRT while it started: out of luck\n");
	CHECK(waitpid(-1, NULL, WNOHANG) == -1);
}

/* Starts a run in a process of its own, which the test will kill. */
static pid_t command(const char *name, bool attached, struct keeper *k)
{
	int ready[2];

	CHECK(pipe(ready) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		bool ok = start(name, attached, k);
		(void)!write(ready[1], k, sizeof *k);
		if (ok && attached)
			pause();
		_exit(ok ? 0 : 1);
	}
	close(ready[1]);
	CHECK(read(ready[0], k, sizeof *k) == sizeof *k);
	close(ready[0]);
	k->run_dir = run_dir_path(&arena, state, str_of(name));
	return pid;
}

static void the_command_dies(void)
{
	struct keeper k;
	pid_t pids[2], pid = command("attached", true, &k);

	pids_of(&k, pids);
	CHECK(pids[1] > 0);
	kill(pid, SIGKILL);
	CHECK(end_of(pid) == -1 && gone(k.pid) && gone(pids[0]) && gone(pids[1]));
	CHECK(phase_of("attached") == RUN_FAILED);

	pid = command("detached", false, &k);
	pids_of(&k, pids);
	CHECK(end_of(pid) == 0);
	pause_ms(50);
	CHECK(kill(k.pid, 0) == 0 && kill(pids[1], 0) == 0 && phase_of("detached") == RUN_RUNNING);
	CHECK(stop_run(&k) && gone(k.pid) && gone(pids[0]) && gone(pids[1]));
}

static void the_keeper_dies(void)
{
	struct keeper k[2];
	pid_t pids[2], others[2];

	bool both = start("first", true, &k[0]) && start("second", true, &k[1]);
	CHECK(both);
	if (!both)                              /* a process id of 0 would stand for every process of this group */
		return;
	pids_of(&k[0], pids);
	pids_of(&k[1], others);
	kill(k[0].pid, SIGKILL);
	CHECK(end_of(k[0].pid) == -1);
	CHECK(phase_of("first") == RUN_UNKNOWN);
	CHECK(keeper_sweep(k + 1, 1) == 2 && gone(pids[0]) && gone(pids[1]));
	CHECK(kill(k[1].pid, 0) == 0 && kill(others[0], 0) == 0 && kill(others[1], 0) == 0);
	/* one keeper does not hold the lifeline of the other open */
	close(k[1].lifeline);
	CHECK(end_of(k[1].pid) == 0 && gone(others[0]) && gone(others[1]));
	close(k[0].lifeline);
	CHECK(keeper_sweep(NULL, 0) == 0);
}

int main(void)
{
	char work[] = "/tmp/keeper_test.XXXXXX";
	struct run_names all;

	signal(SIGPIPE, SIG_IGN);
	/* unbuffered, because keepers end with exit(), which would flush copies */
	setvbuf(stdout, NULL, _IONBF, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);       /* orphans of the commands become our children, and are reaped here */
	if (!mkdtemp(work))
		return 1;
	state = str_of(work);
	an_ordinary_run();
	refusals();
	the_command_dies();
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	the_keeper_dies();
	all = run_list(&arena, state);
	CHECK(all.n == 6);              /* this includes the run whose keeper crashed */
	for (size_t i = 0; i < all.n; i++)
		CHECK(run_dir_remove(&arena, run_dir_path(&arena, state, all.at[i]), &why));
	CHECK(rmdir(work) == 0);
	arena_release(&arena);
	return unit_end();
}
