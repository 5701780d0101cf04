/*
 * complain_prefix.c - help for letters before a string, as in other languages: f"...", u"...".
 */
#include "syntax/help/complain.h"

#include "syntax/python.h"
#include "trainc.tab.h"

/*
 * The text of the string without interpolations that begins at token I, and its end in *RET_END; p == NULL for any
 * other string.
 */
static struct str plain_string(const struct fault *f, size_t i, uint32_t *ret_end)
{
	size_t last = i;

	if (f->at[i].kind == TOKEN_STR_OPEN)
		for (last++; f->at[last].kind == TOKEN_STR_TEXT;)
			last++;
	if (last > i && f->at[last].kind != TOKEN_STR_CLOSE)
		return (struct str){ 0 };
	*ret_end = f->at[last].end;
	struct str text = tokens_text(&f->p->tokens, f->at[i].start, f->at[last].end);
	if (text.n < 2 || text.p[0] != '"' || text.p[1] == '"')
		return (struct str){ 0 };
	return (struct str){ text.p + 1, text.n - 2 };
}

/* Adds help for f"{x}"; true if it did. Other functions handle other prefixes. */
static bool help_format(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	const struct token *prefix = &f->at[f->i - 1];
	struct str word = fault_text(f, f->i - 1);
	uint32_t end;
	struct str inside = plain_string(f, f->i, &end);

	if ((!memchr(word.p, 'f', word.n) && !memchr(word.p, 'F', word.n)) ||
		(inside.p && !memchr(inside.p, '{', inside.n) && !memchr(inside.p, '}', inside.n)))
		return false;
	struct str ours = inside.p && word.n == 1 ? text_of_format(f->p->arena, inside) : (struct str){ 0 };
	if (!ours.p) {
		diag_help(ds, d,
			"every string can contain '${...}': remove '%.*s' and write each {x} as ${x}",
			STR_ARG(word));
		return true;
	}
	struct str whole = str_printf(f->p->arena, "\"%.*s\"", STR_ARG(ours));
	diag_help(ds, d, "every string can contain '${...}': write %.*s", STR_ARG(whole));
	diag_fix(ds, d, (struct span){ prefix->start, end }, whole, "write '${...}'");
	return true;
}

/* Adds help for f"..." or u"...". */
bool help_prefix(struct fault *f, struct diag *d)
{
	if (f->line_end || (f->found.kind != TOKEN_STRING && f->found.kind != TOKEN_STR_OPEN) ||
		f->previous != TOKEN_IDENT ||
	    f->i <= f->item + 1)
		return false;
	const struct token *prefix = &f->at[f->i - 1];
	if (prefix->end != f->found.start)
		return false;
	if (help_format(f, d))
		return true;
	diag_help(f->p->diags, d, "'${...}' inserts a value into any string: remove '%.*s'",
		STR_ARG(fault_text(f, f->i - 1)));
	diag_fix(f->p->diags, d, (struct span){ prefix->start, prefix->end }, STR(""), "remove '%.*s'",
		STR_ARG(fault_text(f, f->i - 1)));
	return true;
}
