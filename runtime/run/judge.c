/*
 * judge.c - one pass over the states of all replicas, which gives one verdict.
 */
#include "runtime/run/judge.h"

enum attempt_verdict judge_attempt(const struct plan_role *r, const struct attempt_end *end)
{
	struct plan_role role = *r;

	if (end->init)
		role.retry_on.set = false;
	enum attempt_verdict verdict = attempt_judge(&role, end->exit_code, end->disrupted, end->failures);
	if (end->disrupted || end->in_place || verdict == ATTEMPT_FAILED)
		return verdict;
	return failure_judge(r, true) == FAILURE_ENDS ? ATTEMPT_FAILED : verdict;
}

/* ---- limits ---- */

bool judge_past_deadline(const struct plan_job *j, int64_t begin, int64_t now)
{
	return begin && j->timeout.set && now >= job_deadline(j, begin);
}

/* ---- roles ---- */

static void release(struct judge_facts *f)
{
	for (size_t k = 0; k < f->job->nroles; k++) {
		const struct plan_condition *c = f->job->roles[k].start_after;
		if (!c || condition_holds(f->job, c, f->seen))
			f->roles[k].released = true;
	}
}

static int64_t lost_of(const struct judge_role *r)
{
	int64_t lost = 0;

	for (int64_t i = 0; i < r->desired; i++)
		lost += r->states[i] == REPLICA_FAILED;
	return lost;
}

/* Has the role lost too many replicas for good? Only replicas that should run count. */
static bool has_failed(const struct judge_facts *f, size_t k)
{
	const struct plan_role *plan = &f->job->roles[k];
	const struct judge_role *r = &f->roles[k];

	if (r->governed || !role_required(f->job, plan) || failure_judge(plan, false) != FAILURE_ENDS)
		return false;
	return lost_of(r) > role_spare_replicas(plan) - (plan->max - r->desired);
}

/* Can the replica still change the verdict, because it runs or will run? */
static bool is_left(const struct plan_role *plan, const struct judge_role *r, int64_t i)
{
	switch (r->states[i]) {
	case REPLICA_WAITING: return r->released || (r->present && r->present[i]);
	case REPLICA_STARTED:
	case REPLICA_READY: return true;
	case REPLICA_SUCCEEDED: return false;
	case REPLICA_FAILED: return failure_judge(plan, false) == FAILURE_RESTARTS;
	}
	return false;
}

static bool anything_left(const struct judge_facts *f)
{
	for (size_t k = 0; k < f->job->nroles; k++)
		for (int64_t i = 0; i < f->roles[k].desired && role_matters(f->job, (unsigned)k); i++)
			if (is_left(&f->job->roles[k], &f->roles[k], i))
				return true;
	return false;
}

/* ---- the job ---- */

enum judge_what judge(struct judge_facts *f)
{
	const struct plan_condition *success = f->job->success;

	release(f);
	if (success && condition_holds(f->job, success, f->seen))
		return JUDGE_SUCCEEDED;
	for (size_t k = 0; k < f->job->nroles; k++)
		if (has_failed(f, k))
			return JUDGE_FAILED;
	if (judge_past_deadline(f->job, f->begin, f->now))
		return JUDGE_DEADLINE;
	if (job_past_limit(f->job, f->spent))
		return JUDGE_LIMIT;
	if (anything_left(f))
		return JUDGE_GOING;
	return success ? JUDGE_UNREACHABLE : JUDGE_IDLE;
}

bool judge_begins_anew(const struct plan_job *j, enum judge_what what, int64_t begun_anew)
{
	return what == JUDGE_FAILED && j->restarts.set && begun_anew < j->restarts.value;
}
