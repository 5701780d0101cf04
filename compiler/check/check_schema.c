/*
 * check_schema.c - the table of fields and functions, and their types.
 *
 * A search for a word scans the lengths of all words first: that is quicker than hashing for so few.
 * The types in the table are not parsed by the parser of the language: they are part of the compiler, so they have no
 * errors to report.
 */
#include "check/check_schema.h"

#include <limits.h>

#include "check/decl.h"

#define BLOCK(word, parents, doc)
#define UNIT(suffix, doc)
#define FUNCTION(id, name, signature, doc)
#define FIELD(id, name, blocks, type, fallback, doc) { FIELD_##id, name, blocks, type, fallback, doc },
static const struct field fields[FIELDS] = {
#include "vocabulary.def"
};
#undef FIELD
#define FIELD(id, name, blocks, type, fallback, doc) sizeof(name) - 1,
static const unsigned char lengths[FIELDS] = {
#include "vocabulary.def"
};
#undef FIELD
#undef FUNCTION
#define FIELD(id, name, blocks, type, fallback, doc)
#define FUNCTION(id, name, signature, doc) { name, signature, doc },
static const struct function_row functions[FUNCTIONS] = {
#include "vocabulary.def"
};
#undef FUNCTION
#define FUNCTION(id, name, signature, doc) sizeof(name) - 1,
static const unsigned char function_lengths[FUNCTIONS] = {
#include "vocabulary.def"
};
#undef FUNCTION
#undef BLOCK
#define FUNCTION(id, name, signature, doc)
#define BLOCK(word, parents, doc) { word, parents, doc },
static const struct block_row blocks[] = {
#include "vocabulary.def"
};
#undef FIELD
#undef FUNCTION
#undef BLOCK
#undef UNIT

const struct field *schema_field(enum field_id id)
{
	return &fields[id];
}

/* The index of the first word from I on, of N, that has the length of NAME; N if no word has. */
static size_t of_length(const unsigned char *all, size_t n, size_t i, struct str name)
{
	const unsigned char *p = i < n && name.n <= UCHAR_MAX ? memchr(all + i, (int)name.n, n - i) : NULL;

	return p ? (size_t)(p - all) : n;
}

const struct field *schema_find(enum block block, struct str name)
{
	for (size_t i = 0; (i = of_length(lengths, FIELDS, i, name)) < FIELDS; i++)
		if ((fields[i].blocks & (unsigned)block) && memcmp(fields[i].name, name.p, name.n) == 0)
			return &fields[i];
	return NULL;
}

const struct field *schema_find_anywhere(struct str name) { return schema_find((enum block)~0U, name); }

bool schema_differs(enum field_id id)
{
	return id == FIELD_CPU || id == FIELD_MEMORY || id == FIELD_DISK || id == FIELD_LIMITS ||
		id == FIELD_RESOURCES;
}

const struct field *schema_next(enum block block, const struct field *after)
{
	for (const struct field *f = after ? after + 1 : fields; f < fields + FIELDS; f++)
		if (f->blocks & (unsigned)block)
			return f;
	return NULL;
}

const struct function_row *schema_function(enum function id)
{
	return &functions[id];
}

bool schema_function_find(struct str name, enum function *ret)
{
	for (size_t i = 0; (i = of_length(function_lengths, FUNCTIONS, i, name)) < FUNCTIONS; i++)
		if (memcmp(functions[i].name, name.p, name.n) == 0) {
			*ret = (enum function)i;
			return true;
		}
	return false;
}

const struct block_row *schema_block(struct str word)
{
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (str_is(word, blocks[i].word))
			return &blocks[i];
	return NULL;
}

const struct block_row *schema_block_next(const struct block_row *after)
{
	const struct block_row *b = after ? after + 1 : blocks;
	return b < blocks + sizeof blocks / sizeof *blocks ? b : NULL;
}

/* The raw blocks, and where they may be: in a job and around it they hold for all roles. */
static const struct { const char *name; unsigned blocks; } raws[] = {
	{ "pod", BLOCK_ROLE | BLOCK_AUX | BLOCK_JOB | BLOCK_CELL | BLOCK_FRAMEWORK },
	{ "container", BLOCK_ROLE | BLOCK_AUX | BLOCK_JOB | BLOCK_CELL | BLOCK_FRAMEWORK | BLOCK_SIDECAR | BLOCK_INIT },
	{ "job", BLOCK_ROLE | BLOCK_AUX },
	{ "service", BLOCK_JOB },
};

const char *schema_raw_next(const char *name, enum block block)
{
	bool after = !name;

	for (size_t i = 0; i < sizeof raws / sizeof *raws; i++) {
		if (after && raws[i].blocks & (unsigned)block)
			return raws[i].name;
		after = after || strcmp(raws[i].name, name) == 0;
	}
	return NULL;
}

bool schema_is_raw(struct str name)
{
	for (size_t i = 0; i < sizeof raws / sizeof *raws; i++)
		if (str_is(name, raws[i].name))
			return true;
	return false;
}

const char *block_word(enum block block)
{
	switch (block) {
	case BLOCK_PROJECT: return "the project";
	case BLOCK_JOB: return "a job";
	case BLOCK_ROLE: case BLOCK_FRAMEWORK_ROLE: return "a role";
	case BLOCK_AUX: return "an auxiliary role";
	case BLOCK_SIDECAR: return "a sidecar";
	case BLOCK_INIT: return "an init container";
	case BLOCK_FRAMEWORK: return "a framework";
	case BLOCK_ACCELERATOR: return "an accelerator";
	case BLOCK_TEST: return "a test";
	case BLOCK_CELL: return "a cell";
	}
	return "a block";
}

/* ---- parsing the types in the table ---- */

struct spelling {
	struct schema_types *types;
	const char *p;
};

static const struct type *read_type(struct spelling *s);

static bool eat(struct spelling *s, const char *word)
{
	if (*s->p != *word)
		return false;
	size_t n = strlen(word);
	if (strncmp(s->p, word, n) != 0)
		return false;
	s->p += n;
	return true;
}

static int64_t read_number(struct spelling *s, bool *ret_there)
{
	int64_t n = 0;
	*ret_there = *s->p >= '0' && *s->p <= '9';
	for (; *s->p >= '0' && *s->p <= '9'; s->p++)
		n = n * 10 + (*s->p - '0');
	return n;
}

/* Reads bounds such as (0..). */
static const struct type *read_bounds(struct spelling *s, const struct type *base)
{
	if (!eat(s, "("))
		return base;
	struct type *t = ARENA_NEW(s->types->arena, struct type);
	struct refinement *r = ARENA_NEW(s->types->arena, struct refinement);
	r->lo = read_number(s, &r->has_lo);
	eat(s, "..");
	r->hi = read_number(s, &r->has_hi);
	eat(s, ")");
	*t = *base;
	t->refine = r;
	return t;
}

static const struct type *read_enum(struct spelling *s)
{
	struct type *t = ARENA_NEW(s->types->arena, struct type);
	struct str *words = NULL;
	t->kind = TYPE_ENUM;
	while (eat(s, "\"")) {
		size_t n = strcspn(s->p, "\"");
		ARENA_PUSH(s->types->arena, words, t->n, names_intern(s->types->names, (struct str){ s->p, n }));
		s->p += n + 1;
		eat(s, ", ");
	}
	t->words = words;
	eat(s, ")");
	return t;
}

struct spelt_member {
	const char *name, *type;
};

/* A built-in record type whose members are all optional. */
static const struct type *record_type(struct schema_types *types, const char *name, const struct spelt_member *members,
	size_t n)
{
	struct arena *a = types->arena;
	struct decl *d = ARENA_NEW(a, struct decl);
	struct type *t = ARENA_NEW(a, struct type);
	*d = (struct decl){ .kind = DECL_TYPE, .name = str_of(name), .type = t, .nfields = n };
	d->fields = ARENA_ARRAY(a, struct record_field, n);
	for (size_t i = 0; i < n; i++) {
		struct node *none = node_new(a, NODE_NONE, (struct span){ 0 });
		struct spelling s = { types, members[i].type };
		none->type = &type_none;
		d->fields[i] = (struct record_field){ .name = names_intern(types->names, str_of(members[i].name)),
			.type = type_optional(a, read_type(&s)), .value = none };
	}
	*t = (struct type){ .kind = TYPE_RECORD, .record = d };
	return t;
}

static const struct type *limits_type(struct schema_types *types)
{
	static const struct spelt_member members[] = { { "cpu", "cpu" }, { "memory", "memory" }, { "disk", "memory" },
		{ "unbounded", "bool" } };
	return record_type(types, "Limits", members, sizeof members / sizeof *members);
}

static const struct type *layout_type(struct schema_types *types)
{
	static const struct spelt_member members[] = { { "tp", "int(1..)" }, { "cp", "int(1..)" },
		{ "fsdp", "int(1..)" }, { "dp", "int(1..)" }, { "pp", "int(1..)" }, { "ep", "int(1..)" },
		{ "etp", "int(1..)" }, { "order", "string" } };
	return record_type(types, "Layout", members, sizeof members / sizeof *members);
}

static const struct type *replica_type(struct schema_types *types)
{
	static const struct spelt_member members[] = {
		{ "name", "pod[string]" }, { "labels", "map[pod[string]?]" },
		{ "service", "enum(\"headless\", \"cluster\", \"none\")" }, { "kind", "enum(\"pod\", \"job\")" }
	};
	return record_type(types, "replica", members, 4);
}

static const struct type *addons_type(struct schema_types *types)
{
	static const struct spelt_member members[] = { { "kueue", "string" }, { "jobset", "string" },
		{ "trainer", "string" } };
	return record_type(types, "addons", members, 3);
}

static const struct type *probe_type(struct schema_types *types)
{
	static const struct spelt_member members[] = {
		{ "tcp", "string" }, { "http", "string" }, { "path", "string" }, { "exec", "list[string]" },
		{ "within", "duration" }
	};
	return record_type(types, "probe", members, 5);
}

static const struct type *source_type(struct schema_types *types)
{
	static const struct spelt_member members[] = { { "config", "string" }, { "secret", "string" },
		{ "prefix", "string" }, { "optional", "bool" } };
	return record_type(types, "source", members, sizeof members / sizeof *members);
}

static const struct type *place_type(struct schema_types *types)
{
	static const struct spelt_member members[] = { { "near", "string" }, { "prefer", "string" },
		{ "pack", "bool" }, { "each", "data" } };
	return record_type(types, "place", members, sizeof members / sizeof *members);
}

/* A record; a text alone means its first member. */
static const struct type *record_or_text(struct schema_types *types, const char *name,
	const struct spelt_member *members, size_t n)
{
	struct type *t = ARENA_NEW(types->arena, struct type);

	*t = *record_type(types, name, members, n);
	t->or_one = true;
	return t;
}

static const struct type *code_type(struct schema_types *types)
{
	static const struct spelt_member members[] = {
		{ "dir", "string" }, { "at", "string" }, { "exclude", "list[string]" }, { "include", "list[string]" },
		{ "max", "memory" }, { "unpack", "image" }, { "allow", "list[string]" },
		{ "sync", "bool" }, { "via", "volume" }
	};

	return record_or_text(types, "directory", members, sizeof members / sizeof *members);
}

static const struct type *security_type(struct schema_types *types)
{
	static const struct spelt_member members[] = {
		{ "level", "enum(\"restricted\")" }, { "run_as", "int(0..2147483647)" },
		{ "run_as_group", "int(0..2147483647)" }, { "fs_group", "int(0..2147483647)" },
		{ "non_root", "bool" }, { "read_only_root", "bool" }, { "escalation", "bool" },
		{ "privileged", "bool" }, { "capabilities", "list[string]" }, { "drop", "list[string]" },
		{ "seccomp", "enum(\"runtime-default\", \"unconfined\")" }
	};

	return record_or_text(types, "security", members, sizeof members / sizeof *members);
}

static const struct type *list_or_one(struct arena *a, const struct type *elem)
{
	struct type *t = ARENA_NEW(a, struct type);

	*t = (struct type){ .kind = TYPE_LIST, .elem = elem, .or_one = true };
	return t;
}

static const struct type *read_core(struct spelling *s)
{
	static const struct { const char *word; const struct type *type; } plain[] = {
		{ "bool", &type_bool }, { "int", &type_int }, { "string", &type_string }, { "cpu", &type_cpu },
		{ "memory", &type_memory }, { "duration", &type_duration }, { "range", &type_range },
		{ "elastic", &type_elastic }, { "image", &type_image }, { "name", &type_name }, { "path", &type_path },
		{ "port", &type_port }, { "accelerator", &type_accelerator }, { "volume", &type_volume },
		{ "condition", &type_condition }, { "data", &type_data }
	};
	struct arena *a = s->types->arena;
	const struct type *elem;
	if (eat(s, "list[") || eat(s, "map[") || eat(s, "pod[")) {
		char kind = s->p[-2];           /* tells them apart by their last letter: lisT, maP, poD */
		elem = read_type(s);
		eat(s, "]");
		return kind == 't' ? type_list(a, elem) : kind == 'p' ? type_map(a, elem) : type_pod(a, elem);
	}
	if (eat(s, "enum("))
		return read_enum(s);
	if (eat(s, "env"))
		return type_map(a, &type_env_value);
	if (eat(s, "limits"))
		return limits_type(s->types);
	if (eat(s, "layout"))
		return layout_type(s->types);
	if (eat(s, "addons"))
		return addons_type(s->types);
	if (eat(s, "replica"))
		return replica_type(s->types);
	if (eat(s, "probe"))
		return probe_type(s->types);
	if (eat(s, "places"))
		return list_or_one(a, place_type(s->types));
	if (eat(s, "sources"))
		return list_or_one(a, source_type(s->types));
	if (eat(s, "code"))
		return code_type(s->types);
	if (eat(s, "security"))
		return security_type(s->types);
	if (eat(s, "zones") || eat(s, "sites") || eat(s, "values"))
		return list_or_one(a, &type_string);
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		if (eat(s, plain[i].word))
			return plain[i].type;
	return &type_bad;
}

static const struct type *read_type(struct spelling *s)
{
	const struct type *t = read_bounds(s, read_core(s));
	return eat(s, "?") ? type_optional(s->types->arena, t) : t;
}

const struct type *schema_type(struct schema_types *types, enum field_id id)
{
	if (!types->at[id]) {
		struct spelling s = { types, fields[id].type };
		const struct type *t = read_type(&s);
		/* a list whose elements may differ between replicas may differ as a whole */
		types->at[id] = t->kind == TYPE_LIST && t->elem->kind == TYPE_POD ? type_pod(types->arena, t) : t;
	}
	return types->at[id];
}

const struct type *schema_place_type(struct schema_types *types)
{
	return type_strip_optional(schema_type(types, FIELD_PLACE))->elem;
}

const struct type *schema_source_type(struct schema_types *types) { return schema_type(types, FIELD_ENV_FROM)->elem; }

const struct type *schema_member_type(struct schema_types *types, enum field_id id)
{
	if (id == FIELD_PLACE)
		return type_optional(types->arena, schema_place_type(types));
	return id == FIELD_LAYOUT ? &type_layout : schema_type(types, id);
}

/* ---- bundles: records of the fields of a block ---- */

/* The type without pod[]: a bundle is written once for many replicas, so nothing in it may depend on one. */
static const struct type *without_pod(struct arena *a, const struct type *t)
{
	if (t->kind == TYPE_POD && t->elem->kind == TYPE_LIST)
		return type_list(a, t->elem->elem->elem);
	return t->kind == TYPE_MAP && t->elem->kind == TYPE_POD ? type_map(a, t->elem->elem) : t;
}

static const struct type *bundle_type(struct schema_types *types, const char *name, enum block block)
{
	struct arena *a = types->arena;
	struct decl *d = ARENA_NEW(a, struct decl);
	struct type *t = ARENA_NEW(a, struct type);
	*d = (struct decl){ .kind = DECL_TYPE, .name = str_of(name), .type = t, .partial = true };
	d->fields = ARENA_ARRAY(a, struct record_field, FIELDS);
	struct node *none = node_new(a, NODE_NONE, (struct span){ 0 });
	none->type = &type_none;
	for (const struct field *f = schema_next(block, NULL); f; f = schema_next(block, f)) {
		d->fields[d->nfields++] = (struct record_field){ .name = names_intern(types->names, str_of(f->name)),
			.type = without_pod(a, schema_type(types, f->id)), .value = none, .doc = str_of(f->doc) };
	}
	*t = (struct type){ .kind = TYPE_RECORD, .record = d };
	return t;
}

static const struct { const char *word; enum block block; } bundles[SCHEMA_BUNDLES] = {
	{ "Role", BLOCK_ROLE }, { "Sidecar", BLOCK_SIDECAR }
};

bool schema_is_bundle(const struct schema_types *types, const struct type *t, enum block block)
{
	for (size_t i = 0; i < SCHEMA_BUNDLES; i++)
		if (types->bundles[i] == t)
			return bundles[i].block == block;
	return false;
}

const struct type *schema_bundle(struct schema_types *types, struct str name)
{
	if (str_is(name, "Limits"))
		return schema_type(types, FIELD_LIMITS);
	if (str_is(name, "Layout"))
		return schema_type(types, FIELD_LAYOUT);
	for (size_t i = 0; i < SCHEMA_BUNDLES; i++) {
		if (!str_is(name, bundles[i].word))
			continue;
		if (!types->bundles[i])
			types->bundles[i] = bundle_type(types, bundles[i].word, bundles[i].block);
		return types->bundles[i];
	}
	return NULL;
}
