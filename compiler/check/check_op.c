/*
 * check_op.c - checks operators. pod[] is first removed from the types of the operands, and optional operands are
 * reported. The rule of the operator applies to the rest, and the result depends on the pod if an operand does.
 */
#include "check/context.h"

struct operands {
	struct node *left, *right;
	const struct type *a, *b;       /* the types of left and right, without pod[] */
	bool pod;
};

static bool is_numeric(const struct type *t)
{
	return t->kind == TYPE_INT || t->kind == TYPE_FLOAT || type_is_quantity(t) || t->kind == TYPE_UNIT;
}

/* ---- reports of operands that are not allowed ---- */

/* Reports secrets and untested optionals; false when the operand cannot be used. */
static bool usable(struct check *c, struct node *n, const struct type **ret, bool *pod)
{
	const struct type *t = n->type;
	if (t->kind == TYPE_BAD)
		return false;
	if (t->kind == TYPE_POD) {
		*pod = true;
		t = t->elem;
	}
	if (t->kind == TYPE_OPTIONAL) {
		report_optional(c, n);
		return false;
	}
	if (t->kind == TYPE_SECRET) {
		struct diag *d = diag_report(c->diags, TJ0711, n->span, "a secret cannot be compared or used in a "
			"computation");
		diag_label(c->diags, d, "the compiler never knows its value");
		diag_help(c->diags, d, "pass it whole, as an environment value, and let the program assemble the text");
		mark_bad(n);
		return false;
	}
	*ret = t;
	return true;
}

static bool is_scalar(const struct type *t)
{
	return t->kind == TYPE_INT || t->kind == TYPE_FLOAT || t->kind == TYPE_BOOL || type_is_quantity(t);
}

/* An operand of `+` as part of a string: literals unchanged, anything else in ${ }. */
static struct str interpolated(struct check *c, const struct node *n)
{
	struct str words = node_words(c, n);
	bool plain = n->kind == NODE_STRING && words.n >= 2 && words.p[0] == '"' && words.p[1] != '"' &&
		words.p[words.n - 1] == '"';
	if (is_number_literal(n))
		return words;
	return plain ? (struct str){ words.p + 1, words.n - 2 } : str_printf(c->arena, "${%.*s}", STR_ARG(words));
}

static bool is_entries(const struct type *t)
{
	return t->kind == TYPE_ANON || t->kind == TYPE_RECORD || t->kind == TYPE_MAP || t->kind == TYPE_EMPTY;
}

/* A map or record as items of another one: `...a`, or the text between the braces of a literal. */
static struct str entries_of(struct check *c, const struct node *n)
{
	struct str words = node_words(c, n);

	if (n->kind != NODE_BODY)
		return str_cat(c->arena, STR("..."), words, STR(""));
	if (str_ends(words, STR("...")) || words.n < 2)
		return STR("...");
	size_t from = 1, end = words.n - 1;
	while (from < end && words.p[from] == ' ')
		from++;
	while (end > from && words.p[end - 1] == ' ')
		end--;
	return (struct str){ words.p + from, end - from };
}

static const struct type *report_operands(struct check *c, struct node *n, const struct operands *o)
{
	struct str a = found_words(c, o->left), b = found_words(c, o->right), x = node_words(c, o->left),
		y = node_words(c, o->right);
	const char *op = op_name(n->u.op.op);
	bool units = type_is_quantity(o->a) && type_is_quantity(o->b);
	struct diag *d;
	if (units) {
		struct str s = type_spell(c->arena, o->a), t = type_spell(c->arena, o->b);
		d = diag_report(c->diags, TJ0309, n->u.op.op_span, "cannot %s %.*s and %.*s",
			n->u.op.op == OP_ADD ? "add" :
			n->u.op.op == OP_SUB ? "subtract" : n->u.op.op >= OP_EQ ? "compare" : "combine", STR_ARG(s),
				STR_ARG(t));
	} else {
		d = diag_report(c->diags, TJ0302, n->u.op.op_span, "'%s' does not work on %.*s and %.*s", op,
			STR_ARG(a), STR_ARG(b));
	}
	diag_note(c->diags, d, o->left->span, "%.*s", STR_ARG(a));
	diag_note(c->diags, d, o->right->span, "%.*s", STR_ARG(b));
	if (n->u.op.op == OP_MOD && type_is_text(o->a) && help_percent(c, d, o->left, o->right, n->span))
		return &type_bad;
	if (type_is_text(o->a) && type_is_text(o->b) && n->u.op.op == OP_ADD)
		diag_help(c->diags, d, "texts are joined by interpolation: \"%.*s%.*s\"",
			STR_ARG(interpolated(c, o->left)),
			STR_ARG(interpolated(c, o->right)));
	else if (n->u.op.op == OP_ADD && ((type_is_text(o->a) && is_scalar(o->b)) ||
		(is_scalar(o->a) && type_is_text(o->b))))
		diag_help(c->diags, d, "a value is put into a text by interpolation: \"%.*s%.*s\"",
			STR_ARG(interpolated(c, o->left)),
			STR_ARG(interpolated(c, o->right)));
	else if (n->u.op.op == OP_ADD && is_entries(o->a) && is_entries(o->b))
		diag_help(c->diags, d, "write '{ %.*s, %.*s }'", STR_ARG(entries_of(c, o->left)),
			STR_ARG(entries_of(c, o->right)));
	else if (n->u.op.op == OP_DIV && o->a->kind == TYPE_ROLE)
		diag_help(c->diags, d, "functions take the index of a replica: 'done(%.*s, %.*s)'", STR_ARG(x),
			STR_ARG(y));
	else if (o->a->kind == TYPE_INT && o->b->kind == TYPE_FLOAT)
		diag_help(c->diags, d, "write 'float(%.*s)'", STR_ARG(x));
	else if (o->a->kind == TYPE_FLOAT && o->b->kind == TYPE_INT)
		diag_help(c->diags, d, "write 'float(%.*s)'", STR_ARG(y));
	else if (type_is_quantity(o->a) && o->b->kind == TYPE_FLOAT)
		diag_help(c->diags, d, "multiply and divide by ints: 'x * 3 / 2' is one and a half times x");
	return &type_bad;
}

static const struct type *report_elastic_operand(struct check *c, struct node *n)
{
	struct str words = node_words(c, n);
	struct diag *d = diag_report(c->diags, TJ0506, n->span, "'%.*s' is an elastic range; which number is meant?",
		STR_ARG(words));
	diag_help(c->diags, d, "write '%.*s.min' or '%.*s.max'", STR_ARG(words), STR_ARG(words));
	mark_bad(n);
	return &type_bad;
}

/* ---- arithmetic ---- */

static const struct type *plain_number(const struct type *t)
{
	return t->kind == TYPE_INT ? &type_int : t->kind == TYPE_FLOAT ? &type_float : t->kind == TYPE_CPU ? &type_cpu :
		t->kind == TYPE_MEMORY ? &type_memory : t->kind == TYPE_DURATION ? &type_duration : t;
}

static const struct type *arithmetic_result(const struct operands *o, enum op op)
{
	const struct type *a = o->a, *b = o->b;
	bool qa = type_is_quantity(a) || a->kind == TYPE_UNIT, qb = type_is_quantity(b) || b->kind == TYPE_UNIT;
	if (!is_numeric(a) || !is_numeric(b))
		return NULL;
	if (qa && qb) {
		if (a->kind != b->kind || op == OP_MUL || op == OP_DIV)
			return NULL;
		return op == OP_FLOOR_DIV ? &type_int : plain_number(a);
	}
	if (qa)
		return b->kind == TYPE_INT && (op == OP_MUL || op == OP_DIV) ? plain_number(a) : NULL;
	if (qb)
		return a->kind == TYPE_INT && op == OP_MUL ? plain_number(b) : NULL;
	return a->kind == b->kind ? plain_number(a) : NULL;
}

/* Gives a literal operand the type of the other operand. */
static void adapt(struct check *c, struct node *n, const struct type **t, const struct type *other, bool additive)
{
	bool unit = (*t)->kind == TYPE_UNIT && (type_is_quantity(other) || other->kind == TYPE_DATA),
		literal = is_number_literal(n);
	bool number = literal && (*t)->kind == TYPE_INT && other->kind == TYPE_FLOAT;
	if (!unit && !number && !(literal && additive && type_is_quantity(other)))
		return;
	if (unit ? check_expr(c, n, other, NO_SITE)->kind == TYPE_BAD :
		type_coerce(c, n, other, NO_SITE)->kind == TYPE_BAD)
		*t = &type_bad;
	else
		*t = other;
}

/*
 * Does the expected type decide the kind of literals in the operand N? In `n * 4Gi + x` it does for 4Gi, and not for n.
 */
static bool takes_hint(const struct node *n, bool additive)
{
	switch (n->kind) {
	case NODE_QUANTITY: case NODE_UNARY: case NODE_BINARY: case NODE_CALL: return true;
	case NODE_IF: case NODE_COALESCE: return additive;
	default: return false;
	}
}

static const struct type *type_operand(struct check *c, struct node *n, const struct type *want, bool additive)
{
	const struct type *core = want ? type_strip_pod(type_strip_optional(want)) : NULL;
	if (additive && core && core->kind == TYPE_LIST &&
		(n->kind == NODE_LIST || n->kind == NODE_LIST_FOR || n->kind == NODE_BINARY || n->kind == NODE_NAME))
		return type_expr(c, n, want);
	bool hint = core && (type_is_quantity(core) || core->kind == TYPE_BAD) && takes_hint(n, additive);
	return type_expr(c, n, hint ? core : NULL);
}

static bool type_operands(struct check *c, struct node *n, const struct type *want, struct operands *o)
{
	bool additive = n->u.op.op == OP_ADD || n->u.op.op == OP_SUB;
	*o = (struct operands){ .left = n->u.op.left, .right = n->u.op.right };
	type_operand(c, o->left, want, additive);
	type_operand(c, o->right, want, additive);
	bool left = usable(c, o->left, &o->a, &o->pod), right = usable(c, o->right, &o->b, &o->pod);
	return left && right;
}

static bool is_list(const struct type *t) { return t->kind == TYPE_LIST || t->kind == TYPE_EMPTY; }

static const struct type *type_arithmetic(struct check *c, struct node *n, const struct type *want)
{
	struct operands o;
	enum op op = n->u.op.op;
	if (op == OP_MUL && (report_uncalled_accelerator(c, n, n->u.op.left, n->u.op.right) ||
	                     report_uncalled_accelerator(c, n, n->u.op.right, n->u.op.left)))
		return mark_bad(n);
	if (op == OP_SUB && n->u.op.right->kind == NODE_INT &&
		report_uncalled_accelerator(c, n, n->u.op.left, n->u.op.right))
		return mark_bad(n);
	if (op == OP_SUB && report_parted_name(c, n))
		return mark_bad(n);
	if (!type_operands(c, n, want, &o))
		return &type_bad;
	if (o.a->kind == TYPE_ELASTIC || o.b->kind == TYPE_ELASTIC)
		return report_elastic_operand(c, o.a->kind == TYPE_ELASTIC ? o.left : o.right);
	if (op == OP_ADD && is_list(o.a) && is_list(o.b) && (o.a->kind == TYPE_LIST || o.b->kind == TYPE_LIST)) {
		const struct type *both = o.a->kind == TYPE_EMPTY ? o.b : o.b->kind == TYPE_EMPTY ? o.a :
			type_unify(c, o.a, o.b);
		if (both && both->elem->kind == TYPE_RANGE) {   /* a number becomes a range of one value */
			retype_expr(c, o.left, both);
			retype_expr(c, o.right, both);
		}
		return both ? type_lifted(c, both, o.pod) : report_operands(c, n, &o);
	}
	bool additive = op == OP_ADD || op == OP_SUB || op == OP_MOD;
	adapt(c, o.left, &o.a, o.b, additive);
	if (o.a->kind != TYPE_BAD)
		adapt(c, o.right, &o.b, o.a, additive);
	if (o.a->kind == TYPE_BAD || o.b->kind == TYPE_BAD)
		return &type_bad;
	const struct type *t = arithmetic_result(&o, op);
	return t ? type_lifted(c, t, o.pod) : report_operands(c, n, &o);
}

const struct type *type_unary(struct check *c, struct node *n, const struct type *want)
{
	struct node *operand = n->u.op.left;
	if (n->u.op.op == OP_NOT) {
		bool pod = check_condition(c, operand, "'not'", true);
		return operand->type->kind == TYPE_BAD ? &type_bad : type_lifted(c, &type_bool, pod);
	}
	if (operand->kind == NODE_INT) {        /* -9223372036854775808 is one number */
		operand->type = &type_int;
		return &type_int;
	}
	const struct type *t = type_operand(c, operand, want, true), *core;
	bool pod = false;
	if (!usable(c, operand, &core, &pod))
		return &type_bad;
	if (core->kind == TYPE_ELASTIC)
		return report_elastic_operand(c, operand);
	if (is_numeric(core))
		return type_lifted(c, plain_number(core), pod);
	struct str what = type_phrase(c->arena, t);
	diag_report(c->diags, TJ0302, operand->span, "'-' needs a number, found %.*s", STR_ARG(what));
	return &type_bad;
}

/* ---- comparisons ---- */

static bool comparable(struct check *c, const struct type *a, const struct type *b, enum op op)
{
	bool order = op != OP_EQ && op != OP_NE;
	if (type_is_text(a) && type_is_text(b))
		return true;
	if (a->kind == TYPE_DATA || b->kind == TYPE_DATA)
		return true;
	if (order)
		return is_numeric(a) && a->kind == b->kind;
	if ((a->kind == TYPE_ELASTIC && b->kind == TYPE_INT) || (a->kind == TYPE_INT && b->kind == TYPE_ELASTIC))
		return true;
	if (a->kind == TYPE_LIST || a->kind == TYPE_MAP || a->kind == TYPE_ANON || a->kind == TYPE_EMPTY ||
		a->kind == TYPE_RECORD)
		return type_fit(a, b) == FIT_OK || type_fit(b, a) == FIT_OK || type_unify(c, a, b);
	return a->kind == b->kind;
}

/* Reports a comparison of an enum with a text that it can never equal. */
static bool test_enum(struct check *c, const struct type *e, const struct node *what, struct node *text)
{
	struct site site = { .name = node_words(c, what) };
	struct str s;
	if (e->kind != TYPE_ENUM || text->kind != NODE_STRING || !node_static_text(text, &s))
		return true;
	for (size_t i = 0; i < e->n; i++)
		if (str_eq(e->words[i], s))
			return true;
	report_enum(c, text, e, s, &site);
	return false;
}

static const struct type *compare_none(struct check *c, struct node *n)
{
	struct node *left = n->u.op.left, *right = n->u.op.right, *other = left->kind == NODE_NONE ? right : left;
	const struct type *t = type_expr(c, other, NULL);
	left->type = left->kind == NODE_NONE ? &type_none : left->type;
	right->type = right->kind == NODE_NONE ? &type_none : right->type;
	if (t->kind == TYPE_BAD)
		return t;
	bool maybe = t->kind == TYPE_OPTIONAL || t->kind == TYPE_NONE || t->kind == TYPE_DATA ||
		t->kind == TYPE_ENV_VALUE;
	if (!maybe && in_own_file(c) && !known_present(c, other)) {
		struct str words = node_words(c, other);
		diag_report(c->diags, TJ1004, n->span, "'%.*s' is never none", STR_ARG(words));
	}
	return type_lifted(c, &type_bool, t->kind == TYPE_POD);
}

static void test_constant(struct check *c, struct node *n);

static const struct type *type_comparison(struct check *c, struct node *n)
{
	struct operands o;
	enum op op = n->u.op.op;
	bool equal = op == OP_EQ || op == OP_NE;
	if (equal && (n->u.op.left->kind == NODE_NONE || n->u.op.right->kind == NODE_NONE))
		return compare_none(c, n);
	if (!type_operands(c, n, NULL, &o))
		return &type_bad;
	adapt(c, o.left, &o.a, o.b, true);
	if (o.a->kind != TYPE_BAD)
		adapt(c, o.right, &o.b, o.a, true);
	if (o.a->kind == TYPE_BAD || o.b->kind == TYPE_BAD)
		return &type_bad;
	if (!equal && (o.a->kind == TYPE_ELASTIC || o.b->kind == TYPE_ELASTIC))
		return report_elastic_operand(c, o.a->kind == TYPE_ELASTIC ? o.left : o.right);
	if (o.a->kind == TYPE_UNIT && o.b->kind == TYPE_UNIT)
		return report_unit(c, o.left);
	if (!comparable(c, o.a, o.b, op))
		return report_operands(c, n, &o);
	if (!test_enum(c, o.a, o.left, o.right) || !test_enum(c, o.b, o.right, o.left))
		return &type_bad;
	test_constant(c, n);
	return type_lifted(c, &type_bool, o.pod);
}

/* ---- in ---- */

static const struct type *type_in(struct check *c, struct node *n)
{
	struct operands o = { .left = n->u.op.left, .right = n->u.op.right };
	check_free(c, o.right);
	if (!usable(c, o.right, &o.b, &o.pod)) {
		type_expr(c, o.left, NULL);
		return &type_bad;
	}
	const struct type *elem = o.b->kind == TYPE_LIST ? o.b->elem : o.b->kind == TYPE_RANGE ? &type_int :
		o.b->kind == TYPE_MAP || o.b->kind == TYPE_ANON ? &type_string : NULL;
	type_expr(c, o.left, elem && o.left->kind == NODE_QUANTITY ? type_strip_pod(elem) : NULL);
	if (!usable(c, o.left, &o.a, &o.pod))
		return &type_bad;
	if (o.b->kind == TYPE_EMPTY || o.b->kind == TYPE_DATA)
		return type_lifted(c, &type_bool, o.pod);
	if (!elem) {
		struct str is = found_words(c, o.right);
		struct diag *d = diag_report(c->diags, TJ0302, o.right->span,
			"'in' needs a list, a map or a range, found %.*s", STR_ARG(is));
		if (type_is_text(o.b))
			diag_help(c->diags, d, "to look for a part of a text write 'find(text, part) != none'");
		return &type_bad;
	}
	o.pod = o.pod || has_pod(elem);
	if (!comparable(c, type_strip_pod(elem), o.a, OP_EQ))
		return report_operands(c, n, &o);
	if (!test_enum(c, type_strip_pod(elem), o.right, o.left))
		return &type_bad;
	for (size_t i = 0; o.right->kind == NODE_LIST && i < o.right->u.list.n; i++)
		if (!test_enum(c, o.a, o.left, o.right->u.list.at[i]))
			return &type_bad;
	return type_lifted(c, &type_bool, o.pod);
}

/* ---- and, or ---- */

static bool is_condition(const struct node *n)
{
	return n->type && n->type->kind == TYPE_CONDITION;
}

/* Is the node a call of done(), ready() or started()? */
static bool makes_condition(const struct node *n)
{
	const struct node *callee = n->kind == NODE_CALL ? n->u.call.callee : NULL;
	return callee && callee->kind == NODE_NAME && (str_is(callee->u.name.text, "done") ||
		str_is(callee->u.name.text, "ready") || str_is(callee->u.name.text, "started"));
}

static const struct type *type_logic(struct check *c, struct node *n, const struct type *want)
{
	const struct fact *facts = c->at.facts;
	struct node *left = n->u.op.left, *right = n->u.op.right;
	const char *what = n->u.op.op == OP_AND ? "'and'" : "'or'";
	if (type_expr(c, left, want)->kind == TYPE_UNIT)
		report_unit(c, left);
	if (left->type && left->type->kind == TYPE_BAD && makes_condition(right)) {
		check_expr(c, right, &type_condition, &(struct site){ .what = str_of(what) });
		return &type_bad;
	}
	if (is_condition(left)) {
		check_expr(c, right, &type_condition, &(struct site){ .what = str_of(what) });
		return right->type->kind == TYPE_BAD ? &type_bad : &type_condition;
	}
	bool pod = judge_condition(c, left, what, true);
	assume_condition(c, left, n->u.op.op == OP_AND);
	pod = check_condition(c, right, what, true) || pod;
	c->at.facts = facts;
	if (left->type->kind == TYPE_BAD || right->type->kind == TYPE_BAD)
		return &type_bad;
	return type_lifted(c, &type_bool, pod);
}

const struct type *type_binary(struct check *c, struct node *n, const struct type *want)
{
	switch (n->u.op.op) {
	case OP_AND: case OP_OR: return type_logic(c, n, want);
	case OP_IN: case OP_NOT_IN: return type_in(c, n);
	case OP_EQ: case OP_NE: case OP_LT: case OP_LE: case OP_GT: case OP_GE: return type_comparison(c, n);
	default: return type_arithmetic(c, n, want);
	}
}

/* ---- comparisons whose result the types already decide (TJ1004) ---- */

enum answer { NEVER, SOMETIMES, ALWAYS };

static enum answer compare_bounds(enum op op, const struct refinement *r, int64_t n)
{
	bool below = r->has_hi && r->hi < n, above = r->has_lo && r->lo > n;
	bool at_most = r->has_hi && r->hi <= n, at_least = r->has_lo && r->lo >= n;
	bool outside = below || above;
	switch (op) {
	case OP_EQ: return outside ? NEVER : SOMETIMES;
	case OP_NE: return outside ? ALWAYS : SOMETIMES;
	case OP_LT: return below ? ALWAYS : at_least ? NEVER : SOMETIMES;
	case OP_LE: return at_most ? ALWAYS : above ? NEVER : SOMETIMES;
	case OP_GT: return above ? ALWAYS : at_most ? NEVER : SOMETIMES;
	case OP_GE: return at_least ? ALWAYS : below ? NEVER : SOMETIMES;
	default: return SOMETIMES;
	}
}

/* The bounds of a type as text, such as 1..64. */
static struct str bounds_words(struct check *c, const struct type *t)
{
	struct str s = type_spell(c->arena, t);
	const char *open = memchr(s.p, '(', s.n);
	return open ? (struct str){ open + 1, (size_t)(s.p + s.n - open) - 2 } : s;
}

static void test_constant(struct check *c, struct node *n)
{
	const struct node *left = n->u.op.left;
	const struct type *t = left->type;
	struct constant k;
	if (!in_own_file(c) || (left->kind != NODE_NAME && left->kind != NODE_MEMBER) || t->kind != TYPE_INT ||
		!t->refine)
		return;
	if (!is_number_literal(n->u.op.right) || !fold_constant(c, n->u.op.right, &k) || k.kind != TYPE_INT)
		return;
	enum answer a = compare_bounds(n->u.op.op, t->refine, k.integer);
	if (a == SOMETIMES)
		return;
	struct str words = node_words(c, n), name = node_words(c, left),
		type = t->port ? STR("1..65535") : bounds_words(c, t);
	struct diag *d = diag_report(c->diags, TJ1004, n->span, "'%.*s' is always %s: %.*s is %.*s", STR_ARG(words),
		a == ALWAYS ? "true" : "false", STR_ARG(name), STR_ARG(type));
	if (span_known(t->refine->from))
		diag_note(c->diags, d, t->refine->from, "declared here");
}
