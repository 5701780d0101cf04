/*
 * complain.c - what to say about a token that cannot stand where it is.
 */
#include "syntax/parse_state.h"

#include "trainc.tab.h"

void parse_too_deep(struct parse *p, struct span at)
{
	struct diag *d = diag_report(p->diags, TJ0114, at, "brackets are nested more than %d deep", BRACKETS_MAX);
	diag_help(p->diags, d, "split the expression with 'let'");
}

void parse_complain(struct parse *p, int kind, const bool expected[PARSE_KINDS])
{
	struct token t = p->feed.last;
	(void)expected;
	p->failed = true;
	p->indent = ANY_INDENT;
	if (kind == TOKEN_JUNK)
		return;
	diag_report(p->diags, TJ0102, (struct span){ t.start, t.end }, "unexpected '%.*s'",
	            STR_ARG(tokens_text(&p->tokens, t.start, t.end)));
}
