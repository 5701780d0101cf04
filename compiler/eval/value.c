/*
 * value.c - makes, compares and prints values.
 */
#include "eval/value.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "eval/job.h"

const struct value value_bad = { .kind = VALUE_BAD };
const struct value value_none = { .kind = VALUE_NONE };

/*
 * The size that a value of this kind needs. This saves memory, because a loop makes many ints, and a map is twice as
 * large.
 */
static size_t value_size(enum value_kind kind)
{
	switch (kind) {
	case VALUE_NONE: case VALUE_BOOL: case VALUE_INT: case VALUE_FLOAT: case VALUE_STRING: case VALUE_ROLE:
		return offsetof(struct value, u) + sizeof(struct str);
	default:
		return sizeof(struct value);
	}
}

/* Not inlined, because the C compiler would warn about an object that is smaller than its type. */
static __attribute__((noinline)) struct value *value_alloc(struct arena *a, enum value_kind kind)
{
	return arena_alloc(a, value_size(kind));
}

struct value *value_new(struct arena *a, enum value_kind kind, struct span from)
{
	struct value *v = value_alloc(a, kind);

	v->kind = kind;
	v->from = from;
	return v;
}

const struct value *value_bool(struct arena *a, bool b, struct span from)
{
	struct value *v = value_new(a, VALUE_BOOL, from);

	v->u.boolean = b;
	return v;
}

const struct value *value_int(struct arena *a, int64_t i, struct span from)
{
	struct value *v = value_new(a, VALUE_INT, from);

	v->u.integer = i;
	return v;
}

const struct value *value_float(struct arena *a, double d, struct span from)
{
	struct value *v = value_new(a, VALUE_FLOAT, from);

	v->u.floating = d;
	return v;
}

struct value *value_list_copy(struct arena *a, const struct value *list, struct span from)
{
	struct value *copy = value_new(a, VALUE_LIST, from);

	copy->depth = list->depth;
	copy->u.list.weight = list->u.list.weight;
	copy->u.list.n = list->u.list.n;
	copy->u.list.at = ARENA_ARRAY(a, const struct value *, list->u.list.n);
	if (list->u.list.n)
		memcpy(copy->u.list.at, list->u.list.at, list->u.list.n * sizeof(*list->u.list.at));
	return copy;
}

const struct value *value_string(struct arena *a, struct str s, struct span from)
{
	struct value *v = value_new(a, VALUE_STRING, from);

	v->u.string = s;
	return v;
}

const struct value *value_quantity(struct arena *a, struct quantity q, enum type_kind unit, struct span from)
{
	struct value *v = value_new(a, VALUE_QUANTITY, from);

	v->u.quantity = q;
	v->unit = (unsigned char)unit;
	return v;
}

const struct value *value_list(struct arena *a, const struct value **at, size_t n, struct span from)
{
	struct value *v = value_new(a, VALUE_LIST, from);

	v->u.list.at = at;
	v->u.list.n = n;
	return v;
}

const struct value *value_at(struct arena *a, const struct value *v, struct span from)
{
	struct value *copy = value_new(a, v->kind, from);

	memcpy(copy, v, value_size(v->kind));
	copy->from = from;
	return copy;
}

struct value_entry *value_put(struct arena *a, struct value *map, struct str key, struct span key_at,
	const struct value *v)
{
	struct value_entry *e = map_get(&map->u.map.index, key);

	if (!e) {
		e = ARENA_NEW(a, struct value_entry);
		e->key = key;
		map_put(&map->u.map.index, a, key, e);
	}
	e->key_at = key_at;
	e->value = v;
	return e;
}

uint32_t value_weight(const struct value *v)
{
	if (v->kind == VALUE_LIST)
		return v->u.list.weight ? v->u.list.weight : (uint32_t)v->u.list.n + 1;
	if (v->kind == VALUE_MAP)
		return v->u.map.weight ? v->u.map.weight : (uint32_t)v->u.map.index.n + 1;
	return 1;
}

const struct value *value_get(const struct value *map, struct str key)
{
	if (map->kind != VALUE_MAP)
		return NULL;
	const struct value_entry *e = map_get(&map->u.map.index, key);
	return e ? e->value : NULL;
}

/* ---- equality ---- */

static bool map_equal(const struct value_map *a, const struct value_map *b)
{
	if (a->index.n != b->index.n)
		return false;
	for (size_t i = 0; i < a->index.n; i++) {
		const struct value_entry *x = a->index.entries[i].value, *y = map_get(&b->index, x->key);
		if (!y || !value_equal(x->value, y->value))
			return false;
	}
	return true;
}

static bool list_equal(const struct value *a, const struct value *b)
{
	if (a->u.list.n != b->u.list.n)
		return false;
	for (size_t i = 0; i < a->u.list.n; i++)
		if (!value_equal(a->u.list.at[i], b->u.list.at[i]))
			return false;
	return true;
}

static bool topology_equal(const struct value *a, const struct value *b)
{
	return a->u.topology.n == b->u.topology.n &&
	       memcmp(a->u.topology.size, b->u.topology.size, a->u.topology.n * sizeof(int64_t)) == 0;
}

bool value_equal(const struct value *a, const struct value *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case VALUE_NONE: return true;
	case VALUE_BOOL: return a->u.boolean == b->u.boolean;
	case VALUE_INT: return a->u.integer == b->u.integer;
	case VALUE_FLOAT: return a->u.floating == b->u.floating;
	case VALUE_STRING: return str_eq(a->u.string, b->u.string);
	case VALUE_QUANTITY: return a->unit == b->unit && a->u.quantity.nano == b->u.quantity.nano;
	case VALUE_TOPOLOGY: return topology_equal(a, b);
	case VALUE_RANGE:
	case VALUE_ELASTIC: return a->u.range.lo == b->u.range.lo && a->u.range.hi == b->u.range.hi;
	case VALUE_LIST: return list_equal(a, b);
	case VALUE_MAP: return map_equal(&a->u.map, &b->u.map);
	case VALUE_ROLE: return a->u.role == b->u.role;
	case VALUE_ACCELERATOR: return str_eq(a->u.accelerator->spelling, b->u.accelerator->spelling);
	case VALUE_SECRET:
	case VALUE_CONFIG:
		return str_eq(a->u.reference.object, b->u.reference.object) &&
			str_eq(a->u.reference.key, b->u.reference.key);
	default: return false;
	}
}

/* ---- the text of an environment value ---- */

/*
 * Finds the fewest digits of a double (not 0) that read back as the same number, and its decimal exponent: 0.00123 is
 * "123" and -3.
 */
static int shortest_digits(double d, char digits[32])
{
	char text[40];
	/*
	 * 15 digits always read back the same, except in the subnormal range, where doubles have fewer significant
	 * digits.
	 */
	int precision = d < 2.3e-308 ? 1 : 15;

	for (; precision <= 17; precision++) {
		snprintf(text, sizeof(text), "%.*e", precision - 1, d);
		if (strtod(text, NULL) == d)
			break;
	}
	size_t n = 0;
	char *p = text;
	for (; *p != 'e'; p++)
		if (*p >= '0' && *p <= '9')
			digits[n++] = *p;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	digits[n] = 0;
	return (int)strtol(p + 1, NULL, 10);
}

struct str float_text(struct arena *a, double d)
{
	char digits[32];
	const char *sign = __builtin_signbit(d) ? "-" : "";

	if (d == 0)
		return sign[0] ? STR("-0.0") : STR("0.0");
	int exponent = shortest_digits(d < 0 ? -d : d, digits), n = (int)strlen(digits);
	if (exponent < -4 || exponent >= 16)
		return str_printf(a, "%s%c%s%se%c%02d", sign, digits[0], n > 1 ? "." : "", digits + 1,
		                  exponent < 0 ? '-' : '+', abs(exponent));
	if (exponent < 0)
		return str_printf(a, "%s0.%.*s%s", sign, -exponent - 1, "000", digits);
	if (n <= exponent + 1)
		return str_printf(a, "%s%s%.*s.0", sign, digits, exponent + 1 - n, "0000000000000000");
	return str_printf(a, "%s%.*s.%s", sign, exponent + 1, digits, digits + exponent + 1);
}

static struct str topology_text(struct arena *a, const struct value *v)
{
	const int64_t *s = v->u.topology.size;

	if (v->u.topology.n == 2)
		return str_printf(a, "%lldx%lld", (long long)s[0], (long long)s[1]);
	return str_printf(a, "%lldx%lldx%lld", (long long)s[0], (long long)s[1], (long long)s[2]);
}

static struct str range_text(struct arena *a, const struct value *v)
{
	long long lo = v->u.range.lo, hi = v->u.range.hi;

	if (v->kind == VALUE_ELASTIC)
		return lo == hi ? str_printf(a, "%lld", lo) : str_printf(a, "%lld:%lld", lo, hi);
	return str_printf(a, "%lld..%lld", lo, hi);
}

bool value_plain_text(struct arena *a, const struct value *v, struct str *ret)
{
	switch (v->kind) {
	case VALUE_BOOL: *ret = v->u.boolean ? STR("true") : STR("false"); return true;
	case VALUE_INT: *ret = str_int(a, v->u.integer); return true;
	case VALUE_FLOAT: *ret = float_text(a, v->u.floating); return true;
	case VALUE_STRING: *ret = v->u.string; return true;
	case VALUE_QUANTITY:
		*ret = v->unit == TYPE_DURATION ? duration_text(a, v->u.quantity) : quantity_text(a, v->u.quantity);
		return true;
	case VALUE_TOPOLOGY: *ret = topology_text(a, v); return true;
	case VALUE_RANGE:
	case VALUE_ELASTIC: *ret = range_text(a, v); return true;
	default: return false;
	}
}

bool value_text(struct arena *a, const struct value *v, struct text *ret)
{
	struct str plain;

	if (v->kind == VALUE_TEXT) {
		*ret = v->u.text;
		return true;
	}
	if (!value_plain_text(a, v, &plain))
		return false;
	struct piece *piece = ARENA_NEW(a, struct piece);
	piece->kind = PIECE_TEXT;
	piece->u.text = plain;
	*ret = (struct text){ piece, plain.n ? 1 : 0, v->from };
	return true;
}

/* ---- values in messages ---- */

enum { SPELL_WIDTH = 60, SPELL_MOST = 64 << 20 };

static void spell(struct arena *a, struct buf *b, const struct value *v);

/* Is the buffer full? Without a limit of its own, it is full at SPELL_WIDTH, the length for messages. */
static bool spell_full(const struct buf *b) { return b->n >= (b->limit ? b->limit : SPELL_WIDTH); }

static void spell_bytes(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		bool starts = ((unsigned char)s.p[i] & 0xC0) != 0x80;
		if (starts && spell_full(b)) {
			buf_z(b, "...");
			return;
		}
		switch (s.p[i]) {
		case '\n': buf_z(b, "\\n"); break;
		case '\t': buf_z(b, "\\t"); break;
		case '\r': buf_z(b, "\\r"); break;
		case '"': buf_z(b, "\\\""); break;
		case '\\': buf_z(b, "\\\\"); break;
		default: buf_char(b, s.p[i]);
		}
	}
}

static void spell_piece(struct buf *b, const struct piece *p)
{
	static const char *const fields[] = { "name", "uid", "ip", "node", "slice" };

	switch (p->kind) {
	case PIECE_TEXT: spell_bytes(b, p->u.text); break;
	case PIECE_INDEX: buf_z(b, "${pod.index}"); break;
	case PIECE_FIELD: buf_printf(b, "${pod.%s}", fields[p->u.field]); break;
	case PIECE_HOST: buf_z(b, "${host}"); break;
	case PIECE_PORT: buf_z(b, "${port}"); break;
	case PIECE_ENV: buf_printf(b, "${pod.env(\"%.*s\")}", STR_ARG(p->u.text)); break;
	}
}

struct str text_spell(struct arena *a, const struct text *t)
{
	struct buf b = { .limit = SPELL_MOST };

	for (size_t i = 0; i < t->n; i++) {
		if (t->at[i].kind == PIECE_TEXT)
			buf_str(&b, t->at[i].u.text);
		else
			spell_piece(&b, &t->at[i]);
	}
	struct str s = buf_take(&b, a);
	buf_release(&b);
	return s;
}

static void spell_text(struct buf *b, const struct value *v)
{
	if (v->number && v->u.text.n == 1 && v->u.text.at[0].kind == PIECE_INDEX) {
		buf_z(b, "pod.index");
		return;
	}
	buf_char(b, '"');
	for (size_t i = 0; i < v->u.text.n && !spell_full(b); i++)
		spell_piece(b, &v->u.text.at[i]);
	buf_char(b, '"');
}

static void spell_list(struct arena *a, struct buf *b, const struct value *v)
{
	buf_char(b, '[');
	for (size_t i = 0; i < v->u.list.n; i++) {
		if (i)
			buf_z(b, ", ");
		if (spell_full(b)) {
			buf_z(b, "...");
			break;
		}
		spell(a, b, v->u.list.at[i]);
	}
	buf_char(b, ']');
}

static void spell_map(struct arena *a, struct buf *b, const struct value *v)
{
	const struct map *m = &v->u.map.index;

	if (m->n == 0) {
		buf_z(b, "{}");
		return;
	}
	buf_z(b, "{ ");
	for (size_t i = 0; i < m->n; i++) {
		const struct value_entry *e = m->entries[i].value;
		if (i)
			buf_z(b, ", ");
		if (spell_full(b)) {
			buf_z(b, "...");
			break;
		}
		buf_printf(b, "%.*s = ", STR_ARG(e->key));
		spell(a, b, e->value);
	}
	buf_z(b, " }");
}

static void spell_condition(struct buf *b, const struct plan_condition *c)
{
	if (c->says.n) {
		buf_str(b, c->says);
		return;
	}
	switch (c->kind) {
	case CONDITION_DONE: buf_z(b, c->index < 0 ? "done(...)" : "done(..., ...)"); break;
	case CONDITION_READY: buf_z(b, "ready(...)"); break;
	case CONDITION_STARTED: buf_z(b, "started(...)"); break;
	case CONDITION_AND: buf_z(b, "... and ..."); break;
	case CONDITION_OR: buf_z(b, "... or ..."); break;
	/* made only for conditions about a cell, whose own text is shown */
	case CONDITION_GONE: case CONDITION_LEAST: case CONDITION_LIST: break;
	}
}

static const char *volume_word(enum volume_kind kind)
{
	static const char *const words[] = { "pvc", "scratch", "secret_files", "config_files", "host_path", "nfs",
		"generated", "own_claim", "csi" };
	return words[kind];
}

static void spell_copy(struct buf *b, const struct job *copy)
{
	buf_printf(b, "%.*s[%lld]", STR_ARG(copy->cell->decl->name), (long long)copy->copy);
}

static void spell(struct arena *a, struct buf *b, const struct value *v)
{
	struct str plain;

	switch (v->kind) {
	case VALUE_NONE: buf_z(b, "none"); break;
	case VALUE_STRING:
		buf_char(b, '"');
		spell_bytes(b, v->u.string);
		buf_char(b, '"');
		break;
	case VALUE_TEXT: spell_text(b, v); break;
	case VALUE_LIST: spell_list(a, b, v); break;
	case VALUE_MAP: spell_map(a, b, v); break;
	case VALUE_ROLE: buf_str(b, v->u.role->name); break;
	case VALUE_ACCELERATOR: buf_str(b, v->u.accelerator->spelling); break;
	case VALUE_VOLUME:
		buf_printf(b, "%s(\"%.*s\")", volume_word(v->u.volume->kind), STR_ARG(v->u.volume->name));
		break;
	case VALUE_CONDITION: spell_condition(b, v->u.condition); break;
	case VALUE_SECRET:
	case VALUE_CONFIG:
		buf_printf(b, "%s(\"%.*s\", \"%.*s\")", v->kind == VALUE_SECRET ? "secret" : "config",
		           STR_ARG(v->u.reference.object), STR_ARG(v->u.reference.key));
		break;
	case VALUE_COPY: spell_copy(b, v->u.copy); break;
	case VALUE_CLUSTER: buf_z(b, "cluster"); break;
	case VALUE_POD: buf_z(b, "pod"); break;
	case VALUE_PORTS: buf_printf(b, "%.*s.ports", STR_ARG(v->u.role->name)); break;
	case VALUE_LAYOUT: buf_printf(b, "%.*s.layout", STR_ARG(v->u.role->name)); break;
	default:
		if (value_plain_text(a, v, &plain))
			buf_str(b, plain);
		else
			buf_z(b, "...");
	}
}

struct str value_spell(struct arena *a, const struct value *v)
{
	struct buf b = { 0 };

	spell(a, &b, v);
	struct str s = buf_take(&b, a);
	buf_release(&b);
	return s;
}

struct str value_spell_whole(struct arena *a, const struct value *v)
{
	struct buf b = { .limit = SPELL_MOST };

	spell(a, &b, v);
	struct str s = buf_take(&b, a);
	buf_release(&b);
	return s;
}

struct str value_phrase(struct arena *a, const struct value *v)
{
	static const char *const words[] = {
		[VALUE_NONE] = "none", [VALUE_BOOL] = "the bool", [VALUE_INT] = "the int", [VALUE_FLOAT] = "the float",
		[VALUE_STRING] = "the string", [VALUE_TEXT] = "the text", [VALUE_TOPOLOGY] = "the topology",
			[VALUE_RANGE] = "the range",
		[VALUE_ELASTIC] = "the range", [VALUE_LIST] = "a list", [VALUE_MAP] = "a record",
			[VALUE_ROLE] = "the role",
		[VALUE_ACCELERATOR] = "an accelerator", [VALUE_VOLUME] = "a volume", [VALUE_CONDITION] = "a condition",
		[VALUE_SECRET] = "a secret", [VALUE_CONFIG] = "a config reference", [VALUE_CLUSTER] = "the cluster",
			[VALUE_POD] = "the pod",
		[VALUE_COPY] = "a copy of a cell",
		[VALUE_PORTS] = "the ports of a role", [VALUE_LAYOUT] = "the layout of a role",
	};
	const char *word = v->kind == VALUE_QUANTITY ? (v->unit == TYPE_CPU ? "the cpu" : v->unit == TYPE_MEMORY
	                                             ? "the memory" : "the duration")
	                                             : words[v->kind];
	switch (v->kind) {
	case VALUE_BOOL: case VALUE_INT: case VALUE_FLOAT: case VALUE_STRING: case VALUE_TEXT: case VALUE_QUANTITY:
	case VALUE_TOPOLOGY: case VALUE_RANGE: case VALUE_ELASTIC: case VALUE_ROLE: {
		struct str s = value_spell(a, v);
		return str_printf(a, "%s %.*s", word, STR_ARG(s));
	}
	default:
		return str_of(word ? word : "something");
	}
}
