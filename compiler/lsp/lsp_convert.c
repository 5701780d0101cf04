/*
 * lsp_convert.c - converts manifests of Kubernetes, for the request trainc/import, and for the code action that
 * replaces a pasted manifest with a program.
 */
#include "lsp/lsp_convert.h"

#include "import/import.h"
#include "lsp/actions.h"
#include "lsp/edits.h"
#include "lsp/lsp_publish.h"
#include "syntax/help/help_manifest.h"

bool convert_manifest(struct str manifest, struct sources *sources, struct diags *diags, struct buf *out)
{
	const struct source *source = source_add(sources, STR("manifest"), manifest);
	struct import *im = import_new(sources->arena, sources, diags, (struct import_options){ 0 });

	import_read(im, source);
	import_finish(im);
	bool ok = diags_ok(diags) && import_count(im) && import_program(im, IMPORT_ALL, out);
	diags_finish(diags);
	return ok;
}

/* Is the document a manifest, which the parser rejected? */
static bool is_manifest(const struct acting *a)
{
	struct diags unread = { .arena = a->r->arena, .sources = &a->an->compile->sources };

	return manifest_in_text(a->r->arena, &unread, a->source);
}

void action_convert(struct acting *a)
{
	const struct diags *ds = &a->an->compile->diags;
	struct sources sources = { .arena = a->r->arena };
	struct diags diags = { .arena = a->r->arena, .sources = &sources };
	struct buf out = { 0 };

	if (ds->n != 1 || ds->at[0]->code != TJ0102 || !action_touches(a, ds->at[0]->at) || !is_manifest(a))
		return;
	if (convert_manifest(a->source->text, &sources, &diags, &out)) {
		action_head(a, "quickfix", STR("convert the manifest to a program"));
		msg_add_list(a->r->out, "diagnostics");
		publish_diag(a->r->arena, a->r->out, a->an, ds->at[0]);
		msg_close(a->r->out, ']');
		msg_add_bool(a->r->out, "isPreferred", true);
		action_begin_edit(a);
		edits_begin_document(a->r, a->r->document->uri);
		action_edit(a, 0, a->source->text.n, buf_text(&out));
		action_end(a);
	}
	buf_release(&out);
}
