/*
 * explain_schema.c - kinds of Kubernetes and their fields, from the tables:
 * Pod.spec.hostNetwork, PodSpec, Job.
 */
#include "explain/explain.h"

#include "kube/schema.h"

static const struct schema *const tables = &schema_builtin;

static struct str last_part(struct str name)
{
	const char *dot = memrchr(name.p, '.', name.n);
	return dot ? (struct str){ dot + 1, name.n - (size_t)(dot + 1 - name.p) } : name;
}

/* ---- one type ---- */

/* The versions in which the field is the same to people, whatever server-side apply makes of its lists. */
static uint32_t versions_of(const struct schema_type *t, const struct schema_field *f)
{
	uint32_t all = 0;

	for (size_t i = t->first; i < t->first + t->n; i++) {
		const struct schema_field *other = &tables->fields[i];
		if (other->name == f->name && other->ref == f->ref && other->required == f->required)
			all |= other->versions;
	}
	return all;
}

static bool told_before(const struct schema_type *t, size_t field)
{
	const struct schema_field *f = &tables->fields[field];

	for (size_t i = t->first; i < field; i++)
		if (tables->fields[i].name == f->name && tables->fields[i].ref == f->ref && tables->fields[i].required == f->required)
			return true;
	return false;
}

static void fields(struct explain *e, const struct schema_type *t)
{
	size_t width = 0;

	for (size_t i = t->first; i < t->first + t->n; i++) {
		size_t n = schema_text(tables, tables->fields[i].name).n;
		width = n > width ? n : width;
	}
	for (size_t i = t->first; i < t->first + t->n; i++) {
		const struct schema_field *f = &tables->fields[i];
		if (told_before(t, i))
			continue;
		buf_printf(e->out, "  %-*s  ", (int)width, tables->text + f->name);
		schema_ref_text(tables, &tables->refs[f->ref], e->out);
		if (f->required)
			buf_z(e->out, ", required");
		if (versions_of(t, f) != t->versions) {
			buf_z(e->out, ", ");
			schema_versions_text(versions_of(t, f), e->out);
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

/* The raw block that is merged into the type. */
static const char *raw_block(const struct schema_type *t)
{
	static const char *const blocks[][2] = { { "core.v1.PodSpec", "raw pod" }, { "core.v1.Container", "raw container" },
		{ "batch.v1.JobSpec", "raw job" }, { "core.v1.ServiceSpec", "raw service" } };

	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (str_is(schema_text(tables, t->name), blocks[i][0]))
			return blocks[i][1];
	return NULL;
}

/* ---- a way through the types ---- */

static struct str next_part(struct str *rest)
{
	const char *dot = memchr(rest->p, '.', rest->n);
	struct str part = { rest->p, dot ? (size_t)(dot - rest->p) : rest->n };

	*rest = dot ? (struct str){ dot + 1, rest->n - part.n - 1 } : (struct str){ rest->p + rest->n, 0 };
	return part;
}

/* The type of the elements behind lists and maps; NULL for a scalar. */
static const struct schema_type *inner(const struct schema_ref *r)
{
	while (r->word == SCHEMA_LIST || r->word == SCHEMA_MAP)
		r = &tables->refs[r->of];
	return r->word == SCHEMA_OBJECT ? &tables->types[r->of] : NULL;
}

/* What the field was in versions where it was something else. */
static void other_forms(struct explain *e, const struct schema_type *t, const struct schema_field *f)
{
	for (size_t i = t->first; i < t->first + t->n; i++) {
		const struct schema_field *other = &tables->fields[i];
		if (other->name != f->name || told_before(t, i) || (other->ref == f->ref && other->required == f->required))
			continue;
		buf_z(e->out, "In ");
		schema_versions_text(versions_of(t, other), e->out);
		buf_z(e->out, ": ");
		schema_ref_text(tables, &tables->refs[other->ref], e->out);
		buf_z(e->out, other->required ? ", required\n" : ", not required\n");
	}
}

static void field(struct explain *e, const struct schema_type *t, const struct schema_field *f)
{
	struct str name = schema_text(tables, f->name), owner = last_part(schema_text(tables, t->name));
	const struct schema_type *below = inner(&tables->refs[f->ref]);
	const char *raw = raw_block(t);

	explain_next(e);
	buf_printf(e->out, "%.*s: ", STR_ARG(e->topic));
	schema_ref_text(tables, &tables->refs[f->ref], e->out);
	buf_printf(e->out, ", field of %.*s%s", STR_ARG(owner), f->required ? ", required" : "");
	versions(e, versions_of(t, f));
	other_forms(e, t, f);
	if (f->keys)
		buf_printf(e->out, "\nElements are told apart by %s.\n", tables->text + f->keys);
	if (raw)
		buf_printf(e->out, "\n  %s { %.*s = ... }\n", raw, STR_ARG(name));
	if (below) {
		buf_char(e->out, '\n');
		fields(e, below);
	}
}

static void no_field(struct explain *e, const struct schema_type *t, struct str name)
{
	struct suggest near;
	struct str owner = last_part(schema_text(tables, t->name));

	suggest_init(&near, e->arena, name);
	for (size_t i = t->first; i < t->first + t->n; i++)
		suggest_add(&near, schema_text(tables, tables->fields[i].name));
	struct str sentence = suggest_or_list(&near, "it has");
	explain_next(e);
	buf_printf(e->out, "%.*s has no field '%.*s'; ", STR_ARG(owner), STR_ARG(name));
	if (sentence.n)
		buf_str(e->out, sentence);
	else
		buf_printf(e->out, "'trainc explain %.*s' lists its fields", STR_ARG(owner));
	buf_char(e->out, '\n');
}

static void walk(struct explain *e, const struct schema_type *t, struct str rest)
{
	while (rest.n) {
		struct str name = next_part(&rest);
		const struct schema_field *f = schema_newest_field(tables, t, name);
		const struct schema_type *below = f ? inner(&tables->refs[f->ref]) : NULL;
		if (!f) {
			no_field(e, t, name);
			return;
		}
		if (!rest.n) {
			field(e, t, f);
			return;
		}
		if (!below) {
			explain_next(e);
			buf_printf(e->out, "'%.*s' is no object: nothing is below it\n", STR_ARG(name));
			return;
		}
		t = below;
	}
}

static void kind(struct explain *e, const struct schema_kind *k)
{
	const struct schema_type *t = &tables->types[k->type];

	explain_next(e);
	buf_printf(e->out, "%s: kind of Kubernetes, apiVersion %s, %s", tables->text + k->kind, tables->text + k->api_version,
		k->namespaced ? "in a namespace" : "in no namespace");
	versions(e, k->versions);
	buf_char(e->out, '\n');
	fields(e, t);
}

static void type(struct explain *e, const struct schema_type *t)
{
	const char *raw = raw_block(t);
	struct str name = schema_text(tables, t->name);

	explain_next(e);
	buf_printf(e->out, "%.*s: type of Kubernetes, %.*s", STR_ARG(last_part(name)), STR_ARG(name));
	versions(e, t->versions);
	if (raw)
		buf_printf(e->out, "\n  %s { ... }\n", raw);
	buf_char(e->out, '\n');
	fields(e, t);
}

/* v1 before v1beta1 before v1alpha1. */
static bool stabler(struct str a, struct str b)
{
	bool beta_a = memmem(a.p, a.n, "beta", 4) != NULL, beta_b = memmem(b.p, b.n, "beta", 4) != NULL;
	bool alpha_a = memmem(a.p, a.n, "alpha", 5) != NULL, alpha_b = memmem(b.p, b.n, "alpha", 5) != NULL;
	return alpha_a != alpha_b ? alpha_b : beta_a != beta_b ? beta_b : str_cmp(a, b) > 0;
}

/* A name that several API versions have means the most stable one. */
static const struct schema_kind *find_kind(struct explain *e, struct str name)
{
	const struct schema_kind *found = NULL;

	for (size_t i = 0; i < tables->nkinds; i++) {
		const struct schema_kind *k = &tables->kinds[i];
		suggest_add(&e->near, schema_text(tables, k->kind));
		if (str_eq(schema_text(tables, k->kind), name) &&
		    (!found || stabler(schema_text(tables, k->api_version), schema_text(tables, found->api_version))))
			found = k;
	}
	return found;
}

static const struct schema_type *find_type(struct explain *e, struct str name)
{
	const struct schema_type *found = NULL;

	for (size_t i = 0; i < tables->ntypes; i++) {
		struct str whole = schema_text(tables, tables->types[i].name);
		suggest_add(&e->near, last_part(whole));
		if (str_eq(last_part(whole), name) && (!found || stabler(whole, schema_text(tables, found->name))))
			found = &tables->types[i];
	}
	return found;
}

bool explain_schema(struct explain *e)
{
	struct str rest = e->topic, first = next_part(&rest);

	/* Names of Kubernetes begin with a capital letter, words of the language do not. */
	if (!first.n || first.p[0] < 'A' || first.p[0] > 'Z')
		return false;
	const struct schema_kind *k = find_kind(e, first);
	const struct schema_type *t = k ? &tables->types[k->type] : find_type(e, first);
	if (!t)
		return false;
	if (rest.n)
		walk(e, t, rest);
	else if (k)
		kind(e, k);
	else
		type(e, t);
	return true;
}
