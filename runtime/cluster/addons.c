/*
 * addons.c - finds the versions of add-ons that a cluster has, for `vendor addons`. There are two sources: the
 * controller (the tag of its image, or the version label of its Deployment), and the fields in the definitions. The
 * definitions decide which fields the API server keeps, so they take precedence if both sources differ. Definitions may
 * be older than the controller, because reinstalling a chart leaves old definitions in place.
 */
#include "runtime/cluster/cluster.h"

#include "kube/addon.h"
#include "runtime/status/look.h"

#define TEXT(literal) { literal, sizeof(literal) - 1 }

struct addon_witness {
	unsigned controller;            /* version of the controller's image; 0: unknown */
	struct str deployment;          /* NAMESPACE/NAME of the controller's Deployment; empty: no Deployment was
					 * found */
	unsigned lowest, highest;       /* range of versions with the same fields as the cluster's definitions; 0: no
					 * such version is known */
	bool defined, matched;          /* DEFINED: the cluster has definitions of the add-on. MATCHED: the definitions
					 * have the fields of a known version */
};

/* ---- controllers ---- */

/* Reads "v0.18.3" or "0.18.3-rc.1" as 0.18; 0 for a tag that is not a version. */
static unsigned version_of(struct str tag)
{
	size_t n = 0, dots = 0;
	unsigned version = 0;

	if (str_starts(tag, STR("v")))
		tag = (struct str){ tag.p + 1, tag.n - 1 };
	while (n < tag.n && ((tag.p[n] >= '0' && tag.p[n] <= '9') || (tag.p[n] == '.' && ++dots < 2)))
		n++;
	return addon_parse((struct str){ tag.p, n }, &version) ? version : 0;
}

/*
 * The tag of an image such as "registry/path/kueue:v0.18.3@sha256:..." if its name is NAME ("kueue"); false for other
 * images.
 */
static bool image_tag(struct str image, const char *name, struct str *ret)
{
	const char *at = image.n ? memchr(image.p, '@', image.n) : NULL;
	const char *end = at ? at : image.p + image.n, *last = image.p, *colon;

	for (const char *p = image.p; p < end; p++)
		if (*p == '/')
			last = p + 1;
	colon = end > last ? memchr(last, ':', (size_t)(end - last)) : NULL;
	*ret = colon ? (struct str){ colon + 1, (size_t)(end - colon - 1) } : STR("");
	return str_is((struct str){ last, (size_t)((colon ? colon : end) - last) }, name);
}

static void look_at_deployment(struct arena *a, const struct member *m, struct addon_witness *all)
{
	const struct data *containers = status_list(m->object, "spec.template.spec.containers");
	struct str tag;

	for (size_t i = 0; i < containers->u.list.n; i++)
		for (size_t k = 0; k < ADDONS; k++) {
			struct str image = status_text(containers->u.list.at[i], "image");
			if (all[k].controller || !image_tag(image, addon_row((enum addon)k)->image, &tag))
				continue;
			all[k].controller = version_of(tag);
			if (!all[k].controller)
				all[k].controller = version_of(status_label(m->object, "app.kubernetes.io/version"));
			all[k].deployment = str_printf(a, "%.*s/%.*s", STR_ARG(m->ns), STR_ARG(m->name));
		}
}

static bool find_controllers(struct cluster *k, struct addon_witness *all, int *ret_status)
{
	static const char *const keep[] = { "metadata.name", "metadata.namespace", "metadata.labels",
		"spec.template.spec.containers.image", NULL };
	struct member_query q = { .resource = { TEXT("apps"), TEXT("v1"), TEXT("Deployment"), TEXT("deployments"),
		true }, .keep = keep };
	struct members found = members_list(&k->client, k->arena, &q, 1);

	if (found.failed) {
		*ret_status = cluster_say(k, found.failed);
		return false;
	}
	for (size_t i = 0; i < found.n; i++)
		look_at_deployment(k->arena, &found.at[i], all);
	return true;
}

/* ---- definitions ---- */

static const struct data *schema_of(const struct data *definition, struct str version)
{
	const struct data *versions = status_list(definition, "spec.versions");

	for (size_t i = 0; i < versions->u.list.n; i++)
		if (str_eq(status_text(versions->u.list.at[i], "name"), version))
			return status_path(versions->u.list.at[i], "schema.openAPIV3Schema");
	return NULL;
}

static bool has_word(const struct data *schema, const char *word)
{
	const struct data *words = status_list(schema, "enum");

	for (size_t i = 0; i < words->u.list.n; i++)
		if (words->u.list.at[i]->kind == DATA_STRING && str_is(words->u.list.at[i]->u.string, word))
			return true;
	return false;
}

/* Does the schema contain the field that a row of addons.def names? */
static bool has_field(const struct data *schema, const char *path)
{
	while (schema && *path && *path != '=') {
		size_t n = strcspn(path, ".=");
		const struct data *items = status_path(schema, "items");
		const struct data *members = status_path(items ? items : schema, "properties");
		schema = members && members->kind == DATA_MAP ? data_get(members, (struct str){ path, n }) : NULL;
		path += n + (path[n] == '.');
	}
	return schema && (*path != '=' || has_word(schema, path + 1));
}

/* Narrows the range of versions by the fields that the definition of KIND has. */
static void judge_kind(enum addon addon, const char *kind, const struct data *schema, bool *possible)
{
	const struct addon_row *row = addon_row(addon);
	const struct addon_field *f;

	for (size_t i = 0; (f = addon_field_at(i)); i++) {
		if (f->addon != addon || strcmp(f->kind, kind) != 0)
			continue;
		bool has = has_field(schema, f->path);
		for (unsigned v = row->oldest; v <= row->newest; v++)
			possible[v - row->oldest] &= addon_has(f, v) == has;
	}
}

/* Is row I the first row about this kind? */
static bool is_first(const struct addon_field *f, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (addon_field_at(k)->addon == f->addon && strcmp(addon_field_at(k)->kind, f->kind) == 0)
			return false;
	return true;
}

static bool judge_definitions(struct cluster *k, enum addon addon, struct addon_witness *w, int *ret_status)
{
	static const struct resource definitions = { TEXT("apiextensions.k8s.io"), TEXT("v1"),
		TEXT("CustomResourceDefinition"), TEXT("customresourcedefinitions"), false };
	const struct addon_row *row = addon_row(addon);
	bool *possible = ARENA_ARRAY(k->arena, bool, row->newest - row->oldest + 1);
	const struct addon_field *f;

	memset(possible, true, row->newest - row->oldest + 1);
	for (size_t i = 0; (f = addon_field_at(i)); i++) {
		if (f->addon != addon || !is_first(f, i))
			continue;
		const struct resource *r = discovery_any(&k->discovery, str_of(row->group), str_of(f->kind));
		if (!r)
			continue;
		struct str name = str_printf(k->arena, "%.*s.%.*s", STR_ARG(r->plural), STR_ARG(r->group));
		const struct answer *x = request_get(&k->client, k->arena,
			resource_path(k->arena, &definitions, STR(""), name));
		if (x->class != CALL_DONE || !x->data) {
			*ret_status = cluster_say(k, x);
			return false;
		}
		w->defined = true;
		judge_kind(addon, f->kind, schema_of(x->data, r->version), possible);
	}
	for (unsigned v = row->oldest; w->defined && v <= row->newest; v++) {
		if (!possible[v - row->oldest])
			continue;
		w->matched = true;
		w->highest = v;
		if (!w->lowest)
			w->lowest = v;
	}
	return true;
}

/* ---- both sources together ---- */

static struct addon_found weigh(struct arena *a, enum addon addon, const struct addon_witness *w)
{
	const char *title = addon_row(addon)->title;
	struct addon_found f = { .version = w->controller };

	f.source = w->deployment.n ? str_printf(a, "Deployment %.*s", STR_ARG(w->deployment)) :
		w->defined ? STR("its definitions") : STR("");
	if (!w->matched || (w->controller >= w->lowest && w->controller <= w->highest))
		return f;
	f.version = w->lowest;
	if (w->controller)
		f.warning = str_printf(a, "the definitions of %s in the cluster are those of %.*s, its controller is "
			"%.*s; the definitions decide which fields are kept", title,
			STR_ARG(addon_text(a, w->lowest)), STR_ARG(addon_text(a, w->controller)));
	f.source = STR("its definitions");
	return f;
}

bool cluster_addons(struct session *s, struct addon_found *ret, int *ret_status)
{
	struct cluster *k = cluster_of(s);
	struct addon_witness all[ADDONS] = { 0 };

	if (!find_controllers(k, all, ret_status))
		return false;
	for (size_t i = 0; i < ADDONS; i++) {
		if (!judge_definitions(k, (enum addon)i, &all[i], ret_status))
			return false;
		ret[i] = weigh(k->arena, (enum addon)i, &all[i]);
	}
	return true;
}
