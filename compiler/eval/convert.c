/*
 * convert.c - converts a value to the type that is expected. There are few implicit conversions; the checker has
 * allowed the one at hand. This file performs it and tests what depends on the value: bounds, lengths, patterns, forms.
 * A text that depends on the pod is accepted if nothing must be tested. Otherwise it is computed for each index, or
 * refused.
 */
#include "eval/internal.h"

/* ---- reports ---- */

static void note_rule(struct eval *ev, struct diag *d, struct span rule, struct span at)
{
	if (span_known(rule) && rule.start != at.start)
		diag_note(ev->diags, d, rule, "declared here");
}

static void note_origin(struct eval *ev, struct diag *d, const struct value *v, struct span at)
{
	bool elsewhere = v->from.start < at.start || v->from.start >= at.end;

	if (span_known(v->from) && elsewhere && in_user_text(ev, v->from))
		diag_note(ev->diags, d, v->from, "the value comes from here");
}

/* Reports a value of the wrong kind, as "'nodes' needs an int, found ...", or without the name when it is unknown. */
static const struct value *mismatch(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	struct str want = type_phrase(ev->arena, to), found = value_phrase(ev->arena, v);
	struct diag *d;

	if (v->kind == VALUE_NONE)
		d = ev->name.p ? eval_report(ev, TJ0316, at, "'%.*s' is none here, and expects %.*s", STR_ARG(ev->name),
		               STR_ARG(want))
		               : eval_report(ev, TJ0316, at, "expected %.*s, found none", STR_ARG(want));
	else
		d = ev->name.p ? eval_report(ev, TJ0302, at, "'%.*s' expects %.*s, found %.*s", STR_ARG(ev->name),
		               STR_ARG(want), STR_ARG(found))
		               : eval_report(ev, TJ0302, at, "expected %.*s, found %.*s", STR_ARG(want),
		               STR_ARG(found));
	note_origin(ev, d, v, at);
	note_rule(ev, d, rule, at);
	return &value_bad;
}

/* Reports a value that is out of range: "nodes = 96 is outside 1..64". */
static const struct value *outside(struct eval *ev, const struct value *v, struct str bounds, struct span at,
	struct span rule, bool port)
{
	struct str text = value_spell(ev->arena, v);
	struct diag *d = ev->name.p
		? eval_report(ev, TJ0311, at, "%.*s = %.*s is outside %.*s", STR_ARG(ev->name), STR_ARG(text),
		STR_ARG(bounds))
		: eval_report(ev, TJ0311, at, "%.*s is outside %.*s", STR_ARG(text), STR_ARG(bounds));

	if (ev->name.p)
		diag_label(ev->diags, d, "outside %.*s", STR_ARG(bounds));
	note_origin(ev, d, v, at);
	note_rule(ev, d, rule, at);
	if (port)
		diag_help(ev->diags, d, "ports are the numbers 1 to 65535");
	return &value_bad;
}

/* ---- bounds ---- */

static struct str int_bounds(struct eval *ev, const struct refinement *r)
{
	struct str lo = r->has_lo ? str_printf(ev->arena, "%lld", (long long)r->lo) : STR("");
	struct str hi = r->has_hi ? str_printf(ev->arena, "%lld", (long long)r->hi) : STR("");

	return str_printf(ev->arena, "%.*s..%.*s", STR_ARG(lo), STR_ARG(hi));
}

static bool int_inside(const struct refinement *r, int64_t i)
{
	return !(r->has_lo && i < r->lo) && !(r->has_hi && i > r->hi);
}

static const struct value *test_int(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	const struct refinement *r = to->refine;

	if (!r || int_inside(r, v->u.integer))
		return v;
	return outside(ev, v, int_bounds(ev, r), at, rule, to->port);
}

static const struct value *test_elastic(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	const struct refinement *r = to->refine;

	if (!r || (int_inside(r, v->u.range.lo) && int_inside(r, v->u.range.hi)))
		return v;
	return outside(ev, v, int_bounds(ev, r), at, rule, false);
}

static const struct value *test_float(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	const struct refinement *r = to->refine;
	double d = v->u.floating;

	if (!r || (!(r->has_lo && d < r->flo) && !(r->has_hi && d > r->fhi)))
		return v;
	struct str lo = r->has_lo ? float_text(ev->arena, r->flo) : STR(""),
		hi = r->has_hi ? float_text(ev->arena, r->fhi) : STR("");
	return outside(ev, v, str_printf(ev->arena, "%.*s..%.*s", STR_ARG(lo), STR_ARG(hi)), at, rule, false);
}

static const struct value *test_quantity(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	const struct refinement *r = to->refine;
	int128 nano = v->u.quantity.nano;

	if (!r || (!(r->has_lo && nano < r->qlo.nano) && !(r->has_hi && nano > r->qhi.nano)))
		return v;
	struct str (*text)(struct arena *, struct quantity) = to->kind == TYPE_DURATION ? duration_text : quantity_text;
	struct str lo = r->has_lo ? text(ev->arena, r->qlo) : STR(""),
		hi = r->has_hi ? text(ev->arena, r->qhi) : STR("");
	return outside(ev, v, str_printf(ev->arena, "%.*s..%.*s", STR_ARG(lo), STR_ARG(hi)), at, rule, false);
}

/* ---- texts and lists ---- */

static const struct value *test_length(struct eval *ev, const struct value *v, const struct refinement *r, size_t n,
	const char *what, struct span at, struct span rule)
{
	if (int_inside(r, (int64_t)n))
		return v;
	struct str text = value_spell(ev->arena, v), bounds = int_bounds(ev, r);
	struct str subject = ev->name.p ? ev->name : text;
	struct diag *d = eval_report(ev, TJ0311, at, "%.*s has %zu %s, outside %.*s", STR_ARG(subject), n,
		n == 1 ? what : str_is(str_of(what), "entry") ? "entries" : str_printf(ev->arena, "%ss", what).p,
		STR_ARG(bounds));

	note_origin(ev, d, v, at);
	note_rule(ev, d, rule, at);
	return &value_bad;
}

/*
 * Is the position of the mismatch known? The matcher only returns the length of the longest prefix of the text that
 * matches the whole pattern. If that prefix is not empty, or if the pattern is one repeated set of characters, the
 * error is right after it; otherwise its position is unknown.
 */
static bool knows_place(struct str pattern, size_t fits)
{
	const char *end = pattern.n && pattern.p[0] == '[' ? memchr(pattern.p + 1, ']', pattern.n - 1) : NULL;
	size_t rest = end ? pattern.n - (size_t)(end + 1 - pattern.p) : 0;

	return fits > 0 || (rest == 1 && (end[1] == '+' || end[1] == '*'));
}

/* The character at byte `i`, for a message. */
static struct str character(struct str s, size_t i)
{
	size_t end = i + 1;

	while (end < s.n && ((unsigned char)s.p[end] & 0xC0) == 0x80)
		end++;
	return (struct str){ s.p + i, end - i };
}

static const struct value *test_pattern(struct eval *ev, const struct value *v, const struct refinement *r,
	struct span at, struct span rule)
{
	struct str text = value_spell(ev->arena, v);
	bool does;

	if (!pattern_matches(ev, v->u.string, r->pattern, r->from, &does))
		return &value_bad;
	if (does)
		return v;
	size_t fits = pattern_fits(ev, v->u.string, r->pattern);
	struct diag *d = eval_report(ev, TJ0313, at, "%.*s does not match %.*s", STR_ARG(text), STR_ARG(r->pattern));
	if (fits < v->u.string.n && knows_place(r->pattern, fits)) {
		struct str c = character(v->u.string, fits);
		size_t position = str_chars((struct str){ v->u.string.p, fits }) + 1;
		diag_label(ev->diags, d, "character %zu, '%.*s', does not fit", position, STR_ARG(c));
		/* if the text is a literal without escapes, the message points at the character */
		struct str written = source_text(ev->program->sources, at);
		if (written.n == v->u.string.n + 2 && memcmp(written.p + 1, v->u.string.p, v->u.string.n) == 0)
			d->at = (struct span){ at.start + 1 + (uint32_t)fits, at.start + 1 + (uint32_t)(fits + c.n) };
	}
	note_origin(ev, d, v, at);
	note_rule(ev, d, rule, at);
	return &value_bad;
}

static const struct value *test_string(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	const struct refinement *r = to->refine;

	if (r && (r->has_lo || r->has_hi))
		v = test_length(ev, v, r, str_chars(v->u.string), "character", at, rule);
	return r && r->pattern.p && v->kind == VALUE_STRING ? test_pattern(ev, v, r, at, rule) : v;
}

/* Does every value of the right kind already have type T, so that nothing is converted or tested? */
static bool is_identity(const struct type *t)
{
	switch (t->kind) {
	case TYPE_BAD: return true;
	case TYPE_OPTIONAL:
	case TYPE_POD: return is_identity(t->elem);
	case TYPE_STRING: case TYPE_INT: case TYPE_BOOL: case TYPE_ROLE: case TYPE_VOLUME: case TYPE_CONDITION:
	case TYPE_ACCELERATOR:
	case TYPE_TOPOLOGY: case TYPE_SECRET: case TYPE_CONFIG:
		return !t->refine;
	case TYPE_LIST: return !t->or_one && !t->refine && is_identity(t->elem);
	case TYPE_MAP: return !t->refine && is_identity(t->elem);
	default: return false;
	}
}

static const struct value *convert_list(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	struct value *copy = NULL;
	const struct refinement *r = to->refine;

	if (!is_identity(to->elem))
		eval_walk(ev, v);
	if (r && (r->has_lo || r->has_hi) && test_length(ev, v, r, v->u.list.n, "element", at, rule)->kind == VALUE_BAD)
		return &value_bad;
	for (size_t i = 0; i < v->u.list.n && !is_identity(to->elem); i++) {
		const struct value *e = v->u.list.at[i];
		struct span place = in_user_text(ev, e->from) ? e->from : at;
		const struct value *c = value_convert(ev, e, to->elem, place,
			to->elem->refine ? to->elem->refine->from : rule);
		if (!value_ok(c))
			return c;
		if (c == e)
			continue;
		if (!copy)
			copy = value_list_copy(ev->arena, v, v->from);
		copy->u.list.at[i] = c;
	}
	return copy ? copy : v;
}

static struct value *copy_map(struct eval *ev, const struct value *v)
{
	struct value *copy = value_new(ev->arena, VALUE_MAP, v->from);
	const struct map *m = &v->u.map.index;

	copy->depth = v->depth;
	copy->u.map.weight = v->u.map.weight;
	copy->u.map.pod_key = v->u.map.pod_key;
	copy->u.map.pod_value = v->u.map.pod_value;
	copy->u.map.pod_position = v->u.map.pod_position;
	for (size_t i = 0; i < m->n; i++) {
		const struct value_entry *e = m->entries[i].value;
		value_put(ev->arena, copy, e->key, e->key_at, e->value);
	}
	return copy;
}

/* Converts one entry; *COPY, the converted list or map, is made when the first entry changes. */
static const struct value *convert_entry(struct eval *ev, const struct value *v, struct value **copy,
	const struct value_entry *e, const struct type *to, struct span at, struct span rule)
{
	struct span place = in_user_text(ev, e->value->from) ? e->value->from : in_user_text(ev, e->key_at) ? e->key_at
		: at;
	struct str outer = ev->name;

	ev->name = e->key;
	const struct value *c = value_convert(ev, e->value, to, place, to->refine ? to->refine->from : rule);
	ev->name = outer;
	if (!value_ok(c) || c == e->value)
		return c;
	if (!*copy)
		*copy = copy_map(ev, v);
	value_put(ev->arena, *copy, e->key, e->key_at, c);
	return c;
}

static const struct value *convert_map(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	const struct map *m = &v->u.map.index;
	const struct refinement *r = to->refine;
	struct value *copy = NULL;
	const struct value *stop = NULL;

	if (r && (r->has_lo || r->has_hi) && test_length(ev, v, r, m->n, "entry", at, rule)->kind == VALUE_BAD)
		return &value_bad;
	if (!is_identity(to->elem))
		eval_walk(ev, v);
	for (size_t i = 0; i < m->n && !is_identity(to->elem); i++) {
		const struct value *c = convert_entry(ev, v, &copy, m->entries[i].value, to->elem, at, rule);
		if (!value_ok(c))
			stop = stop && stop->kind == VALUE_BAD ? stop : c;
	}
	return stop ? stop : copy ? copy : v;
}

/* ---- records ---- */

static const struct record_field *converted_field(const struct decl *d, struct str name)
{
	for (size_t i = 0; i < d->nfields; i++)
		if (str_eq(d->fields[i].name, name))
			return &d->fields[i];
	return NULL;
}

static const struct value *field_value(struct eval *ev, const struct value *v, const struct record_field *f,
	const struct decl *d, struct span at)
{
	const struct value *given = value_get(v, f->name);

	if (given || f->value)
		return given ? given : eval_named(ev, NULL, f->value, f->name);
	if (f->type->kind == TYPE_OPTIONAL)
		return &value_none;
	struct diag *e = eval_report(ev, TJ0323, at, "%.*s needs '%.*s'", STR_ARG(d->name), STR_ARG(f->name));
	diag_note(ev->diags, e, f->span, "declared here");
	return &value_bad;
}

/* Puts the fields of a record in the order of its declaration; a field that was left out gets its default. */
static const struct value *record_complete(struct eval *ev, const struct value *v, const struct type *record,
	struct span at)
{
	const struct decl *d = record->record;
	const struct map *m = &v->u.map.index;
	struct value *whole = value_new(ev->arena, VALUE_MAP, v->from);
	const struct value *stop = NULL;

	for (size_t i = 0; i < m->n; i++) {
		const struct value_entry *e = m->entries[i].value;
		if (converted_field(d, e->key))
			continue;
		eval_report(ev, TJ0202, span_known(e->key_at) ? e->key_at : at, "%.*s has no field '%.*s'",
			STR_ARG(d->name), STR_ARG(e->key));
		return &value_bad;
	}
	for (size_t i = 0; i < d->nfields; i++) {
		const struct record_field *f = &d->fields[i];
		const struct value_entry *given = map_get(m, f->name);
		if (d->partial && !given)
			continue;
		const struct value *x = field_value(ev, v, f, d, at);
		if (!value_ok(x))
			stop = stop && stop->kind == VALUE_BAD ? stop : x;
		value_put(ev->arena, whole, f->name, given ? given->key_at : f->span, x);
	}
	return stop ? stop : map_finish(ev, whole);
}

static const struct value *convert_record(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	eval_walk(ev, v);
	const struct value *whole = record_complete(ev, v, to, at);
	struct value *copy = NULL;
	const struct value *stop = NULL;

	for (size_t i = 0; value_ok(whole) && i < to->record->nfields; i++) {
		const struct record_field *f = &to->record->fields[i];
		struct value_entry *e = map_get(&whole->u.map.index, f->name);
		if (!e || (e->value->kind == VALUE_NONE && f->type->kind == TYPE_OPTIONAL))
			continue;
		const struct value *c = convert_entry(ev, whole, &copy, e, f->type, at,
			span_known(f->span) ? f->span : rule);
		if (!value_ok(c))
			stop = stop && stop->kind == VALUE_BAD ? stop : c;
	}
	return stop ? stop : copy ? copy : whole;
}

static const struct value *convert_members(struct eval *ev, const struct value *v, const struct type *to,
	struct span at, struct span rule)
{
	struct value *copy = NULL;

	for (size_t i = 0; i < to->n; i++) {
		struct value_entry *e = map_get(&v->u.map.index, to->members[i].name);
		const struct value *c = e ? convert_entry(ev, v, &copy, e, to->members[i].type, at, rule) : v;
		if (!value_ok(c))
			return c;
	}
	return copy ? copy : v;
}

/* ---- numbers to quantities ---- */

static void report_fine(struct eval *ev, struct str word, const struct type *to, struct span at)
{
	if (to->kind == TYPE_CPU)
		eval_report(ev, TJ0308, at, "%.*s CPU is finer than 1m", STR_ARG(word));
	else
		eval_report(ev, TJ0306, at, "%.*s is not a whole number of bytes", STR_ARG(word));
}

/*
 * Converts a number to a quantity: 8 and 0.5 can be cpus, and -12e6 a memory; the checker has already refused other
 * numbers.
 */
static const struct value *convert_quantity(struct eval *ev, const struct value *v, const struct type *to,
	struct span at, struct span rule)
{
	struct str word;
	struct quantity q;

	if (v->kind == VALUE_QUANTITY && v->unit == to->kind)
		return test_quantity(ev, v, to, at, rule);
	bool number = v->kind == VALUE_FLOAT ? to->kind != TYPE_DURATION : v->kind == VALUE_INT && to->kind == TYPE_CPU;
	if (!number || !value_plain_text(ev->arena, v, &word))
		return mismatch(ev, v, to, at, rule);
	if (quantity_parse_full(word, &q) != QUANTITY_OK || !quantity_whole(q, to->kind)) {
		report_fine(ev, word, to, at);
		return &value_bad;
	}
	q.form = to->kind == TYPE_CPU ? QUANTITY_DECIMAL : QUANTITY_EXPONENT;
	return test_quantity(ev, value_quantity(ev->arena, q, to->kind, v->from), to, at, rule);
}

/* ---- environment values and raw data ---- */

static const struct value *convert_env(struct eval *ev, const struct value *v, struct span at)
{
	struct str plain;

	switch (v->kind) {
	case VALUE_STRING: case VALUE_TEXT: case VALUE_SECRET: case VALUE_CONFIG: return v;
	case VALUE_NONE: {
		struct diag *d = eval_report(ev, TJ0316, at, "an environment value is text, and this is none");
		diag_help(ev->diags, d, "append '?? \"...\"', or set the variable inside 'if ... != none { }'");
		return &value_bad;
	}
	default: break;
	}
	if (value_plain_text(ev->arena, v, &plain))
		return value_string(ev->arena, plain, v->from);
	struct str found = value_phrase(ev->arena, v);
	struct diag *d = eval_report(ev, TJ0704, at, "an environment value is text, found %.*s", STR_ARG(found));
	note_origin(ev, d, v, at);
	diag_help(ev->diags, d, v->kind == VALUE_LIST ? "write 'join([str(x) for x in xs], \",\")' or 'json(xs)'"
		: v->kind == VALUE_MAP ? "write 'json(x)'" : "name the part of it that you mean");
	return &value_bad;
}

static bool is_data(const struct value *v)
{
	switch (v->kind) {
	case VALUE_NONE: case VALUE_BOOL: case VALUE_INT: case VALUE_FLOAT: case VALUE_STRING: case VALUE_TEXT:
	case VALUE_QUANTITY:
	case VALUE_TOPOLOGY: case VALUE_ELASTIC:
		return true;
	case VALUE_LIST:
		for (size_t i = 0; i < v->u.list.n; i++)
			if (!is_data(v->u.list.at[i]))
				return false;
		return true;
	case VALUE_MAP:
		for (size_t i = 0; i < v->u.map.index.n; i++)
			if (!is_data(((const struct value_entry *)v->u.map.index.entries[i].value)->value))
				return false;
		return true;
	default: return false;
	}
}

/* ---- entry point ---- */

/* Converts a text that depends on the pod. If the type tests the text, all of it must be known. */
static const struct value *waiting(struct eval *ev, const struct value *v, const struct type *to, struct span at)
{
	struct node place = { .kind = NODE_BAD, .span = at };

	if (to->kind == TYPE_BAD || ((to->kind == TYPE_STRING || to->kind == TYPE_INT) && !to->refine) ||
	    to->kind == TYPE_ENV_VALUE || to->kind == TYPE_DATA)
		return v;
	return value_static(ev, v, &place);
}

static bool kind_fits(const struct value *v, const struct type *to)
{
	switch (to->kind) {
	case TYPE_BOOL: return v->kind == VALUE_BOOL;
	case TYPE_TOPOLOGY: return v->kind == VALUE_TOPOLOGY;
	case TYPE_ACCELERATOR: return v->kind == VALUE_ACCELERATOR;
	case TYPE_VOLUME: return v->kind == VALUE_VOLUME;
	case TYPE_CONDITION: return v->kind == VALUE_CONDITION;
	case TYPE_ROLE: return v->kind == VALUE_ROLE;
	case TYPE_SECRET: return v->kind == VALUE_SECRET;
	case TYPE_CONFIG: return v->kind == VALUE_CONFIG;
	case TYPE_DATA: return is_data(v);
	default: return true;
	}
}

static const struct value *convert_scalar(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	switch (to->kind) {
	case TYPE_INT:
		if (v->kind == VALUE_ELASTIC && v->u.range.lo == v->u.range.hi)
			v = value_int(ev->arena, v->u.range.lo, v->from);
		return v->kind == VALUE_INT ? test_int(ev, v, to, at, rule) : v->kind == VALUE_TEXT ? v
			: mismatch(ev, v, to, at, rule);
	case TYPE_FLOAT:
		if (v->kind == VALUE_INT)
			v = value_float(ev->arena, (double)v->u.integer, v->from);
		return v->kind == VALUE_FLOAT ? test_float(ev, v, to, at, rule) : mismatch(ev, v, to, at, rule);
	case TYPE_STRING:
		return v->kind == VALUE_STRING ? test_string(ev, v, to, at, rule) : v->kind == VALUE_TEXT ? v
			: mismatch(ev, v, to, at, rule);
	default: {                              /* an elastic range */
		if (v->kind == VALUE_ELASTIC)
			return test_elastic(ev, v, to, at, rule);
		if (v->kind != VALUE_INT)
			return mismatch(ev, v, to, at, rule);
		struct value *range = value_new(ev->arena, VALUE_ELASTIC, v->from);
		range->u.range.lo = range->u.range.hi = v->u.integer;
		if (to->refine && !int_inside(to->refine, v->u.integer))
			return outside(ev, v, int_bounds(ev, to->refine), at, rule, false);
		return range;
	}
	}
}

/* Converts a number n to the range n:n. */
static const struct value *convert_range(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	if (v->kind != VALUE_INT)
		return v->kind == VALUE_RANGE ? v : mismatch(ev, v, to, at, rule);
	struct value *range = value_new(ev->arena, VALUE_RANGE, v->from);
	range->u.range.lo = range->u.range.hi = v->u.integer;
	return range;
}

static const struct value *list_of_one(struct eval *ev, const struct value *v)
{
	struct value *list = value_new(ev->arena, VALUE_LIST, v->from);

	return list_add(ev, list, v) ? list_finish(ev, list) : &value_bad;
}

/* The record whose first member is V. */
static const struct value *record_of_one(struct eval *ev, const struct value *v, const struct type *to)
{
	struct value *record = value_new(ev->arena, VALUE_MAP, v->from);

	value_put(ev->arena, record, to->record->fields[0].name, v->from, v);
	return map_finish(ev, record);
}

const struct value *value_convert(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	while (to->kind == TYPE_OPTIONAL || to->kind == TYPE_POD) {
		if (to->kind == TYPE_OPTIONAL && v->kind == VALUE_NONE)
			return v;
		to = to->elem;
	}
	if (v->kind == VALUE_TEXT)
		v = waiting(ev, v, to, at);
	if (!value_ok(v))
		return v;
	switch (to->kind) {
	case TYPE_INT: case TYPE_FLOAT: case TYPE_STRING: case TYPE_ELASTIC: return convert_scalar(ev, v, to, at, rule);
	case TYPE_CPU: case TYPE_MEMORY: case TYPE_DURATION: return convert_quantity(ev, v, to, at, rule);
	case TYPE_ENUM: case TYPE_IMAGE: case TYPE_NAME: case TYPE_PATH:
		return v->kind == VALUE_STRING ? convert_form(ev, v, to, at, rule) : mismatch(ev, v, to, at, rule);
	case TYPE_RANGE: return convert_range(ev, v, to, at, rule);
	case TYPE_LIST:
		if (to->elem->kind == TYPE_RANGE && (v->kind == VALUE_RANGE || v->kind == VALUE_INT))
			return list_of_one(ev, convert_range(ev, v, to->elem, at, rule));
		if (to->or_one && v->kind != VALUE_LIST) {
			v = value_convert(ev, v, to->elem, at, rule);
			return value_ok(v) ? list_of_one(ev, v) : v;
		}
		return v->kind == VALUE_LIST ? convert_list(ev, v, to, at, rule) : mismatch(ev, v, to, at, rule);
	case TYPE_MAP: return v->kind == VALUE_MAP ? convert_map(ev, v, to, at, rule) : mismatch(ev, v, to, at, rule);
	case TYPE_RECORD:
		if (to->or_one && v->kind == VALUE_STRING)
			v = record_of_one(ev, v, to);
		return v->kind == VALUE_MAP ? convert_record(ev, v, to, at, rule) : mismatch(ev, v, to, at, rule);
	case TYPE_ANON:
		return v->kind == VALUE_MAP ? convert_members(ev, v, to, at, rule) : mismatch(ev, v, to, at, rule);
	case TYPE_ENV_VALUE: return convert_env(ev, v, at);
	case TYPE_DATA: eval_walk(ev, v);       /* falls through */
	default: return kind_fits(v, to) ? v : mismatch(ev, v, to, at, rule);
	}
}
