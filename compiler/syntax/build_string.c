/*
 * build_string.c - decodes strings: escapes, indentation, joined lines. A plain string without a backslash, as nearly
 * all are, points into the source and is not copied. In a string of several lines, the indentation of the closing
 * quotes is first removed from every line as written. Then lines that end with a backslash are joined and escapes are
 * replaced, so that an escaped newline never counts as a line end.
 */
#include "syntax/parse_state.h"

struct decoder {
	struct parse *p;
	bool raw, block, broken;
	struct str indent;              /* indentation of the closing quotes */
	bool line_start;                /* the next byte begins a line */
	char *out;
	size_t n;
};

static size_t utf8_put(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3F));
	out[0] = (char)((n == 2 ? 0xC0 : n == 3 ? 0xE0 : 0xF0) | c);
	return n;
}

static size_t report_escape(struct decoder *d, struct str text, size_t i, uint32_t at)
{
	struct diags *ds = d->p->diags;
	size_t n = 2;

	d->broken = true;
	while (i + n < text.n && ((unsigned char)text.p[i + n] & 0xC0) == 0x80)
		n++;
	struct span span = { at, at + (uint32_t)n };
	struct diag *r = diag_report(ds, TJ0108, span, "'%.*s' is not an escape", (int)n, text.p + i);
	if (text.p[i + 1] == '\'') {
		diag_help(ds, r, "write ' without a backslash");
		diag_fix(ds, r, span, STR("'"), "remove the backslash");
		return n;
	}
	diag_help(ds, r, "write '\\%.*s', or r\"...\" for a regular expression", (int)n, text.p + i);
	diag_fix(ds, r, (struct span){ at, at }, STR("\\"), "write '\\%.*s'", (int)n, text.p + i);
	return n;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads an escape such as \u{1F600}; returns its length in bytes. Reports a number that is not a character. */
static size_t unicode_escape(struct decoder *d, struct str text, size_t i, uint32_t at)
{
	struct diags *ds = d->p->diags;
	size_t j = i + 3;
	uint32_t c = 0;

	while (i + 2 < text.n && text.p[i + 2] == '{' && j < text.n && hex_value(text.p[j]) >= 0 && j - i < 3 + 8)
		c = c * 16 + (uint32_t)hex_value(text.p[j++]);
	bool closed = j > i + 3 && j < text.n && text.p[j] == '}';
	if (closed && c && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF)) {
		d->n += utf8_put(d->out + d->n, c);
		return j + 1 - i;
	}
	size_t n = closed ? j + 1 - i : 2;
	d->broken = true;
	struct diag *r = diag_report(ds, TJ0108, (struct span){ at, at + (uint32_t)n },
		closed ? "'%.*s' is not a character" :
	                             "'%.*s' is not an escape", (int)n, text.p + i);
	diag_help(ds, r, "write the number of a character in hexadecimal: '\\u{1F600}'");
	return n;
}

/* Reads the escape at text[i]; returns its length in bytes. */
static size_t decode_escape(struct decoder *d, struct str text, size_t i, uint32_t at)
{
	static const char from[] = "ntr\\\"$", to[] = "\n\t\r\\\"$";

	if (i + 1 >= text.n) {
		d->out[d->n++] = '\\';
		return 1;
	}
	const char *known = memchr(from, text.p[i + 1], sizeof(from) - 1);
	if (known) {
		d->out[d->n++] = to[known - from];
		return 2;
	}
	return text.p[i + 1] == 'u' ? unicode_escape(d, text, i, at) : report_escape(d, text, i, at);
}

static void report_indent(struct decoder *d, uint32_t at, uint32_t end, struct span close)
{
	struct diags *ds = d->p->diags;
	d->broken = true;
	struct diag *r = diag_report(ds, TJ0107, (struct span){ at, end > at ? end : at + 1 },
	                             "this line is indented less than the closing quotes");
	diag_note(ds, r, close, "the closing quotes are here");
	diag_help(ds, r, "indent it, or move the closing quotes left");
}

/* The number of bytes of indentation to remove at the start of a line. */
static size_t remove_indent(struct decoder *d, struct str text, size_t i, uint32_t at, struct span close)
{
	struct str rest = { text.p + i, text.n - i };
	size_t blank = 0;

	d->line_start = false;
	if (str_starts(rest, d->indent))
		return d->indent.n;
	while (blank < rest.n && (rest.p[blank] == ' ' || rest.p[blank] == '\t' || rest.p[blank] == '\r'))
		blank++;
	bool last = blank == rest.n;            /* then the line continues with `${` or the closing quotes */
	if (blank < rest.n ? rest.p[blank] == '\n' : false)
		return blank;
	if (!last || !d->indent.n || at + blank < close.start) {
		uint32_t end = at + (uint32_t)blank;
		const char *line = memchr(rest.p + blank, '\n', rest.n - blank);
		report_indent(d, end, line ? at + (uint32_t)(line - rest.p) : at + (uint32_t)rest.n, close);
	}
	return blank;
}

/* Decodes one piece of text. */
static struct str decode_piece(struct decoder *d, struct str text, uint32_t at, struct span close)
{
	d->out = arena_alloc(d->p->arena, text.n + 1);
	d->n = 0;
	for (size_t i = 0; i < text.n;) {
		if (d->line_start) {
			i += remove_indent(d, text, i, at + (uint32_t)i, close);
			continue;
		}
		char c = text.p[i];
		size_t left = text.n - i;
		if (c == '\r' && left > 1 && text.p[i + 1] == '\n') {
			i++;
		} else if (d->block && c == '\n') {
			d->out[d->n++] = c;
			d->line_start = true;
			i++;
		} else if (d->block && !d->raw && c == '\\' &&
		           (str_starts((struct str){ text.p + i, left }, STR("\\\n")) ||
		            str_starts((struct str){ text.p + i, left }, STR("\\\r\n")))) {
			d->line_start = true;
			i += text.p[i + 1] == '\r' ? 3 : 2;
		} else if (!d->raw && c == '\\') {
			i += decode_escape(d, text, i, at + (uint32_t)i);
		} else {
			d->out[d->n++] = c;
			i++;
		}
	}
	return (struct str){ d->out, d->n };
}

static void report_quotes(struct decoder *d, struct span at, const char *what, const char *help)
{
	d->broken = true;
	struct diag *r = diag_report(d->p->diags, TJ0107, at, "%s", what);
	diag_help(d->p->diags, r, "%s", help);
}

/* The number of bytes to skip at the start of the first piece: the rest of the line of the opening quotes. */
static size_t opening_line(struct decoder *d, struct str text, struct span open)
{
	size_t i = 0;
	while (i < text.n && (text.p[i] == ' ' || text.p[i] == '\r'))
		i++;
	if (i < text.n && text.p[i] == '\n')
		return i + 1;
	report_quotes(d, open, "the text of a '\"\"\"' string begins on the next line",
	              "put a new line after the opening quotes, or use \"...\" on one line");
	return 0;
}

/* The number of bytes of the last piece that come before the line of the closing quotes. */
static size_t closing_line(struct decoder *d, struct str text, struct span close)
{
	size_t i = text.n;
	while (i > 0 && (text.p[i - 1] == ' ' || text.p[i - 1] == '\t'))
		i--;
	if (i == 0 || text.p[i - 1] != '\n') {
		report_quotes(d, close, "the closing quotes share their line with text",
		              "put them on a separate line; the text does not end with a newline then");
		return text.n;
	}
	d->indent = (struct str){ text.p + i, text.n - i };
	i--;
	return i > 0 && text.p[i - 1] == '\r' ? i - 1 : i;
}

/* Cuts the lines of the opening and closing quotes off the first and last piece, and adjusts their spans. */
static void trim_block(struct decoder *d, struct parts *parts, struct span open, struct span close)
{
	struct string_part *first = &parts->at[0], *last = &parts->at[parts->n - 1];
	struct str head = first->expr ? STR("") : tokens_text(&d->p->tokens, first->span.start, first->span.end);
	size_t skip = opening_line(d, head, open);

	if (d->broken)
		return;
	struct str tail = last->expr ? STR("") : tokens_text(&d->p->tokens, last->span.start, last->span.end);
	size_t keep = closing_line(d, tail, close);
	if (d->broken)
		return;
	last->span.end = last->span.start + (uint32_t)keep;
	first->span.start += (uint32_t)skip;
	if (first->span.start > first->span.end)        /* nothing between the quotes */
		first->span.start = first->span.end;
	d->line_start = true;
}

static void decode_parts(struct decoder *d, struct parts *parts, struct span close)
{
	size_t kept = 0;

	for (size_t i = 0; i < parts->n; i++) {
		struct string_part *part = &parts->at[i];
		if (part->expr) {
			if (d->line_start && d->indent.n)
				report_indent(d, part->span.start, part->span.end, close);
			d->line_start = false;
			parts->at[kept++] = *part;
			continue;
		}
		struct str text = tokens_text(&d->p->tokens, part->span.start, part->span.end);
		bool plain = !d->block && (d->raw || !memchr(text.p, '\\', text.n));
		part->text = plain ? text : decode_piece(d, text, part->span.start, close);
		if (part->text.n)
			parts->at[kept++] = *part;
	}
	parts->n = kept;
}

struct node *mk_string(struct parse *p, struct span at, struct span open, struct parts *parts, struct span close)
{
	const char *quote = p->source->text.p + (open.start - p->source->base);
	bool raw = quote[0] == 'r';
	struct decoder d = { .p = p, .raw = raw, .block = open.end - open.start >= 3 && quote[1] == '"' };
	struct node *n = node_new(p->arena, NODE_STRING, at);

	d.broken = p->torn >= at.start || (p->broken_string && p->broken_string == close.end);
	if (parts && !d.broken) {
		if (d.block)
			trim_block(&d, parts, open, close);
		if (!d.broken)
			decode_parts(&d, parts, close);
	} else if (d.block && !d.broken) {
		opening_line(&d, STR(""), open);
	}
	if (d.broken)
		return mk_bad(p, at);
	n->u.string.parts = parts ? parts->at : NULL;
	n->u.string.n = parts ? parts->n : 0;
	n->u.string.raw = raw;
	n->u.string.block = d.block;
	for (size_t i = 0; i < n->u.string.n; i++)
		node_grow(n, n->u.string.parts[i].expr);
	return node_limit(p, n);
}

/* Makes a string of one token: "text" without escapes and interpolations, or r"". */
struct node *mk_plain_string(struct parse *p, struct span at)
{
	struct node *n = node_new(p->arena, NODE_STRING, at);
	struct string_part *part = ARENA_NEW(p->arena, struct string_part);
	uint32_t quote = p->source->text.p[at.start - p->source->base] == 'r' ? 2 : 1;

	part->span = (struct span){ at.start + quote, at.end - 1 };
	part->text = tokens_text(&p->tokens, part->span.start, part->span.end);
	n->u.string.parts = part;
	n->u.string.n = part->text.n != 0;
	n->u.string.raw = quote == 2;
	return n;
}
