/* cmd_suspend.c - stops the replicas of runs, and starts them again. */
#include "runtime/command/runs.h"

struct suspension {
	const struct attend *attend;
	bool suspend;
};

static bool is_done(const struct suspension *c, const struct run_watch *w)
{
	bool suspended = w->state.phase == RUN_SUSPENDED;

	return run_watch_over(w) || (c->suspend ? suspended && !run_is_active(&w->state) : !suspended);
}

static bool all_done(void *context)
{
	const struct suspension *c = context;

	for (size_t i = 0; i < c->attend->n; i++)
		if (!is_done(c, &c->attend->runs[i]))
			return false;
	return true;
}

static int report(struct session *s, const struct suspension *c, enum attend_end end)
{
	struct changes changes = changes_begin(s);
	int status = STATUS_DONE;

	if (end == ATTEND_INTERRUPTED)
		return 128 + c->attend->signal;
	for (size_t i = 0; i < c->attend->n; i++) {
		const struct run_watch *w = &c->attend->runs[i];
		bool as_asked = (w->state.phase == RUN_SUSPENDED) == c->suspend && !w->gone;
		if (as_asked && is_done(c, w)) {
			changes_run(&changes, w->name, w->state.ns, c->suspend ? "suspended" : "resumed");
		} else if (end == ATTEND_TIMEOUT && !run_watch_over(w)) {
			session_say(s, "the time is up; run '%.*s' is still %s", STR_ARG(w->name),
				c->suspend ? "stopping its replicas" : "suspended");
			if (changes.json)
				changes_run(&changes, w->name, w->state.ns, c->suspend ? "suspending" : "resuming");
			status = runs_worse(status, STATUS_TIMEOUT);
		} else {
			session_say(s, "run '%.*s' has ended meanwhile", STR_ARG(w->name));
			status = runs_worse(status, STATUS_CONFLICT);
		}
	}
	changes_end(&changes);
	return status;
}

static int await(struct session *s, struct attend *a, bool yes)
{
	struct suspension c = { .attend = a, .suspend = yes };

	if (yes)
		session_say(s, "replicas start over, and the timeout restarts, when the run is resumed");
	a->context = &c;
	a->reached = all_done;
	runs_attend_open(s, a);
	enum attend_end end = attend(a);
	attend_close(a);
	if (end == ATTEND_LOST)
		return runs_lost(s, a);
	return report(s, &c, end);
}

static int suspend(struct session *s, bool yes)
{
	const struct backend *b;
	struct chosen chosen;
	struct attend a;
	int status = STATUS_USAGE;

	if (!(b = backend_begin(s, &a, &status)))
		return status;
	if (runs_choose(s, b, s->options->noperands, &chosen, &status)) {
		bool ok = runs_watch(s, &chosen, &a, &status);
		for (size_t i = 0; i < a.n && ok; i++)
			ok = b->suspend(s, &a.runs[i], yes, &status);
		if (ok)
			status = await(s, &a, yes);
	}
	return backend_end(s, &a, status);
}

int cmd_suspend(struct session *s) { return suspend(s, true); }
int cmd_resume(struct session *s) { return suspend(s, false); }
