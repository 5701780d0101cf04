/*
 * run_dir_test.c - the directories of runs: each has one keeper; surviving processes; disks that refuse writes;
 * complete removal.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "runtime/local/remove.h"
#include "runtime/local/run_dir.h"
#include "runtime/local/survivors.h"
#include "unit.h"

static struct arena arena;
static struct str state, why;
static int status;

static struct run_state some_state(struct str name, enum run_phase phase)
{
	struct run_state s = { .name = name, .ns = STR("default"), .framework = STR(""), .file = STR("a.tj"),
		.isolate = STR("none"),
		.boot_id = boot_id_read(&arena), .phase = phase, .cause = STR(""), .digest = STR("") };

	process_identify(getpid(), &s.keeper);
	return s;
}

static struct str path_of(const char *name) { return run_dir_path(&arena, state, str_of(name)); }
static bool exists(struct str path) { return access(str_copy(&arena, path).p, F_OK) == 0; }
static unsigned mode_of(struct str path)
{
	struct stat is;
	return stat(str_copy(&arena, path).p, &is) == 0 ? is.st_mode & 07777 : 0;
}

static bool save(int fd, struct run_state *s)
{
	const struct run_dir dir = { path_of("somewhere"), fd };
	return run_save(&arena, &dir, s, &why);
}

static int make(const char *name, bool replace)
{
	why = STR("");
	status = 0;
	return run_dir_make(&arena, path_of(name), replace, &why, &status);
}

static void where(void)
{
	struct str got;

	unsetenv("XDG_STATE_HOME");
	setenv("HOME", state.p, 1);
	unsetenv("TRAINC_STATE_DIR");
	CHECK(state_dir(&arena, &got, &why));
	CHECK(str_starts(got, state) && str_ends(got, STR("/.local/state/trainc")) && mode_of(got) == 0700);
	setenv("XDG_STATE_HOME", str_printf(&arena, "%s/xdg", state.p).p, 1);
	CHECK(state_dir(&arena, &got, &why) && str_ends(got, STR("/xdg/trainc")) && mode_of(got) == 0700);
	setenv("XDG_STATE_HOME", "relative", 1);
	CHECK(state_dir(&arena, &got, &why) && str_ends(got, STR("/.local/state/trainc")));
	unsetenv("XDG_STATE_HOME");
	unsetenv("HOME");
	CHECK(!state_dir(&arena, &got, &why));
	CHECK_TEXT(why, "no directory for the state of runs: set TRAINC_STATE_DIR, XDG_STATE_HOME or HOME");
	setenv("TRAINC_STATE_DIR", "own/./dir", 1);
	CHECK(state_dir(&arena, &got, &why) && got.p[0] == '/' && str_ends(got, STR("/own/dir")) &&
		exists(STR("own/dir")));
	CHECK(file_replace(&arena, STR("plain"), STR(""), &why));
	setenv("TRAINC_STATE_DIR", "plain", 1);
	CHECK(!state_dir(&arena, &got, &why) && str_ends(why, STR("is not a directory")));
	setenv("TRAINC_STATE_DIR", "plain/below", 1);
	CHECK(!state_dir(&arena, &got, &why) && str_ends(why, STR("a part of the path is not a directory")));
	CHECK(run_name_valid(STR("bert-2.a")) && !run_name_valid(STR("../x")) && !run_name_valid(STR("")) &&
		!run_name_valid(STR("A")) &&
	      !run_name_valid(STR("a/b")) && !run_name_valid(STR("-a")));
}

static void one_keeper(void)
{
	struct run_state s, got;
	int fd = make("one", false);

	CHECK(fd >= 0 && mode_of(path_of("one")) == 0700 && exists(path_of("one/logs")) &&
		exists(path_of("one/scratch")));
	CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) && exists(path_of("one/reserve")));
	/* no state has been saved yet */
	CHECK(run_load(&arena, state, STR("one"), &got, &why) && got.phase == RUN_PENDING);
	CHECK_TEXT(got.cause, "it is being started");

	s = some_state(STR("one"), RUN_RUNNING);
	CHECK(save(fd, &s) && mode_of(path_of("one/state")) == 0600 && !exists(path_of("one/result")));
	CHECK(run_load(&arena, state, STR("one"), &got, &why) && got.phase == RUN_RUNNING && got.since > 0);
	CHECK(make("one", true) < 0 && status == 5);
	CHECK_TEXT(why, "'one' is already running");
	CHECK(!run_dir_remove(&arena, path_of("one"), &why) && exists(path_of("one/state")));

	s.phase = RUN_SUCCEEDED;
	CHECK(save(fd, &s) && exists(path_of("one/result")) && !exists(path_of("one/reserve")));
	CHECK(save(fd, &s));              /* saving the final state again has the same result */
	close(fd);
	CHECK(make("one", false) < 0 && status == 5);
	CHECK_TEXT(why, "run 'one' already exists");
	CHECK(run_load(&arena, state, STR("one"), &got, &why) && got.phase == RUN_SUCCEEDED);
	fd = make("one", true);
	CHECK(fd >= 0 && !exists(path_of("one/result")) && !exists(path_of("one/state")) &&
		exists(path_of("one/logs")));
	close(fd);
	CHECK(run_dir_remove(&arena, path_of("one"), &why) && !exists(path_of("one")));
	CHECK(!exists(str_printf(&arena, "%s/runs", state.p)));
	/* removing a run that no longer exists succeeds */
	CHECK(run_dir_remove(&arena, path_of("one"), &why));
}

/* A command creates the directory and takes its lock a moment later. In between, the run does not count as ended. */
static void between_directory_and_lock(void)
{
	struct run_state got;
	pid_t child;

	CHECK(mkdir(str_printf(&arena, "%s/runs", state.p).p, 0700) == 0 && mkdir(path_of("young").p, 0700) == 0);
	child = fork();
	if (child == 0) {
		int fd = open(path_of("young").p, O_RDONLY | O_DIRECTORY);
		usleep(50000);
		flock(fd, LOCK_EX);
		pause();
		_exit(0);
	}
	CHECK(run_load(&arena, state, STR("young"), &got, &why) && got.phase == RUN_PENDING);
	CHECK_TEXT(got.cause, "it is being started");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	/* the command was killed before it took the lock */
	CHECK(run_load(&arena, state, STR("young"), &got, &why) && got.phase == RUN_UNKNOWN);
	/* the directory is old by now, so no command is about to take the lock */
	static const struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	CHECK(utimensat(AT_FDCWD, path_of("young").p, old, 0) == 0);
	int64_t begin = clock_steady();
	for (int i = 0; i < 10; i++)
		CHECK(run_load(&arena, state, STR("young"), &got, &why) && got.phase == RUN_UNKNOWN);
	CHECK(clock_steady() - begin < NS_PER_SECOND);
	CHECK(run_dir_remove(&arena, path_of("young"), &why) && !exists(path_of("young")));
}

/* The keeper has died; a process of the run may have outlived it or not. */
static void survivors(void)
{
	struct run_replica at[2] = { { .state = REPLICA_READY }, { .index = 1, .state = REPLICA_READY } };
	struct run_role role = { .name = STR("worker"), .min = 2, .max = 2, .desired = 2, .at = at };
	struct run_state s = some_state(STR("lost"), RUN_RUNNING), got;
	int fd = make("lost", false), how = 0;
	pid_t child = fork();

	if (child == 0) {
		close(fd);              /* exec would close the descriptor too */
		pause();
		_exit(0);
	}
	for (int i = 0; i < 2; i++)
		at[i].cause = at[i].host = STR("");
	s.roles = &role;
	s.nroles = 1;
	process_identify(child, &at[0].process);
	/* another process has this process id now */
	at[1].process = (struct process_id){ child, at[0].process.start + 1 };
	s.keeper.start--;
	CHECK(save(fd, &s));
	close(fd);
	CHECK(run_load(&arena, state, STR("lost"), &got, &why) && got.phase == RUN_UNKNOWN);
	CHECK_TEXT(got.cause, "its keeper ended without recording a verdict");
	struct process_ids alive = run_survivors(&arena, &got);
	CHECK(alive.n == 1 && alive.at[0].pid == child);
	CHECK(got.roles[0].at[0].state == REPLICA_READY && got.roles[0].at[1].state == REPLICA_FAILED);
	CHECK(make("lost", false) < 0 && status == 5 && kill(child, 0) == 0);
	CHECK_TEXT(why, "run 'lost' already exists");
	fd = make("lost", true);                /* ends the processes that the previous run left behind */
	CHECK(fd >= 0 && waitpid(child, &how, 0) == child && WIFSIGNALED(how));
	CHECK(save(fd, &s));
	close(fd);
	CHECK(run_load(&arena, state, STR("lost"), &got, &why) && run_survivors(&arena, &got).n == 0);

	s.boot_id = STR("another boot");
	fd = open(path_of("lost").p, O_RDONLY | O_DIRECTORY);
	CHECK(save(fd, &s));
	close(fd);
	CHECK(run_load(&arena, state, STR("lost"), &got, &why) && got.phase == RUN_UNKNOWN);
	CHECK_TEXT(got.cause, "the machine restarted while it ran");

	CHECK(file_replace(&arena, path_of("lost/state"), STR("{\"schemaVersion\":1,\"na"), &why));
	CHECK(run_load(&arena, state, STR("lost"), &got, &why) && got.phase == RUN_UNKNOWN &&
		str_starts(got.cause, STR("its state cannot be read: ")));
	fd = make("lost", true);
	CHECK(fd >= 0);
	close(fd);
	CHECK(run_dir_remove(&arena, path_of("lost"), &why));
}

/* Ends the sessions of replicas that outlived their keeper, but not another process that got one of their ids. */
static void ending_survivors(void)
{
	struct run_replica at[2] = { { .state = REPLICA_READY, .cause = STR(""), .host = STR("") },
		{ .index = 1, .cause = STR(""), .host = STR("") } };
	struct run_role role = { .name = STR("worker"), .max = 2, .at = at };
	struct run_state s = some_state(STR("lost"), RUN_UNKNOWN);
	int ready[2];
	size_t found;
	char byte;
	pid_t stranger = fork(), leader;

	if (stranger == 0) {
		pause();
		_exit(0);
	}
	CHECK(pipe(ready) == 0);
	leader = fork();
	/* a process that ignores signals, and its child in a process group of its own */
	if (leader == 0) {
		setsid();
		signal(SIGTERM, SIG_IGN);
		if (fork() == 0)
			setpgid(0, 0);
		(void)!write(ready[1], "r", 1);
		close(ready[0]);
		close(ready[1]);
		alarm(30);
		for (;;)
			pause();
	}
	close(ready[1]);
	CHECK(read(ready[0], &byte, 1) == 1 && read(ready[0], &byte, 1) == 1);
	s.roles = &role;
	s.nroles = 1;
	CHECK(process_identify(leader, &at[0].process) && process_identify(stranger, &at[1].process));
	at[1].process.start++;
	CHECK(survivors_end(&arena, &s, 100000000, &found) == 0);
	/* the end of file shows that its child, which held the pipe open, has ended too */
	CHECK(read(ready[0], &byte, 1) == 0);
	close(ready[0]);
	CHECK(waitpid(leader, NULL, 0) == leader && kill(stranger, 0) == 0 && waitpid(stranger, NULL, WNOHANG) == 0);
	kill(stranger, SIGKILL);
	waitpid(stranger, NULL, 0);
	CHECK(survivors_end(&arena, &s, 100000000, &found) == 0);
}

static void names(void)
{
	struct run_state s;
	const char *const all[] = { "bert", "alpha" };

	CHECK(!run_load(&arena, state, STR("bert"), &s, &why));
	CHECK_TEXT(why, "no run 'bert' on this machine");
	for (int i = 0; i < 2; i++)
		close(make(all[i], false));
	struct run_names got = run_list(&arena, state);
	CHECK(got.n == 2 && str_is(got.at[0], "alpha") && str_is(got.at[1], "bert"));
	CHECK(!run_load(&arena, state, STR("brt"), &s, &why));
	CHECK_TEXT(why, "no run 'brt' on this machine; did you mean 'bert'?");
	CHECK(!run_load(&arena, state, STR("something"), &s, &why));
	CHECK_TEXT(why, "no run 'something' on this machine; the runs are alpha, bert");
	CHECK(!run_load(&arena, state, STR("../../etc"), &s, &why));
	for (int i = 0; i < 2; i++)
		CHECK(run_dir_remove(&arena, path_of(all[i]), &why));
}

/* A directory is removed while its keeper runs; the next directory of that name belongs to another run. */
static void taken_away(void)
{
	struct run_state s = some_state(STR("away"), RUN_RUNNING), got;
	struct str aside = str_printf(&arena, "%s/aside", state.p);
	int first = make("away", false);

	CHECK(save(first, &s) && rename(path_of("away").p, aside.p) == 0);
	int second = make("away", false);
	CHECK(second >= 0 && save(second, &s));
	s.phase = RUN_FAILED;
	CHECK(save(first, &s) && exists(str_printf(&arena, "%s/result", aside.p)));
	CHECK(run_load(&arena, state, STR("away"), &got, &why) && got.phase == RUN_RUNNING);
	CHECK(!exists(path_of("away/result")) && exists(path_of("away/reserve")));
	CHECK(remove_inside(&arena, first, NULL, &why) && rmdir(aside.p) == 0);
	CHECK(!save(first, &s) && str_starts(why, STR("cannot save the state in ")) && !exists(path_of("away/result")));
	close(first);
	close(second);
	CHECK(run_dir_remove(&arena, path_of("away"), &why));
}

/* Ten processes start the same run at the same time; each time exactly one succeeds. */
static void race(void)
{
	unsigned exactly_one = 0;

	for (int round = 0; round < 5; round++) {
		int won = 0, go[2], hold[2];
		pid_t children[10];
		char byte;

		CHECK(pipe(go) == 0 && pipe(hold) == 0);
		for (int i = 0; i < 10; i++) {
			children[i] = fork();
			if (children[i] != 0)
				continue;
			struct run_state s = some_state(STR("race"), RUN_RUNNING);
			close(go[1]);
			close(hold[1]);
			/* waits until the pipe is closed, so that all processes start at once */
			(void)!read(go[0], &byte, 1);
			int fd = make("race", true);
			if (fd < 0)
				_exit(status == 5 ? 1 : 2);
			save(fd, &s);
			(void)!read(hold[0], &byte, 1);         /* keeps the run until the others have tried */
			_exit(0);
		}
		close(go[0]);
		close(go[1]);
		close(hold[0]);
		int refused = 0;
		for (int i = 0; i < 9; i++) {
			int how;
			if (wait(&how) > 0 && WIFEXITED(how))
				refused += WEXITSTATUS(how) == 1;
		}
		close(hold[1]);
		int how;
		won = wait(&how) > 0 && WIFEXITED(how) && WEXITSTATUS(how) == 0;
		exactly_one += refused == 9 && won == 1;
	}
	CHECK(exactly_one == 5);
	CHECK(run_dir_remove(&arena, path_of("race"), &why));
}

/* Removes what training programs may leave behind: deep trees, directories without permissions, odd names. */
static void removal(void)
{
	int fd = make("deep", false), at = dup(fd), depth = 0;

	CHECK(file_replace(&arena, STR("outside"), STR("stays"), &why));
	for (; depth < 1100; depth++) {
		int next;
		if (mkdirat(at, "directory", 0700) != 0 || (next = openat(at, "directory", O_RDONLY | O_DIRECTORY)) < 0)
			break;
		close(at);
		at = next;
	}
	CHECK(depth == 1100);
	close(openat(at, "file", O_CREAT | O_WRONLY, 0));
	CHECK(symlinkat("/", at, "link") == 0 && mkfifoat(at, "fifo", 0) == 0);
	fchmod(at, 0);
	close(at);
	for (int i = 0; i < 60; i++) {
		CHECK(i || mkdirat(fd, "wide", 0700) == 0);
		struct str name = str_printf(&arena, "wide/%d", i);
		mkdirat(fd, name.p, 0700);
		close(openat(fd, str_printf(&arena, "%s/x", name.p).p, O_CREAT | O_WRONLY, 0600));
		(void)!fchmodat(fd, name.p, 0100, 0);
	}
	CHECK(symlinkat("../../../outside", fd, "scratch/up") == 0);
	close(fd);
	CHECK(run_dir_remove(&arena, path_of("deep"), &why) && !exists(path_of("deep")) && exists(STR("outside")));
}

static void disk(void)
{
	struct str runs = str_printf(&arena, "%s/runs", state.p);

	CHECK(file_replace(&arena, runs, STR("in the way"), &why));
	CHECK(make("x", false) < 0 && status == 3 && str_starts(why, STR("cannot make the directory of the run in ")));
	unlink(runs.p);
	if (geteuid() != 0) {
		mkdir(runs.p, 0500);
		CHECK(make("x", false) < 0 && status == 3);
		rmdir(runs.p);
	}
}

int main(void)
{
	char work[] = "/tmp/run_dir_test.XXXXXX";

	if (!mkdtemp(work) || chdir(work) != 0)
		return 1;
	state = str_printf(&arena, "%s/state", work);
	mkdir(state.p, 0700);
	where();
	one_keeper();
	between_directory_and_lock();
	survivors();
	ending_survivors();
	names();
	taken_away();
	race();
	removal();
	disk();
	int fd = open(work, O_RDONLY | O_DIRECTORY);
	CHECK(remove_inside(&arena, fd, NULL, &why));
	close(fd);
	CHECK(rmdir(work) == 0);
	arena_release(&arena);
	return unit_end();
}
