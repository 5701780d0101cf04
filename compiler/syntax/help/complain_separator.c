/*
 * complain_separator.c - reports something that follows a complete item on its line: TJ0105, or a message about a habit
 * if the second part is not meant as an item.
 */
#include "syntax/help/complain.h"

#include "base/quantity.h"
#include "syntax/fields.h"
#include "trainc.tab.h"

/* Can this token begin an item (in a body) or a declaration? */
static bool begins(const struct fault *f)
{
	int kind = f->found.kind;
	if (!f->p->feed.depth)
		return token_is_word(kind) && kind != TOKEN_THEN && kind != TOKEN_ELSE && kind != TOKEN_IN &&
			kind != TOKEN_AND &&
		       kind != TOKEN_OR && kind != TOKEN_NOT && kind != TOKEN_TRUE && kind != TOKEN_FALSE &&
		kind != TOKEN_NONE;
	return kind == TOKEN_IDENT || kind == TOKEN_STRING || kind == TOKEN_STR_OPEN || kind == TOKEN_SPREAD ||
	       (token_is_word(kind) && kind != TOKEN_THEN && kind != TOKEN_ELSE && kind != TOKEN_IN &&
		kind != TOKEN_AND &&
	        kind != TOKEN_OR && kind != TOKEN_NOT);
}

/* Reports `memory = 64 Gi` or `cpu = 32 cores`. */
static bool complain_unit(struct fault *f)
{
	struct diags *ds = f->p->diags;
	const struct token *number = &f->at[f->i - 1];

	if (f->line_end || f->found.kind != TOKEN_IDENT || (number->kind != TOKEN_INT && number->kind != TOKEN_FLOAT) ||
	    tokens_item(&f->p->tokens, f->i))
		return false;
	struct str amount = fault_text(f, f->i - 1), word = fault_text(f, f->i);
	struct str whole = str_cat(f->p->arena, amount, word, STR(""));
	enum unit_kind unit = quantity_unit(whole);
	const char *meant = quantity_unit_of(amount, word);
	if (unit != UNIT_AMOUNT && unit != UNIT_DURATION && !meant)
		return false;
	struct span at = { number->start, f->found.end };
	struct diag *d;
	if (meant && !*meant) {
		d = diag_report(ds, TJ0102, fault_span(f), "expected a new line or ',' after '%.*s', found '%.*s'",
			STR_ARG(amount), STR_ARG(word));
		diag_help(ds, d, "CPUs are counted without a unit: write '%.*s'", STR_ARG(amount));
		diag_fix(ds, d, at, amount, "write '%.*s'", STR_ARG(amount));
		return true;
	}
	d = diag_report(ds, TJ0102, at, "a quantity is one word");
	if (meant && str_is(str_of(quantity_unit_meant(word)), "G"))
		diag_help(ds, d, "write '%.*sGi' for %.*s x 2^30 bytes, '%.*sG' for %.*s x 10^9", STR_ARG(amount),
			STR_ARG(amount),
		          STR_ARG(amount), STR_ARG(amount));
	if (meant)
		whole = str_cat(f->p->arena, amount, str_of(meant), STR(""));
	if (!d->help.n)
		diag_help(ds, d, "write '%.*s'", STR_ARG(whole));
	diag_fix(ds, d, at, whole, "write '%.*s'", STR_ARG(whole));
	return true;
}

/* Adds help for another language's comment on this line: `cpu = 32 // how many`, or `-- how many` alone. */
bool help_comment(struct fault *f, struct diag *d)
{
	size_t first = f->i;

	if (f->line_end)
		return false;
	while (first > f->item && f->i - first < 64 && !(f->at[first].flags & FLAG_LINE))
		first--;
	for (size_t i = first; i <= f->i; i++) {
		bool slashes = f->at[i].kind == TOKEN_FLOOR;
		bool star = f->at[i].kind == TOKEN_SLASH && f->at[i + 1].kind == TOKEN_STAR &&
			f->at[i].end == f->at[i + 1].start;
		bool dashes = f->at[i].kind == TOKEN_MINUS && f->at[i + 1].kind == TOKEN_MINUS &&
			f->at[i].end == f->at[i + 1].start && f->at[i].flags & FLAG_LINE;
		if (!slashes && !star && !dashes)
			continue;
		diag_help(f->p->diags, d, "a comment begins with '#'");
		if (!star)
			diag_fix(f->p->diags, d, (struct span){ f->at[i].start, f->at[i + dashes].end }, STR("#"),
				"write '#'");
		return true;
	}
	return false;
}

/* Are parts of two lines mixed up, as in `} worker {`? Then the item that seems to begin here was not meant as one. */
static bool is_mixed_up(const struct fault *f)
{
	return f->previous == TOKEN_RBRACE && f->found.kind == TOKEN_IDENT && f->at[f->i + 1].kind == TOKEN_LBRACE &&
	       !is_field(fault_text(f, f->i));
}

/* Reports `readonly: bool true`. */
static bool complain_default(struct fault *f)
{
	struct diags *ds = f->p->diags;
	int kind = f->found.kind;
	bool literal = kind == TOKEN_STRING || kind == TOKEN_STR_OPEN || kind == TOKEN_TRUE || kind == TOKEN_FALSE ||
		kind == TOKEN_NONE;

	if (!f->expected[TOKEN_ASSIGN] || !literal || f->i < f->item + 3 || f->at[f->item + 1].kind != TOKEN_COLON)
		return false;
	struct diag *d = diag_report(ds, TJ0102, fault_span(f), "expected '=' before '%.*s'",
		STR_ARG(fault_text(f, f->i)));
	diag_help(ds, d, "a default follows the type: '%.*s = %.*s'", STR_ARG(fault_text(f, f->i - 1)),
		STR_ARG(fault_text(f, f->i)));
	diag_fix(ds, d, (struct span){ f->at[f->i - 1].end, f->at[f->i - 1].end }, STR(" ="), "insert '='");
	return true;
}

/* Adds help for `a if c else b`. */
static bool help_choice(struct fault *f, struct diag *d)
{
	size_t i = f->i + 1;

	if (f->line_end || f->found.kind != TOKEN_IF)
		return false;
	while (f->at[i].kind != TOKEN_ELSE && f->at[i].kind != TOKEN_LBRACE && f->at[i].kind != TOKEN_THEN &&
		f->at[i].kind != TOKEN_END &&
	       !(f->at[i].flags & FLAG_LINE))
		i++;
	if (f->at[i].kind != TOKEN_ELSE || f->at[i + 1].kind == TOKEN_LBRACE)
		return false;
	diag_help(f->p->diags, d, "a choice is written 'if c then a else b'");
	return true;
}

/* Returns the function of a condition that WORD names, as in `running = chief started`; "done" for other words. */
static const char *condition_meant(struct str word)
{
	return str_is(word, "started") ? "started" : str_is(word, "ready") ? "ready" : "done";
}

/* Reports TJ0105: a complete item, and another one on its line. */
bool complain_separator(struct fault *f)
{
	struct diags *ds = f->p->diags;
	bool body = f->p->feed.depth != 0;

	if (!(f->expected[TOKEN_NL] || f->expected[TOKEN_EOL]) || f->line_end)
		return false;
	if (complain_unit(f))
		return true;
	if (complain_default(f))
		return true;
	if (!begins(f))
		return false;
	int next = f->at[f->i + 1].kind;
	bool word = token_is_word(f->found.kind) &&
		(next == TOKEN_ASSIGN || next == TOKEN_LBRACE || next == TOKEN_COLON);
	bool statement = f->found.kind == TOKEN_LET || f->found.kind == TOKEN_CHECK || f->found.kind == TOKEN_WARN ||
	                 f->found.kind == TOKEN_IF || f->found.kind == TOKEN_FOR;
	bool sure = !body || tokens_item(&f->p->tokens, f->i) || word || statement || f->found.kind == TOKEN_SPREAD;
	struct diag *d = diag_report(ds, TJ0105, fault_span(f), "expected a new line%s before '%.*s'",
		body ? " or ','" : "",
	                             STR_ARG(fault_text(f, f->i)));
	struct str rest = fault_rest(f, f->i);
	if (help_comment(f, d) || help_pair(f, d) || help_prefix(f, d) || help_choice(f, d))
		return true;
	struct str quoted = body && !sure && f->found.kind == TOKEN_IDENT ? fault_quoted(f) : STR("");
	const char *type = body && !sure ? field_type(fault_text(f, f->item)) : NULL;
	if (type && strcmp(type, "condition?") == 0)
		diag_help(ds, d, "a condition names its role in parentheses: '%.*s = %s(ROLE)'",
			STR_ARG(fault_text(f, f->item)), condition_meant(fault_text(f, f->i)));
	else if (rest.n && sure)
		diag_help(ds, d, "put '%.*s' on its own line", STR_ARG(rest));
	else if (quoted.n)
		diag_help(ds, d, "if text is meant, write '%.*s = %.*s'", STR_ARG(fault_text(f, f->item)),
			STR_ARG(quoted));
	else
		diag_help(ds, d, "put it on its own line");
	if (body && sure) {
		uint32_t at = f->at[f->i - 1].end;
		diag_fix(ds, d, (struct span){ at, at }, STR(","), "insert ','");
	}
	/* the items of a type are declarations of fields */
	bool in_type = body && f->at[f->p->feed.open[0].item].kind == TOKEN_TYPE;
	if (sure && !is_mixed_up(f) && !in_type)
		f->p->resume = f->i;
	return true;
}
