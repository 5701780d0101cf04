/* cmd_top.c - shows what the running replicas of a run use, once or until the run ends. */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/words.h"
#include "runtime/command/runs.h"
#include "runtime/run/top.h"

/* Time between two tables, and between two measurements of this machine. */
enum { TOP_PAUSE_MS = 5000, TOP_RATE_MS = 2100 };

/* Waits until the time is up or the run is over, and takes over its changes. */
static void top_pause(struct run_watch *w, int ms)
{
	int64_t until = clock_steady() + ms * INT64_C(1000000);
	int64_t left;

	while (!run_watch_over(w) && !run_phase_final(w->state.phase) && (left = until - clock_steady()) > 0) {
		struct pollfd p = { .fd = run_watch_fd(w), .events = POLLIN };
		if (poll(&p, 1, (int)(left / 1000000) + 1) < 0 && errno != EINTR)
			return;
		run_watch_update(w);
	}
}

/* The values of a run of this machine: those of its processes. */
static void top_local(struct run_watch *w, struct top *t)
{
	run_watch_measure(w);
	for (size_t i = 0; i < t->n; i++) {
		struct top_row *row = &t->at[i];
		row->cpu = row->replica->usage.rated ? (int64_t)(row->replica->usage.rate * 1000) : -1;
		row->memory = row->replica->usage.known ? row->replica->usage.memory : -1;
	}
	top_unserved(t, STR("GPU and GPU-MEMORY: devices of this machine are not measured"));
}

/* Says what is not served, if the table before, whose reasons are SAID, did not have the same reasons. */
static void say_unserved(struct session *s, const struct top *t, struct buf *said)
{
	struct buf now = { 0 };

	for (size_t i = 0; i < t->nunserved; i++) {
		buf_str(&now, t->unserved[i]);
		buf_char(&now, '\n');
	}
	for (size_t i = 0; i < t->nunserved && !str_eq(buf_text(&now), buf_text(said)); i++)
		session_say(s, "not served: %.*s", STR_ARG(name_escaped(t->arena, t->unserved[i])));
	buf_release(said);
	*said = now;
}

/* Prints what the replicas use; SAID: the reasons of the table before. */
static void top_print(struct session *s, struct run_watch *w, bool first, struct buf *said, struct top_known *known)
{
	struct arena memory = { 0 };
	struct buf out = { 0 };
	struct top t;
	bool watch = option_given(s->options, OPTION_WATCH), json = runs_form(s, REPORT_TABLE) == REPORT_JSON;

	top_begin(&t, &memory, &w->state, known);
	if (s->backend->top)
		s->backend->top(s, w, &t);
	else
		top_local(w, &t);
	if (json)
		top_json(&t, &w->state, &out);
	else
		top_table(&t, session_width(STDOUT_FILENO), &out);
	if (!json)
		say_unserved(s, &t, said);
	if (watch && !first)
		session_print(s, STR("\n"));
	runs_write_report(s, json ? REPORT_JSON : REPORT_TABLE, buf_text(&out));
	buf_release(&out);
	arena_release(&memory);
}

static int top_run(struct session *s, struct run_watch *w)
{
	bool watch = option_given(s->options, OPTION_WATCH);
	struct top_known known = { 0 };
	struct buf said = { 0 };

	if (watch && runs_form(s, REPORT_TABLE) == REPORT_JSON) {
		session_say(s, "--watch shows tables; without it, -o json prints one document");
		return STATUS_USAGE;
	}
	if (!run_is_active(&w->state) && (!watch || run_phase_final(w->state.phase))) {
		session_say(s, "no replica of run '%.*s' runs now: %s%s%.*s", STR_ARG(w->name),
			run_phase_word(w->state.phase), w->state.cause.n ? ": " : "", STR_ARG(w->state.cause));
		return STATUS_CONFLICT;
	}
	if (!s->backend->top) {                 /* a rate needs two measurements */
		run_watch_measure(w);
		top_pause(w, TOP_RATE_MS);
	}
	top_print(s, w, true, &said, &known);
	while (watch && !run_watch_over(w) && !run_phase_final(w->state.phase)) {
		top_pause(w, TOP_PAUSE_MS);
		if (!run_phase_final(w->state.phase))
			top_print(s, w, false, &said, &known);
	}
	arena_release(&known.memory);
	buf_release(&said);
	return STATUS_DONE;
}

int cmd_top(struct session *s)
{
	struct attend a;
	int status;
	const struct backend *b = backend_begin(s, &a, &status);

	if (!b)
		return status;
	if (runs_watch_one(s, b, &a, &status))
		status = top_run(s, &a.runs[0]);
	return backend_end(s, &a, status);
}
