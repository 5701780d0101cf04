/*
 * types_dump.c - prints the types that the checker computed, in a walk over the tree.
 */
#include "check/types_dump.h"

#include "check/type.h"

struct dump {
	struct arena *arena;
	const struct sources *sources;
	struct buf *out;
};

static void walk(struct dump *d, const struct node *n);

static void walk_list(struct dump *d, struct nodes list)
{
	for (size_t i = 0; i < list.n; i++)
		walk(d, list.at[i]);
}

/* Prints the start of an expression's text on one line. */
static void put_text(struct dump *d, struct span at)
{
	enum { MOST = 48 };
	struct str text = source_text(d->sources, at);
	size_t n = text.n < MOST ? text.n : MOST;

	while (n < text.n && n && ((unsigned char)text.p[n] & 0xC0) == 0x80)
		n--;
	for (size_t i = 0; i < n; i++) {
		char c = text.p[i];
		if (c != '\n' && c != '\t' && c != ' ')
			buf_char(d->out, c);
		else if (!i || !strchr(" \n\t", text.p[i - 1]))
			buf_char(d->out, ' ');
	}
	buf_z(d->out, n < text.n ? "..." : "");
}

static void put_expression(struct dump *d, const struct node *n)
{
	struct place at = source_place(d->sources, n->span.start);

	buf_printf(d->out, "%u:%u: ", at.line, at.column);
	put_text(d, n->span);
	buf_printf(d->out, ": %.*s", STR_ARG(type_spell(d->arena, n->type)));
	if (n->convert_to)
		buf_printf(d->out, " -> %.*s", STR_ARG(type_spell(d->arena, n->convert_to)));
	buf_char(d->out, '\n');
}

static void walk_key(struct dump *d, const struct key *k)
{
	if (k->expr)
		walk(d, k->expr);
}

static void walk_declaration(struct dump *d, const struct node *n)
{
	switch (n->kind) {
	case NODE_FILE:
		walk_list(d, n->u.file.decls);
		break;
	case NODE_IMPORT:
		walk(d, n->u.import.body);
		break;
	case NODE_PARAM: case NODE_LET: case NODE_FORMAL:
		walk(d, n->u.binding.value);
		break;
	case NODE_FN:
		walk_list(d, n->u.fn.formals);
		walk(d, n->u.fn.value);
		break;
	case NODE_TYPE:
		walk(d, n->u.type_decl.body);
		break;
	case NODE_FRAMEWORK: case NODE_ACCELERATOR:
		walk_list(d, n->u.blueprint_decl.formals);
		walk_list(d, n->u.blueprint_decl.args);
		walk(d, n->u.blueprint_decl.body);
		break;
	case NODE_JOB:
		walk(d, n->u.job.list);
		walk(d, n->u.job.title);
		walk_list(d, n->u.job.args);
		walk(d, n->u.job.body);
		break;
	case NODE_PROFILE: case NODE_TEST: case NODE_POLICY: case NODE_PROJECT:
		walk(d, n->u.titled.title);
		walk(d, n->u.titled.body);
		break;
	default:
		break;
	}
}

static void walk_item(struct dump *d, const struct node *n)
{
	switch (n->kind) {
	case NODE_CHECK:
		walk(d, n->u.check.condition);
		walk(d, n->u.check.message);
		break;
	case NODE_SET: case NODE_EXTEND:
		walk_key(d, &n->u.item.key);
		walk(d, n->u.item.value);
		break;
	case NODE_FIELD:
		walk_key(d, &n->u.field.key);
		walk(d, n->u.field.value);
		break;
	case NODE_BLOCK:
		walk(d, n->u.block.body);
		break;
	case NODE_SPREAD:
		walk(d, n->u.one);
		break;
	case NODE_IF_ITEM:
		/* chains of `else if` may be of any length: no recursion */
		for (; n && n->kind == NODE_IF_ITEM; n = n->u.if_item.otherwise) {
			walk(d, n->u.if_item.condition);
			walk(d, n->u.if_item.then);
		}
		walk(d, n);
		break;
	case NODE_FOR_ITEM:
		walk(d, n->u.for_item.list);
		walk(d, n->u.for_item.body);
		break;
	default:
		break;
	}
}

static void walk_inside(struct dump *d, const struct node *n)
{
	switch (n->kind) {
	case NODE_STRING:
		for (size_t i = 0; i < n->u.string.n; i++)
			walk(d, n->u.string.parts[i].expr);
		break;
	case NODE_LIST:
		walk_list(d, n->u.list);
		break;
	case NODE_LET_IN:
		walk(d, n->u.op.left);
		walk(d, n->u.op.right);
		break;
	case NODE_LIST_FOR:
		walk(d, n->u.list_for.value);
		walk(d, n->u.list_for.list);
		walk(d, n->u.list_for.filter);
		break;
	case NODE_BODY:
		walk_list(d, n->u.body.items);
		break;
	case NODE_MEMBER:
		walk(d, n->u.member.base);
		break;
	case NODE_CALL:
		walk_list(d, n->u.call.args);
		break;
	case NODE_ARG:
		walk(d, n->u.arg.value);
		break;
	case NODE_INDEX:
		walk(d, n->u.pair.base);
		walk(d, n->u.pair.index);
		break;
	case NODE_UNARY: case NODE_BINARY: case NODE_RANGE: case NODE_ELASTIC: case NODE_COALESCE:
		walk(d, n->u.op.left);
		walk(d, n->u.op.right);
		break;
	case NODE_IF:
		walk(d, n->u.if_expr.condition);
		walk(d, n->u.if_expr.then);
		walk(d, n->u.if_expr.otherwise);
		break;
	default:
		walk_declaration(d, n);
		walk_item(d, n);
	}
}

static void walk(struct dump *d, const struct node *n)
{
	/* `if a then b else if ...`: in a loop, since chains may have any length */
	for (; n && n->kind == NODE_IF && n->u.if_expr.otherwise; n = n->u.if_expr.otherwise) {
		if (n->type)
			put_expression(d, n);
		walk(d, n->u.if_expr.condition);
		walk(d, n->u.if_expr.then);
	}
	if (!n)
		return;
	if (n->type)
		put_expression(d, n);
	walk_inside(d, n);
}

void types_dump(struct arena *a, const struct sources *sources, const struct node *file, struct buf *out)
{
	struct dump d = { a, sources, out };

	walk(&d, file);
}
