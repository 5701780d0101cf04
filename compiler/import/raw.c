/*
 * raw.c - writes trees of a manifest as the language writes them in `raw`.
 */
#include "import/import_manifest.h"

static struct str float_text(struct arena *a, double number)
{
	struct str text = str_double(a, number);

	return str_cat(a, text, strpbrk(text.p, ".e") ? STR("") : STR(".0"), STR(""));
}

static struct expr *raw_items(struct import *im, const struct data *d)
{
	struct expr *e = expr_new(im->arena, d->kind == DATA_LIST ? EXPR_LIST : EXPR_BODY);

	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++)
		import_comments(im, lines_add(im->arena, &e->items, raw_expr(im, d->u.list.at[i]),
			d->u.list.at[i]->from), d->u.list.at[i]->from);
	for (size_t i = 0; d->kind == DATA_MAP && i < d->u.map.n; i++)
		raw_member(im, &e->items, d->u.map.at[i].key, d->u.map.at[i].value, d->u.map.at[i].key_at);
	return e;
}

struct expr *raw_expr(struct import *im, const struct data *d)
{
	struct arena *a = im->arena;

	switch (d->kind) {
	case DATA_BOOL: return expr_text(a, d->u.boolean ? STR("true") : STR("false"));
	case DATA_INT: return expr_int(a, d->u.integer);
	case DATA_FLOAT: return expr_text(a, float_text(a, d->u.number));
	case DATA_STRING: return expr_string(a, d->u.string);
	case DATA_LIST:
	case DATA_MAP: return raw_items(im, d);
	case DATA_NULL: break;
	}
	return expr_text(a, STR("none"));
}

void raw_member(struct import *im, struct lines *to, struct str key, const struct data *value, struct span key_at)
{
	enum { DEPTH = 4 };             /* deeper maps are written as values, like the fields in a raw block */
	struct arena *a = im->arena;
	struct line *line;

	if (value->kind == DATA_NULL)
		return;
	line = lines_set(a, to, key_text(a, key), raw_expr(im, value), key_at);
	if (value->kind == DATA_MAP && value->u.map.n && !expr_fits(line->value, DEPTH))
		line->form = LINE_EXTEND;
	import_comments(im, line, span_join(key_at, value->from));
}
