/* cmd_suspend.c - stop the replicas of runs, and start them again. */
#include "command/runs.h"

struct suspension {
	const struct attend *attend;
	bool suspend;
};

static bool any_active(const struct run_state *s)
{
	for (size_t i = 0; i < s->nroles; i++)
		if (run_count(&s->roles[i]).active)
			return true;
	return false;
}

static bool is_done(const struct suspension *c, const struct watch *w)
{
	bool suspended = w->state.phase == RUN_SUSPENDED;

	return watch_over(w) || (c->suspend ? suspended && !any_active(&w->state) : !suspended);
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
	int status = STATUS_DONE;

	if (end == ATTEND_INTERRUPTED)
		return 128 + c->attend->signal;
	for (size_t i = 0; i < c->attend->n; i++) {
		const struct watch *w = &c->attend->runs[i];
		bool as_asked = (w->state.phase == RUN_SUSPENDED) == c->suspend && !w->gone;
		if (as_asked && is_done(c, w)) {
			session_write(s, str_printf(s->arena, "run/%.*s %s\n", STR_ARG(w->name), c->suspend ? "suspended" : "resumed"));
		} else if (end == ATTEND_TIMEOUT) {
			session_say(s, "the time is up; run '%.*s' is still %s", STR_ARG(w->name), c->suspend ? "stopping its replicas" : "suspended");
			status = STATUS_TIMEOUT;
		} else {
			session_say(s, "run '%.*s' has ended meanwhile", STR_ARG(w->name));
			status = STATUS_CONFLICT;
		}
	}
	return status;
}

static int suspend(struct session *s, bool yes)
{
	struct chosen chosen;
	struct attend a;
	struct suspension c = { .attend = &a, .suspend = yes };
	int status;

	if (!runs_choose(s, s->options->noperands, &chosen, &status))
		return status;
	if (!runs_attend_init(s, &a))
		return STATUS_USAGE;
	bool ok = runs_watch(s, &chosen, &a, &status);
	for (size_t i = 0; i < a.n && ok; i++)
		ok = runs_ask(s, &a.runs[i], yes ? STR("suspend") : STR("resume"), &status);
	if (ok && yes)
		session_say(s, "replicas are stopped, and begin anew when the run is resumed; so does its timeout");
	if (ok) {
		a.context = &c;
		a.reached = all_done;
		runs_attend_open(s, &a);
		enum attend_end end = attend(&a);
		attend_close(&a);
		status = report(s, &c, end);
	}
	attend_release(&a);
	return status;
}

int cmd_suspend(struct session *s) { return suspend(s, true); }
int cmd_resume(struct session *s) { return suspend(s, false); }
