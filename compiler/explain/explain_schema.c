/*
 * explain_schema.c - explains kinds of Kubernetes and of the project, and their fields, from the schema tables, for
 * topics such as Pod.spec.hostNetwork, PodSpec and Job.
 */
#include "explain/explain.h"

#include "base/path.h"
#include "check/project.h"
#include "compile.h"
#include "kube/schema.h"
#include "kube/schema_text.h"

static struct str last_part(struct str name)
{
	const char *dot = memrchr(name.p, '.', name.n);
	return dot ? (struct str){ dot + 1, name.n - (size_t)(dot + 1 - name.p) } : name;
}

/* ---- one type ---- */

/* The versions in which the field looks the same to users, that is, ignoring how server-side apply merges its lists. */
static uint32_t versions_of(const struct explain *e, const struct schema_type *t, const struct schema_field *f)
{
	uint32_t all = 0;

	for (size_t i = t->first; i < t->first + t->n; i++) {
		const struct schema_field *other = &e->tables->fields[i];
		if (other->name == f->name && other->ref == f->ref && other->required == f->required)
			all |= other->versions;
	}
	return all;
}

static bool told_before(const struct explain *e, const struct schema_type *t, size_t field)
{
	const struct schema_field *f = &e->tables->fields[field];

	for (size_t i = t->first; i < field; i++)
		if (e->tables->fields[i].name == f->name && e->tables->fields[i].ref == f->ref &&
		    e->tables->fields[i].required == f->required)
			return true;
	return false;
}

static void put_schema_fields(struct explain *e, const struct schema_type *t)
{
	size_t width = 0;

	for (size_t i = t->first; i < t->first + t->n; i++) {
		size_t n = schema_text(e->tables, e->tables->fields[i].name).n;
		width = n > width ? n : width;
	}
	for (size_t i = t->first; i < t->first + t->n; i++) {
		const struct schema_field *f = &e->tables->fields[i];
		if (told_before(e, t, i))
			continue;
		buf_printf(e->out, "  %-*s  ", (int)width, e->tables->text + f->name);
		schema_ref_text(e->tables, &e->tables->refs[f->ref], e->out);
		if (f->required)
			buf_z(e->out, ", required");
		if (versions_of(e, t, f) != t->versions) {
			buf_z(e->out, ", ");
			schema_versions_text(versions_of(e, t, f), e->out);
		}
		buf_char(e->out, '\n');
	}
}

static void versions(struct explain *e, uint32_t set)
{
	buf_z(e->out, ", ");
	schema_versions_text(set, e->out);
	buf_z(e->out, " of Kubernetes");
	buf_char(e->out, '\n');
}

/* The name of the raw block whose fields are those of the type; NULL if no raw block has these fields. */
static const char *raw_block(const struct explain *e, const struct schema_type *t)
{
	static const char *const blocks[][2] = { { "core.v1.PodSpec", "raw pod" },
		{ "core.v1.Container", "raw container" },
		{ "batch.v1.JobSpec", "raw job" }, { "core.v1.ServiceSpec", "raw service" } };

	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (str_is(schema_text(e->tables, t->name), blocks[i][0]))
			return blocks[i][1];
	return NULL;
}

/* ---- following a path through the types ---- */

static struct str next_part(struct str *rest)
{
	const char *dot = memchr(rest->p, '.', rest->n);
	struct str part = { rest->p, dot ? (size_t)(dot - rest->p) : rest->n };

	*rest = dot ? (struct str){ dot + 1, rest->n - part.n - 1 } : (struct str){ rest->p + rest->n, 0 };
	return part;
}

/* The object type of a reference, or of the innermost elements of a list or map; NULL if these are scalars. */
static const struct schema_type *inner(const struct explain *e, const struct schema_ref *r)
{
	while (r->word == SCHEMA_LIST || r->word == SCHEMA_MAP)
		r = &e->tables->refs[r->of];
	return r->word == SCHEMA_OBJECT ? &e->tables->types[r->of] : NULL;
}

/* Writes which type the field had in other versions. */
static void other_forms(struct explain *e, const struct schema_type *t, const struct schema_field *f)
{
	for (size_t i = t->first; i < t->first + t->n; i++) {
		const struct schema_field *other = &e->tables->fields[i];
		if (other->name != f->name || told_before(e, t, i) ||
		    (other->ref == f->ref && other->required == f->required))
			continue;
		buf_z(e->out, "In ");
		schema_versions_text(versions_of(e, t, other), e->out);
		buf_z(e->out, ": ");
		schema_ref_text(e->tables, &e->tables->refs[other->ref], e->out);
		buf_z(e->out, other->required ? ", required\n" : ", not required\n");
	}
}

static void put_schema_field(struct explain *e, const struct schema_type *t, const struct schema_field *f)
{
	struct str name = schema_text(e->tables, f->name), owner = last_part(schema_text(e->tables, t->name));
	const struct schema_type *below = inner(e, &e->tables->refs[f->ref]);
	const char *raw = raw_block(e, t);

	explain_next(e);
	buf_printf(e->out, "%.*s: ", STR_ARG(e->topic));
	schema_ref_text(e->tables, &e->tables->refs[f->ref], e->out);
	buf_printf(e->out, ", field of %.*s%s", STR_ARG(owner), f->required ? ", required" : "");
	versions(e, versions_of(e, t, f));
	other_forms(e, t, f);
	if (f->keys)
		buf_printf(e->out, "\nThe key of an element is %s.\n", e->tables->text + f->keys);
	if (raw)
		buf_printf(e->out, "\n  %s { %.*s = ... }\n", raw, STR_ARG(name));
	if (below) {
		buf_char(e->out, '\n');
		put_schema_fields(e, below);
	}
}

static void no_field(struct explain *e, const struct schema_type *t, struct str name)
{
	struct suggest near;
	struct str owner = last_part(schema_text(e->tables, t->name));

	suggest_init(&near, e->arena, name);
	for (size_t i = t->first; i < t->first + t->n; i++)
		suggest_add(&near, schema_text(e->tables, e->tables->fields[i].name));
	struct str sentence = suggest_or_list(&near, "its fields are");
	explain_next(e);
	buf_printf(e->out, "%.*s has no field '%.*s'; ", STR_ARG(owner), STR_ARG(name));
	if (sentence.n)
		buf_str(e->out, sentence);
	else
		buf_printf(e->out, "'trainc explain %.*s' lists its fields", STR_ARG(owner));
	buf_char(e->out, '\n');
}

static void walk_schema(struct explain *e, const struct schema_type *t, struct str rest)
{
	while (rest.n) {
		struct str name = next_part(&rest);
		const struct schema_field *f = schema_newest_field(e->tables, t, name);
		const struct schema_type *below = f ? inner(e, &e->tables->refs[f->ref]) : NULL;
		if (!f) {
			no_field(e, t, name);
			return;
		}
		if (!rest.n) {
			put_schema_field(e, t, f);
			return;
		}
		if (!below) {
			explain_next(e);
			buf_printf(e->out, "'%.*s' is not an object: it has no fields\n", STR_ARG(name));
			return;
		}
		t = below;
	}
}

static void kind(struct explain *e, const struct schema_kind *k)
{
	const struct schema_type *t = &e->tables->types[k->type];

	explain_next(e);
	buf_printf(e->out, "%s: kind of Kubernetes, apiVersion %s, %s", e->tables->text + k->kind,
		e->tables->text + k->api_version, k->namespaced ? "in a namespace" : "in no namespace");
	versions(e, k->versions);
	buf_char(e->out, '\n');
	put_schema_fields(e, t);
}

static void type(struct explain *e, const struct schema_type *t)
{
	const char *raw = raw_block(e, t);
	struct str name = schema_text(e->tables, t->name);

	explain_next(e);
	buf_printf(e->out, "%.*s: type of Kubernetes, %.*s", STR_ARG(last_part(name)), STR_ARG(name));
	versions(e, t->versions);
	if (raw)
		buf_printf(e->out, "\n  %s { ... }\n", raw);
	buf_char(e->out, '\n');
	put_schema_fields(e, t);
}

/* Is API version A more stable than B? v1 comes before v1beta1, and that before v1alpha1. */
static bool stabler(struct str a, struct str b)
{
	bool beta_a = memmem(a.p, a.n, "beta", 4) != NULL, beta_b = memmem(b.p, b.n, "beta", 4) != NULL;
	bool alpha_a = memmem(a.p, a.n, "alpha", 5) != NULL, alpha_b = memmem(b.p, b.n, "alpha", 5) != NULL;
	return alpha_a != alpha_b ? alpha_b : beta_a != beta_b ? beta_b : str_cmp(a, b) > 0;
}

/* Finds a kind. When several API versions have the name, the most stable one is used. */
static const struct schema_kind *find_kind(struct explain *e, struct str name)
{
	const struct schema_kind *found = NULL;

	for (size_t i = 0; i < e->tables->nkinds; i++) {
		const struct schema_kind *k = &e->tables->kinds[i];
		suggest_add(&e->near, schema_text(e->tables, k->kind));
		if (str_eq(schema_text(e->tables, k->kind), name) &&
		    (!found || stabler(schema_text(e->tables, k->api_version),
		    schema_text(e->tables, found->api_version))))
			found = k;
	}
	return found;
}

static const struct schema_type *find_type(struct explain *e, struct str name)
{
	const struct schema_type *found = NULL;

	for (size_t i = 0; i < e->tables->ntypes; i++) {
		struct str whole = schema_text(e->tables, e->tables->types[i].name);
		suggest_add(&e->near, last_part(whole));
		if (str_eq(last_part(whole), name) && (!found || stabler(whole, schema_text(e->tables, found->name))))
			found = &e->tables->types[i];
	}
	return found;
}

/*
 * The kinds in crds.tbl of the surrounding project, which 'trainc vendor crd' wrote; NULL if the project has no such
 * kinds, or if they cannot be read.
 */
static const struct schema *own_kinds(struct explain *e)
{
	struct trainc c;
	struct str text, why;
	struct schema *kinds = NULL;

	if (!e->reader || !e->reader->exists)
		return NULL;
	compile_init(&c, e->reader);
	c.program.locking = true;               /* the lock is ignored, because nothing is compiled */
	project_find(&c.program, STR("."), STR(""));
	struct str path = path_join(e->arena, c.program.project.root, STR("crds.tbl"));
	if (e->reader->exists(e->reader->context, path) &&
	    e->reader->read(e->reader->context, e->arena, path, &text, &why)) {
		struct schema_builder *b = schema_builder_new(e->arena, &schema_builtin);
		kinds = ARENA_NEW(e->arena, struct schema);
		if (!schema_read(b, text, &why) || !schema_build(b, kinds, &why))
			kinds = NULL;
	}
	compile_release(&c);
	return kinds;
}

static bool ask_schema(struct explain *e, const struct schema *tables)
{
	struct str rest = e->topic, first = next_part(&rest);

	if (!tables)
		return false;
	e->tables = tables;
	const struct schema_kind *k = find_kind(e, first);
	const struct schema_type *t = k ? &e->tables->types[k->type] : find_type(e, first);
	if (!t)
		return false;
	if (rest.n)
		walk_schema(e, t, rest);
	else if (k)
		kind(e, k);
	else
		type(e, t);
	return true;
}

bool explain_schema(struct explain *e)
{
	/* a kind or type of Kubernetes begins with a capital letter, a word of the language does not */
	if (!e->topic.n || e->topic.p[0] < 'A' || e->topic.p[0] > 'Z')
		return false;
	return ask_schema(e, &schema_builtin) || ask_schema(e, own_kinds(e));
}

bool explain_kind_spelling(struct explain *e, bool path)
{
	struct str rest = e->topic, first = next_part(&rest);
	const struct schema *tables = &schema_builtin;
	bool of_object = str_starts(rest, STR("spec")) || str_starts(rest, STR("metadata")) ||
		str_starts(rest, STR("status"));

	if (path != of_object || (!path && rest.n) || !first.n || first.p[0] < 'a' || first.p[0] > 'z')
		return false;
	for (size_t i = 0; i < tables->nkinds; i++) {
		struct str kind = schema_text(tables, tables->kinds[i].kind);
		if (!str_eq(str_lower(e->arena, kind), str_lower(e->arena, first)))
			continue;
		e->topic = str_cat(e->arena, kind, rest.n ? STR(".") : STR(""), rest);
		return true;
	}
	return false;
}
