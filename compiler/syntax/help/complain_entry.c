/*
 * complain_entry.c - help for entries of maps as Kubernetes writes them: a volume before its path, an object that
 * refers to a secret.
 */
#include "syntax/help/complain.h"

#include "trainc.tab.h"

enum { LOOK = 64 };                     /* maximum number of tokens to look at */

static bool goes_on(const struct fault *f, size_t i)
{
	return i - f->i < LOOK && f->at[i].kind != TOKEN_END && !(f->at[i].flags & FLAG_LINE);
}

/* Adds help for pvc("imagenet") = "/data". */
static bool help_path_behind(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	size_t close = f->i;

	if (f->at[f->i].kind != TOKEN_LPAREN || f->i != f->item + 1)
		return false;
	while (goes_on(f, close) && f->at[close].kind != TOKEN_RPAREN)
		close++;
	const struct token *equals = &f->at[close + 1], *path = equals + 1;
	if (!goes_on(f, close) || f->at[close].kind != TOKEN_RPAREN ||
		(equals->kind != TOKEN_ASSIGN && equals->kind != TOKEN_COLON) ||
	    path->kind != TOKEN_STRING || path->flags & FLAG_LINE)
		return false;
	struct span whole = { f->at[f->item].start, path->end };
	struct str volume = tokens_text(&f->p->tokens, whole.start, f->at[close].end),
		text = tokens_text(&f->p->tokens, path->start, path->end);
	if (text.n < 3 || text.p[1] != '/')
		return false;
	struct str right = str_cat(f->p->arena, text, STR(" = "), volume);
	diag_help(ds, d, "the path comes first: %.*s", STR_ARG(right));
	diag_fix(ds, d, whole, right, "exchange the two");
	return true;
}

/* The text that the object from token I on sets for KEY: name = "x", name: "x". */
static struct str text_of_key(const struct fault *f, size_t i, const char *key)
{
	for (; f->at[i].kind != TOKEN_END && f->at[i].kind != TOKEN_RBRACE && i - f->i < LOOK; i++) {
		bool set = f->at[i + 1].kind == TOKEN_ASSIGN || f->at[i + 1].kind == TOKEN_COLON;
		if (f->at[i].kind == TOKEN_IDENT && set && f->at[i + 2].kind == TOKEN_STRING &&
			str_is(fault_text(f, i), key))
			return tokens_text(&f->p->tokens, f->at[i + 2].start, f->at[i + 2].end);
	}
	return STR("");
}

/* Adds help for T = secretKeyRef { name = "a", key = "b" }. */
static bool help_reference(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	size_t close = f->i, keys = 0;

	if (f->at[f->i].kind != TOKEN_LBRACE || f->previous != TOKEN_IDENT || f->i != f->item + 3)
		return false;
	struct str word = fault_text(f, f->i - 1), name = text_of_key(f, f->i, "name"),
		key = text_of_key(f, f->i, "key");
	const char *call = str_is(word, "secretKeyRef") ? "secret" : str_is(word, "configMapKeyRef") ? "config" : NULL;
	if (!call)
		return false;
	struct str right = str_printf(f->p->arena, "%s(%.*s, %.*s)", call, STR_ARG(name.n ? name : STR("\"name\"")),
		STR_ARG(key.n ? key : STR("\"key\"")));
	diag_help(ds, d, "write '%.*s = %.*s'", STR_ARG(fault_text(f, f->item)), STR_ARG(right));
	for (; f->at[close].kind != TOKEN_END && f->at[close].kind != TOKEN_RBRACE && close - f->i < LOOK; close++)
		keys += f->at[close].kind == TOKEN_ASSIGN || f->at[close].kind == TOKEN_COLON;
	if (keys == 2 && name.n && key.n && f->at[close].kind == TOKEN_RBRACE && !(f->at[close].flags & FLAG_VIRTUAL))
		diag_fix(ds, d, (struct span){ f->at[f->i - 1].start, f->at[close].end }, right, "write '%.*s'",
			STR_ARG(right));
	return true;
}

bool help_entry(struct fault *f, struct diag *d)
{
	return !f->line_end && f->p->feed.depth && (help_path_behind(f, d) || help_reference(f, d));
}
