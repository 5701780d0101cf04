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
#include "runtime/supervise/log.h"
#include "runtime/supervise/spaces.h"
#include "runtime/supervise/supervise_jobs.h"
#include "runtime/supervise/supervise_kinds.h"
#include "runtime/supervise/supervised.h"
#include "runtime/supervise/useless.h"

enum { DEPENDENT_KEPT = 128 << 10 };    /* largest size of what is kept of an object that belongs to a job */
/*
 * SETTLE_MS: after an outage, the time in which a live watch catches up; PATIENCE_SECONDS: how long to wait for a watch
 * that stays behind the others, and how long all must be live before the next one is waited for; READY_SECONDS: how
 * long a watch may be interrupted until the controller is not ready. A watch is named in the log after SAY_SECONDS, and
 * again after ever longer times, up to SAY_LONGEST. JOIN_MS: time in which further namespaces may join, before their
 * objects are read; JOIN_SECONDS: shortest time between two readings.
 */
enum { WATCHES_MOST = METRICS_KINDS, ABSENT_SECONDS = 20, SETTLE_MS = 500, PATIENCE_SECONDS = 30, READY_SECONDS = 10,
	SAY_SECONDS = 3, SAY_LONGEST = 600, WHY_LONGEST = 300, JOIN_MS = 200, JOIN_SECONDS = 10 };

struct one_watch {
	struct watches *all;
	const struct custom_kind *kind; /* the kind of the custom resources; NULL: the watch is for dependents */
	struct str dependent;           /* the kind of the dependents: "Pod" */
	bool spaces;                    /* the watch is for the namespaces that the controller attends */
	bool rereads;                   /* the watch was started again for namespaces that join, and has not reported
					 * all of their objects yet */
	bool run;                       /* the dependents belong to runs, and not to jobs */
	struct str path, selector;
	const char *const *keep;
	struct object_watch *watch;     /* the watch; NULL: the server does not serve the kind, and the watch is tried
					 * again later */
	struct loop_timer again;
	bool synced, absent;
	bool behind;                    /* the connection is lost, the server refused the watch, or a new snapshot is
					 * being taken */
	struct useless_kind named;      /* the kind of its objects */
	bool live;                      /* synced and not behind */
	int64_t since;                  /* by loop_now(): since when the watch is not live */
	struct loop_timer say;          /* fires when the log names the watch, which is not live */
	unsigned said;                  /* number of lines of the log about it since it was live */
	char why[WHY_LONGEST];          /* why it is not live; empty: nothing has arrived yet */
};

struct watches {
	struct controller *control;
	struct arena arena;
	void (*turned)(struct controller *c);
	struct one_watch at[WATCHES_MOST];
	size_t n;
	bool others;                    /* the namespaces are known, and all other watches have been started */
	bool all_synced;
	bool current;                   /* see watches_current() */
	bool impatient;                 /* watches that are behind do not count any more */
	bool begun;                     /* the first lists do not count any more */
	struct loop_timer settle, patience, calm, first;
	struct loop_timer join;         /* fires when the objects of new namespaces are to be read */
	int64_t joined;                 /* by loop_now(): when such objects were last read; 0: never */
};

/* ---- are the watches current? ---- */

static void turn(struct watches *w, bool current)
{
	if (w->current == current)
		return;
	w->current = current;
	w->turned(w->control);
}

/* Lets new namespaces join if all of their objects are known now. */
static void look_complete(struct watches *w)
{
	bool all = w->all_synced && !loop_timer_armed(&w->join);

	for (size_t i = 0; i < w->n; i++)
		all = all && !(w->at[i].rereads && w->at[i].watch);
	if (all)
		spaces_join(w->control);
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

static void calmed(struct loop_timer *t)
{
	struct watches *w = t->to;

	loop_timer_drop(w->control->client.loop, &w->patience);
	w->impatient = false;
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
	if (!live) {
		loop_timer_drop(l, &w->patience);
		w->impatient = false;
	}
	if (behind)
		loop_timer_drop(l, &w->calm);
	else if ((w->impatient || loop_timer_armed(&w->patience)) && !loop_timer_armed(&w->calm))
		loop_timer_set(l, &w->calm, PATIENCE_SECONDS * NS_PER_SECOND);
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
	if ((!all && !w->begun) || w->all_synced)
		return;
	loop_timer_drop(w->control->client.loop, &w->first);
	w->all_synced = true;
	turn(w, true);
	look_current(w);
	look_complete(w);
}

/* The first lists have had enough time: a watch without one delays only its own jobs from now on. */
static void first_ended(struct loop_timer *t)
{
	struct watches *w = t->to;

	w->begun = true;
	look_all_synced(w);
}

/* ---- naming the watches that are not live ---- */

static void put_watch_name(const struct one_watch *o, struct buf *out)
{
	buf_printf(out, "%.*s%s", STR_ARG(o->named.kind), o->run ? " of runs" : "");
}

static void put_watch_why(const struct one_watch *o, struct buf *out)
{
	if (*o->why)
		put_escaped(out, str_of(o->why));
	else
		buf_z(out, o->synced ? "a new list is being read" : "its first list has not arrived");
}

/* Names the watch in the log; next time after twice the time. */
static void say_not_live(struct loop_timer *t)
{
	struct one_watch *o = t->to;
	struct loop *l = o->all->control->client.loop;
	struct buf name = { 0 }, why = { 0 };
	int64_t next = (int64_t)SAY_SECONDS << (o->said < 8 ? o->said : 8);

	put_watch_name(o, &name);
	put_watch_why(o, &why);
	log_line("warning", STR(""), "the watch of %.*s (%.*s) is not live since %lld s: %.*s",
		STR_ARG(buf_text(&name)), STR_ARG(o->path), (long long)((loop_now(l) - o->since) / NS_PER_SECOND),
		STR_ARG(buf_text(&why)));
	o->said++;
	loop_timer_set(l, &o->say, (next < SAY_LONGEST ? next : SAY_LONGEST) * NS_PER_SECOND);
	buf_release(&name);
	buf_release(&why);
}

static void note_why(struct one_watch *o, struct str why)
{
	size_t n = why.n < WHY_LONGEST ? why.n : WHY_LONGEST - 1;

	if (!why.n)
		return;
	memcpy(o->why, why.p, n);
	o->why[n] = '\0';
}

static void note_live(struct one_watch *o)
{
	struct loop *l = o->all->control->client.loop;
	bool live = o->synced && !o->behind;

	if (live == o->live)
		return;
	o->live = live;
	loop_timer_drop(l, &o->say);
	if (!live) {
		o->since = loop_now(l);
		loop_timer_set(l, &o->say, SAY_SECONDS * NS_PER_SECOND);
		return;
	}
	if (o->said)
		log_line("info", STR(""), "the watch of %.*s (%.*s) is live again after %lld s",
			STR_ARG(o->named.kind), STR_ARG(o->path),
			(long long)((loop_now(l) - o->since) / NS_PER_SECOND));
	o->said = 0;
	o->why[0] = '\0';
}

static void start_one(struct one_watch *o);

static void watch_state(void *to, enum object_watch_state state, struct str why)
{
	struct one_watch *o = to;

	note_why(o, why);
	o->behind = state == OBJECT_WATCH_RECONNECTING || state == OBJECT_WATCH_RELISTING ||
		(state == OBJECT_WATCH_LISTING && o->rereads);
	note_live(o);
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

/* Objects of other shards, and of namespaces that are not attended, are not remembered. */
static bool is_attended(void *to, struct str ns)
{
	const struct one_watch *o = to;

	return shard_has(&o->all->control->shard, ns) && spaces_attend(o->all->control, ns);
}

/* ---- objects that cannot be used ---- */

/* Names an object, and holds its job. */
static void watch_skipped(void *to, const struct json_skipped *s, bool known)
{
	struct one_watch *o = to;
	struct controller *c = o->all->control;
	struct json_skipped held = *s;
	struct arena a = { 0 };
	struct str ns = s->ns, job = s->label;

	(void)known;
	if (o->spaces || !is_attended(o, s->ns))
		return;
	useless_report(c, &o->named, s);
	if (o->kind) {
		jobs_useless(c, o->kind, s->ns, s->name, s->uid);
	} else {
		store_job(o->run ? &c->run_objects : &c->store, &a, s->uid, &ns, &job);
		held.ns = ns;
		held.label = job;
		useless_begin(c, &o->named, o->run, &held);
	}
	arena_release(&a);
}

static bool is_in_watch(void *to, struct str uid)
{
	const struct one_watch *o = to;

	return object_watch_has(o->watch, uid);
}

static void watch_usable(void *to, struct str uid)
{
	struct one_watch *o = to;
	struct arena a = { 0 };
	struct str ns, job;

	if (!o->kind && useless_end(o->all->control, &a, o->run, uid, &ns, &job))
		touch_owner(o, ns, job);
	arena_release(&a);
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
	watch_usable(o, uid);                   /* also if the watch was started again since it was useless */
	bool news = change == OBJECT_DELETED ? store_remove(s, uid) : store_put(s, o->dependent, object);
	if (news)
		touch_owner(o, ns, job);
	arena_release(&a);
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

	if (o->spaces)
		spaces_forget_unseen(c);
	else if (o->kind)
		jobs_sweep(c, o->kind, still_exists, o);
	else
		store_sweep(o->run ? &c->run_objects : &c->store, o->dependent, still_exists, touch_owner, o);
}

/* ---- namespaces that join and leave ---- */

/*
 * Reads all objects again, because those of the namespaces that have joined were not remembered. Until all watches are
 * live again, no pass starts, as after an outage.
 */
static void read_again(struct loop_timer *t)
{
	struct watches *w = t->to;

	w->joined = loop_now(w->control->client.loop);
	for (size_t i = 0; i < w->n; i++) {
		struct one_watch *o = &w->at[i];
		if (o->spaces || !o->watch)
			continue;
		object_watch_stop(o->watch);
		start_one(o);
		o->rereads = o->behind = w->all_synced;
	}
	look_current(w);
}

static void read_again_later(struct watches *w)
{
	struct loop *l = w->control->client.loop;
	int64_t wait = JOIN_MS * (NS_PER_SECOND / 1000),
		next = w->joined ? w->joined + JOIN_SECONDS * NS_PER_SECOND - loop_now(l) : 0;

	if (w->others && !loop_timer_armed(&w->join))
		loop_timer_set(l, &w->join, next > wait ? next : wait);
}

/* When a namespace that still exists leaves, the watches are started again, too, so that they forget its objects. */
static void space_changed(void *to, enum object_change change, const struct data *object)
{
	struct one_watch *o = to;
	struct controller *c = o->all->control;
	struct str ns = status_text(object, "metadata.name");

	if (!shard_has(&c->shard, ns))
		return;
	if (change != OBJECT_DELETED ? spaces_select(c, ns)
	    : spaces_deselect(c, ns) && !status_text(object, "metadata.deletionTimestamp").n)
		read_again_later(o->all);
}

/* Starts the watches for what is in the namespaces, once these are known. */
static void begin_others(struct watches *w)
{
	for (size_t i = 0; i < w->n && !w->others; i++)
		if (!w->at[i].spaces)
			start_one(&w->at[i]);
	w->others = true;
}

static void watch_synced(void *to)
{
	struct one_watch *o = to;

	if (o->watch) {
		useless_sweep(o->all->control, &o->named, is_in_watch, touch_owner, o);
		forget_unseen(o);
	}
	o->synced = true;
	o->rereads = false;
	note_live(o);
	if (o->spaces)
		begin_others(o->all);
	look_all_synced(o->all);
	look_complete(o->all);
}

/* Makes the watch known to the controller: passes ask which version the watches of dependents have reached. */
static void note_watch(struct one_watch *o)
{
	if (o->run || o->spaces)
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

	note_why(o, r->code == 404 ? STR("") : r->error);
	if (r->code == 404 && !o->absent)
		log_line("info", STR(""), "the cluster does not serve %.*s", STR_ARG(o->path));
	o->absent = r->code == 404;
	o->behind = !o->absent;
	object_watch_stop(o->watch);
	o->watch = NULL;
	note_watch(o);
	loop_timer_set(loop, &o->again, ABSENT_SECONDS * NS_PER_SECOND);
	note_live(o);
	if (!o->absent && !o->said) {   /* a refusal does not pass in a moment */
		o->said = 3;
		say_not_live(&o->say);
	}
	if (o->absent && !o->spaces)    /* the kind does not exist in the cluster, so its watch counts as complete */
		watch_synced(o);
	look_current(o->all);
}

static void start_one(struct one_watch *o)
{
	struct object_watch_options options = { .path = o->path, .label_selector = o->selector, .keep = o->keep,
		.changed = o->spaces ? space_changed : o->kind ? resource_changed : dependent_changed,
		.synced = watch_synced, .wanted = o->spaces ? NULL : is_attended, .state = watch_state,
		.failed = watch_failed, .to = o, .kind = o->named.kind,
		.kept = o->kind ? 0 : DEPENDENT_KEPT,
		.label = o->kind || o->spaces ? NULL : o->run ? STORE_RUN_LABEL : STORE_LABEL,
		.skipped = watch_skipped, .usable = watch_usable };

	if (o->spaces)
		spaces_unsee(o->all->control);
	o->watch = object_watch_start(o->all->control->client.calls, &options);
	note_watch(o);
}

static void start_again(struct loop_timer *t) { start_one(t->to); }

/* ---- the kinds to watch ---- */

static struct one_watch *watch_add(struct watches *w, struct str group, struct str version, struct str plural,
	struct str kind)
{
	struct one_watch *o = &w->at[w->n++];

	*o = (struct one_watch){ .all = w, .again = { .fire = start_again, .to = o },
		.say = { .fire = say_not_live, .to = o }, .live = true,
		.named = { .group = group, .version = version, .kind = kind } };
	o->path = transport_path(&w->arena, &(struct transport_place){ .group = group, .version = version,
		.plural = plural, .namespace = w->control->ns });
	return o;
}

/* Watches the namespaces with the label. Only those are sent by the API server, and only their names are kept. */
static void add_spaces(struct watches *w)
{
	static const char *const names[] = { "metadata.deletionTimestamp", NULL };
	struct one_watch *o = &w->at[w->n++];

	*o = (struct one_watch){ .all = w, .spaces = true, .again = { .fire = start_again, .to = o },
		.say = { .fire = say_not_live, .to = o }, .live = true, .keep = names,
		.selector = w->control->selector, .named = { .version = STR("v1"), .kind = STR("Namespace") } };
	o->path = transport_path(&w->arena, &(struct transport_place){ .version = STR("v1"),
		.plural = STR("namespaces") });
}

static struct one_watch *add_dependents(struct watches *w, struct resource r, const char *selector,
	const char *const *keep)
{
	struct one_watch *o = watch_add(w, r.group, STR("v1"), r.plural, r.kind);

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
	struct one_watch *o = watch_add(w, STR(""), STR("v1"), STR("configmaps"), STR("ConfigMap"));

	o->kind = &run_record_kind;
	o->selector = STR(APPLYSET_CONTROLLER "=" APPLYSET_SUPERVISE);
	o->keep = record_keep;
	/*
	 * The objects of custom resources have the label of runs, too, and frameworks may give the objects of runs the
	 * label of an operator. Only `apply` makes an object a member of a set, and only Jobs have pods with the uid of
	 * a controller as a label.
	 */
	add_run_dependents(w, "batch", "Job", STORE_RUN_LABEL "," APPLYSET_PART_OF);
	add_run_dependents(w, "apps", "Deployment", STORE_RUN_LABEL "," APPLYSET_PART_OF);
	add_run_dependents(w, "", "Pod", w->control->ancestors
		? STORE_RUN_LABEL "," STORE_POD_JOB_LABEL ",!" STORE_TYPE_LABEL
		: STORE_RUN_LABEL "," STORE_POD_JOB_LABEL);
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
	/*
	 * The annotation that kubectl writes for its own use is as long as all other fields together. Managed fields
	 * mean nothing in a template, and the definitions of the kinds keep whatever is in them.
	 */
	static const char *const resources[] = {
		"-metadata.annotations.[kubectl.kubernetes.io/last-applied-configuration]",
		"-metadata.managedFields", "-spec.*.*.template.metadata.managedFields", NULL };

	const struct custom_kind *k;
	for (size_t at = 0; (k = kinds_next(c, &at));) {
		struct one_watch *r = watch_add(w, str_of(k->group), str_of(k->version), str_of(k->plural),
			str_of(k->kind));
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
		.patience = { .fire = patience_ended, .to = w }, .calm = { .fire = calmed, .to = w },
		.first = { .fire = first_ended, .to = w }, .join = { .fire = read_again, .to = w } };
	c->run_objects.runs = true;
	if (c->selector.n)
		add_spaces(w);
	if (c->operators || c->ancestors)
		add_kinds(w);
	if (c->runs)
		add_runs(w);
	c->metrics.nkinds = w->n;
	for (size_t i = 0; i < w->n; i++) {
		struct one_watch *o = &w->at[i];
		o->named.count = &c->metrics.kinds[i];
		*o->named.count = (struct metrics_kind){ .kind = o->named.kind,
			.of = o->run || o->kind == &run_record_kind ? "runs" : "jobs" };
		note_live(o);
	}
	if (c->selector.n)
		start_one(&w->at[0]);
	else
		begin_others(w);
	loop_timer_set(c->client.loop, &w->first, PATIENCE_SECONDS * NS_PER_SECOND);
	return w;
}

void watches_stop(struct watches *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n; i++) {
		object_watch_stop(w->at[i].watch);
		loop_timer_drop(w->control->client.loop, &w->at[i].again);
		loop_timer_drop(w->control->client.loop, &w->at[i].say);
	}
	loop_timer_drop(w->control->client.loop, &w->calm);
	loop_timer_drop(w->control->client.loop, &w->first);
	loop_timer_drop(w->control->client.loop, &w->settle);
	loop_timer_drop(w->control->client.loop, &w->join);
	loop_timer_drop(w->control->client.loop, &w->patience);
	arena_release(&w->arena);
	free(w);
}

bool watches_cover(const struct watches *w, bool run)
{
	for (size_t i = 0; i < w->n; i++)
		if (!w->at[i].kind && w->at[i].run == run && !w->at[i].synced)
			return false;
	return true;
}

bool watches_ready(const struct watches *w, struct buf *out)
{
	bool ready = w != NULL;

	if (!w)
		buf_z(out, "the watches have not begun\n");
	for (size_t i = 0; w && i < w->n; i++) {
		const struct one_watch *o = &w->at[i];
		if (o->live)
			continue;
		int64_t time = loop_now(w->control->client.loop) - o->since;
		ready = ready && o->synced && time < READY_SECONDS * NS_PER_SECOND;
		buf_z(out, "the watch of ");
		put_watch_name(o, out);
		buf_printf(out, " (%.*s) is not live since %lld s: ", STR_ARG(o->path),
			(long long)(time / NS_PER_SECOND));
		put_watch_why(o, out);
		buf_char(out, '\n');
	}
	return ready;
}

void watches_missing(const struct watches *w, struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct one_watch *o = &w->at[i];
		if (!o->behind)
			continue;
		buf_z(out, n++ ? ", " : "");
		put_watch_name(o, out);
		buf_z(out, " (");
		put_watch_why(o, out);
		buf_char(out, ')');
	}
}

void watches_measure(struct watches *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct one_watch *o = &w->at[i];
		o->named.count->live = o->live;
		o->named.count->useless = o->watch ? object_watch_useless(o->watch) : 0;
	}
}

bool watches_current(const struct watches *w) { return w && w->current; }

void watches_dump(const struct watches *w, struct buf *out)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->at[i].watch)
			object_watch_dump(w->at[i].watch, out);
		else
			buf_printf(out, "watch: %.*s: %s\n", STR_ARG(w->at[i].path), w->others ? "not served"
				: "waits for the namespaces");
	}
}
