/*
 * watches.c - one watch for each kind, all over one connection: the custom resources and the objects that they own, and
 * the records of runs with their Jobs and pods. If the cluster does not serve a kind, its watch is tried again from
 * time to time, since the definition of the kind may be created later.
 */
#include "runtime/supervise/watches.h"

#include <stdlib.h>

#include "base/words.h"
#include "data/data_write.h"
#include "runtime/cluster/members.h"
#include "runtime/cluster/object_table.h"
#include "runtime/cluster/object_watch.h"
#include "runtime/status/look.h"
#include "runtime/supervise/jobs.h"
#include "runtime/supervise/log.h"
#include "runtime/supervise/supervised.h"

/*
 * SETTLE_MS: after an outage, the time in which a live watch catches up; PATIENCE_SECONDS: how long to wait for a watch
 * that stays behind the others
 */
enum { WATCHES_MOST = 24, ABSENT_SECONDS = 20, SETTLE_MS = 500, PATIENCE_SECONDS = 30 };

struct one_watch {
	struct watches *all;
	const struct custom_kind *kind; /* the kind of the custom resources; NULL: the watch is for dependents */
	struct str dependent;           /* the kind of the dependents: "Pod" */
	bool run;                       /* the dependents belong to runs, and not to jobs */
	struct str path, selector;
	const char *const *keep;
	struct object_watch *watch;     /* the watch; NULL: the server does not serve the kind, and the watch is tried
					 * again later */
	struct loop_timer again;
	bool synced, absent;
	bool behind;                    /* the connection is lost, the server refused the watch, or a new snapshot is
					 * being taken */
};

struct watches {
	struct controller *control;
	struct arena arena;
	void (*turned)(struct controller *c);
	struct one_watch at[WATCHES_MOST];
	size_t n;
	bool all_synced;
	bool current;                   /* see watches_current() */
	bool impatient;                 /* watches that are behind do not count any more */
	struct loop_timer settle, patience;
};

/* ---- are the watches current? ---- */

static void turn(struct watches *w, bool current)
{
	if (w->current == current)
		return;
	w->current = current;
	w->turned(w->control);
}

static void settled(struct loop_timer *t)
{
	struct watches *w = t->to;

	turn(w, true);
}

static void patience_ended(struct loop_timer *t)
{
	struct watches *w = t->to;

	w->impatient = true;
	turn(w, true);
}

/* Decides again whether the watches are current, after one of them has changed. */
static void look_current(struct watches *w)
{
	struct loop *l = w->control->client.loop;
	size_t behind = 0, live = 0;

	if (!w->all_synced)
		return;
	for (size_t i = 0; i < w->n; i++) {
		behind += w->at[i].behind;
		live += w->at[i].watch && !w->at[i].behind;
	}
	if (!behind || !live) {
		loop_timer_drop(l, &w->patience);
		w->impatient = false;
	}
	if (behind && !w->impatient) {
		loop_timer_drop(l, &w->settle);
		turn(w, false);
		if (live && !loop_timer_armed(&w->patience))
			loop_timer_set(l, &w->patience, PATIENCE_SECONDS * NS_PER_SECOND);
	} else if (!w->current && !loop_timer_armed(&w->settle)) {
		loop_timer_set(l, &w->settle, SETTLE_MS * (NS_PER_SECOND / 1000));
	}
}

static void look_all_synced(struct watches *w)
{
	bool all = true;

	for (size_t i = 0; i < w->n; i++)
		all = all && w->at[i].synced;
	if (!all || w->all_synced)
		return;
	w->all_synced = true;
	turn(w, true);
	look_current(w);
}

static void watch_state(void *to, enum object_watch_state state, struct str why)
{
	struct one_watch *o = to;

	(void)why;
	o->behind = state == OBJECT_WATCH_RECONNECTING || state == OBJECT_WATCH_RELISTING;
	look_current(o->all);
}

/* ---- changes ---- */

static void resource_changed(void *to, enum object_change change, const struct data *object)
{
	struct one_watch *o = to;

	if (change == OBJECT_DELETED)
		jobs_gone(o->all->control, o->kind, object);
	else
		jobs_seen(o->all->control, o->kind, object);
}

/* Queues the job or the run to which a dependent belongs. */
static void touch_owner(void *to, struct str ns, struct str job)
{
	struct one_watch *o = to;

	if (o->run)
		jobs_touch_run(o->all->control, ns, job);
	else
		jobs_touch(o->all->control, ns, job);
}

static void dependent_changed(void *to, enum object_change change, const struct data *object)
{
	struct one_watch *o = to;
	struct controller *c = o->all->control;
	struct store *s = o->run ? &c->run_objects : &c->store;
	struct str ns = status_text(object, "metadata.namespace"), job = status_label(object, store_label(s)),
		uid = status_text(object, "metadata.uid");
	struct arena a = { 0 };

	if (change == OBJECT_DELETED && !job.n)         /* a deletion that was only found by listing again has no
							 * labels */
		store_job(s, &a, uid, &ns, &job);
	bool news = change == OBJECT_DELETED ? store_remove(s, uid) : store_put(s, o->dependent, object);
	if (news)
		touch_owner(o, ns, job);
	arena_release(&a);
}

/* Objects of other shards are not remembered. */
static bool is_in_shard(void *to, struct str ns)
{
	struct one_watch *o = to;

	return shard_has(&o->all->control->shard, ns);
}

/* Does an object exist of which the watch, or an answer to our own request, has reported VERSION? */
static bool still_exists(void *to, struct str uid, struct str version)
{
	const struct one_watch *o = to;

	return object_watch_has(o->watch, uid) || !object_watch_past(o->watch, version);
}

/*
 * Forgets what a new snapshot does not contain. A watch that was refused and then started again knows nothing of the
 * objects from before, and no watch knows objects that only answers to our own requests contained.
 */
static void forget_unseen(struct one_watch *o)
{
	struct controller *c = o->all->control;

	if (o->kind)
		jobs_sweep(c, o->kind, still_exists, o);
	else
		store_sweep(o->run ? &c->run_objects : &c->store, o->dependent, still_exists, touch_owner, o);
}

static void watch_synced(void *to)
{
	struct one_watch *o = to;

	if (o->watch)
		forget_unseen(o);
	o->synced = true;
	look_all_synced(o->all);
}

/* Makes the watch known to the controller: passes ask which version the watches of dependents have reached. */
static void note_watch(struct one_watch *o)
{
	if (o->run)
		return;
	if (str_is(o->dependent, "Pod"))
		o->all->control->pods = o->watch;
	else if (str_is(o->dependent, "Service"))
		o->all->control->services = o->watch;
	else if (str_is(o->dependent, "Job"))
		o->all->control->jobs = o->watch;
}

static void watch_failed(void *to, const struct transport_result *r)
{
	struct one_watch *o = to;
	struct loop *loop = o->all->control->client.loop;

	if (r->code != 404)
		log_line("error", STR(""), "%.*s", STR_ARG(r->error));
	else if (!o->absent)
		log_line("info", STR(""), "the cluster does not serve %.*s", STR_ARG(o->path));
	o->absent = r->code == 404;
	o->behind = !o->absent;
	object_watch_stop(o->watch);
	o->watch = NULL;
	note_watch(o);
	loop_timer_set(loop, &o->again, ABSENT_SECONDS * NS_PER_SECOND);
	if (o->absent)                  /* the kind does not exist in the cluster, so its watch counts as complete */
		watch_synced(o);
	look_current(o->all);
}

static void start_one(struct one_watch *o)
{
	struct object_watch_options options = { .path = o->path, .label_selector = o->selector, .keep = o->keep,
		.changed = o->kind ? resource_changed : dependent_changed, .synced = watch_synced,
		.wanted = is_in_shard, .state = watch_state, .failed = watch_failed, .to = o };

	o->watch = object_watch_start(o->all->control->client.calls, &options);
	note_watch(o);
}

static void start_again(struct loop_timer *t) { start_one(t->to); }

/* ---- the kinds to watch ---- */

static struct one_watch *add(struct watches *w, struct str group, struct str version, struct str plural)
{
	struct one_watch *o = &w->at[w->n++];

	*o = (struct one_watch){ .all = w, .again = { .fire = start_again, .to = o } };
	o->path = transport_path(&w->arena, &(struct transport_place){ .group = group, .version = version,
		.plural = plural, .namespace = w->control->ns });
	return o;
}

static struct one_watch *add_dependents(struct watches *w, struct resource r, const char *selector,
	const char *const *keep)
{
	struct one_watch *o = add(w, r.group, STR("v1"), r.plural);

	o->dependent = r.kind;
	o->keep = keep;
	o->selector = str_of(selector);
	return o;
}

static void add_run_dependents(struct watches *w, const char *group, const char *kind, const char *selector)
{
	const struct resource *r = resource_known(str_of(group), str_of(kind));

	add_dependents(w, *r, selector, keep_of(r->group, r->kind))->run = true;
}

static void add_runs(struct watches *w)
{
	struct one_watch *o = add(w, STR(""), STR("v1"), STR("configmaps"));

	o->kind = &run_record_kind;
	o->selector = STR(APPLYSET_CONTROLLER "=" APPLYSET_SUPERVISE);
	o->keep = record_keep;
	/* the objects of custom resources have the label of runs, too */
	add_run_dependents(w, "batch", "Job", STORE_RUN_LABEL ",!" STORE_LABEL);
	add_run_dependents(w, "apps", "Deployment", STORE_RUN_LABEL ",!" STORE_LABEL);
	add_run_dependents(w, "", "Pod", STORE_RUN_LABEL "," STORE_POD_JOB_LABEL ",!" STORE_LABEL);
}

static void add_kinds(struct watches *w)
{
	const struct controller *c = w->control;
	static const char *const pods[] = { "metadata.deletionTimestamp", "metadata.labels",
		"metadata.ownerReferences.uid",
		"metadata.ownerReferences.controller", "status.phase", "status.reason", "status.conditions.type",
		"status.conditions.status", "status.startTime", "status.containerStatuses.name",
		"status.containerStatuses.restartCount", "status.containerStatuses.state.terminated.exitCode",
		"status.containerStatuses.state.terminated.finishedAt",
		"status.containerStatuses.state.terminated.reason",
		"status.containerStatuses.lastState.terminated.exitCode",
		"status.containerStatuses.lastState.terminated.reason", "status.initContainerStatuses.restartCount",
		NULL };
	static const char *const jobs[] = { "metadata.deletionTimestamp", "metadata.labels",
		"metadata.ownerReferences.uid", "metadata.ownerReferences.controller", "status.active",
		"status.failed", "status.ready", "status.startTime", "status.conditions.type",
		"status.conditions.status", NULL };
	static const char *const services[] = { "metadata.deletionTimestamp", "metadata.labels",
		"metadata.ownerReferences.uid", "metadata.ownerReferences.controller", NULL };
	/* the annotation that kubectl writes for its own use is as long as all other fields together */
	static const char *const resources[] = {
		"-metadata.annotations.[kubectl.kubernetes.io/last-applied-configuration]", NULL };

	const struct custom_kind *k;
	for (size_t i = 0; (k = custom_kind_among(i, c->operators, c->ancestors)); i++) {
		struct one_watch *r = add(w, str_of(k->group), str_of(k->version), str_of(k->plural));
		r->kind = k;
		r->keep = resources;
	}
	add_dependents(w, *resource_known(STR(""), STR("Pod")), STORE_LABEL, pods);
	add_dependents(w, *resource_known(STR(""), STR("Service")), STORE_LABEL, services);
	if (c->ancestors)               /* each replica of these kinds is a Job */
		add_dependents(w, *resource_known(STR("batch"), STR("Job")), STORE_LABEL, jobs);
}

struct watches *watches_start(struct controller *c, void (*turned)(struct controller *c))
{
	struct watches *w = memory_resize(NULL, sizeof *w);

	*w = (struct watches){ .control = c, .turned = turned, .settle = { .fire = settled, .to = w },
		.patience = { .fire = patience_ended, .to = w } };
	c->run_objects.runs = true;
	if (c->operators || c->ancestors)
		add_kinds(w);
	if (c->runs)
		add_runs(w);
	for (size_t i = 0; i < w->n; i++)
		start_one(&w->at[i]);
	return w;
}

void watches_stop(struct watches *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n; i++) {
		object_watch_stop(w->at[i].watch);
		loop_timer_drop(w->control->client.loop, &w->at[i].again);
	}
	loop_timer_drop(w->control->client.loop, &w->settle);
	loop_timer_drop(w->control->client.loop, &w->patience);
	arena_release(&w->arena);
	free(w);
}

bool watches_synced(const struct watches *w) { return w && w->all_synced; }

bool watches_current(const struct watches *w) { return w && w->current; }

void watches_dump(const struct watches *w, struct buf *out)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->at[i].watch)
			object_watch_dump(w->at[i].watch, out);
		else
			buf_printf(out, "watch: %.*s: not served\n", STR_ARG(w->at[i].path));
	}
}
