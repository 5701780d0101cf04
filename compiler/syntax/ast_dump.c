/*
 * ast_dump.c - prints the tree as s-expressions. Expressions are written on one line as (kind part ...). Declarations,
 * items and bodies get lines of their own, indented by two more blanks than the node around them. Names and numbers are
 * printed as in the source, text as JSON strings.
 */
#include "syntax/dump.h"

struct dump {
	struct buf *out;
	unsigned depth;
};

static void dump(struct dump *d, const struct node *n);

static void dump_line(struct dump *d)
{
	buf_char(d->out, '\n');
	for (unsigned i = 0; i < d->depth; i++)
		buf_z(d->out, "  ");
}

static void dump_put(struct dump *d, const char *z) { buf_z(d->out, z); }
static void put_str(struct dump *d, struct str s) { buf_str(d->out, s); }

/* Prints " x", or nothing for an absent part. */
static void part(struct dump *d, const struct node *n)
{
	if (!n)
		return;
	dump_put(d, " ");
	dump(d, n);
}

static void parts(struct dump *d, struct nodes list)
{
	for (size_t i = 0; i < list.n; i++)
		part(d, list.at[i]);
}

/* Prints the items of a body, one on each line. */
static void lines(struct dump *d, struct nodes list)
{
	d->depth++;
	for (size_t i = 0; i < list.n; i++) {
		dump_line(d);
		dump(d, list.at[i]);
	}
	d->depth--;
}

static void body(struct dump *d, const struct node *n)
{
	if (n && n->kind == NODE_BODY)
		lines(d, n->u.body.items);
	else
		part(d, n);
}

static void doc(struct dump *d, struct str text)
{
	if (!text.p)
		return;
	dump_put(d, " (doc ");
	buf_json(d->out, text);
	dump_put(d, ")");
}

static void dump_key(struct dump *d, const struct key *k)
{
	if (k->kind == KEY_NAME)
		put_str(d, k->text);
	else if (k->kind == KEY_STRING && !k->expr)
		buf_json(d->out, k->text);
	else if (k->kind == KEY_STRING)
		dump(d, k->expr);
	else {
		dump_put(d, "(key");
		part(d, k->expr);
		dump_put(d, ")");
	}
}

static void binders(struct dump *d, const struct binder *b, unsigned n)
{
	dump_put(d, " (");
	for (unsigned i = 0; i < n; i++) {
		if (i)
			dump_put(d, " ");
		put_str(d, b[i].name);
	}
	dump_put(d, ")");
}

static void open(struct dump *d, const char *name)
{
	dump_put(d, "(");
	dump_put(d, name);
}

/* Prints (param nodes TYPE (= VALUE) (doc ...)). */
static void binding(struct dump *d, const struct node *n)
{
	dump_put(d, " ");
	put_str(d, n->u.binding.name);
	part(d, n->u.binding.type);
	if (n->u.binding.value) {
		dump_put(d, " (=");
		part(d, n->u.binding.value);
		dump_put(d, ")");
	}
	doc(d, n->u.binding.doc);
}

static void formals(struct dump *d, struct nodes list)
{
	dump_put(d, " (");
	for (size_t i = 0; i < list.n; i++) {
		if (i)
			dump_put(d, " ");
		dump(d, list.at[i]);
	}
	dump_put(d, ")");
}

static void import(struct dump *d, const struct node *n)
{
	dump_put(d, " ");
	for (size_t i = 0; i < n->u.import.depth; i++) {
		if (i)
			dump_put(d, ".");
		put_str(d, n->u.import.path[i]);
	}
	if (!n->u.import.path)
		buf_json(d->out, n->u.import.file);
	dump_put(d, " ");
	put_str(d, n->u.import.alias);
	if (n->u.import.body)
		body(d, n->u.import.body);
}

static void dump_ast_job(struct dump *d, const struct node *n)
{
	part(d, n->u.job.title);
	if (n->u.job.list) {
		dump_put(d, " (for");
		binders(d, n->u.job.binders, n->u.job.nbinders);
		part(d, n->u.job.list);
		for (size_t i = 0; i < n->u.job.nmore; i++) {
			binders(d, n->u.job.more[i].binders, n->u.job.more[i].nbinders);
			part(d, n->u.job.more[i].list);
		}
		part(d, n->u.job.filter);
		dump_put(d, ")");
	}
	if (n->u.job.blueprint) {
		dump_put(d, " (:");
		part(d, n->u.job.blueprint);
		parts(d, n->u.job.args);
		dump_put(d, ")");
	}
	doc(d, n->u.job.doc);
	body(d, n->u.job.body);
}

static void type_ref(struct dump *d, const struct node *n)
{
	dump_put(d, " ");
	for (size_t i = 0; i < n->u.type_ref.depth; i++) {
		if (i)
			dump_put(d, ".");
		put_str(d, n->u.type_ref.path[i]);
	}
	if (n->u.type_ref.body)
		body(d, n->u.type_ref.body);
	parts(d, n->u.type_ref.args);
	parts(d, n->u.type_ref.refines);
	if (n->u.type_ref.optional)
		dump_put(d, " ?");
}

static void refine(struct dump *d, const struct node *n)
{
	if (n->u.refine.kind == REFINE_NAMED) {
		dump_put(d, " ");
		put_str(d, n->u.refine.name);
	}
	if (n->u.refine.kind == REFINE_BOUNDS && !n->u.refine.lo)
		dump_put(d, " ..");
	part(d, n->u.refine.lo);
	if (n->u.refine.kind == REFINE_BOUNDS && n->u.refine.lo)
		dump_put(d, " ..");
	part(d, n->u.refine.hi);
}

static void dump_string(struct dump *d, const struct node *n)
{
	struct str text;
	if (node_static_text(n, &text)) {
		buf_json(d->out, text);
		return;
	}
	dump_put(d, "(string");
	for (size_t i = 0; i < n->u.string.n; i++) {
		const struct string_part *p = &n->u.string.parts[i];
		if (p->expr) {
			part(d, p->expr);
		} else {
			dump_put(d, " ");
			buf_json(d->out, p->text);
		}
	}
	dump_put(d, ")");
}

static void topology(struct dump *d, const struct node *n)
{
	for (unsigned i = 0; i < n->u.topology.n; i++)
		buf_printf(d->out, "%s%lld", i ? "x" : "", (long long)n->u.topology.size[i]);
}

/* Prints a node that needs no parentheses; false for other nodes. */
static bool leaf(struct dump *d, const struct node *n)
{
	switch (n->kind) {
	case NODE_NAME: put_str(d, n->u.name.text); break;
	case NODE_INT: buf_printf(d->out, "%llu", (unsigned long long)n->u.integer.value); break;
	case NODE_FLOAT: put_str(d, n->u.floating.word); break;
	case NODE_QUANTITY: put_str(d, n->u.quantity.word); break;
	case NODE_TOPOLOGY: topology(d, n); break;
	case NODE_BOOL: dump_put(d, n->u.boolean ? "true" : "false"); break;
	case NODE_NONE: dump_put(d, "none"); break;
	case NODE_STRING: dump_string(d, n); break;
	default: return false;
	}
	return true;
}

/* Prints a chain of `else if` without recursion, because it may have any length. */
static void if_item(struct dump *d, const struct node *n)
{
	dump_put(d, "(if");
	for (;; n = n->u.if_item.otherwise, dump_put(d, "(else-if")) {
		part(d, n->u.if_item.condition);
		body(d, n->u.if_item.then);
		if (!n->u.if_item.otherwise)
			break;
		dump_line(d);
		if (n->u.if_item.otherwise->kind == NODE_IF_ITEM)
			continue;
		dump_put(d, "else");
		body(d, n->u.if_item.otherwise);
		break;
	}
	dump_put(d, ")");
}

static void if_expr(struct dump *d, const struct node *n)
{
	dump_put(d, "(if");
	for (;;) {
		part(d, n->u.if_expr.condition);
		part(d, n->u.if_expr.then);
		n = n->u.if_expr.otherwise;
		if (n->kind != NODE_IF)
			break;
		dump_put(d, " else-if");
	}
	dump_put(d, " else");
	part(d, n);
	dump_put(d, ")");
}

static void declaration(struct dump *d, const struct node *n)
{
	switch (n->kind) {
	case NODE_IMPORT:
		import(d, n);
		break;
	case NODE_PARAM: case NODE_LET: case NODE_FORMAL:
		binding(d, n);
		break;
	case NODE_FN:
		dump_put(d, " ");
		put_str(d, n->u.fn.name);
		formals(d, n->u.fn.formals);
		part(d, n->u.fn.result);
		part(d, n->u.fn.value);
		doc(d, n->u.fn.doc);
		break;
	case NODE_TYPE:
		dump_put(d, " ");
		put_str(d, n->u.type_decl.name);
		doc(d, n->u.type_decl.doc);
		part(d, n->u.type_decl.alias);
		body(d, n->u.type_decl.body);
		break;
	case NODE_FRAMEWORK: case NODE_ACCELERATOR:
		dump_put(d, " ");
		put_str(d, n->u.blueprint_decl.name);
		formals(d, n->u.blueprint_decl.formals);
		if (n->u.blueprint_decl.base) {
			dump_put(d, " (:");
			part(d, n->u.blueprint_decl.base);
			parts(d, n->u.blueprint_decl.args);
			dump_put(d, ")");
		}
		doc(d, n->u.blueprint_decl.doc);
		body(d, n->u.blueprint_decl.body);
		break;
	case NODE_JOB:
		dump_ast_job(d, n);
		break;
	default:                        /* prints a profile, test, policy or project */
		if (n->u.titled.name.p) {
			dump_put(d, " ");
			put_str(d, n->u.titled.name);
		}
		part(d, n->u.titled.title);
		doc(d, n->u.titled.doc);
		body(d, n->u.titled.body);
	}
}

static void item(struct dump *d, const struct node *n)
{
	dump_put(d, " ");
	switch (n->kind) {
	case NODE_SET:
		dump_key(d, &n->u.item.key);
		part(d, n->u.item.value);
		doc(d, n->u.item.doc);
		break;
	case NODE_EXTEND:
		dump_key(d, &n->u.item.key);
		doc(d, n->u.item.doc);
		if (n->u.item.adds) {
			dump_put(d, " +=");
			part(d, n->u.item.value);
		} else {
			body(d, n->u.item.value);
		}
		break;
	case NODE_FIELD:
		dump_key(d, &n->u.field.key);
		part(d, n->u.field.type);
		if (n->u.field.value) {
			dump_put(d, " (=");
			part(d, n->u.field.value);
			dump_put(d, ")");
		}
		doc(d, n->u.field.doc);
		break;
	default:                        /* block */
		put_str(d, n->u.block.word);
		dump_put(d, " ");
		put_str(d, n->u.block.name);
		if (n->u.block.framework) {
			dump_put(d, " (:");
			part(d, n->u.block.framework);
			parts(d, n->u.block.args);
			dump_put(d, ")");
		}
		doc(d, n->u.block.doc);
		body(d, n->u.block.body);
	}
}

static void dump_check(struct dump *d, const struct node *n)
{
	part(d, n->u.check.condition);
	part(d, n->u.check.message);
	if (n->u.check.code.p) {
		dump_put(d, " (as ");
		put_str(d, n->u.check.code);
		dump_put(d, ")");
	}
}

static void list_for(struct dump *d, const struct node *n)
{
	binders(d, n->u.list_for.binders, n->u.list_for.nbinders);
	part(d, n->u.list_for.list);
	part(d, n->u.list_for.value);
	if (n->u.list_for.filter) {
		dump_put(d, " (if");
		part(d, n->u.list_for.filter);
		dump_put(d, ")");
	}
}

static void dump_argument(struct dump *d, const struct node *n)
{
	if (n->u.arg.name.p) {
		put_str(d, n->u.arg.name);
		dump_put(d, "=");
	}
	dump(d, n->u.arg.value);
}

static const char *head(const struct node *n)
{
	switch (n->kind) {
	case NODE_CHECK: return n->u.check.warn ? "warn" : "check";
	case NODE_UNARY: case NODE_BINARY: return op_name(n->u.op.op);
	case NODE_RANGE: return "..";
	case NODE_ELASTIC: return ":";
	case NODE_COALESCE: return "??";
	case NODE_LET_IN: return "let-in";
	case NODE_MEMBER: return ".";
	case NODE_TYPE_REF: return "type";
	case NODE_FOR_ITEM: return "for";
	case NODE_SPREAD: return "...";
	default: return node_kind_name(n->kind);
	}
}

static void expression(struct dump *d, const struct node *n)
{
	switch (n->kind) {
	case NODE_LIST:
		parts(d, n->u.list);
		break;
	case NODE_LIST_FOR:
		list_for(d, n);
		break;
	case NODE_BODY:
		lines(d, n->u.body.items);
		break;
	case NODE_MEMBER:
		part(d, n->u.member.base);
		dump_put(d, " ");
		put_str(d, n->u.member.name);
		break;
	case NODE_CALL:
		part(d, n->u.call.callee);
		parts(d, n->u.call.args);
		break;
	case NODE_INDEX:
		part(d, n->u.pair.base);
		part(d, n->u.pair.index);
		break;
	default:                        /* operators */
		part(d, n->u.op.left);
		part(d, n->u.op.right);
	}
}

static void dump(struct dump *d, const struct node *n)
{
	if (leaf(d, n))
		return;
	if (n->kind == NODE_IF_ITEM) {
		if_item(d, n);
		return;
	}
	if (n->kind == NODE_IF) {
		if_expr(d, n);
		return;
	}
	if (n->kind == NODE_ARG) {
		dump_argument(d, n);
		return;
	}
	open(d, head(n));
	switch (n->kind) {
	case NODE_BAD:
		if (n->u.bad.name.n) {
			dump_put(d, " ");
			put_str(d, n->u.bad.name);
		}
		break;
	case NODE_FILE:
		doc(d, n->u.file.doc);
		lines(d, n->u.file.decls);
		break;
	case NODE_IMPORT: case NODE_PARAM: case NODE_LET: case NODE_FORMAL: case NODE_FN: case NODE_TYPE:
	case NODE_FRAMEWORK:
	case NODE_ACCELERATOR: case NODE_JOB: case NODE_PROFILE: case NODE_TEST: case NODE_POLICY: case NODE_PROJECT:
		declaration(d, n);
		break;
	case NODE_SET: case NODE_EXTEND: case NODE_FIELD: case NODE_BLOCK:
		item(d, n);
		break;
	case NODE_CHECK:
		dump_check(d, n);
		break;
	case NODE_SPREAD:
		part(d, n->u.one);
		break;
	case NODE_FOR_ITEM:
		binders(d, n->u.for_item.binders, n->u.for_item.nbinders);
		part(d, n->u.for_item.list);
		body(d, n->u.for_item.body);
		break;
	case NODE_TYPE_REF:
		type_ref(d, n);
		break;
	case NODE_REFINE:
		refine(d, n);
		break;
	case NODE_LIST_FOR:
		list_for(d, n);
		break;
	default:
		expression(d, n);
	}
	dump_put(d, ")");
}

void ast_dump(const struct node *n, struct buf *out)
{
	struct dump d = { .out = out };
	dump(&d, n);
	buf_char(out, '\n');
}
