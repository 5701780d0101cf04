/*
 * apply_names.c - finds out before the first write whether names of new objects are taken, and by whom. A few names are
 * requested one by one. If many names are in one collection, the collection is listed, so that a fleet does not cost a
 * request for each object.
 */
#include "runtime/cluster/apply.h"

#include "base/map.h"
#include "runtime/command/runs.h"
#include "runtime/status/look.h"

/* ---- who owns an object of that name ---- */

static bool is_running(const struct data *object)
{
	return status_number(object, "status.active", 0) > 0 || str_is(status_text(object, "status.phase"), "Running");
}

/* Did somebody apply what `trainc compile` wrote for this run? */
static bool is_compiled(const struct applying *p, const struct data *object)
{
	return str_is(status_label(object, "app.kubernetes.io/managed-by"), "trainc") &&
		str_eq(status_label(object, "trainc.dev/job"), p->job->name);
}

/* Does an object of that name exist that is not a member of the run? */
static bool is_foreign(struct applying *p, struct wanted *w, const struct data *there)
{
	struct str owner = status_label(there, APPLYSET_PART_OF), name = wanted_name(p->arena, &p->wanted, w);
	bool compiled = is_compiled(p, there), running = is_running(there) && !compiled;

	w->exists = true;
	if (str_eq(owner, p->id))
		return false;
	if (!owner.n && ((p->adopt && !running) || (p->compares && compiled))) {
		w->outcome = WANTED_ADOPTED;
		return false;
	}
	struct diag *d = diag_report(&p->diags, TJ1204, w->from->from, "%.*s exists and does not belong to this run",
		STR_ARG(name));
	if (owner.n)
		diag_help(&p->diags, d, "it belongs to another set of objects (%.*s); rename the job", STR_ARG(owner));
	else if (running)
		diag_help(&p->diags, d, "it is running, so it is not taken over; delete it first, or rename the job");
	else
		diag_help(&p->diags, d, "'trainc apply --adopt' takes it over; or rename the job");
	p->status = runs_worse(p->status, STATUS_CONFLICT);
	return true;
}

static bool needs_look(const struct applying *p, const struct wanted *w)
{
	return w->stale && !w->exists && w->stage != STAGE_NAMESPACE && w->resource.plural.n &&
		p->mode != APPLY_DRY_CLIENT;
}

/* ---- many names: lists ---- */

enum { MANY = 32 };                     /* a collection with at least this many new names is listed */

struct collections {
	struct member_query *at;
	size_t *wanted;                 /* number of new names in each collection */
	size_t n, nwanted;
};

static size_t find_collection(struct arena *a, struct collections *all, const struct wanted *w)
{
	/* only the status of a Job or Pod shows whether it runs; for other kinds the metadata is enough */
	bool metadata = !str_is(w->from->kind, "Job") && !str_is(w->from->kind, "Pod");

	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->at[i].resource.plural, w->resource.plural) &&
		    str_eq(all->at[i].resource.group, w->resource.group) && str_eq(all->at[i].ns, w->ns))
			return i;
	struct member_query q = { .resource = w->resource, .ns = w->ns, .metadata = metadata };
	ARENA_PUSH(a, all->at, all->n, q);
	ARENA_PUSH(a, all->wanted, all->nwanted, 0);
	return all->n - 1;
}

static struct collections collections_of(struct fleet *f)
{
	struct collections all = { 0 };

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; f->at[i].going && k < f->at[i].wanted.n; k++) {
			if (!needs_look(&f->at[i], &f->at[i].wanted.at[k]))
				continue;
			size_t at = find_collection(f->at->arena, &all, &f->at[i].wanted.at[k]);
			all.wanted[at]++;
		}
	return all;
}

static struct str collection_key(struct arena *a, const struct resource *r, struct str ns, struct str name)
{
	return str_printf(a, "%.*s.%.*s/%.*s/%.*s", STR_ARG(r->kind), STR_ARG(r->group), STR_ARG(ns), STR_ARG(name));
}

/* Lists the collections in which many names are wanted; RET gets each object by its key. */
static bool list_many(struct fleet *f, struct collections *all, struct map *ret)
{
	struct member_query *lists = ARENA_ARRAY(f->at->arena, struct member_query, all->n);
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->wanted[i] >= MANY)
			lists[n++] = all->at[i];
	if (!n)
		return true;
	struct members there = members_list(&f->at->cluster->client, f->at->arena, lists, n);
	for (size_t i = 0; i < f->n && there.failed; i++)
		if (f->at[i].going)
			f->at[i].status = there.failed->status;
	if (there.failed) {
		cluster_say(f->at->cluster, there.failed);
		return false;
	}
	for (size_t i = 0; i < there.n; i++)
		map_put_const(ret, f->at->arena, collection_key(f->at->arena, &there.at[i].resource, there.at[i].ns,
			there.at[i].name), there.at[i].object);
	return true;
}

/* ---- every name ---- */

struct looked {
	struct collections all;
	struct map there;               /* objects of the collections that were listed */
};

static bool was_listed(struct looked *n, struct arena *a, const struct wanted *w)
{
	return n->all.wanted[find_collection(a, &n->all, w)] >= MANY;
}

static void ask_for_names(struct applying *p, struct looked *n, struct batch *b)
{
	for (size_t i = 0; i < p->wanted.n; i++) {
		struct wanted *w = &p->wanted.at[i];
		if (!needs_look(p, w) || was_listed(n, p->arena, w))
			continue;
		w->answer = batch_add(b, &(struct transport_request){ .method = TRANSPORT_GET, .kind = TRANSPORT_READ,
			.path = resource_path(p->arena, &w->resource, w->ns, w->from->name) }, CALL_BY_METHOD);
	}
}

static bool judge_names(struct applying *p, struct looked *n)
{
	bool ok = true;

	for (size_t i = 0; i < p->wanted.n; i++) {
		struct wanted *w = &p->wanted.at[i];
		if (!needs_look(p, w))
			continue;
		if (was_listed(n, p->arena, w)) {
			const struct data *there = map_get(&n->there, collection_key(p->arena, &w->resource, w->ns,
				w->from->name));
			ok = (!there || !is_foreign(p, w, there)) && ok;
		} else if (w->answer->class == CALL_DONE && w->answer->data) {
			ok = !is_foreign(p, w, w->answer->data) && ok;
		} else if (w->answer->class != CALL_NOT_FOUND) {
			p->status = cluster_say(p->cluster, w->answer);
			return false;
		}
	}
	return ok;
}

bool apply_find_names(struct fleet *f)
{
	struct batch b = batch_new(&f->at->cluster->client, f->at->arena);
	struct looked n = { .all = collections_of(f) };
	bool ok = true;

	if (!list_many(f, &n.all, &n.there))
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].going)
			ask_for_names(&f->at[i], &n, &b);
	if (!batch_wait(&b)) {
		for (size_t i = 0; i < f->n; i++)
			f->at[i].status = f->at[i].going ? cluster_interrupted(f->at->cluster) : f->at[i].status;
		return false;
	}
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].going)
			ok = judge_names(&f->at[i], &n) && ok;
	return ok;
}
