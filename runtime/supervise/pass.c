/*
 * pass.c - makes one pass, step by step: compile, decide, store the new facts, write a verdict, create the objects that
 * all replicas share, act, write the status. Each step ends when all its requests have been answered.
 */
#include "runtime/supervise/pass.h"

#include <stdlib.h>

#include "base/words.h"
#include "data/data_read.h"
#include "runtime/status/look.h"
#include "runtime/supervise/event.h"
#include "runtime/supervise/job_status.h"
#include "runtime/supervise/owned.h"
#include "runtime/supervise/pass_internal.h"
#include "runtime/supervise/plan_cache.h"

#define GROUP_WAIT NS_PER_SECOND        /* pause between two checks of a gang that cannot start yet */
enum { AT_ONCE = 24 };                  /* maximum number of requests of one pass under way */

/* ---- the end of a pass ---- */

static void pass_free(struct pass *p)
{
	struct pass **first = &p->job->control->passes;

	*(p->later ? &p->later->earlier : first) = p->earlier;
	if (p->earlier)
		p->earlier->later = p->later;
	arena_release(&p->arena);
	free(p);
}

void passes_release(struct controller *c)
{
	while (c->passes) {
		struct supervised *j = c->passes->job;
		for (struct pass_request *s = c->passes->requests; s; s = s->next)
			arena_release(&s->own);
		pass_free(c->passes);
		j->item.busy = false;
		if (j->gone)
			supervised_free(j);
	}
}

static void finish(struct pass *p)
{
	struct supervised *j = p->job;
	struct pass_end e = { .begun = p->begun, .ok = !p->failed, .changed = p->changed || p->cut_short,
		.again = p->d.again };
	int64_t look = controller_now(j->control) + GROUP_WAIT;

	if (p->held && e.again > look)
		e.again = look;
	pass_free(p);
	supervised_done(j, &e);
}

/* ---- storing the record ---- */

static void kept(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;
	struct pass *p = s->pass;

	if (transport_ok(r))
		p->job->durable = supervised_keep_filled(p->job->durable, p->durable);
	else
		pass_give_up(p, r);
	pass_answered(p);
}

static void send_durable(struct pass *p)
{
	struct pass_request *s = pass_request_new(p);
	struct buf b = { 0 };

	buf_z(&b, "{\"metadata\":{\"uid\":");
	buf_json(&b, p->job->uid);
	buf_z(&b, ",\"annotations\":{\"" RECORD_ANNOTATION "\":");
	if (p->durable.n)
		buf_json(&b, p->durable);
	else
		buf_z(&b, "null");
	buf_z(&b, "}}}");
	s->request = resource_patch(&p->arena, p->job, "", buf_take(&b, &p->arena));
	buf_release(&b);
	pass_send(p, s, CALL_REPEAT, kept);
}

static void identified(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;

	if (!transport_ok(r))
		pass_give_up(s->pass, r);
	pass_answered(s->pass);
}

/* Writes the runtime id of an ancestor's job into the job's spec, where its users expect the id. */
static bool send_runtime_id(struct pass *p)
{
	struct str id = custom_runtime_id(&p->arena, p->resource);
	struct pass_request *s;

	if (!id.n || p->was_finished)
		return false;
	s = pass_request_new(p);
	s->request = resource_patch(&p->arena, p->job, "", str_printf(&p->arena,
		"{\"metadata\":{\"uid\":\"%.*s\"},\"spec\":{\"RuntimeId\":\"%.*s\"}}", STR_ARG(p->job->uid),
		STR_ARG(id)));
	pass_send(p, s, CALL_REPEAT, identified);
	return true;
}

static bool keep_record(struct pass *p)
{
	if (p->next == 0) {
		p->next = 1;
		if (send_runtime_id(p))
			return true;
	}
	if (p->next++ > 1 || str_eq(p->durable, str_of(p->job->durable ? p->job->durable : "")))
		return false;
	send_durable(p);
	return true;
}

/* ---- deleting the job ---- */

static void removed(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;
	struct pass *p = s->pass;

	if (transport_ok(r))
		event_write(p->job, EVENT_ONE, "Normal", STR("SuccessfulDeleteJob"),
			str_cat(&p->arena, STR("Deleted job: "), p->job->name, STR("")));
	else if (r->code != 404 && r->code != 409)
		pass_give_up(p, r);
	pass_answered(p);
}

static bool remove_job(struct pass *p)
{
	struct pass_request *s;

	if (p->next++ || !p->d.remove)
		return false;
	s = pass_request_new(p);
	s->request = resource_delete(&p->arena, p->job);
	pass_send(p, s, CALL_REPEAT, removed);
	return true;
}

/* ---- the order of the steps ---- */

static bool send_next(struct pass *p)
{
	switch (p->step) {
	case STEP_KEEP: return keep_record(p);
	case STEP_VERDICT: return pass_verdict(p);
	case STEP_SCALER: return pass_scaler(p);
	case STEP_SHARED: return pass_shared(p);
	case STEP_GROUP: return pass_group(p);
	case STEP_WITHDRAW: return pass_withdraw(p);
	case STEP_ACT: return pass_act(p);
	case STEP_GRANT: return pass_grant(p);
	case STEP_LEAD: return p->granted && pass_act(p);
	case STEP_UNGROUP: return pass_ungroup(p);
	case STEP_STATUS: return pass_status(p);
	case STEP_REMOVE: return remove_job(p);
	case STEP_END: break;
	}
	return false;
}

/*
 * The next step of the pass. If the record could not be stored, no action is taken; if a pod was refused, the status is
 * still written.
 */
static enum step step_after(const struct pass *p)
{
	if (p->failed && p->step < STEP_ACT)
		return STEP_END;
	return p->step == STEP_STATUS && p->failed ? STEP_END : p->step + 1;
}

static void go_on(struct pass *p)
{
	while (p->step != STEP_END) {
		p->cut_short = p->cut_short || !supervised_may_act(p->job);
		while (!p->cut_short && p->pending < AT_ONCE && send_next(p))
			continue;
		if (p->pending)
			return;
		p->step = p->cut_short ? STEP_END : step_after(p);
		p->next = 0;
	}
	finish(p);
}

/* ---- the start of a pass ---- */

static bool read_resource(struct pass *p)
{
	struct source source = { .text = str_copy(&p->arena, (struct str){ p->job->text, p->job->ntext }), .base = 1 };
	struct data_error error;
	struct data *d;

	if (!data_read_json(&p->arena, &source, &d, &error))
		return false;
	p->resource = d;
	return true;
}

/* Ends a pass over a job that another controller looks after. */
static bool is_elsewhere(const struct pass *p)
{
	const struct data *by = status_path(p->resource, "spec.runPolicy.managedBy");

	return by && by->kind == DATA_STRING && !str_is(by->u.string, CONTROLLER);
}

void pass_begin(struct queue_item *i)
{
	struct supervised *j = i->to;
	struct pass *p = memory_resize(NULL, sizeof *p);

	*p = (struct pass){ .earlier = j->control->passes, .job = j, .begun = clock_steady(), .go_on = go_on,
		.d.again = RULES_NEVER, .arena.frugal = true };
	if (p->earlier)
		p->earlier->later = p;
	j->control->passes = p;
	if (j->gone || !read_resource(p) || is_elsewhere(p)) {
		p->step = STEP_END;
	} else if (status_text(p->resource, "metadata.deletionTimestamp").n) {
		p->step = j->kind->status_key ? STEP_STATUS : STEP_END;
		p->status = STR("{\"phase\":\"CleanUp\"}");
		supervised_want(j, p->status);
	} else {
		p->plan = plan_get(j, p->resource);
		if (p->plan->job)
			pass_decide(p);
		else
			pass_refuse(p);
	}
	go_on(p);
}
