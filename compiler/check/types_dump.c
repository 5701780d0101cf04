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

static void dump_node(struct dump *d, const struct node *n);

static void walk_list(struct dump *d, struct nodes list)
{
	for (size_t i = 0; i < list.n; i++)
		dump_node(d, list.at[i]);
}

/* Prints the start of an expression's text on one line. */
static void put_start(struct dump *d, struct span at)
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
	put_start(d, n->span);
	buf_printf(d->out, ": %.*s", STR_ARG(type_spell(d->arena, n->type)));
	if (n->convert_to)
		buf_printf(d->out, " -> %.*s", STR_ARG(type_spell(d->arena, n->convert_to)));
	buf_char(d->out, '\n');
}

static void walk_key(struct dump *d, const struct key *k)
{
	if (k->expr)
		dump_node(d, k->expr);
}

static void walk_declaration(struct dump *d, const struct node *n)
{
	switch (n->kind) {
	case NODE_FILE:
		walk_list(d, n->u.file.decls);
		break;
	case NODE_IMPORT:
		dump_node(d, n->u.import.body);
		break;
	case NODE_PARAM: case NODE_LET: case NODE_FORMAL:
		dump_node(d, n->u.binding.value);
		break;
	case NODE_FN:
		walk_list(d, n->u.fn.formals);
		dump_node(d, n->u.fn.value);
		break;
	case NODE_TYPE:
		dump_node(d, n->u.type_decl.body);
		break;
	case NODE_FRAMEWORK: case NODE_ACCELERATOR:
		walk_list(d, n->u.blueprint_decl.formals);
		walk_list(d, n->u.blueprint_decl.args);
		dump_node(d, n->u.blueprint_decl.body);
		break;
	case NODE_JOB:
		dump_node(d, n->u.job.list);
		dump_node(d, n->u.job.title);
		walk_list(d, n->u.job.args);
		dump_node(d, n->u.job.body);
		break;
	case NODE_PROFILE: case NODE_TEST: case NODE_POLICY: case NODE_PROJECT:
		dump_node(d, n->u.titled.title);
		dump_node(d, n->u.titled.body);
		break;
	default:
		break;
	}
}

static void walk_item(struct dump *d, const struct node *n)
{
	switch (n->kind) {
	case NODE_CHECK:
		dump_node(d, n->u.check.condition);
		dump_node(d, n->u.check.message);
		break;
	case NODE_SET: case NODE_EXTEND:
		walk_key(d, &n->u.item.key);
		dump_node(d, n->u.item.value);
		break;
	case NODE_FIELD:
		walk_key(d, &n->u.field.key);
		dump_node(d, n->u.field.value);
		break;
	case NODE_BLOCK:
		dump_node(d, n->u.block.body);
		break;
	case NODE_SPREAD:
		dump_node(d, n->u.one);
		break;
	case NODE_IF_ITEM:
		/* chains of `else if` may be of any length: no recursion */
		for (; n && n->kind == NODE_IF_ITEM; n = n->u.if_item.otherwise) {
			dump_node(d, n->u.if_item.condition);
			dump_node(d, n->u.if_item.then);
		}
		dump_node(d, n);
		break;
	case NODE_FOR_ITEM:
		dump_node(d, n->u.for_item.list);
		dump_node(d, n->u.for_item.body);
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
			dump_node(d, n->u.string.parts[i].expr);
		break;
	case NODE_LIST:
		walk_list(d, n->u.list);
		break;
	case NODE_LET_IN:
		dump_node(d, n->u.op.left);
		dump_node(d, n->u.op.right);
		break;
	case NODE_LIST_FOR:
		dump_node(d, n->u.list_for.value);
		dump_node(d, n->u.list_for.list);
		dump_node(d, n->u.list_for.filter);
		break;
	case NODE_BODY:
		walk_list(d, n->u.body.items);
		break;
	case NODE_MEMBER:
		dump_node(d, n->u.member.base);
		break;
	case NODE_CALL:
		walk_list(d, n->u.call.args);
		break;
	case NODE_ARG:
		dump_node(d, n->u.arg.value);
		break;
	case NODE_INDEX:
		dump_node(d, n->u.pair.base);
		dump_node(d, n->u.pair.index);
		break;
	case NODE_UNARY: case NODE_BINARY: case NODE_RANGE: case NODE_ELASTIC: case NODE_COALESCE:
		dump_node(d, n->u.op.left);
		dump_node(d, n->u.op.right);
		break;
	case NODE_IF:
		dump_node(d, n->u.if_expr.condition);
		dump_node(d, n->u.if_expr.then);
		dump_node(d, n->u.if_expr.otherwise);
		break;
	default:
		walk_declaration(d, n);
		walk_item(d, n);
	}
}

static void dump_node(struct dump *d, const struct node *n)
{
	/* `if a then b else if ...`: in a loop, since chains may have any length */
	for (; n && n->kind == NODE_IF && n->u.if_expr.otherwise; n = n->u.if_expr.otherwise) {
		if (n->type)
			put_expression(d, n);
		dump_node(d, n->u.if_expr.condition);
		dump_node(d, n->u.if_expr.then);
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

	dump_node(&d, file);
}
