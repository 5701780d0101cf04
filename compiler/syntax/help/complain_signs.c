/*
 * complain_signs.c - help for signs of other languages: `a ++ b`, `[*a, b]`, `{ **a }`, `1,000`, `env["A"] = b`,
 * `12:00:00`.
 */
#include "syntax/help/complain.h"

#include "base/quantity.h"
#include "trainc.tab.h"

/* Adds help for `a ++ b`. */
static bool help_joined(struct fault *f, struct diag *d)
{
	if (f->found.kind != TOKEN_PLUS || f->previous != TOKEN_PLUS || f->at[f->i - 1].end != f->found.start)
		return false;
	diag_help(f->p->diags, d, "lists are joined with '+'");
	diag_fix(f->p->diags, d, fault_span(f), STR(""), "write '+'");
	return true;
}

/* Adds help for `{ **a }`. */
static bool help_merged(struct fault *f, struct diag *d)
{
	const struct token *next = &f->at[f->i + 1];

	if (f->found.kind != TOKEN_STAR || next->kind != TOKEN_STAR || next->start != f->found.end ||
		!f->expected[TOKEN_SPREAD])
		return false;
	diag_help(f->p->diags, d, "the entries of another map are written '...%.*s'",
		STR_ARG(next[1].kind == TOKEN_IDENT ? fault_text(f, f->i + 2) : STR("name")));
	if (next[1].kind == TOKEN_IDENT)
		diag_fix(f->p->diags, d, (struct span){ f->found.start, next->end }, STR("..."), "write '...'");
	return true;
}

bool fault_is_splat(const struct fault *f)
{
	const struct token *next = &f->at[f->i + 1];

	return !f->line_end && f->found.kind == TOKEN_STAR && next->kind == TOKEN_IDENT &&
		next->start == f->found.end && (next[1].kind == TOKEN_COMMA || next[1].kind == TOKEN_RBRACKET);
}

/* Adds help for `[*a, b]`. */
static bool help_splat(struct fault *f, struct diag *d)
{
	if (!fault_is_splat(f))
		return false;
	diag_help(f->p->diags, d, "lists are joined with '+': '%.*s + [...]'", STR_ARG(fault_text(f, f->i + 1)));
	return true;
}

/* Is token I the next three digits of a number such as `1,000`? */
static bool is_group(const struct fault *f, size_t i)
{
	enum { DIGITS = 3 };
	const struct token *t = &f->at[i];

	return t[-1].kind == TOKEN_COMMA && t->kind == TOKEN_INT && t->end - t->start == DIGITS &&
		t[-2].end == t[-1].start && t[-1].end == t->start;
}

/* Adds help for `1,000` as the value of a field. */
static bool help_thousands(struct fault *f, struct diag *d)
{
	size_t first = f->i - 2, last = f->i;

	if (f->i < 3 || !is_group(f, last) || f->at[first].kind != TOKEN_INT || f->at[first - 1].kind != TOKEN_ASSIGN)
		return false;
	while (f->at[last + 1].kind != TOKEN_END && is_group(f, last + 2))
		last += 2;
	struct str right = fault_text(f, first);
	for (size_t i = f->i; i <= last; i += 2)
		right = str_cat(f->p->arena, right, STR("_"), fault_text(f, i));
	diag_help(f->p->diags, d, "a comma separates items: write '%.*s'", STR_ARG(right));
	diag_fix(f->p->diags, d, (struct span){ f->at[first].start, f->at[last].end }, right, "write '%.*s'",
		STR_ARG(right));
	if (last > f->i)
		f->p->foretold = f->i + 2;      /* the rest of the number is the same mistake */
	return true;
}

/* Adds help for `env["A"] = "1"`. */
static bool help_indexed(struct fault *f, struct diag *d)
{
	const struct token *t = &f->at[f->i];

	if (f->found.kind != TOKEN_LBRACKET || f->i != f->item + 1 || t[-1].kind != TOKEN_IDENT ||
		t[1].kind != TOKEN_STRING || t[2].kind != TOKEN_RBRACKET || t[3].kind != TOKEN_ASSIGN)
		return false;
	struct str key = fault_text(f, f->i + 1), rest = t[4].flags & FLAG_LINE ? STR("") : fault_rest(f, f->i + 4);
	if (letters_only((struct str){ key.p + 1, key.n - 2 }))
		key = (struct str){ key.p + 1, key.n - 2 };
	diag_help(f->p->diags, d, "write '%.*s { %.*s = %.*s }'", STR_ARG(fault_text(f, f->i - 1)), STR_ARG(key),
		STR_ARG(rest.n ? rest : STR("...")));
	return true;
}

/* Adds help for `timeout = 12:00:00`. */
static bool help_clock(struct fault *f, struct diag *d)
{
	const struct token *t = &f->at[f->i];
	struct quantity q;

	if (f->found.kind != TOKEN_COLON || f->i < f->item + 5 || t[-4].kind != TOKEN_ASSIGN)
		return false;
	struct span at = { t[-3].start, t[1].end };
	if (!duration_compound(tokens_text(&f->p->tokens, at.start, at.end), &q))
		return false;
	struct str right = duration_text(f->p->arena, q);
	diag_help(f->p->diags, d, "a duration is one number and its unit: write '%.*s'", STR_ARG(right));
	diag_fix(f->p->diags, d, at, right, "write '%.*s'", STR_ARG(right));
	return true;
}

bool help_sign(struct fault *f, struct diag *d)
{
	return !f->line_end && f->i && (help_joined(f, d) || help_merged(f, d) || help_splat(f, d) ||
		help_thousands(f, d) || help_indexed(f, d) ||
		help_clock(f, d));
}
