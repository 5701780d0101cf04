/* cmd_logs.c - prints the output of replicas, merged by time; with -f also their future output. */
#include <unistd.h>

#include "runtime/command/contexts.h"
#include "runtime/command/logs.h"
#include "runtime/command/runs.h"

struct reading {
	struct log_wish wish;
	bool follow;
};

static bool is_over(const struct reading *r, const struct run_state *run, const struct run_replica *p)
{
	bool ended = p->state == REPLICA_SUCCEEDED || p->state == REPLICA_FAILED;
	/* an attempt that is not the last one has ended */
	bool passed = r->wish.attempt && p->attempts >= r->wish.attempt + !ended;

	return passed || (ended && !run->restarts_at);
}

/* Is it certain that the selected streams bring no more lines? */
static bool output_over(void *context)
{
	const struct reading *r = context;
	const struct run_watch *w = &r->wish.attend->runs[0];
	const struct run_state *run = &w->state;

	if (!r->follow)
		return true;
	for (size_t k = 0; k < run->nroles; k++)
		for (int64_t i = 0; i < run->roles[k].max; i++)
			if (logs_wanted(&r->wish, run, k, i, NULL) && !is_over(r, run, &run->roles[k].at[i]))
				return false;
	return r->wish.all && !r->wish.attempt ? run_watch_over(w) : true;
}

/*
 * Selects streams again after a change of a run: a rank that has failed is selected from now on, and new replicas may
 * appear.
 */
static void changed(void *context, size_t run)
{
	const struct reading *r = context;

	(void)run;
	log_source_reconsider(r->wish.attend->logs);
}

static bool nobody_reads(void *context)
{
	const struct reading *r = context;

	return r->wish.attend->out.gone;
}

/* Names the selected replicas that have not printed anything. */
static void say_silent(struct session *s, const struct reading *r)
{
	const struct run_state *run = &r->wish.attend->runs[0].state;
	struct buf b = { 0 };
	size_t n = 0;

	for (size_t k = 0; k < run->nroles; k++)
		for (int64_t i = 0; i < run->roles[k].max; i++) {
			const struct run_replica *p = &run->roles[k].at[i];
			int64_t needed = r->wish.previous ? 2 : r->wish.attempt ? r->wish.attempt : 1;
			if (!logs_wanted(&r->wish, run, k, i, NULL) || p->attempts >= needed || n++ >= 5)
				continue;
			buf_printf(&b, "%s%.*s/%lld", b.n ? ", " : "", STR_ARG(run->roles[k].name), (long long)i);
		}
	if (n > 5)
		buf_printf(&b, " and %zu more", n - 5);
	if (n && r->wish.previous)
		session_say(s, "no attempt before the last one: %.*s", STR_ARG(buf_text(&b)));
	else if (n && r->wish.attempt > 1)
		session_say(s, "no attempt %lld so far: %.*s", (long long)r->wish.attempt, STR_ARG(buf_text(&b)));
	else if (n)
		session_say(s, "not started yet: %.*s", STR_ARG(buf_text(&b)));
	buf_release(&b);
}

/* Tells a person at a terminal how many replicas are not shown because nothing was selected. */
static void say_others(struct session *s, const struct reading *r)
{
	const struct run_state *run = &r->wish.attend->runs[0].state;
	size_t n = 0;

	if (!r->wish.usual || !isatty(STDERR_FILENO))
		return;
	for (size_t k = 0; k < run->nroles; k++)
		for (int64_t i = 0; i < run->roles[k].max; i++)
			n += run->roles[k].at[i].attempts && !logs_wanted(&r->wish, run, k, i, NULL);
	if (n)
		session_say(s, "%zu more replica%s: --all shows all, --role and --rank choose", n, n == 1 ? "" : "s");
}

/*
 * Explains why a running program seems silent: it buffers output that does not go to a terminal, so it may have printed
 * much although nothing arrives.
 */
static void say_held_back(struct session *s, const struct attend *a, const struct reading *r)
{
	const struct run_state *run = &r->wish.attend->runs[0].state;

	if (r->follow || r->wish.since || r->wish.previous || r->wish.attempt || r->wish.tail == 0 || a->print.any)
		return;
	for (size_t k = 0; k < run->nroles; k++)
		for (int64_t i = 0; i < run->roles[k].max; i++) {
			const struct run_replica *p = &run->roles[k].at[i];
			if (!replica_runs(p->state) || !logs_wanted(&r->wish, run, k, i, NULL))
				continue;
			session_say(s, "%.*s/%lld runs and has printed nothing; programs may buffer output that does "
				"not go to a terminal: for Python set env { PYTHONUNBUFFERED = 1 "
				"}", STR_ARG(run->roles[k].name),
				(long long)i);
			return;
		}
}

/* Explains why an attempt has no output: it printed nothing, or its output is no longer kept. */
static void say_gone(struct session *s, const struct backend *b, const struct attend *a, const struct reading *r)
{
	const struct run_state *run = &r->wish.attend->runs[0].state;
	static const char kept[] = ", or its output is gone: a node keeps the output of a pod's last two attempts, "
		"as long as the pod exists";
	bool had = false;

	if (!r->wish.attempt || r->wish.since || r->wish.tail == 0 || a->print.any)
		return;
	for (size_t k = 0; k < run->nroles; k++)
		for (int64_t i = 0; i < run->roles[k].max; i++)
			had = had || (logs_wanted(&r->wish, run, k, i, NULL) &&
				run->roles[k].at[i].attempts >= r->wish.attempt);
	if (had)
		session_say(s, "attempt %lld printed nothing%s", (long long)r->wish.attempt, b->streams ? kept : "");
}

static int read_logs(struct session *s, const struct backend *b, struct attend *a, struct reading *r)
{
	bool json = str_is(option_value(s->options, OPTION_OUTPUT), "json");

	a->context = r;
	a->output_over = output_over;
	a->reached = nobody_reads;
	a->changed = changed;
	logs_follow(s, b, a, &r->wish, json);
	if (!logs_has_container(s, &r->wish))
		return STATUS_USAGE;
	if (!r->follow)
		say_silent(s, r);
	else
		say_others(s, r);
	attend_open(a);
	enum attend_end end = attend(a);
	attend_close(a);
	if (a->out.error)
		s->error = a->out.error;
	if (end == ATTEND_INTERRUPTED)
		return runs_interrupted(s, a);
	if (end == ATTEND_LOST)
		return runs_lost(s, a);
	if (a->logs && a->logs->status)
		return a->logs->status;         /* the stream that could not be read has been reported */
	if (!logs_has_container(s, &r->wish))
		return STATUS_USAGE;
	say_held_back(s, a, r);
	say_gone(s, b, a, r);
	if (!r->follow)
		say_others(s, r);
	if (r->follow && a->runs[0].state.phase == RUN_UNKNOWN) {
		session_say(s, "nothing watches run '%.*s' any more: %.*s", STR_ARG(a->runs[0].name),
			STR_ARG(a->runs[0].state.cause));
		return STATUS_FAILED;
	}
	if (option_given(s->options, OPTION_EXIT_STATUS) && a->runs[0].state.phase != RUN_SUCCEEDED &&
		run_watch_over(&a->runs[0]))
		return STATUS_FAILED;
	return STATUS_DONE;
}

int cmd_logs(struct session *s)
{
	struct reading r = { .follow = option_given(s->options, OPTION_FOLLOW) };
	struct chosen chosen;
	struct attend a;
	int status = STATUS_USAGE;

	if (contexts_run(s, cmd_logs, &status))
		return status;
	status = STATUS_USAGE;
	const struct backend *b = backend_of(s);
	if (!b || !runs_attend_init(s, &a) || !logs_wish(s, &r.wish) || !b->begin(s, &status))
		return status;
	r.wish.attend = &a;
	r.wish.follow = r.follow;
	if (runs_choose(s, b, s->options->noperands, &chosen, &status)) {
		if (chosen.n > 1) {
			session_say(s, "the program has %zu jobs; choose one with --job", chosen.n);
			status = STATUS_USAGE;
		} else if (chosen.n && runs_watch(s, &chosen, &a, &status)) {
			status = logs_check(s, b, &r.wish) ? read_logs(s, b, &a, &r) : STATUS_USAGE;
		}
	}
	if (r.wish.grep)
		regfree(r.wish.grep);
	attend_release(&a);
	b->end(s);
	return status;
}
