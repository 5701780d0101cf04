/*
 * unrecorded.c - finds runs without a record, and reads their plans from their objects.
 */
#include "runtime/cluster/unrecorded.h"

#include "data/data_write.h"
#include "import/custom.h"
#include "import/import_kinds.h"
#include "runtime/run/plan_record.h"
#include "runtime/status/look.h"

#define OURS "app.kubernetes.io/managed-by=trainc,trainc.dev/job"
#define LOOSE ",!" APPLYSET_PART_OF
enum { OWNERS_MOST = 4 };               /* pods of a Job of a JobSet of a TrainJob have three owners above each other */

/* ---- names ---- */

const struct answer *unrecorded_names(struct cluster *k, struct str ns, struct chosen *ret)
{
	/* Jobs and pods, whatever owns them: the pods of Jobs need not be listed */
	struct member_query q[] = {
		{ .resource = *resource_known(STR("batch"), STR("Job")), .ns = ns, .selector = STR(OURS LOOSE),
			.metadata = true },
		{ .resource = *resource_known(STR(""), STR("Pod")), .ns = ns,
			.selector = STR(OURS LOOSE ",!batch.kubernetes.io/job-name"), .metadata = true },
	};
	struct members all = members_list(&k->client, k->arena, q, sizeof q / sizeof *q);
	struct map seen = { 0 };

	for (size_t i = 0; i < all.n && !all.failed; i++) {
		struct chosen_run r = { .name = status_label(all.at[i].object, "trainc.dev/job"), .ns = all.at[i].ns,
			.listed = true };
		struct str key = str_cat(k->arena, r.ns, STR("/"), r.name);
		if (!map_get(&k->parents, key) && !map_put(&seen, k->arena, key, k))
			ARENA_PUSH(k->arena, ret->at, ret->n, r);
	}
	return all.failed;
}

/* ---- objects ---- */

/* The object that a run is: the topmost one with the run's label that controls M, or M itself. */
static struct member topmost(struct cluster *k, struct arena *a, const struct member *m)
{
	struct member top = *m;

	for (int i = 0; i < OWNERS_MOST; i++) {
		const struct data *owner = status_controller(top.object);
		const struct resource *r = owner ? discovery_find(&k->discovery, status_text(owner, "apiVersion"),
			status_text(owner, "kind")) : NULL;
		struct answer *x = r ? request_get(&k->client, a, resource_path(a, r, top.ns, status_text(owner,
			"name"))) : NULL;
		if (!x || x->class != CALL_DONE || !x->data || !status_label(x->data, "trainc.dev/job").n)
			break;
		top = (struct member){ .resource = *r, .ns = top.ns, .object = x->data,
			.name = status_text(owner, "name"), .uid = status_text(x->data, "metadata.uid") };
	}
	return top;
}

/*
 * topmost(), kept in OWNERS by the uid of the owner, so that each owner is followed once. NULL in OWNERS: M itself is
 * the topmost.
 */
static const struct member *topmost_once(struct cluster *k, struct arena *a, struct map *owners, const struct member *m)
{
	struct str owner = status_text(status_controller(m->object), "uid");
	struct member **known = owner.n ? map_get(owners, owner) : NULL;

	if (known)
		return *known ? *known : m;
	struct member *top = ARENA_NEW(a, struct member);
	*top = topmost(k, a, m);
	known = ARENA_NEW(a, struct member *);
	*known = str_eq(top->uid, m->uid) ? NULL : top;
	if (owner.n)
		map_put(owners, a, owner, known);
	return top;
}

/* The kinds other than Jobs and pods that a run may be, and that the server serves. */
static struct members other_kinds(struct cluster *k, struct arena *a, struct str ns, struct str selector)
{
	struct member_query *q = NULL;
	struct import_row row;
	size_t n = 0;

	for (size_t i = 0; import_row(i, &row); i++) {
		const struct resource *r = row.use != IMPORT_JOB || str_is(str_of(row.api_version), "batch/v1") ? NULL :
			discovery_find(&k->discovery, str_of(row.api_version), str_of(row.kind));
		struct member_query one = { .ns = ns, .selector = selector, .keep = manifest_keep };
		if (!r)
			continue;
		one.resource = *r;
		ARENA_PUSH(a, q, n, one);
	}
	return members_list(&k->client, a, q, n);
}

/* Lists the objects of run P that make its program. */
static struct members objects_of(struct cluster *k, struct arena *a, const struct parent *p)
{
	struct str selector = str_cat(a, STR(OURS "="), p->run, STR(""));
	struct member_query q[] = {
		{ .resource = *resource_known(STR("batch"), STR("Job")), .ns = p->ns, .keep = manifest_keep,
			.selector = selector },
		{ .resource = *resource_known(STR(""), STR("Pod")), .ns = p->ns, .keep = manifest_keep,
			.selector = str_cat(a, selector, STR(",!batch.kubernetes.io/job-name"), STR("")) },
	};
	struct members found = members_list(&k->client, a, q, sizeof q / sizeof *q), ret = { .failed = found.failed };
	struct map seen = { 0 }, owners = { 0 };

	if (found.failed)
		return ret;
	for (size_t i = 0; i < found.n; i++) {
		const struct member *m = topmost_once(k, a, &owners, &found.at[i]);
		if (!map_put(&seen, a, m->uid, k))
			ARENA_PUSH(a, ret.at, ret.n, *m);
	}
	if (ret.n)
		return ret;
	struct members others = other_kinds(k, a, p->ns, selector);
	return others.failed ? ret : others;    /* whoever may not list a kind has no run of that kind */
}

/* ---- the program that the objects say ---- */

/* The runtime of a TrainJob, which has its pods. */
static void put_need(struct cluster *k, struct arena *a, const struct member *m, struct buf *out)
{
	struct import_need need;
	const struct resource *r = import_need(m->object, &need) ? discovery_find(&k->discovery, need.api_version,
		need.kind) : NULL;
	struct answer *x = r ? request_get(&k->client, a, resource_path(a, r, m->ns, need.name)) : NULL;

	if (!x || x->class != CALL_DONE || !x->data)
		return;
	buf_char(out, ',');
	data_write(out, x->data);
}

static struct str manifests_of(struct cluster *k, struct arena *a, const struct members *all)
{
	struct buf out = { 0 };

	buf_z(&out, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
	for (size_t i = 0; i < all->n; i++) {
		if (i)
			buf_char(&out, ',');
		data_write(&out, all->at[i].object);
		put_need(k, a, &all->at[i], &out);
	}
	buf_z(&out, "]}");
	struct str text = str_copy(a, buf_text(&out));
	buf_release(&out);
	return text;
}

/* Are there copies of a cell? Only the program says what the loss of a copy means; the objects are read as roles. */
static bool has_copies(const struct members *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (status_label(all->at[i].object, "trainc.dev/cell").n)
			return true;
	return false;
}

static bool read_plan(struct cluster *k, struct arena *a, const struct members *all, struct parent *p, int *ret_status)
{
	struct custom_plan plan;
	struct buf record = { 0 };

	if (has_copies(all)) {
		session_say(k->session, "run '%.*s' in namespace '%.*s' has no record, and only its program has the "
			"rules for copies of a cell: 'trainc %s FILE' names it", STR_ARG(p->run), STR_ARG(p->ns),
			command_word(k->session->options->command));
		*ret_status = STATUS_CONFLICT;
		return false;
	}
	custom_compile_text(&plan, manifests_of(k, a, all));
	if (plan.job) {
		plan_record_write(plan.job, &record);
		p->plan = str_copy(k->arena, buf_text(&record));
		for (size_t i = 0; i < all->n; i++)
			parent_add_kind(k->arena, p, &all->at[i].resource);
	} else {
		session_say(k->session, "run '%.*s' in namespace '%.*s' has no record, and its objects are not as "
			"trainc compiles them: %.*s", STR_ARG(p->run), STR_ARG(p->ns), STR_ARG(plan.fault));
		*ret_status = STATUS_CONFLICT;
	}
	buf_release(&record);
	custom_release(&plan);
	return p->plan.n;
}

bool unrecorded_read(struct cluster *k, struct parent *p, int *ret_status)
{
	struct arena a = { 0 };
	bool ok = true;
	struct members all = objects_of(k, &a, p);

	if (all.failed) {
		*ret_status = cluster_say(k, all.failed);
		ok = false;
	} else if (all.n) {
		ok = read_plan(k, &a, &all, p, ret_status);
	}
	arena_release(&a);
	return ok;
}
