/*
 * json.c - writes a tree as JSON, indented by two spaces, one field per line.
 */
#include "objects/objects_render.h"

static void json_line(struct rendered *r, unsigned indent)
{
	buf_char(&r->bytes, '\n');
	for (; indent; indent--)
		buf_char(&r->bytes, ' ');
}

/* Writes a segment as part of a string, without quotes around it. */
static void segment(struct buf *b, struct str s)
{
	size_t at = b->n;

	buf_json(b, s);
	if (b->n < at + 2)
		return;
	memmove(b->p + at, b->p + at + 1, b->n - at - 2);
	b->n -= 2;
}

static void write_json_text(struct rendered *r, const struct object *o)
{
	struct str one;
	size_t n;
	const struct str *s = render_segments(o, &one, &n);

	if (n == 1 && s->p) {
		buf_json(&r->bytes, *s);
		return;
	}
	buf_char(&r->bytes, '"');
	for (size_t i = 0; i < n; i++) {
		if (s[i].p)
			segment(&r->bytes, s[i]);
		else
			render_hole(r, NULL, 0, false);
	}
	buf_char(&r->bytes, '"');
}

static void write_json_list(struct rendered *r, const struct object *o, unsigned indent)
{
	buf_char(&r->bytes, '[');
	for (size_t i = 0; i < o->u.list.n; i++) {
		if (i)
			buf_char(&r->bytes, ',');
		json_line(r, indent + 2);
		json_value(r, o->u.list.at[i], indent + 2);
	}
	if (o->u.list.n)
		json_line(r, indent);
	buf_char(&r->bytes, ']');
}

static void write_json_map(struct rendered *r, const struct object *o, unsigned indent)
{
	buf_char(&r->bytes, '{');
	for (size_t i = 0; i < o->u.map.n; i++) {
		if (i)
			buf_char(&r->bytes, ',');
		json_line(r, indent + 2);
		buf_json(&r->bytes, o->u.map.at[i].key);
		buf_put(&r->bytes, ": ", 2);
		json_value(r, o->u.map.at[i].value, indent + 2);
	}
	if (o->u.map.n)
		json_line(r, indent);
	buf_char(&r->bytes, '}');
}

void json_value(struct rendered *r, const struct object *o, unsigned indent)
{
	switch (o->kind) {
	case OBJECT_NULL: buf_z(&r->bytes, "null"); break;
	case OBJECT_BOOL: buf_z(&r->bytes, o->u.boolean ? "true" : "false"); break;
	case OBJECT_INT: buf_int(&r->bytes, o->u.integer); break;
	case OBJECT_FLOAT: render_float(&r->bytes, o->u.number); break;
	case OBJECT_STRING:
	case OBJECT_TEXT: write_json_text(r, o); break;
	case OBJECT_MADE: render_hole(r, o, indent, false); break;
	case OBJECT_LIST: write_json_list(r, o, indent); break;
	case OBJECT_MAP: write_json_map(r, o, indent); break;
	}
}

/* Writes an object as an item of a List, indented by two levels. */
void json_object(struct rendered *r, const struct object *root)
{
	json_value(r, root, 4);
}
