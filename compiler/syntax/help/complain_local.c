/*
 * complain_local.c - messages about `let x = 1 in x + 1` inside an expression: `in` is missing, or the value does not
 * end where it should.
 */
#include "syntax/help/complain.h"

#include "trainc.tab.h"

enum { MOST_LOOKED_AT = 256 };

static bool opens(int kind)
{
	return kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET || kind == TOKEN_LBRACE || kind == TOKEN_INTERP_OPEN;
}

static bool closes(int kind)
{
	return kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET || kind == TOKEN_RBRACE || kind == TOKEN_INTERP_CLOSE;
}

/*
 * The last name before the error whose `let` has no `in` yet, within the brackets around the error; 0 if every
 * `let` has its `in`.
 */
static size_t open_name(const struct fault *f)
{
	unsigned inside = 0;
	size_t name = 0;

	for (size_t i = f->i, n = 0; i-- > f->item + 1 && n < MOST_LOOKED_AT; n++) {
		int kind = f->at[i].kind;
		bool named = kind == TOKEN_IDENT &&
			(f->at[i + 1].kind == TOKEN_ASSIGN || f->at[i + 1].kind == TOKEN_COLON);
		if (closes(kind))
			inside++;
		else if (opens(kind) && !inside--)
			return 0;
		if (inside)
			continue;
		if (kind == TOKEN_IN)
			return 0;
		if (named && !name && (f->at[i - 1].kind == TOKEN_LET || f->at[i - 1].kind == TOKEN_COMMA))
			name = i;
		if (kind == TOKEN_LET)
			return name;
	}
	return 0;
}

/* Does the value of a `let` need parentheses if it contains an operator of this kind? */
static bool needs_parentheses(int kind)
{
	return (kind >= TOKEN_EQ && kind <= TOKEN_GE) || kind == TOKEN_AND || kind == TOKEN_OR || kind == TOKEN_NOT ||
		kind == TOKEN_IF ||
	       kind == TOKEN_COALESCE || kind == TOKEN_LET;
}

bool complain_local(struct fault *f)
{
	size_t name = open_name(f);
	int kind = f->line_end ? TOKEN_EOL : f->found.kind;
	bool whole = f->expected[TOKEN_COMMA] || f->expected[TOKEN_IN], begins = f->previous == TOKEN_ASSIGN;

	if (!name || f->i < name + (begins ? 2 : 3) || !(begins ? needs_parentheses(kind) : whole))
		return false;
	struct diags *ds = f->p->diags;
	struct str word = fault_text(f, name),
		found = f->line_end ? STR("the end of the line") :
		str_printf(f->p->arena, "'%.*s'", STR_ARG(fault_text(f, f->i)));
	struct diag *d;
	if (needs_parentheses(kind) && !f->line_end) {
		d = diag_report(ds, TJ0102, fault_span(f),
			"the value of '%.*s' ends before 'in', and %.*s goes in parentheses", STR_ARG(word),
			STR_ARG(found));
		diag_help(ds, d, "write 'let %.*s = (...) in ...'", STR_ARG(word));
	} else {
		d = diag_report(ds, TJ0102, fault_span(f), "expected 'in' after the value of '%.*s', found %.*s",
			STR_ARG(word), STR_ARG(found));
		diag_help(ds, d,
			"write the 'let' before the expression that uses the name: 'let %.*s = 2 in %.*s * %.*s'",
			STR_ARG(word),
			STR_ARG(word), STR_ARG(word));
	}
	return true;
}
