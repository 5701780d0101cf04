/*
 * ways.c - the ways to find the accelerator of a role, one for each provider of the project's nodes, as far as the
 * role's own `node` leaves them: a label there that only some ways have rules out the others that differ from it.
 */
#include "lower/lower.h"

/* Does the role ask for another value of the label of C than those that C takes? */
static bool contradicts(const struct plan_role *r, const struct plan_choice *c)
{
	for (size_t i = 0; i < r->node.n; i++)
		if (str_eq(r->node.at[i].key, c->key))
			return !plan_choice_takes(c, r->node.at[i].value);
	return false;
}

/* Does some way take the value that the role asks for? If none does, rules_nodes() reports it. */
static bool taken_somewhere(const struct plan_role *r, struct str key)
{
	const struct plan_accelerator *acc = r->accelerator;

	for (size_t i = 0; i < acc->nchoices; i++)
		if (str_eq(acc->choices[i].key, key) && !contradicts(r, &acc->choices[i]))
			return true;
	return false;
}

static bool way_remains(const struct plan_role *r, int64_t way)
{
	const struct plan_accelerator *acc = r->accelerator;

	for (size_t i = 0; i < acc->nchoices; i++)
		if (acc->choices[i].way == way && contradicts(r, &acc->choices[i]) &&
		    taken_somewhere(r, acc->choices[i].key))
			return false;
	return true;
}

/* Adds the labels of one way; with one value each they are labels of all nodes, if this way is the only one. */
static void keep_way(struct arena *a, const struct plan_accelerator *from, int64_t way, int64_t number, bool alone,
	struct plan_accelerator *to)
{
	for (size_t i = 0; i < from->nchoices; i++) {
		struct plan_choice c = from->choices[i];
		if (c.way != way)
			continue;
		c.way = number;
		if (alone && c.nvalues == 1)
			ARENA_PUSH(a, to->node.at, to->node.n, ((struct plan_pair){ c.key, c.values[0].value,
				c.values[0].from, c.from }));
		else
			ARENA_PUSH(a, to->choices, to->nchoices, c);
	}
}

void lower_ways(struct lowering *l)
{
	const struct plan_accelerator *acc = l->plan->accelerator;
	int64_t ways = acc && acc->nchoices ? acc->choices[acc->nchoices - 1].way + 1 : 0, kept = 0, number = 0;

	for (int64_t way = 0; way < ways; way++)
		kept += way_remains(l->plan, way);
	if (ways < 2 || kept == ways || !kept)
		return;
	struct plan_accelerator *left = ARENA_NEW(l->ev->arena, struct plan_accelerator);
	*left = *acc;
	left->node = (struct plan_pairs){ 0 };
	for (size_t i = 0; i < acc->node.n; i++)
		ARENA_PUSH(l->ev->arena, left->node.at, left->node.n, acc->node.at[i]);
	left->choices = NULL;
	left->nchoices = 0;
	for (int64_t way = 0; way < ways; way++)
		if (way_remains(l->plan, way))
			keep_way(l->ev->arena, acc, way, number++, kept == 1, left);
	l->plan->accelerator = left;
}
