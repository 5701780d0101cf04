/*
 * complain_habits.c - help for constructs of other languages. Each function recognizes one construct by its tokens, and
 * its help is the same line in this language. The help is added to a TJ0102 that complain_plain() has reported.
 */
#include <stdlib.h>
#include "syntax/help/complain.h"

#include "trainc.tab.h"

enum { LOOK = 64 };                     /* maximum number of tokens to look at */

/* The first token that is not on the line of token I. */
static size_t end_of_line(const struct fault *f, size_t i)
{
	size_t end = i;

	while (f->at[end].kind != TOKEN_END && end - i < LOOK && (end == i || !(f->at[end].flags & FLAG_LINE)))
		end++;
	return end;
}

static struct str text_between(const struct fault *f, size_t from, size_t end)
{
	return end <= from ? STR("") : tokens_text(&f->p->tokens, f->at[from].start, f->at[end - 1].end);
}

/* ---- declarations in a body ---- */

/* Adds help for `fn f(x: int)` or `job "b" {` inside braces. */
static bool help_inside(struct fault *f, struct diag *d)
{
	int head = f->at[f->item].kind;
	bool named = head == TOKEN_FN || head == TOKEN_TYPE || head == TOKEN_FRAMEWORK || head == TOKEN_ACCELERATOR ||
	             head == TOKEN_PROFILE;
	bool titled = head == TOKEN_JOB || head == TOKEN_TEST || head == TOKEN_POLICY;

	if (!f->p->feed.depth || f->line_end || f->i != f->item + 1)
		return false;
	if (!(named && f->found.kind == TOKEN_IDENT) &&
		!(titled && (f->found.kind == TOKEN_STRING || f->found.kind == TOKEN_STR_OPEN)))
		return false;
	if (head == TOKEN_JOB)
		diag_help(f->p->diags, d, "jobs do not nest: write this one at the top of the file");
	else
		diag_help(f->p->diags, d, "'%.*s' belongs at the top of the file, outside jobs and frameworks",
			STR_ARG(fault_text(f, f->item)));
	return true;
}

/* ---- heads ---- */

/* Adds help for `role: worker {`. */
static bool help_role_colon(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	const struct token *word = &f->at[f->item];

	if (f->line_end || f->found.kind != TOKEN_LBRACE || f->i != f->item + 3 || word[1].kind != TOKEN_COLON ||
		word[2].kind != TOKEN_IDENT ||
	    !is_block(fault_text(f, f->item)))
		return false;
	struct str name = fault_text(f, f->item + 2);
	diag_help(ds, d, "write '%.*s %.*s { ... }'", STR_ARG(fault_text(f, f->item)), STR_ARG(name));
	diag_fix(ds, d, (struct span){ word->end, word[2].start }, STR(" "), "remove ':'");
	return true;
}

/* Adds help for `replicas := 2`. */
static bool help_walrus(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	struct str rest = fault_rest(f, f->i + 1);

	if (f->line_end || f->found.kind != TOKEN_ASSIGN || f->previous != TOKEN_COLON ||
		f->at[f->i - 1].end != f->found.start)
		return false;
	struct str head = text_between(f, f->item, f->i - 1);
	diag_help(ds, d, "write '%.*s = %.*s'", STR_ARG(head), STR_ARG(rest.n ? rest : STR("...")));
	diag_fix(ds, d, (struct span){ f->at[f->i - 1].start, f->found.end },
		f->at[f->i - 2].end < f->at[f->i - 1].start ? STR("=") : STR(" ="),
	         "write '='");
	return true;
}

static bool is_dotted(struct str s)
{
	bool dot = false;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		dot = dot || (c == '.' && i && i + 1 < s.n);
		if (c != '.' && c != '_' && !((c | 32) >= 'a' && (c | 32) <= 'z') && !(c >= '0' && c <= '9'))
			return false;
	}
	return dot;
}

/* Adds help for `job "m": {` or `job "m": "module" {`. */
static bool help_framework(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;

	if (f->line_end || f->at[f->item].kind != TOKEN_JOB || f->previous != TOKEN_COLON || f->i != f->item + 3)
		return false;
	struct str title = fault_text(f, f->item + 1), text = fault_text(f, f->i);
	if (f->found.kind == TOKEN_LBRACE) {
		diag_help(ds, d, "a framework follows the colon: 'job %.*s: MODULE.FRAMEWORK { ... }'; remove ':' for "
			"a plain job", STR_ARG(title));
		return true;
	}
	if (f->found.kind != TOKEN_STRING)
		return false;
	struct str name = { text.p + 1, text.n - 2 };
	if (is_dotted(name)) {
		diag_help(ds, d, "write '%.*s', without quotes", STR_ARG(name));
		diag_fix(ds, d, fault_span(f), name, "remove the quotes");
	} else {
		diag_help(ds, d, "a framework follows the colon, without quotes: 'job %.*s: MODULE.FRAMEWORK { ... }'",
			STR_ARG(title));
	}
	return true;
}

/*
 * The framework that `framework f extends B {`, `framework f = B` or `framework f(B) {` wraps; an unknown span for
 * other forms.
 */
static struct span wrapped(const struct fault *f)
{
	size_t name = f->item + 1;
	bool word = f->found.kind == TOKEN_IDENT && f->at[f->i + 1].kind == TOKEN_IDENT &&
		!(f->at[f->i + 1].flags & FLAG_LINE);
	bool inside = f->found.kind == TOKEN_DOT && f->i == name + 3 && f->at[name + 1].kind == TOKEN_LPAREN;

	if (f->line_end || (f->i != name + 1 && f->previous != TOKEN_RPAREN && !inside))
		return (struct span){ 0 };
	if (inside)
		return fault_joined(f, f->i - 1);
	return word || f->found.kind == TOKEN_ASSIGN ? fault_joined(f, f->i + 1) : (struct span){ 0 };
}

static bool help_wrap(struct fault *f, struct diag *d)
{
	size_t name = f->item + 1;
	struct span base = f->at[f->item].kind == TOKEN_FRAMEWORK && f->at[name].kind == TOKEN_IDENT ? wrapped(f) :
		(struct span){ 0 };

	if (!span_known(base))
		return false;
	struct str formals = f->previous == TOKEN_RPAREN ? text_between(f, name + 1, f->i) : STR("()");
	diag_help(f->p->diags, d, "a framework that wraps another one names it behind a colon: "
		"write 'framework %.*s%.*s: %.*s { ... }'", STR_ARG(fault_text(f, name)), STR_ARG(formals),
		STR_ARG(tokens_text(&f->p->tokens, base.start, base.end)));
	return true;
}

/* Adds help for `for x in xs for y in ys`: a comma joins loops. */
static bool help_two_loops(struct fault *f, struct diag *d)
{
	size_t first = f->i ? f->i - 1 : 0;

	while (first > f->item && f->at[first].kind != TOKEN_FOR)
		first--;
	if (f->line_end || f->found.kind != TOKEN_FOR || !f->i || f->at[first].kind != TOKEN_FOR || first + 3 >= f->i)
		return false;
	struct span gap = { f->at[f->i - 1].end, f->found.end };
	struct str one = tokens_text(&f->p->tokens, f->at[first].start, gap.start);
	if (one.n > 80 || memchr(one.p, '\n', one.n))
		diag_help(f->p->diags, d, "a comma joins loops: write ',' in place of 'for'");
	else
		diag_help(f->p->diags, d, "a comma joins loops: '%.*s, %.*s in ...'", STR_ARG(one),
			STR_ARG(fault_text(f, f->i + 1)));
	diag_fix(f->p->diags, d, gap, STR(","), "join the loops with ','");
	return true;
}

/*
 * Adds help for a loop over jobs as another language writes it: a list without brackets, or a pair of names in
 * parentheses.
 */
static bool help_loop(struct fault *f, struct diag *d)
{
	size_t item = f->item, list = item + 3;

	if (f->at[item].kind != TOKEN_FOR || f->line_end)
		return false;
	if (f->i == item + 1 && f->found.kind == TOKEN_LPAREN) {
		diag_help(f->p->diags, d, "two names are the index and the element: 'for i, x in xs'; the element of "
			"another list at that place is ys[i]");
		return true;
	}
	size_t end = list, stop = end_of_line(f, item);
	while (end < stop && f->at[end].kind != TOKEN_LBRACE && f->at[end].kind != TOKEN_JOB)
		end++;
	if (f->at[item + 2].kind != TOKEN_IN || f->at[list + 1].kind != TOKEN_COMMA || f->i != list + 2 || end <= f->i)
		return false;
	diag_help(f->p->diags, d, "a list is written in brackets: '%.*s [%.*s] job \"...\"'",
		STR_ARG(text_between(f, item, list)), STR_ARG(text_between(f, list, end)));
	return true;
}

/* ---- types ---- */

/* Is the word before a refinement or [] the name of a type? */
static bool is_type_name(const struct fault *f, size_t i)
{
	static const char *const types[] = { "int", "float", "string", "bool", "memory", "cpu", "duration", "port",
		"name", "path" };
	struct str word = fault_text(f, i);

	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (f->at[i].kind == TOKEN_IDENT && str_is(word, types[k]))
			return true;
	return false;
}

/* The first token of KIND from token I to the end of its line; 0 if the line contains no such token. */
static size_t find_on_line(const struct fault *f, size_t i, int kind)
{
	size_t end = end_of_line(f, i);

	for (; i < end; i++)
		if (f->at[i].kind == kind)
			return i;
	return 0;
}

/* Adds help for `[string]` or `enum["a", "b"]`. */
static bool help_type_list(struct fault *f, struct diag *d)
{
	bool list = !f->line_end && f->found.kind == TOKEN_LBRACKET && f->expected[TOKEN_ACCELERATOR] &&
		is_type_name(f, f->i + 1) && f->at[f->i + 2].kind == TOKEN_RBRACKET;
	bool words = !f->line_end && f->i >= 2 && f->found.kind == TOKEN_STRING && f->previous == TOKEN_LBRACKET &&
		str_is(fault_text(f, f->i - 2), "enum");
	size_t close = words ? find_on_line(f, f->i, TOKEN_RBRACKET) : f->i + 2;
	if (!list && (!words || !close))
		return false;
	struct str right = list ? str_printf(f->p->arena, "list[%.*s]", STR_ARG(fault_text(f, f->i + 1)))
		: str_printf(f->p->arena, "enum(%.*s)", STR_ARG(text_between(f, f->i, close)));
	diag_help(f->p->diags, d, "write '%.*s'", STR_ARG(right));
	diag_fix(f->p->diags, d, (struct span){ f->at[list ? f->i : f->i - 2].start, f->at[close].end }, right,
		"write '%.*s'",
		STR_ARG(right));
	return true;
}

/* Adds help for `string[]` or `int[1..8]`. */
static bool help_type_brackets(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;

	if (f->line_end || f->i < 2 || f->previous != TOKEN_LBRACKET || !is_type_name(f, f->i - 2))
		return false;
	size_t close = find_on_line(f, f->i, TOKEN_RBRACKET);
	struct str type = fault_text(f, f->i - 2);
	if (!close)
		return false;
	struct span at = { f->at[f->i - 2].start, f->at[close].end };
	bool pair = close == f->i + 3 && f->at[f->i].kind == TOKEN_INT && f->at[f->i + 1].kind == TOKEN_COMMA &&
		f->at[f->i + 2].kind == TOKEN_INT;
	struct str inside = pair ? str_cat(f->p->arena, fault_text(f, f->i), STR(".."), fault_text(f, f->i + 2))
		: text_between(f, f->i, close);
	struct str right = close == f->i ? str_printf(f->p->arena, "list[%.*s]", STR_ARG(type))
		: str_printf(f->p->arena, "%.*s(%.*s)", STR_ARG(type), STR_ARG(inside));
	diag_help(ds, d, "write '%.*s'", STR_ARG(right));
	diag_fix(ds, d, at, right, "write '%.*s'", STR_ARG(right));
	return true;
}

/* Adds help for `list<string>`, `List<str>`, `Map<string, int>`: brackets hold the type of the elements. */
static bool help_type_angles(struct fault *f, struct diag *d)
{
	static const char *const lists[] = { "list", "List", "Array", "array", "Set", "set", "Vec", "Sequence" },
		*const maps[] = { "map", "Map", "Dict", "dict", "HashMap", "Mapping" };
	struct diags *ds = f->p->diags;
	const char *ours = NULL;

	if (f->line_end || f->found.kind != TOKEN_LT || f->i < 2 || f->previous != TOKEN_IDENT ||
		(f->at[f->i - 2].kind != TOKEN_COLON && f->at[f->i - 2].kind != TOKEN_ARROW))
		return false;
	size_t close = find_on_line(f, f->i, TOKEN_GT), element = close ? close - 1 : 0;
	struct str word = fault_text(f, f->i - 1);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		ours = str_is(word, lists[i]) ? "list" : ours;
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		ours = str_is(word, maps[i]) ? "map" : ours;
	if (!ours || element <= f->i || f->at[element].kind != TOKEN_IDENT)
		return false;
	struct str type = is_type_name(f, element) ? fault_text(f, element) : STR("string");
	struct str right = str_printf(f->p->arena, "%s[%.*s]", ours, STR_ARG(type));
	diag_help(ds, d, "write '%.*s'", STR_ARG(right));
	diag_fix(ds, d, (struct span){ f->at[f->i - 1].start, f->at[close].end }, right, "write '%.*s'",
		STR_ARG(right));
	return true;
}

/* Adds help for `int(>=1)` or `int(<8)`. */
static bool help_type_comparison(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	int kind = f->found.kind;

	if (f->line_end || f->i < 2 || f->previous != TOKEN_LPAREN || !is_type_name(f, f->i - 2) ||
	    (kind != TOKEN_GE && kind != TOKEN_LE && kind != TOKEN_GT && kind != TOKEN_LT))
		return false;
	size_t close = find_on_line(f, f->i, TOKEN_RPAREN);
	struct str limit = close ? text_between(f, f->i + 1, close) : STR("");
	if (!limit.n || limit.n > 40 || memchr(limit.p, ',', limit.n))
		return false;
	if (kind == TOKEN_GT || kind == TOKEN_LT) {             /* for whole numbers the bound is the next one */
		if (f->at[f->i + 1].kind != TOKEN_INT || close != f->i + 2 || limit.n > 9 ||
			memchr(limit.p, '_', limit.n))
			return false;
		limit = str_printf(f->p->arena, "%ld", strtol(limit.p, NULL, 10) + (kind == TOKEN_GT ? 1 : -1));
	}
	bool least = kind == TOKEN_GE || kind == TOKEN_GT;
	struct str right = str_printf(f->p->arena, least ? "%.*s(%.*s..)" : "%.*s(..%.*s)",
		STR_ARG(fault_text(f, f->i - 2)),
		STR_ARG(limit));
	diag_help(ds, d, "write '%.*s'", STR_ARG(right));
	diag_fix(ds, d, (struct span){ f->at[f->i - 2].start, f->at[close].end }, right, "write '%.*s'",
		STR_ARG(right));
	return true;
}

/* Adds help for `replicas = int(1..)`. */
static bool help_type_as_value(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	size_t value = f->item + 2, close;

	if (f->line_end || f->at[f->item + 1].kind != TOKEN_ASSIGN || f->i <= value || !is_type_name(f, value) ||
		f->at[value + 1].kind != TOKEN_LPAREN)
		return false;
	close = find_on_line(f, value, TOKEN_RPAREN);
	if (!close)
		return false;
	struct str name = fault_text(f, f->item), type = text_between(f, value, close + 1);
	if (f->p->feed.depth && f->at[f->p->feed.open[0].item].kind == TOKEN_FRAMEWORK)
		diag_help(ds, d, "a type follows ':': write '%.*s: %.*s'", STR_ARG(name), STR_ARG(type));
	else
		diag_help(ds, d, "'%.*s' is a type; set '%.*s' to a value", STR_ARG(type), STR_ARG(name));
	return true;
}

/* Adds help for `param mode: "a"`. */
static bool help_type_text(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;

	if (f->line_end || f->previous != TOKEN_COLON || f->found.kind != TOKEN_STRING || !f->expected[TOKEN_IDENT] ||
		f->expected[TOKEN_INT])
		return false;
	struct str right = str_printf(f->p->arena, "enum(%.*s)", STR_ARG(fault_text(f, f->i)));
	diag_help(ds, d, "write '%.*s'", STR_ARG(right));
	diag_fix(ds, d, fault_span(f), right, "write '%.*s'", STR_ARG(right));
	return true;
}

/* ---- expressions ---- */

/* The value of `a ** b` for two small literals; 0 when it is too large or the operands are not literals. */
static long long power_of(struct str base, struct str exponent)
{
	long long b = 0, e = 0, value = 1;

	for (size_t i = 0; i < base.n && b < 1000000; i++)
		b = 10 * b + (base.p[i] - '0');
	for (size_t i = 0; i < exponent.n && e < 64; i++)
		e = 10 * e + (exponent.p[i] - '0');
	if (e >= 64)
		return 0;
	while (e-- > 0)
		if (__builtin_mul_overflow(value, b, &value))
			return 0;
	return value;
}

/* Adds help for `2 ** 10`. */
static bool help_power(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;

	if (f->line_end || f->found.kind != TOKEN_STAR || f->previous != TOKEN_STAR || f->i < 2 ||
		f->at[f->i - 1].end != f->found.start)
		return false;
	const struct token *base = &f->at[f->i - 2], *exponent = &f->at[f->i + 1];
	struct str b = fault_text(f, f->i - 2), e = fault_text(f, f->i + 1);
	long long value = base->kind == TOKEN_INT && exponent->kind == TOKEN_INT ? power_of(b, e) : 0;
	if (value)
		diag_help(ds, d, "trainc has no '**'; %.*s to the power of %.*s is %lld", STR_ARG(b), STR_ARG(e),
			value);
	else
		diag_help(ds, d, "trainc has no '**'; multiply with '*'");
	return true;
}

/* The first token of the operand that ends before token I. */
static size_t operand_before(const struct fault *f, size_t i)
{
	size_t from = i;

	while (from > f->item) {
		int kind = f->at[from - 1].kind;
		bool name = kind == TOKEN_IDENT &&
			(from == i || f->at[from].kind == TOKEN_DOT || f->at[from].kind == TOKEN_LBRACKET);
		if (!name && kind != TOKEN_DOT && kind != TOKEN_STRING && kind != TOKEN_INT && kind != TOKEN_LBRACKET &&
			kind != TOKEN_RBRACKET)
			break;
		from--;
	}
	return from;
}

/* Adds help for `check image contains ":"`. */
static bool help_word_operator(struct fault *f, struct diag *d)
{
	static const char *const words[][3] = {
		{ "contains", "find", " != none" }, { "includes", "find", " != none" },
		{ "startswith", "starts_with", "" }, { "starts_with", "starts_with", "" },
		{ "endswith", "ends_with", "" }, { "ends_with", "ends_with", "" }, { "matches", "matches", "" },
	};
	struct str word = fault_text(f, f->i);

	if (f->line_end || f->found.kind != TOKEN_IDENT || f->i <= f->item || f->at[f->i + 1].flags & FLAG_LINE)
		return false;
	size_t from = operand_before(f, f->i);
	struct str left = text_between(f, from, f->i), right = fault_text(f, f->i + 1);
	for (size_t i = 0; left.n && i < sizeof words / sizeof *words; i++) {
		if (!str_is(word, words[i][0]))
			continue;
		diag_help(f->p->diags, d, "write '%s(%.*s, %.*s)%s'", words[i][1], STR_ARG(left), STR_ARG(right),
			words[i][2]);
		if (*words[i][2])
			diag_help(f->p->diags, d, "in a list '%.*s in %.*s'", STR_ARG(right), STR_ARG(left));
		return true;
	}
	return false;
}

/*
 * The value of a template such as `{{ n }}`: the text between the braces, or the last name of `.Values.n`; empty when
 * it is too long.
 */
static struct str template_value(const struct fault *f, size_t first, size_t close)
{
	if (f->at[first].kind == TOKEN_DOT && f->at[close - 1].kind == TOKEN_IDENT)
		return fault_text(f, close - 1);
	return text_between(f, first, close);
}

/* Adds help for `replicas = {{ n }}`. */
static bool help_template(struct fault *f, struct diag *d)
{
	size_t close = f->line_end ? 0 : find_on_line(f, f->i, TOKEN_RBRACE);

	if (!close || f->found.kind != TOKEN_LBRACE || f->previous != TOKEN_LBRACE || close <= f->i + 1 ||
		f->at[f->i - 1].end != f->found.start || f->at[close + 1].kind != TOKEN_RBRACE)
		return false;
	struct str value = template_value(f, f->i + 1, close);
	bool set = f->i > 3 && f->at[f->i - 2].kind == TOKEN_ASSIGN;
	const char *type = set ? field_type(fault_text(f, f->i - 3)) : NULL;
	if (value.n > 40)
		return false;
	diag_help(f->p->diags, d, "a name needs no braces: write '%.*s'", STR_ARG(value));
	if (f->at[f->i + 1].kind == TOKEN_DOT)
		diag_help(f->p->diags, d, "to set it from outside declare 'param %.*s: %s'", STR_ARG(value),
			type && (strstr(type, "int") || strstr(type, "elastic")) ? "int" : "string");
	return true;
}

/*
 * The text of `"%s-%d" % (n, n)` with the values substituted for its marks; empty when there are not as many values as
 * marks.
 */
static struct str with_values(const struct fault *f, struct str format, size_t i, size_t close)
{
	struct str text = STR("");
	size_t from = 0;

	for (size_t k = 0; k + 1 < format.n; k++) {
		if (format.p[k] != '%' || !strchr("sd", format.p[k + 1]))
			continue;
		struct str value = i < close ? fault_rest(f, i) : STR("");
		if (!value.n)
			return STR("");
		text = str_printf(f->p->arena, "%.*s%.*s${%.*s}", STR_ARG(text), (int)(k - from), format.p + from,
			STR_ARG(value));
		for (uint32_t end = f->at[i].start + (uint32_t)value.n; f->at[i].start < end;)
			i++;
		i++;                            /* skips the comma */
		from = k + 2;
	}
	return i < close ? STR("") :
		str_printf(f->p->arena, "%.*s%.*s", STR_ARG(text), (int)(format.n - from), format.p + from);
}

static bool help_tuple_format(struct fault *f, struct diag *d)
{
	size_t open = f->i, close = f->line_end ? 0 : find_on_line(f, f->i, TOKEN_RPAREN);

	while (open > f->item && f->at[open].kind != TOKEN_LPAREN)
		open--;
	if (!close || f->found.kind != TOKEN_COMMA || open < f->item + 2 || f->at[open - 1].kind != TOKEN_PERCENT ||
		f->at[open - 2].kind != TOKEN_STRING)
		return false;
	struct str format = tokens_text(&f->p->tokens, f->at[open - 2].start, f->at[open - 2].end);
	struct str right = with_values(f, format, open + 1, close);
	if (right.n)
		diag_help(f->p->diags, d, "every string can contain '${...}': write %.*s", STR_ARG(right));
	else
		diag_help(f->p->diags, d, "every string can contain '${...}': write each mark as ${x}");
	return true;
}

/* Adds help for `s[:2]` or `s[1:]`. */
static bool help_slice(struct fault *f, struct diag *d)
{
	bool front = !f->line_end && f->found.kind == TOKEN_COLON && f->previous == TOKEN_LBRACKET;
	bool back = !f->line_end && f->found.kind == TOKEN_RBRACKET && f->previous == TOKEN_COLON;
	size_t open = f->i;

	while (open > f->item && f->at[open].kind != TOKEN_LBRACKET)
		open--;
	size_t from = operand_before(f, open);
	if ((!front && !back) || open <= f->item || from == open)
		return false;
	struct str base = text_between(f, from, open), end = front ? fault_rest(f, f->i + 1) : STR("");
	if (end.n && f->at[open - 1].kind == TOKEN_STRING)
		diag_help(f->p->diags, d, "write 'cut(%.*s, %.*s)'", STR_ARG(base), STR_ARG(end));
	else if (end.n)
		diag_help(f->p->diags, d,
			"for a text write 'cut(%.*s, %.*s)', for a list '[%.*s[i] for i in range(%.*s)]'",
			STR_ARG(base), STR_ARG(end), STR_ARG(base), STR_ARG(end));
	else
		diag_help(f->p->diags, d, "of a text 'cut(text, n)' is the first n characters; of a list write "
			"'[%.*s[i] for i in range(%.*s, len(%.*s))]'", STR_ARG(base),
			STR_ARG(text_between(f, open + 1, f->i - 1)), STR_ARG(base));
	return true;
}

/* Adds help for `memory = .5Gi`. */
static bool help_fraction(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	const struct token *number = &f->at[f->i + 1];

	if (f->line_end || f->found.kind != TOKEN_DOT || !f->expected[TOKEN_INT] || number->start != f->found.end ||
	    (number->kind != TOKEN_INT && number->kind != TOKEN_QUANTITY))
		return false;
	diag_help(ds, d, "write '0.%.*s'", STR_ARG(fault_text(f, f->i + 1)));
	diag_fix(ds, d, (struct span){ f->found.start, f->found.start }, STR("0"), "write '0.%.*s'",
		STR_ARG(fault_text(f, f->i + 1)));
	return true;
}

bool help_habit(struct fault *f, struct diag *d)
{
	static bool (*const habits[])(struct fault *, struct diag *) = {
		help_inside, help_role_colon, help_walrus, help_framework, help_two_loops, help_loop, help_type_list,
		help_type_brackets, help_type_angles, help_type_comparison, help_type_as_value,
		help_type_text, help_wrap, help_template, help_tuple_format, help_slice, help_power,
		help_word_operator, help_fraction,
	};

	for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
		if (habits[i](f, d))
			return true;
	return false;
}
