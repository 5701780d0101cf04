/*
 * wanted.c - turns the compiler's objects into the objects that are sent.
 */
#include "runtime/cluster/wanted.h"

#include <stdio.h>
#include <unistd.h>

#include "base/sha256.h"
#include "data/data_write.h"
#include "kube/workload.h"
#include "runtime/status/look.h"

const char *wanted_outcome_word(enum wanted_outcome o)
{
	static const char *const words[] = { "unchanged", "created", "configured", "adopted", "recreated", "failed",
		"skipped" };

	return words[o];
}

/* The stage of a kind: kinds that others wait for come before kinds that run programs. */
static enum wanted_stage stage_of(const struct emit_listed *o)
{
	static const char *const configuration[] = { "ServiceAccount", "ConfigMap", "Secret", "PersistentVolumeClaim",
		"PersistentVolume",
		"PriorityClass", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "ResourceQuota",
			"LimitRange", NULL };

	if (str_is(o->kind, "Namespace"))
		return STAGE_NAMESPACE;
	if (text_among(o->kind, configuration))
		return STAGE_CONFIGURATION;
	if (str_is(o->kind, "Service"))
		return STAGE_SERVICE;
	return o->whole || workload_named(o->kind) ? STAGE_WORKLOAD : STAGE_GANG;
}

static struct data *text_data(struct arena *a, struct str s)
{
	struct data *d = ARENA_NEW(a, struct data);

	*d = (struct data){ .kind = DATA_STRING, .u.string = s };
	return d;
}

static void put_member(struct arena *a, struct data *map, struct str key, struct data *value)
{
	for (size_t i = 0; i < map->u.map.n; i++)
		if (str_eq(map->u.map.at[i].key, key)) {
			map->u.map.at[i].value = value;
			return;
		}
	struct data_member m = { .key = key, .value = value };
	ARENA_PUSH(a, map->u.map.at, map->u.map.n, m);
}

/* Replaces the map under KEY of IN by a copy with room for more members, or by an empty map if IN has no such map. */
static struct data *own_map(struct arena *a, struct data *in, struct str key)
{
	const struct data *old = data_get(in, key);
	struct data *map = ARENA_NEW(a, struct data);

	map->kind = DATA_MAP;
	if (old && old->kind == DATA_MAP) {
		map->from = old->from;
		for (size_t i = 0; i < old->u.map.n; i++)
			ARENA_PUSH(a, map->u.map.at, map->u.map.n, old->u.map.at[i]);
	}
	put_member(a, in, key, map);
	return map;
}

void wanted_annotate(struct arena *a, struct data *object, struct str key, struct str value)
{
	put_member(a, own_map(a, own_map(a, object, STR("metadata")), STR("annotations")), key, text_data(a, value));
}

void wanted_own(struct arena *a, struct data *object, struct str owner, struct str uid)
{
	wanted_own_by(a, object, STR("v1"), STR("ConfigMap"), owner, uid);
}

void wanted_own_by(struct arena *a, struct data *object, struct str api_version, struct str kind, struct str owner,
	struct str uid)
{
	struct data *list = ARENA_NEW(a, struct data), *reference = ARENA_NEW(a, struct data);

	*reference = (struct data){ .kind = DATA_MAP };
	put_member(a, reference, STR("apiVersion"), text_data(a, api_version));
	put_member(a, reference, STR("kind"), text_data(a, kind));
	put_member(a, reference, STR("name"), text_data(a, owner));
	put_member(a, reference, STR("uid"), text_data(a, uid));
	*list = (struct data){ .kind = DATA_LIST };
	struct data *metadata = own_map(a, object, STR("metadata"));
	const struct data *others = data_get(metadata, STR("ownerReferences"));
	for (size_t i = 0; others && others->kind == DATA_LIST && i < others->u.list.n; i++)
		ARENA_PUSH(a, list->u.list.at, list->u.list.n, others->u.list.at[i]);
	ARENA_PUSH(a, list->u.list.at, list->u.list.n, reference);
	put_member(a, metadata, STR("ownerReferences"), list);
}

static struct str hash_of(struct arena *a, struct str text)
{
	char hex[65];

	sha256_hex(text, hex);
	return str_copy(a, (struct str){ hex, 16 });
}

/* Makes the object a member of the set and writes out its namespace. */
static void make_member(struct arena *a, struct wanted *w, struct str id)
{
	struct data *root = w->tree, *metadata = own_map(a, root, STR("metadata"));

	if (w->ns.n)
		put_member(a, metadata, STR("namespace"), text_data(a, w->ns));
	put_member(a, own_map(a, metadata, STR("labels")), STR(APPLYSET_PART_OF), text_data(a, id));
}

static struct wanted wanted_from(struct arena *a, const struct emit_listed *o, struct str ns, struct str id)
{
	struct wanted w = { .from = o, .tree = o->tree, .stage = stage_of(o), .stale = true };
	struct str written = status_text(o->tree, "metadata.namespace");

	resource_split(o->api_version, &w.resource.group, &w.resource.version);
	w.resource.kind = o->kind;
	w.resource.namespaced = !o->cluster_wide;
	if (!o->cluster_wide)
		w.ns = written.n ? written : ns;
	make_member(a, &w, id);
	w.hash = hash_of(a, wanted_body(a, &w));
	return w;
}

struct wanted_list wanted_of(struct arena *a, const struct plan *plan, const struct plan_job *j, struct str ns,
	struct str id)
{
	struct emit_listing *all = ARENA_NEW(a, struct emit_listing);
	struct wanted_list list = { .ns = ns };

	*all = emit_list(a, plan, j);
	list.at = ARENA_ARRAY(a, struct wanted, all->n);
	for (size_t i = 0; i < all->n; i++)
		list.at[list.n++] = wanted_from(a, &all->at[i], ns, id);
	return list;
}

struct wanted_list wanted_code_of(struct arena *a, const struct plan *plan, const struct plan_job *j, struct str ns)
{
	struct emit_listing *all = ARENA_NEW(a, struct emit_listing);
	struct wanted_list list = { .ns = ns };

	*all = emit_list_code(a, plan, j);
	list.at = ARENA_ARRAY(a, struct wanted, all->n);
	for (size_t i = 0; i < all->n; i++) {
		struct wanted *w = &list.at[list.n++];
		*w = (struct wanted){ .from = &all->at[i], .tree = all->at[i].tree, .ns = ns, .stale = true,
			.stage = STAGE_CONFIGURATION };
		w->resource = *resource_known(STR(""), STR("ConfigMap"));
		put_member(a, own_map(a, w->tree, STR("metadata")), STR("namespace"), text_data(a, ns));
	}
	return list;
}

/* ---- salt ---- */

bool wanted_has_salt(const struct wanted *w)
{
	return str_is(w->resource.kind, "Secret") && !w->resource.group.n && !w->from->generated.n;
}

/* 32 random hexadecimal digits; empty if the system has no random numbers. */
static struct str random_digits(struct arena *a)
{
	unsigned char bytes[16];
	char hex[2 * sizeof bytes + 1] = "";

	if (getentropy(bytes, sizeof bytes))
		return STR("");
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	return str_copy(a, (struct str){ hex, 2 * sizeof bytes });
}

void wanted_salt(struct arena *a, struct wanted *w, struct str salt)
{
	w->hash = STR("");
	if (!salt.n)
		salt = random_digits(a);
	if (!salt.n)
		return;
	put_member(a, own_map(a, own_map(a, w->tree, STR("metadata")), STR("annotations")), STR(WANTED_SALT),
		text_data(a, salt));
	w->hash = hash_of(a, wanted_body(a, w));
}

struct str wanted_digest(struct arena *a, const struct wanted_list *all)
{
	struct buf hashes = { 0 };

	for (size_t i = 0; i < all->n; i++) {
		const struct wanted *w = &all->at[i];
		buf_printf(&hashes, "%.*s %.*s %.*s %.*s\n", STR_ARG(w->from->kind), STR_ARG(w->ns),
			STR_ARG(w->from->name), STR_ARG(w->hash));
	}
	struct str digest = hash_of(a, buf_text(&hashes));
	buf_release(&hashes);
	return digest;
}

struct str wanted_goal(struct arena *a, const struct wanted_list *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (wanted_has_salt(&all->at[i]))
			return random_digits(a);
	return wanted_digest(a, all);
}

struct str wanted_body(struct arena *a, const struct wanted *w)
{
	struct buf b = { 0 };

	data_write(&b, w->tree);
	struct str body = buf_take(&b, a);
	buf_release(&b);
	return body;
}

struct str wanted_name(struct arena *a, const struct wanted_list *all, const struct wanted *w)
{
	if (w->ns.n && !str_eq(w->ns, all->ns))
		return str_printf(a, "%.*s/%.*s/%.*s", STR_ARG(w->from->kind), STR_ARG(w->ns), STR_ARG(w->from->name));
	return str_printf(a, "%.*s/%.*s", STR_ARG(w->from->kind), STR_ARG(w->from->name));
}

struct data *wanted_value(const struct wanted *w, const char *path)
{
	return (struct data *)(uintptr_t)status_path(w->tree, path);
}
