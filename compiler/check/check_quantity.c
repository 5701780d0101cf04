/*
 * check_quantity.c - decides what a quantity literal means where it is used. `5m` is a cpu, and an error as a memory or
 * a duration; only the expected type decides.  Every error in the literal itself is reported here, so that
 * the evaluator only meets valid quantities.
 */
#include "check/context.h"

#include <stdio.h>

/* The unit of a number word: the letters at its end. */
static struct str unit_of(struct str word)
{
	size_t i = word.n;
	while (i > 0 && ((word.p[i - 1] | 32) >= 'a' && (word.p[i - 1] | 32) <= 'z'))
		i--;
	return (struct str){ word.p + i, word.n - i };
}

static struct str number_of(struct str word)
{
	struct str unit = unit_of(word);
	return (struct str){ word.p, word.n - unit.n };
}

void help_bytes(struct check *c, struct diag *d, struct str number, const char *unit, const char *more)
{
	static const char decimal[] = "kMGTPE", *const names[] = { "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
	size_t i = strcspn(decimal, unit);

	diag_help(c->diags, d, "write %.*s%s for %.*s x 2^%zu bytes, %.*s%s for %.*s x 10^%zu%s", STR_ARG(number),
		names[i], STR_ARG(number), 10 * (i + 1), STR_ARG(number), unit, STR_ARG(number), 3 * (i + 1), more);
}

static void help_unit(struct check *c, struct diag *d, const struct node *n, struct str number, struct str unit)
{
	struct str right = { 0 };
	if (quantity_unit_meant(unit))
		right = str_of(quantity_unit_of(number, unit));
	bool either = right.p && quantity_decimal_bytes(str_of(quantity_unit_meant(unit)));
	if (either)                             /* only the author knows which of the two was meant */
		help_bytes(c, d, number, quantity_unit_meant(unit), "");
	else if (right.p && !right.n)
		diag_help(c->diags, d, "CPUs are counted without a unit: write %.*s", STR_ARG(number));
	else if (right.p)
		diag_help(c->diags, d, "did you mean %.*s%.*s?", STR_ARG(number), STR_ARG(right));
	else
		diag_help(c->diags, d,
			"amounts end with Ki Mi Gi Ti Pi Ei, k M G T P E or m, durations with ms s min h d");
	if (right.p && !either)
		diag_fix(c->diags, d, n->span, str_printf(c->arena, "%.*s%.*s", STR_ARG(number), STR_ARG(right)),
			"change the unit");
}

static const struct type *report_unknown_unit(struct check *c, struct node *n)
{
	struct str word = n->u.quantity.word, unit = unit_of(word), number = number_of(word);
	if (!unit.n) {
		diag_report(c->diags, TJ0304, n->span, "%.*s is not a number with a unit", STR_ARG(word));
		return mark_bad(n);
	}
	struct diag *d = diag_report(c->diags, TJ0304, n->span, "'%.*s' is not a unit", STR_ARG(unit));
	help_unit(c, d, n, number, unit);
	return mark_bad(n);
}

static const struct type *report_dimension(struct check *c, struct node *n, const struct type *want)
{
	struct str word = n->u.quantity.word, number = number_of(word), unit = unit_of(word);
	struct str needs = type_phrase(c->arena, want);
	if (want->kind == TYPE_DURATION && str_is(unit, "m")) {
		struct str what = c->site->name;
		struct diag *d = diag_report(c->diags, TJ0307, n->span, "'%.*s%s%.*s': m means one thousandth",
			STR_ARG(what), what.n ? " = " : "", STR_ARG(word));
		diag_help(c->diags, d, "minutes are written %.*smin", STR_ARG(number));
		diag_fix(c->diags, d, n->span, str_printf(c->arena, "%.*smin", STR_ARG(number)), "write minutes");
		return mark_bad(n);
	}
	struct diag *d = diag_report(c->diags, TJ0302, n->span, "%.*s is %s, and %.*s is needed here", STR_ARG(word),
		want->kind == TYPE_DURATION ? "an amount" : "a duration", STR_ARG(needs));
	if (want->kind == TYPE_DURATION)
		diag_help(c->diags, d, "durations end with ms, s, min, h or d");
	else
		diag_help(c->diags, d, want->kind == TYPE_CPU ? "CPUs are written 8, 0.5 or 500m"
			: "memory is written 64Gi (64 x 2^30 bytes) or 64G (64 x 10^9)");
	return mark_bad(n);
}

/* An amount in nano-units as a decimal number of units, such as 0.512. */
static struct str decimal(struct check *c, int128 nano)
{
	char digits[24];
	long long whole = (long long)(nano / QUANTITY_UNIT), part = (long long)(nano % QUANTITY_UNIT);
	snprintf(digits, sizeof digits, "%09lld", part);
	size_t n = 9;
	while (n > 0 && digits[n - 1] == '0')
		n--;
	return n ? str_printf(c->arena, "%lld.%.*s", whole, (int)n, digits) : str_printf(c->arena, "%lld", whole);
}

static const struct type *report_bytes(struct check *c, struct node *n, struct quantity q)
{
	struct str word = n->u.quantity.word, bytes = decimal(c, q.nano), number = number_of(word),
		unit = unit_of(word);
	if (str_is(unit, "m") || str_is(unit, "u") || str_is(unit, "n")) {
		struct diag *d = diag_report(c->diags, TJ0305, n->span, "%.*s of memory is %.*s bytes", STR_ARG(word),
			STR_ARG(bytes));
		diag_help(c->diags, d, "did you mean %.*sMi?", STR_ARG(number));
		return mark_bad(n);
	}
	struct diag *d = diag_report(c->diags, TJ0306, n->span, "%.*s is %.*s bytes; memory is counted in whole bytes",
		STR_ARG(word), STR_ARG(bytes));
	diag_help(c->diags, d, "write a whole number of a smaller unit");
	return mark_bad(n);
}

static const struct type *report_too_large(struct check *c, struct node *n)
{
	struct str words = node_words(c, n);
	struct diag *d = diag_report(c->diags, TJ0322, n->span, "%.*s is more than a quantity can hold",
		STR_ARG(words));
	diag_help(c->diags, d, "the largest is 9223372036854775807, a little less than 8Ei");
	return mark_bad(n);
}

static const struct type *report_too_fine(struct check *c, struct node *n, const struct type *want)
{
	struct str words = node_words(c, n);
	struct diag *d;
	if (want->kind == TYPE_CPU) {
		d = diag_report(c->diags, TJ0308, n->span, "%.*s CPU is less than 1m", STR_ARG(words));
		diag_help(c->diags, d, "CPUs are counted in thousandths");
	} else if (want->kind == TYPE_DURATION) {
		d = diag_report(c->diags, TJ0302, n->span, "%.*s is not a whole number of milliseconds",
			STR_ARG(words));
		diag_help(c->diags, d, "durations are counted in milliseconds");
	} else {
		d = diag_report(c->diags, TJ0306, n->span,
			"%.*s is a fraction of a byte; memory is counted in whole bytes", STR_ARG(words));
	}
	return mark_bad(n);
}

static const struct type *test_amount(struct check *c, struct node *n, const struct type *want, struct quantity q)
{
	if (want->kind == TYPE_MEMORY && q.nano % QUANTITY_UNIT)
		return report_bytes(c, n, q);
	if (want->kind == TYPE_CPU && str_ends(n->u.quantity.word, STR("i"))) {
		struct diag *d = diag_report(c->diags, TJ0302, n->span,
			"%.*s is an amount of memory, but CPUs are a number", STR_ARG(n->u.quantity.word));
		diag_help(c->diags, d, "CPUs are written 8, 0.5 or 500m");
		return mark_bad(n);
	}
	if (want->kind == TYPE_CPU && q.nano % (QUANTITY_UNIT / 1000))
		return report_too_fine(c, n, want);
	return want;
}

static const struct type *type_of_kind(enum type_kind kind)
{
	return kind == TYPE_CPU ? &type_cpu : kind == TYPE_MEMORY ? &type_memory : &type_duration;
}

/* The type of a literal in raw data, which its unit decides: 64Gi is a memory, 500m a cpu, 30s a duration. */
static const struct type *raw_type(struct str word, enum unit_kind unit)
{
	struct str u = unit_of(word);
	if (unit == UNIT_DURATION)
		return &type_duration;
	return str_is(u, "m") || str_is(u, "u") || str_is(u, "n") ? &type_cpu : &type_memory;
}

const struct type *type_quantity(struct check *c, struct node *n, const struct type *want)
{
	struct str word = n->u.quantity.word;
	struct quantity q;
	enum unit_kind unit = quantity_unit(word);
	want = want ? type_strip_pod(type_strip_optional(want)) : NULL;
	if (unit == UNIT_UNKNOWN || unit == UNIT_NONE)
		return report_unknown_unit(c, n);
	if (want && want->kind == TYPE_BAD)
		return want;
	if (want && want->kind == TYPE_DATA)
		want = raw_type(word, unit);
	if (!want || !type_is_quantity(want))
		return &type_unit;
	want = type_of_kind(want->kind);
	if ((want->kind == TYPE_DURATION) != (unit == UNIT_DURATION))
		return report_dimension(c, n, want);
	switch (unit == UNIT_DURATION ? duration_parse(word, &q) : quantity_parse(word, &q)) {
	case QUANTITY_OK: return test_amount(c, n, want, q);
	case QUANTITY_TOO_LARGE: return report_too_large(c, n);
	case QUANTITY_TOO_FINE: return report_too_fine(c, n, want);
	default: return report_unknown_unit(c, n);
	}
}

/* ---- numbers without a unit where a quantity is expected ---- */

static const struct node *literal_of(const struct node *n, bool *ret_negative)
{
	*ret_negative = false;
	while (n->kind == NODE_UNARY) {
		*ret_negative = !*ret_negative;
		n = n->u.op.left;
	}
	return n;
}

static const struct type *report_no_unit(struct check *c, struct node *n, const struct type *want,
	const struct site *site)
{
	struct str words = node_words(c, n), what = site->name.n ? site->name : site->what;
	struct diag *d;
	if (want->kind == TYPE_DURATION) {
		if (what.n)
			d = diag_report(c->diags, TJ0302, n->span, "'%.*s = %.*s' has no unit", STR_ARG(what),
				STR_ARG(words));
		else
			d = diag_report(c->diags, TJ0302, n->span, "the duration %.*s has no unit", STR_ARG(words));
		diag_help(c->diags, d, "%.*ss are seconds, %.*smin minutes, %.*sh hours", STR_ARG(words),
			STR_ARG(words), STR_ARG(words));
		return mark_bad(n);
	}
	if (what.n)
		d = diag_report(c->diags, TJ0303, n->span, "'%.*s = %.*s' has no unit", STR_ARG(what), STR_ARG(words));
	else
		d = diag_report(c->diags, TJ0303, n->span, "the memory %.*s has no unit", STR_ARG(words));
	if (str_is(words, "0"))
		diag_help(c->diags, d, "write an amount such as 64Gi, or leave it out");
	else
		diag_help(c->diags, d, "%.*sGi is %.*s x 2^30 bytes", STR_ARG(words), STR_ARG(words));
	return mark_bad(n);
}

const struct type *number_as_quantity(struct check *c, struct node *n, const struct type *want, const struct site *site)
{
	bool negative;
	const struct node *literal = literal_of(n, &negative);
	const struct type *core = type_strip_pod(type_strip_optional(want));
	struct quantity q;
	struct str word = literal->kind == NODE_FLOAT ? literal->u.floating.word
		: source_text(c->program->sources, literal->span);
	bool exponent = literal->kind == NODE_FLOAT && (memchr(word.p, 'e', word.n) || memchr(word.p, 'E', word.n));
	if (core->kind != TYPE_CPU && !(core->kind == TYPE_MEMORY && exponent))
		return report_no_unit(c, n, core, site);
	if (literal->kind == NODE_INT && word.n > 1 && word.p[0] == '0') {      /* octal */
		n->convert_to = want;
		return n->type;
	}
	switch (quantity_parse(word, &q)) {
	case QUANTITY_OK: break;
	case QUANTITY_TOO_LARGE: return report_too_large(c, n);
	case QUANTITY_TOO_FINE: return report_too_fine(c, n, core);
	default: return report_no_unit(c, n, core, site);
	}
	if (core->kind == TYPE_CPU && q.nano % (QUANTITY_UNIT / 1000))
		return report_too_fine(c, n, core);
	if (core->kind == TYPE_MEMORY && q.nano % QUANTITY_UNIT)
		return report_too_fine(c, n, core);
	n->convert_to = want;
	return n->type;
}
