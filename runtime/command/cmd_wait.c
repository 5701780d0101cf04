/* cmd_wait.c - waits until runs have reached a state. */
#include "base/words.h"
#include "runtime/command/on_end.h"

struct waiting {
	const struct attend *attend;
	enum run_goal goal;
	bool impatient;                 /* --fail-on-stall was given */
	bool each;                      /* the failure of one run does not end the wait for the others */
};

static bool any_stalled(const struct attend *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->runs[i].state.phase == RUN_STALLED)
			return true;
	return false;
}

/* Have all runs reached the state, or is it certain that one of them never will? */
static bool settled(void *context)
{
	const struct waiting *w = context;
	bool all = true, failed;

	if (w->impatient && any_stalled(w->attend))
		return true;
	for (size_t i = 0; i < w->attend->n; i++) {
		bool reached = goal_reached(&w->attend->runs[i], w->goal, &failed);
		/* waits until a failing run ends: only then is it certain which rank failed first */
		bool lost = failed && run_watch_over(&w->attend->runs[i]);
		if (lost && !w->each)
			return true;
		all = all && (reached || lost || w->attend->runs[i].given_up);
	}
	return all;
}

/* Reports the runs that are stalled; returns their status. */
static int report_stalled(struct session *s, const struct attend *a)
{
	int status = STATUS_DONE;

	for (size_t i = 0; i < a->n; i++) {
		if (a->runs[i].state.phase != RUN_STALLED)
			continue;
		session_say(s, "run '%.*s' is stalled: %.*s", STR_ARG(a->runs[i].name),
			STR_ARG(a->runs[i].state.cause));
		status = STATUS_FAILED;
	}
	return status;
}

/* Says in which state each run is that goes on when the time is up: a table on a terminal has been erased. */
static void say_late(struct session *s, const struct attend *a)
{
	const char *when = "the time is up; ";

	for (size_t i = 0; i < a->n; i++) {
		const struct run_watch *w = &a->runs[i];
		struct str cause = name_escaped(s->arena, w->state.cause);
		if (run_watch_over(w))
			continue;
		session_say(s, "%srun '%.*s' goes on: %s%s%.*s", when, STR_ARG(w->name),
			run_phase_word(w->state.phase), cause.n ? ": " : "", STR_ARG(cause));
		when = "";
	}
	if (*when)
		session_say(s, "the time is up");
}

static int outcome(struct session *s, const struct attend *a, enum run_goal goal, enum attend_end end)
{
	int status = STATUS_DONE;
	bool failed;

	if (end == ATTEND_INTERRUPTED)
		return runs_interrupted(s, a);
	if (end == ATTEND_LOST)
		return runs_lost(s, a);
	if (end == ATTEND_TIMEOUT) {
		say_late(s, a);
		return STATUS_TIMEOUT;
	}
	if (option_given(s->options, OPTION_FAIL_ON_STALL))
		status = report_stalled(s, a);
	if (status)
		return runs_worse(status, runs_verdict(a, false));
	for (size_t i = 0; i < a->n; i++)
		if (!goal_reached(&a->runs[i], goal, &failed))
			return runs_verdict(a, false);
	return STATUS_DONE;
}

int runs_wait(struct session *s, struct attend *a, enum run_goal goal)
{
	struct waiting w = { a, goal, option_given(s->options, OPTION_FAIL_ON_STALL),
		a->turn != NULL };

	a->context = &w;
	a->reached = settled;
	runs_attend_open(s, a);
	enum attend_end end = attend(a);
	attend_close(a);
	int status = outcome(s, a, goal, end);
	if (end != ATTEND_INTERRUPTED && goal == GOAL_COMPLETE)
		on_end_run(s, a);
	return status;
}

int cmd_wait(struct session *s)
{
	struct str form = option_value(s->options, OPTION_OUTPUT);
	const struct backend *b;
	struct chosen chosen;
	struct attend a;
	int status = STATUS_USAGE;

	if (!on_end_valid(s) || !(b = backend_begin(s, &a, &status)))
		return status;
	if (runs_choose(s, b, s->options->noperands, &chosen, &status) && runs_watch(s, &chosen, &a, &status)) {
		status = runs_wait(s, &a, runs_goal(s, GOAL_COMPLETE));
		if (form.n && !str_is(form, "text"))
			runs_report(s, &a, runs_form(s, REPORT_TABLE));
	}
	return backend_end(s, &a, status);
}
