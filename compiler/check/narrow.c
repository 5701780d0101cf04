/*
 * narrow.c - derives facts about optional values from conditions: x != none, for names, for members and elements of
 * names, and through a let whose value is the condition.
 */
#include "check/context.h"

/* Do two indices mean the same element? They do if they have the same known value, or name the same declaration. */
static bool same_index(const struct node *a, const struct node *b)
{
	struct str s, t;
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case NODE_INT: return a->u.integer.value == b->u.integer.value;
	case NODE_NAME: return a->u.name.decl && a->u.name.decl == b->u.name.decl;
	case NODE_STRING: return node_static_text(a, &s) && node_static_text(b, &t) && str_eq(s, t);
	default: return false;
	}
}

/* Are two expressions the same path of members and elements of one name? The value of a name never changes. */
static bool same_path(const struct node *a, const struct node *b)
{
	while (a->kind == b->kind) {
		if (a->kind == NODE_NAME)
			return a->u.name.decl && a->u.name.decl == b->u.name.decl;
		if (a->kind == NODE_MEMBER) {
			if (!name_eq(a->u.member.name, b->u.member.name))
				return false;
			a = a->u.member.base;
			b = b->u.member.base;
		} else if (a->kind == NODE_INDEX) {
			if (!same_index(a->u.pair.index, b->u.pair.index))
				return false;
			a = a->u.pair.base;
			b = b->u.pair.base;
		} else {
			return false;
		}
	}
	return false;
}

bool known_present(const struct check *c, const struct node *n)
{
	for (const struct fact *f = c->at.facts; f; f = f->next)
		if (same_path(f->path, n))
			return true;
	return false;
}

static void add_fact(struct check *c, const struct node *n)
{
	if (!same_path(n, n))           /* not a path */
		return;
	struct fact *f = ARENA_NEW(c->arena, struct fact);
	f->path = n;
	f->next = c->at.facts;
	c->at.facts = f;
}

enum { MOST_LETS = 100 };               /* maximum number of lets between a name and its condition */

/* The value of the let that N names; NULL if N is not the name of a let. */
static const struct node *held_condition(const struct node *n)
{
	const struct decl *d = n->kind == NODE_NAME ? n->u.name.decl : NULL;
	return d && d->kind == DECL_LET && d->node && d->node->kind == NODE_LET ? d->node->u.binding.value : NULL;
}

static void assume(struct check *c, const struct node *n, bool truth, unsigned lets)
{
	const struct node *held = held_condition(n);
	if (held && lets < MOST_LETS) {
		assume(c, held, truth, lets + 1);
		return;
	}
	if (n->kind == NODE_UNARY && n->u.op.op == OP_NOT) {
		assume(c, n->u.op.left, !truth, lets);
		return;
	}
	if (n->kind != NODE_BINARY)
		return;
	const struct node *left = n->u.op.left, *right = n->u.op.right;
	switch (n->u.op.op) {
	case OP_AND: case OP_OR:
		if ((n->u.op.op == OP_AND) == truth) {
			assume(c, left, truth, lets);
			assume(c, right, truth, lets);
		}
		return;
	case OP_EQ: case OP_NE:
		if ((n->u.op.op == OP_NE) != truth)
			return;
		if (right->kind == NODE_NONE)
			add_fact(c, left);
		else if (left->kind == NODE_NONE)
			add_fact(c, right);
		return;
	default:
		return;
	}
}

void assume_condition(struct check *c, const struct node *n, bool truth)
{
	assume(c, n, truth, 0);
}
