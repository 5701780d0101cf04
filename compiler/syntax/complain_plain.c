/*
 * complain_plain.c - two items on a line, and everything else.
 */
#include "syntax/complain.h"

#include "base/quantity.h"
#include "diag/suggest.h"
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

/* Can this token begin an item (in a body) or a declaration? */
static bool begins(const struct fault *f)
{
	int kind = f->found.kind;
	if (!f->p->feed.depth)
		return token_is_word(kind) && kind != TOKEN_THEN && kind != TOKEN_ELSE && kind != TOKEN_IN && kind != TOKEN_AND &&
		       kind != TOKEN_OR && kind != TOKEN_NOT && kind != TOKEN_TRUE && kind != TOKEN_FALSE && kind != TOKEN_NONE;
	return kind == TOKEN_IDENT || kind == TOKEN_STRING || kind == TOKEN_STR_OPEN || kind == TOKEN_SPREAD ||
	       (token_is_word(kind) && kind != TOKEN_THEN && kind != TOKEN_ELSE && kind != TOKEN_IN && kind != TOKEN_AND &&
	        kind != TOKEN_OR && kind != TOKEN_NOT);
}

/* `memory = 64 Gi`. */
static bool complain_unit(struct fault *f)
{
	struct diags *ds = f->p->diags;
	const struct token *number = &f->at[f->i - 1];

	if (f->line_end || f->found.kind != TOKEN_IDENT || (number->kind != TOKEN_INT && number->kind != TOKEN_FLOAT))
		return false;
	struct str whole = str_printf(f->p->arena, "%.*s%.*s", STR_ARG(fault_text(f, f->i - 1)), STR_ARG(fault_text(f, f->i)));
	enum unit_kind unit = quantity_unit(whole);
	if (unit != UNIT_AMOUNT && unit != UNIT_DURATION)
		return false;
	struct span gap = { number->end, f->found.start };
	struct diag *d = diag_report(ds, TJ0102, (struct span){ number->start, f->found.end }, "a quantity is one word");
	diag_help(ds, d, "write '%.*s'", STR_ARG(whole));
	diag_fix(ds, d, gap, STR(""), "write '%.*s'", STR_ARG(whole));
	return true;
}

/* TJ0105: a complete item, and another one on its line. */
bool complain_separator(struct fault *f)
{
	struct diags *ds = f->p->diags;
	bool body = f->p->feed.depth != 0;

	if (!(f->expected[TOKEN_NL] || f->expected[TOKEN_EOL]) || f->line_end)
		return false;
	if (complain_unit(f))
		return true;
	if (!begins(f))
		return false;
	bool sure = body ? tokens_item(&f->p->tokens, f->i) || token_is_word(f->found.kind) || f->found.kind == TOKEN_SPREAD
	                 : true;
	struct diag *d = diag_report(ds, TJ0105, fault_span(f), "expected a new line%s before '%.*s'", body ? " or ','" : "",
	                             STR_ARG(fault_text(f, f->i)));
	struct str rest = fault_rest(f, f->i);
	if (rest.n && sure)
		diag_help(ds, d, "put '%.*s' on its own line", STR_ARG(rest));
	else
		diag_help(ds, d, "put it on its own line");
	if (body && sure) {
		uint32_t at = f->at[f->i - 1].end;
		diag_fix(ds, d, (struct span){ at, at }, STR(","), "insert ','");
	}
	if (sure)
		f->p->resume = f->i;
	return true;
}

/* At the top level, something that declares nothing. */
static void help_declaration(struct fault *f, struct diag *d)
{
	static const char *const declarations[] = {
		"import", "param", "let", "fn", "type", "framework", "accelerator", "job", "profile", "test", "policy", "project",
		"check", "warn", "for",
	};
#define BLOCK(word, parents, doc) word,
#define FIELD(id, name, blocks, type, fallback, doc)
#define FUNCTION(id, name, signature, doc)
#define UNIT(suffix, doc)
	static const char *const blocks[] = {
#include "vocabulary.def"
	};
	struct diags *ds = f->p->diags;
	struct str text = fault_text(f, f->i);
	struct suggest s;

	if (f->found.kind != TOKEN_IDENT)
		return;
	int next = f->at[f->i + 1].kind;
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		if (str_is(text, blocks[i]) && next != TOKEN_ASSIGN) {
			diag_help(ds, d, "'%.*s' stands in the body of a job or a framework", STR_ARG(text));
			return;
		}
	}
	suggest_init(&s, f->p->arena, text);
	for (size_t i = 0; i < sizeof(declarations) / sizeof(declarations[0]); i++)
		suggest_add(&s, str_of(declarations[i]));
	struct str only = suggest_only(&s);
	struct str rest = fault_rest(f, f->i);
	if (only.n && next != TOKEN_ASSIGN) {
		diag_help(ds, d, "%.*s", STR_ARG(suggest_sentence(&s)));
		diag_fix(ds, d, fault_span(f), only, "write '%.*s'", STR_ARG(only));
	} else if (next == TOKEN_ASSIGN && rest.n) {
		diag_help(ds, d, "write 'let %.*s'; fields stand in the body of a job", STR_ARG(rest));
	}
}

/* Help for what is seen most often; nothing when it is not. */
static void help_plain(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	int kind = f->line_end ? TOKEN_EOL : f->found.kind;
	uint32_t before = f->i ? f->at[f->i - 1].end : 0;
	struct str rest = fault_rest(f, f->i);

	if (f->expected[TOKEN_ASSIGN] && f->i == f->item + 1 && starts_value(kind) && kind != TOKEN_LBRACE && f->p->feed.depth) {
		if (rest.n)
			diag_help(ds, d, "write '%.*s = %.*s'", STR_ARG(fault_text(f, f->item)), STR_ARG(rest));
		else
			diag_help(ds, d, "a field is set with '='");
		diag_fix(ds, d, (struct span){ before, before }, STR(" ="), "insert '='");
	} else if (kind == TOKEN_ASSIGN && f->expected[TOKEN_EQ]) {
		diag_help(ds, d, "'==' compares");
	} else if (kind == TOKEN_ASSIGN && f->i >= 2 && f->at[f->i - 2].kind == TOKEN_PARAM) {
		diag_help(ds, d, "a parameter has a type: 'param %.*s: int = 4'", STR_ARG(fault_text(f, f->i - 1)));
	} else if (f->at[f->item].kind == TOKEN_PARAM && f->i == f->item + 2 && kind == TOKEN_IDENT) {
		diag_help(ds, d, "write 'param %.*s: %.*s'", STR_ARG(fault_text(f, f->i - 1)), STR_ARG(rest.n ? rest : STR("...")));
		diag_fix(ds, d, (struct span){ before, before }, STR(":"), "insert ':'");
	} else if (f->expected[TOKEN_COLON] && !f->expected[TOKEN_ASSIGN] && !f->expected[TOKEN_LBRACE] && f->previous == TOKEN_IDENT &&
	           !f->expected[TOKEN_PLUS]) {
		diag_help(ds, d, "an argument has a type: '%.*s: int'", STR_ARG(fault_text(f, f->i - 1)));
	} else if (kind == TOKEN_QUESTION) {
		diag_help(ds, d, "a choice is written 'if c then a else b'");
	} else if (f->expected[TOKEN_COMMA] && starts_value(kind) && (f->expected[TOKEN_RBRACKET] || f->expected[TOKEN_RPAREN])) {
		diag_help(ds, d, "separate them with ','");
		diag_fix(ds, d, (struct span){ before, before }, STR(","), "insert ','");
	} else if (kind >= TOKEN_EQ && kind <= TOKEN_GE && f->expected[TOKEN_AND]) {
		diag_help(ds, d, "comparisons do not chain: write 'a < b and b < c'");
	} else if (kind == TOKEN_MINUS && f->expected[TOKEN_SPREAD]) {
		diag_help(ds, d, "a list is written in brackets: 'args = [a, b]'");
	} else if (f->expected[TOKEN_JOB] && f->expected[TOKEN_FRAMEWORK] && !f->expected[TOKEN_IDENT]) {
		help_declaration(f, d);
	} else if (f->expected[TOKEN_ELSE]) {
		bool check = f->at[f->item].kind == TOKEN_CHECK || f->at[f->item].kind == TOKEN_WARN;
		diag_help(ds, d, check ? "a check ends with 'else' and the message to show when it fails"
		                       : "a choice has both branches: 'if c then a else b'");
	} else if (f->expected[TOKEN_THEN] && !f->expected[TOKEN_LBRACE]) {
		diag_help(ds, d, "a choice is written 'if c then a else b'");
	} else if (f->at[f->item].kind == TOKEN_JOB && f->i > f->item + 1 && kind == TOKEN_IDENT && f->expected[TOKEN_COLON]) {
		diag_help(ds, d, "the framework stands behind a colon: ': %.*s'", STR_ARG(fault_text(f, f->i)));
		diag_fix(ds, d, (struct span){ before, before }, STR(":"), "insert ':'");
	}
}

static struct str found_text(const struct fault *f)
{
	if (f->found.kind == TOKEN_END || (f->line_end && f->at[f->i].kind == TOKEN_END))
		return STR("the end of the text");
	if (f->line_end)
		return STR("the end of the line");
	return str_printf(f->p->arena, "'%.*s'", STR_ARG(fault_text(f, f->i)));
}

static bool is_operator(int kind)
{
	return (kind >= TOKEN_EQ && kind <= TOKEN_PERCENT) || kind == TOKEN_COALESCE || kind == TOKEN_AND || kind == TOKEN_OR ||
	       kind == TOKEN_NOT || kind == TOKEN_IN;
}

/* `x = 1 +` and the next line begins `y = ` or `y {`: the parser went on to the sign. */
static bool complain_operator(struct fault *f)
{
	struct diags *ds = f->p->diags;
	size_t line = f->i - 1;

	if (f->line_end || (f->found.kind != TOKEN_ASSIGN && f->found.kind != TOKEN_LBRACE) || f->i < f->item + 2)
		return false;
	if (!(f->at[line].flags & FLAG_LINE) || !is_operator(f->at[line - 1].kind) || !feed_lines_matter(&f->p->feed))
		return false;
	uint32_t end = f->at[line - 1].end;
	diag_report(ds, TJ0102, (struct span){ end, end }, "expected a value after '%.*s', found the end of the line",
	            STR_ARG(fault_text(f, line - 1)));
	f->p->resume = line;
	return true;
}

void complain_plain(struct fault *f)
{
	struct parse *p = f->p;
	struct str expected = expected_text(p->arena, f->expected, f->previous);
	struct str found = found_text(f);
	struct diag *d;

	if (complain_operator(f))
		return;
	if (f->i > f->item && !(f->at[f->i - 1].flags & FLAG_VIRTUAL))
		d = diag_report(p->diags, TJ0102, fault_span(f), "expected %.*s after '%.*s', found %.*s", STR_ARG(expected),
		                STR_ARG(fault_text(f, f->i - 1)), STR_ARG(found));
	else
		d = diag_report(p->diags, TJ0102, fault_span(f), "expected %.*s, found %.*s", STR_ARG(expected), STR_ARG(found));
	help_plain(f, d);
}
