/*
 * links.c - shows imports, policies and packages as links to their files.
 */
#include "base/path.h"
#include "lsp/server.h"
#include "lsp/uri.h"

static void put_link(struct request *r, const struct lsp_lines *lines, size_t start, size_t end, struct str target)
{
	msg_open(r->out, '{');
	msg_add_range(r->out, "range", lines, start, end);
	msg_add_text(r->out, "target", target);
	msg_close(r->out, '}');
}

/* Links the files of `policies = ["a.tj"]` in the project's own file. */
static void put_policies(struct request *r, struct analysis *an, const struct lsp_lines *lines, uint32_t base)
{
	const struct project *p = &an->compile->program.project;

	for (size_t i = 0; i < p->npolicies; i++) {
		struct span at = p->policies[i]->imported_at;
		if (span_known(at) && at.start >= base && at.end <= base + lines->text.n)
			put_link(r, lines, at.start - base, at.end - base,
				analysis_uri(r->arena, an, p->policies[i]->source));
	}
}

bool links_answer(struct request *r)
{
	struct analysis *an = analysis_of(r->lsp, r->document);
	struct module *root = an->compile->program.root;

	msg_open(r->out, '[');
	for (size_t i = 0; root && root->source && i < root->file->u.file.decls.n; i++) {
		const struct node *n = root->file->u.file.decls.at[i];
		if (n->kind != NODE_IMPORT || !n->u.import.module || !n->u.import.module->source)
			continue;
		put_link(r, analysis_lines(an, root->source), n->u.import.path_span.start - root->source->base,
			n->u.import.path_span.end - root->source->base,
			analysis_uri(r->arena, an, n->u.import.module->source));
	}
	if (root && root->source)
		put_policies(r, an, analysis_lines(an, root->source), root->source->base);
	msg_close(r->out, ']');
	return true;
}
