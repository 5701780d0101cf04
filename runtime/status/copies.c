/* copies.c - finds the copies of cells that restart by themselves. */
#include "runtime/status/copies.h"

#include "base/words.h"
#include "runtime/run/rules.h"
#include "runtime/status/crowd.h"
#include "runtime/status/look.h"

struct copy_restarts copy_restarts_noted(const struct data *job)
{
	struct str text = status_annotation(job, COPY_RESTARTS_ANNOTATION);
	int64_t n[2] = { 0 };
	size_t k = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == ' ' && i && !k) {
			k = 1;
			continue;
		}
		if (text.p[i] < '0' || text.p[i] > '9' || n[k] > 100000000)
			return (struct copy_restarts){ 0 };
		n[k] = 10 * n[k] + (text.p[i] - '0');
	}
	return (struct copy_restarts){ n[0], n[1] };
}

struct str copy_address(struct arena *a, const struct plan_role *r)
{
	return str_cat(a, plan_label(a, r->cell), STR("/"), str_int(a, r->copy));
}

/* What the Jobs of a copy show, which has failed. */
struct copy_seen {
	const struct plan_cell *cell;
	struct copy_restarts before;
	int64_t begin, end;             /* when its Jobs started, and when one of them failed; 0: unknown */
	const struct failing *failing;
};

static int64_t failure_time(const struct data *job)
{
	static const char *const ends[] = { "Failed", "FailureTarget" };
	int64_t time = 0;

	for (size_t i = 0; i < 2 && !time; i++)
		time = status_time(status_condition_true(job, ends[i]), "lastTransitionTime");
	return time;
}

static struct copy_seen look_at_copy(struct gathering *g, const struct gathered_part *of)
{
	struct copy_seen seen = { .cell = plan_cell_of(g->job, of->plan) };

	for (size_t i = 0; i < g->job->nroles; i++) {
		const struct gathered_part *p = &g->parts[i];
		if (!plan_same_copy(of->plan, p->plan))
			continue;
		for (size_t k = 0; k < p->njobs; k++) {
			const struct data *job = p->jobs[k].object;
			struct copy_restarts noted = copy_restarts_noted(job);
			int64_t begin = status_time(job, "status.startTime"), end = failure_time(job);
			seen.before = noted.count > seen.before.count ? noted : seen.before;
			seen.begin = begin && (!seen.begin || begin < seen.begin) ? begin : seen.begin;
			seen.end = end && (!seen.end || end < seen.end) ? end : seen.end;
		}
		const struct failing *f = gathered_failure(g, p);
		if (f && !f->view.again && (!seen.failing || f->view.finished < seen.failing->view.finished))
			seen.failing = f;
	}
	return seen;
}

/* Marks the roles of the copy that has role OF: they wait for their next Jobs, because of CAUSE. */
static void mark_copy(struct gathering *g, const struct gathered_part *of, struct str cause)
{
	for (size_t i = 0; i < g->job->nroles; i++) {
		struct gathered_part *p = &g->parts[i];
		if (!plan_same_copy(of->plan, p->plan))
			continue;
		p->anew = true;
		p->suspended = p->suspended && !g->all->restart.going;
		p->phase = RUN_DEGRADED;
		p->cause = cause;
		for (int64_t k = 0; k < p->plan->max; k++)
			p->judged[k] = REPLICA_WAITING;
	}
}

/* Says that the copy of role R restarts for the COUNTth time, or that somebody has to attend the run for that. */
static struct str restart_words(struct gathering *g, const struct plan_role *r, struct str cause, int64_t count)
{
	const struct plan_cell *c = plan_cell_of(g->job, r);
	struct arena *a = g->arena;
	struct str most = c->restarts < 0 ? STR("") : str_cat(a, STR(" of "), str_int(a, c->restarts), STR(""));
	bool attended = g->all->attended || g->all->restart.going;

	return str_printf(a, "%.*s; %scopy %lld of '%.*s' %s (%lld%.*s)", STR_ARG(cause),
		attended ? "" : RUN_UNATTENDED " ", (long long)r->copy, STR_ARG(r->cell),
		attended ? "restarts" : "again", (long long)count, STR_ARG(most));
}

/* Notes in RET that the copy with role P must restart, unless RET has another copy that is due earlier. */
static void demand_restart(struct gathering *g, const struct gathered_part *p, const struct copy_seen *seen,
	struct run_state *ret)
{
	bool settled = seen->begin && seen->end - seen->begin >= ATTEMPT_SETTLED_SECONDS * NS_PER_SECOND;
	int64_t series = settled ? 1 : seen->before.series + 1, count = seen->before.count + 1;
	int64_t at = (seen->end ? seen->end : g->now) + attempt_delay(ATTEMPT_DELAY_SECONDS * NS_PER_SECOND, series);
	struct str cause = seen->failing ? failing_words(g->arena, seen->failing) : p->cause;

	struct str copy = copy_address(g->arena, p->plan), refused = g->all->restart.refused;
	bool first = !ret->restart_copy.n || at < ret->restart_at;

	mark_copy(g, p, restart_words(g, p->plan, cause, count));
	if (refused.n && ret->restart_copy.n)   /* a copy that cannot restart does not hold up the others */
		first = str_eq(ret->restart_copy, refused) || (first && !str_eq(copy, refused));
	if (!first)
		return;
	ret->restart_copy = copy;
	ret->restart_cause = cause;
	ret->restart_count = count;
	ret->restart_series = series;
	ret->restart_at = at;
}

void copies_judge(struct gathering *g, struct run_state *ret)
{
	const struct status_restart *now = &g->all->restart;

	for (size_t i = 0; i < g->job->nroles && now->copies; i++) {
		struct gathered_part *p = &g->parts[i];
		if (!p->plan->cell.n || p->anew || p->unwanted)
			continue;
		if (now->going && str_eq(now->copy, copy_address(g->arena, p->plan))) {
			mark_copy(g, p, restart_words(g, p->plan, now->cause, now->count));
			continue;
		}
		if (!part_given_up(p) || part_past_deadline(p))
			continue;
		struct copy_seen seen = look_at_copy(g, p);
		if (seen.cell->restarts < 0 || seen.before.count < seen.cell->restarts)
			demand_restart(g, p, &seen, ret);
	}
}
