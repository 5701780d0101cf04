/*
 * world.h - a small cluster for tests of runtime/decide: objects that carry out a decision, at a simulated time.
 *
 * The state is written as a cluster would print it, and read back, so decide_see() is part of every test.
 */
#ifndef TRAINC_WORLD_H
#define TRAINC_WORLD_H

#include <stdlib.h>

#include "data/data_read.h"
#include "runtime/decide/decide.h"
#include "base/words.h"

#ifndef SECOND
#define SECOND NS_PER_SECOND
#endif
#define WORLD_UID "uid-of-the-job"

struct thing {
	struct str kind, name, uid;
	enum seen_owner owner;
	bool deleting, disrupted;
	int role, ready;                /* position of the role; number of its pods that are ready */
	int64_t index;
	enum seen_phase phase;
	int exit_code;                  /* -1: unknown */
	int64_t restarts, begin, end;
};

struct world {
	struct arena arena;
	struct decide_job job;
	struct decide_record record;
	struct decision last;
	struct thing *at;
	size_t n;
	int64_t now;
	unsigned made;                  /* number of uids assigned so far */
	size_t created[2], deleted[2];  /* during the last pass: number of objects that run replicas, and of Services */
};

static inline struct str world_format(struct world *w, const char *what, long long n)
{
	return str_printf(&w->arena, "%s%lld", what, n);
}

static inline void world_begin(struct world *w, const struct plan_job *j, struct str kind)
{
	*w = (struct world){ .now = 1700000000 * SECOND };
	w->job = (struct decide_job){ .plan = j, .kind = kind, .uid = STR(WORLD_UID),
		.controller = STR("example.com/own") };
}

static inline void world_end(struct world *w) { arena_release(&w->arena); }

static inline struct thing *world_find(struct world *w, struct str kind, struct str name)
{
	for (size_t i = 0; i < w->n; i++)
		if (str_eq(w->at[i].kind, kind) && str_eq(w->at[i].name, name))
			return &w->at[i];
	return NULL;
}

static inline struct thing *world_add(struct world *w, struct str kind, struct str name, int role, int64_t index)
{
	struct thing t = { .kind = kind, .name = name, .uid = world_format(w, "uid-", ++w->made), .role = role,
		.index = index, .exit_code = -1,
		.begin = w->now };

	ARENA_PUSH(&w->arena, w->at, w->n, t);
	return &w->at[w->n - 1];
}

/* Returns the object of a replica. */
static inline struct thing *world_replica(struct world *w, int role, int64_t i)
{
	const struct plan_role *r = &w->job.plan->roles[role];

	return world_find(w, decide_kind(w->job.plan, r), decide_name(&w->arena, w->job.plan, r, i));
}

static inline struct thing *world_pod(struct world *w, int role, int64_t i, enum seen_phase phase)
{
	const struct plan_role *r = &w->job.plan->roles[role];
	struct thing *t = world_add(w, decide_kind(w->job.plan, r), decide_name(&w->arena, w->job.plan, r, i), role, i);

	t->phase = phase;
	t->ready = phase == SEEN_RUNNING;
	return t;
}

static inline void world_service(struct world *w, int role, int64_t i)
{
	world_add(w, STR("Service"), decide_name(&w->arena, w->job.plan, &w->job.plan->roles[role], i), role, i);
}

static inline void world_remove(struct world *w, const struct thing *t)
{
	size_t i = (size_t)(t - w->at);

	memmove(&w->at[i], &w->at[i + 1], (--w->n - i) * sizeof(*w->at));
}

static inline void thing_ends(const struct world *w, struct thing *t, int exit_code)
{
	t->phase = exit_code ? SEEN_FAILED : SEEN_SUCCEEDED;
	t->exit_code = exit_code;
	t->ready = false;
	t->end = w->now;
}

static inline bool thing_runs(const struct thing *t) { return !str_is(t->kind, "Service") && t->role != NO_ROLE; }

/* Lets every existing replica start to run. */
static inline void world_run_all(struct world *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (thing_runs(&w->at[i]) && w->at[i].phase == SEEN_PENDING) {
			w->at[i].phase = SEEN_RUNNING;
			w->at[i].ready = true;
		}
}

static inline size_t world_count(const struct world *w, bool services)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += services ? str_is(w->at[i].kind, "Service") : thing_runs(&w->at[i]);
	return n;
}

/* ---- printing objects as a cluster does ---- */

static inline void print_status(struct world *w, const struct thing *t, struct buf *b)
{
	static const char *const phases[] = { "Pending", "Running", "Succeeded", "Failed" };

	buf_printf(b, ",\"status\":{\"phase\":\"%s\",\"startTime\":\"", phases[t->phase]);
	put_time(b, t->begin, 9);
	buf_printf(b, "\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\"},{\"type\":\"DisruptionTarget\",\"status\":\"%s\"}]",
		t->ready ? "True" : "False", t->disrupted ? "True" : "False");
	buf_z(b, ",\"containerStatuses\":[{\"name\":");
	struct str container = t->role == NO_ROLE ? STR("main") : w->job.plan->roles[t->role].main.name;
	buf_json(b, plan_label(&w->arena, container));
	buf_printf(b, ",\"restartCount\":%lld,\"state\":{", (long long)t->restarts);
	if (t->exit_code >= 0) {
		buf_printf(b, "\"terminated\":{\"exitCode\":%d,\"finishedAt\":\"", t->exit_code);
		put_time(b, t->end, 9);
		buf_z(b, "\"}");
	}
	buf_z(b, "}}]}");
}

static inline void print_job_status(const struct thing *t, struct buf *b)
{
	buf_printf(b, ",\"status\":{\"active\":%d,\"ready\":%d,\"failed\":%lld,\"conditions\":[{\"type\":\"%s\",\"status\":\"%s\"}]}",
		t->phase == SEEN_RUNNING, t->ready, (long long)t->restarts,
		t->phase == SEEN_FAILED ? "Failed" : "Complete",
		t->phase >= SEEN_SUCCEEDED ? "True" : "False");
}

static inline void print_thing(struct world *w, const struct thing *t, struct buf *b)
{
	buf_z(b, "{\"kind\":");
	buf_json(b, t->kind);
	buf_z(b, ",\"metadata\":{\"name\":");
	buf_json(b, t->name);
	buf_z(b, ",\"uid\":");
	buf_json(b, t->uid);
	if (t->deleting)
		buf_z(b, ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"");
	if (t->owner == OWNER_THIS)
		buf_z(b, ",\"ownerReferences\":[{\"uid\":\"" WORLD_UID "\",\"controller\":true}]");
	if (t->owner == OWNER_NONE) {
		buf_z(b, ",\"labels\":{\"trainc.dev/job\":");
		buf_json(b, w->job.plan->name);
		buf_char(b, '}');
	}
	buf_char(b, '}');
	if (str_is(t->kind, "Pod"))
		print_status(w, t, b);
	else if (str_is(t->kind, "Job"))
		print_job_status(t, b);
	else if (str_is(t->kind, "Deployment"))
		buf_printf(b, ",\"status\":{\"readyReplicas\":%d}", t->ready);
	buf_char(b, '}');
}

/* Returns what decide_see() gets from the text of one object, or of a List. */
static inline struct seen_list see_text(struct world *w, struct str text)
{
	struct sources sources = { .arena = &w->arena };
	struct status_objects objects = { 0 };
	struct data_error error;
	struct data *list;

	if (!data_read_json(&w->arena, source_add(&sources, STR("world"), text), &list, &error))
		list = ARENA_NEW(&w->arena, struct data);
	status_add(&w->arena, &objects, list);
	return decide_see(&w->arena, &w->job, &objects);
}

static inline struct seen_list world_see(struct world *w)
{
	struct buf b = { 0 };

	buf_z(&b, "{\"kind\":\"List\",\"items\":[");
	for (size_t i = 0; i < w->n; i++) {
		buf_z(&b, i ? "," : "");
		print_thing(w, &w->at[i], &b);
	}
	buf_z(&b, "]}");
	struct str text = buf_take(&b, &w->arena);
	buf_release(&b);
	return see_text(w, text);
}

/* ---- passes ---- */

static inline struct decision world_decide(struct world *w)
{
	struct seen_list seen = world_see(w);

	return decide(&w->arena, &w->job, &w->record, &seen, w->now);
}

static inline void world_act(struct world *w, const struct decide_action *a)
{
	bool service = str_is(a->kind, "Service");
	struct thing *t = world_find(w, a->kind, a->name);

	if (a->what == DECIDE_CREATE && !t) {
		world_add(w, a->kind, a->name, a->role, a->index);
		w->created[service] += a->role != NO_ROLE;
	} else if (a->what == DECIDE_ADOPT && t) {
		t->owner = OWNER_THIS;
	} else if (a->what == DECIDE_DELETE && t && str_eq(t->uid, a->uid)) {
		world_remove(w, t);
		w->deleted[service]++;
	}
}

/* Writes what the last decision knows and reads it again, as a controller does. */
static inline void world_remember(struct world *w)
{
	struct sources sources = { .arena = &w->arena };
	struct data_error error;
	struct data *d;
	struct buf b = { 0 };

	decide_record_print(&w->last.record, w->job.plan, &b);
	struct str text = buf_take(&b, &w->arena);
	buf_release(&b);
	if (w->last.elsewhere)
		return;
	if (!data_read_json(&w->arena, source_add(&sources, STR("record"), text), &d, &error) ||
	    !decide_record_read(&w->arena, d, w->job.plan, &w->record)) {
		printf("FAIL a record that cannot be read: %.*s\n", STR_ARG(text));
		abort();
	}
}

/* Makes a pass: decides, keeps what is known, then acts. */
static inline void world_pass(struct world *w)
{
	w->last = world_decide(w);
	world_remember(w);
	memset(w->created, 0, sizeof(w->created));
	memset(w->deleted, 0, sizeof(w->deleted));
	for (size_t i = 0; i < w->last.nactions; i++)
		world_act(w, &w->last.actions[i]);
}

#endif
