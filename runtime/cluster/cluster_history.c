/*
 * cluster_history.c - notes the launches of runs in their records, keeps them after `delete`, and finds them for
 * `history`.
 */
#include "runtime/cluster/cluster_history.h"

#include "base/json_write.h"
#include "base/words.h"
#include "data/data_write.h"
#include "runtime/cluster/cluster_watch.h"
#include "runtime/cluster/code_record.h"
#include "runtime/command/runs.h"
#include "runtime/run/run_history.h"
#include "runtime/run/outcome.h"
#include "runtime/status/look.h"

enum { KEEP_AGAIN = 3 };                /* maximum number of attempts when others create the object in between */

/* The histories of the deleted runs of one namespace. */
struct shelf {
	struct launch_shelf all;
	struct answer *failed;          /* the request that could not read it; NULL: it was read, or does not exist */
	struct str uid;                 /* of the object; empty: it does not exist */
};

static struct str shelf_path(struct cluster *k, struct str ns, bool itself)
{
	return resource_path(k->arena, resource_known(STR(""), STR("ConfigMap")), ns,
		itself ? STR(LAUNCHES_OBJECT) : STR(""));
}

static struct shelf load_shelf(struct cluster *k, struct str ns)
{
	struct answer *x = request_get(&k->client, k->arena, shelf_path(k, ns, true));
	struct shelf s = { .failed = x->class == CALL_DONE || x->class == CALL_NOT_FOUND ? NULL : x };

	if (x->class == CALL_DONE && x->data) {
		s.uid = status_text(x->data, "metadata.uid");
		s.all = shelf_read(k->arena, status_path(x->data, "data"));
	}
	return s;
}

/* The kept history of a run without a record; empty if it cannot be read, because a launch must not fail for that. */
static struct str kept_text(struct cluster *k, struct str ns, struct str run)
{
	struct shelf *s = map_get(&k->shelves, ns);

	if (!s) {
		s = ARENA_NEW(k->arena, struct shelf);
		*s = load_shelf(k, ns);
		map_put(&k->shelves, k->arena, ns, s);
	}
	return shelf_text(&s->all, run);
}

/* ---- how a launch ended ---- */

/* Ends the last launch of L: by the verdict in the record, else by the state S, else because of what happens now. */
static void end_last(struct cluster *k, struct run_launches *l, const struct parent *p, const struct run_state *s,
	const char *state, const char *then)
{
	int64_t now = clock_real() + transport_clock_offset(k->client.transport);
	struct run_state known = *s;

	if (p->verdict.n) {
		known = (struct run_state){ .cause = STR("") };
		outcome_read(k->arena, p->outcome, p->generation, &known);
		known.phase = str_is(p->verdict, "Succeeded") ? RUN_SUCCEEDED : RUN_FAILED;
	}
	launches_end(k->arena, l, &known, state, then, now);
}

/* ---- apply ---- */

/* Does this apply continue one that was interrupted? Then it is the same launch. */
static bool is_same_launch(const struct applying *p, const struct run_launches *l)
{
	return !p->rerun && l->n && !l->at[l->n - 1].state.n && !parent_is_complete(&p->before) &&
		str_eq(l->at[l->n - 1].program, p->wanted.hash);
}

void launches_begin(struct applying *p)
{
	struct cluster *k = p->cluster;
	struct str before = p->before.there ? p->before.history : kept_text(k, p->ns, p->job->name);
	struct run_launches l = launches_read(p->arena, before, !p->before.there);
	struct run_launch x = { .started = clock_real() + transport_clock_offset(k->client.transport), .by = k->user,
		.file = p->file, .program = p->wanted.hash };

	if (is_same_launch(p, &l))
		return;
	code_record_note(p->arena, p->program->program.project.root, p->job);
	launches_note(p->arena, p->job, &x);
	end_last(k, &l, &p->before, &p->state, "Replaced", "when it was applied again");
	launches_add(p->arena, &l, &x);
	p->now.history = launches_text(p->arena, &l);
}

/* ---- delete ---- */

/* The request that stores the shelf: a patch of the names that have changed, or the whole object if it is new. */
static struct transport_request shelf_request(struct cluster *k, struct str ns, const struct shelf *s,
	const struct map *changed)
{
	static const struct transport_pair query = { { "fieldManager", 12 }, { APPLYSET_PARENT_MANAGER,
		sizeof APPLYSET_PARENT_MANAGER - 1 } };
	struct buf b = { 0 };
	struct json_writer w = { .out = &b, .text = data_write_text };

	json_open(&w, '{');
	json_add_text(&w, "apiVersion", STR("v1"));
	json_add_text(&w, "kind", STR("ConfigMap"));
	json_add_open(&w, "metadata", '{');
	json_add_text(&w, "name", STR(LAUNCHES_OBJECT));
	if (s->uid.n)
		json_add_text(&w, "uid", s->uid);
	json_add_open(&w, "labels", '{');
	json_add_text(&w, "app.kubernetes.io/managed-by", STR("trainc"));
	json_add_text(&w, LAUNCHES_LABEL, STR("deleted"));
	json_close(&w, '}');
	json_close(&w, '}');
	json_add_open(&w, "data", '{');
	for (size_t i = 0; i < s->all.n; i++) {
		const struct shelf_entry *e = &s->all.at[i];
		if (!e->dropped && !map_get(changed, e->name))
			continue;
		json_key_text(&w, e->name);
		if (e->dropped)
			json_put_null(&w);
		else
			json_put_text(&w, e->text);
	}
	json_close(&w, '}');
	json_close(&w, '}');
	struct transport_request r = { .method = s->uid.n ? TRANSPORT_PATCH : TRANSPORT_POST, .kind = TRANSPORT_WRITE,
		.query = &query, .nquery = 1, .path = shelf_path(k, ns, s->uid.n > 0),
		.content_type = s->uid.n ? STR("application/merge-patch+json") : STR("application/json"),
		.body = buf_take(&b, k->arena) };
	buf_release(&b);
	return r;
}

/* The history of a run that is about to be deleted. */
static struct str last_history(struct cluster *k, const struct cluster_watch *c)
{
	struct run_launches l = launches_read(k->arena, c->parent.history, false);

	end_last(k, &l, &c->parent, &c->watch->state, "Deleted", "when it was deleted");
	return launches_text(k->arena, &l);
}

/* Keeps the histories of the runs of one namespace. */
static void keep_in(struct cluster *k, struct str ns, struct cluster_watch *const *runs, size_t n)
{
	struct answer *x = NULL;

	for (unsigned try = 0; try < KEEP_AGAIN; try++) {
		struct shelf s = load_shelf(k, ns);
		struct map changed = { 0 };
		size_t patched = 0;
		x = s.failed;
		for (size_t i = 0; i < n && !x; i++) {
			struct str text = str_eq(runs[i]->ns, ns) ? last_history(k, runs[i]) : STR("");
			if (!text.n)
				continue;
			shelf_put(k->arena, &s.all, runs[i]->watch->name, text);
			map_put(&changed, k->arena, runs[i]->watch->name, k);
		}
		for (size_t i = 0; i < s.all.n; i++)
			patched += s.all.at[i].dropped || map_get(&changed, s.all.at[i].name);
		if (x || !patched)
			break;
		struct transport_request r = shelf_request(k, ns, &s, &changed);
		x = request_send(&k->client, k->arena, &r, CALL_BY_METHOD);
		if (x->class != CALL_CONFLICT && x->class != CALL_NOT_FOUND)
			break;
	}
	if (x && x->class != CALL_DONE && !x->stopped)
		session_say(k->session, "the history of what is deleted is not kept: %.*s", STR_ARG(x->error));
}

void launches_keep(struct cluster *k, struct cluster_watch *const *runs, size_t n)
{
	for (size_t i = 0; i < n && !k->interrupted; i++) {
		bool done = false;
		for (size_t m = 0; m < i && !done; m++)
			done = str_eq(runs[m]->ns, runs[i]->ns);
		if (!done)
			keep_in(k, runs[i]->ns, runs, n);
	}
}

/* ---- history ---- */

static void add_history(struct cluster *k, struct run_histories *ret, const struct chosen_run *r, struct str text,
	bool over)
{
	struct run_history h = { .name = r->name, .ns = r->ns, .launches = launches_read(k->arena, text, over) };

	if (h.launches.n)
		ARENA_PUSH(k->arena, ret->at, ret->n, h);
}

/* The history of a run that is named: from its record, else what was kept of it. */
static int find_history(struct cluster *k, const struct chosen_run *c, struct run_histories *ret)
{
	struct str ns = cluster_namespace(k, c->ns);
	struct parent p;
	int status;

	if (!cluster_parent(k, c->name, ns, &p, &status))
		return status;
	size_t before = ret->n;
	add_history(k, ret, &(struct chosen_run){ .name = c->name, .ns = ns },
		p.there ? p.history : kept_text(k, ns, c->name), !p.there);
	const struct shelf *s = map_get(&k->shelves, ns);
	if (ret->n > before)
		return STATUS_DONE;
	if (s && s->failed && !p.there)
		return cluster_say(k, s->failed);
	if (p.there)
		session_say(k->session, "run '%.*s' has no history: an earlier version of trainc applied it",
			STR_ARG(c->name));
	else
		session_say(k->session, "no run '%.*s' in namespace '%.*s', and none is remembered", STR_ARG(c->name),
			STR_ARG(ns));
	return p.there ? STATUS_DONE : STATUS_USAGE;
}

/* Does a run of that name have a record? */
static bool has_record(const struct chosen *c, struct str ns, struct str name)
{
	for (size_t i = 0; i < c->n; i++)
		if (str_eq(c->at[i].ns, ns) && str_eq(c->at[i].name, name))
			return true;
	return false;
}

/* Adds the histories of all runs: those with a record, and those that were deleted. */
static int find_all(struct session *s, struct cluster *k, struct run_histories *ret)
{
	struct member_query q = { .resource = *resource_known(STR(""), STR("ConfigMap")),
		.selector = STR(LAUNCHES_LABEL), .whole = true };
	struct chosen all = { 0 };
	struct parent p;
	int status;

	if (!s->backend->names(s, STR(""), &all, &status))
		return status;
	for (size_t i = 0; i < all.n; i++)
		if (cluster_parent(k, all.at[i].name, all.at[i].ns, &p, &status))
			add_history(k, ret, &all.at[i], p.history, false);
	q.ns = all.ns;
	struct members kept = members_list(&k->client, k->arena, &q, 1);
	if (kept.failed)
		return cluster_say(k, kept.failed);
	for (size_t i = 0; i < kept.n; i++) {
		const struct member *m = &kept.at[i];
		struct launch_shelf shelf = str_is(m->name, LAUNCHES_OBJECT)
			? shelf_read(k->arena, status_path(m->object, "data")) : (struct launch_shelf){ 0 };
		for (size_t e = 0; e < shelf.n; e++)
			if (!has_record(&all, m->ns, shelf.at[e].name))
				add_history(k, ret, &(struct chosen_run){ .name = shelf.at[e].name, .ns = m->ns },
					shelf.at[e].text, true);
	}
	return STATUS_DONE;
}

bool cluster_history(struct session *s, const struct chosen *c, struct run_histories *ret, int *ret_status)
{
	struct cluster *k = cluster_of(s);

	*ret_status = STATUS_DONE;
	if (!c->n)
		*ret_status = find_all(s, k, ret);
	for (size_t i = 0; i < c->n; i++) {
		int status = find_history(k, &c->at[i], ret);
		*ret_status = runs_worse(*ret_status, status);
	}
	return *ret_status == STATUS_DONE || ret->n;
}
