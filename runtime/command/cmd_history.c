/*
 * cmd_history.c - shows the launches of runs: when each began and ended, how and why, by whom and with what. They are
 * kept after `delete`. The state of a launch that goes on is that of the run now.
 */
#include <unistd.h>

#include "runtime/command/runs.h"
#include "runtime/run/run_history.h"

/* Fills in the state of a launch that goes on: its record does not know it. */
static void take_state(const struct run_watch *w, struct run_histories *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct run_history *h = &all->at[i];
		struct run_launch *last = h->launches.n ? &h->launches.at[h->launches.n - 1] : NULL;
		if (!last || last->state.n || !str_eq(h->name, w->name) ||
			(h->ns.n && !str_eq(h->ns, w->state.ns)))
			continue;
		last->state = str_of(run_phase_word(w->state.phase));
		last->cause = w->state.cause;
		if (run_phase_final(w->state.phase))
			last->ended = w->state.end ? w->state.end : w->state.since;
	}
}

/* Reads the states of the runs whose last launch has no end yet. */
static int find_states(struct session *s, struct run_histories *all, struct attend *a)
{
	struct chosen going = { 0 };
	int status = STATUS_DONE;

	for (size_t i = 0; i < all->n; i++) {
		const struct run_launches *l = &all->at[i].launches;
		if (l->n && !l->at[l->n - 1].state.n)
			ARENA_PUSH(s->arena, going.at, going.n, ((struct chosen_run){ .name = all->at[i].name,
				.ns = all->at[i].ns, .listed = true }));
	}
	if (going.n)
		runs_watch(s, &going, a, &status);
	for (size_t i = 0; i < a->n; i++)
		take_state(&a->runs[i], all);
	return status;
}

static void print_histories(struct session *s, const struct run_histories *all, bool named)
{
	struct report how = { .form = runs_form(s, REPORT_TABLE), .width = session_width(STDOUT_FILENO),
		.everywhere = option_given(s->options, OPTION_ALL_NAMESPACES) };
	struct buf out = { 0 };

	history_report(all, &how, named, &out);
	runs_write_report(s, how.form, buf_text(&out));
	buf_release(&out);
}

static int history_of(struct session *s, const struct backend *b, struct attend *a)
{
	struct run_histories all = { 0 };
	struct chosen chosen = { 0 };
	size_t operands = s->options->noperands;
	int status = STATUS_DONE;

	if (operands && !runs_choose(s, b, operands, &chosen, &status))
		return status;
	if (!b->history(s, &chosen, &all, &status))
		return status;
	int states = find_states(s, &all, a);
	status = runs_worse(status, states);
	if (all.n || runs_form(s, REPORT_TABLE) == REPORT_JSON)
		print_histories(s, &all, operands != 1 || all.n > 1);
	else if (!operands)
		session_say(s, "no run was started %s, as far as is known", b->place);
	return status;
}

int cmd_history(struct session *s)
{
	struct attend a;
	int status;

	if (s->options->noperands && option_given(s->options, OPTION_ALL_NAMESPACES)) {
		session_say(s, "-A shows the runs of all namespaces, and '%.*s' is in one; leave one of them out",
			STR_ARG(s->options->operands[0]));
		return STATUS_USAGE;
	}
	const struct backend *b = backend_begin(s, &a, &status);
	return b ? backend_end(s, &a, history_of(s, b, &a)) : status;
}
