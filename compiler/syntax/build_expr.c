/*
 * build_expr.c - constructs expressions.
 */
#include "syntax/number.h"
#include "syntax/parse_state.h"

struct node *mk_name(struct parse *p, struct span at, struct str text)
{
	struct node *n = node_new(p->arena, NODE_NAME, at);
	n->u.name.text = text;
	return n;
}

static struct node *report_literal_size(struct parse *p, struct span at, const char *what)
{
	struct str w = tokens_shown(&p->tokens, at.start, at.end);
	diag_report(p->diags, TJ0301, at, "%.*s does not fit in %s", STR_ARG(w), what);
	return mk_bad(p, at);
}

struct node *mk_integer(struct parse *p, struct span at)
{
	struct str w = tokens_text(&p->tokens, at.start, at.end);
	const uint64_t most = (uint64_t)1 << 63;        /* 2^63 is only valid in -9223372036854775808 */
	uint64_t value;

	if (!number_integer(w, &value) || value > most || (value == most && p->negated != at.start))
		return report_literal_size(p, at, "64 bits");
	struct node *n = node_new(p->arena, NODE_INT, at);
	n->u.integer.value = value;
	return n;
}

struct node *mk_floating(struct parse *p, struct span at)
{
	struct str w = tokens_text(&p->tokens, at.start, at.end);
	double value;

	if (!number_floating(w, &value))
		return report_literal_size(p, at, "a float");
	struct node *n = node_new(p->arena, NODE_FLOAT, at);
	n->u.floating.value = value;
	n->u.floating.word = w;
	return n;
}

struct node *mk_quantity(struct parse *p, struct span at)
{
	struct node *n = node_new(p->arena, NODE_QUANTITY, at);
	n->u.quantity.word = tokens_text(&p->tokens, at.start, at.end);
	return n;
}

struct node *mk_topology(struct parse *p, struct span at)
{
	struct node *n = node_new(p->arena, NODE_TOPOLOGY, at);
	n->u.topology.n = number_topology(tokens_text(&p->tokens, at.start, at.end), n->u.topology.size);
	return n;
}

struct node *mk_boolean(struct parse *p, struct span at, bool value)
{
	struct node *n = node_new(p->arena, NODE_BOOL, at);
	n->u.boolean = value;
	return n;
}

struct node *mk_none(struct parse *p, struct span at)
{
	return node_new(p->arena, NODE_NONE, at);
}

struct node *mk_list(struct parse *p, struct span at, struct nodes elements)
{
	struct node *n = node_new(p->arena, NODE_LIST, at);
	n->u.list = elements;
	node_grow_all(n, elements);
	return node_limit(p, n);
}

static struct node *list_for(struct parse *p, struct span at, struct node *value, const struct clause *c,
	struct node *filter)
{
	struct node *n = node_new(p->arena, NODE_LIST_FOR, at);
	n->u.list_for.binders[0] = c->binders[0];
	n->u.list_for.binders[1] = c->binders[1];
	n->u.list_for.nbinders = c->nbinders;
	n->u.list_for.value = value;
	n->u.list_for.list = c->list;
	n->u.list_for.filter = filter;
	node_grow(n, value);
	node_grow(n, c->list);
	node_grow(n, filter);
	return node_limit(p, n);
}

struct node *mk_list_fors(struct parse *p, struct span at, struct node *value, struct clauses *clauses,
	struct node *filter)
{
	struct node *n = list_for(p, at, value, &clauses->at[clauses->n - 1], filter);
	for (size_t i = clauses->n - 1; i-- > 0 && n->kind == NODE_LIST_FOR;) {
		n = list_for(p, at, n, &clauses->at[i], NULL);
		if (n->kind == NODE_LIST_FOR)
			n->u.list_for.flat = true;
	}
	return n;
}

struct node *mk_let_in(struct parse *p, struct span at, struct nodes locals, struct node *value)
{
	for (size_t i = locals.n; i-- > 0;) {
		struct node *n = node_new(p->arena, NODE_LET_IN, at);
		n->u.op.left = locals.at[i];
		n->u.op.right = value;
		if (i)
			n->span.start = locals.at[i]->span.start;
		node_grow(n, locals.at[i]);
		node_grow(n, value);
		value = node_limit(p, n);
	}
	return value;
}

struct node *mk_member(struct parse *p, struct span at, struct node *base, struct str name, struct span name_at)
{
	struct node *n = node_new(p->arena, NODE_MEMBER, at);
	n->u.member.base = base;
	n->u.member.name = name;
	n->u.member.name_span = name_at;
	node_grow(n, base);
	return node_limit(p, n);
}

struct node *mk_call(struct parse *p, struct span at, struct node *callee, struct nodes args, struct span args_at)
{
	struct node *n = node_new(p->arena, NODE_CALL, at);
	n->u.call.callee = callee;
	n->u.call.args = args;
	n->u.call.args_span = args_at;
	node_grow(n, callee);
	node_grow_all(n, args);
	return node_limit(p, n);
}

struct node *mk_index(struct parse *p, struct span at, struct node *base, struct node *index)
{
	struct node *n = node_new(p->arena, NODE_INDEX, at);
	n->u.pair.base = base;
	n->u.pair.index = index;
	node_grow(n, base);
	node_grow(n, index);
	return node_limit(p, n);
}

struct node *mk_arg(struct parse *p, struct span at, struct str name, struct span name_at, struct node *value)
{
	struct node *n = node_new(p->arena, NODE_ARG, at);
	n->u.arg.name = name;
	n->u.arg.name_span = name_at;
	n->u.arg.value = value;
	node_grow(n, value);
	return n;
}

struct node *mk_unary(struct parse *p, struct span at, enum op op, struct span op_at, struct node *operand)
{
	struct node *n = node_new(p->arena, NODE_UNARY, at);
	n->u.op.op = op;
	n->u.op.op_span = op_at;
	n->u.op.left = operand;
	node_grow(n, operand);
	n->nest++;
	return node_limit(p, n);
}

struct node *mk_binary(struct parse *p, struct span at, enum node_kind kind, enum op op, struct node *left,
	struct span op_at,
                       struct node *right)
{
	struct node *n = node_new(p->arena, kind, at);
	n->u.op.op = op;
	n->u.op.op_span = op_at;
	n->u.op.left = left;
	n->u.op.right = right;
	node_grow(n, left);
	node_grow(n, right);
	return node_limit(p, n);
}

struct node *mk_coalesce(struct parse *p, struct span at, struct node *left, struct span op_at, struct node *right)
{
	return mk_binary(p, at, NODE_COALESCE, 0, left, op_at, right);
}
