/* ast.c - makes nodes of the tree, and the names of their kinds and operators. */
#include "syntax/ast.h"

#define PLAIN offsetof(struct node, u)
#define WITH(member) (PLAIN + sizeof(((struct node *)0)->u.member))

/*
 * The size of each kind of node: most nodes are small expressions, so only the size that the kind needs is allocated.
 */
static const unsigned short sizes[NODE_KINDS] = {
	[NODE_BAD] = WITH(bad), [NODE_FILE] = WITH(file), [NODE_IMPORT] = WITH(import), [NODE_PARAM] = WITH(binding),
	[NODE_LET] = WITH(binding), [NODE_FN] = WITH(fn), [NODE_TYPE] = WITH(type_decl),
	[NODE_FRAMEWORK] = WITH(blueprint_decl), [NODE_ACCELERATOR] = WITH(blueprint_decl), [NODE_JOB] = WITH(job),
	[NODE_PROFILE] = WITH(titled), [NODE_TEST] = WITH(titled), [NODE_POLICY] = WITH(titled),
		[NODE_PROJECT] = WITH(titled),
	[NODE_CHECK] = WITH(check), [NODE_SET] = WITH(item), [NODE_EXTEND] = WITH(item), [NODE_FIELD] = WITH(field),
	[NODE_BLOCK] = WITH(block), [NODE_SPREAD] = WITH(bad), [NODE_IF_ITEM] = WITH(if_item),
		[NODE_FOR_ITEM] = WITH(for_item),
	[NODE_TYPE_REF] = WITH(type_ref), [NODE_REFINE] = WITH(refine), [NODE_FORMAL] = WITH(binding),
	[NODE_NAME] = WITH(bad), [NODE_INT] = WITH(bad), [NODE_FLOAT] = WITH(bad), [NODE_QUANTITY] = WITH(bad),
	[NODE_TOPOLOGY] = WITH(topology), [NODE_BOOL] = WITH(bad), [NODE_NONE] = WITH(bad),
		[NODE_STRING] = WITH(string),
	[NODE_LIST] = WITH(list), [NODE_LIST_FOR] = WITH(list_for), [NODE_BODY] = WITH(body),
		[NODE_MEMBER] = WITH(member),
	[NODE_CALL] = WITH(call), [NODE_ARG] = WITH(arg), [NODE_INDEX] = WITH(pair), [NODE_UNARY] = WITH(op),
	[NODE_BINARY] = WITH(op), [NODE_RANGE] = WITH(op), [NODE_ELASTIC] = WITH(op), [NODE_COALESCE] = WITH(op),
		[NODE_LET_IN] = WITH(op),
	[NODE_IF] = WITH(if_expr),
};

/* At least the size of a NODE_BAD, since any node may be turned into one. */
size_t node_size(enum node_kind kind) { return sizes[kind] < WITH(bad) ? WITH(bad) : sizes[kind]; }

struct node *node_new(struct arena *a, enum node_kind kind, struct span span)
{
	struct node *n = arena_alloc(a, node_size(kind));
	n->kind = kind;
	n->span = span;
	return n;
}

bool node_static_text(const struct node *n, struct str *ret)
{
	if (n->kind != NODE_STRING || n->u.string.n > 1 || (n->u.string.n == 1 && n->u.string.parts[0].expr))
		return false;
	*ret = n->u.string.n ? n->u.string.parts[0].text : STR("");
	return true;
}

bool test_wants_refusal(const struct node *test, struct str text)
{
	const struct node *body = test->u.titled.body;

	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_SET && str_is(item->u.item.key.text, "refuses"))
			return true;
	}
	return text.n && memmem(text.p, text.n, "fails(", 6) != NULL;
}

const char *node_kind_name(enum node_kind kind)
{
	static const char *const names[NODE_KINDS] = {
		"bad", "file", "import", "param", "let", "fn", "type", "framework", "accelerator", "job", "profile",
		"test", "policy", "project", "check", "set", "extend", "field", "block", "spread", "if-item",
		"for-item", "type-ref", "refine", "formal", "name", "int", "float", "quantity", "topology", "bool",
		"none", "string", "list", "list-for", "body", "member", "call", "arg", "index", "unary", "binary",
		"range", "elastic", "coalesce", "if",
	};
	return kind < NODE_KINDS ? names[kind] : "?";
}

const char *op_name(enum op op)
{
	static const char *const names[] = {
		"+", "-", "*", "/", "//", "%", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or", "not",
		"-",
	};
	return names[op];
}
