/*
 * shape.c - walks over structs that are described by rows, and the types that every struct may use.
 */
#include "data/shape.h"

#include <limits.h>

#include "base/words.h"
#include "data/data_write.h"

/* ---- the walkers ---- */

bool shape_is_written(const struct shape_row *r, enum shape_use use, const void *object)
{
	if (!shape_row_in(r, use) || (r->when && !r->when(object)))
		return false;
	if (use == IN_IDENTITY ? r->uses & IN_IDENTITY && !(r->uses & IF_SET) : r->uses & ALWAYS)
		return true;
	return !r->type->zero(r, object);
}

void shape_write(struct shape_out *o, const struct shape *s, const void *object)
{
	for (const struct shape_row *r = s->rows; r < s->rows + s->n; r++) {
		if (!shape_is_written(r, o->use, object))
			continue;
		json_key(&o->json, r->key);
		r->type->json(o, r, object);
	}
}

void shape_identity(struct shape_out *o, const struct shape *s, const void *object)
{
	for (const struct shape_row *r = s->rows; r < s->rows + s->n; r++)
		if (shape_is_written(r, IN_IDENTITY, object))
			r->type->identity(o, r, object);
}

void shape_set_list(const struct shape_row *r, void *object, void *at, size_t n)
{
	memcpy(shape_member(r, object), &at, sizeof at);
	memcpy((char *)object + r->second, &n, sizeof n);
}

bool shape_bad(struct shape_reader *in, const char *key, const char *what)
{
	if (!in->why.n)
		in->why = str_printf(in->arena, "'%s' %s", key, what);
	return false;
}

bool shape_read(struct shape_reader *in, const struct shape *s, const struct data *d, unsigned last, void *object)
{
	for (const struct shape_row *r = s->rows; r < s->rows + s->n; r++) {
		if (!shape_row_in(r, in->use) || !r->type->read || (r->uses & LAST) != last ||
			(in->missing && !r->type->zero(r, object)))
			continue;
		const struct data *value = data_get(d, str_of(r->key));
		if (!value && in->strict && r->uses & in->use && !(r->uses & LATER))
			return shape_bad(in, r->key, "is missing");
		if (value && !r->type->read(in, r, value, object) && in->strict)
			return shape_bad(in, r->key, "is not what it should be");
		if (in->why.n)
			return false;
	}
	return true;
}

void shape_copy(struct arena *a, const struct shape *s, void *object)
{
	for (const struct shape_row *r = s->rows; r < s->rows + s->n; r++)
		if (r->member && r->type->copy)
			r->type->copy(a, r, object);
}

/* ---- parts of identities ---- */

void shape_put_int(struct shape_out *o, const char *key, int64_t n)
{
	buf_printf(o->out, "%s=%lld\n", key, (long long)n);
}

void shape_put_text(struct shape_out *o, const char *key, struct str s)
{
	buf_printf(o->out, "%s=%zu:", key, s.n);
	buf_str(o->out, s);
	buf_char(o->out, '\n');
}

/* ---- texts ---- */

static struct str text_at(const struct shape_row *r, const void *object)
{
	return *(const struct str *)shape_at(r, object);
}

static bool text_zero(const struct shape_row *r, const void *object) { return !text_at(r, object).n; }
static void text_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_text(&o->json, text_at(r, object));
}
static bool text_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	(void)in;
	if (d->kind == DATA_STRING)
		*(struct str *)shape_member(r, object) = d->u.string;
	return d->kind == DATA_STRING;
}
static void text_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	shape_put_text(o, r->key, text_at(r, object));
}
static void text_copy(struct arena *a, const struct shape_row *r, void *object)
{
	struct str *s = shape_member(r, object);

	if (s->n)
		*s = str_copy(a, *s);
}
const struct shape_type shape_text = { text_zero, text_json, text_read, text_identity, text_copy };

/* ---- numbers ---- */

static bool bool_zero(const struct shape_row *r, const void *object) { return !*(const bool *)shape_at(r, object); }
static void bool_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_bool(&o->json, *(const bool *)shape_at(r, object));
}
static bool bool_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	(void)in;
	if (d->kind == DATA_BOOL)
		*(bool *)shape_member(r, object) = d->u.boolean;
	return d->kind == DATA_BOOL;
}
static void bool_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	shape_put_int(o, r->key, *(const bool *)shape_at(r, object));
}
const struct shape_type shape_bool = { bool_zero, bool_json, bool_read, bool_identity, NULL };

static int64_t int64_at(const struct shape_row *r, const void *object)
{
	return *(const int64_t *)shape_at(r, object);
}
static bool int64_zero(const struct shape_row *r, const void *object) { return !int64_at(r, object); }
static void int64_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_int(&o->json, int64_at(r, object));
}
static bool read_within(const struct data *d, int64_t lowest, int64_t highest, int64_t *ret)
{
	if (d->kind != DATA_INT || d->u.integer < lowest || d->u.integer > highest)
		return false;
	*ret = d->u.integer;
	return true;
}
static bool int64_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	(void)in;
	return read_within(d, INT64_MIN, INT64_MAX, shape_member(r, object));
}
static void int64_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	shape_put_int(o, r->key, int64_at(r, object));
}
const struct shape_type shape_int64 = { int64_zero, int64_json, int64_read, int64_identity, NULL };

/* A uint64_t is written as the int64_t with the same bits, and never read as more than INT64_MAX. */
static bool uint64_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	(void)in;
	return read_within(d, 0, INT64_MAX, shape_member(r, object));
}
const struct shape_type shape_uint64 = { int64_zero, int64_json, uint64_read, int64_identity, NULL };

static int int_at(const struct shape_row *r, const void *object) { return *(const int *)shape_at(r, object); }
static bool int_zero(const struct shape_row *r, const void *object) { return !int_at(r, object); }
static void int_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_int(&o->json, int_at(r, object));
}
static bool int_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	int64_t n;

	(void)in;
	if (!read_within(d, INT_MIN, INT_MAX, &n))
		return false;
	*(int *)shape_member(r, object) = (int)n;
	return true;
}
static void int_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	shape_put_int(o, r->key, int_at(r, object));
}
const struct shape_type shape_int = { int_zero, int_json, int_read, int_identity, NULL };

/* ---- enums ---- */

_Static_assert(sizeof(enum shape_use) == sizeof(int), "an enum is read as an int");

static struct str word_at(const struct shape_row *r, const void *object)
{
	const struct shape_words *words = r->of;

	return str_of(words->at[int_at(r, object)]);
}
static void word_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_text(&o->json, word_at(r, object));
}
static bool word_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	const struct shape_words *words = r->of;

	(void)in;
	for (size_t i = 0; d->kind == DATA_STRING && i < words->n; i++) {
		if (!str_is(d->u.string, words->at[i]))
			continue;
		*(int *)shape_member(r, object) = (int)i;
		return true;
	}
	return false;
}
static void word_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	shape_put_text(o, r->key, word_at(r, object));
}
const struct shape_type shape_word = { int_zero, word_json, word_read, int_identity, NULL };
const struct shape_type shape_word_text = { int_zero, word_json, word_read, word_identity, NULL };

/* ---- times ---- */

static void time_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_time(&o->json, int64_at(r, object), 9);
}
static void moment_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_time(&o->json, int64_at(r, object), 0);
}
static bool time_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	int64_t ns;

	(void)in;
	if (d->kind != DATA_STRING || !time_parse(d->u.string, &ns))
		return false;
	*(int64_t *)shape_member(r, object) = ns;
	return true;
}
const struct shape_type shape_time = { int64_zero, time_json, time_read, int64_identity, NULL };
const struct shape_type shape_moment = { int64_zero, moment_json, time_read, int64_identity, NULL };

/* ---- lists of texts ---- */

static bool list_zero(const struct shape_row *r, const void *object) { return !shape_count(r, object); }
static void texts_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct str *at = shape_pointer_at(r, object);

	json_open(&o->json, '[');
	for (size_t i = 0; i < shape_count(r, object); i++)
		json_put_text(&o->json, at[i]);
	json_close(&o->json, ']');
}
static bool texts_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	size_t n = d->kind == DATA_LIST ? d->u.list.n : 0;
	struct str *at = ARENA_ARRAY(in->arena, struct str, n);

	if (d->kind != DATA_LIST)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (d->u.list.at[i]->kind != DATA_STRING)
			return false;
		at[i] = d->u.list.at[i]->u.string;
	}
	shape_set_list(r, object, at, n);
	return true;
}
static void texts_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct str *at = shape_pointer_at(r, object);

	shape_put_int(o, r->key, (int64_t)shape_count(r, object));
	for (size_t i = 0; i < shape_count(r, object); i++)
		shape_put_text(o, r->of, at[i]);
}

/* Makes a copy of N elements. Pointers in the elements are copied, but not the memory that they point to. */
static void *copy_elements(struct arena *a, const void *at, size_t n, size_t size)
{
	void *copy = arena_alloc(a, n * size);

	if (n)
		memcpy(copy, at, n * size);
	return copy;
}
static void texts_copy(struct arena *a, const struct shape_row *r, void *object)
{
	size_t n = shape_count(r, object);
	struct str *at = copy_elements(a, shape_pointer_at(r, object), n, sizeof *at);

	for (size_t i = 0; i < n; i++)
		if (at[i].n)
			at[i] = str_copy(a, at[i]);
	shape_set_list(r, object, at, n);
}
const struct shape_type shape_texts = { list_zero, texts_json, texts_read, texts_identity, texts_copy };

/* ---- structs ---- */

static void struct_json(struct shape_out *o, const struct shape *s, const void *object)
{
	json_open(&o->json, '{');
	shape_write(o, s, object);
	json_close(&o->json, '}');
}

static bool part_zero(const struct shape_row *r, const void *object)
{
	(void)r;
	(void)object;
	return false;
}
static void part_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	struct_json(o, r->of, shape_at(r, object));
}
static bool part_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	return d->kind == DATA_MAP && shape_read(in, r->of, d, 0, shape_member(r, object));
}
static void part_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	shape_identity(o, r->of, shape_at(r, object));
}
static void part_copy(struct arena *a, const struct shape_row *r, void *object)
{
	shape_copy(a, r->of, shape_member(r, object));
}
const struct shape_type shape_part = { part_zero, part_json, part_read, part_identity, part_copy };

static bool pointer_zero(const struct shape_row *r, const void *object) { return !shape_pointer_at(r, object); }
static void pointer_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	struct_json(o, r->of, shape_pointer_at(r, object));
}
static bool pointer_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	const struct shape *s = r->of;
	void *at = arena_alloc(in->arena, s->size);

	if (d->kind != DATA_MAP || !shape_read(in, s, d, 0, at))
		return false;
	memcpy(shape_member(r, object), &at, sizeof at);
	return true;
}
static void pointer_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	shape_identity(o, r->of, shape_pointer_at(r, object));
}
static void pointer_copy(struct arena *a, const struct shape_row *r, void *object)
{
	const struct shape *s = r->of;
	void *at = shape_pointer_at(r, object);

	if (!at)
		return;
	at = copy_elements(a, at, 1, s->size);
	shape_copy(a, s, at);
	memcpy(shape_member(r, object), &at, sizeof at);
}
const struct shape_type shape_pointer = { pointer_zero, pointer_json, pointer_read, pointer_identity, pointer_copy };

static void optional_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	shape_put_int(o, r->key, shape_pointer_at(r, object) != NULL);
	if (shape_pointer_at(r, object))
		pointer_identity(o, r, object);
}
const struct shape_type shape_optional = { pointer_zero, pointer_json, pointer_read, optional_identity, pointer_copy };

static void list_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct shape *s = r->of;
	const char *at = shape_pointer_at(r, object);

	json_open(&o->json, '[');
	for (size_t i = 0; i < shape_count(r, object); i++)
		struct_json(o, s, at + i * s->size);
	json_close(&o->json, ']');
}
static bool list_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	const struct shape *s = r->of;
	size_t n = d->kind == DATA_LIST ? d->u.list.n : 0;

	if (d->kind != DATA_LIST)
		return false;
	char *at = arena_alloc(in->arena, n * s->size);
	for (size_t i = 0; i < n; i++)
		if (d->u.list.at[i]->kind != DATA_MAP || !shape_read(in, s, d->u.list.at[i], 0, at + i * s->size))
			return false;
	shape_set_list(r, object, at, n);
	return true;
}
static void list_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct shape *s = r->of;
	const char *at = shape_pointer_at(r, object);

	shape_put_int(o, r->key, (int64_t)shape_count(r, object));
	for (size_t i = 0; i < shape_count(r, object); i++)
		shape_identity(o, s, at + i * s->size);
}
static void list_copy(struct arena *a, const struct shape_row *r, void *object)
{
	const struct shape *s = r->of;
	size_t n = shape_count(r, object);
	char *at = copy_elements(a, shape_pointer_at(r, object), n, s->size);

	for (size_t i = 0; i < n; i++)
		shape_copy(a, s, at + i * s->size);
	shape_set_list(r, object, at, n);
}
const struct shape_type shape_list = { list_zero, list_json, list_read, list_identity, list_copy };

/* ---- free-form trees ---- */

static void put_data(struct shape_out *o, const char *key, const struct data *d)
{
	shape_put_int(o, key, d ? (int64_t)d->kind : -1);
	if (!d)
		return;
	switch (d->kind) {
	case DATA_NULL: break;
	case DATA_BOOL: shape_put_int(o, "bool", d->u.boolean); break;
	case DATA_INT: shape_put_int(o, "int", d->u.integer); break;
	case DATA_FLOAT: buf_printf(o->out, "float=%.17g\n", d->u.number); break;
	case DATA_STRING: shape_put_text(o, "string", d->u.string); break;
	case DATA_LIST:
		shape_put_int(o, "list", (int64_t)d->u.list.n);
		for (size_t i = 0; i < d->u.list.n; i++)
			put_data(o, "item", d->u.list.at[i]);
		break;
	case DATA_MAP:
		shape_put_int(o, "map", (int64_t)d->u.map.n);
		for (size_t i = 0; i < d->u.map.n; i++) {
			shape_put_text(o, "key", d->u.map.at[i].key);
			put_data(o, "member", d->u.map.at[i].value);
		}
		break;
	}
}
static void data_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_raw(&o->json, "%s", "");
	data_write(o->json.out, shape_pointer_at(r, object));
}
static bool data_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	(void)in;
	memcpy(shape_member(r, object), &d, sizeof d);
	return true;
}
static void data_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	put_data(o, r->key, shape_pointer_at(r, object));
}
const struct shape_type shape_data = { pointer_zero, data_json, data_read, data_identity, NULL };

/* ---- answers ---- */

static bool asked_zero(const struct shape_row *r, const void *object) { return !r->ask(object); }
static void asked_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_bool(&o->json, r->ask(object));
}
static void asked_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	shape_put_int(o, r->key, r->ask(object));
}
const struct shape_type shape_asked = { asked_zero, asked_json, NULL, asked_identity, NULL };
