/* cells.c - the cells of a run: which of their copies the run should have, and the states of these. */
#include "runtime/run/cells.h"

#include "runtime/run/report.h"

struct run_cell *run_find_cell(const struct run_state *s, struct str name)
{
	for (size_t i = 0; name.n && i < s->ncells; i++)
		if (str_eq(s->cells[i].name, name))
			return &s->cells[i];
	return NULL;
}

struct str run_cell_refusal(struct arena *a, const struct run_cell *c, int64_t n)
{
	if (c->min == c->max)
		return str_printf(a, "cell '%.*s' always has %lld cop%s; write 'copies = 1:%lld' to make it elastic",
			STR_ARG(c->name), (long long)c->max, c->max == 1 ? "y" : "ies", (long long)c->max);
	if (n >= c->min && n <= c->max)
		return STR("");
	return str_printf(a, "cell '%.*s' has between %lld and %lld copies, not %lld", STR_ARG(c->name),
		(long long)c->min, (long long)c->max, (long long)n);
}

/* The sums of a copy; its roles are added one by one. */
struct copy_sum {
	bool there, unready, undone, lost;
};

/* Adds what role R says about its copy; returns whether it is the first role of a copy that should be there. */
static bool add_to_copy(const struct run_state *s, const struct run_role *r, struct copy_sum *copy)
{
	struct run_count c = run_count(r);

	if (!r->max || !run_role_wanted(s, r))
		return false;
	bool first = !copy->there;
	copy->there = true;
	copy->lost = copy->lost || r->lost;
	copy->unready = copy->unready || c.ready + c.succeeded < r->desired;
	copy->undone = copy->undone || (c.succeeded < r->desired && !r->endless);
	return first;
}

struct cell_sum run_cell_sum(const struct run_state *s, struct str cell)
{
	struct arena scratch = { 0 };
	struct copy_sum *copies = ARENA_ARRAY(&scratch, struct copy_sum, s->nroles);
	struct cell_sum sum = { 0 };

	for (size_t k = 0; k < s->nroles; k++) {
		const struct run_role *r = &s->roles[k];
		if (str_eq(r->cell, cell) && r->copy < (int64_t)s->nroles)
			sum.copies += add_to_copy(s, r, &copies[r->copy]);
	}
	for (size_t k = 0; k < s->nroles; k++) {
		sum.ready += copies[k].there && !copies[k].unready && !copies[k].lost;
		sum.done += copies[k].there && !copies[k].undone && !copies[k].lost;
		sum.lost += copies[k].lost;
	}
	arena_release(&scratch);
	return sum;
}

struct str run_lost_copies(struct arena *a, const struct run_state *s)
{
	for (size_t i = 0; i < s->nroles; i++) {
		const struct run_role *r = &s->roles[i];
		if (!r->lost || !run_count(r).failed || !run_role_wanted(s, r))
			continue;
		struct cell_sum sum = run_cell_sum(s, r->cell);
		return str_printf(a, "%lld of %lld copies of '%.*s' %s lost; %lld: %.*s", (long long)sum.lost,
			(long long)sum.copies, STR_ARG(r->cell), sum.lost == 1 ? "is" : "are", (long long)r->copy,
			STR_ARG(report_role_cause(a, s, r)));
	}
	return STR("");
}

bool run_role_wanted(const struct run_state *s, const struct run_role *r)
{
	const struct run_cell *c = run_find_cell(s, r->cell);

	return !c || r->copy < c->desired;
}

const struct role_states *run_role_states(struct arena *a, const struct plan_job *j, const struct run_state *s)
{
	struct role_states *all = ARENA_ARRAY(a, struct role_states, j->nroles);

	for (size_t i = 0; i < j->nroles; i++) {
		const struct run_role *r = i < s->nroles ? &s->roles[i] : NULL;
		enum replica_state *at = ARENA_ARRAY(a, enum replica_state, (size_t)j->roles[i].max);
		for (int64_t k = 0; r && k < r->max && k < j->roles[i].max; k++)
			at[k] = r->at[k].state;
		all[i] = (struct role_states){ at, (size_t)j->roles[i].max, r && (r->lost || !run_role_wanted(s, r)) };
	}
	return all;
}

const struct plan_role *run_plan_role(const struct plan_job *j, struct str address)
{
	const struct plan_role *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		struct run_role named = { .name = r->name, .cell = r->cell, .copy = r->copy };
		if (!run_role_meant(&named, address))
			continue;
		found = r;
		n++;
	}
	return n == 1 ? found : NULL;
}
