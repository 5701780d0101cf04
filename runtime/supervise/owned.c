/* owned.c - builds requests from trees and names. */
#include "runtime/supervise/owned.h"

#include "data/data_write.h"
#include "runtime/cluster/discovery.h"
#include "runtime/status/look.h"

#define MANAGER "trainc-supervise"

/* The path of an object in the API. All kinds that a plan can need have regular plurals. */
static struct str object_path(struct arena *a, struct str api_version, struct str kind, struct str ns, struct str name)
{
	struct transport_place p = { .namespace = ns, .name = name };

	resource_split(api_version, &p.group, &p.version);
	p.plural = str_cat(a, str_lower(a, kind), STR("s"), STR(""));
	return transport_path(a, &p);
}

static struct str resource_place(struct arena *a, const struct supervised *j, const char *subresource)
{
	return transport_path(a, &(struct transport_place){ .group = str_of(j->kind->group),
		.version = str_of(j->kind->version),
		.plural = str_of(j->kind->plural), .namespace = j->ns, .name = j->name,
		.subresource = str_of(subresource) });
}

static const struct transport_pair *manager(struct arena *a)
{
	struct transport_pair *q = ARENA_NEW(a, struct transport_pair);

	*q = (struct transport_pair){ STR("fieldManager"), STR(MANAGER) };
	return q;
}

/* ---- owners ---- */

static void put_owner(struct buf *b, const struct supervised *j)
{
	buf_printf(b, "[{\"apiVersion\":\"%s/%s\",\"kind\":\"%s\",\"name\":", j->kind->group, j->kind->version,
		j->kind->kind);
	buf_json(b, j->name);
	buf_z(b, ",\"uid\":");
	buf_json(b, j->uid);
	buf_z(b, ",\"controller\":true,\"blockOwnerDeletion\":true}]");
}

static void put_metadata(struct buf *b, const struct supervised *j, const struct data *metadata)
{
	bool has_ns = false;

	buf_char(b, '{');
	for (size_t i = 0; i < metadata->u.map.n; i++) {
		has_ns = has_ns || str_is(metadata->u.map.at[i].key, "namespace");
		data_write_text(b, metadata->u.map.at[i].key);
		buf_char(b, ':');
		data_write(b, metadata->u.map.at[i].value);
		buf_char(b, ',');
	}
	if (!has_ns) {
		buf_z(b, "\"namespace\":");
		buf_json(b, j->ns);
		buf_char(b, ',');
	}
	buf_z(b, "\"ownerReferences\":");
	put_owner(b, j);
	buf_char(b, '}');
}

static struct str owned_body(struct arena *a, const struct supervised *j, const struct data *tree)
{
	struct buf b = { 0 };

	buf_char(&b, '{');
	for (size_t i = 0; i < tree->u.map.n; i++) {
		const struct data_member *m = &tree->u.map.at[i];
		buf_z(&b, i ? "," : "");
		data_write_text(&b, m->key);
		buf_char(&b, ':');
		if (str_is(m->key, "metadata"))
			put_metadata(&b, j, m->value);
		else
			data_write(&b, m->value);
	}
	buf_char(&b, '}');
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/* ---- requests ---- */

struct transport_request owned_create(struct arena *a, const struct supervised *j, const struct data *tree)
{
	return (struct transport_request){ .method = TRANSPORT_POST, .kind = TRANSPORT_WRITE, .query = manager(a),
		.nquery = 1,
		.path = object_path(a, status_text(tree, "apiVersion"), status_text(tree, "kind"), j->ns, STR("")),
		.body = owned_body(a, j, tree) };
}

struct transport_request owned_get(struct arena *a, const struct supervised *j, const struct data *tree)
{
	return (struct transport_request){ .path = object_path(a, status_text(tree, "apiVersion"),
		status_text(tree, "kind"), j->ns, status_text(tree, "metadata.name")) };
}

struct transport_request owned_get_pod(struct arena *a, const struct supervised *j, struct str name)
{
	return (struct transport_request){ .path = object_path(a, STR("v1"), STR("Pod"), j->ns, name) };
}

/* The options of a deletion that only deletes the object with that uid; MORE are further members. */
static struct str delete_options(struct arena *a, const char *more, struct str uid)
{
	struct buf b = { 0 };

	buf_printf(&b, "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",%s\"preconditions\":{\"uid\":", more);
	buf_json(&b, uid);
	buf_z(&b, "}}");
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

struct transport_request owned_drop(struct arena *a, const struct supervised *j, const struct data *tree,
	struct str uid)
{
	struct transport_request r = owned_get(a, j, tree);

	r.method = TRANSPORT_DELETE;
	r.kind = TRANSPORT_WRITE;
	r.body = delete_options(a, "", uid);
	return r;
}

struct transport_request owned_change(struct arena *a, const struct supervised *j, const struct data *tree,
	struct str uid, const char *key, struct str value)
{
	struct transport_request r = owned_get(a, j, tree);
	struct buf b = { 0 };

	r.method = TRANSPORT_PATCH;
	r.kind = TRANSPORT_WRITE;
	r.query = manager(a);
	r.nquery = 1;
	r.content_type = STR("application/merge-patch+json");
	buf_z(&b, "{\"metadata\":{\"uid\":");
	buf_json(&b, uid);
	buf_printf(&b, "},\"%s\":", key);
	buf_put(&b, value.p, value.n);
	buf_char(&b, '}');
	r.body = buf_take(&b, a);
	buf_release(&b);
	return r;
}

/* The API version of KIND, which is a kind of the objects of replicas. */
static struct str api_of(struct str kind) { return str_is(kind, "Job") ? STR("batch/v1") : STR("v1"); }

struct transport_request owned_adopt(struct arena *a, const struct supervised *j, struct str kind, struct str name,
	struct str uid)
{
	struct buf b = { 0 };

	buf_z(&b, "{\"metadata\":{\"uid\":");
	buf_json(&b, uid);
	buf_z(&b, ",\"ownerReferences\":");
	put_owner(&b, j);
	buf_z(&b, "}}");
	struct str body = buf_take(&b, a);
	buf_release(&b);
	return (struct transport_request){ .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE, .query = manager(a),
		.nquery = 1,
		.path = object_path(a, api_of(kind), kind, j->ns, name),
		.content_type = STR("application/merge-patch+json"), .body = body };
}

struct transport_request owned_delete(struct arena *a, const struct supervised *j, struct str kind, struct str name,
	struct str uid)
{
	return (struct transport_request){ .method = TRANSPORT_DELETE, .kind = TRANSPORT_WRITE,
		.path = object_path(a, api_of(kind), kind, j->ns, name),
		/* by default the pods of a Job would be left behind */
		.body = delete_options(a, str_is(kind, "Job") ? "\"propagationPolicy\":\"Background\"," : "", uid) };
}

struct transport_request resource_get(struct arena *a, const struct supervised *j)
{
	return (struct transport_request){ .path = resource_place(a, j, "") };
}

struct transport_request resource_patch(struct arena *a, const struct supervised *j, const char *subresource,
	struct str body)
{
	return (struct transport_request){ .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE, .query = manager(a),
		.nquery = 1,
		.path = resource_place(a, j, subresource), .content_type = STR("application/merge-patch+json"),
		.body = body };
}

struct transport_request resource_delete(struct arena *a, const struct supervised *j)
{
	return (struct transport_request){ .method = TRANSPORT_DELETE, .kind = TRANSPORT_WRITE,
		.path = resource_place(a, j, ""),
		.body = delete_options(a, "\"propagationPolicy\":\"Background\",", j->uid) };
}
