/*
 * builtin_number.c - functions of numbers and quantities.
 */
#include "eval/builtin.h"

static const struct value *overflow(struct arguments *a)
{
	struct str text = node_text(a->ev, a->call);

	eval_report(a->ev, TJ0301, a->call->span, "'%.*s' does not fit in 64 bits", STR_ARG(text));
	return &value_bad;
}

/* ---- sum, product ---- */

/* The sum or product I of an empty list, in the type of the call. */
static const struct value *neutral(struct arguments *a, int64_t i)
{
	const struct type *t = a->call->type;

	if (t && t->kind == TYPE_FLOAT)
		return value_float(a->ev->arena, (double)i, a->call->span);
	if (t && type_is_quantity(t))
		return value_quantity(a->ev->arena, (struct quantity){ 0, QUANTITY_DECIMAL }, t->kind, a->call->span);
	return value_int(a->ev->arena, i, a->call->span);
}

static const struct value *add_two(struct arguments *a, const struct value *x, const struct value *y)
{
	struct quantity q;
	int64_t i;

	if (x->kind == VALUE_QUANTITY && y->kind == VALUE_QUANTITY) {
		if (quantity_add(x->u.quantity, y->u.quantity, &q))
			return value_quantity(a->ev->arena, q, y->unit, a->call->span);
		eval_report(a->ev, TJ0322, a->call->span, "the sum is more than a quantity can hold");
		return &value_bad;
	}
	if (x->kind == VALUE_INT && y->kind == VALUE_INT)
		return __builtin_add_overflow(x->u.integer, y->u.integer, &i) ? overflow(a)
			: value_int(a->ev->arena, i, a->call->span);
	double d = (x->kind == VALUE_INT ? (double)x->u.integer : x->u.floating) +
		(y->kind == VALUE_INT ? (double)y->u.integer : y->u.floating);
	return __builtin_isfinite(d) ? value_float(a->ev->arena, d, a->call->span) : overflow(a);
}

BUILTIN(sum)
{
	const struct value *list = a->at[0];

	if (list->kind != VALUE_LIST)
		return &value_bad;
	const struct value *sum = list->u.list.n ? list->u.list.at[0] : neutral(a, 0);
	for (size_t i = 1; i < list->u.list.n && value_ok(sum); i++)
		sum = add_two(a, sum, list->u.list.at[i]);
	return value_ok(sum) ? value_at(a->ev->arena, sum, a->call->span) : sum;
}

static const struct value *multiply(struct arguments *a, const struct value *x, const struct value *y)
{
	int64_t i;

	if (x->kind == VALUE_INT && y->kind == VALUE_INT)
		return __builtin_mul_overflow(x->u.integer, y->u.integer, &i) ? overflow(a)
			: value_int(a->ev->arena, i, a->call->span);
	if (x->kind == VALUE_QUANTITY || y->kind == VALUE_QUANTITY)
		return &value_bad;
	double d = (x->kind == VALUE_INT ? (double)x->u.integer : x->u.floating) * (y->kind == VALUE_INT
		? (double)y->u.integer : y->u.floating);
	return __builtin_isfinite(d) ? value_float(a->ev->arena, d, a->call->span) : overflow(a);
}

BUILTIN(product)
{
	const struct value *x = a->at[0], *product = neutral(a, 1);

	for (size_t i = 0; x->kind == VALUE_TOPOLOGY && i < x->u.topology.n && value_ok(product); i++)
		product = multiply(a, product, value_int(a->ev->arena, x->u.topology.size[i], x->from));
	for (size_t i = 0; x->kind == VALUE_LIST && i < x->u.list.n && value_ok(product); i++)
		product = i ? multiply(a, product, x->u.list.at[i]) : x->u.list.at[i];
	return value_ok(product) ? value_at(a->ev->arena, product, a->call->span) : product;
}

/* ---- min, max ---- */

static const struct value *extreme(struct arguments *a, int sign)
{
	const struct value **at = a->at;
	size_t n = a->n;

	if (n == 1 && at[0]->kind == VALUE_LIST) {
		n = at[0]->u.list.n;
		at = at[0]->u.list.at;
	}
	if (n == 0) {
		struct diag *d = eval_report(a->ev, TJ0321, argument_at(a, 0), "an empty list has no %s value",
			sign < 0 ? "smallest" : "largest");
		diag_help(a->ev->diags, d, "test 'len(...) > 0' first, or add a number to the list");
		return &value_bad;
	}
	const struct value *best = at[0];
	for (size_t i = 1; i < n; i++)
		if (value_order(at[i], best) * sign > 0)
			best = at[i];
	return best;
}

BUILTIN(min) { return extreme(a, -1); }
BUILTIN(max) { return extreme(a, 1); }

/* ---- single numbers ---- */

BUILTIN(abs)
{
	const struct value *x = a->at[0];

	if (x->kind == VALUE_FLOAT)
		return value_float(a->ev->arena, x->u.floating < 0 ? -x->u.floating : x->u.floating, a->call->span);
	if (x->kind == VALUE_QUANTITY) {
		int128 nano = x->u.quantity.nano;
		return value_quantity(a->ev->arena, (struct quantity){ nano < 0 ? -nano : nano, x->u.quantity.form },
			x->unit, a->call->span);
	}
	if (x->kind != VALUE_INT)
		return &value_bad;
	if (x->u.integer == INT64_MIN)
		return overflow(a);
	return value_int(a->ev->arena, x->u.integer < 0 ? -x->u.integer : x->u.integer, a->call->span);
}

BUILTIN(ceil_div)
{
	int64_t x = argument_int(a, 0, 0), y = argument_int(a, 1, 1);

	if (y == 0) {
		struct diag *d = eval_report(a->ev, TJ0315, argument_at(a, 1), "division by zero");
		if (a->at[1]->from.start != argument_at(a, 1).start)
			diag_note(a->ev->diags, d, a->at[1]->from, "the 0 comes from here");
		return &value_bad;
	}
	if (x == INT64_MIN && y == -1)
		return overflow(a);
	return value_int(a->ev->arena, x / y + (x % y != 0 && (x < 0) == (y < 0)), a->call->span);
}

/* Rounds halves to the even neighbor, as Python does. */
BUILTIN(round)
{
	double d = a->at[0]->kind == VALUE_INT ? (double)a->at[0]->u.integer : a->at[0]->u.floating;
	const double limit = 9223372036854775808.0;

	if (a->at[0]->kind == VALUE_INT)
		return a->at[0];
	if (d >= limit || d < -limit)
		return overflow(a);
	int64_t whole = (int64_t)d;
	double rest = d - (double)whole;
	if (rest > 0.5 || (rest == 0.5 && whole % 2))
		whole++;
	else if (rest < -0.5 || (rest == -0.5 && whole % 2))
		whole--;
	return value_int(a->ev->arena, whole, a->call->span);
}

BUILTIN(float)
{
	const struct value *x = a->at[0];

	return x->kind == VALUE_INT ? value_float(a->ev->arena, (double)x->u.integer, a->call->span) : x;
}

static bool parse_int(struct str s, int64_t *ret)
{
	bool negative = s.n > 0 && s.p[0] == '-';
	size_t i = negative || (s.n > 0 && s.p[0] == '+');

	if (i == s.n)
		return false;
	*ret = 0;
	for (; i < s.n; i++) {
		int digit = s.p[i] - '0';
		if (digit < 0 || digit > 9 || __builtin_mul_overflow(*ret, (int64_t)10, ret) ||
		    __builtin_add_overflow(*ret, (int64_t)(negative ? -digit : digit), ret))
			return false;
	}
	return true;
}

BUILTIN(int)
{
	const struct value *x = a->at[0];
	int64_t i;

	if (x->kind != VALUE_STRING)
		return x->kind == VALUE_INT ? x : &value_bad;
	if (parse_int(x->u.string, &i))
		return value_int(a->ev->arena, i, a->call->span);
	struct str text = value_spell(a->ev->arena, x);
	struct diag *d = eval_report(a->ev, TJ0302, argument_at(a, 0), "the text %.*s is not an int", STR_ARG(text));
	if (x->from.start != argument_at(a, 0).start && in_user_text(a->ev, x->from))
		diag_note(a->ev->diags, d, x->from, "the text comes from here");
	diag_help(a->ev->diags, d, "an int is digits with an optional sign, up to 9223372036854775807");
	return &value_bad;
}

/* ---- quantities as numbers ---- */

static const struct value *units_in(struct arguments *a, int128 unit)
{
	const struct value *x = a->at[0];

	if (x->kind != VALUE_QUANTITY)
		return &value_bad;
	if (x->u.quantity.nano % unit) {
		struct str text = value_spell(a->ev->arena, x);
		struct diag *d = eval_report(a->ev, TJ0314, a->call->span, "%.*s is not a whole number of %s",
			STR_ARG(text), unit == QUANTITY_UNIT ? "seconds" : "milliseconds");
		diag_help(a->ev->diags, d, unit == QUANTITY_UNIT ? "count it in 'millis', or write whole seconds"
			: "write whole milliseconds");
		return &value_bad;
	}
	return value_int(a->ev->arena, (int64_t)(x->u.quantity.nano / unit), a->call->span);
}

BUILTIN(bytes) { return units_in(a, QUANTITY_UNIT); }
BUILTIN(seconds) { return units_in(a, QUANTITY_UNIT); }
BUILTIN(millis) { return units_in(a, 1000000); }
