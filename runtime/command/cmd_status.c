/* cmd_status.c - prints the states of runs, once or after each change, and the list of all runs. */
#include <unistd.h>

#include "base/words.h"
#include "runtime/command/contexts.h"
#include "runtime/command/filter.h"
#include "runtime/command/run_view.h"
#include "runtime/command/runs.h"
#include "runtime/command/status_from.h"

struct watching {
	struct session *session;
	struct attend *attend;
	enum report_form form;
};

/* Prints one document for each change: the table of the run that has changed, or a line of JSON. */
static void show_change(void *context, size_t i)
{
	struct watching *w = context;
	struct attend one = { .runs = &w->attend->runs[i], .n = 1 };

	if (!w->attend->runs[i].gone)
		runs_report(w->session, &one, w->form);
}

static bool nobody_reads(void *context) { return ((struct watching *)context)->session->gone; }

static int watch(struct session *s, struct attend *a, enum report_form form)
{
	struct watching w = { s, a, form == REPORT_JSON ? REPORT_JSON_LINE : form };

	a->context = &w;
	a->changed = show_change;
	a->reached = nobody_reads;
	attend_open(a);
	runs_report(s, a, w.form);
	enum attend_end end = attend(a);
	attend_close(a);
	if (end == ATTEND_LOST)
		return runs_lost(s, a);
	return end == ATTEND_INTERRUPTED ? 128 + a->signal : STATUS_DONE;
}

/*
 * Prints, below the table of one run that has failed or cannot continue, the reason and the last words of the first
 * failing rank.
 */
static void tell_why(struct session *s, const struct attend *a)
{
	const struct run_state *run = a->n == 1 && !a->runs[0].gone ? &a->runs[0].state : NULL;
	struct report r = { .runs = &run, .n = 1, .now = clock_real(), .width = session_width(STDOUT_FILENO) };
	struct buf out = { 0 };

	if (run && (run->failure.known || run->phase == RUN_STALLED || run->phase == RUN_FAILED))
		report_details(&r, run, &out);
	if (out.n)
		session_print(s, STR("\n"));
	session_print(s, buf_text(&out));
	buf_release(&out);
}

/* Leaves out the runs that the filter does not choose; returns the number of the others. */
static size_t leave_out(struct session *s, struct run_filter *f, struct attend *a)
{
	size_t left = 0;

	for (size_t i = 0; i < a->n; i++) {
		a->runs[i].left_out = f->given && !filter_takes(f, &a->runs[i].state, filter_now(s, f));
		left += !a->runs[i].left_out;
	}
	return left;
}

/* With --exit-status, the failure of a run that is shown counts. */
static int with_verdict(struct session *s, const struct attend *a, int status)
{
	bool failed = false;

	for (size_t i = 0; i < a->n; i++) {
		enum run_phase phase = a->runs[i].state.phase;
		failed = failed || phase == RUN_FAILED || phase == RUN_FAILING;
	}
	return failed && option_given(s->options, OPTION_EXIT_STATUS) ? runs_worse(status, STATUS_FAILED) : status;
}

/* What is shown, again when other runs exist. */
struct showing {
	size_t operands;
	enum report_form usual;
	struct str selected;            /* name of the run that is selected in a view */
	bool again;
};

/* Is it a view of the whole terminal, which stays open? */
static bool is_view(const struct session *s, const struct showing *w)
{
	return option_given(s->options, OPTION_WATCH) && !w->operands && !option_given(s->options, OPTION_OUTPUT) &&
		!s->context.n && run_view_possible();
}

static int show_view(struct session *s, struct showing *w, struct attend *a)
{
	int status;

	w->again = run_view(s, a, &w->selected, &status) == RUN_VIEW_AGAIN;
	return status && status < 128 ? runs_lost(s, a) : status;
}

static int show_once(struct session *s, struct showing *w)
{
	struct run_filter filter;
	const struct backend *b;
	enum report_form form = runs_form(s, w->usual);
	struct chosen chosen;
	struct attend a;
	size_t operands = w->operands;
	int status = STATUS_USAGE;

	w->again = false;
	if (option_given(s->options, OPTION_WATCH) && (form == REPORT_SVG || form == REPORT_HTML)) {
		session_say(s, "a drawing shows one moment; use --output %s without --watch",
			form == REPORT_SVG ? "svg" : "html");
		return STATUS_USAGE;
	}
	if (operands && option_given(s->options, OPTION_ALL_NAMESPACES)) {
		session_say(s, "-A shows the runs of all namespaces, and '%.*s' is in one; leave one of them out",
			STR_ARG(s->options->operands[0]));
		return STATUS_USAGE;
	}
	if (!filter_read(s, &filter) || !(b = backend_begin(s, &a, &status)))
		return status;
	if (runs_choose(s, b, operands, &chosen, &status)) {
		runs_watch(s, &chosen, &a, &status);
		if (runs_unknown(&a))
			return backend_end(s, &a, status);
		bool none = !a.n && status == STATUS_DONE, plain = form != REPORT_JSON && form != REPORT_NAME;
		if (a.n && !leave_out(s, &filter, &a) && plain)
			session_say(s, "none of the %zu runs is in such a state", a.n);
		else if (none && plain)
			runs_say_none(s, b, chosen.ns);
		else if (is_view(s, w) && a.n)
			status = show_view(s, w, &a);
		else if (option_given(s->options, OPTION_WATCH) && a.n)
			status = watch(s, &a, form);
		else if (a.n || none)
			runs_report(s, &a, form);
		if (form == REPORT_TABLE && !option_given(s->options, OPTION_WATCH) && !s->context.n)
			tell_why(s, &a);
		status = with_verdict(s, &a, status);
	}
	return backend_end(s, &a, status);
}

static int show(struct session *s, size_t operands, enum report_form usual)
{
	struct showing w = { .operands = operands, .usual = usual, .selected = STR("") };
	int status;

	do
		status = show_once(s, &w);
	while (w.again);
	return status;
}

int cmd_status(struct session *s)
{
	int status;

	if (option_given(s->options, OPTION_FROM))
		return status_from(s);
	if (contexts_run(s, cmd_status, &status))
		return status;
	if (!option_given(s->options, OPTION_NOW))
		return show(s, s->options->noperands, REPORT_TABLE);
	session_say(s, "'--now' is for saved objects; add --from FILE");
	return STATUS_USAGE;
}

int cmd_list(struct session *s)
{
	int status;

	return contexts_run(s, cmd_list, &status) ? status : show(s, 0, REPORT_LIST);
}
