/*
 * complain_plain.c - the message for every error that no other function recognizes: what was expected, what was found,
 * and the most common mistakes of that kind.
 */
#include "syntax/help/complain.h"

#include "base/quantity.h"
#include "trainc.tab.h"

static bool starts_value(int kind)
{
	switch (kind) {
	case TOKEN_IDENT: case TOKEN_INT: case TOKEN_FLOAT: case TOKEN_QUANTITY: case TOKEN_TOPOLOGY: case TOKEN_STRING:
	case TOKEN_STR_OPEN: case TOKEN_TRUE: case TOKEN_FALSE: case TOKEN_NONE: case TOKEN_LBRACKET: case TOKEN_LBRACE:
		return true;
	default:
		return false;
	}
}

static uint32_t end_before(const struct fault *f)
{
	return f->i ? f->at[f->i - 1].end : 0;
}

/* Adds help for a comment of SQL, Lua or Haskell: -- text. */
static bool help_dashes(struct fault *f, struct diag *d)
{
	const struct token *t = &f->at[f->i];

	if (t->kind != TOKEN_MINUS || t[1].kind != TOKEN_MINUS || t->end != t[1].start)
		return false;
	diag_help(f->p->diags, d, "a comment begins with '#'");
	diag_fix(f->p->diags, d, (struct span){ t->start, t[1].end }, STR("#"), "write '#'");
	return true;
}

/* Is this the first item of `ports { }`? */
static bool opens_ports(const struct fault *f)
{
	return f->i >= 2 && f->at[f->i - 1].kind == TOKEN_LBRACE && str_is(fault_text(f, f->i - 2), "ports");
}

/* Adds help on what is missing in a field, a key or a body. */
static bool help_item(struct fault *f, struct diag *d, int kind)
{
	struct diags *ds = f->p->diags;
	struct str rest = fault_rest(f, f->i);
	uint32_t before = end_before(f);

	if (f->expected[TOKEN_ASSIGN] && f->i == f->item + 1 && starts_value(kind) && kind != TOKEN_LBRACE &&
		f->p->feed.depth) {
		if (rest.n && !memmem(rest.p, rest.n, "->", 2))
			diag_help(ds, d, "write '%.*s = %.*s'", STR_ARG(fault_text(f, f->item)), STR_ARG(rest));
		else
			diag_help(ds, d, "a field is set with '='");
		diag_fix(ds, d, (struct span){ before, before }, STR(" ="), "insert '='");
	} else if (f->line_end && f->i == f->item + 1 && f->expected[TOKEN_ASSIGN] && f->p->feed.depth &&
		f->at[f->item].kind == TOKEN_IDENT) {
		diag_help(ds, d, "write a value after the name, as in '%.*s = ...'", STR_ARG(fault_text(f, f->item)));
	} else if (kind == TOKEN_ASSIGN && f->expected[TOKEN_EQ]) {
		diag_help(ds, d, "'==' compares");
	} else if (kind == TOKEN_INT && f->expected[TOKEN_SPREAD] && opens_ports(f) &&
		f->at[f->i + 1].kind != TOKEN_ASSIGN) {
		diag_help(ds, d, "each port has a name: ports { http = %.*s }", STR_ARG(fault_text(f, f->i)));
	} else if (kind == TOKEN_INT && f->expected[TOKEN_SPREAD] && f->at[f->i + 1].kind == TOKEN_ASSIGN) {
		struct str text = fault_text(f, f->i), value = fault_text(f, f->i + 2);
		bool name = f->at[f->i + 2].kind == TOKEN_STRING &&
			letters_only((struct str){ value.p + 1, value.n - 2 });
		if (name)
			diag_help(ds, d, "the name comes first: '%.*s = %.*s'", (int)value.n - 2, value.p + 1,
				STR_ARG(text));
		else
			diag_help(ds, d, "a key is a name or quoted text: '\"%.*s\"'", STR_ARG(text));
	} else if (help_dashes(f, d)) {
		return true;
	} else if (kind == TOKEN_MINUS && f->expected[TOKEN_SPREAD]) {
		diag_help(ds, d, "a list is written in brackets: 'args = [a, b]'");
	} else {
		return false;
	}
	return true;
}

/* The type of a parameter whose default begins with the token I; NULL for an expression, which may have any type. */
static const char *type_of_default(const struct fault *f, size_t i)
{
	struct str text = fault_text(f, i);
	const struct token *next = &f->at[i + 1 + (f->at[i].kind == TOKEN_MINUS)];
	struct quantity q;

	if (next->kind != TOKEN_END && !(next->flags & FLAG_LINE) && f->at[i].kind != TOKEN_LBRACKET &&
		f->at[i].kind != TOKEN_STR_OPEN)
		return NULL;
	switch (f->at[i].kind) {
	case TOKEN_STRING: case TOKEN_STR_OPEN: return "string";
	case TOKEN_INT: return "int";
	case TOKEN_FLOAT: return "float";
	case TOKEN_TRUE: case TOKEN_FALSE: return "bool";
	case TOKEN_QUANTITY:
		return duration_parse(text, &q) == QUANTITY_OK ? "duration" : str_ends(text, STR("i")) ? "memory"
			: NULL;
	case TOKEN_MINUS: return f->at[i + 1].kind == TOKEN_INT ? "int" : NULL;
	case TOKEN_LBRACKET:
		return f->at[i + 1].kind == TOKEN_STRING ? "list[string]" : f->at[i + 1].kind == TOKEN_INT ? "list[int]"
			: NULL;
	default: return NULL;
	}
}

/* Adds help on what is missing in the head of a declaration. */
static bool help_head(struct fault *f, struct diag *d, int kind)
{
	struct diags *ds = f->p->diags;
	int head = f->at[f->item].kind;
	struct str rest = fault_rest(f, f->i);
	uint32_t before = end_before(f);

	if (kind == TOKEN_ASSIGN && f->i >= 2 && f->at[f->i - 2].kind == TOKEN_PARAM) {
		const char *type = type_of_default(f, f->i + 1);
		struct str value = type ? fault_rest(f, f->i + 1) : STR("4");
		diag_help(ds, d, "a parameter has a type: 'param %.*s: %s = %.*s'", STR_ARG(fault_text(f, f->i - 1)),
			type ? type : "int", STR_ARG(value));
		if (type)
			diag_fix(ds, d, (struct span){ before, before }, str_cat(ds->arena, STR(": "), str_of(type),
				STR("")), "insert the type");
	} else if (head == TOKEN_PARAM && f->i == f->item + 1 && kind == TOKEN_STRING) {
		struct str text = fault_text(f, f->i);
		bool name = text.n > 2 && letters_only((struct str){ text.p + 1, text.n - 2 });
		diag_help(ds, d,
			"a parameter has a name without quotes, a type and maybe a default: 'param %.*s: int = 4'",
			name ? (int)text.n - 2 : 1,
			name ? text.p + 1 : "n");
	} else if (head == TOKEN_PARAM && f->i == f->item + 2 && kind == TOKEN_IDENT) {
		diag_help(ds, d, "write 'param %.*s: %.*s'", STR_ARG(fault_text(f, f->i - 1)),
			STR_ARG(rest.n ? rest : STR("...")));
		diag_fix(ds, d, (struct span){ before, before }, STR(":"), "insert ':'");
	} else if (f->expected[TOKEN_COLON] && !f->expected[TOKEN_ASSIGN] && !f->expected[TOKEN_LBRACE] &&
		f->previous == TOKEN_IDENT &&
	           !f->expected[TOKEN_PLUS]) {
		diag_help(ds, d, "an argument has a type: '%.*s: int'", STR_ARG(fault_text(f, f->i - 1)));
	} else if (head == TOKEN_FN && kind == TOKEN_COLON && f->expected[TOKEN_ARROW]) {
		diag_help(ds, d, "the type of the result follows '->'");
		diag_fix(ds, d, (struct span){ before, f->found.end }, STR(" ->"), "write '->'");
	} else if (head == TOKEN_FN && kind == TOKEN_ASSIGN && f->expected[TOKEN_ARROW]) {
		diag_help(ds, d, "a function has the type of its result: 'fn f(a: int) -> int = a + 1'");
	} else if (head == TOKEN_FN && kind == TOKEN_LBRACE && f->expected[TOKEN_ASSIGN]) {
		diag_help(ds, d, "a function is one expression: 'fn f(a: int) -> int = a + 1'");
	} else if (f->expected[TOKEN_JOB] && f->expected[TOKEN_FRAMEWORK] && !f->expected[TOKEN_IDENT]) {
		if (!help_dashes(f, d))
			help_declaration(f, d);
	} else if (head == TOKEN_JOB && f->i > f->item + 1 && kind == TOKEN_IDENT && f->expected[TOKEN_COLON] &&
		before < f->found.start &&
	           f->at[f->i + 1].kind == TOKEN_IDENT && !(f->at[f->i + 1].flags & FLAG_LINE)) {
		struct span framework = fault_joined(f, f->i + 1);      /* the framework follows a word such as
									 * `extends`, `uses` or `is` */
		struct str name = tokens_text(&f->p->tokens, framework.start, framework.end);
		diag_help(ds, d, "the framework follows a colon: ': %.*s'", STR_ARG(name));
		diag_fix(ds, d, (struct span){ before, f->found.end }, STR(":"), "write ':'");
	} else if (head == TOKEN_JOB && f->i > f->item + 1 && kind == TOKEN_IDENT && f->expected[TOKEN_COLON]) {
		diag_help(ds, d, "the framework follows a colon: ': %.*s'", STR_ARG(fault_text(f, f->i)));
		diag_fix(ds, d, (struct span){ before, before }, STR(":"), "insert ':'");
	} else if (head == TOKEN_FOR && kind == TOKEN_LBRACE && f->expected[TOKEN_JOB]) {
		diag_help(ds, d, "no braces around the job: 'for x in xs job \"name-${x}\" { ... }'");
	} else if (head == TOKEN_JOB && kind == TOKEN_ASSIGN) {
		struct span framework = fault_joined(f, f->i + 1);
		struct str name = tokens_text(&f->p->tokens, framework.start, framework.end);
		diag_help(ds, d, "the framework follows a colon: ': %.*s'", STR_ARG(name));
		diag_fix(ds, d, fault_span(f), STR(":"), "write ':'");
	} else {
		return false;
	}
	return true;
}

/* The token that closes the bracket at `open`; 0 when it is far away. */
static size_t partner(const struct fault *f, size_t open)
{
	size_t depth = 0;

	for (size_t i = open; f->at[i].kind != TOKEN_END && i - open < 200; i++) {
		depth += f->at[i].kind == TOKEN_LPAREN;
		depth -= f->at[i].kind == TOKEN_RPAREN;
		if (!depth)
			return i;
	}
	return 0;
}

/* Adds help for `command = ("python", "train.py")`. */
static bool help_tuple(struct fault *f, struct diag *d, int kind)
{
	size_t value = f->item;

	while (value < f->i && f->at[value].kind != TOKEN_ASSIGN)
		value++;
	if (kind != TOKEN_COMMA || !f->expected[TOKEN_RPAREN] || ++value >= f->i || f->at[value].kind != TOKEN_LPAREN)
		return false;
	struct str text = fault_rest(f, value);
	size_t close = partner(f, value);
	if (text.n < 2 || !close || f->at[close].end != f->at[value].start + text.n) {
		struct str inside = close ? tokens_text(&f->p->tokens, f->at[value].end, f->at[close].start) : STR("");
		if (!inside.n || memchr(inside.p, '\n', inside.n))
			inside = STR("a, b");
		diag_help(f->p->diags, d, "a list is written in brackets: '[%.*s]'", STR_ARG(inside));
		return true;
	}
	struct str list = str_printf(f->p->arena, "[%.*s]", (int)text.n - 2, text.p + 1);
	uint32_t start = f->at[value].start;
	diag_help(f->p->diags, d, "a list is written in brackets: %.*s", STR_ARG(list));
	diag_fix(f->p->diags, d, (struct span){ start, start + (uint32_t)text.n }, list, "write brackets");
	return true;
}

/* Adds help on what is missing in an expression. */
static void help_expression(struct fault *f, struct diag *d, int kind)
{
	struct diags *ds = f->p->diags;
	uint32_t before = end_before(f);

	if (help_tuple(f, d, kind))
		return;
	if (kind == TOKEN_QUESTION) {
		diag_help(ds, d, "a choice is written 'if c then a else b'");
	} else if (f->expected[TOKEN_COMMA] && starts_value(kind) &&
		(f->expected[TOKEN_RBRACKET] || f->expected[TOKEN_RPAREN])) {
		diag_help(ds, d, "separate them with ','");
		diag_fix(ds, d, (struct span){ before, before }, STR(","), "insert ','");
	} else if (kind >= TOKEN_EQ && kind <= TOKEN_GE && f->expected[TOKEN_AND]) {
		diag_help(ds, d, "comparisons do not chain: write 'a < b and b < c'");
	} else if (f->expected[TOKEN_ELSE] && !f->expected[TOKEN_IF]) {
		bool check = f->at[f->item].kind == TOKEN_CHECK || f->at[f->item].kind == TOKEN_WARN;
		const struct token *message = &f->at[f->i + 1];
		if (check && kind == TOKEN_COMMA && message->kind == TOKEN_STRING) {
			diag_help(ds, d, "write 'else %.*s'", STR_ARG(fault_text(f, f->i + 1)));
			diag_fix(ds, d, (struct span){ before, message->start }, STR(" else "), "write 'else'");
			f->p->resume = f->i + 2;
			return;
		}
		diag_help(ds, d, check ? "a check ends with 'else' and the message to show when it fails"
		                       : "a choice has both branches: 'if c then a else b'");
	} else if (f->expected[TOKEN_THEN] && !f->expected[TOKEN_IF] && !f->expected[TOKEN_LBRACE]) {
		diag_help(ds, d, "a choice is written 'if c then a else b'");
	} else if (f->i == f->item + 1 && (kind == TOKEN_COMMA || kind == TOKEN_RBRACE) && f->p->feed.depth) {
		diag_help(ds, d, "braces hold 'key = value'; a list is written in brackets: '[a, b]'");
	}
}

/* Adds help for the most frequent slips. */
static void help_plain(struct fault *f, struct diag *d)
{
	int kind = f->line_end ? TOKEN_EOL : f->found.kind;

	if (help_update(f, d) || help_optional(f, d) || help_function(f, d) || help_habit(f, d) || help_title(f, d) ||
		help_pair(f, d) || help_sign(f, d) || help_comment(f, d) || help_import(f, d) || help_entry(f, d) ||
		help_name(f, d) || help_item(f, d, kind) || help_head(f, d, kind))
		return;
	help_expression(f, d, kind);
}

static struct str found_text(const struct fault *f)
{
	if (f->found.kind == TOKEN_END || (f->line_end && f->at[f->i].kind == TOKEN_END))
		return STR("the end of the text");
	if (f->line_end)
		return STR("the end of the line");
	return str_printf(f->p->arena, "'%.*s'", STR_ARG(fault_text(f, f->i)));
}

void complain_plain(struct fault *f)
{
	struct parse *p = f->p;
	struct str expected = expected_text(p->arena, f->expected, f->previous);
	struct str found = found_text(f);
	struct diag *d;

	if (f->i > f->item && !(f->at[f->i - 1].flags & FLAG_VIRTUAL))
		d = diag_report(p->diags, TJ0102, fault_span(f), "expected %.*s after '%.*s', found %.*s",
			STR_ARG(expected),
		                STR_ARG(fault_text(f, f->i - 1)), STR_ARG(found));
	else
		d = diag_report(p->diags, TJ0102, fault_span(f), "expected %.*s, found %.*s", STR_ARG(expected),
			STR_ARG(found));
	help_plain(f, d);
}
