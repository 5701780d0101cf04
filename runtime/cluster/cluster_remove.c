/*
 * cluster_remove.c - deletes objects and waits until they are gone. Every deletion contains the uid from the list, so
 * if somebody else has made an object under the same name, that object is not touched. Workloads are deleted first and
 * in the foreground, so that a Job is gone only when its pods are gone, too.
 */
#include "base/words.h"
#include "data/data_write.h"
#include "runtime/cluster/cluster.h"
#include "runtime/cluster/object_watch.h"
#include "runtime/command/runs.h"
#include "runtime/status/look.h"

enum { NAMED = 8 };                     /* maximum number of objects that a message names */

struct holders {
	struct str *finalizers;
	size_t n;
};

struct removing {
	struct cluster *cluster;
	const struct removal *what;
	bool *asked;                    /* for each member: has the server accepted its deletion? */
	size_t left;                    /* number of members whose deletion has started but not finished */
	struct holders *held;           /* for each member: what delays its deletion */
	int failed;                     /* status of a watch that could not continue; STATUS_DONE: all watches
					 * continue */
	struct loop_timer timer;
};

/* ---- deleting ---- */

static bool is_workload(const struct member *m)
{
	static const char *const passive[] = { "Service", "ConfigMap", "Secret", "ServiceAccount",
		"PersistentVolumeClaim", "Namespace",
		"PodGroup", "Role", "RoleBinding", "PriorityClass", NULL };

	return !text_among(m->resource.kind, passive);
}

struct answer *cluster_add_deletion(struct cluster *k, struct batch *b, const struct member *m, bool dry_run)
{
	struct buf body = { 0 };

	buf_printf(&body, "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"propagationPolicy\":\"%s\"",
		is_workload(m) ? "Foreground" : "Background");
	if (dry_run)
		buf_z(&body, ",\"dryRun\":[\"All\"]");
	buf_z(&body, ",\"preconditions\":{\"uid\":");
	data_write_text(&body, m->uid);
	if (m->version.n) {
		buf_z(&body, ",\"resourceVersion\":");
		data_write_text(&body, m->version);
	}
	buf_z(&body, "}}");
	struct answer *x = batch_add(b, &(struct transport_request){ .method = TRANSPORT_DELETE,
		.kind = TRANSPORT_WRITE,
		.path = resource_path(k->arena, &m->resource, m->ns, m->name), .body = buf_take(&body, k->arena) },
			CALL_REPEAT);
	buf_release(&body);
	return x;
}

bool cluster_is_gone(const struct answer *x) { return x->class == CALL_NOT_FOUND || (x->code == 409 &&
	text_holds(x->message, "UID")); }

/*
 * Reports why an object could not be deleted. A deletion that the timeout cut off is reported by tell_late() instead.
 */
static int say_refused(struct cluster *k, const struct answer *x)
{
	if (!k->late)
		return cluster_say(k, x);
	if (x->stopped || x->status == STATUS_TIMEOUT)
		return STATUS_TIMEOUT;
	session_say(k->session, "%.*s", STR_ARG(x->error));
	return x->status;
}

/* Deletes one group of objects: either the workloads, or all other objects. */
static int delete_wave(struct removing *d, bool workloads)
{
	struct cluster *k = d->cluster;
	const struct removal *r = d->what;
	struct batch b = batch_new(&k->client, k->arena);
	struct answer **answers = ARENA_ARRAY(k->arena, struct answer *, r->members->n);
	int status = STATUS_DONE;

	for (size_t i = 0; i < r->members->n; i++)
		if (is_workload(&r->members->at[i]) == workloads)
			answers[i] = cluster_add_deletion(k, &b, &r->members->at[i], r->dry_run);
	batch_wait(&b);
	for (size_t i = 0; i < r->members->n; i++) {
		const struct answer *x = answers[i];
		if (!x)
			continue;
		d->asked[i] = x->class == CALL_DONE;
		/* an object without finalizers is gone at once */
		r->gone[i] = cluster_is_gone(x) || (d->asked[i] && (r->dry_run || (x->data &&
			str_is(status_text(x->data, "kind"), "Status"))));
		if (!r->gone[i] && !d->asked[i])
			status = runs_worse(status, say_refused(k, x));
	}
	return status;
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
	if (i >= d->what->members->n || d->what->gone[i])
		return;
	d->what->gone[i] = true;
	d->left -= d->asked[i];
	if (!d->left || d->what->step)
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

/* Notes that an object that cannot be used exists. If it is unknown which one, it may be any. */
static void gone_skipped(void *to, const struct json_skipped *s, bool known)
{
	struct gone_watch *w = to;
	const struct members *m = w->removing->what->members;

	(void)known;
	for (size_t i = 0; i < m->n; i++)
		if (s->uid.n ? str_eq(m->at[i].uid, s->uid) : !s->name.n || str_eq(m->at[i].name, s->name))
			w->seen[i] = true;
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

/* Reports what delays the deletion of the first remaining objects, according to the watches. */
static void tell_finalizers(const struct removing *d)
{
	size_t objects = 0;

	for (size_t i = 0; i < d->what->members->n && objects < NAMED; i++) {
		const struct member *m = &d->what->members->at[i];
		if (d->what->gone[i])
			continue;
		for (size_t f = 0; f < d->held[i].n; f++) {
			struct str name = d->held[i].finalizers[f];
			session_say(d->cluster->session, "%.*s/%.*s is held by finalizer '%.*s': %s",
				STR_ARG(m->resource.kind), STR_ARG(m->name), STR_ARG(name), status_holder_words(name));
		}
		objects += d->held[i].n > 0;
	}
}

/* Called half a minute after the start, or after the time in R->slow of cluster_delete(). */
static void on_slow(struct loop_timer *t)
{
	struct removing *d = t->to;
	size_t n = 0;

	for (size_t i = 0; i < d->what->members->n; i++) {
		const struct member *m = &d->what->members->at[i];
		if (d->asked[i] && !d->what->gone[i] && n++ < NAMED)
			session_say(d->cluster->session, "still waiting for %.*s/%.*s", STR_ARG(m->resource.kind),
				STR_ARG(m->name));
	}
	if (n > NAMED)
		session_say(d->cluster->session, "still waiting for %zu more object%s", n - NAMED,
			n == NAMED + 1 ? "" : "s");
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
		bool known = d->what->gone[i] || !d->asked[i];
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
			.keep = keep, .changed = gone_changed, .skipped = gone_skipped, .synced = gone_synced,
			.failed = gone_failed, .to = w };
		w->watch = object_watch_start(k->client.calls, &o);
	}
}

static bool more_to_do(const struct removing *d)
{
	bool step = d->what->step && d->what->step(d->what->to);

	return (d->left || step) && !d->failed && !d->cluster->interrupted;
}

static void wait_until_gone(struct removing *d)
{
	struct cluster *k = d->cluster;
	struct gone_watch *watches;
	size_t n;

	start_watches(d, &watches, &n);
	d->timer = (struct loop_timer){ .fire = on_slow, .to = d };
	loop_timer_set(k->client.loop, &d->timer, d->what->slow ? d->what->slow : 30 * NS_PER_SECOND);
	while (more_to_do(d))
		loop_run(k->client.loop);
	for (size_t i = 0; i < n; i++)
		object_watch_stop(watches[i].watch);
	loop_timer_drop(k->client.loop, &d->timer);
}

/* ---- the end ---- */

/*
 * Appends how many objects are left, with the names of the first ones. ASKED: counts the objects whose deletion the
 * server has accepted; otherwise counts the other objects.
 */
static void put_left(const struct removing *d, bool asked, const char *one, const char *many, struct buf *out)
{
	const struct members *m = d->what->members;
	struct buf names = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (d->what->gone[i] || d->asked[i] != asked)
			continue;
		if (n < NAMED)
			buf_printf(&names, "%s%.*s/%.*s", n ? ", " : "", STR_ARG(m->at[i].resource.kind),
				STR_ARG(m->at[i].name));
		n++;
	}
	if (n)
		buf_printf(out, "; %zu object%s: %.*s", n, n == 1 ? one : many, STR_ARG(buf_text(&names)));
	if (n > NAMED)
		buf_printf(out, " and %zu more", n - NAMED);
	buf_release(&names);
}

/*
 * Reports that the time is up, and which objects are left. If the deletion of some object was not accepted, adds the
 * error of the request that was waited for.
 */
static void tell_late(const struct removing *d)
{
	struct cluster *k = d->cluster;
	struct buf text = { 0 };
	bool kept = false;

	for (size_t i = 0; i < d->what->members->n; i++)
		kept = kept || (!d->what->gone[i] && !d->asked[i]);
	buf_z(&text, k->late_said ? "what is left" : "the time is up");
	if (kept && k->waited.n && !k->late_said)
		buf_printf(&text, ": %.*s", STR_ARG(k->waited));
	put_left(d, true, " is still being deleted", "s are still being deleted", &text);
	put_left(d, false, " is not deleted", "s are not deleted", &text);
	session_say(k->session, "%.*s", STR_ARG(buf_text(&text)));
	k->late_said = true;
	k->waited = STR("");
	tell_finalizers(d);
	buf_release(&text);
}

int cluster_delete(struct cluster *k, struct removal *r)
{
	size_t n = r->members->n, left = 0;
	struct removing d = { .cluster = k, .what = r, .asked = ARENA_ARRAY(k->arena, bool, n),
		.held = ARENA_ARRAY(k->arena, struct holders, n) };

	r->gone = ARENA_ARRAY(k->arena, bool, n);
	int status = delete_wave(&d, true);
	status = runs_worse(status, delete_wave(&d, false));
	if (r->sent && !k->interrupted)
		status = runs_worse(status, r->sent(r->to));
	for (size_t i = 0; i < n; i++)
		d.left += d.asked[i] && !r->gone[i];
	if (!k->interrupted)
		wait_until_gone(&d);
	for (size_t i = 0; i < n; i++) {
		const struct member *m = &r->members->at[i];
		left += !r->gone[i];
		if (r->gone[i] && !r->step && !str_is(option_value(k->session->options, OPTION_OUTPUT), "json"))
			session_print(k->session, str_printf(k->arena, "%.*s/%.*s deleted%s\n",
				STR_ARG(m->resource.kind), STR_ARG(m->name), r->dry_run ? " (dry run)" : ""));
	}
	if (k->late && left)
		tell_late(&d);
	status = runs_worse(status, d.failed);
	if (!left || !k->interrupted)
		return status;
	return runs_worse(status, cluster_interrupted(k));
}
