/*
 * local_remove.c - stops runs on this machine and removes their files. If a run has a keeper, the keeper stops it. If
 * the keeper is gone, processes that it started may have survived; only processes that certainly belong to the run are
 * ended.
 */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/words.h"
#include "runtime/command/local.h"
#include "runtime/command/runs.h"
#include "runtime/local/history.h"
#include "runtime/local/survivors.h"
#include "runtime/local/watch.h"

/* ---- stopping ---- */

/*
 * Handles a keeper that does not answer: kills it if the user gave --force, otherwise reports that the run was not
 * deleted. Processes that a killed keeper leaves behind are ended later, as after any other death of a keeper.
 */
static void stop_silent(struct session *s, struct run_watch *w, int *status)
{
	if (option_given(s->options, OPTION_FORCE)) {
		keeper_kill(&w->state);
		run_watch_update(w);
		return;
	}
	session_say(s,
		"run '%.*s' was not deleted: 'trainc delete --local --force %.*s' kills its keeper and its replicas",
		STR_ARG(w->name),
		STR_ARG(w->name));
	*status = STATUS_CONFLICT;
}

/* Asks every run that has not ended to end; true if the caller must wait for at least one run. */
static bool stop_all(struct session *s, struct attend *a, int *status)
{
	struct str request = option_given(s->options, OPTION_FORCE) ? STR("kill") : STR("stop");
	bool any = false;

	for (size_t i = 0; i < a->n; i++) {
		struct str why;
		int fd;

		if (local_watch_silent(&a->runs[i]))
			stop_silent(s, &a->runs[i], status);
		if (run_watch_over(&a->runs[i]) || local_watch_silent(&a->runs[i]))
			continue;
		any = true;
		fd = control_connect(s->arena, local_watch_dir(&a->runs[i]), &why);
		if (fd >= 0) {
			control_ask(s->arena, fd, request, &why);       /* may fail: the run may have just ended */
			close(fd);
		}
	}
	return any;
}

/* Waits for the end of a keeper that has announced its verdict: the keeper ends a moment later. */
static void wait_for_keeper(const struct run_state *run)
{
	const struct timespec pause = { 0, 10 * 1000000 };

	for (int i = 0; i < 500 && process_alive(&run->keeper, run->boot_id); i++)
		nanosleep(&pause, NULL);
}

static bool remove_run(struct session *s, const struct run_watch *w, struct changes *c, int *status)
{
	int64_t grace = option_given(s->options, OPTION_FORCE) ? 0 : 10 * NS_PER_SECOND;
	struct str why;
	size_t left, found;

	if (local_watch_silent(w) && !run_watch_over(w))
		return false;
	if (w->state.phase == RUN_UNKNOWN && !grace)
		keeper_kill(&w->state);
	wait_for_keeper(&w->state);
	left = survivors_end(s->arena, &w->state, grace, &found);
	if (left) {
		session_say(s, "run '%.*s': %zu process%s cannot be ended: the kernel holds them; try again later",
			STR_ARG(w->name), left, left == 1 ? "" : "es");
		*status = STATUS_FAILED;
		return false;
	}
	if (!history_shelve(s->arena, local_state_dir(s), w->name, &why))
		session_say(s, "the history of run '%.*s' is not kept: %.*s", STR_ARG(w->name), STR_ARG(why));
	if (!run_dir_remove(s->arena, local_watch_dir(w), &why) ||
		!history_remove(s->arena, local_state_dir(s), w->name, &why)) {
		session_say(s, "%.*s", STR_ARG(why));
		*status = STATUS_OUTPUT;
		return false;
	}
	changes_run(c, w->name, w->state.ns, "deleted");
	return true;
}

int local_remove(struct session *s, struct attend *a, struct changes *c)
{
	int status = STATUS_DONE;

	if (stop_all(s, a, &status)) {
		runs_attend_open(s, a);
		enum attend_end end = attend(a);
		attend_close(a);
		if (end == ATTEND_INTERRUPTED) {
			session_say(s, "nothing was removed, but the replicas are stopping");
			return 128 + a->signal;
		}
		if (end == ATTEND_TIMEOUT) {
			session_say(s, "the time is up and replicas still run; --force kills them");
			return STATUS_TIMEOUT;
		}
	}
	for (size_t i = 0; i < a->n; i++)
		remove_run(s, &a->runs[i], c, &status);
	return status;
}
