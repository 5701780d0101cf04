/*
 * walk.c - the list of the children of each kind of node. Code that walks a tree and treats most kinds alike uses this,
 * so that a new kind of node is added in one place.
 */
#include "syntax/walk.h"

static void give_child(struct node *child, node_visit *each, void *to)
{
	if (child)
		each(to, child);
}

static void give_all(struct nodes children, node_visit *each, void *to)
{
	for (size_t i = 0; i < children.n; i++)
		give_child(children.at[i], each, to);
}

static void string_children(const struct node *n, node_visit *each, void *to)
{
	for (size_t i = 0; i < n->u.string.n; i++)
		give_child(n->u.string.parts[i].expr, each, to);
}

/* Visits the conditions and branches of a whole chain of `else if`. */
static void if_children(const struct node *n, node_visit *each, void *to)
{
	enum node_kind kind = n->kind;
	struct node *rest = NULL;

	for (; n && n->kind == kind; n = rest) {
		bool item = kind == NODE_IF_ITEM;
		give_child(item ? n->u.if_item.condition : n->u.if_expr.condition, each, to);
		give_child(item ? n->u.if_item.then : n->u.if_expr.then, each, to);
		rest = item ? n->u.if_item.otherwise : n->u.if_expr.otherwise;
	}
	give_child(rest, each, to);
}

static void job_children(const struct node *n, node_visit *each, void *to)
{
	give_child(n->u.job.list, each, to);
	for (size_t i = 0; i < n->u.job.nmore; i++)
		give_child(n->u.job.more[i].list, each, to);
	give_child(n->u.job.filter, each, to);
	give_child(n->u.job.title, each, to);
	give_child(n->u.job.blueprint, each, to);
	give_all(n->u.job.args, each, to);
	give_child(n->u.job.body, each, to);
}

static void declaration_children(const struct node *n, node_visit *each, void *to)
{
	switch (n->kind) {
	case NODE_FILE: give_all(n->u.file.decls, each, to); break;
	case NODE_IMPORT: give_child(n->u.import.body, each, to); break;
	case NODE_PARAM: case NODE_LET: case NODE_FORMAL:
		give_child(n->u.binding.type, each, to);
		give_child(n->u.binding.value, each, to);
		break;
	case NODE_FN:
		give_all(n->u.fn.formals, each, to);
		give_child(n->u.fn.result, each, to);
		give_child(n->u.fn.value, each, to);
		break;
	case NODE_TYPE:
		give_child(n->u.type_decl.alias, each, to);
		give_child(n->u.type_decl.body, each, to);
		break;
	case NODE_FRAMEWORK: case NODE_ACCELERATOR:
		give_all(n->u.blueprint_decl.formals, each, to);
		give_child(n->u.blueprint_decl.base, each, to);
		give_all(n->u.blueprint_decl.args, each, to);
		give_child(n->u.blueprint_decl.body, each, to);
		break;
	case NODE_JOB: job_children(n, each, to); break;
	case NODE_PROFILE: case NODE_TEST: case NODE_POLICY: case NODE_PROJECT:
		give_child(n->u.titled.title, each, to);
		give_child(n->u.titled.body, each, to);
		break;
	default: break;
	}
}

static void item_children(const struct node *n, node_visit *each, void *to)
{
	switch (n->kind) {
	case NODE_CHECK:
		give_child(n->u.check.condition, each, to);
		give_child(n->u.check.message, each, to);
		break;
	case NODE_SET: case NODE_EXTEND:
		give_child(n->u.item.key.expr, each, to);
		give_child(n->u.item.value, each, to);
		break;
	case NODE_FIELD:
		give_child(n->u.field.key.expr, each, to);
		give_child(n->u.field.type, each, to);
		give_child(n->u.field.value, each, to);
		break;
	case NODE_BLOCK:
		give_child(n->u.block.framework, each, to);
		give_all(n->u.block.args, each, to);
		give_child(n->u.block.body, each, to);
		break;
	case NODE_SPREAD: give_child(n->u.one, each, to); break;
	case NODE_IF_ITEM: case NODE_IF: if_children(n, each, to); break;
	case NODE_FOR_ITEM:
		give_child(n->u.for_item.list, each, to);
		give_child(n->u.for_item.body, each, to);
		break;
	case NODE_TYPE_REF:
		give_child(n->u.type_ref.body, each, to);
		give_all(n->u.type_ref.args, each, to);
		give_all(n->u.type_ref.refines, each, to);
		break;
	case NODE_REFINE:
		give_child(n->u.refine.lo, each, to);
		give_child(n->u.refine.hi, each, to);
		break;
	default: break;
	}
}

static void expression_children(const struct node *n, node_visit *each, void *to)
{
	switch (n->kind) {
	case NODE_STRING: string_children(n, each, to); break;
	case NODE_LIST: give_all(n->u.list, each, to); break;
	case NODE_LIST_FOR:
		give_child(n->u.list_for.value, each, to);
		give_child(n->u.list_for.list, each, to);
		give_child(n->u.list_for.filter, each, to);
		break;
	case NODE_BODY: give_all(n->u.body.items, each, to); break;
	case NODE_MEMBER: give_child(n->u.member.base, each, to); break;
	case NODE_CALL:
		give_child(n->u.call.callee, each, to);
		give_all(n->u.call.args, each, to);
		break;
	case NODE_ARG: give_child(n->u.arg.value, each, to); break;
	case NODE_INDEX:
		give_child(n->u.pair.base, each, to);
		give_child(n->u.pair.index, each, to);
		break;
	case NODE_UNARY: give_child(n->u.op.left, each, to); break;
	case NODE_BINARY: case NODE_RANGE: case NODE_ELASTIC: case NODE_COALESCE: case NODE_LET_IN:
		give_child(n->u.op.left, each, to);
		give_child(n->u.op.right, each, to);
		break;
	default: break;
	}
}

void node_children(const struct node *n, node_visit *each, void *to)
{
	if (n->kind <= NODE_PROJECT)
		declaration_children(n, each, to);
	else if (n->kind < NODE_NAME || n->kind == NODE_IF)
		item_children(n, each, to);
	else
		expression_children(n, each, to);
}

/* ---- places ---- */

struct finding {
	uint32_t offset;
	struct node *found;
};

static void find_child(void *to, struct node *child)
{
	struct finding *f = to;
	bool holds = child->span.start <= f->offset && f->offset <= child->span.end;

	if (holds && (!f->found || child->span.start >= f->found->span.start))
		f->found = child;
}

void node_path_at(struct node *file, uint32_t offset, struct node_path *ret)
{
	struct finding f = { offset, file };

	ret->n = 0;
	while (f.found && ret->n < NODE_PATH) {
		struct node *n = ret->at[ret->n++] = f.found;
		f.found = NULL;
		node_children(n, find_child, &f);
	}
}
