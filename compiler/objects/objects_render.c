/* objects_render.c - renders a tree once as bytes with holes, and writes the bytes for one index. */
#include "objects/objects_render.h"

#include <stdio.h>
#include <stdlib.h>

enum { PORTION = 64 * 1024 };

void render_object(struct rendered *r, const struct object *root)
{
	r->bytes.n = 0;
	r->nholes = 0;
	r->holes = NULL;
	arena_release(&r->holes_arena);
	r->from = root->from;
	if (r->json)
		json_object(r, root);
	else
		yaml_object(r, root);
}

void render_release(struct rendered *r)
{
	buf_release(&r->bytes);
	arena_release(&r->holes_arena);
}

void outlet_flush(struct outlet *out)
{
	if (out->n && !out->refused)
		out->refused = !out->sink->write(out->sink->context, out->p, out->n);
	out->n = 0;
}

void outlet_put(struct outlet *out, const char *bytes, size_t n)
{
	if (out->refused || !n)
		return;
	if (!out->p)
		out->p = memory_hold(NULL, PORTION);
	if (out->n + n > PORTION)
		outlet_flush(out);
	if (n >= PORTION) {
		out->refused = out->refused || !out->sink->write(out->sink->context, bytes, n);
		return;
	}
	memcpy(out->p + out->n, bytes, n);
	out->n += n;
}

void outlet_release(struct outlet *out)
{
	memory_drop(out->p);
	out->p = NULL;
}

static void index_write(int64_t index, struct outlet *out)
{
	char digits[24], *p = digits + sizeof(digits);

	do
		*--p = (char)('0' + index % 10);
	while (index /= 10);
	outlet_put(out, p, (size_t)(digits + sizeof(digits) - p));
}

static void made_write(const struct rendered *r, const struct hole *h, int64_t index, struct outlet *out)
{
	struct arena arena = { 0 };
	struct rendered value = { .json = r->json, .annotate = r->annotate, .from = h->from, .nested = true,
		.index = index };
	struct object *o = h->made->u.made.make(h->made->u.made.context, &arena, index);

	if (r->json)
		json_value(&value, o, h->indent);
	else
		yaml_value(&value, o, h->indent, h->in_list);
	outlet_put(out, value.bytes.p, value.bytes.n);
	render_release(&value);
	arena_release(&arena);
}

void render_write(const struct rendered *r, int64_t index, struct outlet *out)
{
	size_t at = 0;

	for (size_t i = 0; i < r->nholes; i++) {
		const struct hole *h = &r->holes[i];
		outlet_put(out, r->bytes.p + at, h->at - at);
		at = h->at;
		if (h->made)
			made_write(r, h, index, out);
		else
			index_write(index, out);
	}
	outlet_put(out, r->bytes.p + at, r->bytes.n - at);
}
