/*
 * needs.c - lists what a job needs that plain Jobs cannot do. Users who apply the objects by other means must know
 * these needs: a parameter server that nobody stops costs money.
 */
#include "plan/plan.h"

struct needing {
	struct arena *arena;
	const struct plan_job *job;
	struct plan_needs needs;
	struct buf line;
};

static void need(struct needing *n)
{
	struct str sentence = buf_take(&n->line, n->arena);

	ARENA_PUSH(n->arena, n->needs.at, n->needs.n, sentence);
}

/* Is the role the only one of its copy, so that a copy that is lost has no other pods? */
static bool is_alone(const struct plan_job *j, const struct plan_role *r)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (&j->roles[i] != r && plan_same_copy(&j->roles[i], r))
			return false;
	return true;
}

/* Have all pods of ROLE ended by themselves once condition C, which decides the success of the job, is met? */
static bool ends_by_itself(const struct plan_job *j, const struct plan_condition *c, unsigned role)
{
	if (c->kind == CONDITION_AND)
		return ends_by_itself(j, c->left, role) || ends_by_itself(j, c->right, role);
	if (c->kind == CONDITION_OR)
		return ends_by_itself(j, c->left, role) && ends_by_itself(j, c->right, role);
	if (c->kind == CONDITION_GONE)
		return c->role == role && is_alone(j, &j->roles[role]);
	return c->kind == CONDITION_DONE && c->role == role && (c->index == CONDITION_ALL || j->roles[role].max == 1);
}

static bool must_be_ended(const struct plan_job *j, unsigned role)
{
	const struct plan_role *r = &j->roles[role];
	struct plan_success rule;

	if (!r->max || r->in_group || (r->elastic && plan_condition_reads(j->success, role)))
		return false;           /* elastic roles that the success of the job depends on are handled below */
	if (r->aux || r->endless || !j->success)
		return r->aux || r->endless;
	if (plan_success_rule(j, &rule) && rule.role == role)
		return false;
	return !ends_by_itself(j, j->success, role);
}

/* Is the role one of a later copy of a cell, and must the same role of the first copy be ended, too? */
static bool is_said_of_first(const struct plan_job *j, const struct plan_role *r)
{
	for (unsigned i = 0; r->copy && i < j->nroles && !j->roles[i].copy; i++)
		if (str_eq(j->roles[i].cell, r->cell) && str_eq(plan_role_inner(&j->roles[i]), plan_role_inner(r)))
			return must_be_ended(j, i);
	return false;
}

static void roles_to_end(struct needing *n)
{
	const struct plan_job *j = n->job;
	size_t found = 0;

	for (unsigned i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!must_be_ended(j, i) || is_said_of_first(j, r))
			continue;
		buf_z(&n->line, found++ ? ", " : "stop ");
		buf_printf(&n->line, "%s '%.*s'", r->aux ? "aux" : "role", STR_ARG(plan_role_inner(r)));
		if (r->cell.n)
			buf_printf(&n->line, " of cell '%.*s'", STR_ARG(r->cell));
	}
	if (found) {
		buf_z(&n->line, j->success ? " when the job has succeeded" : " when the job is over");
		need(n);
	}
}

static void failure_to_spread(struct needing *n)
{
	size_t objects = 0;

	for (size_t i = 0; i < n->job->nroles; i++) {
		const struct plan_role *r = &n->job->roles[i];
		if (!r->aux && !r->in_group)
			objects += r->unrolled ? (size_t)r->max : r->max > 0;
	}
	if (objects < 2)
		return;
	buf_z(&n->line, "stop the other replicas when one has failed for good");
	need(n);
}

static void starts(struct needing *n)
{
	for (size_t i = 0; i < n->job->nroles; i++) {
		const struct plan_role *r = &n->job->roles[i];
		if (!r->start_after || !r->max || r->copy || r->in_group)
			continue;               /* copies of a cell start alike */
		struct str c = plan_condition_text(n->arena, n->job, r->start_after);
		buf_printf(&n->line, "start role '%.*s' after %.*s%s", STR_ARG(r->name), STR_ARG(c),
			r->cell.n ? ", and so in each copy" : "");
		need(n);
	}
}

static void elastic_ends(struct needing *n)
{
	for (size_t i = 0; i < n->job->nroles; i++) {
		const struct plan_role *r = &n->job->roles[i];
		if (!r->elastic || r->aux || !r->max || !plan_condition_reads(n->job->success, (unsigned)i))
			continue;
		buf_printf(&n->line,
			"stop elastic role '%.*s' when %lld or more replicas have succeeded and none is active",
			STR_ARG(r->name), (long long)r->min);
		need(n);
	}
}

/* ---- volumes whose content is generated ---- */

static void generated_in(struct arena *a, const struct plan_container *c, struct plan_volumes *ret)
{
	for (size_t i = 0; i < c->nmounts; i++) {
		const struct plan_volume *v = c->mounts[i].volume;
		bool known = v->kind != VOLUME_GENERATED;
		for (size_t k = 0; k < ret->n && !known; k++)
			known = str_eq(ret->at[k]->name, v->name);
		if (!known)
			ARENA_PUSH(a, ret->at, ret->n, v);
	}
}

struct plan_volumes plan_generated(struct arena *a, const struct plan_job *j)
{
	struct plan_volumes all = { 0 };

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max)
			continue;
		generated_in(a, &r->main, &all);
		for (size_t k = 0; k < r->ninits; k++)
			generated_in(a, &r->inits[k], &all);
		for (size_t k = 0; k < r->nsidecars; k++)
			generated_in(a, &r->sidecars[k], &all);
	}
	return all;
}

static void generated_things(struct needing *n)
{
	const struct plan_job *j = n->job;
	struct plan_volumes all = plan_generated(n->arena, j);

	for (size_t i = 0; i < all.n; i++) {
		struct str kind = all.at[i]->name;
		buf_printf(&n->line, "create the %.*s in Secret '%.*s-%.*s'", STR_ARG(kind), STR_ARG(j->name),
			STR_ARG(kind));
		need(n);
	}
	n->needs.generated = all.n;
}

/* Does a controller make the pods of the cell, and restart its copies? */
static bool in_groups(const struct plan_job *j, const struct plan_cell *c)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].in_group && str_eq(j->roles[i].cell, c->name))
			return true;
	return false;
}

/* Adds restarts of single copies of cells: the attendant of the run creates their Jobs again. */
static void copies_again(struct needing *n)
{
	for (size_t i = 0; i < n->job->ncells && !plan_each_replica(n->job); i++) {
		const struct plan_cell *c = &n->job->cells[i];
		if (!c->restarts || in_groups(n->job, c))
			continue;
		buf_printf(&n->line, "restart a copy of '%.*s' after a failure in it", STR_ARG(c->name));
		if (c->restarts > 0)
			buf_printf(&n->line, ", up to %lld times", (long long)c->restarts);
		need(n);
	}
}

struct plan_needs plan_needs_runtime(struct arena *a, const struct plan_job *j)
{
	struct needing n = { .arena = a, .job = j };

	generated_things(&n);
	if (j->controller) {
		buf_release(&n.line);
		return n.needs;
	}
	if (plan_each_replica(j)) {
		buf_z(&n.line, "create pods again that are lost or retried, and judge the job by them");
		need(&n);
	}
	starts(&n);
	if (!str_is(j->clean.value, "none")) {
		roles_to_end(&n);
		failure_to_spread(&n);
	}
	elastic_ends(&n);
	if (plan_ttl_is_left(j)) {
		buf_z(&n.line, "remove the job when its ttl has passed");
		need(&n);
	}
	if (j->restarts.set && j->restarts.value > 0) {
		buf_printf(&n.line, "restart the whole job after a failure, up to %lld times",
			(long long)j->restarts.value);
		need(&n);
	}
	copies_again(&n);
	if (plan_each_replica(j))
		n.needs.undone = n.needs.n - n.needs.generated;
	buf_release(&n.line);
	return n.needs;
}
