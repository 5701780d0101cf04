/*
 * rules_repeats.c - fields of a role that say what holds without them (TJ1006).
 *
 * Only literals that the role's own block writes, beside a literal that the
 * program or its framework writes: what a parameter happens to be is no
 * repetition, and built-in defaults may be spelt out.
 */
#include "eval/internal.h"
#include "eval/rules.h"

/* The text of a value that is the same whatever the parameters are. */
static bool is_literal(const struct node *n)
{
	struct str text;

	if (n->kind == NODE_STRING)
		return node_static_text(n, &text);
	return n->kind == NODE_INT || n->kind == NODE_FLOAT || n->kind == NODE_QUANTITY || n->kind == NODE_TOPOLOGY || n->kind == NODE_BOOL;
}

/* What an entry sets a field to, if that is a literal; else NULL. */
static struct node *literal(const struct entry *e)
{
	struct node *value = NULL;

	if (e->item && e->item->kind == NODE_SET)
		value = e->item->u.item.value;
	else if (e->item && e->item->kind == NODE_FIELD)
		value = e->item->u.field.value;
	return value && is_literal(value) ? value : NULL;
}

/* The last entry of a level that speaks of a field; NULL without. */
static const struct entry *entry_of(const struct entries *level, enum field_id id)
{
	for (size_t i = entries_about(level, id); i-- > 0;) {
		const struct node *item = level->at[i].item;
		const struct field *f = !item ? NULL : item->kind == NODE_FIELD ? item->u.field.field :
		                        item->kind == NODE_SET || item->kind == NODE_EXTEND ? item->u.item.field : NULL;
		bool typed_only = item && item->kind == NODE_FIELD && !item->u.field.value;
		if (f && f->id == id && !typed_only)
			return &level->at[i];
	}
	return NULL;
}

static void report(struct job *j, const struct entry *e, const struct entry *below, bool framework)
{
	struct eval *ev = j->ev;
	struct str value = node_text(ev, literal(e));
	struct diag *d;

	if (framework)
		d = diag_report(ev->diags, TJ1006, e->item->span, "'%.*s = %.*s' is the default of '%.*s'", STR_ARG(e->key), STR_ARG(value),
			STR_ARG(j->plan->framework));
	else
		d = diag_report(ev->diags, TJ1006, e->item->span, "'%.*s = %.*s' is what the job says for all roles", STR_ARG(e->key),
			STR_ARG(value));
	diag_note(ev->diags, d, literal(below)->span, "set here");
	diag_help(ev->diags, d, "remove it here");
}

static void role_repeats(struct job *j, const struct role *r)
{
	const struct entries *own = r->levels[LEVEL_ROLE];

	for (size_t i = 0; own && i < own->n; i++) {
		const struct entry *e = &own->at[i], *below = NULL;
		const struct field *f = e->item && e->item->kind == NODE_SET ? e->item->u.item.field : NULL;
		int level = LEVEL_ROLE;
		while (f && !below && ++level < LEVELS)
			below = r->aux ? NULL : entry_of(r->levels[level], f->id);
		if (below && literal(e) && literal(below) &&
		    value_equal(eval_expr(j->ev, e->frame, literal(e)), eval_expr(j->ev, below->frame, literal(below))))
			report(j, e, below, level >= LEVEL_FRAMEWORK_ROLE);
	}
}

void rules_repeats(struct job *j)
{
	for (size_t i = 0; i < j->nroles; i++)
		role_repeats(j, j->roles[i]);
}
