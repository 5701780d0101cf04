/*
 * rules_repeats.c - reports fields of a role that only repeat a default (TJ1006). Only a literal in the role's own
 * block is reported, and only if it repeats a literal of the program or its framework: a parameter that happens to have
 * the same value is not a repetition, and built-in defaults may be written out.
 */
#include "eval/internal.h"
#include "lower/lower_rules.h"

/* Is the value a literal, which no parameter can change? */
static bool is_repeated_literal(const struct node *n)
{
	struct str text;

	if (n->kind == NODE_STRING)
		return node_static_text(n, &text);
	return n->kind == NODE_INT || n->kind == NODE_FLOAT || n->kind == NODE_QUANTITY || n->kind == NODE_TOPOLOGY ||
		n->kind == NODE_BOOL;
}

/* The literal to which entry E sets its field; NULL when the value is not a literal. */
static struct node *entry_literal(const struct entry *e)
{
	struct node *value = entry_sets(e) ? entry_expr(e) : NULL;

	return value && is_repeated_literal(value) ? value : NULL;
}

static void report_repeat(struct job *j, const struct entry *e, const struct entry *below, unsigned level)
{
	struct eval *ev = j->ev;
	struct str value = node_text(ev, entry_literal(e));
	struct diag *d;

	if (level >= LEVEL_FRAMEWORK)
		d = diag_report(ev->diags, TJ1006, e->item->span, "'%.*s = %.*s' is the default of '%.*s'",
			STR_ARG(e->key), STR_ARG(value),
			STR_ARG(j->plan->framework));
	else
		d = diag_report(ev->diags, TJ1006, e->item->span,
			level == LEVEL_PROJECT ? "'%.*s = %.*s' is a default of the project" :
			"the job already sets '%.*s = %.*s' for all roles", STR_ARG(e->key),
			STR_ARG(value));
	diag_note(ev->diags, d, entry_literal(below)->span, "set here");
	diag_help(ev->diags, d, "remove it here");
}

static void role_repeats(struct job *j, const struct role *r)
{
	const struct entries *own = r->levels[LEVEL_ROLE];

	for (size_t i = 0; own && i < own->n; i++) {
		const struct entry *e = &own->at[i], *below = NULL;
		const struct field *f = e->item && e->item->kind == NODE_SET ? e->field : NULL;
		unsigned level = LEVEL_ROLE;
		while (f && !below && ++level < r->nlevels)
			below = r->aux ? NULL : said_first(r->levels[level], f->id);
		if (below && entry_literal(e) && entry_literal(below) &&
		    value_equal(eval_expr(j->ev, e->frame, entry_literal(e)),
			eval_expr(j->ev, below->frame, entry_literal(below))))
			report_repeat(j, e, below, level);
	}
}

void rules_repeats(struct job *j)
{
	for (size_t i = 0; i < j->nroles; i++)
		role_repeats(j, j->roles[i]);
}
