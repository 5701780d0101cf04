/*
 * param_data.c - converts a tree that was read from a parameter file (YAML or JSON) to a value of the parameter's type.
 * Each scalar is checked separately and reported at its position in the file, and messages contain the path that leads
 * to it. So one error in a long list is one message about one element, and several errors are several messages.
 */
#include "eval/eval_params.h"

#include <math.h>

#include "diag/suggest.h"

enum { LONGEST = 60 };

/* How messages show D: the text of a scalar, otherwise the kind of D. */
static struct str shown(struct eval *ev, const struct data *d)
{
	struct str text = source_text(ev->program->sources, d->from);

	switch (d->kind) {
	case DATA_NULL: return STR("null");
	case DATA_LIST: return STR("a list");
	case DATA_MAP: return STR("a mapping");
	case DATA_STRING:
		return d->u.string.n <= LONGEST ? str_printf(ev->arena, "\"%.*s\"", STR_ARG(d->u.string))
			: STR("a text");
	default: return text.n && text.n <= LONGEST ? text : STR("a number");
	}
}

static const struct value *mismatch(struct eval *ev, const struct data *d, const struct type *t, struct str path)
{
	struct str needs = type_phrase(ev->arena, t), is = shown(ev, d), spelt = type_spell(ev->arena, t);
	struct diag *g = diag_report(ev->diags, TJ0403, d->from, "'%.*s' needs %.*s, found %.*s", STR_ARG(path),
		STR_ARG(needs), STR_ARG(is));

	if (d->kind == DATA_NULL)
		diag_help(ev->diags, g, "write a value, or give it the type '%.*s?', which may be none",
			STR_ARG(spelt));
	else if ((d->kind == DATA_INT || d->kind == DATA_FLOAT) && (t->kind == TYPE_MEMORY || t->kind == TYPE_DURATION))
		diag_help(ev->diags, g, "write a unit: %.*s%s", STR_ARG(is), t->kind == TYPE_MEMORY ? "Gi" : "h");
	else if (type_is_text(t) && (d->kind == DATA_INT || d->kind == DATA_FLOAT || d->kind == DATA_BOOL))
		diag_help(ev->diags, g, "write \"%.*s\"", STR_ARG(is));
	return &value_bad;
}

/* ---- scalars ---- */

/* Reports NUL and other bytes that a text in a program cannot contain. */
static bool plain_text(struct eval *ev, const struct data *d, struct str path)
{
	if (!memchr(d->u.string.p ? d->u.string.p : "", 0, d->u.string.n))
		return true;
	diag_report(ev->diags, TJ0403, d->from, "'%.*s' contains a NUL character, which no container takes",
		STR_ARG(path));
	return false;
}

static const struct value *scalar_value(struct eval *ev, const struct data *d, const struct type *t, struct str path,
	bool top)
{
	const struct type *core = type_strip_optional(t);
	struct str text = d->kind == DATA_STRING ? d->u.string : source_text(ev->program->sources, d->from);

	if (d->kind == DATA_STRING && !plain_text(ev, d, path))
		return &value_bad;
	if (core->kind == TYPE_BOOL)
		return d->kind == DATA_BOOL ? value_bool(ev->arena, d->u.boolean, d->from) : mismatch(ev, d, t, path);
	if (type_is_text(core) && (d->kind == DATA_STRING || top))       /* tag: 1.0 */
		return value_string(ev->arena, text, d->from);
	if (core->kind == TYPE_ENV_VALUE && d->kind == DATA_STRING)
		return value_string(ev->arena, text, d->from);
	if (type_is_text(core) || core->kind == TYPE_ACCELERATOR || core->kind == TYPE_VOLUME)
		return mismatch(ev, d, t, path);
	const struct value *v = param_text(ev, text, d->from, core);
	return v ? v : mismatch(ev, d, t, path);
}

/* ---- lists, maps, records ---- */

struct str param_key(const struct sources *sources, const struct data_member *m)
{
	struct str text = source_text(sources, m->key_at);

	return text.n && text.p[0] != '"' && text.p[0] != '\'' ? text : m->key;
}

static const struct value *list_value(struct eval *ev, const struct data *d, const struct type *t, struct str path)
{
	struct value *list = value_new(ev->arena, VALUE_LIST, d->from);
	bool ok = true;

	for (size_t i = 0; i < d->u.list.n; i++) {
		struct str at = str_printf(ev->arena, "%.*s[%zu]", STR_ARG(path), i);
		const struct value *v = param_data(ev, d->u.list.at[i], t->elem, at, false);
		ok = value_ok(v) && list_add(ev, list, v) && ok;
	}
	return ok ? list_finish(ev, list) : &value_bad;
}

static const struct value *map_of(struct eval *ev, const struct data *d, const struct type *t, struct str path)
{
	struct value *map = value_new(ev->arena, VALUE_MAP, d->from);
	bool ok = true;

	for (size_t i = 0; i < d->u.map.n; i++) {
		const struct data_member *m = &d->u.map.at[i];
		struct str key = param_key(ev->program->sources, m),
			at = str_printf(ev->arena, "%.*s.%.*s", STR_ARG(path), STR_ARG(key));
		const struct value *v = param_data(ev, m->value, t->elem, at, false);
		ok = value_ok(v) && ok;
		value_put(ev->arena, map, names_intern(ev->program->names, key), m->key_at, v);
	}
	return ok ? map_finish(ev, map) : &value_bad;
}

static const struct record_field *parameter_field(const struct decl *record, struct str name)
{
	for (size_t i = 0; i < record->nfields; i++)
		if (str_eq(record->fields[i].name, name))
			return &record->fields[i];
	return NULL;
}

static void report_data_field(struct eval *ev, struct str key, struct span at, const struct decl *record,
	struct str path)
{
	struct suggest near;
	struct diag *d = diag_report(ev->diags, TJ0202, at, "'%.*s' has no field '%.*s'", STR_ARG(path), STR_ARG(key));

	suggest_init(&near, ev->arena, key);
	for (size_t i = 0; i < record->nfields; i++)
		suggest_add(&near, record->fields[i].name);
	struct str help = suggest_or_list(&near, "its fields are:");
	if (help.n)
		diag_help(ev->diags, d, "%.*s", STR_ARG(help));
}

/* Reads a record. value_convert() handles missing fields, defaults and refinements. */
static const struct value *record_of(struct eval *ev, const struct data *d, const struct type *t, struct str path)
{
	struct value *map = value_new(ev->arena, VALUE_MAP, d->from);
	bool ok = true;

	for (size_t i = 0; i < d->u.map.n; i++) {
		const struct data_member *m = &d->u.map.at[i];
		struct str key = param_key(ev->program->sources, m);
		const struct record_field *f = parameter_field(t->record, key);
		if (!f) {
			report_data_field(ev, key, m->key_at, t->record, path);
			ok = false;
			continue;
		}
		const struct value *v = param_data(ev, m->value, f->type,
			str_printf(ev->arena, "%.*s.%.*s", STR_ARG(path), STR_ARG(key)), false);
		ok = value_ok(v) && ok;
		value_put(ev->arena, map, f->name, m->key_at, v);
	}
	return ok ? map_finish(ev, map) : &value_bad;
}

/* Free-form data as the value of a `raw` field. */
static const struct value *free_form(struct eval *ev, const struct data *d, struct str path)
{
	static const struct type list = { .kind = TYPE_LIST, .elem = &type_data },
		map = { .kind = TYPE_MAP, .elem = &type_data };

	switch (d->kind) {
	case DATA_NULL: return &value_none;
	case DATA_BOOL: return value_bool(ev->arena, d->u.boolean, d->from);
	case DATA_INT: return value_int(ev->arena, d->u.integer, d->from);
	case DATA_FLOAT:
		return isfinite(d->u.number) ? value_float(ev->arena, d->u.number, d->from)
			: mismatch(ev, d, &type_float, path);
	case DATA_STRING: return plain_text(ev, d, path) ? value_string(ev->arena, d->u.string, d->from) : &value_bad;
	case DATA_LIST: return list_value(ev, d, &list, path);
	default: return map_of(ev, d, &map, path);
	}
}

const struct value *param_data(struct eval *ev, const struct data *d, const struct type *t, struct str path, bool top)
{
	const struct type *core = type_strip_optional(t);

	if (!eval_step(ev, d->from) || core->kind == TYPE_BAD)
		return &value_bad;
	if (core->kind == TYPE_DATA)
		return free_form(ev, d, path);
	if (d->kind == DATA_NULL)
		return t->kind == TYPE_OPTIONAL ? value_new(ev->arena, VALUE_NONE, d->from) : mismatch(ev, d, t, path);
	const struct value *v = NULL;
	if (core->kind == TYPE_LIST && d->kind == DATA_LIST)
		v = list_value(ev, d, core, path);
	else if (core->kind == TYPE_MAP && d->kind == DATA_MAP)
		v = map_of(ev, d, core, path);
	else if (core->kind == TYPE_RECORD && d->kind == DATA_MAP)
		v = record_of(ev, d, core, path);
	else if (d->kind == DATA_LIST || d->kind == DATA_MAP || core->kind == TYPE_LIST || core->kind == TYPE_MAP ||
		core->kind == TYPE_RECORD)
		return mismatch(ev, d, t, path);
	else
		v = scalar_value(ev, d, t, path, top);
	if (!value_ok(v))
		return v;
	struct str outer = ev->name;
	ev->name = path;
	v = value_convert(ev, v, t, d->from, (struct span){ 0 });
	ev->name = outer;
	return v;
}
