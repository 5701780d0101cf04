/*
 * run_events.c - `events`: watches the Events of the run's namespace, and of nodes, whose Events are in the namespace
 * "default" wherever the run is. Without the right to read the latter, the others are shown.
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/words.h"
#include "runtime/cluster/cluster_watch.h"
#include "runtime/cluster/skipped.h"
#include "runtime/run/table.h"
#include "runtime/status/event_list.h"
#include "runtime/status/look.h"

/* Events that follow the end of a run, such as that of its Job, may arrive within this time. */
#define EVENTS_LINGER (2 * NS_PER_SECOND)

struct event_source {
	struct run_events *all;
	struct object_watch *watch;
	bool synced, failed;
	struct str why;
	int status;
};

struct run_events {
	struct session *session;
	struct cluster *cluster;
	struct run_watch *run;
	struct event_list list;
	struct event_source run_source, node_source;
	struct report_table table;             /* keeps the widths of the columns between the lines that follow */
	bool follow, json;
	bool cut_said;                  /* it was reported that the list is full */
	bool live;                      /* the first rows have been printed: each change is printed at once */
};

/* ---- printing ---- */

static void put_row_json(struct run_events *e, const struct event_row *r, struct json_writer *w)
{
	json_open(w, '{');
	if (e->session->context.n)
		json_add_text(w, "context", e->session->context);
	json_key(w, "first");
	json_put_time(w, r->first, 0);
	json_key(w, "last");
	json_put_time(w, r->last, 0);
	json_add_int(w, "count", r->count);
	json_add_text(w, "type", r->warning ? STR("Warning") : STR("Normal"));
	json_add_text(w, "reason", r->reason);
	json_add_text(w, "kind", r->kind);
	json_add_text(w, "name", r->name);
	if (r->replica) {
		json_add_text(w, "role", e->list.job->roles[r->replica->role].name);
		json_add_int(w, "index", r->replica->index);
	}
	json_add_text(w, "node", r->node);
	json_add_text(w, "message", r->message);
	json_close(w, '}');
}

static void add_row(struct run_events *e, const struct event_row *r)
{
	struct report_table *t = &e->table;
	struct buf b = { 0 };
	struct str *row = table_row(t);

	if (r->last && e->follow)
		put_time(&b, r->last, 0);
	else if (r->last)
		put_age(&b, clock_real() + transport_clock_offset(e->cluster->client.transport) - r->last);
	row[0] = buf_take(&b, &t->arena);
	buf_release(&b);
	row[1] = table_number(t, r->count);
	row[2] = r->warning ? STR("Warning") : STR("Normal");
	row[3] = r->reason;
	row[4] = event_list_object_text(&e->list, r, &t->arena);
	row[5] = r->message;
}

static void print_table(struct run_events *e)
{
	struct buf out = { 0 };

	table_put(&e->table, session_width(STDOUT_FILENO), &out);
	(e->table.cells ? session_write : session_print)(e->session, buf_text(&out));
	buf_release(&out);
}

/* Prints a row that has changed. */
static void print_row(struct run_events *e, const struct event_row *r)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out, .spaced = true };

	if (!e->json) {
		add_row(e, r);
		print_table(e);
		return;
	}
	put_row_json(e, r, &w);
	buf_char(&out, '\n');
	session_write(e->session, buf_text(&out));
	buf_release(&out);
}

/* Prints all rows as one document. */
static void print_document(struct run_events *e, const struct event_row **rows, size_t n)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out, .spaced = true };

	json_begin_document(&w);
	json_add_text(&w, "run", e->run->name);
	json_add_text(&w, "namespace", cluster_watch_of(e->run)->ns);
	json_line(&w, 2);
	json_add_open(&w, "unread", '[');
	if (e->node_source.failed)
		json_put_text(&w, e->node_source.why);
	json_close(&w, ']');
	json_line(&w, 2);
	json_add_bool(&w, "cut", e->list.full);
	json_line(&w, 2);
	json_add_open(&w, "events", '[');
	for (size_t i = 0; i < n; i++) {
		json_line(&w, 4);
		put_row_json(e, rows[i], &w);
	}
	if (n)
		json_line(&w, 2);
	json_close(&w, ']');
	json_end_document(&w);
	session_write(e->session, buf_text(&out));
	buf_release(&out);
}

/* Reports once that the list is full. */
static void say_cut(struct run_events *e)
{
	if (e->list.full && !e->cut_said)
		session_say(e->session, "not all events are shown: at most %d about the run and %d about nodes are "
			"kept", EVENT_ROWS, EVENT_NODE_ROWS);
	e->cut_said = e->list.full;
}

/* Prints all rows so far. */
static void print_all(struct run_events *e)
{
	static const char *const words[] = { "LAST", "COUNT", "TYPE", "REASON", "OBJECT", "MESSAGE" };
	struct arena a = { 0 };
	size_t n;
	const struct event_row **rows = event_list_rows(&e->list, &a, &n);

	e->live = true;
	e->table.cells = e->session->context.n > 0;
	if (e->json && !e->follow && !e->session->context.n) {
		print_document(e, rows, n);
	} else if (e->json) {
		for (size_t i = 0; i < n; i++)
			print_row(e, rows[i]);
	} else if (n || e->follow) {
		table_head(&e->table, words, 6, 1u << 1);
		for (size_t i = 0; i < n; i++)
			add_row(e, rows[i]);
		print_table(e);
	}
	if (!n && !e->follow)
		session_say(e->session, "no events about run '%.*s'; a cluster keeps them for an hour, unless it is "
			"set up otherwise", STR_ARG(e->run->name));
	say_cut(e);
	arena_release(&a);
}

/* ---- reading ---- */

static void event_changed(void *to, enum object_change change, const struct data *object)
{
	struct event_source *source = to;
	struct run_events *e = source->all;

	if (change == OBJECT_DELETED)           /* the server forgets an Event after a time; it has happened */
		return;
	const struct event_row *r = event_list_add(&e->list, object);
	if (r && e->live && event_list_shows(&e->list, r))
		print_row(e, r);
	if (e->live)
		say_cut(e);
}

static void source_synced(void *to)
{
	struct event_source *source = to;

	source->synced = true;
	loop_stop(source->all->cluster->client.loop);
}

static void source_failed(void *to, const struct transport_result *r)
{
	struct event_source *source = to;

	source->failed = source->synced = true;
	source->status = call_exit_status(r);
	source->why = str_copy(source->all->cluster->arena, r->error);
	loop_stop(source->all->cluster->client.loop);
}

static void source_skipped(void *to, const struct json_skipped *skipped, bool known)
{
	struct event_source *source = to;

	(void)known;
	skipped_say(&source->all->cluster->client, STR("Event"), skipped);
}

static void source_start(struct run_events *e, struct event_source *source, struct str ns, struct str fields)
{
	const struct resource *r = resource_known(STR(""), STR("Event"));
	struct client *c = &e->cluster->client;
	struct object_watch_options o = { .path = resource_path(e->cluster->arena, r, ns, STR("")),
		.field_selector = fields, .keep = keep_of(r->group, r->kind), .uncached = true, .kind = r->kind,
		.changed = event_changed, .synced = source_synced, .first = c->patience, .failed = source_failed,
		.skipped = source_skipped,
		.to = source };

	source->all = e;
	source->watch = object_watch_start(c->calls, &o);
}

/* Notes an object of the run, so that its Events are found by its uid. */
static void note_object(struct run_events *e, const struct data *o)
{
	const struct data *owners = status_list(o, "metadata.ownerReferences");
	bool ours = str_eq(status_label(o, "trainc.dev/job"), e->run->name);

	for (size_t i = 0; i < owners->u.list.n && !ours; i++) {
		struct str uid = status_text(owners->u.list.at[i], "uid");
		ours = uid.n && map_get(&e->list.objects, uid);
	}
	if (ours)
		event_list_object(&e->list, status_text(o, "metadata.uid"));
}

/* Notes the objects of the run that exist, and the nodes of its pods. */
static void note_objects(struct run_events *e)
{
	const struct cluster_watch *c = cluster_watch_of(e->run);
	struct arena scratch = { 0 };
	struct status_objects all = { 0 };

	view_objects(c->view, &scratch, e->run->name, c->ns, &all);
	for (unsigned pass = 0; pass < 2; pass++)       /* owners first, then what they own */
		for (size_t i = 0; i < all.n; i++)
			note_object(e, all.at[i]);
	for (size_t k = 0; k < e->run->state.nroles; k++)
		for (int64_t i = 0; i < e->run->state.roles[k].max; i++)
			event_list_node(&e->list, e->run->state.roles[k].at[i].node);
	arena_release(&scratch);
}

/* Follows until the run has ended, the output is closed, or the Events cannot be read anymore. */
static int follow_events(struct run_events *e)
{
	struct run_watch *w = e->run;
	int64_t end = 0;

	while (!e->session->gone && !e->run_source.failed) {
		int64_t left = end - clock_steady();
		if (end && left <= 0)
			break;
		struct pollfd p = { .fd = run_watch_fd(w), .events = POLLIN };
		if (poll(&p, 1, end ? (int)(left / 1000000) + 1 : -1) < 0 && errno != EINTR)
			break;
		if (run_watch_update(w) && !w->gone)
			note_objects(e);
		if (w->lost) {
			session_say(e->session, "%.*s", STR_ARG(w->lost_why));
			return w->lost;
		}
		if (!end && run_watch_over(w))
			end = clock_steady() + EVENTS_LINGER;
	}
	return STATUS_DONE;
}

static int show_events(struct run_events *e)
{
	int status = STATUS_DONE;

	while (!e->run_source.synced || !e->node_source.synced)
		loop_run(e->cluster->client.loop);
	if (!e->run_source.failed) {
		print_all(e);
		if (e->node_source.failed)
			session_say(e->session, "events of nodes are not shown: %.*s", STR_ARG(e->node_source.why));
		status = e->follow ? follow_events(e) : STATUS_DONE;
	}
	if (e->run_source.failed) {
		session_say(e->session, "%.*s", STR_ARG(e->run_source.why));
		status = e->run_source.status;
	}
	return status;
}

int cluster_events(struct session *s, struct run_watch *w, bool follow)
{
	const struct cluster_watch *c = cluster_watch_of(w);
	struct plan_job *plan = ARENA_NEW(s->arena, struct plan_job);
	struct run_events e = { .session = s, .cluster = c->cluster, .run = w, .follow = follow,
		.json = str_is(option_value(s->options, OPTION_OUTPUT), "json") };

	*plan = c->plan;                        /* that of the watch changes if the run is applied again */
	event_list_init(&e.list, s->arena, plan);
	e.list.since = w->state.begin;
	note_objects(&e);
	source_start(&e, &e.run_source, c->ns, STR(""));
	if (str_is(c->ns, "default"))
		e.node_source.synced = true;    /* the first watch brings them, too */
	else
		source_start(&e, &e.node_source, STR("default"), STR("involvedObject.kind=Node"));
	int status = show_events(&e);
	object_watch_stop(e.run_source.watch);
	if (e.node_source.watch)
		object_watch_stop(e.node_source.watch);
	arena_release(&e.table.arena);
	return status;
}
