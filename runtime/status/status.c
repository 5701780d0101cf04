/* status.c - derives the state of the run from its roles and objects. */
#include "runtime/status/copies.h"
#include "runtime/status/status.h"
#include "runtime/run/cells.h"

#include "runtime/status/crowd.h"
#include "base/words.h"
#include "plan/code.h"
#include "runtime/run/judge.h"
#include "runtime/run/rules.h"

#include <stdlib.h>

void status_add(struct arena *a, struct status_objects *o, const struct data *document)
{
	const struct data *items = document->kind == DATA_MAP ? data_get(document, STR("items")) : NULL;

	if (items && items->kind == DATA_LIST && str_ends(status_text(document, "kind"), STR("List"))) {
		for (size_t i = 0; i < items->u.list.n; i++)
			ARENA_PUSH(a, o->at, o->n, (const struct data *)items->u.list.at[i]);
		return;
	}
	if (document->kind == DATA_MAP)
		ARENA_PUSH(a, o->at, o->n, document);
}

/* ---- questions ---- */

static struct role_states *judged_states(struct gathering *g)
{
	struct role_states *states = ARENA_ARRAY(g->arena, struct role_states, g->job->nroles);

	for (size_t i = 0; i < g->job->nroles; i++)
		states[i] = (struct role_states){ g->parts[i].judged, (size_t)g->job->roles[i].max, false };
	return states;
}

static bool part_active(const struct gathered_part *p)
{
	for (int64_t i = 0; i < p->plan->max; i++)
		if (replica_runs(p->states[i]))
			return true;
	return false;
}

static bool any_active(const struct gathering *g)
{
	for (size_t i = 0; i < g->job->nroles; i++)
		if (!g->parts[i].plan->aux && part_active(&g->parts[i]))
			return true;
	return false;
}

/* ---- failures ---- */

struct verdict {
	bool ends, restarts;
	bool anew;                      /* a role has failed, and the whole run must restart because of this */
	bool told;                      /* the cause is what a controller says, which does not know why */
	/* phase of the end: FAILED, or FAILING as long as no controller has acted on the failure */
	enum run_phase phase;
	struct str cause;
};

static void end_run(struct verdict *v, enum run_phase phase, struct str cause)
{
	if (!v->ends || (phase == RUN_FAILED && v->phase != RUN_FAILED)) {
		v->phase = phase;
		v->cause = cause;
		v->told = false;
	}
	v->ends = true;
}

/* Ends the run because a controller says so. Only a deadline explains itself. */
static void end_told(struct verdict *v, enum run_phase phase, struct str cause)
{
	if (v->ends && (phase != RUN_FAILED || v->phase == RUN_FAILED))
		return;
	end_run(v, phase, cause);
	v->told = !str_starts(cause, STR("DeadlineExceeded"));
}

/*
 * Sets the verdict when a controller has given up a role. As long as restarts of the whole run are left, the run must
 * restart, as judge_begins_anew() decides for a local run. A deadline always ends the run.
 */
static void judged_by_job(const struct gathering *g, const struct gathered_part *p, struct verdict *v)
{
	const struct status_restart *restart = &g->all->restart;

	if (!part_given_up(p))
		return;
	if (restart->number >= restart->most || part_past_deadline(p)) {
		end_told(v, p->phase, p->cause);
		return;
	}
	v->cause = v->ends || v->anew ? v->cause : p->cause;
	v->anew = true;
}

/*
 * Notes how a failed pod that still exists affects a job that continues: either the job restarts, or it waits until
 * somebody replaces the pod.
 */
static void note_restart(struct gathering *g, const struct gathered_part *p, bool running, struct verdict *v)
{
	int64_t lost = 0, first = -1;
	bool again = true;

	for (int64_t i = 0; i < p->desired; i++) {
		if (p->states[i] != REPLICA_FAILED)
			continue;
		first = lost++ ? first : i;
		again = again && p->judged[i] != REPLICA_FAILED;
	}
	if (p->njobs || p->plan->in_group || lost <= role_spare_replicas(p->plan))
		return;
	enum failure_effect effect = failure_judge(p->plan, again);
	if (effect == FAILURE_PASSES && (!again || running))
		return;
	v->cause = v->ends || v->restarts ? v->cause :
		str_printf(g->arena, "%.*s %lld: %.*s", STR_ARG(p->plan->name), (long long)first,
			STR_ARG(p->at[first].view.cause));
	v->restarts = true;
}

/*
 * The time at which the pods of the job started, for a timeout that no controller enforces; 0 if a controller enforces
 * it.
 */
static int64_t begin_of_pods(const struct gathering *g)
{
	int64_t begin = 0;

	for (size_t i = 0; i < g->job->nroles; i++) {
		if (g->parts[i].njobs || g->whole)
			return 0;
		for (int64_t k = 0; !g->parts[i].plan->aux && k < g->parts[i].plan->max; k++) {
			int64_t t = g->parts[i].at[k].first;
			begin = t && (!begin || t < begin) ? t : begin;
		}
	}
	return begin;
}

/* The number of restarts that the pods show, for a limit that no controller enforces. */
static int64_t spent_by_pods(const struct gathering *g)
{
	int64_t spent = 0;

	for (size_t i = 0; i < g->job->nroles; i++) {
		const struct gathered_part *p = &g->parts[i];
		if (p->njobs || g->whole)
			return 0;
		for (int64_t k = 0; k < p->plan->max && role_begins_again(p->plan); k++) {
			bool begins = p->at[k].view.failed && !p->at[k].view.disrupted &&
				p->judged[k] != REPLICA_FAILED;
			spent += p->at[k].view.restarts + p->at[k].restarts + p->at[k].failures + begins;
		}
	}
	return spent;
}

static struct judge_facts facts_of(struct gathering *g)
{
	struct judge_facts f = { .job = g->job, .roles = ARENA_ARRAY(g->arena, struct judge_role, g->job->nroles),
		.seen = judged_states(g),
		.begin = begin_of_pods(g), .now = g->now, .spent = spent_by_pods(g) };

	for (size_t k = 0; k < g->job->nroles; k++) {
		const struct gathered_part *p = &g->parts[k];
		bool *present = ARENA_ARRAY(g->arena, bool, (size_t)p->plan->max);
		for (int64_t i = 0; i < p->plan->max; i++)
			present[i] = p->at[i].pod != NULL || p->anew;
		/* the controller of the whole run, if the run has one, may start the replicas again */
		f.roles[k] = (struct judge_role){ .states = p->judged, .present = present, .desired = p->desired,
			.governed = p->njobs || g->whole || p->plan->in_group, .unwanted = p->unwanted,
			.given_up = part_given_up(p) };
	}
	return f;
}

static struct str lost_replica(struct gathering *g, const struct judge_facts *f)
{
	for (size_t k = 0; k < g->job->nroles; k++) {
		const struct gathered_part *p = &g->parts[k];
		bool meant = !f->roles[k].governed && role_required(g->job, p->plan) && !p->lost;
		for (int64_t i = 0; i < p->desired && meant; i++)
			if (p->judged[i] == REPLICA_FAILED && failure_judge(p->plan, false) == FAILURE_ENDS)
				return str_printf(g->arena, "%.*s %lld: %.*s", STR_ARG(p->plan->name), (long long)i,
					STR_ARG(p->at[i].view.cause));
	}
	return STR("");
}

/* Sets a verdict that follows from the rules although nothing has acted on it yet. */
static void judged_by_us(struct gathering *g, const struct judge_facts *f, enum judge_what what, struct verdict *v)
{
	struct buf b = { 0 };

	switch (what) {
	case JUDGE_FAILED:
		/*
		 * the cluster does not record how often the job restarted, so the count is left to whoever restarts the
		 * job
		 */
		if (judge_begins_anew(g->job, what, 0)) {
			v->cause = v->restarts ? v->cause : lost_replica(g, f);
			v->restarts = true;
		} else {
			end_run(v, RUN_FAILED, lost_replica(g, f));
		}
		break;
	case JUDGE_DEADLINE:
		buf_z(&b, "DeadlineExceeded: it runs longer than its timeout of ");
		put_duration(&b, (int64_t)g->job->timeout.value.nano);
		end_run(v, RUN_FAILING, buf_take(&b, g->arena));
		break;
	case JUDGE_LIMIT:
		end_run(v, RUN_FAILED, str_printf(g->arena, "BackoffLimitExceeded: %lld restarts",
			(long long)f->spent));
		break;
	case JUDGE_UNREACHABLE:
		for (size_t k = 0; k < g->job->nroles; k++)
			if (f->roles[k].governed)       /* the role's controller itself reports a failure */
				return;
		end_run(v, RUN_FAILED, str_printf(g->arena, "nothing runs any more, and %.*s does not hold",
			STR_ARG(plan_condition_text(g->arena, g->job, g->job->success))));
		break;
	case JUDGE_SUCCEEDED: case JUDGE_GOING: case JUDGE_IDLE: case JUDGE_COPY: break;
	}
	buf_release(&b);
}

static struct verdict failures(struct gathering *g, const struct judge_facts *f, enum judge_what what, bool running,
	const struct whole_view *whole)
{
	struct verdict v = { 0 };

	for (size_t i = 0; i < g->job->nroles; i++) {
		if (!role_required(g->job, g->parts[i].plan) || g->whole || g->parts[i].unwanted || g->parts[i].lost)
			continue;
		judged_by_job(g, &g->parts[i], &v);
		note_restart(g, &g->parts[i], running, &v);
	}
	judged_by_us(g, f, what, &v);
	if (whole->decided && whole->phase == RUN_FAILED)
		end_told(&v, RUN_FAILED, whole->cause);
	v.restarts = v.restarts || whole->restarting;
	return v;
}

/* ---- why the run does not run ---- */

static void worsen_run(struct run_state *s, enum run_phase phase, struct str cause)
{
	if (phase_rank(phase) >= phase_rank(s->phase))
		return;
	s->phase = phase;
	s->cause = cause;
}

static enum run_phase as_run(enum run_phase phase)
{
	return phase == RUN_FAILED || phase == RUN_FAILING || phase == RUN_TERMINATING ? RUN_DEGRADED : phase;
}

/*
 * Does the copy of a role wait in a queue? The queue admits each copy by itself, so the run runs as soon as others do.
 */
static bool copy_queued(const struct gathered_part *p)
{
	return p->plan->cell.n && p->phase == RUN_QUEUED;
}

/*
 * Sets the cause of a run that does not run: the worst role decides. Objects that admit pods explain why no pod runs.
 */
static void hold_back(struct gathering *g, struct run_state *s, const struct whole_view *whole)
{
	bool active = any_active(g);

	if (g->whole && !active && !g->npods && whole->phase == RUN_PENDING)
		worsen_run(s, RUN_PENDING, whole->cause.n ? whole->cause : STR("its controller has made no pods yet"));
	for (size_t i = 0; i < g->job->nroles; i++) {
		const struct gathered_part *p = &g->parts[i];
		if (!p->plan->aux && p->desired && !p->lost && p->phase != RUN_ABSENT &&
			phase_rank(p->phase) < phase_rank(RUN_RUNNING) && !(active && copy_queued(p)))
			worsen_run(s, as_run(p->phase), p->cause);
	}
	for (size_t i = 0; !active && i < s->nobjects; i++) {
		const struct run_object *o = &s->objects[i];
		if (!o->holds || s->phase == RUN_STALLED)
			continue;
		struct str cause = str_printf(g->arena, "%.*s %.*s: %.*s", STR_ARG(o->kind), STR_ARG(o->name),
			STR_ARG(o->cause));
		s->phase = o->phase == RUN_FAILED ? RUN_STALLED : o->phase;
		s->cause = cause;
	}
}

/* ---- the run ---- */

static bool suspended(const struct gathering *g)
{
	bool queued = false;

	for (size_t i = 0; i < g->job->nroles; i++) {
		const struct gathered_part *p = &g->parts[i];
		if (p->suspended && !copy_queued(p))
			return true;
		queued = queued || p->suspended;
	}
	return queued && !any_active(g);
}

static enum run_phase suspended_phase(const struct gathering *g, struct str *ret_cause)
{
	for (size_t i = 0; i < g->job->nroles; i++)
		if (g->parts[i].suspended && g->parts[i].phase == RUN_QUEUED) {
			*ret_cause = g->parts[i].cause;
			return RUN_QUEUED;
		}
	for (size_t i = 0; i < g->job->nroles && !ret_cause->n; i++)
		if (g->parts[i].suspended)
			*ret_cause = g->parts[i].cause;
	return RUN_SUSPENDED;
}

static bool only_criteria(const struct gathering *g)
{
	for (size_t i = 0; i < g->job->nroles; i++)
		if (g->parts[i].phase == RUN_COMPLETING)
			return true;
	return false;
}

static bool deleting(const struct gathering *g)
{
	for (size_t i = 0; i < g->job->nroles; i++)
		if (g->parts[i].njobs && g->parts[i].phase == RUN_TERMINATING)
			return true;
	return false;
}

/*
 * The text "Job/bert-worker is being deleted; ..." for the first Job or other object of the run that is being deleted,
 * preferably one that a finalizer holds. Empty if no object is being deleted.
 */
static struct str deletion(const struct gathering *g)
{
	const struct data *found = g->whole && status_text(g->whole, "metadata.deletionTimestamp").n ? g->whole : NULL;
	bool held = found && status_list(found, "metadata.finalizers")->u.list.n;

	for (size_t i = 0; i < g->job->nroles; i++)
		for (size_t k = 0; k < g->parts[i].njobs && !held; k++) {
			const struct data *job = g->parts[i].jobs[k].object;
			if (!status_text(job, "metadata.deletionTimestamp").n)
				continue;
			held = status_list(job, "metadata.finalizers")->u.list.n > 0;
			found = !found || held ? job : found;
		}
	return !found ? STR("") : str_printf(g->arena, "%.*s/%.*s %.*s", STR_ARG(status_text(found, "kind")),
		STR_ARG(text_line(g->arena, status_text(found, "metadata.name"))),
		STR_ARG(status_deletion(g->arena, found)));
}

/* Adds to the cause of a verdict that objects of the run are being deleted. */
static void say_deletion(const struct gathering *g, struct run_state *s)
{
	struct str text = deletion(g);
	size_t verdict = s->cause.n;

	if (text.n)
		s->cause = !verdict ? text : str_cat(g->arena, s->cause, STR("; "), text);
	s->deletion = s->cause.n - verdict;
}

static bool is_controlled(const struct gathering *g)
{
	for (size_t i = 0; i < g->job->nroles; i++)
		if (g->parts[i].njobs)
			return true;
	return g->whole != NULL;
}

/*
 * Do replicas of a run with a verdict still have to stop? With `clean = "none"` replicas continue to run, except after
 * a deadline.
 */
static bool stopping(const struct gathering *g, enum judge_what what)
{
	return any_active(g) && (clean_takes(g->job, true) || what == JUDGE_DEADLINE || !is_controlled(g));
}

static void say(struct run_state *s, enum run_phase phase, struct str cause)
{
	s->phase = phase;
	s->cause = cause;
}

/*
 * Takes the cause from the queue, even for Jobs that a JobSet has created and that name no queue. A Workload that
 * somebody has deactivated does not wait for its turn.
 */
static void ask_queue(struct run_state *s)
{
	enum run_phase told = RUN_QUEUED;

	for (size_t i = 0; i < s->nobjects; i++) {
		const struct run_object *o = &s->objects[i];
		if (!o->holds || !str_is(o->kind, "Workload"))
			continue;
		told = o->phase == RUN_SUSPENDED ? RUN_SUSPENDED : told;
		s->phase = told;
	}
	for (size_t i = 0; i < s->nobjects; i++)
		if (s->objects[i].phase == told && s->objects[i].cause.n)
			s->cause = s->objects[i].cause;
}

/* The first failing rank, as "worker 0: exit code 3"; OTHERWISE if no pod shows a failure. */
static struct str failing_rank(const struct gathering *g, struct str otherwise)
{
	const struct failing *f = gathered_failure(g, NULL);

	return !f || f->view.again ? otherwise : failing_words(g->arena, f);
}

/* Says of each role that a controller has given up which of its replicas failed, if a pod shows it. */
static void explain_roles(struct gathering *g)
{
	for (size_t i = 0; i < g->job->nroles; i++) {
		struct gathered_part *p = &g->parts[i];
		const struct failing *f = gathered_failure(g, p);
		if (f && !f->view.again && p->njobs && (p->phase == RUN_FAILED || p->phase == RUN_FAILING) &&
			!part_past_deadline(p))
			p->cause = failing_words(g->arena, f);
	}
}

/* Sets the state of a run that failed and restarts. */
static void say_restart(struct gathering *g, struct run_state *s, int64_t number, struct str cause)
{
	bool attended = g->all->attended || g->all->restart.going;

	s->restarting = true;
	say(s, RUN_DEGRADED, str_printf(g->arena, "%s (%lld of %lld): %.*s", attended ? "the whole run restarts"
		: RUN_UNATTENDED " the whole run again", (long long)number, (long long)g->all->restart.most,
		STR_ARG(cause)));
}

/* Says about each role that waits for others although it may start: nobody starts it. */
static void say_unattended(struct gathering *g, const struct judge_facts *f)
{
	for (size_t i = 0; i < g->job->nroles && !g->all->attended; i++) {
		struct gathered_part *p = &g->parts[i];
		if (p->waits && p->phase == RUN_PENDING && condition_holds(g->job, p->plan->start_after, f->seen))
			p->cause = str_printf(g->arena, RUN_UNATTENDED " role '%.*s', although %.*s has come true",
				STR_ARG(p->plan->name), STR_ARG(plan_condition_text(g->arena, g->job,
				p->plan->start_after)));
	}
}

/* Why a run has succeeded, and the first replica that may have ended before its work was done. */
static struct str success_cause(struct gathering *g, const struct whole_view *whole)
{
	struct str text = g->job->success ? plan_condition_text(g->arena, g->job, g->job->success) : whole->cause;

	for (size_t i = 0; i < g->job->nroles; i++)
		for (int64_t k = 0; k < g->parts[i].plan->max; k++) {
			const struct pod_view *v = &g->parts[i].at[k].view;
			if (v->succeeded && v->disrupted)
				return str_printf(g->arena, "%.*s; %.*s %lld: %.*s", STR_ARG(text),
					STR_ARG(g->parts[i].plan->name), (long long)k, STR_ARG(v->cause));
		}
	return text;
}

/* Notes what must restart, unless the run has ENDED: everything, which is returned, or a copy, or nothing. */
static bool note_restart_due(struct gathering *g, struct run_state *s, const struct verdict *v, bool ended)
{
	bool may = !ended && !g->all->restart.going, whole = may && v->anew;

	if (whole || !may || suspended(g))      /* a suspended run starts nothing */
		s->restart_copy = STR("");
	s->restart_due = whole || s->restart_copy.n;
	s->restart_cause = whole ? failing_rank(g, v->cause) : s->restart_due ? s->restart_cause : STR("");
	return whole;
}

static void conclude(struct gathering *g, struct run_state *s, const struct whole_view *whole)
{
	struct judge_facts f = facts_of(g);
	enum judge_what what = judge(&f);
	bool success = what == JUDGE_SUCCEEDED || (whole->decided && whole->phase == RUN_SUCCEEDED);
	bool running = g->job->running ? condition_holds(g->job, g->job->running, f.seen) : any_active(g);
	struct str cause = STR("");

	for (size_t i = 0; i < g->job->nroles; i++)
		g->parts[i].lost = judge_spares(&f, i);
	struct verdict v = failures(g, &f, what, running, whole);
	say_unattended(g, &f);
	explain_roles(g);
	s->running = running || whole->running;
	s->job_restarts = g->all->restart.number;
	bool whole_due = note_restart_due(g, s, &v, v.ends || success);
	if (g->all->restart.going && !g->all->restart.copy.n) {
		say_restart(g, s, s->job_restarts, g->all->restart.cause);
	} else if (whole_due) {
		say_restart(g, s, s->job_restarts + 1, s->restart_cause);
	} else if (success) {
		say(s, stopping(g, what) || only_criteria(g) ? RUN_COMPLETING : RUN_SUCCEEDED, success_cause(g, whole));
		say_deletion(g, s);
	} else if (v.ends) {
		say(s, stopping(g, what) ? RUN_FAILING : v.phase, v.told ? failing_rank(g, v.cause) : v.cause);
		say_deletion(g, s);
	} else if (deleting(g) || (whole->decided && whole->phase == RUN_TERMINATING)) {
		struct str text = deletion(g);
		say(s, RUN_TERMINATING, text.n ? text : STR("is being deleted"));
	} else if (suspended(g)) {
		enum run_phase phase = suspended_phase(g, &cause);
		say(s, phase, cause);
	} else if (whole->decided && whole->phase != RUN_FAILED && whole->phase != RUN_SUCCEEDED) {
		say(s, whole->phase, whole->cause);
	} else {
		s->restarting = v.restarts;
		say(s, v.restarts ? RUN_DEGRADED : RUN_RUNNING,
			!v.restarts ? cause : whole->restarting ? whole->cause : v.cause);
		hold_back(g, s, whole);
		return;
	}
	if (s->phase == RUN_QUEUED || s->phase == RUN_SUSPENDED)
		ask_queue(s);
}

/* ---- times ---- */

static bool phase_ended(enum run_phase phase)
{
	return phase == RUN_SUCCEEDED || phase == RUN_COMPLETING || phase == RUN_FAILED || phase == RUN_FAILING;
}

static int64_t first(int64_t a, int64_t b) { return !b || (a && a < b) ? a : b; }

static void when(struct gathering *g, struct run_state *s, const struct whole_view *whole)
{
	static const char *const ends[] = { "Complete", "Failed", "SuccessCriteriaMet", "FailureTarget" };
	int64_t end = 0;

	if (g->whole)
		s->begin = status_time(g->whole, "metadata.creationTimestamp");
	for (size_t i = 0; i < g->job->nroles; i++) {
		const struct gathered_part *p = &g->parts[i];
		for (size_t k = 0; k < p->njobs; k++) {
			s->begin = first(s->begin, status_time(p->jobs[k].object, "metadata.creationTimestamp"));
			for (size_t c = 0; c < 4; c++) {
				int64_t t = status_time(status_condition_true(p->jobs[k].object, ends[c]),
					"lastTransitionTime");
				end = t > end ? t : end;
			}
		}
		for (int64_t k = 0; k < p->plan->max; k++) {
			const struct pod_view *v = &p->at[k].view;
			s->begin = first(s->begin, v->begin);
			if (v->running)
				s->ran = v->begin > s->ran ? v->begin : s->ran;
			s->restarted = v->restarted > s->restarted ? v->restarted : s->restarted;
			if (v->failed || v->succeeded)
				end = v->finished > end ? v->finished : end;
		}
	}
	if (whole->running && whole->since)
		s->ran = whole->since;
	if (whole->restarting && whole->since)
		s->restarted = whole->since;
	if (phase_ended(s->phase) || (s->restart_due && !s->restart_copy.n))
		s->since = end;
	for (size_t i = 0; (s->phase == RUN_SUSPENDED || s->phase == RUN_QUEUED) && i < g->job->nroles; i++)
		s->since = first(s->since, g->parts[i].since);
	if (whole->decided && whole->since)
		s->since = whole->since;
	if (run_phase_final(s->phase) && s->phase != RUN_UNKNOWN)
		s->end = s->since;
}

/* ---- details to show ---- */

static void show_failure(struct gathering *g, struct run_state *s)
{
	bool trouble = phase_rank(s->phase) <= phase_rank(RUN_DEGRADED);

	const struct failing *blamed = gathered_failure(g, NULL);
	const struct pod_view *v = blamed ? &blamed->view : NULL;

	if (!v || (v->again && !trouble) || s->phase == RUN_SUCCEEDED || s->phase == RUN_COMPLETING)
		return;
	struct run_failure *f = &s->failure;
	*f = (struct run_failure){ .known = true, .role = blamed->part->plan->name, .index = blamed->index,
		.exit_code = v->exit_code,
		.signal = v->signal, .reason = v->again || !v->cause.n ? v->why : v->cause, .time = v->finished };
	if (v->words.time)
		f->reason = text_cause(g->arena, f->reason, v->words.text);
	for (size_t at = 0; at < v->log.n;) {
		const char *p = v->log.p + at, *end = memchr(p, '\n', v->log.n - at);
		struct str line = { p, end ? (size_t)(end - p) : v->log.n - at };
		ARENA_PUSH(g->arena, f->log, f->nlog, line);
		at += line.n + 1;
	}
	if (f->nlog > 8) {                      /* keep the first three lines and the last five */
		memmove(f->log + 3, f->log + f->nlog - 5, 5 * sizeof *f->log);
		f->nlog = 8;
	}
}

/* Compares two objects by kind and name, so that the order in which they were read does not matter. */
static int object_cmp(const void *a, const void *b)
{
	const struct run_object *x = a, *y = b;
	int c = str_cmp(x->kind, y->kind);

	return c ? c : str_cmp(x->name, y->name);
}

/* Is the object of a Job whose copy the run should not have? What it waits for holds nothing back. */
static bool of_unwanted(const struct gathering *g, const struct data *o)
{
	for (size_t i = 0; i < g->job->nroles; i++)
		for (size_t k = 0; g->parts[i].unwanted && k < g->parts[i].njobs; k++)
			if (status_owned_by(o, status_text(g->parts[i].jobs[k].object, "metadata.uid")))
				return true;
	return false;
}

static void show_objects(struct gathering *g, struct run_state *s)
{
	for (size_t i = 0; i < g->nothers; i++) {
		const struct data *o = g->others[i];
		struct object_view v = object_judge(g->arena, o, &g->looked_up, g->npods > 0, &g->events);
		struct run_object shown = { text_line(g->arena, status_text(o, "kind")),
			text_line(g->arena, status_text(o, "metadata.name")), v.phase, v.cause,
			v.holds && !of_unwanted(g, o) };
		ARENA_PUSH(g->arena, s->objects, s->nobjects, shown);
	}
	if (s->nobjects)
		qsort(s->objects, s->nobjects, sizeof *s->objects, object_cmp);
}

/* Is event E shown before OTHER? The newest event comes first; events of the same time are ordered by name. */
static bool before(const struct run_event *e, const struct run_event *other)
{
	return e->time != other->time ? e->time > other->time : str_cmp(e->name, other->name) < 0;
}

/* Adds a warning; a warning that many objects share is shown once. */
static void add_event(struct gathering *g, struct run_state *s, const struct event *e)
{
	struct run_event shown = { e->time, e->count, text_line(g->arena, e->kind), text_line(g->arena, e->name),
		text_line(g->arena, e->reason),
		text_line(g->arena, e->message) };

	for (size_t i = 0; i < s->nevents; i++) {
		struct run_event *o = &s->events[i];
		if (!str_eq(o->reason, shown.reason) || !str_eq(o->message, shown.message))
			continue;
		shown.count += o->count;
		if (!before(&shown, o))
			shown = (struct run_event){ o->time, shown.count, o->kind, o->name, o->reason, o->message };
		memmove(o, o + 1, (s->nevents - i - 1) * sizeof *o);
		s->nevents--;
		break;
	}
	enum { REMEMBERED = 1000 };
	size_t i = s->nevents;
	if (i == REMEMBERED && !before(&shown, &s->events[i - 1]))
		return;
	ARENA_PUSH(g->arena, s->events, s->nevents, shown);
	for (; i > 0 && before(&shown, &s->events[i - 1]); i--) {
		s->events[i] = s->events[i - 1];
		s->events[i - 1] = shown;
	}
	s->nevents = s->nevents < REMEMBERED ? s->nevents : REMEMBERED;
}

static void show_events(struct gathering *g, struct run_state *s)
{
	enum { MOST = 5 };

	if (phase_rank(s->phase) >= phase_rank(RUN_RUNNING))
		return;
	for (size_t i = 0; i < g->nwarnings; i++)
		add_event(g, s, g->warnings[i]);
	s->nevents = s->nevents < MOST ? s->nevents : MOST;
}

/* Notes the code of the roles, as the program took it. */
static void show_code(struct gathering *g, struct run_state *s)
{
	for (size_t i = 0; i < g->job->nroles; i++) {
		const struct plan_role *r = &g->job->roles[i];
		struct run_code code = { .role = r->name };
		if (!r->code || !r->max)
			continue;
		code.id = code_now(r->code);
		code.files = r->code->files;
		code.bytes = r->code->bytes;
		code.commit = r->code->commit;
		code.dirty = r->code->dirty == CODE_DIRTY;
		ARENA_PUSH(g->arena, s->code, s->ncode, code);
	}
}

/* Notes the cells: the number of copies that the run should have is that of the wanted ones. */
static void show_cells(struct gathering *g, struct run_state *s)
{
	s->ncells = g->job->ncells;
	s->cells = ARENA_ARRAY(g->arena, struct run_cell, s->ncells);
	for (size_t i = 0; i < s->ncells; i++) {
		const struct plan_cell *c = &g->job->cells[i];
		s->cells[i] = (struct run_cell){ .name = c->name, .min = c->min, .max = c->max,
			.desired = gathered_copies(g, c) };
	}
}

static void show_roles(struct gathering *g, struct run_state *s)
{
	show_cells(g, s);
	show_code(g, s);
	for (size_t i = 0; i < s->nroles; i++) {
		struct gathered_part *p = &g->parts[i];
		struct run_role *r = &s->roles[i];
		/* the next steps are not mentioned if the run is over or nothing has started */
		bool over = s->phase == RUN_ABSENT || phase_ended(s->phase);
		/* and of a copy that is lost only how it failed */
		bool ended = p->lost && p->phase != RUN_FAILED && p->phase != RUN_FAILING;
		bool says = !ended && phase_rank(p->phase) < phase_rank(over ? RUN_PENDING : RUN_RUNNING);
		*r = (struct run_role){ .name = p->plan->name, .cell = p->plan->cell, .copy = p->plan->copy,
			.lost = p->lost, .aux = p->plan->aux, .elastic = p->plan->elastic,
			.endless = p->plan->endless,
			.min = p->plan->min, .max = p->plan->max, .desired = p->desired,
				.cause = says ? p->cause : STR(""),
			.at = ARENA_ARRAY(g->arena, struct run_replica, (size_t)p->plan->max) };
		for (int64_t k = 0; k < p->plan->max; k++)
			r->at[k] = replica_shown(g, p, k);
	}
}

/* Says of a run that runs that replicas have other code than `sync` has given to their peers. */
static void say_other_code(struct gathering *g, struct run_state *s)
{
	for (size_t i = 0; i < s->nroles && s->phase == RUN_RUNNING && !s->cause.n; i++) {
		const struct plan_code *c = g->job->roles[i].code;
		int64_t others = 0, all = 0;
		for (int64_t k = 0; c && c->sync && k < s->roles[i].max; k++) {
			const struct run_replica *r = &s->roles[i].at[k];
			bool runs = replica_runs(r->state);
			all += runs && r->pod.n;
			others += runs && r->pod.n && !str_eq(r->code, code_now_short(c));
		}
		if (others)
			s->cause = str_printf(g->arena, "%.*s: %lld of %lld replicas run%s other code; run "
				"'trainc sync %.*s'", STR_ARG(s->roles[i].name), (long long)others, (long long)all,
				others == 1 ? "s" : "", STR_ARG(s->name));
	}
}

/* Says of a run that runs that a ready replica has something to say: it does not answer its liveness probe. */
static void say_not_alive(struct gathering *g, struct run_state *s)
{
	for (size_t i = 0; i < s->nroles && s->phase == RUN_RUNNING && !s->cause.n; i++)
		for (int64_t k = 0; k < s->roles[i].max && !s->cause.n; k++) {
			const struct run_replica *r = &s->roles[i].at[k];
			if (r->state == REPLICA_READY && r->cause.n)
				s->cause = str_printf(g->arena, "%.*s %lld: %.*s", STR_ARG(s->roles[i].name),
					(long long)k, STR_ARG(r->cause));
		}
}

/* Explains why no object of the run exists: perhaps the run has ended. */
static struct str absence(struct arena *a, const struct plan_job *j)
{
	if (!j->ttl.set)
		return STR("none of its objects exist");
	struct str ttl = duration_text(a, j->ttl.value);
	return str_printf(a, "none of its objects exist; they are removed %.*s after its end (ttl)", STR_ARG(ttl));
}

struct run_state status_of(struct arena *a, const struct plan_job *j, const struct status_objects *o, int64_t now)
{
	struct gathering g = gather_objects(a, j, o, now);
	struct run_state s = { .name = j->name, .ns = plan_namespace(j), .framework = j->framework, .phase = RUN_ABSENT,
		.roles = ARENA_ARRAY(a, struct run_role, j->nroles), .nroles = j->nroles };
	struct whole_view whole = { .phase = RUN_RUNNING };

	for (size_t i = 0; i < j->nroles; i++)
		part_judge(&g, &g.parts[i], g.whole != NULL || g.parts[i].plan->in_group);
	copies_judge(&g, &s);
	show_objects(&g, &s);
	if (!gathered_any(&g)) {
		if (o->restart.going)
			say_restart(&g, &s, s.job_restarts = o->restart.number, o->restart.cause);
		else
			s.cause = absence(a, j);
		show_roles(&g, &s);
		return s;
	}
	if (g.whole)
		whole = whole_judge(a, g.whole);
	conclude(&g, &s, &whole);
	when(&g, &s, &whole);
	show_roles(&g, &s);
	if (s.phase == RUN_RUNNING && !s.cause.n)
		s.cause = run_lost_copies(a, &s);
	say_other_code(&g, &s);
	say_not_alive(&g, &s);
	show_failure(&g, &s);
	show_events(&g, &s);
	return s;
}
