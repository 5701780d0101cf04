/*
 * remove_command.c - the command `delete`, for all runs together. Their objects are deleted at once. The record of a
 * run is deleted when its last object is gone, because the objects are found through the record.
 */
#include "data/data_write.h"
#include "runtime/cluster/cluster_watch.h"
#include "runtime/cluster/cluster_history.h"
#include "runtime/cluster/lost_pods.h"
#include "runtime/command/runs.h"

enum { LOOK_AGAIN = 5 };                /* maximum number of times that a record is read again after others have
					 * changed it */

struct removed_run {
	struct cluster_watch *watch;
	/*
	 * resourceVersion of the run's record, and the number of times the run had been applied, before its members
	 * were listed
	 */
	struct str version;
	int64_t generation;
	size_t from, n;                 /* the range of the members of this run in the list of all members */
	struct batch batch;             /* the request that deletes the record of the run */
	struct answer *answer;          /* answer to that request; NULL: the request was not sent */
	int status;                     /* why the run cannot be deleted; STATUS_DONE: no error */
	bool told;                      /* the status has been reported */
};

struct removed {
	struct cluster *cluster;
	struct changes *changes;
	struct removed_run *at;
	size_t n;
	struct members members;         /* the members of all runs */
	struct removal removal;
	struct lost_pods lost;          /* pods to remove without their nodes */
};

/* ---- the existing objects ---- */

/*
 * Notes in the record that the run is not restarted any more, so that no attendant creates its Jobs again. A user who
 * may not write the record may still delete the run: Jobs that are created meanwhile are deleted with the record.
 */
static int end_restarts(struct cluster *k, const struct parent *p)
{
	static const struct transport_pair query = { { "fieldManager", 12 }, { APPLYSET_PARENT_MANAGER,
		sizeof APPLYSET_PARENT_MANAGER - 1 } };
	struct buf body = { 0 };

	buf_z(&body, "{\"metadata\":{\"uid\":");
	data_write_text(&body, p->uid);
	buf_z(&body, "},\"data\":{\"restarts\":\"\"}}");
	struct transport_request r = { .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE, .query = &query, .nquery = 1,
		.path = applyset_parent_path(k->arena, p->ns, p->run),
		.content_type = STR("application/merge-patch+json"),
		.body = buf_take(&body, k->arena) };
	struct answer *x = request_send(&k->client, k->arena, &r, CALL_REPEAT);
	buf_release(&body);
	return x->class == CALL_DONE || cluster_is_gone(x) || x->code == 403 ? STATUS_DONE : cluster_say(k, x);
}

/* Is M an object of the run? Its label says so. */
static bool belongs_to_run(struct cluster *k, const struct parent *p, const struct data *object)
{
	struct str id = applyset_id(k->arena, applyset_parent_name(k->arena, p->run), p->ns, STR("ConfigMap"), STR(""));

	return str_eq(status_label(object, APPLYSET_PART_OF), id);
}

/*
 * Looks for each object that the record names and that no list contained, since a run whose record is gone cannot be
 * found again. Usually there is none, or the object has been deleted already.
 */
static int find_unlisted(struct cluster *k, const struct parent *p, struct members *found)
{
	struct batch b = batch_new(&k->client, k->arena);
	const struct applied **unlisted = ARENA_ARRAY(k->arena, const struct applied *, p->napplied);

	for (size_t i = 0; i < p->napplied; i++) {
		const struct applied *x = &p->applied[i];
		if (members_find(found, &x->resource, x->ns, x->name) || str_is(x->resource.kind, "Namespace"))
			continue;
		unlisted[b.n] = x;
		batch_add(&b, &(struct transport_request){ .method = TRANSPORT_GET, .kind = TRANSPORT_READ,
			.path = resource_path(k->arena, &x->resource, x->ns, x->name) }, CALL_BY_METHOD);
	}
	batch_wait(&b);
	for (size_t i = 0; i < b.n; i++) {
		const struct answer *x = b.answers[i];
		if (x->class == CALL_DONE && belongs_to_run(k, p, x->data)) {
			struct member m = { .resource = unlisted[i]->resource, .ns = unlisted[i]->ns,
				.name = unlisted[i]->name, .uid = status_text(x->data, "metadata.uid"),
				.deleting = status_text(x->data, "metadata.deletionTimestamp").n > 0,
				.object = x->data };
			ARENA_PUSH(k->arena, found->at, found->n, m);
		} else if (x->class != CALL_DONE && x->class != CALL_NOT_FOUND && x->code != 403) {
			return cluster_say(k, x);
		}
	}
	return STATUS_DONE;
}

/* Adds the members of a run. Namespaces are never deleted, because other objects live in them. */
static int find_members(struct removed *all, struct removed_run *r)
{
	struct cluster *k = all->cluster;
	const struct parent *p = &r->watch->parent;
	r->version = str_copy(k->arena, p->version);
	r->generation = p->generation;
	int status = parent_may_restart(p) ? end_restarts(k, p) : STATUS_DONE;

	if (status != STATUS_DONE)
		return status;
	struct members found = members_of(&k->client, k->arena, p);
	status = found.failed ? cluster_say(k, found.failed) : find_unlisted(k, p, &found);
	if (status != STATUS_DONE)
		return status;
	for (size_t i = 0; i < found.n; i++)
		if (!str_is(found.at[i].resource.kind, "Namespace"))
			ARENA_PUSH(k->arena, all->members.at, all->members.n, found.at[i]);
	r->n = all->members.n - r->from;
	return STATUS_DONE;
}

static void add_removed(struct removed *all, const struct run_watch *w)
{
	struct cluster *k = all->cluster;
	struct removed_run *r = &all->at[all->n];

	*r = (struct removed_run){ .watch = cluster_watch_of(w), .from = all->members.n };
	if (!r->watch->parent.there)
		return;
	all->n++;
	r->watch->removed = true;
	r->status = k->interrupted ? cluster_interrupted(k) : find_members(all, r);
}

/* ---- the end of a run ---- */

static bool all_gone(const struct removed *all, const struct removed_run *r)
{
	for (size_t i = r->from; i < r->from + r->n; i++)
		if (!all->removal.gone[i])
			return false;
	return true;
}

static void delete_record(struct removed *all, struct removed_run *r)
{
	struct cluster *k = all->cluster;
	const struct parent *p = &r->watch->parent;
	struct member m = { .resource = *resource_known(STR(""), STR("ConfigMap")), .ns = p->ns,
		.name = applyset_parent_name(k->arena, p->run), .uid = p->uid, .version = r->version };

	r->batch = batch_new(&k->client, k->arena);
	r->answer = cluster_add_deletion(k, &r->batch, &m, false);
}

/*
 * Deletes a record that was written after the members were listed. If an `apply` has written it, the record stays,
 * because the new objects can only be found through it.
 */
static void delete_changed_record(struct removed *all, struct removed_run *r)
{
	struct cluster *k = all->cluster;
	const struct parent *p = &r->watch->parent;
	struct parent now;
	struct str why;

	for (unsigned try = 0; try < LOOK_AGAIN && r->answer->code == 409 && !cluster_is_gone(r->answer); try++) {
		struct answer *x = request_get(&k->client, k->arena, applyset_parent_path(k->arena, p->ns, p->run));
		if (x->class != CALL_DONE || !x->data || !parent_read(k->arena, x->data, &now, &why)) {
			r->answer = x;
			return;
		}
		if (now.generation != r->generation) {
			session_say(k->session, "run '%.*s' was applied again while it was deleted, so its record and "
				"its new objects are left; run the same command again to delete them", STR_ARG(p->run));
			r->status = STATUS_CONFLICT;
			return;
		}
		r->version = now.version;
		delete_record(all, r);
		batch_wait(&r->batch);
	}
}

static void tell_run(struct removed *all, struct removed_run *r)
{
	struct cluster *k = all->cluster;

	r->told = true;
	if (r->answer)
		delete_changed_record(all, r);
	if (r->answer && r->answer->class != CALL_DONE && !cluster_is_gone(r->answer) && r->status == STATUS_DONE)
		r->status = cluster_say(k, r->answer);
	for (size_t i = r->from; i < r->from + r->n; i++) {
		const struct member *m = &all->members.at[i];
		if (all->removal.gone[i])
			changes_object(all->changes, str_printf(k->arena, "%.*s/%.*s", STR_ARG(m->resource.kind),
				STR_ARG(m->name)), "deleted");
	}
	bool done = r->answer && r->status == STATUS_DONE, begun = r->answer || r->n;
	if (done || (begun && all->changes->json))
		changes_run(all->changes, r->watch->watch->name, r->watch->ns, done ? "deleted" : "deleting");
}

/* Deletes the records of runs that have no members any more; true while an answer to such a deletion is pending. */
static bool finish_runs(void *to)
{
	struct removed *all = to;
	bool pending = false;

	for (size_t i = 0; i < all->n; i++) {
		struct removed_run *r = &all->at[i];
		if (r->status == STATUS_DONE && !r->answer && all_gone(all, r))
			delete_record(all, r);
		if (r->answer && !r->told && !r->batch.pending)
			tell_run(all, r);
		pending = pending || (r->answer && !r->told);
	}
	return pending;
}

/*
 * With --force-node: finds the pods whose nodes do not answer. False if nothing is to be deleted, because they could
 * not be found, or because the user does not agree.
 */
static bool find_lost(struct removed *all, const struct attend *a, int *ret_status)
{
	struct cluster *k = all->cluster;

	if (!option_given(k->session->options, OPTION_FORCE_NODE))
		return true;
	for (size_t i = 0; i < a->n; i++)
		if (!lost_pods_find(k, cluster_watch_of(&a->runs[i])->ns, a->runs[i].name, &all->lost, ret_status))
			return false;
	return !all->lost.n || lost_pods_agreed(k, &all->lost, ret_status);
}

static int remove_lost(void *to)
{
	struct removed *all = to;

	return lost_pods_remove(all->cluster, &all->lost);
}

/* Keeps the histories of the runs that can be deleted. */
static void keep_histories(struct removed *all)
{
	struct cluster *k = all->cluster;
	struct cluster_watch **watches = ARENA_ARRAY(k->arena, struct cluster_watch *, all->n);
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].status == STATUS_DONE)
			watches[n++] = all->at[i].watch;
	launches_keep(k, watches, n);
}

int cluster_remove(struct session *s, struct attend *a, struct changes *c)
{
	struct cluster *k = cluster_of(s);
	struct removed all = { .cluster = k, .changes = c, .at = ARENA_ARRAY(k->arena, struct removed_run, a->n) };
	int status = STATUS_DONE;

	cluster_listen(k, true);
	if (!find_lost(&all, a, &status))
		return status;
	for (size_t i = 0; i < a->n; i++)
		add_removed(&all, &a->runs[i]);
	keep_histories(&all);
	all.removal = (struct removal){ .members = &all.members, .step = finish_runs, .sent = remove_lost, .to = &all };
	status = cluster_delete(k, &all.removal);
	for (size_t i = 0; i < all.n; i++) {
		struct removed_run *r = &all.at[i];
		if (r->answer)
			batch_wait(&r->batch);
		else if (k->interrupted)        /* the record of the run is left, even if all of its objects are gone */
			r->status = runs_worse(r->status, cluster_interrupted(k));
		if (!r->told)
			tell_run(&all, r);
		status = runs_worse(status, r->status);
	}
	if (k->interrupted && status != STATUS_DONE)
		session_say(s, "not everything was deleted; run the same command again to continue");
	return status;
}
