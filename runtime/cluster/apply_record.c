/* apply_record.c - writes the parent of the run, before the first member is written and after the last one. */
#include "runtime/cluster/apply.h"

#include "base/words.h"
#include "runtime/cluster/code_record.h"
#include "runtime/cluster/cluster_history.h"
#include "runtime/command/runs.h"
#include "runtime/status/look.h"

enum { WRITE_AGAIN = 5 };       /* maximum number of attempts when others write the parent in between */

/*
 * Builds the request for the parent. A new parent is created with POST, so that only one of two appliers succeeds.
 * Later writes always contain the version that was read.
 */
static struct transport_request parent_request(struct applying *p)
{
	static const struct transport_pair query[] = { { { "fieldManager", 12 }, { APPLYSET_PARENT_MANAGER,
		sizeof APPLYSET_PARENT_MANAGER - 1 } },
		{ { "force", 5 }, { "true", 4 } } };
	const struct resource *config = resource_known(STR(""), STR("ConfigMap"));
	bool exists = p->now.version.n > 0;
	struct transport_request r = { .method = exists ? TRANSPORT_PATCH : TRANSPORT_POST, .kind = TRANSPORT_WRITE,
		.body = parent_body(p->arena, &p->now),
		.path = resource_path(p->arena, config, p->ns, exists ? applyset_parent_name(p->arena,
			p->job->name) : STR("")),
		.content_type = exists ? STR("application/apply-patch+yaml") : STR("application/json"),
			.query = query, .nquery = exists ? 2 : 1 };

	return r;
}

/* Takes over the server's answer to a write; false if the write failed. */
static bool is_written(struct applying *p)
{
	struct answer *x = p->answer;

	if (x->class == CALL_DONE && x->data) {
		p->now.uid = status_text(x->data, "metadata.uid");
		p->now.version = status_text(x->data, "metadata.resourceVersion");
		return true;
	}
	if (x->stopped)
		return false;
	if (x->class == CALL_CONFLICT && p->session->number && !p->now.version.n)
		p->session->taken = true;
	else if (x->class == CALL_CONFLICT)
		session_say(p->session,
			"somebody else is applying or deleting run '%.*s' at the same time; nothing more was changed, "
			"run the same command again",
			STR_ARG(p->job->name));
	else
		cluster_say(p->cluster, x);
	p->status = runs_worse(p->status, x->class == CALL_CONFLICT ? STATUS_CONFLICT : x->status);
	return false;
}

/* Has a restart started since the record BEFORE was read? */
static bool is_newer_restart(const struct parent *now, const struct parent *before)
{
	return now->nreplaced && (!before->nreplaced || !str_eq(now->replaced[0].old, before->replaced[0].old));
}

/*
 * May a refused write be repeated, because somebody else has written the parent since it was read? If the generation is
 * still the same, as after `wait` has recorded a verdict, adopts the new version.
 */
static bool may_write_again(struct applying *p)
{
	struct parent now = { 0 };
	struct str why;

	if (p->answer->class != CALL_CONFLICT || !p->now.version.n)
		return false;
	struct answer *x = request_get(&p->cluster->client, p->arena,
		applyset_parent_path(p->arena, p->ns, p->job->name));
	if (x->class != CALL_DONE || !x->data || !parent_read(p->arena, x->data, &now, &why) || now.deleting ||
		!str_eq(now.uid, p->now.uid) || now.generation != p->known_generation)
		return false;
	p->now.version = now.version;
	if (is_newer_restart(&now, &p->before)) {
		now.restart.most = p->now.restart.most;
		now.restart.copies = p->now.restart.copies;
		p->now.restart = now.restart;
		p->now.replaced = now.replaced;
		p->now.nreplaced = now.nreplaced;
		p->now.earlier = now.earlier;
		p->now.nearlier = now.nearlier;
	}
	return true;
}

/* Writes the parents of the runs that are due. */
static void write_due(struct fleet *f)
{
	struct cluster *k = f->at->cluster;

	for (unsigned try = 0; try <= WRITE_AGAIN; try++) {
		struct batch b = batch_new(&k->client, f->at->arena);
		for (size_t i = 0; i < f->n; i++) {
			struct applying *p = &f->at[i];
			p->answer = NULL;
			if (!p->due || p->written || (try && !p->again))
				continue;
			struct transport_request r = parent_request(p);
			p->answer = batch_add(&b, &r, CALL_BY_METHOD);
		}
		if (!b.n)
			break;
		batch_wait(&b);
		for (size_t i = 0; i < f->n; i++) {
			struct applying *p = &f->at[i];
			p->again = p->answer && try < WRITE_AGAIN && p->answer->class == CALL_CONFLICT &&
				may_write_again(p);
			if (p->answer && !p->again)
				p->written = is_written(p);
		}
	}
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].written)
			f->at[i].known_generation = f->at[i].now.generation;
}

void apply_write_records(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		f->at[i].written = f->at[i].mode != APPLY_REAL;
		f->at[i].due = f->at[i].going;
	}
	write_due(f);
}

/* The time of the server. */
static int64_t server_time(const struct applying *p)
{
	return clock_real() + transport_clock_offset(p->cluster->client.transport);
}

bool apply_is_busy(struct applying *p)
{
	struct buf since = { 0 };
	int64_t age;

	if (p->mode != APPLY_REAL || !parent_is_busy(&p->before, p->goal, server_time(p), &age))
		return false;
	put_age(&since, age);
	session_say(p->session, "somebody else is applying another program as run '%.*s' since %.*s; nothing was "
		"changed. Run the same command again when that command has ended. If it was killed, run it again, or "
		"wait until two minutes have passed", STR_ARG(p->job->name), STR_ARG(buf_text(&since)));
	buf_release(&since);
	return true;
}

void apply_renew_records(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		p->due = p->due && p->going && p->complete && p->mode == APPLY_REAL;
		p->written = !p->due;
		if (p->due)
			p->now.hash = parent_applying(p->arena, p->goal, server_time(p));
	}
	write_due(f);
	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		if (!p->due || p->written)
			continue;
		p->complete = false;
		p->lost = p->answer && p->answer->class == CALL_CONFLICT;
	}
}

bool apply_renew_record(struct applying *p)
{
	struct fleet alone = { .at = p, .n = 1, .going = 1 };

	p->due = true;
	apply_renew_records(&alone);
	return p->written;
}

/*
 * Sets the inventory before the first member is written: every object that existed, and every object that will be sent.
 */
void apply_begin_record(struct applying *p)
{
	p->now = p->before;
	p->now.there = true;
	p->now.run = p->job->name;
	p->now.ns = p->ns;
	p->now.file = p->file;
	p->now.generation = p->before.generation + 1;
	p->known_generation = p->before.generation;
	p->now.hash = parent_applying(p->arena, p->goal, server_time(p));
	p->now.verdict = STR("");
	p->now.controller = apply_wants_controller(p) ? STR(APPLYSET_SUPERVISE)
		: p->before.controller.n ? STR(APPLYSET_NOBODY) : STR("");
	p->now.jobs = p->jobs;
	if (p->rerun || !p->jobs.n) {
		p->now.restart = (struct status_restart){ 0 };
		p->now.nreplaced = p->now.nearlier = 0;
	}
	p->now.restart.most = apply_restarts(p);
	p->now.restart.copies = p->jobs.n > 0;
	p->now.jobs_digest = p->jobs_digest;
	p->now.kinds = NULL;
	p->now.nkinds = 0;
	for (size_t i = 0; i < p->before.nkinds; i++)
		parent_add_kind(p->arena, &p->now, &p->before.kinds[i]);
	for (size_t i = 0; i < p->wanted.n; i++)
		parent_add_kind(p->arena, &p->now, &p->wanted.at[i].resource);
	p->now.plan = p->plan;
	if (p->mode == APPLY_REAL)
		launches_begin(p);
}

/*
 * Sets the inventory at the end: the objects that were applied, and the objects that still exist although they should
 * not. An object that was refused or not sent keeps its old entry.
 */
void apply_end_record(struct applying *p, bool complete)
{
	struct applied *all = NULL;
	size_t n = 0;

	for (size_t i = 0; i < p->wanted.n; i++) {
		const struct wanted *w = &p->wanted.at[i];
		const struct applied *old = parent_find(&p->before, &w->resource, w->ns, w->from->name);
		struct applied x = { w->resource, w->ns, w->from->name, w->uid, w->hash, w->from->generated.n > 0 };
		if (w->stale && old)
			x = *old;
		if (!w->stale || old)
			ARENA_PUSH(p->arena, all, n, x);
	}
	p->now.applied = all;
	p->now.napplied = n;
	p->now.hash = STR("");          /* nobody applies the run any more */
	if (!complete)
		return;
	p->now.hash = p->wanted.hash;
	code_record_note(p->arena, p->program->program.project.root, p->job);
	p->now.code = code_record_text(p->arena, p->job);  /* until now, replicas may have had the code of before */
	p->now.kinds = NULL;
	p->now.nkinds = 0;
	for (size_t i = 0; i < p->wanted.n; i++)
		parent_add_kind(p->arena, &p->now, &p->wanted.at[i].resource);
}
