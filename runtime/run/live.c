#include "runtime/run/live.h"

#include <sys/ioctl.h>

#include "runtime/run/report.h"
#include "base/words.h"

enum { USUAL_ROWS = 24, USUAL_COLUMNS = 80 };

void live_measure(struct live *l)
{
	struct winsize size = { 0 };
	bool known = ioctl(l->out->fd, TIOCGWINSZ, &size) == 0;

	l->rows = known && size.ws_row ? size.ws_row : USUAL_ROWS;
	l->columns = known && size.ws_col ? size.ws_col : USUAL_COLUMNS;
}

/* ---- lines ---- */

struct live_lines {
	struct arena arena;
	struct str *at;
	size_t n;
};

static void add_line(struct live_lines *all, struct buf *b)
{
	ARENA_PUSH(&all->arena, all->at, all->n, buf_take(b, &all->arena));
}

static const char *phase_colour(enum run_phase phase)
{
	switch (phase) {
	case RUN_RUNNING: case RUN_SUCCEEDED: case RUN_COMPLETING: return "\x1b[32m";
	case RUN_FAILED: case RUN_FAILING: case RUN_UNKNOWN: return "\x1b[31m";
	default: return "\x1b[33m";
	}
}

static void add_run(const struct live *l, struct live_lines *all, const struct run_state *s, int64_t now)
{
	struct buf b = { 0 }, rest = { 0 };
	const char *word = run_phase_word(s->phase);
	unsigned used = text_columns(s->name) + 2 + (unsigned)strlen(word);

	buf_printf(&b, "%.*s  %s%s%s", STR_ARG(s->name), l->colour ? phase_colour(s->phase) : "", word, l->colour ? "\x1b[0m" : "");
	buf_z(&rest, "  ");
	put_age(&rest, (s->end ? s->end : now) - s->begin);
	if (s->cause.n)
		buf_printf(&rest, "  %.*s", STR_ARG(s->cause));
	if (used < l->columns)
		put_clipped(&b, buf_text(&rest), l->columns - 1 - used);
	add_line(all, &b);
	buf_release(&b);
	buf_release(&rest);
}

static void add_role(const struct live *l, struct live_lines *all, const struct run_role *r, unsigned width)
{
	struct buf b = { 0 }, line = { 0 };
	struct run_count c = run_count(r);
	struct str cause = report_role_cause(&all->arena, r);

	buf_printf(&line, "  %.*s%*s  %lld/%lld ready", STR_ARG(r->name), (int)(width - text_columns(r->name)), "", (long long)c.ready, (long long)r->desired);
	if (c.succeeded)
		buf_printf(&line, ", %lld succeeded", (long long)c.succeeded);
	if (c.failed)
		buf_printf(&line, ", %lld failed", (long long)c.failed);
	if (c.restarts)
		buf_printf(&line, ", %lld restart%s", (long long)c.restarts, c.restarts == 1 ? "" : "s");
	if (cause.n)
		buf_printf(&line, "  %.*s", STR_ARG(cause));
	put_clipped(&b, buf_text(&line), l->columns - 1);
	add_line(all, &b);
	buf_release(&b);
	buf_release(&line);
}

static void add_roles(const struct live *l, struct live_lines *all, const struct run_state *s)
{
	unsigned width = 0;

	for (size_t i = 0; i < s->nroles; i++) {
		unsigned w = text_columns(s->roles[i].name);
		width = w > width ? w : width;
	}
	for (size_t i = 0; i < s->nroles; i++)
		if (s->roles[i].max)
			add_role(l, all, &s->roles[i], width);
}

/* ---- the screen ---- */

static void put_lines(struct live *l, const struct live_lines *all, struct buf *out)
{
	size_t most = l->rows > 2 ? l->rows - 1 : 1, n = all->n <= most ? all->n : most;

	buf_char(out, '\r');
	for (size_t i = 0; i < n; i++) {
		buf_z(out, i ? "\n" : "");
		if (i == n - 1 && n < all->n)
			buf_printf(out, "  ... and %zu more lines", all->n - i);
		else
			buf_str(out, all->at[i]);
		buf_z(out, "\x1b[K");
	}
	/* what an earlier, longer table had below; then back to the top */
	buf_z(out, "\x1b[J\r");
	if (n > 1)
		buf_printf(out, "\x1b[%zuA", n - 1);
}

void live_draw(struct live *l, const struct run_state *const *runs, size_t n, int64_t now)
{
	struct live_lines all = { 0 };
	struct buf out = { 0 };

	for (size_t i = 0; i < n; i++) {
		add_run(l, &all, runs[i], now);
		add_roles(l, &all, runs[i]);
	}
	put_lines(l, &all, &out);
	drain_put(l->out, buf_text(&out));
	l->shown = true;
	buf_release(&out);
	arena_release(&all.arena);
}

void live_hide(struct live *l)
{
	if (l->shown)
		drain_put(l->out, STR("\r\x1b[J"));
	l->shown = false;
}
