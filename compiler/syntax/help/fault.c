/*
 * fault.c - reads the source around a syntax error (its tokens and spans), and decides where the parser resumes.
 */
#include "syntax/help/complain.h"

#include "trainc.tab.h"

struct str fault_text(const struct fault *f, size_t i)
{
	return tokens_shown(&f->p->tokens, f->at[i].start, f->at[i].end);
}

struct span fault_span(const struct fault *f)
{
	return (struct span){ f->found.start, f->found.end };
}

struct str fault_rest(const struct fault *f, size_t i)
{
	size_t end = i;
	unsigned open = 0;

	for (; f->at[end].kind != TOKEN_END && end - i < 64; end++) {
		int kind = f->at[end].kind;
		if (end > i && (f->at[end].flags & FLAG_LINE))
			break;
		if (kind == TOKEN_LBRACE || kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET || kind == TOKEN_INTERP_OPEN)
			open++;
		bool close = kind == TOKEN_RBRACE || kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET ||
			kind == TOKEN_INTERP_CLOSE;
		if (!open && (close || kind == TOKEN_COMMA))
			break;
		open -= close;
	}
	if (open || end == i || f->at[end - 1].end - f->at[i].start > 40)
		return STR("");
	return tokens_text(&f->p->tokens, f->at[i].start, f->at[end - 1].end);
}

void fault_skip_block(struct fault *f)
{
	f->p->indent = tokens_indent(&f->p->tokens, f->at[f->item].start);
}
