/* crowd.c - counts the pods of a role by their states, and derives the state of the role. */
#include "runtime/status/crowd.h"

#include <stdlib.h>
#include <strings.h>

#include "base/words.h"
#include "plan/code.h"
#include "runtime/run/judge.h"

/* ---- one replica ---- */

/* May the replica restart after it failed? */
static bool replica_again(const struct gathered_part *p, const struct gathered_replica *r)
{
	const struct pod_view *v = &r->view;
	struct attempt_end end = { .exit_code = v->exit_code > 0 ? v->exit_code : -1, .disrupted = v->disrupted,
		.failures = r->failures };

	return judge_attempt(p->plan, &end) != ATTEMPT_FAILED;
}

/* The state of a replica for the verdict: a failed pod that may restart has not failed for good. */
static enum replica_state judged_state(const struct gathered_part *p, int64_t i)
{
	enum replica_state state = p->states[i];

	if (state == REPLICA_WAITING && p->plan->elastic && p->at[i].pod)
		return REPLICA_STARTED;
	if (state != REPLICA_FAILED || p->at[i].lost || !p->at[i].view.failed || !replica_again(p, &p->at[i]))
		return state;
	/* an elastic role is not done while one of its replicas is between two attempts */
	return p->plan->elastic ? REPLICA_STARTED : REPLICA_WAITING;
}

static enum replica_state state_of(const struct gathered_replica *r, bool governed)
{
	const struct pod_view *v = &r->view;

	if (r->done || v->succeeded)
		return REPLICA_SUCCEEDED;
	if (r->lost || (v->failed && !governed))
		return REPLICA_FAILED;
	return v->running ? v->ready ? REPLICA_READY : REPLICA_STARTED : REPLICA_WAITING;
}

static int by_begin(const void *left, const void *right)
{
	const struct run_span *a = left, *b = right;

	return a->begin != b->begin ? (a->begin > b->begin) - (a->begin < b->begin) :
		(a->kind > b->kind) - (a->kind < b->kind);
}

struct run_replica replica_shown(struct gathering *g, const struct gathered_part *p, int64_t index)
{
	const struct gathered_replica *r = &p->at[index];
	const struct pod_view *v = &r->view;
	struct run_replica shown = { .index = index, .state = p->states[index], .exit_code = -1 };
	struct buf host = { 0 };

	plan_host(g->job, p->plan, index, &host);
	shown.host = buf_take(&host, g->arena);
	buf_release(&host);
	if (!r->pod)
		return shown;
	if (r->nspans)
		qsort(r->spans, r->nspans, sizeof *r->spans, by_begin);
	shown.spans = r->spans;
	shown.nspans = r->nspans;
	shown.attempts = attempts_last(&p->before, r->pods, r->npods);
	shown.resumed = shown.attempts - 1 - v->restarts - r->failures;
	shown.begin = v->begin;
	shown.end = v->finished ? v->finished : v->begin;
	shown.cause = v->cause;
	shown.pod = r->pod->name;
	shown.ip = v->ip;
	shown.node = v->node;
	shown.code = v->code;
	shown.other_code = p->plan->code && !str_eq(v->code, code_short(p->plan->code));
	if (v->failed)
		shown.exit_code = v->exit_code;
	shown.signal = v->failed ? v->signal : 0;
	return shown;
}

/* ---- a role, or one Job of it ---- */

struct span_of {
	int64_t from, to;               /* number of replicas of the role */
};

static struct str shared_cause(struct gathering *g, const struct gathered_part *p, struct span_of s, int64_t worst)
{
	const struct pod_view *v = &p->at[worst].view;
	int64_t same = 0, n = s.to - s.from;

	for (int64_t i = s.from; i < s.to; i++) {
		const struct pod_view *o = &p->at[i].view;
		same += p->at[i].pod && o->phase == v->phase && str_eq(o->reason, v->reason);
	}
	if (p->plan->max == 1 && g->job->nroles == 1)
		return v->cause;
	if (same == 1 || n == 1)
		return str_printf(g->arena, "%.*s %lld: %.*s", STR_ARG(p->plan->name), (long long)worst,
			STR_ARG(v->cause));
	return str_printf(g->arena, "%lld of %lld pods: %.*s", (long long)same, (long long)n, STR_ARG(v->cause));
}

/* Lists the replicas that restarted: "worker 0 (2 restarts), worker 5 (1 restart)". */
static void restarting(struct gathering *g, const struct gathered_part *p, int64_t i, struct crowd *c)
{
	const struct gathered_replica *r = &p->at[i];
	int64_t n = r->view.restarts + r->failures;

	if (!n)
		return;
	if (r->view.restarted > c->restarted)
		c->restarted = r->view.restarted;
	if (c->restarting.n < 120)
		c->restarting = str_printf(g->arena, "%.*s%s%.*s %lld (%lld restart%s)", STR_ARG(c->restarting),
			c->restarting.n ? ", " : "",
			STR_ARG(p->plan->name), (long long)i, (long long)n, n == 1 ? "" : "s");
}

static struct crowd crowd_of(struct gathering *g, const struct gathered_part *p, struct span_of s)
{
	struct crowd c = { .phase = RUN_RUNNING };
	int64_t worst = -1;

	for (int64_t i = s.from; i < s.to; i++) {
		const struct gathered_replica *r = &p->at[i];
		const struct pod_view *v = &r->view;
		if (!r->pod)
			continue;
		enum run_phase phase = v->failed || v->phase == RUN_TERMINATING ? RUN_DEGRADED : v->phase;
		c.seen++;
		c.active += v->running;
		c.ready += v->running && v->ready;
		c.over += v->running && v->over;
		c.succeeded += v->succeeded;
		restarting(g, p, i, &c);
		if (!v->succeeded && v->cause.n && (worst < 0 || phase_rank(phase) < phase_rank(c.phase))) {
			worst = i;
			c.phase = phase;
		}
	}
	if (worst >= 0)
		c.cause = shared_cause(g, p, s, worst);
	return c;
}

/* ---- the role ---- */

/*
 * Uses the counts of a Job for pods that are not among the objects. The counts do not say which replicas they cover, so
 * the first replicas are assumed.
 */
static void believe(struct gathered_part *p, const struct data *job, struct span_of s)
{
	int64_t ready = status_number(job, "status.ready", 0), active = status_number(job, "status.active", 0);

	for (int64_t i = s.from; i < s.to && active > 0; i++)
		if (p->states[i] == REPLICA_WAITING) {
			p->states[i] = ready-- > 0 ? REPLICA_READY : REPLICA_STARTED;
			active--;
		}
}

static bool same_word(struct str a, struct str b) { return a.n == b.n && (!a.n || strncasecmp(a.p, b.p, a.n) == 0); }

/* Uses the counts of an object that represents the run, if the run's pods are not among the objects. */
static void believe_whole(struct gathering *g, struct gathered_part *p)
{
	const struct data *counts = status_path(g->whole, "status.replicaStatuses");

	for (size_t i = 0; counts && counts->kind == DATA_MAP && i < counts->u.map.n; i++) {
		const struct data *c = counts->u.map.at[i].value;
		if (!same_word(counts->u.map.at[i].key, p->plan->name))
			continue;
		int64_t n[] = { status_number(c, "succeeded", 0), status_number(c, "active", 0),
			status_number(c, "failed", 0) };
		static const enum replica_state states[] = { REPLICA_SUCCEEDED, REPLICA_READY, REPLICA_FAILED };
		for (int64_t k = 0, at = 0; k < p->plan->max && at < 3; k++) {
			while (at < 3 && n[at] <= 0)
				at++;
			if (at < 3) {
				p->states[k] = states[at];
				n[at]--;
			}
		}
	}
}

static void worse(struct gathered_part *p, enum run_phase phase, struct str cause)
{
	if (phase_rank(phase) < phase_rank(p->phase) || (phase == p->phase && !p->cause.n)) {
		p->phase = phase;
		p->cause = cause;
	}
}

/*
 * Marks the lost replicas of a Job that has failed as a whole and names no indexes. First the replicas with failed pods
 * are marked, then others until their number equals the Job's count.
 */
static void lost_with_job(struct gathered_part *p, const struct data *job, struct span_of s)
{
	int64_t failed = status_number(job, "status.failed", 0), known = 0;

	for (int64_t i = s.from; i < s.to; i++) {
		if (p->at[i].view.failed && p->states[i] != REPLICA_SUCCEEDED)
			p->states[i] = REPLICA_FAILED;
		known += p->states[i] == REPLICA_FAILED;
	}
	for (int64_t i = s.from; i < s.to && known < failed; i++) {
		if (p->states[i] != REPLICA_WAITING)
			continue;
		p->states[i] = REPLICA_FAILED;
		known++;
	}
}

static void judge_jobs(struct gathering *g, struct gathered_part *p)
{
	for (size_t i = 0; i < p->njobs; i++) {
		const struct part_job *j = &p->jobs[i];
		struct span_of s = { j->from, j->to };
		struct crowd c = crowd_of(g, p, s);
		struct job_view v = job_judge(g->arena, j->object, &c, &g->events, g->now);
		if (!c.seen && j->index < 0)
			believe(p, j->object, s);
		bool waits = v.phase == RUN_SUSPENDED && p->plan->start_after && !job_is_held(j->object) &&
			!status_text(j->object, "status.startTime").n;
		p->waits = p->waits || waits;
		if (waits)
			v = (struct job_view){ .phase = RUN_PENDING, .cause = str_printf(g->arena, "waits for %.*s",
				STR_ARG(plan_condition_text(g->arena, g->job, p->plan->start_after))) };
		if (v.phase == RUN_FAILED && !status_text(j->object, "status.failedIndexes").n)
			lost_with_job(p, j->object, s);
		p->suspended = p->suspended || v.suspended;
		p->since = v.suspended && v.since > p->since ? v.since : p->since;
		worse(p, v.phase, v.cause);
	}
}

static void count_believed(struct gathering *g, struct gathered_part *p, struct crowd *c)
{
	int64_t failed = 0;

	believe_whole(g, p);
	for (int64_t i = 0; i < p->plan->max; i++) {
		c->ready += p->states[i] == REPLICA_READY;
		c->succeeded += p->states[i] == REPLICA_SUCCEEDED;
		c->seen += p->states[i] != REPLICA_WAITING;
		failed += p->states[i] == REPLICA_FAILED;
	}
	if (failed) {
		c->phase = RUN_DEGRADED;
		c->cause = str_printf(g->arena, "%lld of %lld pods failed", (long long)failed, (long long)p->plan->max);
	}
}

/* Judges a role of pods without a controller. A missing pod has not been created yet. */
static void judge_pods(struct gathering *g, struct gathered_part *p)
{
	struct crowd c = crowd_of(g, p, (struct span_of){ 0, p->plan->max });

	if (!c.seen && g->whole)
		count_believed(g, p, &c);
	p->suspended = c.phase == RUN_SUSPENDED;        /* our scheduling gate holds the pod */
	if (p->suspended)
		c.cause = STR("");
	if (phase_rank(c.phase) < phase_rank(RUN_RUNNING))
		worse(p, c.phase, c.cause);
	else if (c.succeeded >= p->desired)
		worse(p, RUN_SUCCEEDED, STR(""));
	else if (!c.seen)
		worse(p, RUN_PENDING, STR("no pods yet"));
	else if (c.ready + c.succeeded < p->desired)
		worse(p, RUN_STARTING, str_printf(g->arena, "%lld/%lld ready", (long long)(c.ready + c.succeeded),
			(long long)p->desired));
	else
		worse(p, RUN_RUNNING, STR(""));
}

void part_judge(struct gathering *g, struct gathered_part *p, bool governed)
{
	for (int64_t i = 0; i < p->plan->max; i++)
		p->states[i] = state_of(&p->at[i], governed || p->njobs);
	p->phase = RUN_ABSENT;
	if (p->desired) {
		judge_jobs(g, p);
		if (!p->njobs)
			judge_pods(g, p);
	}
	for (int64_t i = 0; i < p->plan->max; i++)
		p->judged[i] = p->unwanted ? REPLICA_WAITING : judged_state(p, i);
}

bool part_past_deadline(const struct gathered_part *p)
{
	static const char *const ends[] = { "Failed", "FailureTarget" };

	for (size_t k = 0; k < p->njobs; k++)
		for (size_t c = 0; c < 2; c++)
			if (str_is(status_text(status_condition_true(p->jobs[k].object, ends[c]), "reason"),
				"DeadlineExceeded"))
				return true;
	return false;
}

bool part_given_up(const struct gathered_part *p)
{
	return p->njobs && (p->phase == RUN_FAILED || p->phase == RUN_FAILING) &&
		failure_judge(p->plan, false) != FAILURE_PASSES;
}
