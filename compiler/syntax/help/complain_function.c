/*
 * complain_function.c - help for functions without a name, as in other languages: `lambda x: x`, `x => x`.
 */
#include "syntax/help/complain.h"

#include "trainc.tab.h"

enum { LOOK = 64 };                     /* maximum number of tokens to look at */

/* Adds the help: `fn NAME(FORMALS) -> int = BODY`, with the name of the item's `let`. */
static void help_declared(struct fault *f, struct diag *d, struct str formals, struct str body)
{
	size_t name = f->item + 1;
	bool let = f->at[f->item].kind == TOKEN_LET && f->at[name].kind == TOKEN_IDENT;

	diag_help(f->p->diags, d, "a function is a declaration with types: 'fn %.*s(%.*s) -> int = %.*s'",
		STR_ARG(let ? fault_text(f, name) : STR("f")), STR_ARG(formals), STR_ARG(body.n ? body : STR("...")));
}

/* The names `x, y` from token I on as formals `x: int, y: int`; *RET_END is the token after them. */
static struct str formals_from(const struct fault *f, size_t i, size_t *ret_end)
{
	struct str formals = STR("");
	size_t first = i;

	for (; f->at[i].kind == TOKEN_IDENT && i - first < LOOK; i += 1 + (f->at[i + 1].kind == TOKEN_COMMA))
		formals = str_printf(f->p->arena, "%.*s%s%.*s: int", STR_ARG(formals), formals.n ? ", " : "",
			STR_ARG(fault_text(f, i)));
	*ret_end = i;
	return formals;
}

/* Adds help for `let f = lambda x, y: x + y`. */
static bool help_lambda(struct fault *f, struct diag *d)
{
	size_t end;

	if (f->previous != TOKEN_IDENT || !str_is(fault_text(f, f->i - 1), "lambda"))
		return false;
	struct str formals = formals_from(f, f->i, &end);
	help_declared(f, d, formals, f->at[end].kind == TOKEN_COLON ? fault_rest(f, end + 1) : STR(""));
	return true;
}

/* Finds an arrow at the error; sets *RET_START to its first token and *RET_END to the token after it. */
static bool find_arrow(const struct fault *f, size_t *ret_start, size_t *ret_end)
{
	size_t i = f->i - (f->found.kind == TOKEN_GT);

	if (f->found.kind == TOKEN_COMMA) {     /* the error is at the comma of (x, y) => x + y */
		while (f->at[i].kind == TOKEN_COMMA || f->at[i].kind == TOKEN_IDENT)
			i++;
		if (f->at[i++].kind != TOKEN_RPAREN)
			return false;
	}
	*ret_start = i;
	*ret_end = i + (f->at[i].kind == TOKEN_ARROW ? 1 : 2);
	if (i <= f->item)
		return false;
	if (f->at[i].kind == TOKEN_ARROW)
		return f->at[f->item].kind != TOKEN_FN;
	return f->at[i].kind == TOKEN_ASSIGN && f->at[i + 1].kind == TOKEN_GT && f->at[i].end == f->at[i + 1].start;
}

/* Adds help for `map(xs, x => x + 1)`: token FIRST is the x before the arrow. */
static bool help_mapped(struct fault *f, struct diag *d, size_t first, struct str body)
{
	size_t list = first - 1;

	if (!first || f->at[first - 1].kind != TOKEN_COMMA)
		return false;
	while (list > f->item && f->at[list].kind != TOKEN_LPAREN)
		list--;
	if (list == f->item || !str_is(fault_text(f, list - 1), "map") || list + 1 >= first - 1)
		return false;
	diag_help(f->p->diags, d, "write '[%.*s for %.*s in %.*s]'", STR_ARG(body), STR_ARG(fault_text(f, first)),
		STR_ARG(tokens_text(&f->p->tokens, f->at[list + 1].start, f->at[first - 2].end)));
	return true;
}

/* Adds help for `timeout => 1h` and `A -> "1"` in a body. */
static bool help_assigned(struct fault *f, struct diag *d, size_t arrow, size_t behind)
{
	struct str value = f->at[behind].flags & FLAG_LINE ? STR("...") : fault_rest(f, behind);
	struct span at = { f->at[arrow].start, f->at[behind - 1].end };

	if (arrow != f->item + 1 || !f->p->feed.depth || !value.n || f->at[f->item].kind == TOKEN_FN)
		return false;
	diag_help(f->p->diags, d, "write '%.*s = %.*s'", STR_ARG(fault_text(f, f->item)), STR_ARG(value));
	diag_fix(f->p->diags, d, at, STR("="), "write '='");
	return true;
}

/* Adds help for `x => x + 1`, `(x, y) => x + y` or `(x) -> x + 1`. */
static bool help_arrow(struct fault *f, struct diag *d)
{
	size_t arrow, behind, end;

	if (!find_arrow(f, &arrow, &behind))
		return false;
	if (help_assigned(f, d, arrow, behind))
		return true;
	size_t first = arrow - 1;
	if (f->at[first].kind == TOKEN_RPAREN) {
		while (first > f->item && f->at[first].kind != TOKEN_LPAREN)
			first--;
		first++;
	}
	struct str formals = formals_from(f, first, &end), body = fault_rest(f, behind);
	if (end != arrow && !(end + 1 == arrow && f->at[end].kind == TOKEN_RPAREN))
		return false;
	if (!body.n || !help_mapped(f, d, first, body))
		help_declared(f, d, formals, body);
	return true;
}

bool help_function(struct fault *f, struct diag *d)
{
	return !f->line_end && f->i > f->item && (help_lambda(f, d) || help_arrow(f, d));
}
