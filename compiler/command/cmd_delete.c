/*
 * cmd_delete.c - stop runs and remove everything of them.
 *
 * A run with a keeper is stopped by it.  Where the keeper is gone, processes that it
 * started may have survived: only those are touched that can be proven to be its own.
 */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "command/runs.h"
#include "runtime/local/run_dir.h"
#include "runtime/local/survivors.h"
#include "runtime/words.h"

/* ---- asking ---- */

static void show_plan(struct session *s, const struct attend *a)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct run_state *run = &a->runs[i].state;
		struct buf b = { 0 };

		report_counts(run, &b);
		session_say(s, "run/%.*s will be deleted: %s%s%.*s", STR_ARG(a->runs[i].name), run_phase_word(run->phase), b.n ? "; " : "",
		            STR_ARG(buf_text(&b)));
		buf_release(&b);
	}
}

static bool agreed(struct session *s, const struct attend *a, int *status)
{
	char answer[16] = "";

	if (option_given(s->options, OPTION_YES))
		return true;
	show_plan(s, a);
	*status = STATUS_USAGE;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
		session_say(s, "there is no terminal to ask on: --yes deletes without being asked");
		return false;
	}
	session_ask("Go on? [y/N] ");
	ssize_t n = read(STDIN_FILENO, answer, sizeof answer - 1);
	if (n > 0 && (answer[0] == 'y' || answer[0] == 'Y'))
		return true;
	session_say(s, "nothing was deleted");
	*status = STATUS_DONE;
	return false;
}

/* ---- stopping ---- */

static bool stop_all(struct session *s, const struct attend *a)
{
	struct str request = option_given(s->options, OPTION_FORCE) ? STR("kill") : STR("stop");
	bool any = false;

	for (size_t i = 0; i < a->n; i++) {
		struct str why;
		int fd;

		if (watch_over(&a->runs[i]))
			continue;
		any = true;
		fd = control_connect(s->arena, a->runs[i].dir, &why);
		if (fd >= 0) {
			control_ask(s->arena, fd, request, &why);       /* it may have ended by itself meanwhile */
			close(fd);
		}
	}
	return any;
}

/* A keeper that has told its verdict is gone a moment later. */
static void wait_for_keeper(const struct run_state *run)
{
	const struct timespec pause = { 0, 10 * 1000000 };

	for (int i = 0; i < 500 && process_alive(&run->keeper, run->boot_id); i++)
		nanosleep(&pause, NULL);
}

static bool remove_run(struct session *s, const struct watch *w, int *status)
{
	int64_t grace = option_given(s->options, OPTION_FORCE) ? 0 : 10 * NS_PER_SECOND;
	struct str why;
	size_t left;

	wait_for_keeper(&w->state);
	left = survivors_end(s->arena, &w->state, grace);
	if (left) {
		session_say(s, "run '%.*s': %zu process%s cannot be ended: the kernel holds them; try again later", STR_ARG(w->name), left, left == 1 ? "" : "es");
		*status = STATUS_FAILED;
		return false;
	}
	if (!run_dir_remove(s->arena, w->dir, &why)) {
		session_say(s, "%.*s", STR_ARG(why));
		*status = STATUS_OUTPUT;
		return false;
	}
	session_write(s, str_printf(s->arena, "run/%.*s deleted\n", STR_ARG(w->name)));
	return true;
}

static int delete_all(struct session *s, struct attend *a)
{
	int status = STATUS_DONE;

	if (stop_all(s, a)) {
		runs_attend_open(s, a);
		enum attend_end end = attend(a);
		attend_close(a);
		if (end == ATTEND_INTERRUPTED) {
			session_say(s, "nothing was removed; the replicas are stopping all the same");
			return 128 + a->signal;
		}
		if (end == ATTEND_TIMEOUT) {
			session_say(s, "the time is up and replicas still run; --force kills them");
			return STATUS_TIMEOUT;
		}
	}
	for (size_t i = 0; i < a->n; i++)
		remove_run(s, &a->runs[i], &status);
	return status;
}

/* Without operands nothing is meant, unless --all says so. */
static bool choose(struct session *s, struct chosen *ret, int *status)
{
	if (!s->options->noperands && !option_given(s->options, OPTION_ALL)) {
		session_say(s, "delete needs a run, or a program, or --all");
		*status = STATUS_USAGE;
		return false;
	}
	return runs_choose(s, option_given(s->options, OPTION_ALL) ? 0 : s->options->noperands, ret, status);
}

int cmd_delete(struct session *s)
{
	struct chosen chosen;
	struct attend a;
	int status;

	if (!choose(s, &chosen, &status))
		return status;
	if (!runs_attend_init(s, &a))
		return STATUS_USAGE;
	if (runs_watch(s, &chosen, &a, &status) && a.n && agreed(s, &a, &status))
		status = delete_all(s, &a);
	attend_release(&a);
	return status;
}
