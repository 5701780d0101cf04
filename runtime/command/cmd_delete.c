/*
 * cmd_delete.c - stops runs and removes everything that belongs to them.
 */
#include "base/words.h"
#include "runtime/command/filter.h"
#include "runtime/command/runs.h"

/* Shows what the command would delete, before it asks for confirmation. */
static void show_plan(struct session *s, const struct attend *a)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct run_state *run = &a->runs[i].state;
		struct buf b = { 0 };

		report_counts(run, &b);
		session_say(s, "run/%.*s will be deleted: %s%s%.*s", STR_ARG(a->runs[i].name),
			run_phase_word(run->phase), b.n ? "; " : "",
		            STR_ARG(buf_text(&b)));
		buf_release(&b);
	}
}

/* Finds the runs to delete. Without operands nothing is deleted, unless --all is given. */
static bool choose(struct session *s, const struct backend *b, const struct run_filter *f, struct chosen *ret,
	int *status)
{
	if (!s->options->noperands && !option_given(s->options, OPTION_ALL) && !f->given) {
		session_say(s, "delete needs a run, or a program, or --all, --state or --older");
		*status = STATUS_USAGE;
		return false;
	}
	if (s->options->noperands && option_given(s->options, OPTION_ALL)) {
		session_say(s, "--all deletes every run, not just '%.*s'; leave one of them out",
			STR_ARG(s->options->operands[0]));
		*status = STATUS_USAGE;
		return false;
	}
	return runs_choose(s, b, option_given(s->options, OPTION_ALL) ? 0 : s->options->noperands, ret, status);
}

/* Appends run I of A to the runs LEFT. */
static void keep_chosen(struct session *s, const struct attend *a, size_t i, struct chosen *left)
{
	struct chosen_run r = { .name = str_copy(s->arena, a->runs[i].name), .listed = true };

	r.ns = str_copy(s->arena, a->runs[i].state.ns);
	ARENA_PUSH(s->arena, left->at, left->n, r);
}

/*
 * Opens the runs *C. One of several that a filter chooses from may have a record that cannot be read: that is reported,
 * *WORST becomes its status, and the others go on.
 */
static bool watch_rest(struct session *s, const struct run_filter *f, const struct chosen *c, struct attend *a,
	int *worst, int *status)
{
	if (runs_watch(s, c, a, status))
		return true;
	bool rest = f->given && a->n && *status != STATUS_UNREACHABLE && !runs_unknown(a);
	if (rest) {
		*worst = runs_worse(*worst, *status);
		*status = STATUS_DONE;
	}
	return rest;
}

/*
 * Opens those of the runs *C that the filter chooses, and sets *C to them. A run whose state has changed meanwhile is
 * left out, and named if CHOSEN says that the filter had chosen all of them. False if none is left, or after an error.
 * *WORST: the status of runs that cannot be deleted.
 */
static bool watch_filtered(struct session *s, struct run_filter *f, struct chosen *c, struct attend *a, bool chosen,
	int *worst, int *status)
{
	while (watch_rest(s, f, c, a, worst, status)) {
		struct chosen left = { .ns = c->ns };
		for (size_t i = 0; i < a->n; i++) {
			const struct run_state *run = &a->runs[i].state;
			if (!f->given || filter_takes(f, run, filter_now(s, f)))
				keep_chosen(s, a, i, &left);
			else if (chosen)
				session_say(s, "run/%.*s is %s now, and is not deleted", STR_ARG(a->runs[i].name),
					run_phase_word(run->phase));
		}
		if (left.n == a->n)
			return *status == STATUS_DONE || !f->given;
		if (!left.n && !chosen)
			session_say(s, "none of the %zu runs is in such a state", a->n);
		attend_release(a);
		*c = left;
		chosen = true;
		if (!left.n || !runs_attend_init(s, a))
			return false;
	}
	return false;
}

/* Asks whether the runs are to be deleted. The answer may take long, so a filter then looks at their states again. */
static bool agreed(struct session *s, struct run_filter *f, struct chosen *c, struct attend *a, int *worst, int *status)
{
	if (option_given(s->options, OPTION_YES))
		return runs_agreed(s, "delete", "deleted", status);
	show_plan(s, a);
	if (!runs_agreed(s, "delete", "deleted", status))
		return false;
	if (!f->given)
		return true;
	attend_release(a);
	return runs_attend_init(s, a) && watch_filtered(s, f, c, a, true, worst, status);
}

int cmd_delete(struct session *s)
{
	const struct backend *b;
	struct chosen chosen;
	struct attend a;
	struct changes changes = changes_begin(s);
	struct run_filter filter;
	int status = STATUS_USAGE, worst = STATUS_DONE;

	if (!filter_read(s, &filter))
		return status;
	if (option_given(s->options, OPTION_FORCE) && !option_given(s->options, OPTION_LOCAL)) {
		session_say(s, "--force is for local runs (--local); in a cluster, replicas have the grace period that "
			"the program gives their role");
		return status;
	}
	if (option_given(s->options, OPTION_FORCE_NODE) && option_given(s->options, OPTION_LOCAL)) {
		session_say(s, "--force-node is for runs in a cluster; with --local, --force kills the replicas at once");
		return status;
	}
	if (!(b = backend_begin(s, &a, &status)))
		return status;
	bool chose = choose(s, b, &filter, &chosen, &status);
	if (chose && !chosen.n && !changes.json)
		runs_say_none(s, b, chosen.ns);
	if (chose && watch_filtered(s, &filter, &chosen, &a, false, &worst, &status) && a.n &&
	    agreed(s, &filter, &chosen, &a, &worst, &status))
		status = b->remove(s, &a, &changes);
	changes_end(&changes);
	return backend_end(s, &a, runs_worse(status, worst));
}
