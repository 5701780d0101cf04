/*
 * complain_optional.c - help for types whose values may be none, as other languages write them.
 */
#include "syntax/help/complain.h"

#include "syntax/bar.h"
#include "trainc.tab.h"

/* Adds help for `int or none` or `int or null`. */
static bool help_or(struct fault *f, struct diag *d)
{
	if (f->found.kind != TOKEN_OR || f->previous != TOKEN_IDENT || !word_of_none(fault_text(f, f->i + 1)))
		return false;
	struct span type = { f->at[f->i - 1].start, f->at[f->i - 1].end };
	struct str right = str_cat(f->p->arena, tokens_text(&f->p->tokens, type.start, type.end), STR("?"), STR(""));
	diag_help(f->p->diags, d, "write '%.*s'", STR_ARG(right));
	diag_fix(f->p->diags, d, (struct span){ type.start, f->at[f->i + 1].end }, right, "write '%.*s'",
		STR_ARG(right));
	return true;
}

/* Adds help for `optional int` or `Option<int>`. */
static bool help_word_before(struct fault *f, struct diag *d)
{
	size_t type = f->i + (f->found.kind == TOKEN_LT);
	const struct token *close = &f->at[type + 1];

	if (f->previous != TOKEN_IDENT || !word_of_optional(fault_text(f, f->i - 1)) ||
		f->at[type].kind != TOKEN_IDENT || (type > f->i && close->kind != TOKEN_GT))
		return false;
	uint32_t end = type > f->i ? close->end : f->at[type].end;
	struct str right = str_cat(f->p->arena, fault_text(f, type), STR("?"), STR(""));
	diag_help(f->p->diags, d, "write '%.*s'", STR_ARG(right));
	diag_fix(f->p->diags, d, (struct span){ f->at[f->i - 1].start, end }, right, "write '%.*s'", STR_ARG(right));
	return true;
}

bool help_optional(struct fault *f, struct diag *d)
{
	return !f->line_end && f->i > f->item + 1 && (help_or(f, d) || help_word_before(f, d));
}
