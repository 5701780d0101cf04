/*
 * diag_text.c - diagnostics for people. The difficult part is the line of marks under a line of source. It must match
 * how a terminal shows tabs, wide characters and bytes that are not text, and also the part of a long line that remains
 * after clipping. So a snippet is first measured in display columns; then a window of columns is chosen that contains
 * the start of the span; then the glyphs within the window are printed.
 */
#include "diag/render.h"

#include <stdio.h>

#include "base/glyph.h"

enum {
	DEFAULT_LIMIT = 50,
	DEFAULT_WIDTH = 160,            /* the assumed width if that of the terminal is unknown */
	LEAST_WIDTH = 40,
	FAR = 4096                      /* number of bytes of a line before and after the span that are examined */
};

enum paint { PLAIN, BOLD, RED, YELLOW, CYAN, GREEN, BLUE };

struct painter {
	struct buf *out;
	const struct sources *sources;
	bool colour;
	unsigned width;
	unsigned digits;                /* width of the line numbers of this diagnostic */
};

static void paint(struct painter *p, enum paint with)
{
	static const char *const codes[] = { "\033[0m", "\033[1m", "\033[1;31m", "\033[1;33m", "\033[1;36m",
		"\033[1;32m", "\033[34m" };

	if (p->colour)
		buf_z(p->out, codes[with]);
}

static void painted(struct painter *p, enum paint with, const char *text)
{
	paint(p, with);
	buf_z(p->out, text);
	paint(p, PLAIN);
}

/* Writes text from a program or the command line; NEWLINE replaces its newlines. */
static void put_diag_text(struct painter *p, struct str s, const char *newline)
{
	for (size_t i = 0; i < s.n;) {
		if (s.p[i] == '\n') {
			buf_z(p->out, newline);
			i++;
			continue;
		}
		struct glyph g = glyph_at(s, i, 0);
		buf_str(p->out, s.p[i] == '\t' ? STR(" ") : g.shown);
		i += g.bytes;
	}
}

static void put_times(struct buf *out, char c, unsigned n)
{
	while (n--)
		buf_char(out, c);
}

/* Writes the gutter: a line number, or blanks. */
static void put_gutter(struct painter *p, unsigned line)
{
	paint(p, BLUE);
	if (line)
		buf_printf(p->out, "  %*u |", (int)p->digits, line);
	else
		buf_printf(p->out, "  %*s |", (int)p->digits, "");
	paint(p, PLAIN);
}

/* A line and the part to underline, as byte offsets in the line. */
struct snippet {
	struct str line;
	size_t from, to;
	bool cut_before, cut_after;     /* bytes at the start or the end of a very long line were cut off before
					 * measuring */
};

/* A snippet measured in columns of the display, and the window of columns that is shown. */
struct measure {
	unsigned from, to, total;
	unsigned lo, hi;
	bool before, after;             /* an ellipsis shows that text was cut off before or after the window */
};

static bool is_inside_character(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

/* Cuts off parts of the line that are far from the span, because a line can be megabytes long. */
static void cut_far(struct snippet *s)
{
	if (s->line.n - s->from > FAR) {
		size_t end = s->from + FAR;
		while (end > s->from && is_inside_character(s->line.p[end]))
			end--;
		s->line.n = end;
		s->cut_after = true;
	}
	if (s->to > s->line.n)
		s->to = s->line.n;
	if (s->from > FAR) {
		size_t start = s->from - FAR;
		while (start < s->from && is_inside_character(s->line.p[start]))
			start++;
		s->line = (struct str){ s->line.p + start, s->line.n - start };
		s->from -= start;
		s->to -= start;
		s->cut_before = true;
	}
}

static struct snippet snippet_of(const struct sources *ss, struct span at)
{
	struct snippet s = { .line = source_line(ss, at.start) };
	const struct source *source = source_at(ss, at.start);
	size_t start = (size_t)(s.line.p - source->text.p);
	size_t offset = at.start - source->base;

	s.from = offset > start ? offset - start : 0;
	s.to = at.end > at.start ? s.from + (at.end - at.start) : s.from;
	if (s.from > s.line.n)
		s.from = s.line.n;
	if (s.to > s.line.n) {          /* for a span of several lines, only the first line is shown and underlined, up
					 * to its last word */
		s.to = s.line.n;
		while (s.to > s.from + 1 && (s.line.p[s.to - 1] == ' ' || s.line.p[s.to - 1] == '\t'))
			s.to--;
	}
	cut_far(&s);
	return s;
}

static struct measure measure(const struct snippet *s, unsigned width)
{
	struct measure m = { 0 };
	unsigned column = 0;

	for (size_t i = 0; i < s->line.n;) {
		struct glyph g = glyph_at(s->line, i, column);
		if (i <= s->from)
			m.from = column;
		if (i < s->to)
			m.to = column + g.width;
		column += g.width;
		i += g.bytes;
	}
	m.total = column;
	if (s->from >= s->line.n)
		m.from = column;
	if (m.to <= m.from)
		m.to = m.from + 1;
	m.hi = m.total;
	if (m.total > width) {
		m.lo = m.from > width / 3 ? m.from - width / 3 : 0;
		if (m.lo + width > m.total)
			m.lo = m.total - width;
		m.hi = m.lo + width;
	}
	m.before = m.lo > 0 || s->cut_before;
	m.after = m.hi < m.total || s->cut_after;
	return m;
}

static void put_snippet_line(struct painter *p, const struct snippet *s, const struct measure *m)
{
	unsigned column = 0, lo = m->lo + m->before, hi = m->hi - m->after;

	if (m->before)
		buf_z(p->out, "…");
	for (size_t i = 0; i < s->line.n;) {
		struct glyph g = glyph_at(s->line, i, column);
		unsigned end = column + g.width;

		if (column >= lo && end <= hi)
			buf_str(p->out, g.shown);
		/* a tab or wide character that crosses the edge of the window is shown as blanks */
		else
			for (unsigned c = column > lo ? column : lo; c < end && c < hi; c++)
				buf_char(p->out, ' ');
		column = end;
		i += g.bytes;
	}
	if (m->after)
		buf_z(p->out, "…");
}

/* Writes the marks and the label. A label that does not fit after the marks is put on a line of its own. */
static void put_underline(struct painter *p, const struct measure *m, enum paint with, struct str label)
{
	unsigned to = m->to < m->hi || m->from >= m->hi ? m->to : m->hi, room = p->width - p->digits - 5;

	buf_char(p->out, ' ');
	put_times(p->out, ' ', m->from - m->lo);
	paint(p, with);
	buf_char(p->out, '^');
	put_times(p->out, '~', to - m->from - 1);
	if (label.n && to - m->lo + 1 + text_columns(label) > room) {
		unsigned columns = text_columns(label), shift = columns < room ? room - columns : 0;

		paint(p, PLAIN);
		buf_char(p->out, '\n');
		put_gutter(p, 0);
		put_times(p->out, ' ', 1 + (shift < m->from - m->lo ? shift : m->from - m->lo));
		paint(p, with);
		put_diag_text(p, label, " ");
	} else if (label.n) {
		buf_char(p->out, ' ');
		put_diag_text(p, label, " ");
	}
	paint(p, PLAIN);
	buf_char(p->out, '\n');
}

static void put_snippet(struct painter *p, struct span at, unsigned line, enum paint with, struct str label)
{
	struct snippet s = snippet_of(p->sources, at);
	struct measure m = measure(&s, p->width - p->digits - 5);

	put_gutter(p, line);
	if (s.line.n) {
		buf_char(p->out, ' ');
		put_snippet_line(p, &s, &m);
	}
	buf_char(p->out, '\n');
	put_gutter(p, 0);
	put_underline(p, &m, with, label);
}

static void put_place(struct painter *p, struct place at)
{
	paint(p, BOLD);
	if (at.source) {
		put_diag_text(p, at.source->name, " ");
		buf_printf(p->out, ":%u:%u: ", at.line, at.column);
	} else {
		buf_z(p->out, "trainc: ");
	}
	paint(p, PLAIN);
}

static unsigned digits_of(unsigned line)
{
	unsigned n = 1;

	while (line /= 10)
		n++;
	return n;
}

static void note_text(struct painter *p, const struct diag_note *note)
{
	struct place at = span_known(note->at) ? source_place(p->sources, note->at.start) : (struct place){ 0 };

	if (at.source)
		put_place(p, at);
	painted(p, CYAN, "note: ");
	put_diag_text(p, note->text, "\n      ");
	buf_char(p->out, '\n');
	if (at.source)
		put_snippet(p, note->at, at.line, CYAN, STR(""));
}

static void choose_digits(struct painter *p, const struct diag *d, struct place at)
{
	p->digits = digits_of(at.line);
	for (const struct diag_note *note = d->notes; note; note = note->next) {
		unsigned n = span_known(note->at) ? digits_of(source_place(p->sources, note->at.start).line) : 1;
		if (n > p->digits)
			p->digits = n;
	}
}

static void diag_text(struct painter *p, const struct diag *d)
{
	struct place at = source_place(p->sources, d->at.start);
	enum paint with = d->severity == SEVERITY_ERROR ? RED : YELLOW;

	choose_digits(p, d, at);
	put_place(p, at);
	painted(p, with, d->severity == SEVERITY_ERROR ? "error: " : "warning: ");
	paint(p, BOLD);
	put_diag_text(p, d->message, " ");
	paint(p, PLAIN);
	buf_printf(p->out, " [%s]\n", diag_code_name(d->code));
	if (at.source)
		put_snippet(p, d->at, at.line, with, d->label);
	for (const struct diag_note *note = d->notes; note; note = note->next)
		note_text(p, note);
	if (d->help.n) {
		painted(p, GREEN, "help: ");
		put_diag_text(p, d->help, "\n      ");
		buf_char(p->out, '\n');
	}
}

static void put_rest(struct painter *p, size_t n, const char *what)
{
	if (n)
		buf_printf(p->out, "\n%zu more %s%s not shown\n", n, what, n == 1 ? " is" : "s are");
}

void diags_text(const struct diags *ds, struct render_options options, struct buf *out)
{
	struct painter p = { .out = out, .sources = ds->sources, .colour = options.colour };
	size_t limit = options.limit ? options.limit : DEFAULT_LIMIT, shown[2] = { 0, 0 };
	bool first = true;

	p.width = !options.width ? DEFAULT_WIDTH : options.width < LEAST_WIDTH ? LEAST_WIDTH : options.width;
	for (size_t i = 0; i < ds->n; i++) {
		const struct diag *d = ds->at[i];

		if (shown[d->severity] == limit)
			continue;
		shown[d->severity]++;
		if (!first)
			buf_char(out, '\n');
		first = false;
		diag_text(&p, d);
	}
	put_rest(&p, ds->errors - shown[SEVERITY_ERROR], "error");
	put_rest(&p, ds->warnings - shown[SEVERITY_WARNING], "warning");
}
