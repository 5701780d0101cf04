/*
 * success.c - finds success conditions that depend on the indexes of one role. A Job's success policy can express
 * these: it is a list of rules, and one of them must be met. Each rule is a set of indexes that must all have
 * succeeded. So the condition must be an `or` of `and`s of done(role, i), over one role that has one object and a
 * fixed size; the runtime decides about any other condition.
 */
#include "plan/plan.h"

static bool leaf(unsigned *role, const struct plan_condition *c, struct plan_index_set *set)
{
	if (c->kind != CONDITION_DONE || c->index == CONDITION_ALL)
		return false;
	if (*role == UINT32_MAX)
		*role = c->role;
	if (*role != c->role || set->n == PLAN_SUCCESS_INDEXES)
		return false;
	/* if the set names indexes too, they imply this one: each is a replica */
	if (c->index == CONDITION_ANY) {
		set->any = true;
		return true;
	}
	for (size_t i = 0; i < set->n; i++)
		if (set->at[i] == c->index)
			return true;
	size_t at = set->n++;
	for (; at > 0 && set->at[at - 1] > c->index; at--)
		set->at[at] = set->at[at - 1];
	set->at[at] = c->index;
	return true;
}

static bool all_of(unsigned *role, const struct plan_condition *c, struct plan_index_set *set)
{
	if (c->kind == CONDITION_AND)
		return all_of(role, c->left, set) && all_of(role, c->right, set);
	return leaf(role, c, set);
}

bool plan_index_set(const struct plan_condition *c, unsigned *role, struct plan_index_set *ret)
{
	ret->n = 0;
	ret->any = false;
	return all_of(role, c, ret);
}

static bool any_of(struct plan_success *rule, const struct plan_condition *c)
{
	if (c->kind == CONDITION_OR)
		return any_of(rule, c->left) && any_of(rule, c->right);
	return rule->n < PLAN_SUCCESS_RULES && plan_index_set(c, &rule->role, &rule->sets[rule->n++]);
}

bool plan_success_rule(const struct plan_job *j, struct plan_success *ret)
{
	/* `sets` is large, so it is not cleared; each set is initialized when it is first used */
	ret->role = UINT32_MAX;
	ret->n = 0;
	if (!j->success || !any_of(ret, j->success))
		return false;
	const struct plan_role *role = &j->roles[ret->role];
	if (role->elastic || role->unrolled || role->max < 2)
		return false;
	return !str_is(j->clean.value, "none");
}

const struct workload *plan_workload(const struct plan_job *j, const struct plan_role *r)
{
	if (r->in_group)
		return workload_row(WORKLOAD_GROUP);
	if (r->aux && !r->in_set && r->restart.set && str_is(r->restart.value, "always"))
		return workload_row(WORKLOAD_DEPLOYMENT);
	return workload_row(r->replica.job ? WORKLOAD_JOB : j->workload);
}

bool plan_role_is_numbered(const struct plan_job *j, const struct plan_role *r)
{
	return plan_workload(j, r)->traits & WORKLOAD_NUMBERED;
}

bool plan_each_replica(const struct plan_job *j) { return workload_row(j->workload)->traits & WORKLOAD_BARE; }

bool plan_role_restarts(const struct plan_role *r) { return r->restart.set && !str_is(r->restart.value, "never"); }

bool plan_role_is_served(const struct plan_job *j, const struct plan_role *r)
{
	if (!plan_role_is_numbered(j, r))
		return false;
	return r->replica.set ? r->replica.service != REPLICA_UNSERVED : j->hosts != HOSTS_SUBDOMAIN;
}

size_t plan_job_objects(const struct plan_job *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (plan_workload(j, r)->traits & WORKLOAD_ENDS)
			n += r->unrolled ? (size_t)r->max : r->max > 0;
	}
	return n;
}

bool plan_ttl_is_left(const struct plan_job *j)
{
	if (!j->ttl.set || plan_job_objects(j) > 1)
		return j->ttl.set;
	for (size_t i = 0; i < j->nroles; i++)
		if (plan_workload(j, &j->roles[i])->traits & WORKLOAD_BARE)
			return true;
	return false;
}
