/* cmd_apply.c - starts the jobs of programs and leaves them running. */
#include "runtime/command/on_end.h"
#include "runtime/command/parallel.h"
#include "runtime/command/run_number.h"

/* Have all runs of A reached GOAL, so that apply does not have to wait? */
static bool all_reached(const struct attend *a, enum run_goal goal)
{
	bool failed;

	for (size_t i = 0; i < a->n; i++)
		if (!goal_reached(&a->runs[i], goal, &failed))
			return false;
	return true;
}

/* Waits for the state that --for names; STATUS is the status so far. */
static int wait_for_all(struct session *s, const struct backend *b, struct attend *a, struct parallel *p, int status)
{
	enum run_goal goal = option_given(s->options, OPTION_NO_WAIT) ? GOAL_CREATED : runs_goal(s, GOAL_RUNNING);
	int waited;

	if (a->n && status != STATUS_USAGE && !all_reached(a, goal)) {
		if (b->opened && !b->opened(s, &waited))
			return runs_worse(status, waited);
		parallel_begin(p, b, a);
		waited = runs_wait(s, a, goal);
		status = parallel_end(p, a, runs_worse(status, waited));
	} else if (status != STATUS_USAGE && goal == GOAL_COMPLETE) {
		status = parallel_end(p, a, status);
		on_end_run(s, a);               /* the runs have ended before apply could wait */
	}
	if (str_is(option_value(s->options, OPTION_OUTPUT), "json"))
		runs_report(s, a, REPORT_JSON);
	return status;
}

/* Does the command wait for the end that --on-end is about? If not, that was reported. */
static bool is_on_end_for_complete(struct session *s)
{
	if (!option_given(s->options, OPTION_ON_END) || runs_goal(s, GOAL_RUNNING) == GOAL_COMPLETE)
		return true;
	session_say(s, "--on-end needs --for=complete: otherwise the command ends before the run does");
	return false;
}

/* Applies all programs; if the name of --name was taken meanwhile, again with the next one. */
static int apply_all(struct session *s, const struct backend *b, struct attend *a, struct programs *all)
{
	struct parallel parallel;
	unsigned tries = 0;
	int status;

	if (!parallel_read(s, &parallel))
		return STATUS_USAGE;
	do {
		session_release(all);
		*all = (struct programs){ 0 };
		if (!run_number_choose(s, b, &status) || !session_plan(s, false, all, &status))
			return status;
		if (!parallel_hold(&parallel, all))
			return STATUS_USAGE;
		if (b->preview && option_given(s->options, OPTION_DRY_RUN))
			return b->preview(s, all);
		status = b->apply(s, all, a);
	} while (run_number_again(s, &tries));
	return status > 128 ? status : wait_for_all(s, b, a, &parallel, status);
}

int cmd_apply(struct session *s)
{
	struct programs all = { 0 };
	struct attend a;
	int status = STATUS_USAGE;
	const struct backend *b = on_end_valid(s) && is_on_end_for_complete(s) ? backend_begin(s, &a, &status) : NULL;

	if (!b)
		return status;
	if (option_given(s->options, OPTION_LOCAL) && option_given(s->options, OPTION_CONTROLLER)) {
		session_say(s, "--controller leaves a run to the controller of a cluster; a local run has a process "
			"that stays with it");
		return backend_end(s, &a, STATUS_USAGE);
	}
	status = apply_all(s, b, &a, &all);
	status = backend_end(s, &a, status);
	session_release(&all);
	return status;
}
