/*
 * undocumented.c - parameters without a `##` comment (TJ1007).
 *
 * Whether parameters are documented is up to the author. But an author who documents most of them probably forgot the
 * others, or wrote `#` for `##`.
 */
#include "check/check.h"

static bool is_undocumented(const struct node *n)
{
	return n->kind == NODE_PARAM && !n->u.binding.doc.n && n->u.binding.name.n;
}

static bool documents_most(struct nodes decls)
{
	int more = 0;

	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_PARAM)
			more += is_undocumented(decls.at[i]) ? -1 : 1;
	return more > 0;
}

/*
 * The `#` of a comment on the line above that was probably meant as documentation; {0,0} if that line is not such a
 * comment.
 */
static struct span plain_comment_above(const struct program *p, uint32_t start)
{
	const struct source *s = source_at(p->sources, start);
	size_t at = start - s->base;

	while (at > 0 && s->text.p[at - 1] != '\n')
		at--;
	if (!at)
		return (struct span){ 0 };
	struct str line = source_line(p->sources, s->base + (uint32_t)at - 1);
	uint32_t base = s->base + (uint32_t)(line.p - s->text.p);
	bool other = str_starts(line, STR("##")) || str_starts(line, STR("# allow "));
	return line.n && line.p[0] == '#' && !other ? (struct span){ base, base + 1 } : (struct span){ 0 };
}

static void report_undocumented(struct program *p, const struct node *n)
{
	struct str name = n->u.binding.name;
	struct span hash = plain_comment_above(p, n->span.start);
	struct diag *d = diag_report(p->diags, TJ1007, n->u.binding.name_span,
		"parameter '%.*s' has no '##' comment, as the others have", STR_ARG(name));

	if (span_known(hash)) {
		diag_note(p->diags, d, hash, "only readers of the file see a comment with one '#'");
		diag_help(p->diags, d, "write '##'");
		diag_fix(p->diags, d, hash, STR("##"), "write '##'");
	} else {
		diag_help(p->diags, d, "say above it what it is for: '## ...'");
	}
}

void check_undocumented(struct program *p)
{
	struct nodes decls = p->root->file->u.file.decls;

	if (p->check_failed || !documents_most(decls))
		return;
	for (size_t i = 0; i < decls.n; i++)
		if (is_undocumented(decls.at[i]))
			report_undocumented(p, decls.at[i]);
}
