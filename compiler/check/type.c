/*
 * type.c - constants, constructors, comparison and spelling of types.
 */
#include "check/type.h"

#include "base/buf.h"
#include "check/decl.h"

static const struct refinement port_bounds = { .has_lo = true, .has_hi = true, .lo = 1, .hi = 65535 };

const struct type type_bad = { .kind = TYPE_BAD };
const struct type type_bool = { .kind = TYPE_BOOL };
const struct type type_int = { .kind = TYPE_INT };
const struct type type_float = { .kind = TYPE_FLOAT };
const struct type type_string = { .kind = TYPE_STRING };
const struct type type_cpu = { .kind = TYPE_CPU };
const struct type type_memory = { .kind = TYPE_MEMORY };
const struct type type_duration = { .kind = TYPE_DURATION };
const struct type type_topology = { .kind = TYPE_TOPOLOGY };
const struct type type_range = { .kind = TYPE_RANGE };
const struct type type_elastic = { .kind = TYPE_ELASTIC };
const struct type type_image = { .kind = TYPE_IMAGE };
const struct type type_name = { .kind = TYPE_NAME };
const struct type type_path = { .kind = TYPE_PATH };
const struct type type_port = { .kind = TYPE_INT, .refine = &port_bounds, .port = true };
const struct type type_accelerator = { .kind = TYPE_ACCELERATOR };
const struct type type_volume = { .kind = TYPE_VOLUME };
const struct type type_condition = { .kind = TYPE_CONDITION };
const struct type type_role = { .kind = TYPE_ROLE };
const struct type type_none = { .kind = TYPE_NONE };
const struct type type_empty = { .kind = TYPE_EMPTY };
const struct type type_unit = { .kind = TYPE_UNIT };
const struct type type_env_value = { .kind = TYPE_ENV_VALUE };
const struct type type_data = { .kind = TYPE_DATA };
const struct type type_config = { .kind = TYPE_CONFIG };
const struct type type_cluster = { .kind = TYPE_CLUSTER };
const struct type type_pod_facts = { .kind = TYPE_POD_FACTS };
const struct type type_ports = { .kind = TYPE_PORTS };
const struct type type_layout = { .kind = TYPE_LAYOUT };
const struct type type_module = { .kind = TYPE_MODULE };
const struct type type_replica_env = { .kind = TYPE_REPLICA_ENV };
const struct type type_roles = { .kind = TYPE_ROLES };

static const struct type *wrap(struct arena *a, enum type_kind kind, const struct type *elem)
{
	struct type *t = ARENA_NEW(a, struct type);
	t->kind = kind;
	t->elem = elem;
	return t;
}

const struct type *type_list(struct arena *a, const struct type *elem)
{
	return wrap(a, TYPE_LIST, elem);
}

const struct type *type_map(struct arena *a, const struct type *elem)
{
	return wrap(a, TYPE_MAP, elem);
}

const struct type *type_optional(struct arena *a, const struct type *t)
{
	if (t->kind == TYPE_OPTIONAL || t->kind == TYPE_NONE || t->kind == TYPE_BAD)
		return t;
	return wrap(a, TYPE_OPTIONAL, t);
}

const struct type *type_pod(struct arena *a, const struct type *t)
{
	return t->kind == TYPE_POD || t->kind == TYPE_BAD ? t : wrap(a, TYPE_POD, t);
}

const struct type *type_secret(struct arena *a, const struct type *t)
{
	return wrap(a, TYPE_SECRET, t);
}

size_t type_weight(const struct type *t)
{
	while (t->elem)
		t = t->elem;
	return 1 + t->weight;
}

const struct type *type_strip_optional(const struct type *t)
{
	return t->kind == TYPE_OPTIONAL ? t->elem : t;
}

const struct type *type_strip_pod(const struct type *t)
{
	return t->kind == TYPE_POD ? t->elem : t;
}

bool type_is_text(const struct type *t)
{
	switch (t->kind) {
	case TYPE_STRING: case TYPE_ENUM: case TYPE_IMAGE: case TYPE_NAME: case TYPE_PATH: return true;
	default: return false;
	}
}

static bool same_words(const struct type *a, const struct type *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!str_eq(a->words[i], b->words[i]))
			return false;
	return true;
}

static bool same_members(const struct type *a, const struct type *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!str_eq(a->members[i].name, b->members[i].name) ||
		    !type_same(a->members[i].type, b->members[i].type))
			return false;
	return true;
}

bool type_same_record(const struct decl *a, const struct decl *b)
{
	if (a == b)
		return true;
	if (!a->unnamed || !b->unnamed || a->nfields != b->nfields)
		return false;
	for (size_t i = 0; i < a->nfields; i++)
		if (!str_eq(a->fields[i].name, b->fields[i].name) || !type_same(a->fields[i].type, b->fields[i].type))
			return false;
	return true;
}

bool type_same(const struct type *a, const struct type *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case TYPE_LIST: case TYPE_MAP: case TYPE_OPTIONAL: case TYPE_POD:
	case TYPE_SECRET: return type_same(a->elem, b->elem);
	case TYPE_RECORD: return type_same_record(a->record, b->record);
	case TYPE_COPY: return a->record == b->record;
	case TYPE_ENUM: return same_words(a, b);
	case TYPE_ANON: return same_members(a, b);
	default: return true;
	}
}

/* ---- spelling ---- */

static const char *const words[TYPE_KINDS] = {
	[TYPE_BAD] = "unknown", [TYPE_BOOL] = "bool", [TYPE_INT] = "int", [TYPE_FLOAT] = "float",
		[TYPE_STRING] = "string",
	[TYPE_CPU] = "cpu", [TYPE_MEMORY] = "memory", [TYPE_DURATION] = "duration", [TYPE_TOPOLOGY] = "topology",
	[TYPE_RANGE] = "range", [TYPE_ELASTIC] = "elastic", [TYPE_ENUM] = "enum", [TYPE_IMAGE] = "image",
	[TYPE_NAME] = "name", [TYPE_PATH] = "path", [TYPE_ACCELERATOR] = "accelerator", [TYPE_VOLUME] = "volume",
	[TYPE_CONDITION] = "condition", [TYPE_ROLE] = "role", [TYPE_COPY] = "copy",
	[TYPE_LIST] = "list", [TYPE_MAP] = "map",
	[TYPE_RECORD] = "record", [TYPE_ANON] = "record", [TYPE_OPTIONAL] = "optional", [TYPE_POD] = "pod",
	[TYPE_SECRET] = "secret", [TYPE_NONE] = "none", [TYPE_EMPTY] = "empty", [TYPE_UNIT] = "quantity",
	[TYPE_ENV_VALUE] = "env value", [TYPE_DATA] = "data", [TYPE_CONFIG] = "config", [TYPE_CLUSTER] = "cluster",
	[TYPE_POD_FACTS] = "pod", [TYPE_PORTS] = "ports", [TYPE_LAYOUT] = "layout", [TYPE_MODULE] = "module",
	[TYPE_REPLICA_ENV] = "env", [TYPE_ROLES] = "roles"
};

static void spell(struct buf *b, const struct type *t, struct arena *a);

static void spell_quantity(struct buf *b, struct arena *a, enum type_kind kind, struct quantity q)
{
	buf_str(b, kind == TYPE_DURATION ? duration_text(a, q) : quantity_text(a, q));
}

static void spell_bound(struct buf *b, struct arena *a, const struct type *t, bool high)
{
	const struct refinement *r = t->refine;
	if (!(high ? r->has_hi : r->has_lo))
		return;
	if (t->kind == TYPE_FLOAT)
		buf_printf(b, "%g", high ? r->fhi : r->flo);
	else if (type_is_quantity(t))
		spell_quantity(b, a, t->kind, high ? r->qhi : r->qlo);
	else
		buf_int(b, high ? r->hi : r->lo);
}

static void spell_refinement(struct buf *b, struct arena *a, const struct type *t)
{
	const struct refinement *r = t->refine;
	bool bounds = r->has_lo || r->has_hi;
	buf_char(b, '(');
	if (bounds) {
		spell_bound(b, a, t, false);
		buf_z(b, "..");
		spell_bound(b, a, t, true);
	}
	if (r->pattern.p)
		buf_printf(b, "%spattern = r\"%.*s\"", bounds ? ", " : "", STR_ARG(r->pattern));
	buf_char(b, ')');
}

static void spell_enum(struct buf *b, const struct type *t)
{
	buf_z(b, "enum(");
	for (size_t i = 0; i < t->n; i++)
		buf_printf(b, "%s\"%.*s\"", i ? ", " : "", STR_ARG(t->words[i]));
	buf_char(b, ')');
}

static void spell_members(struct buf *b, const struct type *t, struct arena *a)
{
	buf_z(b, "{ ");
	for (size_t i = 0; i < t->n; i++) {
		buf_printf(b, "%s%.*s: ", i ? ", " : "", STR_ARG(t->members[i].name));
		spell(b, t->members[i].type, a);
	}
	buf_z(b, " }");
}

static void spell(struct buf *b, const struct type *t, struct arena *a)
{
	switch (t->kind) {
	case TYPE_OPTIONAL:
		spell(b, t->elem, a);
		buf_char(b, '?');
		return;
	case TYPE_LIST: case TYPE_MAP: case TYPE_POD: case TYPE_SECRET:
		buf_z(b, words[t->kind]);
		buf_char(b, '[');
		spell(b, t->elem, a);
		buf_char(b, ']');
		break;
	case TYPE_ENUM: spell_enum(b, t); return;
	case TYPE_ANON: spell_members(b, t, a); return;
	case TYPE_RECORD: buf_str(b, t->record->name); return;
	default: buf_z(b, t->port ? "port" : words[t->kind]);
	}
	if (t->refine && !t->port)
		spell_refinement(b, a, t);
}

struct str type_spell(struct arena *a, const struct type *t)
{
	struct buf b = { 0 };
	spell(&b, t, a);
	struct str s = buf_take(&b, a);
	buf_release(&b);
	return s;
}

/*
 * Adds "a" or "an" by the sound: an int, a memory, an Options, a Dataset; for letters that are read one by one: an R,
 * an LR, a GPU.
 */
static struct str with_article(struct arena *a, struct str word)
{
	bool letters = word.n && word.p[0] >= 'A' && word.p[0] <= 'Z' &&
		(word.n == 1 || (word.p[1] >= 'A' && word.p[1] <= 'Z'));
	bool an = word.n && strchr(letters ? "AEFHILMNORSX" : "aeiouAEIO", word.p[0]);
	return str_printf(a, "%s %.*s", an ? "an" : "a", STR_ARG(word));
}

/* The plural of the name of T in messages: "strings", "memory amounts". */
static struct str type_plural(struct arena *a, const struct type *t)
{
	switch (t->kind) {
	case TYPE_MEMORY: return STR("memory amounts");
	case TYPE_CPU: return STR("CPU amounts");
	case TYPE_LIST: return STR("lists");
	case TYPE_MAP: return STR("maps");
	case TYPE_ANON: return STR("records");
	case TYPE_RANGE: return STR("ranges");
	case TYPE_INT: case TYPE_FLOAT: case TYPE_BOOL: case TYPE_STRING: case TYPE_NAME: case TYPE_PATH:
	case TYPE_IMAGE: case TYPE_DURATION: case TYPE_VOLUME:
	case TYPE_ROLE: case TYPE_CONDITION:
		return str_printf(a, "%ss", t->port ? "port" : words[t->kind]);
	default: return type_spell(a, t);
	}
}

struct str type_phrase(struct arena *a, const struct type *t)
{
	struct str s;
	switch (t->kind) {
	case TYPE_BAD: return STR("something unknown");
	case TYPE_NONE: return STR("none");
	case TYPE_EMPTY: return STR("an empty list or map");
	case TYPE_DATA: return STR("plain data");
	case TYPE_ENV_VALUE: return STR("an environment value");
	case TYPE_ACCELERATOR: return STR("an accelerator");
	case TYPE_MODULE: return STR("a module");
	case TYPE_CLUSTER: case TYPE_PORTS: case TYPE_LAYOUT: case TYPE_ROLES: case TYPE_REPLICA_ENV:
		return str_printf(a, "the built-in '%s'", words[t->kind]);
	case TYPE_POD_FACTS: return STR("the built-in 'pod'");
	case TYPE_CONFIG: return STR("a reference to a ConfigMap");
	case TYPE_SECRET: return STR("a secret");
	case TYPE_ENUM:
		return t->n <= 10 ? str_printf(a, "one of %.*s", (int)type_spell(a, t).n - 6, type_spell(a, t).p + 5)
			: STR("a string");
	case TYPE_ANON: return STR("a record");
	case TYPE_RECORD:
		return t->record->unnamed ? str_printf(a, "a record %.*s", STR_ARG(t->record->name))
			: with_article(a, t->record->name);
	case TYPE_COPY: return STR("a copy of a cell");
	case TYPE_LIST:
		if (t->record)
			return STR("a cell");
		if (t->or_one && t->elem->kind == TYPE_RECORD)
			return str_printf(a, "%.*s or a list of them", STR_ARG(type_phrase(a, t->elem)));
		s = type_plural(a, type_strip_pod(t->elem));
		return str_printf(a, "a list of %.*s", STR_ARG(s));
	case TYPE_MAP:
		if (t->elem->kind == TYPE_ENV_VALUE)
			return STR("a map of environment values");
		s = type_plural(a, type_strip_pod(t->elem));
		return str_printf(a, "a map of %.*s", STR_ARG(s));
	case TYPE_OPTIONAL: s = type_phrase(a, t->elem); return str_printf(a, "%.*s or none", STR_ARG(s));
	case TYPE_POD: s = type_phrase(a, t->elem); return str_printf(a, "%.*s known only in the pod", STR_ARG(s));
	case TYPE_MEMORY: return STR("a memory amount");
	default: return with_article(a, str_of(t->port ? "port" : words[t->kind]));
	}
}
