/*
 * narrow.c - what a condition tells about optional values: x != none, for names and for members of
 * names.
 */
#include "check/context.h"

static bool same_thing(const struct fact *f, const struct node *n)
{
	if (n->kind == NODE_NAME)
		return f->decl == n->u.name.decl && !f->member.p;
	return n->kind == NODE_MEMBER && n->u.member.base->kind == NODE_NAME && f->member.p &&
	       f->decl == n->u.member.base->u.name.decl && name_eq(f->member, n->u.member.name);
}

bool known_present(const struct check *c, const struct node *n)
{
	for (const struct fact *f = c->at.facts; f; f = f->next)
		if (same_thing(f, n))
			return true;
	return false;
}

static void add_fact(struct check *c, const struct node *n)
{
	bool member = n->kind == NODE_MEMBER && n->u.member.base->kind == NODE_NAME;
	if (n->kind != NODE_NAME && !member)
		return;
	struct fact *f = ARENA_NEW(c->arena, struct fact);
	f->decl = member ? n->u.member.base->u.name.decl : n->u.name.decl;
	f->member = member ? n->u.member.name : (struct str){ 0 };
	f->next = c->at.facts;
	if (f->decl)
		c->at.facts = f;
}

void assume_condition(struct check *c, const struct node *n, bool truth)
{
	if (n->kind == NODE_UNARY && n->u.op.op == OP_NOT) {
		assume_condition(c, n->u.op.left, !truth);
		return;
	}
	if (n->kind != NODE_BINARY)
		return;
	const struct node *left = n->u.op.left, *right = n->u.op.right;
	switch (n->u.op.op) {
	case OP_AND: case OP_OR:
		if ((n->u.op.op == OP_AND) == truth) {
			assume_condition(c, left, truth);
			assume_condition(c, right, truth);
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
