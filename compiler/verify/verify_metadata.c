/*
 * verify_metadata.c - checks names, labels and keys of the user's own objects. The schemas say that a name is a text,
 * but not which form it has: each kind has its own rule. Roles, certificates and addresses accept names that no other
 * kind does.
 */
#include "verify/verify.h"

#include "kube/limits.h"

static struct str object_group(const struct plan_object *o)
{
	struct str version = emit_data_text(o->data, "apiVersion");
	const char *slash = version.n ? memchr(version.p, '/', version.n) : NULL;

	return slash ? (struct str){ version.p, (size_t)(slash - version.p) } : STR("");
}

static bool takes_any_name(const struct plan_object *o)
{
	struct str group = object_group(o), kind = emit_data_text(o->data, "kind");

	return str_is(group, "rbac.authorization.k8s.io") || str_is(group, "certificates.k8s.io") ||
		str_is(kind, "IPAddress");
}

/* Must the object's name be a DNS label? It must for kinds whose names become part of host names. */
static bool takes_labels_only(const struct plan_object *o)
{
	struct str kind = emit_data_text(o->data, "kind");

	return !object_group(o).n && (str_is(kind, "Service") || str_is(kind, "Namespace"));
}

static void dns_label(struct checking *c, struct str name, const char *what, struct span at)
{
	if (kube_dns_label(name) && name.n <= LIMIT_LABEL)
		return;
	struct diag *d = diag_report(c->diags, TJ0802, at, "%s cannot be named '%.*s'", what,
		STR_ARG(check_short(c->arena, name)));
	diag_help(c->diags, d,
		"use lower case letters, digits and '-', with a letter or digit at both ends; at most 63");
}

/*
 * Does the name start with a digit, although it must start with a letter? This rule exists only for Services
 * (DNS-1035).
 */
static bool begins_wrong(const struct plan_object *o, struct str name)
{
	return str_is(emit_data_text(o->data, "kind"), "Service") && name.n && name.p[0] >= '0' && name.p[0] <= '9';
}

static void written_name(struct checking *c, const struct plan_object *o, const struct data *name)
{
	struct str what = str_printf(c->arena, "object '%.*s'", STR_ARG(o->name));

	if (begins_wrong(o, name->u.string))
		diag_help(c->diags, diag_report(c->diags, TJ0802, name->from, "%.*s cannot be named '%.*s'",
			STR_ARG(what), STR_ARG(check_short(c->arena, name->u.string))),
			"the name of a Service begins with a letter");
	else if (takes_labels_only(o))
		dns_label(c, name->u.string, what.p, name->from);
	else if (!takes_any_name(o))
		check_object_name(c, name->u.string, what.p, name->from);
}

static void given_name(struct checking *c, const struct plan_job *j, const struct plan_object *o)
{
	struct str name = emit_extra_name(c->arena, j, o);
	struct diag *d;

	if (takes_any_name(o))
		return;
	if (!kube_object_name(name)) {
		d = diag_report(c->diags, TJ0802, o->name_at,
			"object '%.*s' would be named '%.*s', which must end with a letter or digit",
			STR_ARG(check_short(c->arena, o->name)), STR_ARG(check_short(c->arena, name)));
		diag_help(c->diags, d,
			"in Kubernetes '_' becomes '-': choose another name, or write 'name' in 'metadata'");
	} else if (takes_labels_only(o) && name.n > LIMIT_LABEL) {
		d = diag_report(c->diags, TJ0801, o->name_at,
			"object '%.*s' would be named '%.*s': %zu characters; at most 63",
			STR_ARG(check_short(c->arena, o->name)), STR_ARG(check_short(c->arena, name)), name.n);
		diag_help(c->diags, d, "shorten it by %zu, or write 'name' in 'metadata'", name.n - LIMIT_LABEL);
	}
}

/* Reports generateName: it only has an effect on objects without a name, and these objects always have one. */
static void generated_name(struct checking *c, const struct plan_job *j, const struct plan_object *o,
	const struct data_member *m)
{
	struct str name = emit_extra_name(c->arena, j, o);
	struct diag *d = diag_report(c->diags, TJ0902, m->key_at,
		"'generateName' has no effect: object '%.*s' is named '%.*s'",
		STR_ARG(check_short(c->arena, o->name)), STR_ARG(check_short(c->arena, name)));

	diag_help(c->diags, d, "remove it; for another name write 'name'");
}

static void verify_pairs(struct checking *c, const struct data *map, const char *what, bool values)
{
	struct plan_pairs found = { 0 };

	if (!map || map->kind != DATA_MAP)
		return;
	found.at = ARENA_ARRAY(c->arena, struct plan_pair, map->u.map.n);
	for (size_t i = 0; i < map->u.map.n; i++) {
		const struct data_member *m = &map->u.map.at[i];
		if (m->value->kind == DATA_STRING)      /* TJ0904 reports all other kinds */
			found.at[found.n++] = (struct plan_pair){ m->key, m->value->u.string, m->value->from,
				m->key_at };
	}
	check_pairs(c, NULL, &found, what, values);
}

static void data_keys(struct checking *c, const struct plan_object *o)
{
	static const char *const fields[] = { "data", "binaryData", "stringData" };
	struct str kind = emit_data_text(o->data, "kind");
	bool config = str_is(kind, "ConfigMap");

	if (object_group(o).n || (!config && !str_is(kind, "Secret")))
		return;
	for (int f = 0; f < 3; f++) {
		const struct data *map = data_get(o->data, str_of(fields[f]));
		for (size_t i = 0; map && map->kind == DATA_MAP && i < map->u.map.n; i++)
			check_data_key(c, map->u.map.at[i].key, config ? "a ConfigMap" : "a Secret",
				map->u.map.at[i].key_at);
	}
}

void check_metadata(struct checking *c, const struct plan_job *j, const struct plan_object *o)
{
	const struct data *metadata = data_get(o->data, STR("metadata"));

	if (!data_get(metadata, STR("name")))
		given_name(c, j, o);
	data_keys(c, o);
	for (size_t i = 0; metadata && metadata->kind == DATA_MAP && i < metadata->u.map.n; i++) {
		const struct data_member *m = &metadata->u.map.at[i];
		bool text = m->value->kind == DATA_STRING;
		if (str_is(m->key, "labels"))
			verify_pairs(c, m->value, "label", true);
		else if (str_is(m->key, "annotations"))
			verify_pairs(c, m->value, "annotation", false);
		else if (str_is(m->key, "name") && text)
			written_name(c, o, m->value);
		else if (str_is(m->key, "namespace") && text && m->value->u.string.n)
			dns_label(c, m->value->u.string, "a namespace", m->value->from);
		else if (str_is(m->key, "generateName") && text)
			generated_name(c, j, o, m);
	}
}
