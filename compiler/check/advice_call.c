/*
 * advice_call.c - advice for calls as other languages write them: methods of texts and lists, and conditions that have
 * another name here.
 */
#include "check/context.h"

struct habit {
	const char *method, *function, *tail;
	bool reversed;                  /* the argument of the method comes first in the function here, as for
					 * ",".join(xs) */
};

static const struct habit text_habits[] = {
	{ "upper", "upper", "", false }, { "toUpperCase", "upper", "", false }, { "lower", "lower", "", false },
	{ "toLowerCase", "lower", "", false }, { "strip", "trim", "", false }, { "trim", "trim", "", false },
	{ "split", "split", "", false }, { "replace", "replace", "", false },
	{ "startswith", "starts_with", "", false }, { "startsWith", "starts_with", "", false },
	{ "starts_with", "starts_with", "", false }, { "endswith", "ends_with", "", false },
	{ "endsWith", "ends_with", "", false }, { "ends_with", "ends_with", "", false },
	{ "contains", "find", " != none", false }, { "includes", "find", " != none", false },
	{ "find", "find", "", false }, { "index", "find", "", false }, { "matches", "matches", "", false },
	{ "match", "matches", "", false }, { "join", "join", "", true }, { "len", "len", "", false },
	{ "length", "len", "", false }, { "size", "len", "", false },
};
static const struct habit list_habits[] = {
	{ "join", "join", "", false }, { "len", "len", "", false }, { "length", "len", "", false },
	{ "size", "len", "", false }, { "count", "len", "", false }, { "sort", "sorted", "", false },
	{ "sorted", "sorted", "", false }, { "unique", "unique", "", false }, { "keys", "keys", "", false },
	{ "values", "values", "", false }, { "contains", "in", "", false }, { "includes", "in", "", false },
	{ "has", "in", "", false },
};

static const struct habit *habit_of(const struct type *t, struct str name)
{
	bool text = type_is_text(t);
	const struct habit *rows = text ? text_habits : list_habits;
	size_t n = text ? sizeof text_habits / sizeof *text_habits : sizeof list_habits / sizeof *list_habits;

	if (!text && t->kind != TYPE_LIST && t->kind != TYPE_MAP && t->kind != TYPE_EMPTY)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (str_is(name, rows[i].method))
			return &rows[i];
	return NULL;
}

/* The source text between the parentheses of CALL. */
static struct str arguments_text(struct check *c, const struct node *call)
{
	struct str all = source_text(c->program->sources, call->u.call.args_span);

	return all.n < 2 ? STR("") : (struct str){ all.p + 1, all.n - 2 };
}

/*
 * Sets *RET to FORMAT with the N values ARGS substituted for its marks, `{}` or `%s`; false when there are not as many
 * values as marks.
 */
static bool interpolate(struct check *c, struct str format, const char *mark, struct node *const *args, size_t n,
	struct str *ret)
{
	struct str text = STR("");
	size_t used = 0, from = 0, length = strlen(mark);

	for (size_t i = 0; i + length <= format.n; i++) {
		bool here = mark[0] == '%' ? format.p[i] == '%' && strchr("sd", format.p[i + 1])
			: memcmp(format.p + i, mark, length) == 0;
		if (!here)
			continue;
		if (used == n)
			return false;
		struct str words = node_words(c, args[used++]);
		text = str_printf(c->arena, "%.*s%.*s${%.*s}", STR_ARG(text), (int)(i - from), format.p + from,
			STR_ARG(words));
		from = i + length;
		i += length - 1;
	}
	*ret = str_printf(c->arena, "\"%.*s%.*s\"", STR_ARG(text), (int)(format.n - from), format.p + from);
	return used && used == n;
}

/* The text of a call such as "a/b:{}".format(tag) as a string with interpolations. */
static struct str formatted(struct check *c, const struct node *call, const struct node *base)
{
	struct nodes args = call->u.call.args;
	struct node **values = ARENA_ARRAY(c->arena, struct node *, args.n);
	struct str text, ret = STR("");

	for (size_t i = 0; i < args.n; i++) {
		if (args.at[i]->kind != NODE_ARG || args.at[i]->u.arg.name.p)
			return STR("");
		values[i] = args.at[i]->u.arg.value;
	}
	return node_static_text(base, &text) && interpolate(c, text, "{}", values, args.n, &ret) ? ret : STR("");
}

bool report_text_method(struct check *c, struct node *call, const struct type *t)
{
	const struct node *callee = call->u.call.callee, *base = callee->u.member.base;
	struct str name = callee->u.member.name, words = node_words(c, base), what = type_phrase(c->arena, t);
	bool format = type_is_text(t) && str_is(name, "format");
	const struct habit *habit = habit_of(t, name);

	if (!habit && !format)
		return false;
	struct diag *d = diag_report(c->diags, TJ0202, callee->u.member.name_span, "%.*s has no method '%.*s'",
		STR_ARG(what), STR_ARG(name));
	struct str args = arguments_text(c, call), right = format ? formatted(c, call, base) : STR("");
	if (format && !right.n) {
		diag_help(c->diags, d,
			"every string can contain '${...}': write each {} as ${x}, with the value in place of x");
		return true;
	}
	if (habit && strcmp(habit->function, "in") == 0)
		right = str_printf(c->arena, "%.*s in %.*s", STR_ARG(args), STR_ARG(words));
	else if (habit)
		right = habit->reversed ? str_printf(c->arena, "%s(%.*s, %.*s)", habit->function, STR_ARG(args),
		                        STR_ARG(words))
		                        : str_printf(c->arena, "%s(%.*s%s%.*s)%s", habit->function, STR_ARG(words),
		                        args.n ? ", " : "", STR_ARG(args), habit->tail);
	diag_help(c->diags, d, "write '%.*s'", STR_ARG(right));
	if (source_text(c->program->sources, base->span).n == words.n && (!habit || !*habit->tail))
		diag_fix(c->diags, d, call->span, right, "write '%.*s'", STR_ARG(right));
	return true;
}

bool help_percent(struct check *c, struct diag *d, const struct node *format, struct node *value, struct span whole)
{
	struct str text, right;
	struct node *const *args = value->kind == NODE_LIST ? value->u.list.at : &value;
	size_t n = value->kind == NODE_LIST ? value->u.list.n : 1;

	if (!node_static_text(format, &text) || !interpolate(c, text, "%s", args, n, &right))
		return false;
	diag_help(c->diags, d, "every string can contain '${...}': write %.*s", STR_ARG(right));
	diag_fix(c->diags, d, whole, right, "write %.*s", STR_ARG(right));
	return true;
}

bool report_format_call(struct check *c, const struct node *call)
{
	const struct node *callee = call->u.call.callee;
	const struct nodes args = call->u.call.args;
	struct str text, right;

	if (callee->kind != NODE_NAME || !args.n ||
	    !(str_is(callee->u.name.text, "format") || str_is(callee->u.name.text, "sprintf")) ||
	    scope_peek(c, callee->u.name.text))
		return false;
	struct node **values = ARENA_ARRAY(c->arena, struct node *, args.n);
	for (size_t i = 0; i < args.n; i++) {
		if (args.at[i]->kind != NODE_ARG || args.at[i]->u.arg.name.p)
			return false;
		values[i] = args.at[i]->u.arg.value;
	}
	if (!node_static_text(values[0], &text))
		return false;
	if (!interpolate(c, text, "%s", values + 1, args.n - 1, &right) &&
	    !interpolate(c, text, "{}", values + 1, args.n - 1, &right))
		return false;
	struct diag *d = diag_report(c->diags, TJ0201, callee->span, "no value named '%.*s'",
		STR_ARG(callee->u.name.text));
	diag_help(c->diags, d, "every string can contain '${...}': write '%.*s'", STR_ARG(right));
	return true;
}

/* The text of argument I of CALL; "..." when the argument is named or missing. */
static struct str argument_words(struct check *c, const struct node *call, size_t i)
{
	const struct nodes args = call->u.call.args;

	if (i >= args.n || args.at[i]->kind != NODE_ARG || args.at[i]->u.arg.name.p)
		return STR("...");
	return node_words(c, args.at[i]->u.arg.value);
}

/* Adds help for pow(2, 3). */
static void help_power(struct check *c, struct diag *d, const struct node *call)
{
	const struct nodes args = call->u.call.args;
	struct constant base, exponent;
	int64_t value = 1;

	bool known = args.n == 2 && args.at[0]->kind == NODE_ARG && args.at[1]->kind == NODE_ARG &&
		is_number_literal(args.at[0]->u.arg.value) && is_number_literal(args.at[1]->u.arg.value) &&
		fold_constant(c, args.at[0]->u.arg.value, &base) &&
		fold_constant(c, args.at[1]->u.arg.value, &exponent) &&
		base.kind == TYPE_INT && exponent.kind == TYPE_INT && exponent.integer >= 0 && exponent.integer < 64;
	for (int64_t i = 0; known && i < exponent.integer; i++)
		known = !__builtin_mul_overflow(value, base.integer, &value);
	if (known)
		diag_help(c->diags, d, "trainc has no 'pow'; %lld to the power of %lld is %lld",
			(long long)base.integer, (long long)exponent.integer, (long long)value);
	else
		diag_help(c->diags, d, "trainc has no 'pow'; multiply with '*'");
}

/* Does the call follow the word 'in' of a loop over two names: `for x, y in zip(a, b)`? */
static bool is_walked(struct check *c, const struct node *call)
{
	const struct source *source = source_at(c->program->sources, call->span.start);
	size_t i = source ? call->span.start - source->base : 0;

	while (i && source->text.p[i - 1] == ' ')
		i--;
	return i > 3 && memcmp(source->text.p + i - 3, " in", 3) == 0;
}

bool report_foreign_call(struct check *c, const struct node *call)
{
	const struct node *callee = call->u.call.callee;
	struct str name = callee->kind == NODE_NAME ? callee->u.name.text : STR("");
	bool power = str_is(name, "pow"), zip = str_is(name, "zip"), number = str_is(name, "enumerate");

	if ((!power && !zip && !number) || scope_peek(c, name))
		return false;
	struct diag *d = diag_report(c->diags, TJ0201, callee->span, "no value named '%.*s'", STR_ARG(name));
	struct str a = argument_words(c, call, 0), b = argument_words(c, call, 1);
	if (power)
		help_power(c, d, call);
	else if (number)
		diag_help(c->diags, d, "a loop with two names counts the elements: 'for i, x in %.*s'", STR_ARG(a));
	else if (is_walked(c, call))
		diag_help(c->diags, d, "loop over one list with its positions, 'for i, x in %.*s', and write %.*s[i] "
			"for the other element", STR_ARG(a), STR_ARG(b));
	else
		diag_help(c->diags, d, "write '[[x, %.*s[i]] for i, x in %.*s]'", STR_ARG(b), STR_ARG(a));
	return true;
}

bool report_condition_call(struct check *c, const struct node *call, const struct type *want)
{
	static const char *const words[][2] = {
		{ "running", "started" }, { "run", "started" }, { "active", "started" }, { "up", "ready" },
		{ "healthy", "ready" }, { "available", "ready" },
	};
	const struct node *callee = call->u.call.callee;
	bool condition = want && type_strip_pod(type_strip_optional(want))->kind == TYPE_CONDITION;

	if (!condition || callee->kind != NODE_NAME || scope_peek(c, callee->u.name.text))
		return false;
	struct str name = callee->u.name.text, args = arguments_text(c, call);
	struct diag *d = diag_report(c->diags, TJ0201, callee->span, "unknown condition '%.*s'", STR_ARG(name));
	bool success = str_is(c->site->name, "success");
	const char *function = "done", *tail = "";
	for (size_t i = 0; i < sizeof words / sizeof *words && !success; i++)
		if (str_is(name, words[i][0]))
			function = words[i][1];
	if (str_is(name, "any"))
		tail = ", any = true";
	if (!success)
		diag_help(c->diags, d, "the conditions are 'done', 'ready' and 'started'");
	const char *slash = memchr(args.p, '/', args.n);
	if (slash)              /* worker/0, as commands write a replica */
		args = str_printf(c->arena, "%.*s, %.*s", (int)(slash - args.p), args.p,
			(int)(args.p + args.n - slash) - 1, slash + 1);
	diag_help(c->diags, d, "write '%s(%.*s%s)'", function, STR_ARG(args), tail);
	return true;
}
