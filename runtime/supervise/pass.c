/*
 * pass.c - makes one pass, step by step: compile, decide, store the new facts, write a verdict, create the objects that
 * all replicas share, act, write the status. Each step ends when all its requests have been answered.
 */
#include "runtime/supervise/pass.h"

#include <stdlib.h>

#include "base/words.h"
#include "data/data_read.h"
#include "runtime/status/look.h"
#include "runtime/supervise/budget.h"
#include "runtime/supervise/event.h"
#include "runtime/supervise/job_status.h"
#include "runtime/supervise/log.h"
#include "runtime/supervise/owned.h"
#include "runtime/supervise/pass_internal.h"
#include "runtime/supervise/plan_cache.h"

#define GROUP_WAIT NS_PER_SECOND        /* pause between two checks of a gang that cannot start yet */
#define PLAN_WAIT (NS_PER_SECOND / 5)   /* pause until a pass tries again to get memory for a plan */
/*
 * AT_ONCE, AT_LEAST: maximum number of requests of one pass under way, for a small and for a large resource: a request
 * that creates a pod, and its answer, are as large as the resource. AT_ONCE_BYTES: the size of all of these requests
 */
enum { AT_ONCE = 24, AT_LEAST = 4, AT_ONCE_BYTES = 1 << 20 };

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

/* Keeps the resource that was read by a request, if the job goes on and its namespace has room. */
static void keep_resource(struct pass *p)
{
	struct supervised *j = p->job;

	if (j->text || p->rests || !p->text.n || !budget_permits(j->tenant, p->text.n + BUDGET_JOB))
		return;
	j->text = supervised_keep(NULL, p->text);
	j->ntext = p->text.n;
}

static void finish_pass(struct pass *p)
{
	struct supervised *j = p->job;
	struct pass_end e = { .begun = p->begun, .ok = !p->failed, .changed = p->changed || p->cut_short,
		.rests = p->rests && (j->written || !p->status.n), .waits = p->waits, .again = p->d.again };
	int64_t look = controller_now(j->control) + GROUP_WAIT;

	if (p->held && e.again > look)
		e.again = look;
	keep_resource(p);
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
	case STEP_READ: return pass_read(p);
	case STEP_KEEP: return keep_record(p);
	case STEP_VERDICT: return pass_verdict(p);
	case STEP_SCALER: return pass_scaler(p);
	case STEP_SHARED: return pass_shared(p);
	case STEP_CONFIG: return pass_config(p);
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

/* ---- what a pass does ---- */

/* Ends a pass over a job that another controller looks after. */
static bool is_elsewhere(const struct pass *p)
{
	const struct data *by = status_path(p->resource, "spec.runPolicy.managedBy");

	return by && by->kind == DATA_STRING && !str_is(by->u.string, CONTROLLER);
}

/*
 * Must the job wait until there is room for it? Only a job of which nothing exists yet, and only if the pass would
 * create something.
 */
static bool has_to_wait(struct pass *p)
{
	struct supervised *j = p->job;
	size_t need = j->text ? 0 : p->text.n + BUDGET_JOB, created = 0;

	for (size_t i = 0; i < p->d.nactions; i++)
		created += p->d.actions[i].what == DECIDE_CREATE;
	if (!created || store_has(&j->control->store, j->ns, j->name))
		return false;
	created *= BUDGET_OBJECT;
	need += created > BUDGET_JOB ? created - BUDGET_JOB : 0;
	if (need && !budget_may_begin(j, need)) {
		budget_hold(j, need);
		return true;
	}
	budget_unhold(j);
	return false;
}

static void hold_job(struct pass *p)
{
	struct supervised *j = p->job;

	p->step = STEP_END;
	p->rests = true;
	p->d.again = RULES_NEVER;
	j->tenant->holds++;
	log_line("info", j->label, "is held: the share of its namespace in the controller's memory is used up");
	event_write_once(j, EVENT_MANY, "Warning", STR("Held"), str_printf(&p->arena, "the controller keeps %zu KiB "
		"for the jobs of namespace '%.*s', which is its share; the job starts when others have ended",
		j->tenant->kept >> 10, STR_ARG(j->ns)), j->uid);
}

/* Decides about a job whose plan is known. */
static void pass_planned(struct pass *p)
{
	struct supervised *j = p->job;
	bool objects = store_has(&j->control->store, j->ns, j->name);

	if (!p->plan->job) {
		pass_refuse(p);
		p->rests = !objects;
		return;
	}
	pass_decide(p);
	if (p->step == STEP_END)
		p->rests = true;
	else if (has_to_wait(p))
		hold_job(p);
	else
		p->rests = !p->d.nactions && (p->was_finished || decide_suspended(p->plan->job));
}

/* Refuses a resource that is too large to be compiled; its spec is not known. */
static const struct custom_plan *plan_oversized(struct pass *p)
{
	struct custom_plan *plan = ARENA_NEW(&p->arena, struct custom_plan);

	plan->fault = str_printf(&p->arena, "the job has %zu KiB, and the controller reads at most %d KiB; put long "
		"texts into a ConfigMap or the image", p->job->size >> 10, SUPERVISED_LARGEST >> 10);
	return plan;
}

/* Continues a pass whose resource has been read. */
static void pass_resource(struct pass *p)
{
	struct supervised *j = p->job;

	p->step = STEP_KEEP;
	if (!p->resource || is_elsewhere(p)) {
		p->rests = true;
		p->step = STEP_END;
	} else if (status_text(p->resource, "metadata.deletionTimestamp").n) {
		p->step = j->kind->status_key ? STEP_STATUS : STEP_END;
		p->status = STR("{\"phase\":\"CleanUp\"}");
		supervised_want(j, p->status);
	} else {
		p->plan = j->oversized ? plan_oversized(p) : plan_get(j, p->resource);
		pass_planned(p);
	}
}

/* The number of requests that the pass may have under way. */
static size_t at_once(const struct pass *p)
{
	size_t n = p->text.n ? AT_ONCE_BYTES / p->text.n : AT_ONCE;

	return n < AT_LEAST ? AT_LEAST : n < AT_ONCE ? n : AT_ONCE;
}

static void go_on(struct pass *p)
{
	while (p->step != STEP_END) {
		p->cut_short = p->cut_short || !supervised_may_act(p->job);
		while (!p->cut_short && p->pending < at_once(p) && send_next(p))
			continue;
		if (p->pending)
			return;
		p->next = 0;
		if (p->step == STEP_READ && !p->cut_short && !p->failed)
			pass_resource(p);
		else
			p->step = p->cut_short ? STEP_END : step_after(p);
	}
	finish_pass(p);
}

/* ---- the start of a pass ---- */

/* Is there a plan of J, or memory for it? */
static bool may_plan(struct supervised *j)
{
	return j->oversized || (j->plan && j->generation == j->seen_generation) || plan_has_room(j, j->size);
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
	j->rests = false;
	if (j->gone) {
		p->step = STEP_END;
	} else if (!may_plan(j)) {
		p->step = STEP_END;
		p->d.again = controller_now(j->control) + PLAN_WAIT;
		p->waits = true;
	}
	go_on(p);
}
