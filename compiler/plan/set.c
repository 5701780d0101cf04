/*
 * set.c - finds conditions that a set of Jobs can express: all of some Jobs are complete, or any of them. A condition
 * is read as alternatives. Each alternative requires whole Jobs, or some indexes of one role. In the second case the
 * Job of that role gets a success policy of its own, and is complete when these indexes have succeeded.
 */
#include "plan/plan.h"

struct set_gathering {
	struct arena *arena;
	const struct plan_job *job;
	struct plan_set_success *into;
};

static void add_set_pod(struct set_gathering *g, unsigned role, int64_t index)
{
	struct plan_set_job job = { role, index };

	for (size_t i = 0; i < g->into->n; i++)
		if (g->into->at[i].role == role && g->into->at[i].index == index)
			return;
	ARENA_PUSH(g->arena, g->into->at, g->into->n, job);
}

static void add_set_role(struct set_gathering *g, unsigned role)
{
	const struct plan_role *r = &g->job->roles[role];

	for (int64_t i = 0; r->unrolled && i < r->max; i++)
		add_set_pod(g, role, i);
	if (!r->unrolled)
		add_set_pod(g, role, -1);
}

static bool no(struct set_gathering *g, const struct plan_condition *c)
{
	if (!g->into->because)
		g->into->because = c;
	return false;
}

/* Adds the Jobs that must all be complete for condition C, a part of an alternative. */
static bool whole_jobs(struct set_gathering *g, const struct plan_condition *c)
{
	const struct plan_role *r = &g->job->roles[c->role];    /* unused if C joins other conditions */

	if (c->kind == CONDITION_AND)
		return whole_jobs(g, c->left) && whole_jobs(g, c->right);
	if (condition_joins(c))
		return no(g, c);
	if (c->kind == CONDITION_DONE && c->index >= 0 && r->unrolled)
		add_set_pod(g, c->role, c->index);
	else if (c->kind == CONDITION_DONE && (c->index == CONDITION_ALL || r->max == 1))
		add_set_role(g, c->role);
	else
		return no(g, c);
	return true;
}

/* Adds the indexes in condition C, of one role that has a single Job. Fails for a role with a Job for each slice. */
static bool some_indexes(const struct plan_job *j, const struct plan_condition *c, unsigned *ret_role,
	struct plan_index_set *ret)
{
	*ret_role = UINT32_MAX;
	if (!plan_index_set(c, ret_role, ret))
		return false;
	const struct plan_role *r = &j->roles[*ret_role];
	return !r->unrolled && !plan_is_sliced(r) && r->max > 1;
}

static size_t alternatives(const struct plan_job *j, const struct plan_condition *c)
{
	if (c->kind == CONDITION_OR)
		return alternatives(j, c->left) + alternatives(j, c->right);
	return c->kind == CONDITION_DONE && c->index == CONDITION_ANY && j->roles[c->role].unrolled ?
		(size_t)j->roles[c->role].max : 1;
}

/* Adds an alternative that is one Job: if there are several alternatives, each must be one Job. */
static bool one_job(struct set_gathering *g, const struct plan_condition *c)
{
	struct plan_set_success own = { 0 };
	struct set_gathering inner = { g->arena, g->job, &own };

	if (!whole_jobs(&inner, c))
		return no(g, own.because);
	if (own.n != 1 || plan_is_sliced(&g->job->roles[own.at[0].role]))
		return no(g, c);        /* the set would be complete with any one slice of the role */
	add_set_pod(g, own.at[0].role, own.at[0].index);
	return true;
}

static bool any_of(struct set_gathering *g, const struct plan_condition *c)
{
	struct plan_index_set set;
	unsigned role;

	if (c->kind == CONDITION_OR)
		return any_of(g, c->left) && any_of(g, c->right);
	if (c->kind == CONDITION_DONE && c->index == CONDITION_ANY && g->job->roles[c->role].unrolled) {
		add_set_role(g, c->role);
		return true;
	}
	if (!some_indexes(g->job, c, &role, &set))
		return one_job(g, c);
	add_set_pod(g, role, -1);
	return true;
}

static bool few_enough_pods(struct set_gathering *g, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		struct plan_success rule;
		if (!plan_set_rule(j, &j->roles[i], &rule) && rule.n)
			return no(g, j->success);
	}
	return true;
}

bool plan_set_success(struct arena *a, const struct plan_job *j, struct plan_set_success *ret)
{
	struct set_gathering g = { a, j, ret };
	struct plan_index_set set;
	unsigned role;

	*ret = (struct plan_set_success){ 0 };
	ret->any = alternatives(j, j->success) > 1;
	if (ret->any)
		return any_of(&g, j->success) && few_enough_pods(&g, j);
	if (!some_indexes(j, j->success, &role, &set))
		return whole_jobs(&g, j->success);
	add_set_pod(&g, role, -1);
	return true;
}

/*
 * Makes the rules of a success policy. Returns false when there are more alternatives than the policy may have rules.
 */
static bool rules_of(const struct plan_job *j, const struct plan_condition *c, unsigned role, struct plan_success *ret)
{
	unsigned found;

	if (c->kind == CONDITION_OR)
		return rules_of(j, c->left, role, ret) && rules_of(j, c->right, role, ret);
	if (ret->n == PLAN_SUCCESS_RULES)
		return false;
	ret->n += some_indexes(j, c, &found, &ret->sets[ret->n]) && found == role;
	return true;
}

bool plan_set_rule(const struct plan_job *j, const struct plan_role *r, struct plan_success *ret)
{
	ret->role = (unsigned)(r - j->roles);
	ret->n = 0;
	return j->success && rules_of(j, j->success, ret->role, ret) && ret->n;
}

bool plan_set_waits(struct arena *a, const struct plan_job *j, const struct plan_condition *c,
	struct plan_set_success *ret)
{
	struct set_gathering g = { a, j, ret };

	*ret = (struct plan_set_success){ 0 };
	if (c->kind == CONDITION_DONE)
		return whole_jobs(&g, c);
	if (condition_joins(c) || c->kind == CONDITION_GONE)
		return no(&g, c);
	if (c->index != CONDITION_ALL && j->roles[c->role].max > 1)
		return no(&g, c);
	add_set_role(&g, c->role);
	return true;
}
