/*
 * run_pass.c - makes one pass over a run: reads the record, judges, records new facts, releases and ends Jobs. Every
 * step can be repeated: if a pass dies, the next pass repeats it from the record and the Jobs.
 *
 * Anybody who may write ConfigMaps may have written the record. So a pass only acts if the Jobs and Deployments of the
 * run vouch for the record (vouch.h), and it only deletes because of a verdict that the live objects show.
 */
#include "runtime/supervise/run_pass.h"

#include <stdlib.h>

#include "base/words.h"
#include "data/data_read.h"
#include "runtime/cluster/attend_step.h"
#include "runtime/cluster/jobs_request.h"
#include "runtime/cluster/restart.h"
#include "runtime/run/plan_record.h"
#include "runtime/status/look.h"
#include "runtime/supervise/event.h"
#include "runtime/supervise/log.h"
#include "runtime/supervise/supervised.h"
#include "runtime/supervise/tenant.h"

#define MANAGER "trainc-supervise"
enum { AT_ONCE = 16 };                  /* maximum number of requests of one pass under way */

enum { RESTART_PAUSE = 1 };             /* seconds before the next pass over a run whose restart waits */

enum run_step { RUN_RECORD, RUN_RESTART, RUN_MARK, RUN_FIRST, RUN_ACT, RUN_DOUBT, RUN_END };

struct run_pass {
	struct run_pass *later, *earlier;       /* links of the list of all passes under way */
	struct supervised *job;
	struct arena arena;
	int64_t begun;                  /* by the steady clock: when the pass started */
	struct parent parent;           /* the record */
	struct plan_job plan;
	struct status_objects objects;
	struct attend_step decided;     /* what is recorded and done */
	struct str doubt;               /* what the record says and no live object shows; empty: nothing */
	struct restart restart;
	enum run_step step;             /* the requests that are sent now */
	size_t next, pending;           /* requests of the step: the next to send, and those under way */
	bool failed;                    /* a request was refused, or its outcome is unknown */
	bool copy_failed;               /* the same for a request of the restart of a copy */
	bool warned;                    /* a warning was logged, or would have been logged again */
	bool cut_short;                 /* supervised_may_act() was false: the rest is left to another pass */
	bool stale;                     /* the record has changed since this pass read it; the change starts another
					 * pass */
	int64_t again;
};

struct run_sent {
	struct run_pass *pass;
	const struct jobs_action *action;
	struct transport_request request;
};

static void run_go_on(struct run_pass *p);

static bool run_read_json(struct run_pass *p, struct str text, struct data **ret)
{
	struct source source = { .text = str_copy(&p->arena, text), .base = 1 };
	struct data_error error;

	return data_read_json(&p->arena, &source, ret, &error);
}

/* ---- the end of a pass ---- */

static void run_pass_free(struct run_pass *p)
{
	*(p->later ? &p->later->earlier : &p->job->control->run_passes) = p->earlier;
	if (p->earlier)
		p->earlier->later = p->later;
	arena_release(&p->arena);
	free(p);
}

void run_passes_release(struct controller *c)
{
	while (c->run_passes) {
		struct supervised *j = c->run_passes->job;
		run_pass_free(c->run_passes);
		j->item.busy = false;
		if (j->gone)
			supervised_free(j);
	}
}

static void run_finish(struct run_pass *p)
{
	struct supervised *j = p->job;
	struct pass_end e = { .begun = p->begun, .ok = !p->failed && !p->copy_failed, .changed = p->cut_short,
		.again = p->again };

	if (!p->warned && !p->failed)
		j->warned = 0;
	run_pass_free(p);
	supervised_done(j, &e);
}

/* Logs a warning, unless the last warning about the run was the same: a pass that fails is repeated. */
static void run_warn(struct run_pass *p, const char *what, struct str why)
{
	uint32_t hash = str_hash_stable(why) | 1;

	if (hash != p->job->warned)
		log_line("warning", p->job->label, "%s%.*s", what, STR_ARG(why));
	p->job->warned = hash;
	p->warned = true;
}

/* ---- requests ---- */

static void run_send(struct run_pass *p, struct run_sent *s, void (*done)(void *to, const struct transport_result *r))
{
	s->pass = p;
	s->request.done = done;
	s->request.to = s;
	s->request.share = &p->job->tenant->share;
	p->pending++;
	call_start(p->job->control->client.calls, &s->request, CALL_REPEAT, NULL);
}

/*
 * After a conflict about a Job, another pass follows a moment later. The watch may already have reported the change
 * that caused the conflict, so no event would start a pass.
 */
static void run_answered(struct run_pass *p, const struct transport_result *r)
{
	bool conflict = r->code == 409;

	if (!transport_ok(r) && r->code != 404) {
		p->failed = p->failed || !conflict || p->step == RUN_ACT || p->step == RUN_FIRST ||
			p->step == RUN_MARK;
		if (!conflict)
			run_warn(p, "", r->error);
	}
	p->pending--;
	run_go_on(p);
}

/* ---- Events ---- */

/*
 * Events are about the record, so that `kubectl describe configmap` shows the whole story of the run. Each Event is
 * written after its request has succeeded. An action that is repeated writes the same Event.
 */
static void tell_run(struct run_pass *p, const char *type, const char *reason, struct str message, struct str about)
{
	struct str key = str_printf(&p->arena, "%lld %.*s", (long long)p->parent.generation, STR_ARG(about));

	event_write_once(p->job, about.n ? EVENT_MANY : EVENT_ONE, type, str_of(reason), message, key);
}

static void tell_verdict(struct run_pass *p)
{
	bool success = str_is(p->decided.verdict, "Succeeded");
	const struct run_failure *f = &p->decided.live.failure;

	if (p->decided.judged)
		tell_run(p, success ? "Normal" : "Warning", success ? "RunSucceeded" : "RunFailed",
			str_printf(&p->arena, "run '%.*s' has %s: %.*s", STR_ARG(p->parent.run), success ? "succeeded"
			: "failed", STR_ARG(p->decided.live.cause)), STR(""));
	if (!success && f->known)
		tell_run(p, "Warning", "FirstFailure", str_printf(&p->arena, "first failure: %.*s %lld, %.*s",
			STR_ARG(f->role), (long long)f->index, STR_ARG(f->reason)), STR(""));
}

static void tell_action(struct run_pass *p, const struct jobs_action *x)
{
	struct arena *a = &p->arena;
	const struct plan_role *r = plan_find_role(&p->plan, x->role);
	const char *kind = x->deployment ? "Deployment" : "Job";

	if (x->what == JOBS_RELEASE && r && r->start_after) {
		struct str c = plan_condition_text(a, &p->plan, r->start_after);
		tell_run(p, "Normal", "RoleStarted", str_printf(a, "role '%.*s' starts, because %.*s holds: %s %.*s is "
			"resumed", STR_ARG(x->role), STR_ARG(c), kind, STR_ARG(x->name)), x->uid);
	} else if (p->decided.expired) {
		struct str ttl = duration_text(a, p->plan.ttl.value);
		tell_run(p, "Normal", "TimeToLiveExpired", str_printf(a, "the run ended more than %.*s ago (ttl): %s "
			"%.*s is deleted", STR_ARG(ttl), kind, STR_ARG(x->name)), x->uid);
	} else if (x->what == JOBS_END) {
		tell_run(p, "Normal", "RoleEnded", str_printf(a, "role '%.*s' ends, because the run has %s: %s %.*s is "
			"deleted", STR_ARG(x->role), str_is(p->decided.verdict, "Succeeded") ? "succeeded" : "failed",
			kind, STR_ARG(x->name)), x->uid);
	}
}

/* ---- the record ---- */

static void record_written(void *to, const struct transport_result *r)
{
	struct run_sent *s = to;
	struct run_pass *p = s->pass;
	struct metrics *m = &p->job->control->metrics;

	p->stale = !transport_ok(r);
	if (transport_ok(r) && p->decided.news) {
		struct str verdict = p->decided.verdict;
		m->succeeded += p->decided.judged && str_is(verdict, "Succeeded");
		m->failed += p->decided.judged && str_is(verdict, "Failed");
		log_line("info", p->job->label, "%.*s: %.*s", STR_ARG(verdict), STR_ARG(p->decided.live.cause));
		tell_verdict(p);
	}
	run_answered(p, r);
}

/*
 * Records the verdict, and the fact that a controller has taken over this generation of the run. The request contains
 * the version that was read: if another apply has restarted the run since then, the verdict no longer applies to it.
 */
static bool step_record(struct run_pass *p)
{
	bool attended = parent_is_attended(&p->parent) || p->decided.vouched != VOUCH_GIVEN;

	if (p->next++ || (attended && !p->decided.news))
		return false;
	struct run_sent *s = ARENA_NEW(&p->arena, struct run_sent);
	const struct transport_pair data[] = { { STR("attended"), str_int(&p->arena, p->parent.generation) },
		{ STR("verdict"), p->decided.verdict }, { STR("outcome"), p->decided.outcome } };
	s->request = parent_patch(&p->arena, &p->parent, MANAGER, data, p->decided.news ? 3 : 1);
	run_send(p, s, record_written);
	return true;
}

/* ---- restarts of the whole run ---- */

static void tell_restart(struct run_pass *p, const struct parent *now)
{
	const struct status_restart *r = &now->restart;
	struct arena *a = &p->arena;
	struct str number = str_int(a, r->number);

	if (r->copy.n)
		tell_run(p, "Warning", "CopyRestarted", str_printf(a, "copy %.*s of run '%.*s' starts again (%lld), "
			"because it has failed: %.*s", STR_ARG(r->copy), STR_ARG(p->parent.run), (long long)r->count,
			STR_ARG(r->cause)), str_printf(a, "%.*s %.*s %lld", STR_ARG(number), STR_ARG(r->copy),
			(long long)r->count));
	else
		tell_run(p, "Warning", "RunRestarted", str_printf(a, "run '%.*s' starts again (%.*s of %lld), because "
			"it has failed: %.*s", STR_ARG(p->parent.run), STR_ARG(number), (long long)r->most,
			STR_ARG(r->cause)), number);
}

static void restart_answered(struct restart *r)
{
	struct run_pass *p = r->to;
	struct supervised *j = p->job;

	j->control->metrics.restarted += r->begun;
	const struct status_restart *now = &r->parent.restart;
	if (r->begun && now->copy.n)
		log_line("info", j->label, "copy %.*s starts again (%lld): %.*s", STR_ARG(now->copy),
			(long long)now->count, STR_ARG(now->cause));
	else if (r->begun)
		log_line("info", j->label, "starts again (%lld of %lld): %.*s", (long long)now->number,
			(long long)now->most, STR_ARG(now->cause));
	/* reported even if the restart was started by a pass that died before it wrote the Event */
	if (r->begun || r->end == RESTART_DONE || (r->end == RESTART_WAITS && p->parent.restart.going))
		tell_restart(p, &r->parent);
	if (r->end == RESTART_DONE)
		log_line("info", j->label, "all Jobs are created again");
	if (r->end == RESTART_FAILED && r->unvouched)
		p->doubt = r->error;
	else if (r->end == RESTART_FAILED)
		run_warn(p, "cannot be restarted yet: ", r->error);
	/* the others of a run go on while a copy cannot restart */
	bool *failed = now->copy.n || (r->next && r->next->copy.n) ? &p->copy_failed : &p->failed;
	*failed = *failed || (r->end == RESTART_FAILED && !r->unvouched);
	if (r->end == RESTART_FAILED && r->next && r->next->copy.n)
		j->refused_copy = supervised_keep_filled(j->refused_copy, r->next->copy);
	if (r->end == RESTART_WAITS)
		p->again = controller_now(p->job->control) + RESTART_PAUSE * NS_PER_SECOND;
	p->pending--;
	run_go_on(p);
}

/* Starts a restart that is due, or continues one that is in progress. */
static bool step_restart(struct run_pass *p)
{
	if (p->next++ || !p->decided.restart)
		return false;
	if (p->decided.patience) {
		p->again = controller_now(p->job->control) + p->decided.patience;
		return false;
	}
	p->restart = (struct restart){ .calls = p->job->control->client.calls, .arena = &p->arena, .ns = p->job->ns,
		.judged = p->parent, .manager = MANAGER, .share = &p->job->tenant->share,
		.next = p->decided.next, .done = restart_answered, .to = p };
	restart_note_attempts(&p->restart, &p->plan, &p->decided.live, &p->objects);
	p->pending++;
	restart_start(&p->restart);
	return true;
}

/* ---- the Jobs ---- */

static void job_answered(void *to, const struct transport_result *r)
{
	struct run_sent *s = to;
	struct metrics *m = &s->pass->job->control->metrics;
	bool release = s->action->what == JOBS_RELEASE;

	if (transport_ok(r) && s->action->what != JOBS_MARK) {
		m->released += release;
		m->deleted += !release;
		log_line("info", s->pass->job->label, release ? "role '%.*s' begins: %.*s is resumed"
			: "role '%.*s' ends: %.*s is deleted", STR_ARG(s->action->role), STR_ARG(s->action->name));
		tell_action(s->pass, s->action);
	}
	run_answered(s->pass, r);
}

/* Sends the next action of STAGE. */
static bool step_jobs(struct run_pass *p, enum jobs_stage stage)
{
	const struct jobs_decision *d = &p->decided.actions;

	while (p->next < d->n && jobs_stage_of(&d->at[p->next]) != stage)
		p->next++;
	if (p->next >= d->n)
		return false;
	struct run_sent *s = ARENA_NEW(&p->arena, struct run_sent);
	s->action = &d->at[p->next++];
	s->request = jobs_request(&p->arena, s->action, p->job->ns, MANAGER);
	run_send(p, s, job_answered);
	return true;
}

/* ---- a record that no live object vouches for ---- */

/*
 * May another record of the namespace be reported now? Whoever writes hostile records can write many: at most 25 at
 * once, then one each minute. The metric counts all.
 */
static bool may_warn(struct tenant *t, int64_t now)
{
	double most = 25, more = (double)(now - t->warned) / (60.0 * NS_PER_SECOND);

	t->warnings = !t->warned || t->warnings + more > most ? most : t->warnings + more;
	t->warned = now;
	if (t->warnings < 1)
		return false;
	t->warnings -= 1;
	return true;
}

static void doubt_told(void *to, const struct transport_result *r)
{
	struct run_sent *s = to;
	struct run_pass *p = s->pass;
	struct arena *a = &p->arena;
	struct data *record = NULL;
	struct str writer = STR("somebody");

	if (transport_ok(r) && run_read_json(p, r->body, &record))
		writer = vouch_writer(a, record);
	struct str said = str_printf(a, "nothing is done because of the record: %.*s; %.*s has written the record last",
		STR_ARG(p->doubt), STR_ARG(writer));
	log_line("warning", p->job->label, "%.*s", STR_ARG(said));
	event_write_once(p->job, EVENT_MANY, "Warning", STR("NotVouched"), str_printf(a, "%.*s. If the run is yours, "
		"'trainc apply' makes its Jobs vouch for the record again", STR_ARG(said)), said);
	p->pending--;
	run_go_on(p);
}

/*
 * Reports once what the record says and no live object shows, unless it is only a moment since an `apply` or another
 * attendant has changed the record: the watches report changes in any order.
 */
static bool step_doubt(struct run_pass *p)
{
	struct supervised *j = p->job;
	int64_t now = loop_now(j->control->client.loop);
	int64_t patience = attend_doubt_patience(&p->parent);

	if (p->next++)
		return false;
	if (!p->doubt.n) {
		j->doubtful = 0;
		j->doubted = false;
		return false;
	}
	j->doubtful = j->doubtful ? j->doubtful : now;
	if (now < j->doubtful + patience) {
		int64_t at = controller_now(j->control) + j->doubtful + patience - now;
		p->again = p->again < at ? p->again : at;
		return false;
	}
	if (j->doubted)
		return false;
	j->doubted = true;
	j->control->metrics.doubted++;
	if (!may_warn(j->tenant, now))
		return false;
	struct run_sent *s = ARENA_NEW(&p->arena, struct run_sent);
	s->request = (struct transport_request){ .method = TRANSPORT_GET, .kind = TRANSPORT_READ,
		.path = transport_path(&p->arena, &(struct transport_place){ .version = STR("v1"),
		.plural = STR("configmaps"), .namespace = j->ns, .name = j->name }) };
	run_send(p, s, doubt_told);
	return true;
}

static bool run_send_next(struct run_pass *p)
{
	switch (p->step) {
	case RUN_RECORD: return step_record(p);
	case RUN_RESTART: return step_restart(p);
	case RUN_MARK: return step_jobs(p, JOBS_STAGE_MARK);
	case RUN_FIRST: return step_jobs(p, JOBS_STAGE_DEPLOYMENT);
	case RUN_ACT: return step_jobs(p, JOBS_STAGE_JOB);
	case RUN_DOUBT: return step_doubt(p);
	case RUN_END: break;
	}
	return false;
}

static void run_go_on(struct run_pass *p)
{
	while (p->step != RUN_END) {
		p->cut_short = p->cut_short || !supervised_may_act(p->job);
		while (!p->cut_short && p->pending < AT_ONCE && run_send_next(p))
			continue;
		if (p->pending)
			return;
		p->step = p->failed || p->stale || p->cut_short || p->step == RUN_END ? RUN_END : p->step + 1;
		p->next = 0;
	}
	run_finish(p);
}

/* ---- what exists ---- */

/* Collects the Jobs and Deployments that the record lists, and the pods of these Jobs. */
static void run_see(struct run_pass *p)
{
	struct supervised *j = p->job;
	struct status_objects all = { 0 };

	store_objects(&j->control->run_objects, &p->arena, j->ns, p->parent.run, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct data *o = all.at[i];
		bool pod = str_is(status_text(o, "kind"), "Pod");
		struct str uid = pod ? status_label(o, STORE_POD_JOB_LABEL) : status_text(o, "metadata.uid");
		if (parent_lists(&p->parent, uid))
			ARENA_PUSH(&p->arena, p->objects.at, p->objects.n, o);
	}
}

/* Reads the record; false if this controller does not attend the run. */
static bool run_read(struct run_pass *p)
{
	struct supervised *j = p->job;
	struct str why = STR("the record is not JSON");
	struct data *object, *plan;

	bool ok = run_read_json(p, (struct str){ j->text, j->ntext }, &object) &&
		parent_read(&p->arena, object, &p->parent, &why);
	if (ok && p->parent.deleting)
		return false;
	ok = ok && run_read_json(p, p->parent.plan, &plan) && plan_record_read(&p->arena, plan, &p->plan, &why);
	if (ok && (p->plan.controller || plan_each_replica(&p->plan))) {
		why = STR("its target does not write Jobs");
		ok = false;
	}
	if (!ok && !j->refused) {
		log_line("warning", j->label, "%.*s", STR_ARG(why));
		event_write_once(j, EVENT_ONE, "Warning", STR("NotAttended"), str_printf(&p->arena,
			"nothing is done for this run: %.*s", STR_ARG(why)), j->uid);
	}
	j->refused = !ok;
	p->plan.ns = (struct plan_str){ .value = j->ns, .set = true };
	return ok;
}

/* Judges the run by the objects that vouch for its record, and decides what to do. */
static void run_judge(struct run_pass *p)
{
	struct attend_look look = { .plan = &p->plan, .record = &p->parent, .objects = &p->objects, .acts = true,
		.now = controller_now(p->job->control) };

	run_see(p);
	p->objects.restart = p->parent.restart;
	p->objects.restart.refused = str_of(p->job->refused_copy ? p->job->refused_copy : "");
	p->objects.attended = true;
	p->decided = attend_step(&p->arena, &look);
	p->doubt = p->decided.doubt;
	p->again = p->decided.again;
	if (p->decided.vouched == VOUCH_MISSING)
		p->step = RUN_DOUBT;
}

void run_pass_begin(struct queue_item *i)
{
	struct supervised *j = i->to;
	struct run_pass *p = memory_resize(NULL, sizeof *p);

	*p = (struct run_pass){ .earlier = j->control->run_passes, .job = j, .begun = clock_steady(),
		.again = RULES_NEVER, .arena.frugal = true };
	if (p->earlier)
		p->earlier->later = p;
	j->control->run_passes = p;
	if (j->gone || !run_read(p))
		p->step = RUN_END;
	else
		run_judge(p);
	run_go_on(p);
}
