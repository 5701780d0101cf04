/*
 * sync_watch.c - see sync_watch.h. Each round is a process of its own: it syncs, waits for the next change, and ends.
 * So a watch of days takes no more memory than one sync, and a round has the connections and signals of any other
 * command.
 */
#include "runtime/command/sync_watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "runtime/command/code_watch.h"
#include "runtime/command/sync_once.h"

/* How long the files must stay as they are before they are sent. */
#define SETTLED (300 * INT64_C(1000000))

/* How a round ends if there is to be another one; not an exit status of a command. */
enum { ROUND_CHANGED = 100, ROUND_FAILED, RETRY_FIRST = 2, RETRY_MOST = 60 };

enum { NAME_MOST = 256 };

/* What rounds tell later ones: a program that cannot be compiled any more does not say which run it is. */
struct round_note {
	char name[NAME_MOST], ns[NAME_MOST];
};

struct round {
	struct session *session;
	struct round_note *note;              /* memory of all rounds */
	unsigned number;                /* of the round, from 0 */
	unsigned failures;              /* rounds before this one that have failed, one after the other */
	struct run_watch *run;
	struct code_watch files;
};

/* ---- waiting ---- */

/* Does nothing more happen to the run? */
static bool run_is_over(const struct run_watch *w)
{
	return w->lost || run_watch_over(w) || run_phase_final(w->state.phase);
}

/* Waits at most that long for a change of the files or the run; true if the run goes on. */
static bool wait_a_while(struct round *r, int64_t limit, bool files)
{
	struct pollfd p[2] = { { .fd = run_watch_fd(r->run), .events = POLLIN },
		{ .fd = files ? r->files.fd : -1, .events = POLLIN } };
	int64_t ms = limit < 0 ? -1 : limit / 1000000 + 1;

	poll(p, 2, ms > INT32_MAX ? INT32_MAX : (int)ms);
	run_watch_update(r->run);
	return !run_is_over(r->run);
}

/* Waits until that much time is over; false if the run has ended before. */
static bool sleep_for(struct round *r, int64_t time)
{
	int64_t until = clock_steady() + time, left;
	bool on = true;

	while (on && (left = until - clock_steady()) > 0)
		on = wait_a_while(r, left, false);
	return on;
}

/* Waits until the files stay as they are; false if the run has ended before. NOW: the last look, which is replaced. */
static bool settle_files(struct round *r, char now[65])
{
	char before[65];

	do {
		memcpy(before, now, sizeof before);
		if (!sleep_for(r, SETTLED))
			return false;
		code_watch_changed(&r->files);
		code_watch_look(&r->files, now);
	} while (strcmp(before, now) != 0);
	return true;
}

/* Waits for files that differ from those of the look BEGUN, or until the time RETRY, or 0; false: the run is over. */
static bool wait_for_change(struct round *r, const char begun[65], int64_t retry)
{
	char now[65];

	for (bool on = true; on;) {
		code_watch_changed(&r->files);
		code_watch_look(&r->files, now);
		if (strcmp(now, begun) != 0) {
			if (!settle_files(r, now))
				return false;
			if (strcmp(now, begun) != 0)
				return true;
		}
		int64_t left = retry ? retry - clock_steady() : -1, pause = code_watch_pause(&r->files, false);
		if (retry && left <= 0)
			return true;
		if (r->files.fd < 0)
			left = retry && left < pause ? left : pause;
		on = wait_a_while(r, left, true) && sleep_for(r, code_watch_pause(&r->files, true));
	}
	return false;
}

/* ---- the end ---- */

/* Says why the command ends now; returns its exit status. */
static int say_over(struct round *r)
{
	const struct run_watch *w = r->run;
	struct str cause = w->state.cause;

	if (w->lost) {
		session_say(r->session, "run '%.*s' cannot be followed any more, and goes on: %.*s", STR_ARG(w->name),
			STR_ARG(w->lost_why));
		return w->lost;
	}
	if (w->gone || w->replaced || str_is(cause, RUN_STOPPED)) {
		session_say(r->session, "run '%.*s' was %s", STR_ARG(w->name), w->replaced ? "started again" :
			w->gone ? "deleted" : RUN_STOPPED);
		return STATUS_DONE;
	}
	session_say(r->session, "run '%.*s' has ended: %s%s%.*s", STR_ARG(w->name), run_phase_word(w->state.phase),
		cause.n ? ": " : "", STR_ARG(cause));
	return w->state.phase == RUN_SUCCEEDED ? STATUS_DONE : STATUS_FAILED;
}

/* ---- a round ---- */

/* May the command go on after a sync that ended so? What is wrong at the beginning ends it, but for the files. */
static bool goes_on_after(const struct round *r, int status)
{
	return status == STATUS_DONE || status == STATUS_PROGRAM || (r->number && status < 128);
}

static int64_t retry_pause(unsigned failures)
{
	int64_t seconds = RETRY_FIRST << (failures < 5 ? failures : 5);

	return (seconds < RETRY_MOST ? seconds : RETRY_MOST) * NS_PER_SECOND;
}

/* Says what the command waits for. */
static void say_waiting(const struct round *r, int status, int64_t pause)
{
	if (status == STATUS_PROGRAM || status == STATUS_USAGE)
		session_say(r->session, "nothing was sent; waiting for the next change of the files");
	else if (status != STATUS_DONE)
		session_say(r->session, "the same again in %lld s, or after the next change",
			(long long)(pause / NS_PER_SECOND));
	else if (!r->number)
		session_say(r->session, "waiting for changes%s%s; Ctrl-C ends this and leaves the run running",
			r->files.polls ? ", by looking at all files each second, because " : "",
			r->files.polls ? r->files.polls : "");
}

/* Begins to follow the run itself, as commands do that wait; false after a report. */
static bool runs_opened(const struct round *r, const struct backend *b, int *status)
{
	int failure;

	if (!b->opened || b->opened(r->session, &failure))
		return true;
	*status = failure;
	return false;
}

/* Waits for what is to follow a sync that ended with STATUS; returns how the round ends. */
static int wait_after(struct round *r, int status, const char begun[65])
{
	bool failed = status != STATUS_DONE && status != STATUS_PROGRAM && status != STATUS_USAGE;
	int64_t pause = failed ? retry_pause(r->failures) : 0;

	if (run_is_over(r->run))
		return say_over(r);
	say_waiting(r, status, pause);
	if (!wait_for_change(r, begun, failed ? clock_steady() + pause : 0))
		return say_over(r);
	return failed ? ROUND_FAILED : ROUND_CHANGED;
}

static int round_in_run(struct round *r, const struct backend *b, struct attend *a)
{
	struct session sub;
	struct programs seen = { 0 };
	char begun[65];
	struct str project;
	int status;

	r->run = &a->runs[0];
	if (!sync_program(r->session, r->run, &sub, &status))
		return status;
	if (!session_compile(&sub, &seen) || !seen.n) {
		session_release(&seen);
		return STATUS_USAGE;
	}
	const struct plan_job *job = sync_job(&seen, r->run->name, &project);
	code_watch_open(&r->files, r->session->arena, seen.at[0], job, option_value(r->session->options, OPTION_ROLE));
	code_watch_look(&r->files, begun);
	status = sync_once(r->session, b, r->run, r->number > 0);
	if (goes_on_after(r, status) && runs_opened(r, b, &status))
		status = wait_after(r, status, begun);
	code_watch_close(&r->files);
	session_release(&seen);
	return status;
}

/* ---- which run ---- */

static void keep_text(char to[NAME_MOST], struct str s)
{
	size_t n = s.n < NAME_MOST - 1 ? s.n : NAME_MOST - 1;

	memcpy(to, s.p, n);
	to[n] = '\0';
}

/* Finds the run of a program whose files are not looked at: they may be refused now, and good after the next change. */
static bool find_run(struct round *r, struct chosen_run *ret)
{
	struct session *s = r->session;
	struct programs all = { 0 };

	*ret = (struct chosen_run){ .name = str_of(r->note->name), .ns = str_of(r->note->ns) };
	if (!str_ends(s->options->operands[0], STR(".tj")))
		return false;
	if (session_compile(s, &all) && all.n == 1 && all.at[0]->plan.njobs == 1) {
		const struct plan_job *j = &all.at[0]->plan.jobs[0];
		keep_text(r->note->name, j->name);
		keep_text(r->note->ns, j->ns.set ? j->ns.value : STR(""));
		*ret = (struct chosen_run){ .name = str_of(r->note->name), .ns = str_of(r->note->ns) };
	}
	session_release(&all);
	return ret->name.n > 0;
}

/* Opens the run; false with a status after a report. */
static bool open_run(struct round *r, const struct backend *b, struct attend *a, int *ret_status)
{
	struct chosen_run *run = ARENA_NEW(r->session->arena, struct chosen_run);
	struct chosen one = { .at = run, .n = 1 };

	return find_run(r, run) ? runs_watch(r->session, &one, a, ret_status) :
		runs_watch_one(r->session, b, a, ret_status);
}

static int round_of(struct round *r)
{
	struct attend a;
	int status;
	const struct backend *b = backend_begin(r->session, &a, &status);

	if (!b)
		return status;
	if (open_run(r, b, &a, &status))
		status = round_in_run(r, b, &a);
	return backend_end(r->session, &a, status);
}

/* ---- the process of a round ---- */

static const int passed[] = { SIGINT, SIGTERM, SIGHUP };

static _Noreturn void be_round(const struct round *r, const sigset_t *mask, pid_t parent)
{
	struct session one = *r->session;
	struct round mine = *r;

	mine.session = &one;
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
		_exit(STATUS_INTERNAL);         /* the command has ended meanwhile */
	_exit(session_end(&one, round_of(&mine)));
}

/* Waits for the end of the round, and passes on signals that only this process got. */
static int await_round(struct session *s, pid_t pid, const sigset_t *set)
{
	siginfo_t info;
	int how = 0;

	for (pid_t ended; (ended = waitpid(pid, &how, WNOHANG)) != pid;) {
		if (ended < 0 && errno != EINTR)
			return STATUS_INTERNAL;
		if (sigwaitinfo(set, &info) > 0 && info.si_signo != SIGCHLD && info.si_code != SI_KERNEL)
			kill(pid, info.si_signo);
	}
	if (WIFEXITED(how))
		return WEXITSTATUS(how);
	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
		if (WTERMSIG(how) == passed[i])
			return 128 + passed[i];
	session_say(s, "the process of a sync was ended by signal %d", WTERMSIG(how));
	return STATUS_INTERNAL;
}

/* Carries out one round in a process of its own; returns how it has ended. */
static int carry_out(struct round *r, const sigset_t *set, const sigset_t *mask)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid)
		be_round(r, mask, parent);
	if (pid > 0)
		return await_round(r->session, pid, set);
	session_say(r->session, "no process for the sync: %.*s", STR_ARG(file_reason(r->session->arena, errno)));
	return STATUS_OUTPUT;
}

int sync_watch(struct session *s)
{
	void *memory = mmap(NULL, sizeof(struct round_note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct round r = { .session = s, .note = memory };
	int status = ROUND_CHANGED;
	sigset_t set, mask;

	if (memory == MAP_FAILED) {
		session_say(s, "no memory for the sync: %.*s", STR_ARG(file_reason(s->arena, errno)));
		return STATUS_OUTPUT;
	}
	if (str_is(s->options->operands[0], "-")) {
		session_say(s, "sync --watch needs the program in a file: standard input can be read once");
		return STATUS_USAGE;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
		sigaddset(&set, passed[i]);
	sigprocmask(SIG_BLOCK, &set, &mask);
	while (status == ROUND_CHANGED || status == ROUND_FAILED) {
		status = carry_out(&r, &set, &mask);
		r.failures = status == ROUND_FAILED ? r.failures + 1 : 0;
		r.number++;
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	munmap(memory, sizeof(struct round_note));
	return status;
}
