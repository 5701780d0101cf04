/*
 * remove.c - deletes objects of runs and waits until they are gone. Every deletion contains the uid from the list, so
 * an object that somebody else has made under the same name is not touched. Workloads are deleted first and in the
 * foreground, so that a Job is gone only when its pods are.
 */
#include "base/words.h"
#include "data/data_write.h"
#include "runtime/cluster/cluster_watch.h"
#include "runtime/command/runs.h"
#include "runtime/status/look.h"

struct holders {
	struct str *finalizers;
	size_t n;
};

struct removing {
	struct cluster *cluster;
	const struct removal *what;
	bool *gone;                     /* for each member: has it been deleted? */
	size_t left;
	bool timed_out;
	struct holders *held;           /* for each member: what delays its deletion */
	int failed;                     /* status of a watch that could not go on; STATUS_DONE: none */
	struct loop_timer timer, deadline;
};

/* ---- deleting ---- */

static bool is_workload(const struct member *m)
{
	static const char *const passive[] = { "Service", "ConfigMap", "Secret", "ServiceAccount",
		"PersistentVolumeClaim", "Namespace",
		"PodGroup", "Role", "RoleBinding", "PriorityClass", NULL };

	return !text_among(m->resource.kind, passive);
}

static struct answer *add_delete(struct cluster *k, struct batch *b, const struct member *m, bool dry_run)
{
	struct buf body = { 0 };

	buf_printf(&body, "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"propagationPolicy\":\"%s\"",
		is_workload(m) ? "Foreground" : "Background");
	if (dry_run)
		buf_z(&body, ",\"dryRun\":[\"All\"]");
	buf_z(&body, ",\"preconditions\":{\"uid\":");
	data_write_text(&body, m->uid);
	buf_z(&body, "}}");
	struct answer *x = batch_add(b, &(struct transport_request){ .method = TRANSPORT_DELETE,
		.kind = TRANSPORT_WRITE,
		.path = resource_path(k->arena, &m->resource, m->ns, m->name), .body = buf_take(&body, k->arena) },
			CALL_REPEAT);
	buf_release(&body);
	return x;
}

/* Is our object gone? Both "not found" and another uid mean that it is. */
static bool is_gone(const struct answer *x) { return x->class == CALL_NOT_FOUND || (x->code == 409 &&
	text_holds(x->message, "UID")); }

/* Deletes one group of objects: the workloads, or the rest. */
static int delete_wave(struct cluster *k, const struct removal *r, bool workloads, bool *gone)
{
	struct batch b = batch_new(&k->client, k->arena);
	struct answer **answers = ARENA_ARRAY(k->arena, struct answer *, r->members->n);
	int status = STATUS_DONE;

	for (size_t i = 0; i < r->members->n; i++)
		if (is_workload(&r->members->at[i]) == workloads)
			answers[i] = add_delete(k, &b, &r->members->at[i], r->dry_run);
	batch_wait(&b);
	for (size_t i = 0; i < r->members->n; i++) {
		const struct answer *x = answers[i];
		if (!x)
			continue;
		if (is_gone(x))
			gone[i] = true;
		else if (x->class != CALL_DONE)
			status = runs_worse(status, cluster_say(k, x));
		else if (r->dry_run || (x->data && str_is(status_text(x->data, "kind"), "Status")))
			gone[i] = true;         /* an object without finalizers is gone at once */
	}
	return k->interrupted ? cluster_interrupted(k) : status;
}

/* ---- waiting ---- */

struct gone_watch {
	struct removing *removing;
	struct resource resource;
	struct str ns;
	struct object_watch *watch;
	bool *seen;                     /* for each member: is it in this snapshot? */
};

static size_t member_of(const struct removing *d, struct str uid)
{
	for (size_t i = 0; i < d->what->members->n; i++)
		if (str_eq(d->what->members->at[i].uid, uid))
			return i;
	return d->what->members->n;
}

static void mark_gone(struct removing *d, size_t i)
{
	if (i >= d->what->members->n || d->gone[i])
		return;
	d->gone[i] = true;
	if (!--d->left)
		loop_stop(d->cluster->client.loop);
}

static void note_finalizers(struct removing *d, struct holders *h, const struct data *object)
{
	const struct data *list = status_list(object, "metadata.finalizers");

	h->n = 0;
	for (size_t i = 0; i < list->u.list.n; i++)
		if (list->u.list.at[i]->kind == DATA_STRING)
			ARENA_PUSH(d->cluster->arena, h->finalizers, h->n,
				str_copy(d->cluster->arena, list->u.list.at[i]->u.string));
}

static void gone_changed(void *to, enum object_change change, const struct data *object)
{
	struct gone_watch *w = to;
	size_t i = member_of(w->removing, status_text(object, "metadata.uid"));

	if (change == OBJECT_DELETED)
		mark_gone(w->removing, i);
	else if (i < w->removing->what->members->n) {
		w->seen[i] = true;
		note_finalizers(w->removing, &w->removing->held[i], object);
	}
}

/* Marks the objects that a snapshot does not contain as gone. */
static void gone_synced(void *to)
{
	struct gone_watch *w = to;
	const struct members *m = w->removing->what->members;

	for (size_t i = 0; i < m->n; i++)
		if (!w->seen[i] && str_eq(m->at[i].resource.plural, w->resource.plural) &&
			str_eq(m->at[i].resource.group, w->resource.group) &&
		    str_eq(m->at[i].ns, w->ns))
			mark_gone(w->removing, i);
}

static void gone_failed(void *to, const struct transport_result *r)
{
	struct gone_watch *w = to;
	struct removing *d = w->removing;

	if (call_class(r) == CALL_NOT_FOUND) {
		gone_synced(w);
		return;
	}
	if (!d->failed && !d->cluster->interrupted) {
		session_say(d->cluster->session, "%.*s", STR_ARG(r->error));
		d->failed = call_exit_status(r);
	}
	loop_stop(d->cluster->client.loop);
}

static void on_deadline(struct loop_timer *t)
{
	struct removing *d = t->to;

	d->timed_out = true;
	loop_stop(d->cluster->client.loop);
}

/* Reports what delays the deletion of the remaining objects, as the watches have it. */
static void tell_finalizers(const struct removing *d)
{
	for (size_t i = 0; i < d->what->members->n; i++) {
		const struct member *m = &d->what->members->at[i];
		for (size_t f = 0; !d->gone[i] && f < d->held[i].n; f++) {
			struct str name = d->held[i].finalizers[f];
			session_say(d->cluster->session, "%.*s/%.*s is held by finalizer '%.*s': %s",
				STR_ARG(m->resource.kind), STR_ARG(m->name), STR_ARG(name), status_holder_words(name));
		}
	}
}

/* Called after half a minute, or R->slow of cluster_delete(). */
static void on_slow(struct loop_timer *t)
{
	struct removing *d = t->to;

	for (size_t i = 0; i < d->what->members->n; i++) {
		const struct member *m = &d->what->members->at[i];
		if (!d->gone[i])
			session_say(d->cluster->session, "still waiting for %.*s/%.*s", STR_ARG(m->resource.kind),
				STR_ARG(m->name));
	}
	tell_finalizers(d);
}

static void start_watches(struct removing *d, struct gone_watch **ret, size_t *n)
{
	struct cluster *k = d->cluster;
	const struct members *m = d->what->members;
	static const char *const keep[] = { "metadata.finalizers", NULL };

	*ret = ARENA_ARRAY(k->arena, struct gone_watch, m->n);
	*n = 0;
	for (size_t i = 0; i < m->n; i++) {
		bool known = d->gone[i];
		for (size_t w = 0; w < *n && !known; w++)
			known = str_eq((*ret)[w].resource.plural, m->at[i].resource.plural) &&
				str_eq((*ret)[w].resource.group, m->at[i].resource.group) &&
				str_eq((*ret)[w].ns, m->at[i].ns);
		if (known)
			continue;
		struct gone_watch *w = &(*ret)[(*n)++];
		*w = (struct gone_watch){ .removing = d, .resource = m->at[i].resource, .ns = m->at[i].ns,
			.seen = ARENA_ARRAY(k->arena, bool, m->n) };
		struct object_watch_options o = { .path = resource_path(k->arena, &w->resource, w->ns, STR("")),
			.label_selector = STR(APPLYSET_PART_OF),
			.keep = keep, .changed = gone_changed, .synced = gone_synced, .failed = gone_failed, .to = w };
		w->watch = object_watch_start(k->client.calls, &o);
	}
}

static int wait_until_gone(struct removing *d)
{
	struct cluster *k = d->cluster;
	struct gone_watch *watches;
	size_t n;

	start_watches(d, &watches, &n);
	loop_timer_set(k->client.loop, &d->timer, d->what->slow ? d->what->slow : 30 * NS_PER_SECOND);
	if (d->what->deadline)
		loop_timer_set(k->client.loop, &d->deadline, d->what->deadline - clock_steady());
	while (d->left && !d->timed_out && !d->failed && !k->interrupted)
		loop_run(k->client.loop);
	for (size_t i = 0; i < n; i++)
		object_watch_stop(watches[i].watch);
	loop_timer_drop(k->client.loop, &d->timer);
	loop_timer_drop(k->client.loop, &d->deadline);
	if (d->timed_out || k->late) {
		k->late_said = k->late;
		session_say(k->session, "the time is up; %zu object%s being deleted", d->left,
			d->left == 1 ? " is still" : "s are still");
		tell_finalizers(d);
		return STATUS_TIMEOUT;
	}
	return k->interrupted ? cluster_interrupted(k) : d->failed;
}

static void note_gone(struct cluster *k, const struct removal *r, struct str name)
{
	if (r->changes)
		changes_object(r->changes, name, "deleted");
	else if (!str_is(option_value(k->session->options, OPTION_OUTPUT), "json"))
		session_write(k->session, str_printf(k->arena, "%.*s deleted%s\n", STR_ARG(name),
			r->dry_run ? " (dry run)" : ""));
}

int cluster_delete(struct cluster *k, const struct removal *r)
{
	struct removing d = { .cluster = k, .what = r, .gone = ARENA_ARRAY(k->arena, bool, r->members->n),
		.held = ARENA_ARRAY(k->arena, struct holders, r->members->n) };
	int status = delete_wave(k, r, true, d.gone);

	if (status < 128)
		status = runs_worse(status, delete_wave(k, r, false, d.gone));
	d.timer = (struct loop_timer){ .fire = on_slow, .to = &d };
	d.deadline = (struct loop_timer){ .fire = on_deadline, .to = &d };
	for (size_t i = 0; i < r->members->n; i++)
		d.left += !d.gone[i];
	if (status == STATUS_DONE && d.left)
		status = wait_until_gone(&d);
	for (size_t i = 0; i < r->members->n; i++) {
		const struct member *m = &r->members->at[i];
		if (d.gone[i])
			note_gone(k, r, str_printf(k->arena, "%.*s/%.*s", STR_ARG(m->resource.kind), STR_ARG(m->name)));
	}
	return status;
}

/* ---- the command ---- */

/* Deletes the parent, after everything else: as long as it exists, all objects of the run can be found. */
static int delete_parent(struct cluster *k, const struct parent *p)
{
	struct member m = { .resource = *resource_known(STR(""), STR("ConfigMap")), .ns = p->ns,
		.name = applyset_parent_name(k->arena, p->run), .uid = p->uid };
	struct batch b = batch_new(&k->client, k->arena);
	struct answer *x = add_delete(k, &b, &m, false);

	batch_wait(&b);
	return x->class == CALL_DONE || is_gone(x) ? STATUS_DONE : cluster_say(k, x);
}

/*
 * Notes in the record that the run is not restarted any more, so that no attendant creates its Jobs again. A user who
 * may not write it may still delete the run: Jobs that are created meanwhile are deleted with the record.
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
		.path = resource_path(k->arena, resource_known(STR(""), STR("ConfigMap")), p->ns,
		applyset_parent_name(k->arena, p->run)), .content_type = STR("application/merge-patch+json"),
		.body = buf_take(&body, k->arena) };
	struct answer *x = request_send(&k->client, k->arena, &r, CALL_REPEAT);
	buf_release(&body);
	return x->class == CALL_DONE || is_gone(x) || x->code == 403 ? STATUS_DONE : cluster_say(k, x);
}

static int remove_run(struct cluster *k, const struct run_watch *w, int64_t deadline, struct changes *changes)
{
	struct cluster_watch *c = cluster_watch_of(w);
	struct members all;
	int status;

	if (!c->parent.there)
		return STATUS_DONE;
	c->removed = true;
	status = c->parent.restart.most ? end_restarts(k, &c->parent) : STATUS_DONE;
	if (status != STATUS_DONE)
		return status;
	all = members_of(&k->client, k->arena, &c->parent);
	if (all.failed)
		return cluster_say(k, all.failed);
	size_t kept = 0;
	for (size_t i = 0; i < all.n; i++)
		if (!str_is(all.at[i].resource.kind, "Namespace"))
			all.at[kept++] = all.at[i];
	all.n = kept;
	struct removal r = { .members = &all, .what = str_printf(k->arena, "run '%.*s'", STR_ARG(w->name)),
		.deadline = deadline, .changes = changes };
	status = cluster_delete(k, &r);
	status = status == STATUS_DONE ? delete_parent(k, &c->parent) : status;
	if (status == STATUS_DONE || changes->json)
		changes_run(changes, w->name, c->ns, status == STATUS_DONE ? "deleted" : "deleting");
	return status;
}

int cluster_remove(struct session *s, struct attend *a, struct changes *c)
{
	struct cluster *k = cluster_of(s);
	int status = STATUS_DONE;

	k->deadline = 0;                        /* the wait has its own limit, and deletions are sent after it, too */
	cluster_listen(k, true);
	for (size_t i = 0; i < a->n && !k->interrupted; i++) {
		int one = remove_run(k, &a->runs[i], a->deadline, c);
		status = one > 128 ? one : runs_worse(status, one);
	}
	if (k->interrupted)
		session_say(s, "not everything was deleted; the same command goes on");
	return status;
}
