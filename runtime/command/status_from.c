/* status_from.c - `trainc status --from FILE PROGRAM`, and `why`: the verdict of saved objects, without a cluster. */
#include "runtime/command/status_from.h"

#include <unistd.h>

#include "runtime/command/runs.h"
#include "runtime/command/saved.h"
#include "runtime/command/why.h"
#include "runtime/status/status.h"
#include "base/words.h"

/* Shows the states as the command does: `status` in one report, `why` one after the other. */
static void show(struct session *s, const struct run_state **runs, size_t n, int64_t now)
{
	struct report r = { .runs = runs, .n = n, .form = runs_form(s, REPORT_TABLE), .now = now,
		.width = session_width(STDOUT_FILENO) };
	struct buf out = { 0 };

	if (s->options->command == COMMAND_WHY) {
		for (size_t i = 0; i < n; i++)
			why_explain(s, "", runs[i], now, &out);
		why_print(s, buf_text(&out));
	} else {
		report_runs(&r, &out);
		for (size_t i = 0; i < n && r.form == REPORT_TABLE; i++)
			report_details(&r, runs[i], &out);
		runs_write_report(s, r.form, buf_text(&out));
	}
	buf_release(&out);
}

/* Judges all jobs of the program; true if one of them has failed. */
static bool judge(struct session *s, const struct plan *plan, const struct status_objects *objects, int64_t now)
{
	const struct run_state **runs = ARENA_ARRAY(s->arena, const struct run_state *, plan->njobs);
	bool failed = false;

	for (size_t i = 0; i < plan->njobs; i++) {
		struct run_state *state = ARENA_NEW(s->arena, struct run_state);
		*state = status_of(s->arena, &plan->jobs[i], objects, now);
		failed = failed || state->phase == RUN_FAILED || state->phase == RUN_FAILING;
		runs[i] = state;
	}
	show(s, runs, plan->njobs, now);
	return failed;
}

/* Reads the time of --now; false after reporting that it is not a time. */
static bool moment(struct session *s, int64_t *ret)
{
	struct str text = option_value(s->options, OPTION_NOW);

	*ret = clock_real();
	if (!option_given(s->options, OPTION_NOW) || time_parse(text, ret))
		return true;
	session_say(s, "--now takes a time such as 2026-01-31T23:59:00Z, not '%.*s'", STR_ARG(text));
	return false;
}

int status_from(struct session *s)
{
	struct sources sources = { .arena = s->arena };
	struct status_objects objects = { 0 };
	struct programs all;
	int64_t now;
	int status;

	if (s->options->noperands != 1) {
		session_say(s, "'--from' needs one program: trainc %s --from objects.json job.tj",
			command_word(s->options->command));
		return STATUS_USAGE;
	}
	if (s->options->command == COMMAND_STATUS && option_given(s->options, OPTION_WATCH)) {
		session_say(s, "'--watch' needs a run; saved objects do not change");
		return STATUS_USAGE;
	}
	if (!moment(s, &now))
		return STATUS_USAGE;
	if (!saved_read(s, option_value(s->options, OPTION_FROM), &sources, &objects))
		return STATUS_PROGRAM;
	bool planned = session_plan(s, false, &all, &status);
	if (planned && saved_are_foreign(s, option_value(s->options, OPTION_FROM), &objects, &all.at[0]->plan))
		status = STATUS_FAILED;
	else if (planned)
		status = judge(s, &all.at[0]->plan, &objects, now) && option_given(s->options, OPTION_EXIT_STATUS) ?
			STATUS_FAILED : STATUS_DONE;
	session_release(&all);
	return status;
}
