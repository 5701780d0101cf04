/*
 * discovery.c - finds kinds, their plurals and their scopes on the server.
 */
#include "runtime/cluster/discovery.h"

#include "runtime/status/look.h"

/* ---- reading answers ---- */

static void add_resource(struct discovery *d, struct resource r)
{
	r = (struct resource){ str_copy(d->arena, r.group), str_copy(d->arena, r.version), str_copy(d->arena, r.kind),
		str_copy(d->arena, r.plural), r.namespaced };
	ARENA_PUSH(d->arena, d->at, d->n, r);
}

/* Reads one group of an APIGroupDiscoveryList. */
static void read_group(struct discovery *d, const struct data *group)
{
	const struct data *versions = status_list(group, "versions");

	for (size_t i = 0; i < versions->u.list.n; i++) {
		const struct data *version = versions->u.list.at[i], *list = status_list(version, "resources");
		for (size_t k = 0; k < list->u.list.n; k++) {
			const struct data *o = list->u.list.at[k];
			add_resource(d, (struct resource){ status_text(group, "metadata.name"), status_text(version,
				"version"),
				status_text(o, "responseKind.kind"), status_text(o, "resource"), str_is(status_text(o,
					"scope"), "Namespaced") });
		}
	}
}

/* Reads an APIResourceList, the form of older servers. */
static void read_resources(struct discovery *d, struct str group, struct str version, const struct data *doc)
{
	const struct data *list = status_list(doc, "resources");

	for (size_t i = 0; i < list->u.list.n; i++) {
		const struct data *o = list->u.list.at[i];
		struct str name = status_text(o, "name");
		if (!memchr(name.p, '/', name.n))       /* a name with '/' is a subresource */
			add_resource(d, (struct resource){ group, version, status_text(o, "kind"), name,
				status_true(o, "namespaced") });
	}
}

/* Requests all kinds at once. A server that does not have the aggregated document answers in another form. */
static void ask_for_all(struct discovery *d)
{
	static const char *const paths[] = { "/apis", "/api" };
	struct batch b = batch_new(d->client, d->arena);

	d->asked = true;
	for (size_t i = 0; i < 2; i++)
		batch_add(&b, &(struct transport_request){ .method = TRANSPORT_GET, .kind = TRANSPORT_LIST,
			.path = str_of(paths[i]),
			.accept = STR("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
				"application/json") }, CALL_BY_METHOD);
	batch_wait(&b);
	for (size_t i = 0; i < b.n; i++) {
		const struct data *items = b.answers[i]->data ? status_list(b.answers[i]->data, "items") : NULL;
		if (b.answers[i]->class != CALL_DONE && !d->failed)
			d->failed = b.answers[i];
		if (!items || !str_is(status_text(b.answers[i]->data, "kind"), "APIGroupDiscoveryList"))
			continue;
		d->aggregated = true;
		for (size_t k = 0; k < items->u.list.n; k++)
			read_group(d, items->u.list.at[k]);
	}
}

static const struct resource *find_resource(const struct discovery *d, struct str group, struct str version,
	struct str kind)
{
	for (size_t i = 0; i < d->n; i++)
		if (str_eq(d->at[i].group, group) && str_eq(d->at[i].version, version) && str_eq(d->at[i].kind, kind))
			return &d->at[i];
	return NULL;
}

const struct resource *discovery_find(struct discovery *d, struct str api_version, struct str kind)
{
	struct str group, version;
	const struct resource *r;

	resource_split(api_version, &group, &version);
	r = resource_known(group, kind);
	if (r && str_eq(r->version, version))
		return r;
	if (!d->asked)
		ask_for_all(d);
	r = find_resource(d, group, version, kind);
	if (r || d->aggregated)
		return r;
	struct transport_place p = { .group = group, .version = version };
	struct answer *x = request_get(d->client, d->arena, transport_path(d->arena, &p));
	if (x->class == CALL_DONE && x->data)
		read_resources(d, group, version, x->data);
	else if (x->class != CALL_NOT_FOUND && !d->failed)
		d->failed = x;
	return find_resource(d, group, version, kind);
}

const struct resource *discovery_any(struct discovery *d, struct str group, struct str kind)
{
	if (!d->asked)
		ask_for_all(d);
	for (size_t i = 0; i < d->n; i++)       /* the server lists the preferred version first */
		if (str_eq(d->at[i].group, group) && str_eq(d->at[i].kind, kind))
			return &d->at[i];
	return NULL;
}

bool discovery_has_group(const struct discovery *d, struct str group)
{
	for (size_t i = 0; i < d->n; i++)
		if (str_eq(d->at[i].group, group))
			return true;
	return false;
}
