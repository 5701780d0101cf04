/*
 * lower_nodes.c - lowers `node_in` and `avoid`: labels of which a node has one of several values, or none of them. The
 * value "*" is any value. Reports labels that no node can have together (TJ0633).
 */
#include "lower/lower.h"
#include "lower/lower_rules.h"

#include "eval/plan_value.h"

#define ZONES STR("topology.kubernetes.io/zone")

/* Reports a list of values that says nothing: an empty one, or one with "*" beside others. */
static void report_values(struct lowering *l, const struct plan_choice *c, const char *field)
{
	struct diag *d = c->nvalues ? diag_report(l->ev->diags, TJ0311, c->from,
		"\"*\" is any value of '%.*s', so the other values say nothing", STR_ARG(c->key)) :
		diag_report(l->ev->diags, TJ0311, c->from, "'%.*s' has no value in '%s'", STR_ARG(c->key), field);

	diag_help(l->ev->diags, d, c->nvalues ? "keep one of the two" :
		"write a value or a list of them; \"*\" is any value");
}

static bool is_any(const struct plan_choice *c)
{
	for (size_t i = 0; i < c->nvalues; i++)
		if (str_is(c->values[i].value, "*"))
			return true;
	return false;
}

static struct plan_choice *lower_labels(struct lowering *l, enum field_id id, size_t *ret_n)
{
	const struct value *map = role_field(l->ev, l->role, id);
	const struct map *index = map->kind == VALUE_MAP ? &map->u.map.index : NULL;
	struct plan_choice *all = index ? ARENA_ARRAY(l->ev->arena, struct plan_choice, index->n) : NULL;

	*ret_n = 0;
	for (size_t i = 0; index && i < index->n; i++) {
		const struct value_entry *e = index->entries[i].value;
		struct plan_choice c = { .key = e->key, .from = e->key_at };
		if (e->value->kind != VALUE_LIST)
			continue;
		c.values = value_strs(l->ev, e->value, &c.nvalues);
		if (!c.nvalues || (is_any(&c) && c.nvalues > 1)) {
			report_values(l, &c, schema_field(id)->name);
			continue;
		}
		if (is_any(&c))
			c.nvalues = 0;
		all[(*ret_n)++] = c;
	}
	return all;
}

void lower_nodes(struct lowering *l)
{
	l->plan->node_in = lower_labels(l, FIELD_NODE_IN, &l->plan->nnode_in);
	l->plan->avoid = lower_labels(l, FIELD_AVOID, &l->plan->navoid);
}

/* ---- labels that no node has together ---- */

static bool fits_choice(const struct plan_choice *c, struct str value)
{
	return !c->nvalues || plan_choice_takes(c, value);
}

static void report_never(struct job *j, struct span at, struct str key, const char *what, struct span other,
	const char *said)
{
	struct diag *d = diag_report(job_diags(j), TJ0633, at, "no node fits: %s of '%.*s' %s", what, STR_ARG(key),
		said);

	diag_note(job_diags(j), d, other, "the other one");
	diag_help(job_diags(j), d, "remove one of the two, or change its values");
}

/* Does C leave out VALUE, which the nodes must have for KEY? Then no node fits. */
static void against_value(struct job *j, const struct plan_choice *c, bool avoided, struct str key, struct str value,
	struct span from)
{
	if (str_eq(c->key, key) && fits_choice(c, value) == avoided)
		report_never(j, c->from, key, "the value", from, avoided ? "is required, and avoided" :
			"is required, and not among those of 'node_in'");
}

static void against_values(struct job *j, const struct plan_choice *in, const struct plan_choice *avoid)
{
	if (!str_eq(in->key, avoid->key))
		return;
	for (size_t i = 0; i < in->nvalues; i++)
		if (!fits_choice(avoid, in->values[i].value))
			return;
	if (in->nvalues || !avoid->nvalues)
		report_never(j, avoid->from, in->key, "each value", in->from, "that 'node_in' allows is avoided");
}

/* Compares C with what else the nodes must have: the role's labels, its accelerator, its zones. */
static void labels_of_role(struct job *j, const struct plan_role *r, const struct plan_choice *c, bool avoided)
{
	const struct plan_pairs *required[] = { &r->node, r->accelerator ? &r->accelerator->node : NULL };

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; required[k] && i < required[k]->n; i++) {
			const struct plan_pair *p = &required[k]->at[i];
			against_value(j, c, avoided, p->key, p->value, span_known(p->from) ? p->from :
				r->accelerator ? r->accelerator->from : r->at);
		}
	if (r->nzones == 1)
		against_value(j, c, avoided, ZONES, r->zones[0].value, r->zones[0].from);
}

void rules_labels(struct job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = j->roles[i]->plan;
		for (size_t k = 0; k < r->nnode_in && r->max; k++)
			labels_of_role(j, r, &r->node_in[k], false);
		for (size_t k = 0; k < r->navoid && r->max; k++) {
			labels_of_role(j, r, &r->avoid[k], true);
			for (size_t n = 0; n < r->nnode_in; n++)
				against_values(j, &r->node_in[n], &r->avoid[k]);
		}
	}
}
