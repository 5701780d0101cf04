/*
 * operate.c - the operators. Ints never wrap and never round: a sum that is out of range is TJ0301, a division with a
 * remainder TJ0314. Quantities are counted in their unit's smallest step (a byte, a milli-CPU, a millisecond) and obey
 * the same rules.
 */
#include "eval/internal.h"
#include "eval/role.h"

/* ---- reports ---- */

static const struct value *report_overflow(struct eval *ev, struct node *n, const struct value *l,
	const struct value *r)
{
	struct str a = value_spell(ev->arena, l), b = value_spell(ev->arena, r);
	struct diag *d = eval_report(ev, TJ0301, n->span, "%.*s %s %.*s does not fit in 64 bits", STR_ARG(a),
		op_name(n->u.op.op), STR_ARG(b));

	diag_help(ev->diags, d, "the largest int is 9223372036854775807");
	return &value_bad;
}

static const struct value *report_zero(struct eval *ev, struct node *n, const struct value *zero)
{
	struct node *right = n->u.op.right;
	struct str text = node_text(ev, right);
	struct diag *d = right->kind == NODE_INT || right->kind == NODE_FLOAT
		? eval_report(ev, TJ0315, right->span, "division by zero")
		: eval_report(ev, TJ0315, right->span, "division by zero: '%.*s' is 0 here", STR_ARG(text));

	if (span_known(zero->from) && zero->from.start != right->span.start)
		diag_note(ev->diags, d, zero->from, "the 0 comes from here");
	return &value_bad;
}

static int64_t floor_div(int64_t a, int64_t b)
{
	int64_t q = a / b;

	return q - (a % b != 0 && (a < 0) != (b < 0));
}

static const struct value *report_inexact(struct eval *ev, struct node *n, const struct value *l, const struct value *r)
{
	struct str a = value_spell(ev->arena, l), b = value_spell(ev->arena, r);
	struct diag *d = eval_report(ev, TJ0314, n->span, "%.*s / %.*s is not a whole number%s", STR_ARG(a), STR_ARG(b),
		l->kind == VALUE_QUANTITY ? (l->unit == TYPE_MEMORY ? " of bytes" : l->unit == TYPE_CPU
		? " of milli-CPUs" : " of milliseconds") : "");

	if (l->kind == VALUE_INT && r->kind == VALUE_INT) {
		int64_t down = floor_div(l->u.integer, r->u.integer);
		struct str exact = float_text(ev->arena, (double)l->u.integer / (double)r->u.integer);
		diag_help(ev->diags, d, "use '//' (%lld), 'ceil_div' (%lld) or floats (%.*s)", (long long)down,
			(long long)down + 1, STR_ARG(exact));
	} else {
		diag_help(ev->diags, d, "choose a number that divides it");
	}
	return &value_bad;
}

static const struct value *report_operands(struct eval *ev, struct node *n, const struct value *l,
	const struct value *r)
{
	struct str a = value_phrase(ev->arena, l), b = value_phrase(ev->arena, r);

	eval_report(ev, TJ0302, n->u.op.op_span, "'%s' cannot work on %.*s and %.*s", op_name(n->u.op.op), STR_ARG(a),
		STR_ARG(b));
	return &value_bad;
}

/* ---- ints ---- */

static const struct value *int_divide(struct eval *ev, struct node *n, const struct value *l, const struct value *r)
{
	int64_t a = l->u.integer, b = r->u.integer;

	if (b == 0)
		return report_zero(ev, n, r);
	if (a == INT64_MIN && b == -1)
		return n->u.op.op == OP_MOD ? value_int(ev->arena, 0, n->span) : report_overflow(ev, n, l, r);
	if (n->u.op.op == OP_MOD)
		return value_int(ev->arena, a - floor_div(a, b) * b, n->span);
	if (n->u.op.op == OP_DIV && a % b)
		return report_inexact(ev, n, l, r);
	return value_int(ev->arena, floor_div(a, b), n->span);
}

static const struct value *int_operate(struct eval *ev, struct node *n, const struct value *l, const struct value *r)
{
	int64_t ret;
	bool overflow;

	switch (n->u.op.op) {
	case OP_ADD: overflow = __builtin_add_overflow(l->u.integer, r->u.integer, &ret); break;
	case OP_SUB: overflow = __builtin_sub_overflow(l->u.integer, r->u.integer, &ret); break;
	case OP_MUL: overflow = __builtin_mul_overflow(l->u.integer, r->u.integer, &ret); break;
	default: return int_divide(ev, n, l, r);
	}
	return overflow ? report_overflow(ev, n, l, r) : value_int(ev->arena, ret, n->span);
}

/* ---- floats ---- */

static double as_float(const struct value *v) { return v->kind == VALUE_INT ? (double)v->u.integer : v->u.floating; }

static double floor_float(double d)
{
	const double exact = 4503599627370496.0;        /* 2^52: from here on every double is a whole number */

	if (d >= exact || d <= -exact)
		return d;
	double whole = (double)(int64_t)d;
	return whole > d ? whole - 1 : whole;
}

static const struct value *float_operate(struct eval *ev, struct node *n, const struct value *l, const struct value *r)
{
	double a = as_float(l), b = as_float(r), d;

	switch (n->u.op.op) {
	case OP_ADD: d = a + b; break;
	case OP_SUB: d = a - b; break;
	case OP_MUL: d = a * b; break;
	default:
		if (b == 0)
			return report_zero(ev, n, r);
		d = n->u.op.op == OP_DIV ? a / b : n->u.op.op == OP_FLOOR_DIV ? floor_float(a / b)
			: a - floor_float(a / b) * b;
	}
	if (__builtin_isfinite(d))
		return value_float(ev->arena, d, n->span);
	struct str x = float_text(ev->arena, a), y = float_text(ev->arena, b);
	eval_report(ev, TJ0301, n->span, "%.*s %s %.*s is more than a float can hold", STR_ARG(x), op_name(n->u.op.op),
		STR_ARG(y));
	return &value_bad;
}

/* ---- quantities ---- */

static int128 unit_step(enum type_kind unit) { return unit == TYPE_MEMORY ? QUANTITY_UNIT : 1000000; }

bool quantity_whole(struct quantity q, enum type_kind unit)
{
	return unit == TYPE_UNIT || q.nano % unit_step(unit) == 0;
}

static const struct value *quantity_ok(struct eval *ev, struct node *n, bool ok, struct quantity q, enum type_kind unit)
{
	struct str text = node_text(ev, n);

	if (ok)
		return value_quantity(ev->arena, q, unit, n->span);
	eval_report(ev, TJ0322, n->span, "'%.*s' is more than a quantity can hold", STR_ARG(text));
	return &value_bad;
}

static const struct value *quantity_by_int(struct eval *ev, struct node *n, const struct value *q,
	const struct value *i)
{
	struct quantity ret = q->u.quantity;
	int128 step = unit_step(q->unit);

	if (n->u.op.op == OP_MUL)
		return quantity_ok(ev, n, quantity_mul(q->u.quantity, i->u.integer, &ret), ret, q->unit);
	if (i->u.integer == 0)
		return report_zero(ev, n, i);
	int128 count = ret.nano / step, by = i->u.integer, part = count / by;
	if (count % by && n->u.op.op == OP_DIV)
		return report_inexact(ev, n, q, i);
	if (count % by && (count < 0) != (by < 0))
		part--;
	ret.nano = part * step;
	return quantity_ok(ev, n, true, ret, q->unit);
}

static const struct value *quantity_divide(struct eval *ev, struct node *n, const struct value *l,
	const struct value *r)
{
	int128 a = l->u.quantity.nano, b = r->u.quantity.nano;

	if (b == 0)
		return report_zero(ev, n, r);
	int128 q = a / b - (a % b != 0 && (a < 0) != (b < 0));
	if (n->u.op.op == OP_MOD) {
		struct quantity rest = { a - q * b, l->u.quantity.form };
		return value_quantity(ev->arena, rest, l->unit, n->span);
	}
	if (n->u.op.op == OP_DIV && a % b)
		return report_inexact(ev, n, l, r);
	if (q > INT64_MAX || q < INT64_MIN)
		return report_overflow(ev, n, l, r);
	return value_int(ev->arena, (int64_t)q, n->span);
}

static const struct value *report_units(struct eval *ev, struct node *n, const struct value *l, const struct value *r)
{
	static const char *const verbs[] = { [OP_ADD] = "add", [OP_SUB] = "subtract", [OP_FLOOR_DIV] = "divide",
		[OP_DIV] = "divide", [OP_MOD] = "divide" };
	const char *verb = n->u.op.op <= OP_MOD && verbs[n->u.op.op] ? verbs[n->u.op.op] : "compare";
	const char *a = l->unit == TYPE_CPU ? "cpu" : l->unit == TYPE_MEMORY ? "memory" : "duration";
	const char *b = r->unit == TYPE_CPU ? "cpu" : r->unit == TYPE_MEMORY ? "memory" : "duration";
	struct diag *d = eval_report(ev, TJ0309, n->span, "cannot %s %s and %s", verb, a, b);

	diag_note(ev->diags, d, n->u.op.left->span, "a %s", a);
	diag_note(ev->diags, d, n->u.op.right->span, "a %s", b);
	return &value_bad;
}

static const struct value *quantity_operate(struct eval *ev, struct node *n, const struct value *l,
	const struct value *r)
{
	struct quantity q = { 0 };

	if (l->unit != r->unit)
		return report_units(ev, n, l, r);
	switch (n->u.op.op) {
	case OP_ADD: return quantity_ok(ev, n, quantity_add(l->u.quantity, r->u.quantity, &q), q, l->unit);
	case OP_SUB: return quantity_ok(ev, n, quantity_sub(l->u.quantity, r->u.quantity, &q), q, l->unit);
	case OP_MUL: return report_operands(ev, n, l, r);
	default: return quantity_divide(ev, n, l, r);
	}
}

static const struct value *arithmetic(struct eval *ev, struct node *n, const struct value *l, const struct value *r)
{
	bool numbers = (l->kind == VALUE_INT || l->kind == VALUE_FLOAT) &&
		(r->kind == VALUE_INT || r->kind == VALUE_FLOAT);

	if (n->u.op.op == OP_ADD && l->kind == VALUE_LIST && r->kind == VALUE_LIST)
		return list_joined(ev, l, r, n->span);
	if (l->kind == VALUE_INT && r->kind == VALUE_INT)
		return int_operate(ev, n, l, r);
	if (numbers)
		return float_operate(ev, n, l, r);
	if (l->kind == VALUE_QUANTITY && r->kind == VALUE_QUANTITY)
		return quantity_operate(ev, n, l, r);
	if (l->kind == VALUE_QUANTITY && r->kind == VALUE_INT && n->u.op.op != OP_ADD && n->u.op.op != OP_SUB &&
	    n->u.op.op != OP_MOD)
		return quantity_by_int(ev, n, l, r);
	if (l->kind == VALUE_INT && r->kind == VALUE_QUANTITY && n->u.op.op == OP_MUL)
		return quantity_by_int(ev, n, r, l);
	return report_operands(ev, n, l, r);
}

/* ---- comparisons ---- */

int value_order(const struct value *a, const struct value *b)
{
	switch (a->kind) {
	case VALUE_STRING: return str_cmp(a->u.string, b->u.string);
	case VALUE_QUANTITY:
		return (a->u.quantity.nano > b->u.quantity.nano) - (a->u.quantity.nano < b->u.quantity.nano);
	case VALUE_BOOL: return a->u.boolean - b->u.boolean;
	case VALUE_ROLE: return str_cmp(a->u.role->name, b->u.role->name);
	case VALUE_INT:
		if (b->kind == VALUE_INT)
			return (a->u.integer > b->u.integer) - (a->u.integer < b->u.integer);
		return (as_float(a) > as_float(b)) - (as_float(a) < as_float(b));
	case VALUE_FLOAT: return (as_float(a) > as_float(b)) - (as_float(a) < as_float(b));
	default: return 0;
	}
}

static bool ordered(const struct value *l, const struct value *r)
{
	bool numbers = (l->kind == VALUE_INT || l->kind == VALUE_FLOAT) &&
		(r->kind == VALUE_INT || r->kind == VALUE_FLOAT);

	return numbers || (l->kind == r->kind && (l->kind == VALUE_STRING || l->kind == VALUE_QUANTITY));
}

static const struct value *order_operator(struct eval *ev, struct node *n, const struct value *l, const struct value *r)
{
	if (!ordered(l, r))
		return report_operands(ev, n, l, r);
	if (l->kind == VALUE_QUANTITY && l->unit != r->unit)
		return report_units(ev, n, l, r);
	int o = value_order(l, r);
	bool holds = n->u.op.op == OP_LT ? o < 0 : n->u.op.op == OP_LE ? o <= 0 : n->u.op.op == OP_GT ? o > 0 : o >= 0;
	return value_bool(eval_passing(ev), holds, n->span);
}

/* Reports TJ0604 when two topologies have different numbers of dimensions. */
static bool topology_comparable(struct eval *ev, const struct value *a, const struct value *b)
{
	static const char *const words[] = { "no", "one", "two", "three" };

	if (a->kind != VALUE_TOPOLOGY || b->kind != VALUE_TOPOLOGY || a->u.topology.n == b->u.topology.n)
		return true;
	struct str text = value_spell(ev->arena, a);
	struct diag *d = eval_report(ev, TJ0604, a->from, "%.*s has %s dimensions, and %s are needed", STR_ARG(text),
		words[a->u.topology.n], words[b->u.topology.n]);
	diag_note(ev->diags, d, b->from, "compared with this");
	diag_help(ev->diags, d, "write a topology of %s numbers, such as %s", words[b->u.topology.n],
		b->u.topology.n == 2 ? "2x4" : "2x2x4");
	return false;
}

/* Are two values equal? An int and a float of equal value are, and an elastic n:n equals n. */
static bool equal(const struct value *l, const struct value *r)
{
	if (l->kind == VALUE_ELASTIC && r->kind == VALUE_INT)
		return l->u.range.lo == r->u.integer && l->u.range.hi == r->u.integer;
	if (l->kind == VALUE_INT && r->kind == VALUE_ELASTIC)
		return equal(r, l);
	if (l->kind != r->kind && ordered(l, r))
		return value_order(l, r) == 0;
	return value_equal(l, r);
}

static const struct value *same(struct eval *ev, struct node *n, const struct value *l, const struct value *r)
{
	if (!topology_comparable(ev, l, r))
		return &value_bad;
	return value_bool(eval_passing(ev), equal(l, r) == (n->u.op.op == OP_EQ), n->span);
}

/* ---- membership ---- */

/* Does IN contain V? Returns 1 or 0, or -1 after reporting an error. */
static int contains(struct eval *ev, struct node *n, const struct value *v, const struct value *in)
{
	switch (in->kind) {
	case VALUE_RANGE:
		return v->kind == VALUE_INT && v->u.integer >= in->u.range.lo && v->u.integer <= in->u.range.hi;
	case VALUE_MAP:
		return v->kind == VALUE_STRING && value_get(in, v->u.string) != NULL;
	case VALUE_LIST:
		for (size_t i = 0; i < in->u.list.n; i++)
			if (equal(v, in->u.list.at[i]))
				return 1;
		if (in->u.list.n && !topology_comparable(ev, v, in->u.list.at[0]))
			return -1;
		return 0;
	default:
		report_operands(ev, n, v, in);
		return -1;
	}
}

static const struct value *in_operator(struct eval *ev, struct node *n, const struct value *l, const struct value *r)
{
	int is = contains(ev, n, l, r);

	return is < 0 ? &value_bad : value_bool(eval_passing(ev), is == (n->u.op.op == OP_IN), n->span);
}

/* ---- and, or ---- */

static const struct value *condition_of(struct eval *ev, struct node *n, const struct value *l, const struct value *r)
{
	struct plan_condition *c = ARENA_NEW(ev->arena, struct plan_condition);
	unsigned more = l->u.condition->more + r->u.condition->more + 1;

	if (!eval_condition_fits(ev, more + 1, n->span))
		return &value_bad;
	*c = (struct plan_condition){ .kind = n->u.op.op == OP_AND ? CONDITION_AND : CONDITION_OR,
		.left = l->u.condition, .right = r->u.condition, .more = more, .from = n->span };
	struct value *v = value_new(ev->arena, VALUE_CONDITION, n->span);
	v->u.condition = c;
	return v;
}

static const struct value *eval_logic(struct eval *ev, struct frame *f, struct node *n)
{
	const struct value *l = value_static(ev, eval_expr(ev, f, n->u.op.left), n->u.op.left);

	if (!value_ok(l))
		return l;
	if (l->kind == VALUE_BOOL && l->u.boolean == (n->u.op.op == OP_OR))
		return l;
	const struct value *r = value_static(ev, eval_expr(ev, f, n->u.op.right), n->u.op.right);
	if (!value_ok(r))
		return r;
	if (l->kind == VALUE_CONDITION && r->kind == VALUE_CONDITION)
		return condition_of(ev, n, l, r);
	return l->kind == VALUE_BOOL && r->kind == VALUE_BOOL ? r : report_operands(ev, n, l, r);
}

/* ---- entry points ---- */

const struct value *eval_binary(struct eval *ev, struct frame *f, struct node *n)
{
	enum op op = n->u.op.op;

	if (op == OP_AND || op == OP_OR)
		return eval_logic(ev, f, n);
	const struct value *l = eval_expr(ev, f, n->u.op.left), *r = eval_expr(ev, f, n->u.op.right);
	if (l->kind == VALUE_NONE || r->kind == VALUE_NONE) {   /* x == none does not need the content of x */
		const struct value *stop = not_ok(l, r);
		if (stop || (op != OP_EQ && op != OP_NE))
			return stop ? stop : report_operands(ev, n, l, r);
		return value_bool(eval_passing(ev), (l->kind == r->kind) == (op == OP_EQ), n->span);
	}
	if (value_ok(l) && value_ok(r)) {
		eval_walk(ev, l);
		eval_walk(ev, r);
		l = value_static_deep(ev, l, n);
		r = value_static_deep(ev, r, n);
	}
	const struct value *stop = not_ok(l, r);
	if (stop)
		return stop;
	switch (op) {
	case OP_EQ: case OP_NE: return same(ev, n, l, r);
	case OP_LT: case OP_LE: case OP_GT: case OP_GE: return order_operator(ev, n, l, r);
	case OP_IN: case OP_NOT_IN: return in_operator(ev, n, l, r);
	default: return arithmetic(ev, n, l, r);
	}
}

const struct value *eval_unary(struct eval *ev, struct frame *f, struct node *n)
{
	struct node *inner = n->u.op.left;

	/* the only literal that is too large without its minus sign */
	if (n->u.op.op == OP_NEGATE && inner->kind == NODE_INT && inner->u.integer.value == (uint64_t)INT64_MAX + 1)
		return value_int(ev->arena, INT64_MIN, n->span);
	const struct value *v = value_static(ev, eval_expr(ev, f, inner), n);
	if (!value_ok(v))
		return v;
	if (n->u.op.op == OP_NOT && v->kind == VALUE_BOOL)
		return value_bool(eval_passing(ev), !v->u.boolean, n->span);
	if (v->kind == VALUE_FLOAT)
		return value_float(ev->arena, -v->u.floating, n->span);
	if (v->kind == VALUE_QUANTITY)
		return value_quantity(ev->arena, (struct quantity){ -v->u.quantity.nano, v->u.quantity.form }, v->unit,
			n->span);
	if (v->kind == VALUE_INT && v->u.integer != INT64_MIN)
		return value_int(ev->arena, -v->u.integer, n->span);
	if (v->kind == VALUE_INT)
		eval_report(ev, TJ0301, n->span, "-(%lld) does not fit in 64 bits", (long long)v->u.integer);
	return &value_bad;
}

/* ---- lo..hi, lo:hi ---- */

static const struct value *eval_ends(struct eval *ev, struct frame *f, struct node *n, enum value_kind kind)
{
	const struct value *l = value_static(ev, eval_expr(ev, f, n->u.op.left), n);
	const struct value *r = value_static(ev, eval_expr(ev, f, n->u.op.right), n);
	const struct value *stop = not_ok(l, r);

	if (stop)
		return stop;
	if (l->kind != VALUE_INT || r->kind != VALUE_INT)
		return &value_bad;
	struct value *v = value_new(ev->arena, kind, n->span);
	v->u.range.lo = l->u.integer;
	v->u.range.hi = r->u.integer;
	return v;
}

const struct value *eval_range(struct eval *ev, struct frame *f, struct node *n)
{
	return eval_ends(ev, f, n, VALUE_RANGE);
}

const struct value *eval_elastic(struct eval *ev, struct frame *f, struct node *n)
{
	const struct value *v = eval_ends(ev, f, n, VALUE_ELASTIC);

	if (v->kind != VALUE_ELASTIC || v->u.range.lo <= v->u.range.hi)
		return v;
	long long lo = v->u.range.lo, hi = v->u.range.hi;
	struct diag *d = eval_report(ev, TJ0504, n->span, "%lld:%lld has its minimum above its maximum", lo, hi);
	diag_help(ev->diags, d, "did you mean %lld:%lld?", hi, lo);
	if (n->u.op.left->kind == NODE_INT && n->u.op.right->kind == NODE_INT)
		diag_fix(ev->diags, d, n->span, str_printf(ev->arena, "%lld:%lld", hi, lo), "write '%lld:%lld'", hi,
			lo);
	return &value_bad;
}

/* ---- base[index] ---- */

const struct value *map_lookup(struct eval *ev, const struct value *map, struct str key, struct span at)
{
	const struct value *v = value_get(map, key);

	if (v)
		return v;
	return report_absent(ev, map, key, at);
}

static const struct value *list_at(struct eval *ev, const struct value *list, int64_t i, struct node *n)
{
	if (i >= 0 && (size_t)i < list->u.list.n)
		return list->u.list.at[i];
	struct diag *d = eval_report(ev, TJ0321, n->u.pair.index->span, "index %lld is outside a list of %zu element%s",
		(long long)i, list->u.list.n, list->u.list.n == 1 ? "" : "s");
	if (span_known(list->from) && in_user_text(ev, list->from))
		diag_note(ev->diags, d, list->from, "the list is made here");
	if (list->u.list.n)
		diag_help(ev->diags, d, "the last index is %zu", list->u.list.n - 1);
	else
		diag_help(ev->diags, d, "an empty list has no elements; test 'len(...) > 0' first");
	return &value_bad;
}

const struct value *eval_index(struct eval *ev, struct frame *f, struct node *n)
{
	const struct value *base = eval_expr(ev, f, n->u.pair.base);
	const struct value *index = eval_expr(ev, f, n->u.pair.index);

	if (value_ok(base) && value_ok(index))
		index = value_static(ev, index, n);
	const struct value *stop = not_ok(base, index);
	if (stop)
		return stop;
	if (base->kind == VALUE_LIST && index->kind == VALUE_INT)
		return list_at(ev, base, index->u.integer, n);
	if (base->kind == VALUE_MAP && index->kind == VALUE_STRING)
		return map_lookup(ev, base, index->u.string, n->u.pair.index->span);
	return &value_bad;
}
