/*
 * complain_update.c - help for fields that are changed like variables of other languages: `-=`, `.append()`.
 */
#include "syntax/help/complain.h"

#include "syntax/bar.h"
#include "trainc.tab.h"

/* Is the type of the field a list? */
static bool takes_list(struct str key)
{
	const char *type = field_type(key);

	return type && strncmp(type, "list[", 5) == 0;
}

/* Adds help for `tolerate -= ["a"]`. */
static bool help_taking(struct fault *f, struct diag *d)
{
	struct str key = fault_text(f, f->item);
	const struct token *equals = &f->at[f->i + 1];

	if (f->found.kind != TOKEN_MINUS || equals->kind != TOKEN_ASSIGN || equals->start != f->found.end)
		return false;
	bool list = is_field(key) ? takes_list(key) : equals[1].kind == TOKEN_LBRACKET;
	diag_help(f->p->diags, d, "nothing is taken from a %s: write '%.*s = %s ... %s' with all that is left",
		list ? "list" : "map", STR_ARG(key), list ? "[" : "{", list ? "]" : "}");
	return true;
}

/*
 * The text between the parenthesis at token OPEN and its closing parenthesis; empty if the line does not contain a
 * closing parenthesis.
 */
static struct str arguments(const struct fault *f, size_t open)
{
	struct str all = fault_rest(f, open);

	return all.n > 2 && all.p[all.n - 1] == ')' ? (struct str){ all.p + 1, all.n - 2 } : STR("");
}

/* Adds help for `tolerate.append("a")` or `env.update({ A = "b" })`. */
static bool help_method(struct fault *f, struct diag *d)
{
	static const char *const add[] = { "append", "add", "push", "push_back" },
		*const join[] = { "extend", "concat", "push_all", "addAll" },
		*const merge[] = { "update", "merge", "set", "put", "putAll" };
	struct str key = fault_text(f, f->item), method = fault_text(f, f->i + 1), inside;

	if (f->found.kind != TOKEN_DOT || f->at[f->i + 1].kind != TOKEN_IDENT || f->at[f->i + 2].kind != TOKEN_LPAREN)
		return false;
	inside = arguments(f, f->i + 2);
	bool list = inside.n && inside.p[0] == '[', record = inside.n > 2 && inside.p[0] == '{';
	if (inside.n && (word_among(method, add, sizeof add / sizeof *add) ||
		(!list && word_among(method, join, sizeof join / sizeof *join))))
		diag_help(f->p->diags, d, "write '%.*s += [%.*s]'", STR_ARG(key), STR_ARG(inside));
	else if (inside.n && word_among(method, join, sizeof join / sizeof *join))
		diag_help(f->p->diags, d, "write '%.*s += %.*s'", STR_ARG(key), STR_ARG(inside));
	else if (record && word_among(method, merge, sizeof merge / sizeof *merge))
		diag_help(f->p->diags, d, "write '%.*s %.*s'", STR_ARG(key), STR_ARG(inside));
	else
		diag_help(f->p->diags, d, takes_list(key) ? "a field is set with '=', and '+=' adds to a list" :
			"a field is set with '=', and braces add to a map");
	return true;
}

bool help_update(struct fault *f, struct diag *d)
{
	return !f->line_end && f->p->feed.depth && f->i == f->item + 1 && (help_taking(f, d) || help_method(f, d));
}
