/* crd.c - turns CustomResourceDefinitions into schemas. */
#include "kube/crd.h"

#include "base/map.h"
#include "kube/schema.h"

struct crd {
	struct arena *arena;
	struct buf *out;
	struct str prefix;              /* prefix of the names of the definition's types: "jobset.x-k8s.io.v1alpha2." */
	unsigned depth;
};

enum { DEEPEST = 64 };

static struct str crd_text(const struct data *d, const char *key)
{
	const struct data *v = d && d->kind == DATA_MAP ? data_get(d, str_of(key)) : NULL;

	return v && v->kind == DATA_STRING ? v->u.string : STR("");
}

static const struct data *map_of(const struct data *d, const char *key)
{
	const struct data *v = d && d->kind == DATA_MAP ? data_get(d, str_of(key)) : NULL;

	return v && v->kind == DATA_MAP ? v : NULL;
}

static bool is_true(const struct data *d, const char *key)
{
	const struct data *v = data_get(d, str_of(key));

	return v && v->kind == DATA_BOOL && v->u.boolean;
}

bool crd_is(const struct data *document)
{
	return str_is(crd_text(document, "kind"), "CustomResourceDefinition");
}

/* ---- recognizing types that Kubernetes defines ---- */

static bool requires(const struct data *schema, struct str name)
{
	const struct data *list = data_get(schema, STR("required"));

	for (size_t i = 0; list && list->kind == DATA_LIST && i < list->u.list.n; i++)
		if (list->u.list.at[i]->kind == DATA_STRING && str_eq(list->u.list.at[i]->u.string, name))
			return true;
	return false;
}

/*
 * Are the properties of SCHEMA fields of the type of field F? This tells objects of two kinds apart: they have the
 * same fields at the top and differ only within `spec`.
 */
static bool holds_fields(const struct schema_field *f, const struct data *schema)
{
	const struct schema_ref *r = &schema_builtin.refs[f->ref];
	const struct data *properties = map_of(schema, "properties");

	for (size_t i = 0; properties && r->word == SCHEMA_OBJECT && i < properties->u.map.n; i++)
		if (!schema_newest_field(&schema_builtin, &schema_builtin.types[r->of], properties->u.map.at[i].key))
			return false;
	return true;
}

/*
 * Is SCHEMA the type T of Kubernetes? All properties of SCHEMA must be fields of T, it must have most of the fields
 * of T, and both must require the same fields.
 */
static bool is_core_type(const struct schema_type *t, const struct data *schema, const struct data *properties)
{
	size_t known = 0;

	for (size_t i = 0; i < properties->u.map.n; i++) {
		struct str name = properties->u.map.at[i].key;
		const struct schema_field *f = schema_newest_field(&schema_builtin, t, name);
		if (!f || (f->required != 0) != requires(schema, name) ||
		    !holds_fields(f, properties->u.map.at[i].value))
			return false;
	}
	for (size_t i = t->first; i < t->first + t->n; i++)
		known += i == t->first || schema_builtin.fields[i].name != schema_builtin.fields[i - 1].name;
	return properties->u.map.n * 10 >= known * 7;
}

static struct str builtin_type(const struct data *schema, const struct data *properties)
{
	if (map_of(map_of(map_of(properties, "spec"), "properties"), "containers"))
		return STR("core.v1.PodTemplateSpec");
	if (map_of(properties, "containers") && map_of(properties, "volumes"))
		return STR("core.v1.PodSpec");
	for (size_t i = 0; properties->u.map.n >= 3 && i < schema_builtin.ntypes; i++) {
		struct str name = schema_text(&schema_builtin, schema_builtin.types[i].name);
		if ((str_starts(name, STR("core.v1.")) || str_starts(name, STR("meta.v1.")) ||
		    str_starts(name, STR("batch.v1."))) && is_core_type(&schema_builtin.types[i], schema, properties))
			return name;
	}
	return STR("");
}

/* ---- converting JSON schemas to the words for types ---- */

static void type(struct crd *c, struct str name, const struct data *schema, bool root);

/*
 * Returns the word for the type of a value. Types that the value needs are written first; NAME is the name for its
 * own type.
 */
static struct str crd_word(struct crd *c, const struct data *schema, struct str name)
{
	struct str kind = crd_text(schema, "type");
	const struct data *properties = map_of(schema, "properties"), *items = map_of(schema, "items"),
		*more = map_of(schema, "additionalProperties");

	if (is_true(schema, "x-kubernetes-int-or-string"))
		return STR("int-or-string");
	if (str_is(kind, "string"))
		return str_is(crd_text(schema, "format"), "date-time") ? STR("time")
			: str_is(crd_text(schema, "format"), "byte") ? STR("bytes") : STR("string");
	if (str_is(kind, "integer") || str_is(kind, "boolean") || str_is(kind, "number"))
		return str_is(kind, "integer") ? STR("int") : str_is(kind, "boolean") ? STR("bool") : STR("number");
	if (c->depth >= DEEPEST || is_true(schema, "x-kubernetes-preserve-unknown-fields") ||
	    is_true(schema, "x-kubernetes-embedded-resource"))
		return STR("any");
	c->depth++;
	struct str result = STR("any");
	if (str_is(kind, "array") && items)
		result = str_cat(c->arena, STR("[]"), crd_word(c, items, name), STR(""));
	else if (more && !properties)
		result = str_cat(c->arena, STR("{}"), crd_word(c, more, name), STR(""));
	else if (properties && properties->u.map.n) {
		result = builtin_type(schema, properties);
		if (!result.n) {
			type(c, name, schema, false);
			result = str_cat(c->arena, c->prefix, name, STR(""));
		}
	}
	c->depth--;
	return result;
}

/* Makes the name of a property's type: property "jobs" of "JobSetSpec" gives JobSetSpecJobs. */
static struct str property_name(struct crd *c, struct str name, struct str property)
{
	char *copy = arena_copy(c->arena, property.p, property.n);

	if (property.n && copy[0] >= 'a' && copy[0] <= 'z')
		copy[0] = (char)(copy[0] - 'a' + 'A');
	return str_cat(c->arena, name, (struct str){ copy, property.n }, STR(""));
}

static void keys(struct buf *out, const struct data *list)
{
	for (size_t i = 0; list && list->kind == DATA_LIST && i < list->u.list.n; i++)
		if (list->u.list.at[i]->kind == DATA_STRING)
			buf_printf(out, "%s%.*s", i ? "," : "", STR_ARG(list->u.list.at[i]->u.string));
}

/* Writes " enum=red,blue", if all values are plain words. */
static void put_enum_words(struct buf *out, const struct data *list)
{
	size_t before = out->n;

	for (size_t i = 0; list && list->kind == DATA_LIST && i < list->u.list.n; i++) {
		const struct data *d = list->u.list.at[i];
		bool plain = d->kind == DATA_STRING && d->u.string.n;
		for (size_t k = 0; plain && k < d->u.string.n; k++)
			plain = d->u.string.p[k] > ' ' && d->u.string.p[k] != ',' && d->u.string.p[k] != 0x7f;
		if (!plain) {
			out->n = before;
			return;
		}
		buf_printf(out, "%s%.*s", i ? "," : " enum=", STR_ARG(d->u.string));
	}
}

/* Writes " length=1..63": the bounds that SCHEMA has under the keys LEAST and MOST, if any. */
static void put_bounds(struct buf *out, const struct data *schema, const char *prefix, const char *word,
	const char *least, const char *most)
{
	const struct data *low = data_get(schema, str_of(least)), *high = data_get(schema, str_of(most));
	bool lower = low && low->kind == DATA_INT, upper = high && high->kind == DATA_INT;

	if (!lower && !upper)
		return;
	buf_printf(out, " %s%s=", prefix, word);
	if (lower)
		buf_printf(out, "%lld", (long long)low->u.integer);
	buf_z(out, "..");
	if (upper)
		buf_printf(out, "%lld", (long long)high->u.integer);
}

/* Writes what SCHEMA says about a value besides its type: see schema_limits.h. */
static void put_limits(struct buf *out, const struct data *schema, const char *prefix)
{
	struct str pattern = crd_text(schema, "pattern"), kind = crd_text(schema, "type");
	bool text = str_is(kind, "string") && !crd_text(schema, "format").n;

	if ((str_is(kind, "integer") || str_is(kind, "number")) && !is_true(schema, "exclusiveMinimum") &&
		!is_true(schema, "exclusiveMaximum"))
		put_bounds(out, schema, prefix, "range", "minimum", "maximum");
	if (text)
		put_bounds(out, schema, prefix, "length", "minLength", "maxLength");
	if (str_is(kind, "array"))
		put_bounds(out, schema, prefix, "items", "minItems", "maxItems");
	if (str_is(kind, "object"))
		put_bounds(out, schema, prefix, "members", "minProperties", "maxProperties");
	if (!text || !pattern.n || memchr(pattern.p, ' ', pattern.n) || memchr(pattern.p, '\n', pattern.n))
		return;
	buf_printf(out, " %spattern=%.*s", prefix, STR_ARG(pattern));
}

static bool is_crd_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] == 0x7f)
			return false;
	return s.n && s.p[0] != '-';
}

static void put_crd_field(struct buf *out, const struct data *schema, struct str name, const struct data *value,
	struct str of)
{
	struct str list = crd_text(value, "x-kubernetes-list-type"), map = crd_text(value, "x-kubernetes-map-type");

	buf_printf(out, "\t%.*s %.*s", STR_ARG(name), STR_ARG(of));
	/*
	 * a field with a default is never missing: the API server sets the default before it checks for missing fields
	 */
	if (requires(schema, name) && !data_get(value, STR("default")))
		buf_z(out, " required");
	if (str_is(list, "map")) {
		buf_z(out, " map=");
		keys(out, data_get(value, STR("x-kubernetes-list-map-keys")));
	} else if (str_is(list, "set") || str_is(list, "atomic") || str_is(map, "atomic")) {
		buf_printf(out, " %s", str_is(list, "set") ? "set" : "atomic");
	}
	if (str_is(of, "string"))
		put_enum_words(out, data_get(value, STR("enum")));
	put_limits(out, value, "");
	const struct data *each = map_of(value, "items");
	if (!each)
		each = map_of(value, "additionalProperties");
	if (each)
		put_limits(out, each, "each.");
	buf_char(out, '\n');
}

/* Writes the fields that every object has, even if its definition does not list them. */
static void object_fields(struct buf *out, const struct data *properties)
{
	static const char *const fields[][2] = { { "apiVersion", "string" }, { "kind", "string" },
		{ "metadata", "meta.v1.ObjectMeta" } };

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (!data_get(properties, str_of(fields[i][0])))
			buf_printf(out, "\t%s %s\n", fields[i][0], fields[i][1]);
}

static void type(struct crd *c, struct str name, const struct data *schema, bool root)
{
	const struct data *properties = map_of(schema, "properties");
	struct buf lines = { 0 };

	for (size_t i = 0; i < properties->u.map.n; i++) {
		const struct data_member *m = &properties->u.map.at[i];
		if (m->value->kind != DATA_MAP || !is_crd_name(m->key))
			continue;
		if (root && str_is(m->key, "metadata"))
			buf_z(&lines, "\tmetadata meta.v1.ObjectMeta\n");
		else
			put_crd_field(&lines, schema, m->key, m->value,
				crd_word(c, m->value, property_name(c, name, m->key)));
	}
	if (root)
		object_fields(&lines, properties);
	buf_printf(c->out, "type %.*s%.*s\n", STR_ARG(c->prefix), STR_ARG(name));
	buf_str(c->out, buf_text(&lines));
	buf_release(&lines);
}

/* ---- the definition ---- */

static bool refuse_crd(struct crd_error *error, const struct data *at, const char *what)
{
	*error = (struct crd_error){ at->from, str_of(what) };
	return false;
}

static bool version(struct crd *c, const struct data *crd, const struct data *v, struct crd_error *error)
{
	const struct data *spec = map_of(crd, "spec"), *schema = map_of(map_of(v, "schema"), "openAPIV3Schema");
	struct str group = crd_text(spec, "group"), kind = crd_text(map_of(spec, "names"), "kind"),
		name = crd_text(v, "name");

	if (!is_crd_name(name))
		return refuse_crd(error, v, "a version of a CustomResourceDefinition needs 'name'");
	if (!schema || !map_of(schema, "properties"))
		return refuse_crd(error, v,
			"a version of a CustomResourceDefinition needs 'schema.openAPIV3Schema' with properties");
	c->prefix = str_printf(c->arena, "%.*s.%.*s.", STR_ARG(group), STR_ARG(name));
	buf_printf(c->out, "kind %.*s/%.*s %.*s %s %.*s%.*s\n", STR_ARG(group), STR_ARG(name), STR_ARG(kind),
		str_is(crd_text(spec, "scope"), "Cluster") ? "cluster" : "namespaced", STR_ARG(c->prefix),
		STR_ARG(kind));
	type(c, kind, schema, true);
	return true;
}

bool crd_schema(struct arena *a, const struct data *crd, struct buf *out, struct crd_error *error)
{
	const struct data *spec = map_of(crd, "spec"), *versions = spec ? data_get(spec, STR("versions")) : NULL;
	struct crd c = { .arena = a, .out = out };
	size_t before = out->n, served = 0;
	bool ok = true;

	if (!crd_is(crd))
		return refuse_crd(error, crd, "this is not a CustomResourceDefinition");
	if (!spec || !is_crd_name(crd_text(spec, "group")) || !is_crd_name(crd_text(map_of(spec, "names"), "kind")))
		return refuse_crd(error, crd, "a CustomResourceDefinition needs 'spec.group' and 'spec.names.kind'");
	if (!versions || versions->kind != DATA_LIST)
		return refuse_crd(error, spec, "a CustomResourceDefinition needs 'spec.versions'; one of "
			"apiextensions.k8s.io/v1beta1 has to be converted first");
	for (size_t i = 0; ok && i < versions->u.list.n; i++) {
		const struct data *v = versions->u.list.at[i];
		if (v->kind != DATA_MAP || !is_true(v, "served"))
			continue;
		served++;
		ok = version(&c, crd, v, error);
	}
	if (ok && !served)
		ok = refuse_crd(error, versions, "no version of this CustomResourceDefinition is served");
	if (!ok)
		out->n = before;
	return ok;
}
