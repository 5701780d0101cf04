/* live.c - draws the table of a terminal, and keeps the output of runs above it. */
#include "runtime/run/live.h"

#include <sys/ioctl.h>

#include "runtime/run/report.h"
#include "base/words.h"

enum { USUAL_ROWS = 24, USUAL_COLUMNS = 80, PENDING_MOST = 64 << 10, LINES_MOST = 10 };
enum { BAR_LEAST = 16, BAR_WIDTH = 20 };        /* fewer replicas than BAR_LEAST are shown without a bar */

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
	struct str word = str_of(run_phase_word(s->phase));
	/* the state must be visible: the name is clipped to leave room for it and two blanks */
	unsigned room = l->columns - 1, state = word.n + 2 < room ? (unsigned)word.n + 2 : room;

	put_clipped(&b, s->name, room - state);
	unsigned used = text_columns(buf_text(&b)) + state;
	buf_printf(&b, "%.*s%s", (int)(state < 2 ? state : 2), "  ", l->colour ? phase_colour(s->phase) : "");
	put_clipped(&b, word, state < 2 ? 0 : state - 2);
	buf_z(&b, l->colour ? "\x1b[0m" : "");
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

/* Appends the resources that the replicas use, as far as they are known. */
static void put_usage(const struct run_role *r, struct buf *line)
{
	double rate = 0;
	int64_t memory = 0;
	bool rated = false;

	for (int64_t i = 0; i < r->max; i++) {
		rate += r->at[i].usage.rated ? r->at[i].usage.rate : 0;
		rated = rated || r->at[i].usage.rated;
		memory += r->at[i].usage.known ? r->at[i].usage.memory : 0;
	}
	if (rated)
		buf_printf(line, ", %.1f CPUs", rate);
	if (memory) {
		buf_z(line, ", ");
		put_memory(line, memory);
	}
}

/* Is the replica still starting on a node, which pulls its images and mounts its volumes? */
static bool is_placed(const struct run_replica *p)
{
	const struct run_span *last = p->nspans ? &p->spans[p->nspans - 1] : NULL;

	return p->state == REPLICA_WAITING && last && last->kind == SPAN_STARTING && !last->end;
}

/*
 * Appends "  [######++++++........]  300 starting, 400 waiting" while many replicas become ready: '#' stands for
 * replicas that are ready, '+' for replicas that start on a node. The bar is full only when all are ready.
 */
static void put_bar(const struct run_role *r, const struct run_count *c, struct buf *line)
{
	int64_t ready = c->ready + c->succeeded, starting = c->active - c->ready;

	for (int64_t i = 0; i < r->max; i++)
		starting += is_placed(&r->at[i]);
	if (r->desired < BAR_LEAST || ready >= r->desired)
		return;
	if (starting > r->desired - ready)
		starting = r->desired - ready;
	int64_t waiting = r->desired - ready - starting - c->failed;
	buf_z(line, "  [");
	for (int64_t i = 1; i <= BAR_WIDTH; i++)
		buf_char(line, i * r->desired <= ready * BAR_WIDTH ? '#'
			: i * r->desired <= (ready + starting) * BAR_WIDTH ? '+' : '.');
	buf_char(line, ']');
	if (starting)
		buf_printf(line, "  %lld starting", (long long)starting);
	if (waiting > 0)
		buf_printf(line, "%s%lld waiting", starting ? ", " : "  ", (long long)waiting);
}

static void add_role(const struct live *l, struct live_lines *all, const struct run_state *s, const struct run_role *r,
	unsigned width)
{
	struct buf b = { 0 }, line = { 0 };
	struct run_count c = run_count(r);
	struct str cause = report_role_cause(&all->arena, s, r);

	buf_printf(&line, "  %.*s%*s  %lld/%lld ready", STR_ARG(r->name), (int)(width - text_columns(r->name)), "",
		(long long)c.ready, (long long)r->desired);
	if (c.succeeded)
		buf_printf(&line, ", %lld succeeded", (long long)c.succeeded);
	if (c.failed)
		buf_printf(&line, ", %lld failed", (long long)c.failed);
	if (c.restarts)
		buf_printf(&line, ", %lld restart%s", (long long)c.restarts, c.restarts == 1 ? "" : "s");
	put_usage(r, &line);
	if (!s->end)
		put_bar(r, &c, &line);
	if (cause.n)
		buf_printf(&line, "  %.*s", STR_ARG(cause));
	put_clipped(&b, buf_text(&line), l->columns - 1);
	add_line(all, &b);
	buf_release(&b);
	buf_release(&line);
}

/* Ranks roles so that the most interesting ones come first: failed, waiting for something, starting, ready, over. */
static int trouble(const struct run_role *r)
{
	struct run_count c = run_count(r);

	if (c.failed)
		return 0;
	for (int64_t i = 0; i < r->max; i++)
		if (r->at[i].cause.n && r->at[i].state == REPLICA_WAITING)
			return 1;
	return c.succeeded >= r->desired ? 4 : c.ready + c.succeeded < r->desired ? 2 : 3;
}

static void add_roles(const struct live *l, struct live_lines *all, const struct run_state *s, bool sorted)
{
	enum { WORST = 0, LEAST = 4 };
	unsigned width = 0;

	for (size_t i = 0; i < s->nroles; i++) {
		unsigned w = text_columns(s->roles[i].name);
		width = w > width ? w : width;
	}
	for (int level = WORST; level <= (sorted ? LEAST : WORST); level++)
		for (size_t i = 0; i < s->nroles; i++)
			if (s->roles[i].max && (!sorted || trouble(&s->roles[i]) == level))
				add_role(l, all, s, &s->roles[i], width);
}

/* ---- the screen ---- */

/*
 * The maximum number of lines of the table: a third of the screen, or ten lines, stays free for the output of programs.
 */
static size_t most_lines(const struct live *l)
{
	size_t left = l->rows / 3 < LINES_MOST ? l->rows / 3 : LINES_MOST;

	return l->rows > 2 ? l->rows - (left ? left : 1) : 1;
}

/* Appends the line that replaces the last N lines. */
static void put_more(const struct live *l, size_t n, struct buf *out)
{
	struct buf line = { 0 };

	buf_printf(&line, "  ... and %zu more lines", n);
	put_clipped(out, buf_text(&line), l->columns - 1);
	buf_release(&line);
}

static void put_lines(struct live *l, const struct live_lines *all, struct buf *out)
{
	size_t most = most_lines(l), n = all->n <= most ? all->n : most;

	buf_char(out, '\r');
	for (size_t i = 0; i < n; i++) {
		buf_z(out, i ? "\n" : "");
		if (i == n - 1 && n < all->n)
			put_more(l, all->n - i, out);
		else
			buf_str(out, all->at[i]);
		buf_z(out, "\x1b[K");
	}
	/* erases the rest of an earlier, longer table, and returns to the top */
	buf_z(out, "\x1b[J\r");
	if (n > 1)
		buf_printf(out, "\x1b[%zuA", n - 1);
}

static size_t lines_of(const struct run_state *const *runs, size_t n)
{
	size_t lines = n;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < runs[i]->nroles; k++)
			lines += runs[i]->roles[k].max > 0;
	return lines;
}

/* Writes pending output in place of the table. */
static void put_pending(struct live *l, struct buf *out)
{
	if (l->shown && l->pending.n)
		buf_z(out, "\r\x1b[J");
	buf_str(out, buf_text(&l->pending));
	l->pending.n = 0;
}

void live_draw(struct live *l, const struct run_state *const *runs, size_t n, int64_t now)
{
	bool sorted = lines_of(runs, n) > most_lines(l);
	struct live_lines all = { 0 };
	struct buf out = { 0 };

	for (size_t i = 0; i < n; i++) {
		add_run(l, &all, runs[i], now);
		add_roles(l, &all, runs[i], sorted);
	}
	l->frame.n = 0;
	put_lines(l, &all, &l->frame);
	put_pending(l, &out);
	buf_str(&out, buf_text(&l->frame));
	drain_put(l->out, buf_text(&out));
	l->shown = true;
	buf_release(&out);
	arena_release(&all.arena);
}

void live_print(struct live *l, struct str text)
{
	struct buf out = { 0 };

	buf_str(&l->pending, text);
	if (l->shown && l->pending.n < PENDING_MOST)
		return;
	put_pending(l, &out);
	if (l->shown)
		buf_str(&out, buf_text(&l->frame));
	drain_put(l->out, buf_text(&out));
	buf_release(&out);
}

void live_hide(struct live *l)
{
	if (l->shown)
		drain_put(l->out, STR("\r\x1b[J"));
	drain_put(l->out, buf_text(&l->pending));
	l->pending.n = 0;
	l->shown = false;
}

void live_release(struct live *l)
{
	buf_release(&l->pending);
	buf_release(&l->frame);
}
