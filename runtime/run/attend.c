/* attend.c - the loop of commands that wait. */
#include "runtime/run/attend.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"

/*
 * interval for polling files if the kernel does not report changes; number of bytes of lines that are read at once;
 * number of batches between two checks for signals
 */
enum { LOOK_MS = 100, BATCH = 128 << 10, BATCHES = 8 };

/* ---- signals ---- */

static const int heard[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT, SIGTSTP };

/* Adds the signals to handle to SET. A signal that the caller ignores (nohup) stays ignored. */
static void hear(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < sizeof heard / sizeof *heard; i++) {
		struct sigaction now;
		if (sigaction(heard[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(set, heard[i]);
	}
}

static bool same_terminal(int a, int b)
{
	struct stat x, y;

	return isatty(a) && isatty(b) && fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_rdev == y.st_rdev;
}

void attend_open(struct attend *a)
{
	sigset_t set;

	hear(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	a->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	a->same_terminal = same_terminal(a->out.fd, a->err.fd);
}

/* Suspends the process as the shell expects: restores the terminal, then stops itself. */
static void stop_here(struct attend *a)
{
	progress_hide(&a->progress);
	drain_finish(&a->err, 200);
	kill(getpid(), SIGSTOP);
	progress_resized(&a->progress);
}

/* Handles the signals that have arrived; true if the command should end. */
static bool on_signals(struct attend *a)
{
	struct signalfd_siginfo s;
	bool leave = false;

	while (!leave && read(a->signals, &s, sizeof s) == sizeof s) {
		switch (s.ssi_signo) {
		case SIGTSTP: stop_here(a); break;
		case SIGCONT:
		case SIGWINCH: progress_resized(&a->progress); break;
		default:
			a->signal = (int)s.ssi_signo;
			leave = !a->interrupted || a->interrupted(a->context, a->signal);
		}
	}
	return leave;
}

/* ---- output ---- */

void attend_say(struct attend *a, struct str text)
{
	struct buf shown = { 0 };

	progress_hide(&a->progress);
	put_escaped_lines(&shown, text);
	drain_put(&a->err, buf_text(&shown));
	buf_release(&shown);
}

/* Are all runs over, but for those that this command cannot start? */
static bool all_over(const struct attend *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (!a->runs[i].given_up && !run_watch_over(&a->runs[i]))
			return false;
	return true;
}

static bool any_lost(const struct attend *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->runs[i].lost)
			return true;
	return false;
}

/* Writes a line to standard error, in the right order with the progress display. */
static void put_beside(struct attend *a, struct str text)
{
	if (a->progress.mode == PROGRESS_LIVE)
		progress_print(&a->progress, text);
	else
		drain_put(&a->err, text);
}

/* Prints some of the lines that are available; false if no line was available. */
static bool put_lines(struct attend *a, bool over)
{
	struct buf out = { 0 }, marks = { 0 };
	bool terminal = isatty(a->out.fd);
	struct log_line l;

	while (out.n < BATCH && log_source_next(a->logs, over, &l))
		log_print(&a->print, &l, &out, terminal ? &out : &marks);
	bool any = out.n || marks.n;
	/* if both outputs are the same terminal, everything goes through one buffer and stays in order */
	if (a->same_terminal)
		put_beside(a, buf_text(&out));
	else
		drain_put(&a->out, buf_text(&out));
	put_beside(a, buf_text(&marks));
	buf_release(&out);
	buf_release(&marks);
	return any;
}

/* Prints the available output; false if no more output will come. */
static bool pump_output(struct attend *a)
{
	bool over = (all_over(a) || (a->output_over && a->output_over(a->context))) &&
		(!a->logs || log_source_done(a->logs));

	a->backlog = false;
	if (!a->logs)
		return !over;
	for (int i = 0; drain_room(&a->out) && drain_room(&a->err); i++) {
		/* programs may print faster than this process reads, so signals are handled after each batch */
		a->backlog = i == BATCHES;
		if (a->backlog)
			return true;
		log_source_read(a->logs);
		if (!put_lines(a, over))
			return !over;
		drain_pump(&a->out);
		drain_pump(&a->err);
	}
	a->backlog = true;                      /* more lines may exist, which no event will announce again */
	return true;
}

/* ---- the loop ---- */

static void show_progress(struct attend *a, bool changed)
{
	const struct run_state **runs = memory_resize(NULL, (a->n + 1) * sizeof *runs);

	for (size_t i = 0; i < a->n; i++) {
		if (a->progress.mode == PROGRESS_LIVE && clock_steady() >= progress_due(&a->progress))
			run_watch_measure(&a->runs[i]);
		runs[i] = &a->runs[i].state;
	}
	progress_show(&a->progress, runs, a->n, changed);
	free(runs);
}

static bool update_runs(struct attend *a)
{
	bool any = false, due = a->turn_due && clock_steady() >= a->turn_due;

	for (size_t i = 0; i < a->n; i++) {
		if (!run_watch_update(&a->runs[i]))
			continue;
		any = true;
		if (a->changed)
			a->changed(a->context, i);
	}
	if ((any || due) && a->turn)
		a->turn(a->turns);
	return any || due;
}

/*
 * When a command that is leaving gives up its reader, which has taken nothing for a second since the runs were over.
 */
static int64_t leaves_at(const struct attend *a)
{
	const struct drain *lines = a->same_terminal ? &a->err : &a->out;
	int64_t last = lines->moved > a->over ? lines->moved : a->over;

	return a->over ? last + NS_PER_SECOND : INT64_MAX;
}

static int timeout_of(const struct attend *a)
{
	int64_t now = clock_steady(), until = progress_due(&a->progress);

	/* more lines can be printed at once; while the buffers are full, the loop must wait for their reader */
	if (a->backlog && drain_room(&a->out) && drain_room(&a->err))
		return 0;
	if (a->deadline && a->deadline < until)
		until = a->deadline;
	if (a->turn_due && a->turn_due < until)
		until = a->turn_due;
	if (leaves_at(a) < until)
		until = leaves_at(a);
	if (a->logs && log_source_due(a->logs) < until)
		until = log_source_due(a->logs);
	if (a->logs && log_source_fd(a->logs) < 0 && now + LOOK_MS * (NS_PER_SECOND / 1000) < until)
		until = now + LOOK_MS * (NS_PER_SECOND / 1000);
	if (until == INT64_MAX)
		return -1;
	int64_t ms = (until - now + 999999) / 1000000;
	return ms < 0 ? 0 : ms > 3600000 ? 3600000 : (int)ms;
}

static void add(struct pollfd *p, nfds_t *n, int fd, short events)
{
	if (fd >= 0)
		p[(*n)++] = (struct pollfd){ .fd = fd, .events = events };
}

static void wait_for_news(struct attend *a)
{
	struct pollfd *p = memory_resize(NULL, (a->n + 4) * sizeof *p);
	nfds_t n = 0;
	/* lines stay in their files while the buffers are full */
	bool room = drain_room(&a->out) && drain_room(&a->err);

	add(p, &n, a->signals, POLLIN);
	if (!drain_empty(&a->out))
		add(p, &n, a->out.fd, POLLOUT);
	if (!drain_empty(&a->err))
		add(p, &n, a->err.fd, POLLOUT);
	if (a->logs && room)
		add(p, &n, log_source_fd(a->logs), POLLIN);
	for (size_t i = 0; i < a->n; i++)
		add(p, &n, run_watch_fd(&a->runs[i]), POLLIN);
	poll(p, n, timeout_of(a));
	free(p);
}

enum attend_end attend(struct attend *a)
{
	bool changed = true;

	for (;;) {
		bool more = pump_output(a);
		show_progress(a, changed);
		drain_pump(&a->out);
		drain_pump(&a->err);
		if (a->reached && a->reached(a->context))
			return ATTEND_REACHED;
		if (any_lost(a))
			return ATTEND_LOST;
		if (a->leaving && !a->over && all_over(a))
			a->over = clock_steady();
		if ((!more && drain_empty(&a->out)) || clock_steady() >= leaves_at(a))
			return ATTEND_OVER;
		if (a->deadline && clock_steady() >= a->deadline)
			return ATTEND_TIMEOUT;
		wait_for_news(a);
		if (on_signals(a))
			return ATTEND_INTERRUPTED;
		changed = update_runs(a);
	}
}

void attend_close(struct attend *a)
{
	sigset_t set;

	progress_hide(&a->progress);
	drain_finish(&a->out, 1000);
	drain_finish(&a->err, 1000);
	if (a->signals >= 0) {
		close(a->signals);
		hear(&set);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	a->signals = -1;
}

void attend_release(struct attend *a)
{
	drain_release(&a->out);
	drain_release(&a->err);
	progress_release(&a->progress);
	if (a->logs)
		log_source_release(a->logs);
	for (size_t i = 0; i < a->n; i++)
		run_watch_close(&a->runs[i]);
}
