/*
 * apply_code_old.c - removes the ConfigMaps with earlier code of a run, once every object of the run has the new code.
 * One that another run shares loses only this run as its owner.
 */
#include "runtime/cluster/apply.h"

#include "runtime/status/look.h"

/* Does the record of the run name the object, as it was or as it is now? No other run has an object of its name. */
static bool is_object_of(const struct applying *p, struct str kind, struct str name)
{
	const struct parent *both[] = { &p->before, &p->now };

	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < both[i]->napplied; k++)
			if (str_eq(both[i]->applied[k].name, name) && str_eq(both[i]->applied[k].resource.kind, kind))
				return true;
	return false;
}

/* Does another run need the ConfigMap? */
static bool is_shared(const struct applying *p, const struct data *map)
{
	const struct data *owners = status_list(map, "metadata.ownerReferences");

	for (size_t i = 0; i < owners->u.list.n; i++) {
		const struct data *o = owners->u.list.at[i];
		if (!str_eq(status_text(o, "uid"), p->before.uid) &&
			!is_object_of(p, status_text(o, "kind"), status_text(o, "name")))
			return true;
	}
	return false;
}

static bool is_needed(const struct applying *p, const struct member *m)
{
	for (size_t i = 0; i < p->code.n; i++)
		if (str_eq(p->code.at[i].from->name, m->name))
			return true;
	return !status_owned_by(m->object, p->before.uid);
}

/* Adds the request that takes this run from the owners: it applies no field, as the manager that had set them. */
static struct answer *add_release(struct applying *p, struct batch *b, const struct member *m)
{
	struct transport_pair *query = ARENA_NEW(p->arena, struct transport_pair);

	*query = (struct transport_pair){ STR("fieldManager"), apply_code_manager(p) };
	return batch_add(b, &(struct transport_request){ .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE,
		.path = resource_path(p->arena, &m->resource, m->ns, m->name), .query = query, .nquery = 1,
		.content_type = STR("application/apply-patch+yaml"), .body = str_printf(p->arena,
		"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%.*s\",\"uid\":\"%.*s\"}}",
		STR_ARG(m->name), STR_ARG(m->uid)) }, CALL_BY_METHOD);
}

/* Removes what no run needs of the ConfigMaps of ALL. What somebody else changes meanwhile stays. */
static void remove_earlier(struct applying *p, const struct members *all)
{
	struct batch b = batch_new(&p->cluster->client, p->arena);
	struct answer **answers = ARENA_ARRAY(p->arena, struct answer *, all->n);

	for (size_t i = 0; i < all->n; i++) {
		const struct member *m = &all->at[i];
		if (is_needed(p, m))
			continue;
		if (is_shared(p, m->object))
			add_release(p, &b, m);
		else
			answers[i] = cluster_add_deletion(p->cluster, &b, m, false);
	}
	if (b.n)
		batch_wait(&b);
	for (size_t i = 0; i < all->n; i++)
		if (answers[i] && answers[i]->class == CALL_DONE)
			apply_tell(p, str_cat(p->arena, STR("ConfigMap/"), all->at[i].name, STR("")), "deleted");
}

/* Did the run have other code before, so that there may be ConfigMaps that it does not need any more? */
static bool had_other_code(const struct applying *p)
{
	return p->before.there && p->before.code.n && !str_eq(p->before.code, p->now.code);
}

void apply_code_forget(struct fleet *f)
{
	static const char *const keep[] = { "metadata.name", "metadata.namespace", "metadata.uid",
		"metadata.resourceVersion", "metadata.ownerReferences", NULL };

	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		if (p->mode != APPLY_REAL || !p->written || !p->complete || p->cluster->interrupted ||
			!had_other_code(p))
			continue;
		struct member_query q = { .resource = *resource_known(STR(""), STR("ConfigMap")), .ns = p->ns,
			.selector = STR("trainc.dev/code"), .keep = keep, .metadata = true };
		struct members all = members_list(&p->cluster->client, p->arena, &q, 1);
		if (!all.failed)
			remove_earlier(p, &all);
	}
}
