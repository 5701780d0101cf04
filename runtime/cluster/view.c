/*
 * view.c - keeps the objects of several watches as packed texts. Slots are in a table by uid with open addressing; the
 * slot of a deleted object stays in use until the table grows.
 */
#include "runtime/cluster/view.h"

#include <stdlib.h>

#include "data/data_read.h"
#include "data/data_write.h"
#include "runtime/cluster/members.h"
#include "runtime/cluster/packed.h"
#include "runtime/cluster/skipped.h"
#include "runtime/status/events.h"

enum { VIEW_KINDS = 12 };

struct view_slot {
	/* the uid with a NUL, and the object as packed JSON; NULL: the slot is free, or its object was deleted */
	char *text;
	uint32_t nuid, npacked, hash;
	uint32_t run;                   /* hash of the label that names the run; 0: the object has no such label */
	uint8_t kind;                   /* number of the watch that brought the object */
	bool used;
};

/* An object whose current form cannot be used. */
struct view_skipped {
	struct view_skipped *next;
	struct str uid, ns, run;
};

struct view_watch {
	struct view *view;
	struct resource resource;
	struct object_watch *watch;
	bool synced, failed, cut_off;
	bool records;                   /* the watch delivers records of runs instead of members of runs */
	struct packed packed;           /* the packed objects' models */
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
	struct view_skipped *skipped;
	uint64_t news, records;         /* number of changes of objects, and number of changes of records among them */
};

/* ---- the table ---- */

static struct str slot_uid(const struct view_slot *s) { return (struct str){ s->text, s->nuid }; }

/* Finds the slot of the object UID. MAKE: if the object has no slot, takes a free slot. */
static struct view_slot *slot_find(struct view *v, struct str uid, uint32_t hash, bool make)
{
	struct view_slot *s = NULL;

	for (size_t i = hash, tries = 0; tries < v->nslots; i++, tries++) {
		s = &v->slots[i & (v->nslots - 1)];
		if (!s->used)
			break;
		if (s->text && s->hash == hash && str_eq(slot_uid(s), uid))
			return s;
	}
	if (!make)
		return NULL;
	*s = (struct view_slot){ .used = true, .hash = hash };
	v->nused++;
	return s;
}

/*
 * Makes room by building a new table without the slots of deleted objects, so that the table stays small if only few
 * objects exist at a time.
 */
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
			*slot_find(v, slot_uid(&old[i]), old[i].hash, true) = old[i];
	free(old);
}

static void slot_clear(struct view_slot *s)
{
	free(s->text);
	s->text = NULL;
}

/* ---- watches ---- */

/* May the object matter to a run that is queried? Events stay for an hour each. */
static bool may_matter(const struct view_watch *w, const struct data *object)
{
	const struct view_options *o = &w->view->options;
	struct str about = status_text(object, "involvedObject.name");

	if (!str_is(w->resource.kind, "Event"))
		return true;
	if (!event_explains(object))
		return false;
	if (!o->nruns)
		return true;
	for (size_t i = 0; i < o->nruns; i++)
		if (about.n && memmem(about.p, about.n, o->runs[i].p, o->runs[i].n))
			return true;
	return false;
}

static uint32_t run_hash(struct str run) { return run.n ? str_hash(run) | 1 : 0; }

static void slot_fill(struct view_slot *s, struct view_watch *w, struct str uid, const struct data *object)
{
	struct buf text = { 0 }, all = { 0 };

	data_write(&text, object);
	buf_str(&all, uid);
	buf_char(&all, '\0');
	packed_add(&w->packed, buf_text(&text), &all);
	s->text = memory_resize(NULL, all.n);
	memcpy(s->text, all.p, all.n);
	s->nuid = (uint32_t)uid.n;
	s->npacked = (uint32_t)(all.n - uid.n - 1);
	s->run = run_hash(status_label(object, "trainc.dev/job"));
	s->kind = (uint8_t)(w - w->view->watches);
	buf_release(&text);
	buf_release(&all);
}

static void on_changed(void *to, enum object_change change, const struct data *object)
{
	struct view_watch *w = to;
	struct view *v = w->view;
	struct str uid = status_text(object, "metadata.uid");

	if (!uid.n || !may_matter(w, object))
		return;
	if (2 * (v->nused + 1) > v->nslots)
		table_grow(v);
	struct view_slot *s = slot_find(v, uid, str_hash_stable(uid), change != OBJECT_DELETED);
	if (!s)
		return;
	slot_clear(s);
	if (change != OBJECT_DELETED)
		slot_fill(s, w, uid, object);
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

static void on_skipped(void *to, const struct json_skipped *s, bool known)
{
	struct view_watch *w = to;
	struct view *v = w->view;
	struct view_skipped *x = v->skipped;
	struct str run = s->label;

	(void)known;
	skipped_say(v->options.client, w->resource.kind, s);
	if (str_is(w->resource.kind, "Event"))
		return;
	if (!run.n && w->records && str_ends(s->name, STR(".trainc")))
		run = (struct str){ s->name.p, s->name.n - sizeof ".trainc" + 1 };
	while (x && !str_eq(x->uid, s->uid))
		x = x->next;
	if (x)
		return;
	x = ARENA_NEW(v->arena, struct view_skipped);
	*x = (struct view_skipped){ v->skipped, str_copy(v->arena, s->uid), str_copy(v->arena, s->ns),
		str_copy(v->arena, run) };
	v->skipped = x;
	v->news++;
	if (v->options.changed)
		v->options.changed(v->options.to);
}

static void on_usable(void *to, struct str uid)
{
	struct view_watch *w = to;

	for (struct view_skipped **at = &w->view->skipped; *at;)
		if (str_eq((*at)->uid, uid))
			*at = (*at)->next;
		else
			at = &(*at)->next;
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
			.synced = on_synced, .first = v->options.client->patience,
		.skipped = on_skipped, .usable = on_usable, .kind = r->kind,
		.label = "trainc.dev/job", .state = on_state, .failed = on_failed, .to = w };
	w->watch = object_watch_start(v->options.client->calls, &o);
}

static void start_records(struct view *v)
{
	struct view_watch *w = &v->watches[v->nwatches++];

	*w = (struct view_watch){ .view = v, .resource = *resource_known(STR(""), STR("ConfigMap")),
		.records = true };
	struct object_watch_options o = { .path = resource_path(v->arena, &w->resource, v->options.ns, STR("")),
		.label_selector = v->options.all_records ? STR("trainc.dev/run")
			: STR(APPLYSET_CONTROLLER "=" APPLYSET_SUPERVISE), .keep = record_keep, .changed = on_changed,
		.synced = on_synced, .first = v->options.client->patience,
		.skipped = on_skipped, .usable = on_usable, .kind = w->resource.kind,
		.label = "trainc.dev/run", .state = on_state, .failed = on_failed, .to = w };
	w->watch = object_watch_start(v->options.client->calls, &o);
}

struct view *view_start(struct arena *a, const struct view_options *o)
{
	struct view *v = ARENA_NEW(a, struct view);

	*v = (struct view){ .options = *o, .arena = a };
	start_watch(v, resource_known(STR(""), STR("Pod")), o->selector);
	start_watch(v, resource_known(STR("batch"), STR("Job")), o->selector);
	if (!o->no_events)
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
	for (size_t i = 0; i < v->nwatches; i++)
		packed_release(&v->watches[i].packed);
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

/* An object whose run is unknown may belong to any run. */
bool view_useless(const struct view *v, struct str run, struct str ns)
{
	for (const struct view_skipped *x = v->skipped; x; x = x->next)
		if ((!x->run.n || str_eq(x->run, run)) && (!x->ns.n || !ns.n || str_eq(x->ns, ns)))
			return true;
	return false;
}

/* ---- reading ---- */

/*
 * Is NAME the name of the run ("bert"), or does it begin with the name and a dash ("bert-")? Events have no labels, so
 * only the name of their object can show the run.
 */
static bool is_name_of(struct str name, struct str run)
{
	return str_starts(name, run) && (name.n == run.n || name.p[run.n] == '-');
}

/*
 * Does NAME look like a claim that is kept for a replica, such as "data-bert-worker-0"? The claim itself is checked
 * later.
 */
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

/*
 * Unpacks the object of a slot into TO and returns it if it may concern RUN, otherwise returns an empty text. An object
 * without a label must contain the run's name.
 */
static struct str slot_text(const struct view *v, const struct view_slot *s, struct str run, struct buf *to)
{
	struct str packed = { s->text + s->nuid + 1, s->npacked };

	if (s->run && s->run != run_hash(run))
		return STR("");
	struct str text = packed_text(&v->watches[s->kind].packed, packed, to);
	return s->run || memmem(text.p, text.n, run.p, run.n) ? text : STR("");
}

/* Parses an object and adds `kind` and `apiVersion`, which items of a list lack. NULL: the text is not an object. */
static struct data *tree_of(struct arena *a, const struct resource *r, struct str json)
{
	struct source source = { .text = str_copy(a, json), .base = 1 };
	struct data_error error;
	struct data *d, *text;

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

/* A query to a view, with the memory for the resulting trees. */
struct reading {
	const struct view *view;
	struct str run, ns;
	struct arena *keep;             /* the trees stay in this arena; NULL: each tree is freed before the next is
					 * read */
};

static void each_in(const struct reading *r, bool (*wanted)(const struct view_watch *w, const char *kind),
	const char *kind, void (*each)(void *to, struct str uid, const struct data *object), void *to)
{
	const struct view *v = r->view;
	struct arena scratch = { 0 };
	struct buf json = { 0 };

	for (size_t i = 0; i < v->nslots; i++) {
		const struct view_slot *s = &v->slots[i];
		const struct view_watch *w = &v->watches[s->kind];
		if (!s->text || !wanted(w, kind))
			continue;
		struct str text = slot_text(v, s, r->run, &json);
		const struct data *d = text.n ? tree_of(r->keep ? r->keep : &scratch, &w->resource, text) : NULL;
		if (d && belongs(d, w->resource.kind, r->run, r->ns))
			each(to, slot_uid(s), d);
		arena_reset(&scratch);
	}
	buf_release(&json);
	arena_release(&scratch);
}

/* a run may have very many Pods and Events */
static bool is_many(const struct view_watch *w)
{
	return !w->resource.group.n && (str_is(w->resource.kind, "Pod") || str_is(w->resource.kind, "Event"));
}

static bool is_kind(const struct view_watch *w, const char *kind) { return str_is(w->resource.kind, kind); }
static bool is_one_of_few(const struct view_watch *w, const char *kind) { return !kind && !w->records && !is_many(w); }

void view_each(const struct view *v, const char *kind, struct str run, struct str ns,
	void (*each)(void *to, struct str uid, const struct data *object), void *to)
{
	struct reading r = { v, run, ns, NULL };

	each_in(&r, is_kind, kind, each, to);
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

struct passing {
	void (*each)(void *to, const struct data *object);
	void *to;
};

static void pass_object(void *to, struct str uid, const struct data *object)
{
	const struct passing *p = to;

	(void)uid;
	p->each(p->to, object);
}

static void many(const void *from, const char *kind, void (*each)(void *to, const struct data *object), void *to)
{
	struct passing p = { each, to };

	each_in(from, is_kind, kind, pass_object, &p);
}

void view_objects(const struct view *v, struct arena *a, struct str run, struct str ns, struct status_objects *ret)
{
	struct reading *r = ARENA_NEW(a, struct reading), few = { v, run, ns, a };
	struct collecting c = { a, ret };

	each_in(&few, is_one_of_few, NULL, collect, &c);
	*r = (struct reading){ v, run, ns, NULL };
	ret->many = many;
	ret->from = r;
}
