/* progress.c - chooses a form of progress, and writes a line for each change and for each half minute of silence. */
#include "runtime/run/progress.h"

#include <stdlib.h>
#include <unistd.h>

#include "runtime/run/report.h"
#include "base/words.h"

#define REDRAW (NS_PER_SECOND / 10)     /* at most ten tables per second */
#define TICK NS_PER_SECOND              /* the table is redrawn at least this often, because it shows ages */
#define HEARTBEAT (30 * NS_PER_SECOND)

static bool set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

enum progress_mode progress_choose(struct str word, int fd)
{
	const char *term = getenv("TERM");
	bool terminal = isatty(fd) && term && *term && strcmp(term, "dumb") != 0;

	if (str_is(word, "quiet"))
		return PROGRESS_QUIET;
	if (str_is(word, "json"))
		return PROGRESS_JSON;
	if (str_is(word, "plain") || !terminal || (set("CI") && !str_is(word, "tty")))
		return PROGRESS_PLAIN;
	return PROGRESS_LIVE;
}

void progress_init(struct progress *p, struct arena *a, enum progress_mode mode, struct drain *err, bool colour)
{
	*p = (struct progress){ .mode = mode, .arena = a, .err = err, .live = { .out = err, .colour = colour },
		.told = clock_steady(), .changed = true };
	if (mode == PROGRESS_LIVE)
		live_measure(&p->live);
}

/* ---- lines ---- */

static void begin_line(struct buf *b, const struct run_state *s)
{
	put_time(b, clock_real(), 0);
	buf_char(b, ' ');
	put_escaped(b, s->name);
	buf_printf(b, " %s", run_phase_word(s->phase));
}

static void tell_change(struct progress *p, const struct run_state *s)
{
	struct buf b = { 0 };

	if (p->mode == PROGRESS_JSON) {
		buf_z(&b, "{ \"time\": \"");
		put_time(&b, clock_real(), 3);
		buf_z(&b, "\", ");
		report_json_run(s, &b);
		buf_z(&b, " }\n");
	} else {
		begin_line(&b, s);
		if (s->cause.n) {
			buf_z(&b, ": ");
			put_escaped(&b, s->cause);
		}
		buf_char(&b, '\n');
	}
	drain_put(p->err, buf_text(&b));
	buf_release(&b);
	p->told = clock_steady();
}

/* Is the change worth a line? While a run starts only its cause changes; the first and the last cause are enough. */
static bool is_news(const struct progress_seen *seen, const struct run_state *s)
{
	if (!seen->known || seen->phase != s->phase)
		return true;
	return s->phase != RUN_STARTING && s->cause.n && !str_eq(seen->cause, s->cause);
}

static void tell_progress(struct progress *p, const struct run_state *const *runs, size_t n)
{
	if (!p->seen) {
		p->seen = ARENA_ARRAY(p->arena, struct progress_seen, n);
		p->n = n;
	}
	for (size_t i = 0; i < n && i < p->n; i++) {
		if (!is_news(&p->seen[i], runs[i]))
			continue;
		if (!str_eq(p->seen[i].cause, runs[i]->cause))
			p->seen[i].cause = str_copy(p->arena, runs[i]->cause);
		p->seen[i].phase = runs[i]->phase;
		p->seen[i].known = true;
		tell_change(p, runs[i]);
	}
}

static void heartbeat(struct progress *p, const struct run_state *const *runs, size_t n)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (p->mode == PROGRESS_JSON) {
			tell_change(p, runs[i]);
			continue;
		}
		begin_line(&b, runs[i]);
		buf_z(&b, ": ");
		report_counts(runs[i], &b);
		buf_char(&b, '\n');
	}
	drain_put(p->err, buf_text(&b));
	buf_release(&b);
	p->told = clock_steady();
}

/* ---- both forms ---- */

void progress_show(struct progress *p, const struct run_state *const *runs, size_t n, bool changed)
{
	int64_t now = clock_steady();

	p->changed = p->changed || changed;
	if (p->mode == PROGRESS_QUIET)
		return;
	if (p->mode != PROGRESS_LIVE) {
		if (changed)
			tell_progress(p, runs, n);
		if (now - p->told >= HEARTBEAT)
			heartbeat(p, runs, n);
		return;
	}
	/* a terminal that currently accepts no output is skipped */
	if (now < progress_due(p) || !drain_empty(p->err))
		return;
	live_draw(&p->live, runs, n, clock_real());
	p->drawn = now;
	p->changed = false;
}

int64_t progress_due(const struct progress *p)
{
	switch (p->mode) {
	case PROGRESS_QUIET: return INT64_MAX;
	case PROGRESS_LIVE: return p->drawn ? p->drawn + (p->changed || !p->live.shown ? REDRAW : TICK) : 0;
	default: return p->told + HEARTBEAT;
	}
}

void progress_print(struct progress *p, struct str text)
{
	p->changed = p->changed || text.n;
	live_print(&p->live, text);
}

void progress_release(struct progress *p) { live_release(&p->live); }

void progress_hide(struct progress *p)
{
	if (p->mode == PROGRESS_LIVE)
		live_hide(&p->live);
}

void progress_resized(struct progress *p)
{
	if (p->mode != PROGRESS_LIVE)
		return;
	live_measure(&p->live);
	p->changed = true;
}
