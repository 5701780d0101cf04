/* schema_check.c - checks free-form data against a schema. */
#include "kube/schema_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "diag/suggest.h"
#include "kube/schema_limits.h"

/* Returns the last part of a type's name: "PodSpec" of "core.v1.PodSpec". */
static struct str short_name(const struct schema_checking *c, const struct schema_type *t)
{
	struct str name = schema_text(c->schema, t->name);
	const char *dot = memrchr(name.p, '.', name.n);

	return dot ? str_of(dot + 1) : name;
}

/* ---- names ---- */

static void other_version(struct schema_checking *c, const struct schema_type *t, const struct schema_field *f,
	const struct data_member *m)
{
	struct buf versions = { 0 };
	struct str name = short_name(c, t);

	schema_versions_text(f->versions, &versions);
	struct diag *d = diag_report(c->diags, TJ0905, m->key_at, "'%.*s' of %.*s is not in Kubernetes 1.%u",
		STR_ARG(m->key), STR_ARG(name), c->minor);
	diag_help(c->diags, d, "Kubernetes %.*s has it: remove it, or set the version with 'kubernetes' in project.tj "
		"or with --kubernetes",
		STR_ARG(buf_text(&versions)));
	buf_release(&versions);
}

static void unknown(struct schema_checking *c, const struct schema_type *t, const struct data_member *m)
{
	const struct schema_field *f = schema_newest_field(c->schema, t, m->key);
	struct str name = short_name(c, t);
	struct suggest near;

	if (f) {
		other_version(c, t, f, m);
		return;
	}
	struct diag *d = diag_report(c->diags, TJ0903, m->key_at, "%.*s has no field '%.*s'", STR_ARG(name),
		STR_ARG(m->key));
	suggest_init(&near, c->arena, m->key);
	for (size_t i = t->first; i < t->first + t->n; i++)
		if (schema_in(c->schema->fields[i].versions, c->minor))
			suggest_add(&near, schema_text(c->schema, c->schema->fields[i].name));
	struct str sentence = suggest_or_list(&near, "its fields are"), only = suggest_only(&near);
	if (sentence.n)
		diag_help(c->diags, d, "%.*s", STR_ARG(sentence));
	else
		diag_help(c->diags, d, "'trainc explain %.*s' lists its fields", STR_ARG(name));
	if (only.n)
		diag_fix(c->diags, d, m->key_at, only, "write '%.*s'", STR_ARG(only));
}

/* ---- values ---- */

static const char *found(const struct data *d)
{
	static const char *const words[] = { [DATA_NULL] = "nothing", [DATA_BOOL] = "true or false",
		[DATA_INT] = "a number", [DATA_FLOAT] = "a number with a fraction",
		[DATA_STRING] = "text", [DATA_LIST] = "a list", [DATA_MAP] = "a map" };

	return words[d->kind];
}

static bool is_whole(struct str s)
{
	size_t i = s.n && s.p[0] == '-';

	for (size_t k = i; k < s.n; k++)
		if (s.p[k] < '0' || s.p[k] > '9')
			return false;
	return s.n > i && s.n < 18;
}

/*
 * Is the number a multiple of a thousandth, as 0.5, which is 500m? 0.0015 is not, and neither is a number that is
 * only close to a multiple.
 */
static bool is_milli(double number)
{
	char text[40];

	if (number < 0 || number > 1e9)
		return false;
	snprintf(text, sizeof text, "%.3f", number);
	return strtod(text, NULL) == number;
}

/*
 * Returns the text that the value would have in the expected kind, if it is certain which value is meant; else an
 * empty text.
 */
static struct str instead(struct schema_checking *c, const struct schema_ref *r, const struct data *d)
{
	if (d->kind == DATA_STRING && (r->word == SCHEMA_INT || r->word == SCHEMA_NUMBER) && is_whole(d->u.string))
		return d->u.string;
	if (d->kind == DATA_STRING && r->word == SCHEMA_BOOL &&
	    (str_is(d->u.string, "true") || str_is(d->u.string, "false")))
		return d->u.string;
	if (d->kind == DATA_INT && (r->word == SCHEMA_STRING || r->word == SCHEMA_BYTES))
		return str_printf(c->arena, "\"%lld\"", (long long)d->u.integer);
	if (d->kind == DATA_FLOAT && r->word == SCHEMA_QUANTITY && is_milli(d->u.number))
		return str_printf(c->arena, "%.0fm", 1000 * d->u.number);
	if (d->kind == DATA_BOOL && (r->word == SCHEMA_STRING || r->word == SCHEMA_BYTES))
		return d->u.boolean ? STR("\"true\"") : STR("\"false\"");
	return STR("");
}

static void report_value(struct schema_checking *c, const struct schema_ref *r, const struct data *d, struct str what)
{
	struct buf wanted = { 0 };
	struct str write = instead(c, r, d);

	schema_ref_text(c->schema, r, &wanted);
	struct diag *report = diag_report(c->diags, TJ0904, d->from, "'%.*s' is %s %.*s, found %s", STR_ARG(what),
		r->word == SCHEMA_LIST || r->word == SCHEMA_MAP || r->word == SCHEMA_INT ||
		r->word == SCHEMA_INT_OR_STRING ? "a" :
		r->word == SCHEMA_BOOL || r->word == SCHEMA_BYTES ? "written as" : "a", STR_ARG(buf_text(&wanted)),
		found(d));
	if (write.n) {
		diag_help(c->diags, report, "write %.*s", STR_ARG(write));
		diag_fix(c->diags, report, d->from, write, "write %.*s", STR_ARG(write));
	} else if (r->word == SCHEMA_QUANTITY) {
		diag_help(c->diags, report, "a number, or a number with a unit: 500m, 2, 4Gi, 1.5G");
	} else if (r->word == SCHEMA_OBJECT || r->word == SCHEMA_BUILTIN) {
		diag_help(c->diags, report, "'trainc explain %.*s' lists its fields", STR_ARG(buf_text(&wanted)));
	}
	buf_release(&wanted);
}

static bool fits_schema(const struct schema_ref *r, const struct data *d)
{
	struct quantity q;

	switch ((enum schema_word)r->word) {
	case SCHEMA_ANY: return true;
	case SCHEMA_STRING:
	case SCHEMA_BYTES:
	case SCHEMA_TIME: return d->kind == DATA_STRING;
	case SCHEMA_INT: return d->kind == DATA_INT;
	case SCHEMA_NUMBER: return d->kind == DATA_INT || d->kind == DATA_FLOAT;
	case SCHEMA_BOOL: return d->kind == DATA_BOOL;
	case SCHEMA_QUANTITY:
		return d->kind == DATA_INT ||
			(d->kind == DATA_STRING && quantity_parse_full(d->u.string, &q) == QUANTITY_OK);
	case SCHEMA_INT_OR_STRING: return d->kind == DATA_INT || d->kind == DATA_STRING;
	case SCHEMA_OBJECT:
	case SCHEMA_BUILTIN:
	case SCHEMA_MAP: return d->kind == DATA_MAP;
	case SCHEMA_LIST: return d->kind == DATA_LIST;
	}
	return true;
}

static void check_map(struct schema_checking *c, const struct schema_type *t, const struct data *map, bool whole);

/* Checks a value. WHOLE: no other value will be merged into its maps, so a missing field is an error. */
static void check_value(struct schema_checking *c, const struct schema_ref *r, const struct data *d, struct str what,
	bool whole)
{
	if (d->kind == DATA_NULL)
		return;
	if (!fits_schema(r, d)) {
		report_value(c, r, d, what);
		return;
	}
	if (r->word == SCHEMA_OBJECT)
		check_map(c, &c->schema->types[r->of], d, whole);
	if (r->word == SCHEMA_BUILTIN) {
		struct schema_checking inner = *c;
		inner.schema = &schema_builtin;
		check_map(&inner, &schema_builtin.types[r->of], d, whole);
	}
	for (size_t i = 0; r->word == SCHEMA_LIST && i < d->u.list.n; i++)
		check_value(c, &c->schema->refs[r->of], d->u.list.at[i], what, whole);
	for (size_t i = 0; r->word == SCHEMA_MAP && i < d->u.map.n; i++)
		check_value(c, &c->schema->refs[r->of], d->u.map.at[i].value, d->u.map.at[i].key, true);
}

static void missing(struct schema_checking *c, const struct schema_type *t, const struct data *map)
{
	for (size_t i = t->first; i < t->first + t->n; i++) {
		const struct schema_field *f = &c->schema->fields[i];
		struct str name = schema_text(c->schema, f->name), type = short_name(c, t);
		if (!f->required || !schema_in(f->versions, c->minor) || data_get(map, name))
			continue;
		struct diag *d = diag_report(c->diags, TJ0907, map->from, "%.*s needs '%.*s'", STR_ARG(type),
			STR_ARG(name));
		struct buf wanted = { 0 };
		schema_ref_text(c->schema, &c->schema->refs[f->ref], &wanted);
		diag_help(c->diags, d, "add '%.*s', a %.*s", STR_ARG(name), STR_ARG(buf_text(&wanted)));
		buf_release(&wanted);
	}
}

/* Checks a text that the definition limits to certain words. */
static void check_enum(struct schema_checking *c, const struct schema_field *f, const struct data_member *m)
{
	struct str rest = schema_text(c->schema, f->keys);
	struct suggest near;

	if (m->value->kind != DATA_STRING)
		return;
	suggest_init(&near, c->arena, m->value->u.string);
	while (rest.n) {
		const char *comma = memchr(rest.p, ',', rest.n);
		struct str w = { rest.p, comma ? (size_t)(comma - rest.p) : rest.n };
		if (str_eq(w, m->value->u.string))
			return;
		suggest_add(&near, w);
		rest = (struct str){ rest.p + w.n + (comma != NULL), rest.n - w.n - (comma != NULL) };
	}
	struct diag *d = diag_report(c->diags, TJ0904, m->value->from, "'%.*s' cannot be '%.*s'", STR_ARG(m->key),
		STR_ARG(m->value->u.string));
	struct str help = suggest_or_list(&near, "it is one of");
	diag_help(c->diags, d, "%.*s", STR_ARG(help));
}

static void check_map(struct schema_checking *c, const struct schema_type *t, const struct data *map, bool whole)
{
	for (size_t i = 0; i < map->u.map.n; i++) {
		const struct data_member *m = &map->u.map.at[i];
		const struct schema_field *f = schema_find_field(c->schema, t, m->key, c->minor);
		if (f && f->list == SCHEMA_ENUM)
			check_enum(c, f, m);
		if (f && f->limits && fits_schema(&c->schema->refs[f->ref], m->value))
			schema_limits_check(c, schema_text(c->schema, f->limits), m->key, m->value);
		if (f)
			check_value(c, &c->schema->refs[f->ref], m->value, m->key, whole || !f->merge);
		else
			unknown(c, t, m);
	}
	if (whole)
		missing(c, t, map);
}

void schema_check(struct schema_checking *c, const struct schema_type *t, const struct data *map, bool whole)
{
	if (map->kind == DATA_MAP)
		check_map(c, t, map, whole);
}
