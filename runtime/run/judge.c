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

/* ---- copies of cells ---- */

/* Has role K failed, so that its copy of a cell has failed? */
static bool has_failed_copy(const struct judge_facts *f, size_t k)
{
	const struct judge_role *r = &f->roles[k];

	return !r->unwanted && (r->governed ? r->given_up : has_failed(f, k));
}

/* Marks the roles of the copies that have failed and do not restart. */
static void find_lost(struct judge_facts *f)
{
	const struct plan_role *roles = f->job->roles;

	for (size_t k = 0; k < f->job->nroles; k++)
		f->roles[k].lost = false;
	for (size_t k = 0; k < f->job->nroles; k++) {
		if (!roles[k].cell.n || f->roles[k].lost || f->roles[k].again || !has_failed_copy(f, k))
			continue;
		for (size_t i = 0; i < f->job->nroles; i++)
			f->roles[i].lost = f->roles[i].lost || plan_same_copy(&roles[k], &roles[i]);
	}
	for (size_t k = 0; k < f->job->nroles; k++)
		f->seen[k].gone = f->roles[k].lost || f->roles[k].unwanted;
}

/* Has the cell of role K lost more copies than the run can go on without? */
static bool has_failed_cell(const struct judge_facts *f, size_t k)
{
	const struct plan_role *role = &f->job->roles[k];
	struct str inner = plan_role_inner(role);
	int64_t wanted = 0, lost = 0;

	for (size_t i = 0; i < f->job->nroles; i++) {
		if (!str_eq(f->job->roles[i].cell, role->cell) || !str_eq(plan_role_inner(&f->job->roles[i]), inner))
			continue;
		wanted += !f->roles[i].unwanted;
		lost += f->roles[i].lost && !f->roles[i].unwanted;
	}
	return lost > cell_spare_copies(plan_cell_of(f->job, role), wanted);
}

bool judge_spares(const struct judge_facts *f, size_t k)
{
	return f->roles[k].lost && !has_failed_cell(f, k);
}

/* ---- what is left ---- */

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

static bool may_matter(const struct judge_facts *f, size_t k)
{
	return !f->seen[k].gone && role_matters(f->job, (unsigned)k);
}

static bool anything_left(const struct judge_facts *f)
{
	for (size_t k = 0; k < f->job->nroles; k++)
		for (int64_t i = 0; i < f->roles[k].desired && may_matter(f, k); i++)
			if (is_left(&f->job->roles[k], &f->roles[k], i))
				return true;
	return false;
}

/* ---- the job ---- */

/* Finds a role, or the cell of one, that has failed, or else a copy that has failed and restarts. */
static bool find_failure(struct judge_facts *f, enum judge_what *ret)
{
	bool found = false;

	for (size_t k = 0; k < f->job->nroles; k++) {
		if (f->roles[k].unwanted || !has_failed(f, k))
			continue;
		bool cell = f->job->roles[k].cell.n, again = cell && f->roles[k].again;
		if (cell && !again && !has_failed_cell(f, k))
			continue;               /* the run goes on without the copy */
		if (found && again)
			continue;
		f->failed = k;
		*ret = again ? JUDGE_COPY : JUDGE_FAILED;
		found = true;
		if (!again)
			break;
	}
	return found;
}

enum judge_what judge(struct judge_facts *f)
{
	const struct plan_condition *success = f->job->success;
	enum judge_what failure;

	find_lost(f);
	release(f);
	if (success && condition_holds(f->job, success, f->seen))
		return JUDGE_SUCCEEDED;
	if (find_failure(f, &failure))
		return failure;
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
