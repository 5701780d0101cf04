/*
 * object_watch.c - watches one collection: snapshots, then events, over as many connections as necessary. Each snapshot
 * has a number, which each object in the snapshot gets. When the snapshot is complete, objects with an older number
 * have been deleted. A snapshot that breaks off changes nothing: the next one has a new number.
 */
#include "runtime/cluster/object_watch.h"

#include <stdlib.h>

#include "base/words.h"
#include "runtime/cluster/cluster_expected.h"
#include "runtime/cluster/object_check.h"
#include "runtime/cluster/object_table.h"

#define QUIET (150 * NS_PER_SECOND)
#define SHORTEST_PAUSE (NS_PER_SECOND / 20)
#define LONGEST_PAUSE (10 * NS_PER_SECOND)
#define EARLY (5 * NS_PER_SECOND)       /* if the server ends a watch within this time, the server could not serve it */
#define LONGEST_EARLY NS_PER_SECOND
#define STEADY (30 * NS_PER_SECOND)     /* a connection that lasted this long counts as a success */
/* GARBLED_RELIST: after so many connections in a row that did not bring JSON, a new snapshot is taken */
enum { STRANGE_ERRORS = 2, GARBLED_RELIST = 3, IDLE_LARGEST = 64 << 20 };

struct object_watch {
	struct calls *calls;
	struct object_watch_options o;
	struct arena arena;             /* memory of the options */
	struct arena scratch;           /* memory of one event */
	const char **keep;              /* paths to keep in lists; NULL: everything but managed fields */
	struct json_stream *stream;
	struct call *call;
	struct object_list *list;
	struct loop_timer timer;        /* timer for the pause before the next connection */
	/* after a connection that did not bring JSON: fires when the next one has lasted for some time */
	struct loop_timer steady;
	unsigned garbled;               /* number of consecutive connections that did not bring JSON */
	size_t useless;                 /* number of rows whose last form could not be used */
	bool unnamed;                   /* the snapshot contains an object of which neither uid nor name is known */
	struct loop_timer late;         /* timer for the limit of the first snapshot */
	int64_t began;
	uint64_t bytes, idle;           /* number of bytes received: all, and since the last event */
	enum object_watch_state state;
	struct object_table table;
	uint32_t snapshot;
	bool taking;                    /* a snapshot is under way */
	bool synced;                    /* a complete snapshot has been received */
	bool no_streaming;              /* the server does not support streaming lists, so pages and a watch are used */
	char version[64];               /* version to continue from; empty: a snapshot is needed */
	unsigned pauses;                /* number of pauses since the last event */
	unsigned early;                 /* number of consecutive connections that the server ended early */
	unsigned strange, reconnects;
	struct str ns, kind;            /* namespace and kind of the objects; empty: any, or unknown */
	bool moved;                     /* this connection has brought an event */
	bool relist, ended;
	unsigned inside;                /* number of callbacks that are running: W is not freed meanwhile */
	int64_t server_wait;            /* delay that an ERROR event requests; -1: no delay was requested */
};

static void connect_now(struct object_watch *w);

/* ---- texts of an object ---- */

static const struct data *map_member(const struct data *map, const char *name)
{
	return map && map->kind == DATA_MAP ? data_get(map, str_of(name)) : NULL;
}

static struct str text_member(const struct data *map, const char *name)
{
	const struct data *d = map_member(map, name);

	return d && d->kind == DATA_STRING ? d->u.string : STR("");
}

static void set_state(struct object_watch *w, enum object_watch_state state, struct str why)
{
	if (w->state == state && !why.n)
		return;
	w->state = state;
	if (w->o.state)
		w->o.state(w->o.to, state, why);
}

static void set_version(struct object_watch *w, struct str version)
{
	if (!version.n || version.n >= sizeof w->version)
		return;
	memcpy(w->version, version.p, version.n);
	w->version[version.n] = 0;
}

/*
 * Reports that the watch is live. Events from before the text that is not JSON may arrive each time, so a watch that
 * failed because of such a text is live only when it has lasted for some time.
 */
static void set_live(struct object_watch *w)
{
	struct loop *l = transport_loop(calls_transport(w->calls));

	if (!w->garbled)
		set_state(w, OBJECT_WATCH_LIVE, STR(""));
	else if (!loop_timer_armed(&w->steady))
		loop_timer_set(l, &w->steady, STEADY);
}

/* ---- the end ---- */

static void watch_free(struct object_watch *w)
{
	loop_timer_drop(transport_loop(calls_transport(w->calls)), &w->timer);
	loop_timer_drop(transport_loop(calls_transport(w->calls)), &w->steady);
	loop_timer_drop(transport_loop(calls_transport(w->calls)), &w->late);
	json_stream_release(w->stream);
	object_table_release(&w->table);
	arena_release(&w->arena);
	arena_release(&w->scratch);
	free(w);
}

/* Called after a callback: frees W if the callback stopped it. */
static void leave_watch(struct object_watch *w)
{
	if (!--w->inside && w->ended)
		watch_free(w);
}

static void fail_watch(struct object_watch *w, const struct transport_result *r)
{
	set_state(w, OBJECT_WATCH_ENDED, r->error);
	if (w->o.failed && !w->ended)
		w->o.failed(w->o.to, r);
}

/* ---- the view ---- */

static void put_object_text(struct arena *a, struct data *map, const char *name, struct str value)
{
	struct data *d = ARENA_NEW(a, struct data);

	d->kind = DATA_STRING;
	d->u.string = value;
	struct data_member m = { .key = str_of(name), .value = d };
	ARENA_PUSH(a, map->u.map.at, map->u.map.n, m);
}

static void set_useless(struct object_watch *w, struct object_row *row, bool useless)
{
	if (row->useless == useless)
		return;
	row->useless = useless;
	w->useless += useless ? 1 : (size_t)-1;
	if (!useless && w->o.usable)
		w->o.usable(w->o.to, object_row_uid(row));
}

static void report_deleted(struct object_watch *w, struct object_row *row, const struct data *object)
{
	bool reported = row->reported;

	set_useless(w, row, false);
	object_table_remove(&w->table, row);
	if (reported)
		w->o.changed(w->o.to, OBJECT_DELETED, object);
}

/* Reports that the object of ROW is gone, and forgets it. */
static void gone(struct object_watch *w, struct object_row *row)
{
	struct data *object = ARENA_NEW(&w->scratch, struct data), *metadata = ARENA_NEW(&w->scratch, struct data);
	struct data_member m = { .key = STR("metadata"), .value = metadata };

	object->kind = metadata->kind = DATA_MAP;
	ARENA_PUSH(&w->scratch, object->u.map.at, object->u.map.n, m);
	put_object_text(&w->scratch, metadata, "uid", str_copy(&w->scratch, object_row_uid(row)));
	put_object_text(&w->scratch, metadata, "name", str_copy(&w->scratch, object_row_name(row)));
	if (row->nnamespace)
		put_object_text(&w->scratch, metadata, "namespace", str_copy(&w->scratch, object_row_namespace(row)));
	put_object_text(&w->scratch, metadata, "resourceVersion", str_copy(&w->scratch, str_of(row->version)));
	report_deleted(w, row, object);
	arena_reset(&w->scratch);
}

/*
 * The row of an object whose text says what it can; adds a row for a new object. NULL: the object cannot be identified.
 */
static struct object_row *row_of_skipped(struct object_watch *w, const struct json_skipped *k, bool add)
{
	struct object_row *row = k->uid.n ? object_table_uid(&w->table, k->uid) : NULL, *other;

	if (row || !k->name.n)
		return row;
	other = object_table_name(&w->table, k->ns, k->name);
	if (!k->uid.n || !add)
		return k->uid.n ? NULL : other;
	if (other)
		gone(w, other);
	row = object_table_add(&w->table, k->uid, k->ns, k->name, STR(""));
	return row;
}

/* Handles the current form of an object that cannot be used. The object exists, whatever its form. */
static void skip_object(struct object_watch *w, const struct json_skipped *k)
{
	struct object_row *row;

	if (w->o.wanted && k->ns.n && !w->o.wanted(w->o.to, k->ns))
		return;
	row = row_of_skipped(w, k, true);
	w->unnamed = w->unnamed || (!row && !k->uid.n && !k->name.n);
	bool known = row && row->reported;
	if (row) {
		row->snapshot = w->snapshot & OBJECT_SNAPSHOTS;
		if (k->version.n && row->version[0] && !object_version_later(k->version, str_of(row->version)))
			return;
		object_row_version(row, k->version);
		set_useless(w, row, true);
	}
	if (w->o.skipped)
		w->o.skipped(w->o.to, k, known);
}

/* Skips the object if it cannot be used. */
static bool is_useless(struct object_watch *w, const struct data *object)
{
	const char *why = object ? object_fault(object, w->o.kind, true) : "is missing";
	struct json_skipped k = { .fault = JSON_OBJECT, .why = why };

	if (!why)
		return false;
	if (object)
		object_identify(object, w->o.label, why, &k);
	skip_object(w, &k);
	return true;
}

/* Is this form of the object of ROW news? A form that cannot be used may follow as one of the same version that can. */
static bool is_later(const struct object_row *row, struct str version)
{
	return object_version_later(version, str_of(row->version)) ||
		(row->useless && str_is(version, row->version));
}

/*
 * Handles the current form of an object, from a snapshot or an event. The form is dropped if it is already known, or
 * older than the known form.
 */
static void present(struct object_watch *w, const struct data *object)
{
	const struct data *metadata = map_member(object, "metadata");
	struct str uid = text_member(metadata, "uid"), version = text_member(metadata, "resourceVersion");
	struct str name = text_member(metadata, "name"), ns = text_member(metadata, "namespace");
	struct object_row *row = object_table_uid(&w->table, uid), *other;

	if (is_useless(w, object) || (w->o.wanted && !w->o.wanted(w->o.to, ns)))
		return;
	if (row) {
		row->snapshot = w->snapshot & OBJECT_SNAPSHOTS;
		if (!is_later(row, version))
			return;
		object_row_version(row, version);
		set_useless(w, row, false);
	} else {
		/* another object has this name: the old object was deleted, even if no event said so */
		if ((other = object_table_name(&w->table, ns, name)))
			gone(w, other);
		row = object_table_add(&w->table, uid, ns, name, version);
		row->snapshot = w->snapshot & OBJECT_SNAPSHOTS;
	}
	enum object_change change = row->reported ? OBJECT_MODIFIED : OBJECT_ADDED;
	row->reported = true;
	w->o.changed(w->o.to, change, object);
}

static void deleted(struct object_watch *w, const struct data *object)
{
	struct json_skipped k = { .why = "is missing" };

	if (object)
		object_identify(object, w->o.label, "is not known", &k);
	struct object_row *row = row_of_skipped(w, &k, false);
	if (!row && !k.uid.n && !k.name.n)
		is_useless(w, object);
	else if (row)
		report_deleted(w, row, object);
}

/*
 * Handles an object of ROW that is not in a snapshot. If the snapshot contains an object of which nothing is known, it
 * may be this one: then nobody may act on the old form, nor take the object for deleted.
 */
static void unseen(struct object_watch *w, struct object_row *row)
{
	struct json_skipped k = { .fault = JSON_OBJECT, .why = "may be an object of the list that has no name",
		.ns = object_row_namespace(row), .name = object_row_name(row), .uid = object_row_uid(row),
		.version = str_of(row->version) };

	if (!w->unnamed) {
		gone(w, row);
		return;
	}
	row->snapshot = w->snapshot & OBJECT_SNAPSHOTS;
	bool news = !row->useless;
	set_useless(w, row, true);
	if (news && w->o.skipped)
		w->o.skipped(w->o.to, &k, row->reported);
}

/* Ends a snapshot: objects that the snapshot does not contain are gone. */
static void snapshot_complete(struct object_watch *w)
{
	struct object_row *row;
	size_t slot = 0;

	w->taking = false;
	w->synced = true;
	while (!w->ended && (row = object_table_unseen(&w->table, w->snapshot, &slot)))
		unseen(w, row);
	if (!w->ended)
		set_live(w);
	if (!w->ended && w->o.synced)
		w->o.synced(w->o.to);
}

static void snapshot_begin(struct object_watch *w, struct str why)
{
	w->snapshot++;
	w->taking = true;
	w->unnamed = false;
	w->version[0] = 0;
	set_state(w, w->synced ? OBJECT_WATCH_RELISTING : OBJECT_WATCH_LISTING, why);
}

/* ---- events ---- */

/* Handles an ERROR event; how to continue is decided when the connection has ended. */
static void error_event(struct object_watch *w, const struct data *status)
{
	const struct data *code = map_member(status, "code"),
		*wait = map_member(map_member(status, "details"), "retryAfterSeconds");
	int64_t n = code && code->kind == DATA_INT ? code->u.integer : 0;
	struct str reason = text_member(status, "reason");

	w->server_wait = wait && wait->kind == DATA_INT && wait->u.integer >= 0 && wait->u.integer <= 60
		? wait->u.integer * NS_PER_SECOND : -1;
	if (n == 410 || str_is(reason, "Expired") || str_is(reason, "Gone")) {
		w->relist = true;
		w->server_wait = 0;
	} else if (n == 429) {
		if (w->server_wait < 0)
			w->server_wait = NS_PER_SECOND;
	} else if (n < 500) {
		w->strange++;
		w->relist = true;
	}
	set_state(w, w->state, text_member(status, "message"));
}

static bool is_end_of_initial(const struct data *object)
{
	const struct data *annotations = map_member(map_member(object, "metadata"), "annotations");

	return str_is(text_member(annotations, "k8s.io/initial-events-end"), "true");
}

/* Handles an event about an object that cannot be in this collection: the answers are not those of an API server. */
static bool foreign_event(struct object_watch *w, const char *why)
{
	w->strange++;
	w->relist = true;
	set_state(w, w->state, str_of(why));
	return false;
}

/*
 * Is OBJECT from the collection that is watched? The filter may have dropped its namespace. A snapshot of another kind
 * is that of another collection; later, one object of another kind is only useless.
 */
static bool is_of_collection(const struct object_watch *w, const struct data *object)
{
	struct str kind = text_member(object, "kind"), ns = text_member(map_member(object, "metadata"), "namespace");

	return (!w->ns.n || !ns.n || str_eq(w->ns, ns)) &&
		(!w->kind.n || !kind.n || str_eq(w->kind, kind) || (w->o.skipped && !w->taking));
}

static bool take_event(void *to, const struct data *event)
{
	struct object_watch *w = to;
	struct str type = text_member(event, "type");
	const struct data *object = map_member(event, "object");
	struct str version = text_member(map_member(object, "metadata"), "resourceVersion");

	w->moved = true;
	w->idle = 0;
	if (str_is(type, "ERROR")) {
		error_event(w, object);
		return false;
	}
	if (!str_is(type, "BOOKMARK") && !is_of_collection(w, object))
		return foreign_event(w, "the watch contains an object of another kind or namespace");
	w->pauses = 0;
	/* versions rise along a watch, so an event whose version does not rise is a repetition */
	bool repeated = !w->taking && !object_version_later(version, str_of(w->version));
	if (str_is(type, "ADDED") || str_is(type, "MODIFIED")) {
		if (!repeated)
			present(w, object);
	} else if (str_is(type, "DELETED")) {
		deleted(w, object);
	}
	/*
	 * events inside a streaming snapshot have the versions of their objects, in no order; only the end of the
	 * snapshot has the version of the snapshot
	 */
	bool end = w->taking && str_is(type, "BOOKMARK") && is_end_of_initial(object);
	if (end || (!w->taking && !repeated))
		set_version(w, version);
	if (!w->ended && end)
		snapshot_complete(w);
	else if (!w->ended && !w->taking)
		set_live(w);
	return !w->ended;
}

/* Handles an event whose object cannot be used, as far as its text says. */
static bool skip_event(void *to, const struct json_skipped *k)
{
	struct object_watch *w = to;
	bool repeated = !w->taking && k->version.n && !object_version_later(k->version, str_of(w->version));
	struct object_row *row = str_is(k->type, "DELETED") ? row_of_skipped(w, k, false) : NULL;

	w->moved = true;
	w->idle = 0;
	if (str_is(k->type, "ERROR")) {
		error_event(w, NULL);
		return false;
	}
	w->pauses = 0;
	if (row)
		gone(w, row);
	else if (!repeated && !str_is(k->type, "BOOKMARK") && !(str_is(k->type, "DELETED") && (k->uid.n || k->name.n)))
		skip_object(w, k);
	if (!w->ended && !w->taking && !repeated)
		set_version(w, k->version);
	return !w->ended;
}

static bool watch_bytes(void *to, struct str bytes)
{
	struct object_watch *w = to;

	w->bytes += bytes.n;
	w->idle += bytes.n;
	if (w->idle > IDLE_LARGEST)
		return foreign_event(w, "the watch sends bytes without an event");
	w->inside++;
	bool more = json_stream_take(w->stream, bytes);
	leave_watch(w);
	return more;
}

/* ---- connections ---- */

/*
 * Handles the first response of a connection. After an outage the response itself is reported, since no event may come
 * for a long time.
 */
static void answered(void *to)
{
	struct object_watch *w = to;

	w->inside++;
	if (!w->taking && !w->ended)
		set_live(w);
	leave_watch(w);
}

static void steady_fired(struct loop_timer *t)
{
	struct object_watch *w = t->to;

	w->inside++;
	w->garbled = 0;
	if (!w->taking && !w->ended)
		set_live(w);
	leave_watch(w);
}

static void pause_fired(struct loop_timer *t)
{
	struct object_watch *w = t->to;

	w->inside++;
	connect_now(w);
	leave_watch(w);
}

/*
 * Connects again after a pause of WAIT ns. If WAIT is negative, the pause doubles with each call until an event
 * arrives.
 */
static void reconnect(struct object_watch *w, struct str why, int64_t wait)
{
	struct loop *l = transport_loop(calls_transport(w->calls));

	loop_timer_drop(l, &w->steady);
	if (wait < 0) {
		wait = SHORTEST_PAUSE;
		for (unsigned i = 0; i < w->pauses && wait < LONGEST_PAUSE; i++)
			wait *= 2;
		/*
		 * a random pause, so that watchers that lose a server at the same moment do not all return at the same
		 * moment
		 */
		wait = wait / 2 + (int64_t)((uint64_t)clock_steady() % (uint64_t)(wait / 2));
		w->pauses++;
	}
	w->reconnects++;
	if (why.n)
		set_state(w, w->taking ? w->state : OBJECT_WATCH_RECONNECTING, why);
	if (!w->ended)
		loop_timer_set(l, &w->timer, wait);
}

/*
 * Handles the failure of all attempts to connect. A watch that has brought a snapshot continues for as long as its
 * caller wants. A watch without a snapshot is given up, so that a command does not start by waiting in vain.
 */
static void lose(struct object_watch *w, const struct transport_result *r)
{
	if (!w->synced || call_class(r) != CALL_UNAVAILABLE) {
		fail_watch(w, r);
		return;
	}
	set_state(w, OBJECT_WATCH_RECONNECTING, r->error);
	if (!w->ended)
		reconnect(w, STR(""), -1);
}

/*
 * The pause after the server has ended a watch without an error; -1: the usual pause. A server under load repeatedly
 * ends watches that it cannot serve fast enough. So the pause doubles with each such end, up to a second.
 */
static int64_t pause_after_end(struct object_watch *w, const struct transport_result *r)
{
	int64_t pause = SHORTEST_PAUSE;

	w->early = r->ns < EARLY ? w->early + 1 : 0;
	for (unsigned i = 0; i < w->early && pause < LONGEST_EARLY; i++)
		pause *= 2;
	return w->early < 2 || !w->moved ? -1 : pause < LONGEST_EARLY ? pause : LONGEST_EARLY;
}

/*
 * Continues after a connection that did not bring JSON. The same text may come again, so the pause grows even if good
 * events come before it, and a new snapshot may lead past it.
 */
static void after_garbled(struct object_watch *w)
{
	w->pauses = w->garbled++;
	if (w->garbled % GARBLED_RELIST == 0)
		w->version[0] = 0;
	reconnect(w, str_cat(&w->scratch, STR("the server sent something that is not JSON "),
		json_stream_error(w->stream), STR("")), -1);
}

static bool is_future(const struct transport_result *r) { return r->code == 504 && call_class(r) == CALL_GONE; }

/* Decides how to continue after the connection has ended or was refused. */
static void go_on_watching(struct object_watch *w, const struct transport_result *r)
{
	bool cut = !json_stream_between(w->stream) && !json_stream_error(w->stream).n;

	if (r->ns > STEADY)
		w->pauses = w->strange = 0;
	if (w->relist || r->code == 410) {
		w->relist = false;
		if (w->strange >= STRANGE_ERRORS) {
			struct transport_result broken = *r;
			broken.outcome = TRANSPORT_BROKEN;
			broken.error = str_printf(&w->scratch, "the watch of %.*s keeps failing",
				STR_ARG(w->o.path));
			fail_watch(w, &broken);
			return;
		}
		w->version[0] = 0;
		reconnect(w, w->strange ? STR("the server reported an error")
		          : STR("the server has forgotten our place"),
		          w->server_wait >= 0 ? w->server_wait : w->strange ? -1 : 0);
	} else if (is_future(r)) {
		w->version[0] = 0;
		reconnect(w, r->error, r->retry_after >= 0 ? r->retry_after : NS_PER_SECOND);
	} else if ((r->code == 422 || r->code == 400) && w->taking && !w->no_streaming) {
		w->no_streaming = true;         /* the server does not know streaming lists */
		reconnect(w, STR(""), 0);
	} else if (r->outcome == TRANSPORT_STOPPED && json_stream_error(w->stream).n) {
		after_garbled(w);
	} else if (w->moved || r->code == 200 || (r->outcome == TRANSPORT_STOPPED && w->server_wait >= 0)) {
		bool planned = transport_ok(r) && !cut;
		reconnect(w, planned ? STR("") : r->error.n ? r->error : STR("the connection was cut"),
			planned && w->server_wait < 0 ? pause_after_end(w, r) : w->server_wait);
	} else {
		lose(w, r);
	}
}

static void watch_done(void *to, const struct transport_result *r)
{
	struct object_watch *w = to;

	w->call = NULL;
	w->inside++;
	go_on_watching(w, r);
	arena_reset(&w->scratch);
	leave_watch(w);
}

static void list_object_done(void *to, const struct transport_result *r, struct str version, bool inconsistent)
{
	struct object_watch *w = to;

	(void)inconsistent;             /* inconsistency does not matter: a watch from the version of the first page
					 * delivers the missing changes */
	w->list = NULL;
	w->inside++;
	if (transport_ok(r)) {
		set_version(w, version);
		snapshot_complete(w);
		if (!w->ended)
			reconnect(w, STR(""), 0);
	} else {
		lose(w, r);
	}
	leave_watch(w);
}

static bool list_object(void *to, const struct data *object)
{
	struct object_watch *w = to;

	w->inside++;
	present(w, object);
	bool more = !w->ended;
	leave_watch(w);
	return more;
}

static void list_skipped(void *to, const struct json_skipped *k)
{
	struct object_watch *w = to;

	w->inside++;
	skip_object(w, k);
	leave_watch(w);
}

static void list_restart(void *to)
{
	struct object_watch *w = to;

	w->snapshot++;
	w->unnamed = false;
}

static void start_list(struct object_watch *w)
{
	struct object_list_options o = { .path = w->o.path, .label_selector = w->o.label_selector,
		.field_selector = w->o.field_selector,
		.keep = (const char *const *)w->keep, .object = list_object, .restart = list_restart,
		.skipped = list_skipped, .kind = w->o.kind, .kept = w->o.kept, .label = w->o.label,
		.done = list_object_done, .to = w };

	w->list = object_list_start(w->calls, &o);
}

static unsigned watch_seconds(const struct object_watch *w)
{
	return w->o.seconds ? w->o.seconds : 300 + (unsigned)((uint64_t)clock_steady() % 300);
}

static void start_watch(struct object_watch *w)
{
	struct transport_pair query[8];
	size_t n = 0;
	char seconds[STR_DIGITS];
	struct transport_request r = { .kind = TRANSPORT_STREAM, .path = w->o.path, .query = query, .take = watch_bytes,
		.began = answered, .done = watch_done, .to = w,
		.quiet = w->o.uncached ? 0 : w->o.quiet ? w->o.quiet : QUIET,
		.accept = STR("application/json;drop=metadata.managedFields,application/json") };

	query[n++] = (struct transport_pair){ STR("watch"), STR("true") };
	query[n++] = (struct transport_pair){ STR("allowWatchBookmarks"), STR("true") };
	query[n++] = (struct transport_pair){ STR("timeoutSeconds"), str_digits(seconds, watch_seconds(w)) };
	query[n++] = (struct transport_pair){ STR("resourceVersion"), str_of(w->version) };
	if (w->taking) {
		query[n++] = (struct transport_pair){ STR("sendInitialEvents"), STR("true") };
		query[n++] = (struct transport_pair){ STR("resourceVersionMatch"), STR("NotOlderThan") };
	}
	if (w->o.label_selector.n)
		query[n++] = (struct transport_pair){ STR("labelSelector"), w->o.label_selector };
	if (w->o.field_selector.n)
		query[n++] = (struct transport_pair){ STR("fieldSelector"), w->o.field_selector };
	r.nquery = n;
	w->call = call_start(w->calls, &r, CALL_BY_METHOD, NULL);
}

static void connect_now(struct object_watch *w)
{
	json_stream_restart(w->stream);
	w->idle = 0;
	w->moved = w->relist = false;
	w->server_wait = -1;
	if (!w->version[0]) {
		snapshot_begin(w, STR(""));
		if (w->ended)
			return;
	}
	if (w->taking && w->no_streaming)
		start_list(w);
	else
		start_watch(w);
}

/* Ends the request that is under way, if any. */
static void watch_cancel(struct object_watch *w)
{
	if (w->call)
		call_cancel(w->call);
	if (w->list)
		object_list_cancel(w->list);
	w->call = NULL;
	w->list = NULL;
}

/* Gives up a watch whose first snapshot does not end: the server trickles, or never sends the end of the snapshot. */
static void first_late(struct loop_timer *t)
{
	struct object_watch *w = t->to;
	struct loop *l = transport_loop(calls_transport(w->calls));
	int64_t took = loop_now(l) - w->began, may = w->o.first + (int64_t)(w->bytes >> 16) * NS_PER_SECOND;
	struct transport_result r = { .outcome = TRANSPORT_SLOW, .retry_after = -1 };

	may = may < 10 * w->o.first ? may : 10 * w->o.first;
	if (w->synced || w->ended)
		return;
	if (took < may) {
		loop_timer_set(l, &w->late, may - took);
		return;
	}
	r.error = str_printf(&w->scratch, "GET %.*s: no complete list came from %.*s within %lld s", STR_ARG(w->o.path),
		STR_ARG(transport_host(calls_transport(w->calls))), (long long)(took / NS_PER_SECOND));
	watch_cancel(w);
	loop_timer_drop(l, &w->timer);
	w->inside++;
	fail_watch(w, &r);
	leave_watch(w);
}

/* ---- functions for the caller ---- */

/* The paths that are always kept, and the paths of the caller; for events each path begins with "object.". */
static const char **filter_paths(struct arena *a, const char *const *keep, bool events)
{
	static const char *const always[] = { "kind", "metadata.uid", "metadata.resourceVersion", "metadata.name",
		"metadata.namespace",
		"metadata.annotations.[k8s.io/initial-events-end]", "code", "reason", "message",
		"details.retryAfterSeconds", NULL };
	const char **all = NULL;
	size_t n = 0;

	for (const char *const *p = keep; p && *p; p++)
		ARENA_PUSH(a, all, n, events ? str_printf(a, "%sobject.%s", **p == '-' ? "-" : "", *p + (**p == '-')).p
			: *p);
	bool narrow = false;
	for (const char *const *p = keep; p && *p; p++)
		narrow = narrow || **p != '-';
	for (const char *const *p = always; narrow && *p; p++)
		ARENA_PUSH(a, all, n, events ? str_cat(a, STR("object."), str_of(*p), STR("")).p : *p);
	if (!narrow)
		ARENA_PUSH(a, all, n, events ? "-object.metadata.managedFields" : "-metadata.managedFields");
	if (narrow && events)
		ARENA_PUSH(a, all, n, "type");
	ARENA_PUSH(a, all, n, NULL);
	return all;
}

struct object_watch *object_watch_start(struct calls *c, const struct object_watch_options *o)
{
	struct object_watch *w = memory_resize(NULL, sizeof *w);

	*w = (struct object_watch){ .calls = c, .o = *o, .timer = { .fire = pause_fired, .to = w },
		.steady = { .fire = steady_fired, .to = w }, .server_wait = -1 };
	w->o.path = str_copy(&w->arena, o->path);
	expected_items(&w->arena, w->o.path, &w->ns, &w->kind);
	w->o.label_selector = str_copy(&w->arena, o->label_selector);
	w->o.field_selector = str_copy(&w->arena, o->field_selector);
	w->keep = filter_paths(&w->arena, o->keep, false);
	struct json_stream_options s = { .several = true, .document = take_event, .to = w, .skipped = skip_event,
		.object = "object", .label = o->label, .kept = o->kept,
		.filter = json_filter_new(&w->arena, (const char *const *)filter_paths(&w->arena, o->keep, true)) };
	w->stream = json_stream_new(&s);
	w->late = (struct loop_timer){ .fire = first_late, .to = w };
	w->began = loop_now(transport_loop(calls_transport(c)));
	if (o->first)
		loop_timer_set(transport_loop(calls_transport(c)), &w->late, o->first);
	loop_timer_set(transport_loop(calls_transport(c)), &w->timer, 0);
	return w;
}

void object_watch_stop(struct object_watch *w)
{
	if (!w || w->ended)
		return;
	w->ended = true;
	w->state = OBJECT_WATCH_ENDED;
	watch_cancel(w);
	if (!w->inside)
		watch_free(w);
}

enum object_watch_state object_watch_state(const struct object_watch *w) { return w->state; }
size_t object_watch_count(const struct object_watch *w) { return w->table.n; }
size_t object_watch_useless(const struct object_watch *w) { return w->useless; }
bool object_watch_has(const struct object_watch *w, struct str uid) { return object_table_uid(&w->table, uid) != NULL; }
bool object_watch_past(const struct object_watch *w, struct str version)
{
	return w->version[0] && (str_is(version, w->version) || object_version_later(str_of(w->version), version));
}

void object_watch_dump(const struct object_watch *w, struct buf *out)
{
	static const char *const states[] = { "listing", "live", "reconnecting", "relisting", "ended" };

	buf_printf(out, "watch: %.*s %.*s: %s, version %s, %zu objects, %zu useless, %u reconnects%s\n",
		STR_ARG(w->o.path), STR_ARG(w->o.label_selector), states[w->state],
		w->version[0] ? w->version : "none", w->table.n, w->useless, w->reconnects,
		w->no_streaming ? ", pages" : "");
}
