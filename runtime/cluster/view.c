/*
 * view.c - keeps the objects of several watches as texts. Slots are in a table by uid with open addressing; the slot of
 * a deleted object stays in use until the table grows.
 */
#include "runtime/cluster/view.h"

#include <stdlib.h>

#include "data/data_read.h"
#include "data/data_write.h"
#include "runtime/cluster/members.h"
#include "runtime/status/look.h"

enum { VIEW_KINDS = 12 };

struct view_slot {
	char *text;                     /* the object as JSON; NULL: the slot is free, or its object was deleted */
	uint32_t ntext, hash;
	uint8_t kind;                   /* number of the watch that brought the object */
	bool used;
	char uid[40];
};

struct view_watch {
	struct view *view;
	struct resource resource;
	struct object_watch *watch;
	bool synced, failed, cut_off;
	bool records;                   /* the objects are records of runs, and no part of them */
};

struct view {
	struct view_options options;
	struct arena *arena;
	struct view_watch watches[VIEW_KINDS];
	size_t nwatches;
	struct view_slot *slots;
	size_t nslots, nused;
	struct str why;                 /* the explanation of the first watch that gave up */
	int status;
	int64_t cut_off;
	uint64_t news, records;         /* number of changes of objects, and of records among them */
};

/* ---- the table ---- */

static struct view_slot *slot_find(struct view *v, struct str uid, bool make);

/* Makes room: slots of objects that are gone are given up, so that a table of few objects stays small forever. */
static void table_grow(struct view *v)
{
	struct view_slot *old = v->slots;
	size_t n = v->nslots, there = 0;

	for (size_t i = 0; i < n; i++)
		there += old[i].text != NULL;
	v->nslots = 64;
	while (v->nslots < 4 * (there + 1))
		v->nslots *= 2;
	v->slots = memory_resize(NULL, v->nslots * sizeof *v->slots);
	memset(v->slots, 0, v->nslots * sizeof *v->slots);
	v->nused = 0;
	for (size_t i = 0; i < n; i++)
		if (old[i].text)
			*slot_find(v, str_of(old[i].uid), true) = old[i];
	free(old);
}

static struct view_slot *slot_find(struct view *v, struct str uid, bool make)
{
	uint32_t hash = str_hash_stable(uid);

	if (uid.n >= sizeof v->slots->uid)
		return NULL;
	if (make && 2 * (v->nused + 1) > v->nslots)
		table_grow(v);
	for (size_t i = hash, tries = 0; tries < v->nslots; i++, tries++) {
		struct view_slot *s = &v->slots[i & (v->nslots - 1)];
		if (s->used && (s->hash != hash || !str_is(uid, s->uid)))
			continue;
		if (s->used)
			return s;
		if (!make)
			return NULL;
		*s = (struct view_slot){ .used = true, .hash = hash };
		memcpy(s->uid, uid.p, uid.n);
		v->nused++;
		return s;
	}
	return NULL;
}

static void slot_clear(struct view_slot *s)
{
	free(s->text);
	s->text = NULL;
}

/* ---- watches ---- */

/* May the object matter to a run that is asked about? A namespace is full of Events of others, for an hour each. */
static bool may_matter(const struct view_watch *w, const struct data *object)
{
	const struct view_options *o = &w->view->options;
	struct str about = status_text(object, "involvedObject.name");

	if (!o->nruns || !str_is(w->resource.kind, "Event"))
		return true;
	for (size_t i = 0; i < o->nruns; i++)
		if (about.n && memmem(about.p, about.n, o->runs[i].p, o->runs[i].n))
			return true;
	return false;
}

static void on_changed(void *to, enum object_change change, const struct data *object)
{
	struct view_watch *w = to;
	struct view *v = w->view;
	struct buf b = { 0 };

	if (!may_matter(w, object))
		return;
	struct view_slot *s = slot_find(v, status_text(object, "metadata.uid"), change != OBJECT_DELETED);
	if (!s)
		return;
	slot_clear(s);
	if (change != OBJECT_DELETED) {
		data_write(&b, object);
		s->text = memory_resize(NULL, b.n + 1);
		memcpy(s->text, b.p ? b.p : "", b.n);
		s->text[b.n] = '\0';
		s->ntext = (uint32_t)b.n;
		s->kind = (uint8_t)(w - v->watches);
		buf_release(&b);
	}
	v->news++;
	v->records += w->records;
	if (v->options.changed)
		v->options.changed(v->options.to);
}

static void on_synced(void *to)
{
	struct view_watch *w = to;

	w->synced = true;
	if (w->view->options.changed)
		w->view->options.changed(w->view->options.to);
}

static void on_state(void *to, enum object_watch_state state, struct str why)
{
	struct view_watch *w = to;
	struct view *v = w->view;
	bool any = false;

	(void)why;
	w->cut_off = state == OBJECT_WATCH_RECONNECTING;
	for (size_t i = 0; i < v->nwatches; i++)
		any = any || v->watches[i].cut_off;
	v->cut_off = !any ? 0 : v->cut_off ? v->cut_off : loop_now(v->options.client->loop);
	if (v->options.changed)
		v->options.changed(v->options.to);
}

/* Handles a watch that gave up. Events are only evidence: without them runs are still judged. */
static void on_failed(void *to, const struct transport_result *r)
{
	struct view_watch *w = to;
	struct view *v = w->view;

	w->failed = w->synced = true;
	if (!str_is(w->resource.kind, "Event") && call_class(r) != CALL_NOT_FOUND && !v->status) {
		v->status = call_exit_status(r);
		v->why = str_copy(v->arena, r->error);
	}
	if (v->options.changed)
		v->options.changed(v->options.to);
}

static void start_watch(struct view *v, const struct resource *r, struct str selector)
{
	struct view_watch *w = &v->watches[v->nwatches];

	if (v->nwatches == VIEW_KINDS)
		return;
	v->nwatches++;
	*w = (struct view_watch){ .view = v, .resource = *r };
	struct object_watch_options o = { .path = resource_path(v->arena, r, v->options.ns, STR("")),
		.label_selector = selector,
		.keep = keep_of(r->group, r->kind), .uncached = str_is(r->kind, "Event"), .changed = on_changed,
			.synced = on_synced,
		.state = on_state, .failed = on_failed, .to = w };
	w->watch = object_watch_start(v->options.client->calls, &o);
}

static void start_records(struct view *v)
{
	struct view_watch *w = &v->watches[v->nwatches++];

	*w = (struct view_watch){ .view = v, .resource = *resource_known(STR(""), STR("ConfigMap")),
		.records = true };
	struct object_watch_options o = { .path = resource_path(v->arena, &w->resource, v->options.ns, STR("")),
		.label_selector = STR(APPLYSET_CONTROLLER "=" APPLYSET_SUPERVISE), .changed = on_changed,
		.synced = on_synced, .state = on_state, .failed = on_failed, .to = w };
	w->watch = object_watch_start(v->options.client->calls, &o);
}

struct view *view_start(struct arena *a, const struct view_options *o)
{
	struct view *v = ARENA_NEW(a, struct view);

	*v = (struct view){ .options = *o, .arena = a };
	start_watch(v, resource_known(STR(""), STR("Pod")), o->selector);
	start_watch(v, resource_known(STR("batch"), STR("Job")), o->selector);
	start_watch(v, resource_known(STR(""), STR("Event")), STR(""));
	if (o->records)
		start_records(v);
	for (size_t i = 0; i < o->nkinds; i++)
		start_watch(v, &o->kinds[i], str_is(o->kinds[i].group, "kueue.x-k8s.io") ? STR("") : o->selector);
	return v;
}

void view_stop(struct view *v)
{
	for (size_t i = 0; i < v->nwatches; i++)
		if (v->watches[i].watch)
			object_watch_stop(v->watches[i].watch);
	for (size_t i = 0; i < v->nslots; i++)
		slot_clear(&v->slots[i]);
	free(v->slots);
	v->slots = NULL;
	v->nslots = v->nwatches = 0;
}

bool view_synced(const struct view *v)
{
	for (size_t i = 0; i < v->nwatches; i++)
		if (!v->watches[i].synced)
			return false;
	return true;
}

bool view_failed(const struct view *v, struct str *ret_why, int *ret_status)
{
	*ret_why = v->why;
	*ret_status = v->status;
	return v->status != 0;
}

uint64_t view_news(const struct view *v) { return v->news; }
uint64_t view_records(const struct view *v) { return v->records; }
int64_t view_cut_off(const struct view *v) { return v->cut_off; }

/* ---- reading ---- */

/* Is NAME the name of the run, "bert", or does it begin with "bert-"? Events have no labels and name their object. */
static bool is_name_of(struct str name, struct str run)
{
	return str_starts(name, run) && (name.n == run.n || name.p[run.n] == '-');
}

/* May NAME be that of a claim that is kept for a replica, "data-bert-worker-0"? The claim itself decides later. */
static bool is_claim_of(struct str name, struct str run)
{
	for (size_t i = 1; i < name.n; i++)
		if (name.p[i - 1] == '-' && is_name_of((struct str){ name.p + i, name.n - i }, run))
			return true;
	return false;
}

static bool belongs(const struct data *o, struct str kind, struct str run, struct str ns)
{
	struct str of = status_text(o, "metadata.namespace"), label = status_label(o, "trainc.dev/job");

	if (ns.n && of.n && !str_eq(ns, of))
		return false;
	if (str_is(kind, "Event"))
		return is_name_of(status_text(o, "involvedObject.name"), run) ||
			(str_is(status_text(o, "involvedObject.kind"), "PersistentVolumeClaim") &&
			 is_claim_of(status_text(o, "involvedObject.name"), run));
	return label.n ? str_eq(label, run) : true;
}

/* May the text concern RUN? Every object that belongs to the run contains its name. */
static bool mentions(const struct view_slot *s, struct str run) { return memmem(s->text, s->ntext, run.p,
	run.n) != NULL; }

/* The tree of a slot, with `kind` and `apiVersion`, which items of a list do not have. */
static struct data *slot_tree(const struct view *v, const struct view_slot *s, struct arena *a)
{
	const struct resource *r = &v->watches[s->kind].resource;
	struct source source = { .text = { s->text, s->ntext }, .base = 1 };
	struct data_error error;
	struct data *d, *text;

	source.text = str_copy(a, source.text);
	if (!data_read_json(a, &source, &d, &error) || d->kind != DATA_MAP)
		return NULL;
	if (data_get(d, STR("kind")))
		return d;
	struct data_member *at = ARENA_ARRAY(a, struct data_member, d->u.map.n + 2);
	memcpy(at + 2, d->u.map.at, d->u.map.n * sizeof *at);
	text = ARENA_NEW(a, struct data);
	*text = (struct data){ .kind = DATA_STRING, .u.string = r->kind };
	at[0] = (struct data_member){ .key = STR("kind"), .value = text };
	text = ARENA_NEW(a, struct data);
	*text = (struct data){ .kind = DATA_STRING, .u.string = r->group.n
		? str_printf(a, "%.*s/%.*s", STR_ARG(r->group), STR_ARG(r->version)) : r->version };
	at[1] = (struct data_member){ .key = STR("apiVersion"), .value = text };
	d->u.map.at = at;
	d->u.map.n += 2;
	return d;
}

void view_each(const struct view *v, struct arena *a, const char *kind, struct str run, struct str ns,
	void (*each)(void *to, struct str uid, const struct data *object), void *to)
{
	for (size_t i = 0; i < v->nslots; i++) {
		const struct view_slot *s = &v->slots[i];
		const struct view_watch *w = &v->watches[s->kind];
		bool wanted = kind ? str_is(w->resource.kind, kind) : !w->records;
		if (!s->text || !wanted || !mentions(s, run))
			continue;
		const struct data *d = slot_tree(v, s, a);
		if (d && belongs(d, v->watches[s->kind].resource.kind, run, ns))
			each(to, str_of(s->uid), d);
	}
}

struct collecting {
	struct arena *arena;
	struct status_objects *objects;
};

static void collect(void *to, struct str uid, const struct data *object)
{
	struct collecting *c = to;

	(void)uid;
	ARENA_PUSH(c->arena, c->objects->at, c->objects->n, object);
}

void view_objects(const struct view *v, struct arena *a, struct str run, struct str ns, struct status_objects *ret)
{
	struct collecting c = { a, ret };

	view_each(v, a, NULL, run, ns, collect, &c);
}
