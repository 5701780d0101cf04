/* schema_text.c - reads text and builds a table of schemas from it. */
#include "kube/schema_text.h"

#include <stdlib.h>

#include "base/map.h"

enum { EVERY_VERSION = 0xffff };

struct form {                           /* one form of a field: the words after its name on a line */
	struct str words;
	uint32_t versions;
	struct form *older;
};
struct built_field {
	struct str name;
	struct form *newest;
	bool gone;                      /* the field was removed before the version that is being read */
};
struct built_type {
	struct str name;
	struct map fields;
	uint32_t versions;
	bool gone;
};
struct built_kind {
	struct str api_version, kind, type;
	uint32_t versions;
	bool namespaced, gone;
};

struct schema_builder {
	struct arena *arena;
	const struct schema *base;      /* schema whose types the text may refer to, or NULL */
	struct map types, kinds;        /* name -> struct built_type; "apiVersion kind" -> struct built_kind */
	struct built_type *type;        /* the type to which indented lines belong */
	uint32_t versions;              /* the version to which the current lines apply */
};

struct schema_builder *schema_builder_new(struct arena *a, const struct schema *base)
{
	struct schema_builder *b = ARENA_NEW(a, struct schema_builder);

	b->arena = a;
	b->base = base;
	b->versions = EVERY_VERSION;
	return b;
}

/* ---- reading ---- */

static struct str take_schema_word(struct str *rest)
{
	struct str w = { rest->p, 0 };

	while (w.n < rest->n && w.p[w.n] != ' ')
		w.n++;
	size_t used = w.n + (w.n < rest->n);
	*rest = (struct str){ rest->p + used, rest->n - used };
	return w;
}

/* Marks everything that exists at the end of a version's lines as part of that version. */
static void version_ends(struct schema_builder *b)
{
	for (size_t i = 0; i < b->kinds.n; i++) {
		struct built_kind *k = b->kinds.entries[i].value;
		k->versions |= k->gone ? 0 : b->versions;
	}
	for (size_t i = 0; i < b->types.n; i++) {
		struct built_type *t = b->types.entries[i].value;
		if (t->gone)
			continue;
		t->versions |= b->versions;
		for (size_t k = 0; k < t->fields.n; k++) {
			struct built_field *f = t->fields.entries[k].value;
			f->newest->versions |= f->gone ? 0 : b->versions;
		}
	}
}

static bool read_version(struct schema_builder *b, struct str rest)
{
	char *end;

	if (!str_starts(rest, STR("1.")))
		return false;
	unsigned long minor = strtoul(rest.p + 2, &end, 10);
	if (end != rest.p + rest.n || minor < SCHEMA_OLDEST || minor >= SCHEMA_OLDEST + 16)
		return false;
	version_ends(b);
	b->versions = 1u << (minor - SCHEMA_OLDEST);
	return true;
}

static bool read_kind(struct schema_builder *b, struct str rest, bool gone)
{
	struct str key = rest, api_version = take_schema_word(&rest), kind = take_schema_word(&rest),
		scope = take_schema_word(&rest), type = take_schema_word(&rest);

	key.n = api_version.n + 1 + kind.n;
	if (!kind.n || rest.n || (gone ? scope.n > 0
	    : !type.n || !(str_is(scope, "namespaced") || str_is(scope, "cluster"))))
		return false;
	struct built_kind *k = map_get(&b->kinds, key);
	if (!k) {
		if (gone)
			return false;
		map_put(&b->kinds, b->arena, key, k = ARENA_NEW(b->arena, struct built_kind));
	}
	k->gone = gone;
	if (!gone)
		*k = (struct built_kind){ api_version, kind, type, k->versions, str_is(scope, "namespaced"), false };
	return true;
}

static bool read_type(struct schema_builder *b, struct str name, bool gone)
{
	b->type = map_get(&b->types, name);
	if (!name.n || (gone && !b->type))
		return false;
	if (!b->type) {
		map_put(&b->types, b->arena, name, b->type = ARENA_NEW(b->arena, struct built_type));
		b->type->name = name;
	}
	b->type->gone = gone;
	if (gone)
		b->type = NULL;
	return true;
}

static bool read_field(struct schema_builder *b, struct str rest)
{
	struct str name = take_schema_word(&rest);
	bool gone = name.n > 1 && name.p[0] == '-';

	if (gone)
		name = (struct str){ name.p + 1, name.n - 1 };
	if (!b->type || !name.n || gone == (rest.n > 0))
		return false;
	struct built_field *f = map_get(&b->type->fields, name);
	if (!f && gone)
		return false;
	if (!f) {
		map_put(&b->type->fields, b->arena, name, f = ARENA_NEW(b->arena, struct built_field));
		f->name = name;
	}
	f->gone = gone;
	if (gone)
		return true;
	struct form *form = ARENA_NEW(b->arena, struct form);
	*form = (struct form){ rest, 0, f->newest };
	f->newest = form;
	return true;
}

static bool read_line(struct schema_builder *b, struct str line)
{
	if (!line.n || line.p[0] == '#')
		return true;
	if (line.p[0] == '\t')
		return read_field(b, (struct str){ line.p + 1, line.n - 1 });
	struct str rest = line, what = take_schema_word(&rest);
	b->type = NULL;
	if (str_is(what, "version"))
		return read_version(b, rest);
	if (str_is(what, "kind") || str_is(what, "-kind"))
		return read_kind(b, rest, what.p[0] == '-');
	return (str_is(what, "type") || str_is(what, "-type")) && read_type(b, rest, what.p[0] == '-');
}

bool schema_read(struct schema_builder *b, struct str text, struct str *why)
{
	unsigned number = 1;

	for (size_t at = 0; at < text.n; number++) {
		const char *end = memchr(text.p + at, '\n', text.n - at);
		struct str line = { text.p + at, end ? (size_t)(end - text.p) - at : text.n - at };
		if (!read_line(b, line)) {
			*why = str_printf(b->arena, "line %u: '%.*s' is not a line of a schema", number, STR_ARG(line));
			return false;
		}
		at += line.n + 1;
	}
	b->type = NULL;
	return true;
}

/* ---- building the table ---- */

struct building {
	struct schema_builder *b;
	struct buf text;
	struct map texts;               /* word -> its position in the text of the table, plus 1 */
	struct built_type **types;
	struct schema_ref *refs;
	struct schema_field *fields;
	size_t nrefs, nfields;
	struct map ref_of;              /* a reference, such as "[]core.v1.Pod" -> its position, plus 1 */
	struct map type_of;             /* name of a type -> its position, plus 1 */
	struct str lost;                /* a type that the text refers to but does not describe */
};

static uint32_t intern_text(struct building *g, struct str s)
{
	uintptr_t at = (uintptr_t)map_get(&g->texts, s);

	if (!at) {
		at = g->text.n + 1;
		buf_str(&g->text, s);
		buf_char(&g->text, '\0');
		map_put(&g->texts, g->b->arena, s, (void *)at);
	}
	return (uint32_t)(at - 1);
}

static uint16_t ref(struct building *g, struct str s);

static struct schema_ref describe(struct building *g, struct str s)
{
	static const char *const scalars[] = {
		[SCHEMA_ANY] = "any", [SCHEMA_STRING] = "string", [SCHEMA_BYTES] = "bytes", [SCHEMA_TIME] = "time",
			[SCHEMA_INT] = "int",
		[SCHEMA_NUMBER] = "number", [SCHEMA_BOOL] = "bool", [SCHEMA_QUANTITY] = "quantity",
			[SCHEMA_INT_OR_STRING] = "int-or-string"
	};

	if (str_starts(s, STR("[]")))
		return (struct schema_ref){ SCHEMA_LIST, ref(g, (struct str){ s.p + 2, s.n - 2 }) };
	if (str_starts(s, STR("{}")))
		return (struct schema_ref){ SCHEMA_MAP, ref(g, (struct str){ s.p + 2, s.n - 2 }) };
	for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
		if (str_is(s, scalars[i]))
			return (struct schema_ref){ (uint16_t)i, 0 };
	uintptr_t type = (uintptr_t)map_get(&g->type_of, s);
	const struct schema_type *base = !type && g->b->base ? schema_find_type(g->b->base, s) : NULL;
	if (base)
		return (struct schema_ref){ SCHEMA_BUILTIN, (uint16_t)(base - g->b->base->types) };
	if (!type)
		g->lost = s;
	return (struct schema_ref){ type ? SCHEMA_OBJECT : SCHEMA_ANY, (uint16_t)(type ? type - 1 : 0) };
}

static uint16_t ref(struct building *g, struct str s)
{
	uintptr_t at = (uintptr_t)map_get(&g->ref_of, s);

	if (!at) {
		struct schema_ref r = describe(g, s);
		ARENA_PUSH(g->b->arena, g->refs, g->nrefs, r);
		at = g->nrefs;
		map_put(&g->ref_of, g->b->arena, s, (void *)at);
	}
	return (uint16_t)(at - 1);
}

static void put_field(struct building *g, struct str name, const struct form *form)
{
	struct str rest = form->words;
	struct schema_field f = { .name = intern_text(g, name), .versions = (uint16_t)form->versions,
		.ref = ref(g, take_schema_word(&rest)) };

	struct buf limits = { 0 };
	while (rest.n) {
		struct str w = take_schema_word(&rest);
		if (schema_is_limit(w))
			buf_printf(&limits, "%s%.*s", limits.n ? " " : "", STR_ARG(w));
		else if (str_is(w, "required"))
			f.required = 1;
		else if (str_is(w, "atomic"))
			f.list = SCHEMA_ATOMIC;
		else if (str_is(w, "set"))
			f.list = SCHEMA_SET;
		else if (str_starts(w, STR("map="))) {
			f.list = SCHEMA_KEYED;
			f.keys = intern_text(g, (struct str){ w.p + 4, w.n - 4 });
		} else if (str_starts(w, STR("enum="))) {
			f.list = SCHEMA_ENUM;
			f.keys = intern_text(g, (struct str){ w.p + 5, w.n - 5 });
		} else if (str_starts(w, STR("merge=")))
			f.merge = intern_text(g, (struct str){ w.p + 6, w.n - 6 });
	}
	if (limits.n)
		f.limits = intern_text(g, buf_take(&limits, g->b->arena));
	buf_release(&limits);
	ARENA_PUSH(g->b->arena, g->fields, g->nfields, f);
}

static int by_type_name(const void *a, const void *b)
{
	return str_cmp((*(struct built_type *const *)a)->name, (*(struct built_type *const *)b)->name);
}
static int by_field_name(const void *a, const void *b)
{
	return str_cmp((*(struct built_field *const *)a)->name, (*(struct built_field *const *)b)->name);
}
static int by_kind(const void *a, const void *b)
{
	const struct built_kind *x = *(struct built_kind *const *)a, *y = *(struct built_kind *const *)b;
	int c = str_cmp(x->kind, y->kind);

	return c ? c : str_cmp(x->api_version, y->api_version);
}

/* Returns the values of a map, sorted. */
static void *sorted(struct arena *a, const struct map *m, int (*order)(const void *, const void *))
{
	void **at = ARENA_ARRAY(a, void *, m->n);

	for (size_t i = 0; i < m->n; i++)
		at[i] = m->entries[i].value;
	if (m->n)
		qsort(at, m->n, sizeof *at, order);
	return at;
}

static const struct schema_type *build_types(struct building *g)
{
	struct arena *a = g->b->arena;
	size_t n = g->b->types.n;
	struct schema_type *types = ARENA_ARRAY(a, struct schema_type, n);

	for (size_t i = 0; i < n; i++)
		map_put(&g->type_of, a, g->types[i]->name, (void *)(i + 1));
	for (size_t i = 0; i < n; i++) {
		struct built_type *t = g->types[i];
		struct built_field **fields = sorted(a, &t->fields, by_field_name);
		types[i] = (struct schema_type){ intern_text(g, t->name), (uint32_t)g->nfields, 0, t->versions };
		for (size_t k = 0; k < t->fields.n; k++)
			for (const struct form *f = fields[k]->newest; f; f = f->older)
				put_field(g, fields[k]->name, f);
		types[i].n = (uint32_t)g->nfields - types[i].first;
	}
	return types;
}

static const struct schema_kind *build_kinds(struct building *g)
{
	struct built_kind **from = sorted(g->b->arena, &g->b->kinds, by_kind);
	struct schema_kind *kinds = ARENA_ARRAY(g->b->arena, struct schema_kind, g->b->kinds.n);

	for (size_t i = 0; i < g->b->kinds.n; i++) {
		uintptr_t type = (uintptr_t)map_get(&g->type_of, from[i]->type);
		if (!type)
			g->lost = from[i]->type;
		kinds[i] = (struct schema_kind){ intern_text(g, from[i]->api_version), intern_text(g, from[i]->kind),
			(uint16_t)(type ? type - 1 : 0), (uint16_t)from[i]->versions, from[i]->namespaced };
	}
	return kinds;
}

bool schema_build(struct schema_builder *b, struct schema *ret, struct str *why)
{
	struct building g = { .b = b };

	version_ends(b);
	if (b->types.n > UINT16_MAX) {
		*why = str_printf(b->arena, "%zu types are more than 65535, which is as many as there can be",
			b->types.n);
		return false;
	}
	intern_text(&g, STR(""));              /* position 0 is that of the empty word */
	g.types = sorted(b->arena, &b->types, by_type_name);
	*ret = (struct schema){ .types = build_types(&g), .kinds = build_kinds(&g), .ntypes = b->types.n,
		.nkinds = b->kinds.n };
	ret->refs = g.refs;
	ret->nrefs = g.nrefs;
	ret->fields = g.fields;
	ret->nfields = g.nfields;
	ret->text = arena_copy(b->arena, g.text.p, g.text.n);
	buf_release(&g.text);
	if (g.lost.p)
		*why = str_printf(b->arena, "nothing describes the type '%.*s'", STR_ARG(g.lost));
	else if (g.nrefs > UINT16_MAX)
		*why = str_printf(b->arena, "its fields have %zu different types, more than 65535", g.nrefs);
	return !g.lost.p && g.nrefs <= UINT16_MAX;
}
