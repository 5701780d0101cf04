/*
 * render_parts.c - parts that the renderers of YAML and JSON share: holes, segments of texts, numbers.
 */
#include "objects/objects_render.h"

void render_hole(struct rendered *r, const struct object *made, unsigned indent, bool in_list)
{
	struct hole h = { r->bytes.n, made, indent, in_list, r->from };

	if (!r->nested)
		ARENA_PUSH(&r->holes_arena, r->holes, r->nholes, h);
	else if (!made)
		buf_int(&r->bytes, r->index);
}

const struct str *render_segments(const struct object *o, struct str *one, size_t *ret_n)
{
	if (o->kind == OBJECT_TEXT) {
		*ret_n = o->u.text.n;
		return o->u.text.at;
	}
	*one = o->u.string.p ? o->u.string : STR("");
	*ret_n = 1;
	return one;
}

void render_float(struct buf *b, double number)
{
	char text[STR_DOUBLE];

	str_double_put(text, number);
	char *e = strchr(text, 'e');
	size_t mantissa = e ? (size_t)(e - text) : strlen(text);
	buf_put(b, text, mantissa);
	if (!memchr(text, '.', mantissa))
		buf_z(b, ".0");
	if (e)
		buf_z(b, e);
}
