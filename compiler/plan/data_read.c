/*
 * data_read.c - the documents of a text, whichever form they have.
 *
 * A text that looks like JSON is tried as that first: it is several times faster,
 * and JSON is not quite a part of YAML 1.1 (tabs, `\/`, pairs of surrogates).  If
 * both readers refuse it, the one that came further is believed.
 */
#include "plan/data_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "plan/data_parts.h"

/* ---- what the readers share ---- */

void data_push(struct data_stack *s, struct data_member m)
{
	if (s->n == s->size) {
		s->size = s->size ? 2 * s->size : 64;
		s->at = memory_resize(s->at, s->size * sizeof *s->at);
	}
	s->at[s->n++] = m;
}

void data_stack_release(struct data_stack *s)
{
	free(s->at);
	*s = (struct data_stack){ 0 };
}

struct span data_span(const struct data_text *t, size_t start, size_t end)
{
	return (struct span){ t->source->base + (uint32_t)start, t->source->base + (uint32_t)end };
}

bool data_fail(struct data_text *t, size_t start, size_t end, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	*t->error = (struct data_error){ .at = data_span(t, start, end), .what = str_copy(t->arena, str_of(text)) };
	return false;
}

struct data *data_new(struct data_text *t, enum data_kind kind, struct span from)
{
	struct data *d = ARENA_NEW(t->arena, struct data);

	d->kind = kind;
	d->from = from;
	return d;
}

void data_close_list(struct data_text *t, size_t base, struct data *list)
{
	list->u.list.n = t->stack.n - base;
	list->u.list.at = ARENA_ARRAY(t->arena, struct data *, list->u.list.n);
	for (size_t i = 0; i < list->u.list.n; i++)
		list->u.list.at[i] = t->stack.at[base + i].value;
	t->stack.n = base;
}

enum { FEW = 12 };      /* keys that are compared with each other rather than looked up */

static const struct data_member *earlier(const struct data_member *at, size_t i, struct map *seen, struct arena *a)
{
	if (seen)
		return map_put(seen, a, at[i].key, (void *)&at[i]);
	for (size_t k = 0; k < i; k++)
		if (str_eq(at[k].key, at[i].key))
			return &at[k];
	return NULL;
}

static bool keys_differ(struct data_text *t, const struct data_member *at, size_t n)
{
	struct arena scratch = { 0 };
	struct map seen = { 0 };
	const struct data_member *first = NULL;
	size_t i = 0;

	for (; i < n; i++)
		if ((first = earlier(at, i, n > FEW ? &seen : NULL, &scratch)))
			break;
	arena_release(&scratch);
	if (!first)
		return true;
	*t->error = (struct data_error){ .at = at[i].key_at, .first = first->key_at,
		.what = str_printf(t->arena, "the key '%.*s' is there twice", (int)(at[i].key.n < 80 ? at[i].key.n : 80), at[i].key.p) };
	return false;
}

bool data_close_map(struct data_text *t, size_t base, struct data *map)
{
	map->u.map.n = t->stack.n - base;
	map->u.map.at = ARENA_ARRAY(t->arena, struct data_member, map->u.map.n);
	for (size_t i = 0; i < map->u.map.n; i++)
		map->u.map.at[i] = t->stack.at[base + i];
	t->stack.n = base;
	return keys_differ(t, map->u.map.at, map->u.map.n);
}

/* ---- documents ---- */

struct data_reader {
	struct data_text text;
	size_t at;                      /* of the next JSON document */
	struct yaml_reading *yaml;      /* once the text is not JSON */
	enum data_step over;            /* END or ERROR: the answer from now on; DATA_DOCUMENT before */
	struct data_error error;
};

struct data_reader *data_reader_new(struct arena *a, const struct source *source)
{
	struct data_reader *r = ARENA_NEW(a, struct data_reader);

	r->text = (struct data_text){ .arena = a, .source = source, .error = &r->error };
	if (str_starts(source->text, STR("\xef\xbb\xbf")))
		r->at = 3;              /* a byte order mark, which is no part of the text */
	return r;
}

/* Behind a line `---` between two JSON documents. */
static size_t skip_mark(const struct data_reader *r, size_t at)
{
	struct str text = r->text.source->text;

	if (at && at + 3 < text.n && memcmp(text.p + at, "---", 3) == 0 && text.p[at - 1] == '\n')
		return json_skip(&r->text, at + 3);
	return at;
}

/* A document in JSON; NULL when there is none at this place. */
static struct data *try_json(struct data_reader *r)
{
	size_t at = skip_mark(r, json_skip(&r->text, r->at));
	struct str text = r->text.source->text;

	if (at == text.n) {
		r->at = at;
		return NULL;
	}
	if (text.p[at] != '{' && text.p[at] != '[')
		return NULL;
	struct data *d = json_read(&r->text, &at);
	if (d)
		r->at = at;
	return d;
}

static enum data_step next_yaml(struct data_reader *r, struct data **ret)
{
	struct data_error json = r->error;      /* why it is not JSON, if it looked like it */

	r->error = (struct data_error){ 0 };
	if (!r->yaml)
		r->yaml = yaml_reading_new(&r->text, r->at);
	enum data_step step = yaml_next(r->yaml, ret);
	if (step == DATA_ERROR && json.at.start > r->error.at.start)
		r->error = json;
	return step;
}

enum data_step data_next(struct data_reader *r, struct data **ret, struct data_error *error)
{
	enum data_step step = r->over;

	if (step == DATA_DOCUMENT && !r->yaml && (*ret = try_json(r)))
		return DATA_DOCUMENT;
	if (step == DATA_DOCUMENT)
		step = !r->yaml && r->at == r->text.source->text.n ? DATA_END : next_yaml(r, ret);
	if (step != DATA_DOCUMENT)
		r->over = step;
	if (step == DATA_ERROR)
		*error = r->error;
	return step;
}

void data_reader_release(struct data_reader *r)
{
	if (r->yaml)
		yaml_reading_release(r->yaml);
	data_stack_release(&r->text.stack);
}

bool data_read_json(struct arena *a, const struct source *source, struct data **ret, struct data_error *error)
{
	struct data_text t = { .arena = a, .source = source, .error = error };
	size_t at = 0;
	struct data *d = json_read(&t, &at);

	data_stack_release(&t.stack);
	if (!d)
		return false;
	at = json_skip(&t, at);
	if (at < source->text.n)
		return data_fail(&t, at, at + 1, "nothing may follow the document");
	*ret = d;
	return true;
}
