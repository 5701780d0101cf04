/*
 * timeline.c - draws the time lines; the page around them is in timeline_html.c.
 */
#include "runtime/run/timeline_internal.h"

#include "base/words.h"

enum { LEFT = 150, CHART = 800, RIGHT = 50, HEAD = 56, AXIS = 28, ROLE_HEAD = 28, FOOT = 20, LEGEND = 40,
	MOST_TICKS = 8 };

/* The state while one run is drawn. Y is the position of the next element. */
struct drawing {
	const struct run_state *run;
	struct buf *out;
	int64_t from, to;               /* the time range of the axis */
	int64_t y;
	int row, bar;                   /* height of a row, and of a bar in it */
};

/* ---- times ---- */

static void stretch(struct drawing *d, int64_t t)
{
	d->from = t && (!d->from || t < d->from) ? t : d->from;
	d->to = t > d->to ? t : d->to;
}

/* Sets the time range: from the start of the run to its end or to NOW, and wide enough for every span. */
static void set_axis(struct drawing *d, int64_t now)
{
	const struct run_state *s = d->run;

	stretch(d, s->begin);
	stretch(d, s->end);
	if (!run_phase_final(s->phase) || !s->end)
		stretch(d, d->from ? now : 0);
	for (size_t k = 0; k < s->nroles; k++)
		for (int64_t i = 0; i < s->roles[k].max; i++)
			for (size_t j = 0; j < s->roles[k].at[i].nspans; j++) {
				stretch(d, s->roles[k].at[i].spans[j].begin);
				stretch(d, s->roles[k].at[i].spans[j].end);
			}
	if (d->to < d->from + NS_PER_SECOND)
		d->to = d->from + NS_PER_SECOND;
}

/*
 * The horizontal position of a time, in tenths of a pixel. Times are reduced to microseconds, so that ten years times
 * the width do not overflow.
 */
static int64_t x_of(const struct drawing *d, int64_t t)
{
	return LEFT * 10 + (t - d->from) / 1000 * (CHART * 10) / ((d->to - d->from) / 1000);
}

static void put_tenths(struct buf *out, int64_t n)
{
	buf_printf(out, "%lld.%lld", (long long)(n / 10), (long long)(n % 10));
}

/* ---- the axis ---- */

static int64_t tick_step(int64_t seconds)
{
	static const int64_t steps[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200 };

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (seconds / steps[i] <= MOST_TICKS)
			return steps[i];
	return (seconds / (86400 * MOST_TICKS) + 1) * 86400;
}

static void put_tick_word(struct buf *out, int64_t seconds)
{
	if (seconds < 60)
		buf_printf(out, "%lld s", (long long)seconds);
	else if (seconds % 86400 == 0)
		buf_printf(out, "%lld d", (long long)(seconds / 86400));
	else if (seconds % 3600 == 0)
		buf_printf(out, "%lld h", (long long)(seconds / 3600));
	else if (seconds % 60 == 0 && seconds < 3600)
		buf_printf(out, "%lld min", (long long)(seconds / 60));
	else if (seconds < 3600)
		buf_printf(out, "%lld min %lld s", (long long)(seconds / 60), (long long)(seconds % 60));
	else
		buf_printf(out, "%lld h %lld min", (long long)(seconds / 3600), (long long)(seconds % 3600 / 60));
}

static void put_axis(struct drawing *d, int64_t top, int64_t bottom)
{
	int64_t seconds = (d->to - d->from) / NS_PER_SECOND, step = tick_step(seconds);

	for (int64_t t = 0; t <= seconds; t += step) {
		int64_t x = x_of(d, d->from + t * NS_PER_SECOND);
		buf_z(d->out, "<path class=\"grid\" d=\"M");
		put_tenths(d->out, x);
		buf_printf(d->out, " %lldV%lld\"/><text class=\"tick\" x=\"", (long long)top, (long long)bottom);
		put_tenths(d->out, x);
		buf_printf(d->out, "\" y=\"%lld\">", (long long)top - 5);
		put_tick_word(d->out, t);
		buf_z(d->out, "</text>\n");
	}
}

/* ---- replicas ---- */

static const char *const classes[] = {
	[SPAN_PENDING] = "p", [SPAN_STARTING] = "i", [SPAN_EARLIER] = "e", [SPAN_RUNNING] = "r", [SPAN_SUCCEEDED] = "s",
	[SPAN_FAILED] = "f", [SPAN_STOPPED] = "o",
};

static bool is_first_failure(const struct run_state *s, const struct run_role *role, int64_t index)
{
	return s->failure.known && s->phase != RUN_SUCCEEDED && s->failure.index == index &&
		str_eq(s->failure.role, role->name);
}

/* Appends a tooltip: "worker 3: failed after 2.1 s". */
static void put_tooltip(struct drawing *d, const struct run_role *role, const struct run_replica *r,
	const struct run_span *span, int64_t end)
{
	bool last = span->begin == r->spans[r->nspans - 1].begin;

	buf_z(d->out, "<title>");
	timeline_text(d->out, role->name);
	buf_printf(d->out, " %lld: %s%s", (long long)r->index, span_kind_word(span->kind),
		span->kind >= SPAN_SUCCEEDED ? " after " : " for ");
	put_duration(d->out, end - span->begin);
	if (span->kind == SPAN_EARLIER)
		buf_z(d->out, " (attempts whose times are not known)");
	if (last && r->cause.n) {
		buf_z(d->out, "; ");
		timeline_text(d->out, r->cause);
	}
	buf_z(d->out, "</title>");
}

static void put_span(struct drawing *d, const struct run_role *role, const struct run_replica *r,
	const struct run_span *span)
{
	int64_t end = span->end ? span->end : d->to, x = x_of(d, span->begin), width = x_of(d, end) - x;

	buf_printf(d->out, "<rect class=\"%s\" x=\"", classes[span->kind]);
	put_tenths(d->out, x);
	buf_printf(d->out, "\" y=\"%lld\" width=\"", (long long)d->y);
	put_tenths(d->out, width < 10 ? 10 : width);
	buf_printf(d->out, "\" height=\"%d\">", d->bar);
	put_tooltip(d, role, r, span, end);
	buf_z(d->out, "</rect>\n");
}

/*
 * Is the number of the replica shown? If there is room, every number is shown, otherwise every fifth or fiftieth
 * number. The number of the replica that failed first is always shown.
 */
static bool is_numbered(const struct drawing *d, int64_t index)
{
	return index % (d->row >= 14 ? 1 : d->row >= 8 ? 5 : 50) == 0;
}

static void put_life(struct drawing *d, const struct run_role *role, const struct run_replica *r)
{
	bool first = is_first_failure(d->run, role, r->index);

	if (first || is_numbered(d, r->index))
		buf_printf(d->out, "<text class=\"%s\" x=\"%d\" y=\"%lld\">%lld</text>\n",
			first ? "number bad" : "number", LEFT - 8,
			(long long)d->y + d->bar / 2 + 4, (long long)r->index);
	for (size_t i = 0; i < r->nspans; i++) {
		const struct run_span *span = &r->spans[i];
		struct run_span between = { SPAN_PENDING, i ? span[-1].end : 0, span->begin };
		if (between.begin && between.end > between.begin)
			put_span(d, role, r, &between);
		put_span(d, role, r, span);
	}
	d->y += d->row;
}

static void put_band(struct drawing *d, const struct run_role *role)
{
	struct run_count c = run_count(role);
	const struct { int64_t n; const char *word; } counts[] = { { c.active, "active" }, { c.succeeded, "succeeded" },
		{ c.failed, "failed" } };

	buf_printf(d->out, "<text class=\"role\" x=\"%d\" y=\"%lld\">", 16, (long long)d->y + 18);
	timeline_text(d->out, role->name);
	buf_printf(d->out, "<tspan class=\"dim\"> %lld replica%s", (long long)role->desired,
		role->desired == 1 ? "" : "s");
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (counts[i].n)
			buf_printf(d->out, ", %lld %s", (long long)counts[i].n, counts[i].word);
	if (c.restarts)
		buf_printf(d->out, ", %lld restart%s", (long long)c.restarts, c.restarts == 1 ? "" : "s");
	buf_z(d->out, "</tspan></text>\n");
	d->y += ROLE_HEAD;
	for (int64_t i = 0; i < role->max; i++)
		put_life(d, role, &role->at[i]);
}

/* ---- the first failure ---- */

static int64_t failure_time(const struct run_state *s)
{
	const struct run_role *role = run_find_role(s, s->failure.role);

	if (s->failure.time || !role || s->failure.index < 0 || s->failure.index >= role->max)
		return s->failure.time;
	const struct run_replica *r = &role->at[s->failure.index];
	for (size_t i = r->nspans; i > 0; i--)
		if (r->spans[i - 1].kind == SPAN_FAILED)
			return r->spans[i - 1].end;
	return 0;
}

static void put_mark(struct drawing *d, int64_t top, int64_t bottom)
{
	const struct run_state *s = d->run;
	int64_t t = s->failure.known && s->phase != RUN_SUCCEEDED ? failure_time(s) : 0;

	if (!t || t < d->from)
		return;
	int64_t x = x_of(d, t);
	bool left = x > (LEFT + CHART / 2) * 10;
	buf_z(d->out, "<path class=\"mark\" d=\"M");
	put_tenths(d->out, x);
	buf_printf(d->out, " %lldV%lld\"/><text class=\"bad small%s\" x=\"", (long long)top, (long long)bottom,
		left ? " end" : "");
	put_tenths(d->out, x + (left ? -40 : 40));
	buf_printf(d->out, "\" y=\"%lld\">first failure: ", (long long)bottom + 12);
	timeline_text(d->out, s->failure.role);
	buf_printf(d->out, " %lld, ", (long long)s->failure.index);
	timeline_text(d->out, s->failure.reason);
	buf_z(d->out, "</text>\n");
}

/* ---- a run ---- */

static void put_title(struct drawing *d)
{
	buf_printf(d->out, "<text class=\"title\" x=\"16\" y=\"%lld\">", (long long)d->y + 26);
	timeline_text(d->out, d->run->name);
	buf_printf(d->out, "</text>\n<text class=\"dim\" x=\"16\" y=\"%lld\">", (long long)d->y + 46);
	timeline_headline(d->run, d->out);
	buf_z(d->out, "</text>\n");
}

static void set_heights(struct drawing *d)
{
	int64_t n = 0;

	for (size_t k = 0; k < d->run->nroles; k++)
		n += d->run->roles[k].max;
	d->row = n <= 40 ? 18 : n <= 200 ? 9 : 4;
	d->bar = n <= 40 ? 12 : n <= 200 ? 7 : 3;
}

static int64_t rows_height(const struct drawing *d)
{
	int64_t h = 0;

	for (size_t k = 0; k < d->run->nroles; k++)
		h += d->run->roles[k].max ? ROLE_HEAD + d->run->roles[k].max * d->row : 0;
	return h;
}

/* Draws a run; returns the position below it. */
static int64_t put_run(const struct run_state *s, int64_t y, int64_t now, bool heads, struct buf *out)
{
	struct drawing d = { .run = s, .out = out, .y = y };

	set_axis(&d, now);
	set_heights(&d);
	if (heads)
		put_title(&d);
	int64_t top = y + (heads ? HEAD : 0) + AXIS, bottom = top + rows_height(&d) + 4;
	if (d.from)
		put_axis(&d, top, bottom);
	d.y = top;
	for (size_t k = 0; k < s->nroles; k++)
		if (s->roles[k].max)
			put_band(&d, &s->roles[k]);
	if (d.from)
		put_mark(&d, top, bottom);
	return bottom + FOOT;
}

static void put_legend(struct buf *out, int64_t y)
{
	int64_t x = LEFT;

	for (unsigned k = SPAN_PENDING; k <= SPAN_STOPPED; k++, x += 114)
		buf_printf(out, "<rect class=\"%s\" x=\"%lld\" y=\"%lld\" width=\"20\" height=\"12\"/><text "
			"class=\"small\" x=\"%lld\" y=\"%lld\">%s</text>\n",
			classes[k], (long long)x, (long long)y + 12, (long long)x + 26, (long long)y + 22,
			k == SPAN_EARLIER ? "restarted" : span_kind_word((enum span_kind)k));
}

static const char style[] =
	"<style>\n"
	"svg{font:13px system-ui,sans-serif;--ink:#1c2330;--dim:#5b6472;--grid:#e3e7ec;--edge:#8b95a3;--wait:#eef1f5;"
		"--init:#f0cf7a;--earlier:#e2b3a8;"
	"--run:#3f7fca;--good:#2f8f57;--bad:#c0362c;--stop:#8d96a3;background:#fff}\n"
	"@media(prefers-color-scheme:dark){svg{--ink:#e6e9ee;--dim:#a4adba;--grid:#2a313b;--edge:#77818f;"
		"--wait:#1d232c;--init:#a88432;"
	"--earlier:#8a5a50;--run:#5c9ae6;--good:#4cb479;--bad:#ff7a6e;--stop:#707a87;background:#12161c}}\n"
	"text{fill:var(--ink)}.title{font-size:18px;font-weight:600}.role{font-weight:600}.dim,.tick,.number{"
		"fill:var(--dim)}.dim{font-weight:400}\n"
	".small,.tick{font-size:12px}.number{font-size:11px;text-anchor:end}.tick{text-anchor:middle}.end{"
		"text-anchor:end}.bad{fill:var(--bad);font-weight:600}\n"
	".grid{stroke:var(--grid)}.mark{stroke:var(--bad);stroke-dasharray:4 3}\n"
	".p{fill:var(--wait);stroke:var(--edge);stroke-width:.5}.i{fill:var(--init)}.e{fill:var(--earlier)}.r{"
		"fill:var(--run)}.s{fill:var(--good)}.f{fill:var(--bad)}.o{fill:var(--stop)}\n"
	"</style>\n";

void timeline_draw(const struct run_state *const *runs, size_t n, int64_t now, bool heads, struct buf *out)
{
	struct buf body = { 0 };
	int64_t y = 0;

	for (size_t i = 0; i < n; i++)
		y = put_run(runs[i], y, now, heads, &body);
	put_legend(&body, y);
	y += LEGEND;
	buf_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%lld\" viewBox=\"0 0 %d "
		"%lld\" role=\"img\">\n"
		"<title>Time line of each replica</title>\n", LEFT + CHART + RIGHT, (long long)y, LEFT + CHART + RIGHT,
		(long long)y);
	buf_z(out, style);
	buf_str(out, buf_text(&body));
	buf_z(out, "</svg>\n");
	buf_release(&body);
}

void timeline_svg(const struct run_state *const *runs, size_t n, int64_t now, struct buf *out)
{
	timeline_draw(runs, n, now, true, out);
}
