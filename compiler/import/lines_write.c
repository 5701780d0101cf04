/*
 * lines_write.c - writes items as text: correct, and close to the form of `fmt`; fmt breaks what is too long. This
 * file decides what the formatter keeps: whether a body is on one line, where blank lines are, and the form of texts
 * over several lines.
 */
#include "import/import_lines.h"

enum {
	FEW = 3,                        /* maximum number of items of a body on one line */
	WIDE = 88                       /* maximum width of such a body in columns */
};

/* ---- strings ---- */

/* Must the character be escaped because it is invisible, or changes how other characters are shown? */
static bool is_hidden(uint32_t c)
{
	return (c >= 0x7f && c <= 0xa0) || c == 0xad || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
		(c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

static uint32_t code_point(const char *p, size_t n)
{
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t c = (unsigned char)p[0] & first[n];

	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)p[i] & 0x3f);
	return c;
}

/* Writes a character that is not ASCII; returns the number of its bytes. */
static size_t put_wide(struct buf *out, struct str s, size_t i)
{
	size_t n = str_utf8(s.p + i, s.n - i);
	uint32_t c = n ? code_point(s.p + i, n) : 0xfffd;

	if (!n || is_hidden(c))
		buf_printf(out, "\\u{%X}", (unsigned)c);
	else
		buf_put(out, s.p + i, n);
	return n ? n : 1;
}

/*
 * Does character I of a piece end a line of the text? The end of the piece itself only does if the piece is the last
 * one: otherwise an insertion follows on the same line.
 */
static bool ends_line(struct str s, size_t i, bool last) { return i + 1 == s.n ? last : s.p[i + 1] == '\n'; }

/* Writes a character. BLOCK: inside """, where newlines are real and quotes need no escape. */
static void put_char(struct buf *out, struct str s, size_t i, bool block, bool last)
{
	unsigned char c = (unsigned char)s.p[i];

	if (c == '\\')
		buf_z(out, "\\\\");
	else if (c == '"')
		buf_z(out, block && !(i + 1 < s.n && s.p[i + 1] == '"') ? "\"" : "\\\"");
	else if (c == '$' && i + 1 < s.n && s.p[i + 1] == '{')
		buf_z(out, "\\$");
	else if (c == '$' && i + 1 == s.n && !last)
		buf_z(out, "\\$");      /* without the escape, this would start an insertion */
	else if (c == '\t')
		buf_z(out, "\\t");
	else if (c == '\r')
		buf_z(out, "\\r");
	else if (c == '\n')
		buf_z(out, "\\n");
	else if (c < 0x20 || c == 0x7f)
		buf_printf(out, "\\u{%X}", c);
	else if (c == ' ' && block && ends_line(s, i, last))
		/* written as an escape, because later steps would remove blanks at the end of a line */
		buf_z(out, "\\u{20}");
	else
		buf_char(out, (char)c);
}

static void put_piece(struct buf *out, struct str s, bool block, bool last, size_t indent)
{
	for (size_t i = 0; i < s.n;) {
		if ((unsigned char)s.p[i] >= 0x80) {
			i += put_wide(out, s, i);
			continue;
		}
		if (block && s.p[i] == '\n') {
			buf_char(out, '\n');
			if (i + 1 < s.n && s.p[i + 1] != '\n')
				for (size_t k = 0; k < indent; k++)
					buf_char(out, ' ');
			else if (i + 1 == s.n && !last)
				for (size_t k = 0; k < indent; k++)
					buf_char(out, ' ');
		} else {
			put_char(out, s, i, block, last);
		}
		i++;
	}
}

/* Does the text have several lines, and not just one with a newline at its end? */
static bool is_block_text(const struct expr *e)
{
	bool line = false;

	for (size_t i = 0; e->kind == EXPR_STRING && i < e->npieces; i++) {
		struct str s = e->pieces[i].text;
		for (size_t k = 0; !e->pieces[i].code && k < s.n; k++) {
			if (line)
				return true;
			line = s.p[k] == '\n';
		}
		if (line && e->pieces[i].code)
			return true;
	}
	return false;
}

static void put_indent(struct buf *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_char(out, ' ');
}

static void put_string(struct buf *out, const struct expr *e, size_t indent)
{
	bool block = is_block_text(e);

	buf_z(out, block ? "\"\"\"\n" : "\"");
	if (block && !(e->pieces[0].text.n && e->pieces[0].text.p[0] == '\n' && !e->pieces[0].code))
		put_indent(out, indent);
	for (size_t i = 0; i < e->npieces; i++) {
		if (e->pieces[i].code)
			buf_printf(out, "${%.*s}", STR_ARG(e->pieces[i].text));
		else
			put_piece(out, e->pieces[i].text, block, i + 1 == e->npieces, indent);
	}
	if (block) {
		buf_char(out, '\n');
		put_indent(out, indent);
	}
	buf_z(out, block ? "\"\"\"" : "\"");
}

/* ---- expressions ---- */

static bool flat_expr(const struct expr *e);

static bool flat_line(const struct line *l) { return !l->ncomments && l->form == LINE_SET && flat_expr(l->value); }

static bool flat_items(const struct lines *items, size_t most)
{
	bool flat = items->n <= most;

	for (size_t i = 0; flat && i < items->n; i++)
		flat = flat_line(items->at[i]);
	return flat;
}

/* Can the expression be written without a line end? */
static bool flat_expr(const struct expr *e)
{
	switch (e->kind) {
	case EXPR_STRING: return !is_block_text(e);
	case EXPR_BODY: return flat_items(&e->items, FEW);
	case EXPR_LIST:
	case EXPR_CALL: return flat_items(&e->items, SIZE_MAX);
	default: return true;
	}
}

static size_t width_expr(const struct expr *e);

/* Returns the approximate width in columns, at least half of the true width; stops counting above a limit. */
static size_t width_items(const struct lines *items)
{
	size_t n = 2;

	for (size_t i = 0; i < items->n && n <= 2 * WIDE; i++)
		n += items->at[i]->key.n + 5 + width_expr(items->at[i]->value);
	return n;
}

static size_t width_expr(const struct expr *e)
{
	size_t n = e->text.n + 2;

	for (size_t i = 0; i < e->npieces; i++)
		n += e->pieces[i].text.n;
	return n + (e->kind >= EXPR_LIST ? width_items(&e->items) : 0);
}

bool expr_fits(const struct expr *e, unsigned depth) { return flat_expr(e) && width_expr(e) + 2 * depth <= WIDE; }

static bool is_one_line(const struct expr *body, unsigned depth)
{
	return flat_items(&body->items, FEW) && width_items(&body->items) + 2 * depth <= WIDE;
}

static void put_expr(struct writing *w, const struct expr *e, unsigned depth);
static void put_program_line(struct writing *w, const struct line *l, unsigned depth);

static void put_remark(struct buf *out, struct str text)
{
	if (!str_starts(text, STR("#")))
		buf_z(out, text.n ? "# " : "#");
	buf_str(out, text);
	buf_char(out, '\n');
}

/* Can the comment stay at the end of its line? It does if the value is written on one line. */
static bool is_behind(const struct line *l, const struct remark *r) { return r->behind && flat_expr(l->value); }

static void put_comments(struct writing *w, const struct line *l, unsigned depth)
{
	for (size_t i = 0; i < l->ncomments; i++) {
		if (is_behind(l, &l->comments[i]))
			continue;
		put_indent(&w->out, 2 * depth);
		put_remark(&w->out, l->comments[i].text);
	}
}

/* Ends a line and writes the comment after it. */
static void put_line_end(struct writing *w, const struct line *l)
{
	for (size_t i = 0; i < l->ncomments; i++) {
		if (!is_behind(l, &l->comments[i]))
			continue;
		buf_z(&w->out, "  ");
		put_remark(&w->out, l->comments[i].text);
		return;
	}
	buf_char(&w->out, '\n');
}

static void put_items_flat(struct writing *w, const struct lines *items, unsigned depth, const char *open,
	const char *close)
{
	buf_z(&w->out, open);
	for (size_t i = 0; i < items->n; i++) {
		if (i)
			buf_z(&w->out, ", ");
		put_program_line(w, items->at[i], depth);
	}
	buf_z(&w->out, close);
}

/* Is it a list such as ["bash", "-c", SCRIPT], whose script has several lines? */
static bool ends_in_block(const struct lines *items)
{
	for (size_t i = 0; i + 1 < items->n; i++)
		if (!flat_line(items->at[i]))
			return false;
	return items->n && !items->at[items->n - 1]->ncomments && is_block_text(items->at[items->n - 1]->value);
}

/* Writes elements of a list or arguments of a call: one item per line if one of them has a comment or several lines. */
static void put_line_list(struct writing *w, const struct lines *items, unsigned depth, const char *open,
	const char *close)
{
	if (flat_items(items, SIZE_MAX) || ends_in_block(items)) {
		put_items_flat(w, items, depth, open, close);
		return;
	}
	buf_z(&w->out, open);
	buf_char(&w->out, '\n');
	for (size_t i = 0; i < items->n; i++) {
		put_comments(w, items->at[i], depth + 1);
		put_indent(&w->out, 2 * (depth + 1));
		put_program_line(w, items->at[i], depth + 1);
		buf_char(&w->out, ',');
		put_line_end(w, items->at[i]);
	}
	put_indent(&w->out, 2 * depth);
	buf_z(&w->out, close);
}

static void put_body(struct writing *w, const struct expr *e, unsigned depth)
{
	if (!e->items.n) {
		buf_z(&w->out, "{}");
	} else if (is_one_line(e, depth)) {
		put_items_flat(w, &e->items, depth, "{ ", " }");
	} else {
		buf_z(&w->out, "{\n");
		lines_write(w, &e->items, depth + 1);
		put_indent(&w->out, 2 * depth);
		buf_char(&w->out, '}');
	}
}

static void put_expr(struct writing *w, const struct expr *e, unsigned depth)
{
	switch (e->kind) {
	case EXPR_TEXT: buf_str(&w->out, e->text); break;
	case EXPR_STRING: put_string(&w->out, e, 2 * (depth + 1)); break;
	case EXPR_LIST: put_line_list(w, &e->items, depth, "[", "]"); break;
	case EXPR_BODY: put_body(w, e, depth); break;
	case EXPR_CALL:
		buf_str(&w->out, e->text);
		if (e->items.n)
			put_line_list(w, &e->items, depth, "(", ")");
		break;
	}
}

void expr_write(struct writing *w, const struct expr *e) { put_expr(w, e, 0); }

/* ---- items ---- */

static void put_program_line(struct writing *w, const struct line *l, unsigned depth)
{
	struct written place = { .start = (uint32_t)w->out.n, .from = l->from, .outer = w->outer };
	size_t mine = w->n;

	ARENA_PUSH(w->arena, w->at, w->n, place);
	w->outer = mine + 1;
	if (l->key.p) {
		buf_str(&w->out, l->key);
		buf_z(&w->out, l->form == LINE_SET ? " = " : " ");
	}
	put_expr(w, l->value, depth);
	w->at[mine].end = (uint32_t)w->out.n;
	w->outer = place.outer;
}

static bool is_named(const struct line *l) { return l->key.p && memchr(l->key.p, ' ', l->key.n) && l->key.p[0] != '"'; }

/*
 * Must a blank line separate two items? Blocks of several lines are separated, and so are named blocks from other
 * items.
 */
static bool apart(const struct line *before, const struct line *l, unsigned depth)
{
	bool broken = l->form == LINE_EXTEND && !is_one_line(l->value, depth);
	bool was_broken = before->form == LINE_EXTEND && !is_one_line(before->value, depth);

	return broken || was_broken || is_named(before) != is_named(l) || (is_named(l) && l->ncomments);
}

void lines_write(struct writing *w, const struct lines *lines, unsigned depth)
{
	bool room = false;              /* raw fields and small maps are not separated */

	for (size_t i = 0; i < lines->n && !room; i++)
		room = is_named(lines->at[i]);
	for (size_t i = 0; i < lines->n; i++) {
		if (i && room && apart(lines->at[i - 1], lines->at[i], depth))
			buf_char(&w->out, '\n');
		put_comments(w, lines->at[i], depth);
		put_indent(&w->out, 2 * depth);
		put_program_line(w, lines->at[i], depth);
		put_line_end(w, lines->at[i]);
	}
}

struct span written_from(const struct writing *w, uint32_t offset)
{
	for (size_t i = OFFSET_SEARCH(w->at, w->n, start, offset + 1); i > 0; i = w->at[i - 1].outer)
		if (w->at[i - 1].end >= offset && span_known(w->at[i - 1].from))
			return w->at[i - 1].from;
	return (struct span){ 0, 0 };
}

void writing_release(struct writing *w) { buf_release(&w->out); }
