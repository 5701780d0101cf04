/*
 * import_lines.c - makes, compares and joins items.
 */
#include "import/import_lines.h"

#include <ctype.h>

#include "base/map.h"

struct expr *expr_new(struct arena *a, enum expr_kind kind)
{
	struct expr *e = ARENA_NEW(a, struct expr);

	e->kind = kind;
	return e;
}

struct expr *expr_text(struct arena *a, struct str text)
{
	struct expr *e = expr_new(a, EXPR_TEXT);

	e->text = text;
	return e;
}

struct expr *expr_int(struct arena *a, int64_t n) { return expr_text(a, str_int(a, n)); }

void expr_append(struct arena *a, struct expr *string, bool code, struct str text)
{
	struct expr_piece *last = string->npieces ? &string->pieces[string->npieces - 1] : NULL;

	if (!text.n)
		return;
	if (last && !code && !last->code) {
		last->text = str_cat(a, last->text, text, STR(""));
		return;
	}
	struct expr_piece piece = { code, text };
	ARENA_PUSH(a, string->pieces, string->npieces, piece);
}

struct expr *expr_string(struct arena *a, struct str text)
{
	struct expr *e = expr_new(a, EXPR_STRING);

	expr_append(a, e, false, text);
	return e;
}

struct expr *expr_call(struct arena *a, struct str what)
{
	struct expr *e = expr_new(a, EXPR_CALL);

	e->text = what;
	return e;
}

void lines_push(struct arena *a, struct lines *to, struct line *line) { ARENA_PUSH(a, to->at, to->n, line); }

static struct line *push_line(struct arena *a, struct lines *to, struct str key, enum line_form form,
	struct expr *value, struct span from)
{
	struct line *line = ARENA_NEW(a, struct line);

	*line = (struct line){ .key = key, .form = form, .value = value, .from = from };
	lines_push(a, to, line);
	return line;
}

struct line *lines_set(struct arena *a, struct lines *to, struct str key, struct expr *value, struct span from)
{
	return push_line(a, to, key, LINE_SET, value, from);
}

struct line *lines_add(struct arena *a, struct lines *to, struct expr *value, struct span from)
{
	return push_line(a, to, (struct str){ 0 }, LINE_SET, value, from);
}

struct lines *lines_extend(struct arena *a, struct lines *to, struct str key, struct span from)
{
	return &push_line(a, to, key, LINE_EXTEND, expr_new(a, EXPR_BODY), from)->value->items;
}

struct line *lines_find(const struct lines *in, struct str key)
{
	for (size_t i = 0; i < in->n; i++)
		if (str_eq(in->at[i]->key, key))
			return in->at[i];
	return NULL;
}

struct lines *lines_block(struct arena *a, struct lines *in, struct str key, struct span from)
{
	struct line *line = lines_find(in, key);

	return line ? &line->value->items : lines_extend(a, in, key, from);
}

void line_comment(struct arena *a, struct line *line, struct remark remark)
{
	size_t i = line->ncomments;

	remark.behind = remark.behind && !line->ended;
	line->ended = line->ended || remark.behind;
	ARENA_PUSH(a, line->comments, line->ncomments, remark);
	for (; i > 0 && line->comments[i - 1].at > remark.at; i--)
		line->comments[i] = line->comments[i - 1];
	line->comments[i] = remark;
}

void line_join_comments(struct arena *a, struct line *to, const struct line *from)
{
	const struct lines *items = &from->value->items;
	struct map there = { 0 };

	for (size_t i = 0; i < to->ncomments && from->ncomments; i++)
		map_put(&there, a, to->comments[i].text, to);
	for (size_t i = 0; i < from->ncomments; i++)
		if (!map_put(&there, a, from->comments[i].text, to))
			line_comment(a, to, from->comments[i]);
	for (size_t i = 0; i < items->n; i++)
		line_join_comments(a, to->value->items.at[i], items->at[i]);
}

/* ---- words ---- */

struct str expr_flat(struct arena *a, const struct expr *e)
{
	struct writing w = { .arena = a };

	expr_write(&w, e);
	struct str text = str_copy(a, buf_text(&w.out));
	writing_release(&w);
	return text;
}

struct str key_text(struct arena *a, struct str word)
{
	/* neither a key that needs quotes nor a word that a reader takes for a value of another type */
	static const char *const reserved[] = {
		"let", "check", "warn", "if", "for", "else", "then", "in", "and", "or", "not", "true", "false", "none",
	};
	bool bare = str_is_word(word);

	for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
		bare = bare && !str_is(word, reserved[i]);
	return bare ? word : expr_flat(a, expr_string(a, word));
}

struct str word_text(struct arena *a, struct str text)
{
	bool digit = text.n && isdigit((unsigned char)*text.p);
	size_t n = text.n + digit;
	char *p = str_cat_chars(a, digit ? STR("_") : STR(""), text, STR(""));

	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)p[i]))
			p[i] = '_';
	return n ? (struct str){ p, n } : STR("_");
}

/* ---- comparison ---- */

static bool lines_same(const struct lines *a, const struct lines *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!line_same(a->at[i], b->at[i]))
			return false;
	return true;
}

bool expr_same(const struct expr *a, const struct expr *b)
{
	if (a->kind != b->kind || !str_eq(a->text, b->text) || a->npieces != b->npieces)
		return false;
	for (size_t i = 0; i < a->npieces; i++)
		if (a->pieces[i].code != b->pieces[i].code || !str_eq(a->pieces[i].text, b->pieces[i].text))
			return false;
	return lines_same(&a->items, &b->items);
}

bool line_same(const struct line *a, const struct line *b)
{
	return a->form == b->form && str_eq(a->key, b->key) && expr_same(a->value, b->value);
}
