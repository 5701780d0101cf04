/*
 * eval_text_test.c - the three classes of pod-time values.
 *
 * Expressions are parsed, their names are bound by hand to values that only the pod knows, and they are evaluated:
 * some stay text, some are computed, and some are refused.
 */
#include "check/check_schema.h"
#include "eval/eval.h"
#include "syntax/parse.h"

#include <stdio.h>

static unsigned passed, failed;
static struct arena arena;
static struct names names = { .arena = &arena };
static struct sources sources = { .arena = &arena };
static struct diags diags = { .arena = &arena, .sources = &sources };

static void check(bool ok, const char *what, struct str got)
{
	if (ok)
		passed++;
	else
		failed++;
	printf("%s %s: %.*s\n", ok ? "ok" : "FAIL", what, STR_ARG(got));
}

/* ---- names that are bound by hand ---- */

static struct decl *declare(struct map *scope, struct eval *ev, struct frame *f, const char *name,
	const struct value *v)
{
	struct decl *d = ARENA_NEW(&arena, struct decl);

	d->kind = DECL_LOOP;
	d->name = str_of(name);
	frame_bind(ev, f, d, v);
	map_put(scope, &arena, d->name, d);
	return d;
}

static struct decl *builtin(struct str name)
{
	for (unsigned i = 0; i < FUNCTIONS; i++)
		if (str_is(name, schema_function(i)->name)) {
			struct decl *d = ARENA_NEW(&arena, struct decl);
			d->kind = DECL_BUILTIN_FN;
			d->function = i;
			return d;
		}
	return NULL;
}

static void resolve(struct map *scope, struct node *n);

static void resolve_all(struct map *scope, struct nodes list)
{
	for (size_t i = 0; i < list.n; i++)
		resolve(scope, list.at[i]);
}

static void resolve_call(struct map *scope, struct node *n)
{
	n->u.call.target = builtin(n->u.call.callee->u.name.text);
	n->u.call.nbound = n->u.call.args.n;
	n->u.call.bound = ARENA_ARRAY(&arena, struct node *, n->u.call.args.n);
	for (size_t i = 0; i < n->u.call.args.n; i++)
		n->u.call.bound[i] = n->u.call.args.at[i]->u.arg.value;
	resolve_all(scope, n->u.call.args);
}

static void resolve(struct map *scope, struct node *n)
{
	switch (n->kind) {
	case NODE_NAME: n->u.name.decl = map_get(scope, n->u.name.text); break;
	case NODE_ARG: resolve(scope, n->u.arg.value); break;
	case NODE_CALL: resolve_call(scope, n); break;
	case NODE_MEMBER: resolve(scope, n->u.member.base); break;
	case NODE_LIST: resolve_all(scope, n->u.list); break;
	case NODE_BODY: resolve_all(scope, n->u.body.items); break;
	case NODE_SET:
		if (n->u.item.key.expr)
			resolve(scope, n->u.item.key.expr);
		resolve(scope, n->u.item.value);
		break;
	case NODE_STRING:
		for (size_t i = 0; i < n->u.string.n; i++)
			if (n->u.string.parts[i].expr)
				resolve(scope, n->u.string.parts[i].expr);
		break;
	case NODE_INDEX:
		resolve(scope, n->u.pair.base);
		resolve(scope, n->u.pair.index);
		break;
	case NODE_IF:
		resolve(scope, n->u.if_expr.condition);
		resolve(scope, n->u.if_expr.then);
		resolve(scope, n->u.if_expr.otherwise);
		break;
	case NODE_BINARY:
	case NODE_COALESCE:
		resolve(scope, n->u.op.right);
		/* fall through */
	case NODE_UNARY: resolve(scope, n->u.op.left); break;
	default: break;
	}
}

/* ---- results ---- */

static struct str describe(const struct value *v)
{
	struct buf b = { 0 };

	if (v->kind == VALUE_COMPUTED) {
		buf_z(&b, "computed by ");
		buf_str(&b, source_text(&sources, v->u.computed));
	} else if (v->kind == VALUE_BAD) {
		buf_z(&b, diags.n ? diag_code_name(diags.at[diags.n - 1]->code) : "bad");
	} else if (v->kind == VALUE_TEXT) {
		static const char *const pieces[] = { [PIECE_INDEX] = "<index>", [PIECE_FIELD] = "<field>",
			[PIECE_HOST] = "<host>", [PIECE_PORT] = "<port>",
			[PIECE_ENV] = "<env>" };
		for (size_t i = 0; i < v->u.text.n; i++) {
			const struct piece *p = &v->u.text.at[i];
			if (p->kind == PIECE_TEXT)
				buf_str(&b, p->u.text);
			else
				buf_z(&b, pieces[p->kind]);
		}
		buf_z(&b, v->number ? " (number)" : "");
	} else {
		buf_str(&b, value_spell(&arena, v));
	}
	struct str s = buf_take(&b, &arena);
	buf_release(&b);
	return s;
}

static const struct value *piece_value(struct piece p, bool number)
{
	struct value *v = value_new(&arena, VALUE_TEXT, (struct span){ 0 });
	struct piece *copy = ARENA_NEW(&arena, struct piece);

	*copy = p;
	v->u.text = (struct text){ copy, 1, { 0 } };
	v->number = number;
	return v;
}

static const struct {
	const char *expr, *want;
} rows[] = {
	/* these values stay text */
	{ "index", "<index> (number)" },
	{ "\"rank-${index}\"", "rank-<index>" },
	{ "\"${index}${index}\"", "<index><index>" },
	{ "str(index)", "<index>" },
	{ "join([\"a\", host, \"${index}\"], \",\")", "a,<host>,<index>" },
	{ "lines([host, host])", "<host>\n<host>\n" },
	{ "json({ i = index, h = host, s = \"x${index}\", l = [ip] })",
		"{\"i\":<index>,\"h\":\"<host>\",\"s\":\"x<index>\",\"l\":[\"<field>\"]}" },
	{ "json({ b = 1, (\"${index}\") = host, a = 2 })", "{\"b\":1,\"<index>\":\"<host>\",\"a\":2}" },
	{ "[\"a\", index][1]", "<index> (number)" },
	{ "(if 1 < 2 then index else 0)", "<index> (number)" },
	{ "none ?? ip", "<field>" },
	{ "len([host, ip])", "2" },
	/* computed */
	{ "index + 1", "computed by index + 1" },
	{ "\"n${index + 1}\"", "computed by index + 1" },
	{ "-index", "computed by -index" },
	{ "index == 0", "computed by index == 0" },
	{ "not (index == 0)", "computed by index == 0" },
	{ "[1, 2][index]", "computed by [1, 2][index]" },
	{ "if index == 0 then \"a\" else \"b\"", "computed by index == 0" },
	{ "len(\"${index}\")", "computed by len(\"${index}\")" },
	{ "upper(\"${index}\")", "computed by upper(\"${index}\")" },
	{ "max(index, 3)", "computed by max(index, 3)" },
	{ "sorted([\"${index}\", \"b\"])", "computed by sorted([\"${index}\", \"b\"])" },
	{ "index in [1, 2]", "computed by index in [1, 2]" },
	{ "[1, index * 2]", "computed by index * 2" },
	{ "json({ a = index % 2 })", "computed by index % 2" },
	{ "join([\"${index // 2}\"], \",\")", "computed by index // 2" },
	{ "own == own", "computed by own == own" },
	/* these are refused, because only the pod knows the operand */
	{ "upper(ip)", "TJ0716" },
	{ "ip == \"x\"", "TJ0716" },
	{ "len(\"${ip}-${index}\")", "TJ0716" },
	{ "json({ a = env })", "TJ0716" },
	{ "starts_with(env, \"a\")", "TJ0716" },
	{ "json({ (\"${index}\") = 1, (\"x${index}\") = 2 })", "TJ0708" },
	/* these are known to the compiler */
	{ "json({ a = [1, none, true], b = { c = \"<\\\"\" } })",
		"\"{\\\"a\\\":[1,null,true],\\\"b\\\":{\\\"c\\\":\\\"<\\\\\\\"\\\"}}\"" },
};

int main(void)
{
	struct program program = { .arena = &arena, .names = &names, .diags = &diags, .sources = &sources };
	struct map scope = { 0 };
	struct eval ev;

	eval_init(&ev, &arena, &program, NULL);
	struct frame *f = frame_new(&ev, NULL);
	declare(&scope, &ev, f, "index", piece_value((struct piece){ .kind = PIECE_INDEX }, true));
	declare(&scope, &ev, f, "host", piece_value((struct piece){ .kind = PIECE_HOST }, false));
	declare(&scope, &ev, f, "own", piece_value((struct piece){ .kind = PIECE_HOST, .u.peer.index = OWN_INDEX },
		false));
	declare(&scope, &ev, f, "ip", piece_value((struct piece){ .kind = PIECE_FIELD, .u.field = POD_IP }, false));
	declare(&scope, &ev, f, "env", piece_value((struct piece){ .kind = PIECE_ENV, .u.text = STR("A") }, false));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct source *s = source_add(&sources, STR("test"), str_of(rows[i].expr));
		struct node *n = parse_expression(&arena, &names, &diags, s);
		if (n)
			resolve(&scope, n);
		struct str got = describe(n ? eval_expr(&ev, f, n) : &value_bad);
		check(str_is(got, rows[i].want), rows[i].expr, got);
	}
	arena_release(&arena);
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
