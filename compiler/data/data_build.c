/*
 * data_build.c - builds trees for the readers of JSON and YAML: nodes, unfinished lists and maps, spans, and the error.
 */
#include "data/data_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"

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
	list->u.list.at = ARENA_ARRAY(t->arena, const struct data *, list->u.list.n);
	for (size_t i = 0; i < list->u.list.n; i++)
		list->u.list.at[i] = t->stack.at[base + i].value;
	t->stack.n = base;
}

void data_stack_release(struct data_stack *s)
{
	memory_drop(s->at);
	*s = (struct data_stack){ 0 };
}

enum { FEW = 12 };      /* up to so many keys are compared with each other; more are put into a table */

static bool few_differ(const struct data_member *at, size_t n, size_t *ret_again, size_t *ret_first)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (at[k].key.n == at[i].key.n && str_eq(at[k].key, at[i].key)) {
				*ret_again = i;
				*ret_first = k;
				return false;
			}
	return true;
}

bool data_keys_differ(const struct data_member *at, size_t n, size_t *ret_again, size_t *ret_first)
{
	struct arena scratch = { 0 };
	struct map seen = { 0 };
	const struct data_member *first = NULL;
	size_t i = 0;

	if (n <= FEW)
		return few_differ(at, n, ret_again, ret_first);
	for (; i < n; i++)
		if ((first = map_put_const(&seen, &scratch, at[i].key, &at[i])))
			break;
	arena_release(&scratch);
	if (!first)
		return true;
	*ret_again = i;
	*ret_first = (size_t)(first - at);
	return false;
}

static bool keys_differ(struct data_text *t, const struct data_member *at, size_t n)
{
	size_t again, first;

	if (data_keys_differ(at, n, &again, &first))
		return true;
	*t->error = (struct data_error){ .at = at[again].key_at, .first = at[first].key_at,
		.what = str_printf(t->arena, "the key '%.*s' appears twice",
		(int)(at[again].key.n < 80 ? at[again].key.n : 80), at[again].key.p) };
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

size_t data_budget(size_t n)
{
	enum { BYTES_FOR_EACH = 12 };           /* a text of N bytes may have N / 12 units; in the output of kubectl, a
						 * unit takes about 25 bytes */

	return n / BYTES_FOR_EACH > DATA_UNITS ? n / BYTES_FOR_EACH : DATA_UNITS;
}

bool data_spend(struct data_text *t, size_t at, unsigned units)
{
	t->spent += units;
	if (!t->most || t->spent <= t->most)
		return true;
	return data_fail(t, at, at + (at < t->source->text.n),
		"the file has too many values up to here; a file of this size may have %zu in JSON and %zu in YAML, "
		"keys included",
		t->most, t->most / DATA_YAML_UNITS);
}

void data_push(struct data_stack *s, struct data_member m)
{
	if (s->n == s->size) {
		s->size = s->size ? 2 * s->size : 64;
		s->at = memory_hold(s->at, s->size * sizeof *s->at);
	}
	s->at[s->n++] = m;
}

struct span data_span(const struct data_text *t, size_t start, size_t end)
{
	return (struct span){ t->source->base + (uint32_t)start, t->source->base + (uint32_t)end };
}
