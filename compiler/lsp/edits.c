/*
 * edits.c - writes the JSON around edits, for rename and code actions.
 */
#include "lsp/edits.h"

void edits_begin(struct request *r)
{
	msg_open(r->out, '{');
	if (r->lsp->client.versioned_edits)
		msg_add_list(r->out, "documentChanges");
	else
		msg_add_object(r->out, "changes");
}

void edits_end(struct request *r)
{
	msg_close(r->out, r->lsp->client.versioned_edits ? ']' : '}');
	msg_close(r->out, '}');
}

void edits_begin_document(struct request *r, struct str uri)
{
	struct buf *out = r->out;
	const struct document *d = document_find(r->lsp, uri);

	if (!r->lsp->client.versioned_edits) {
		msg_put_text(out, uri);
		buf_z(out, ":[");
		return;
	}
	msg_open(out, '{');
	msg_add_object(out, "textDocument");
	msg_add_text(out, "uri", uri);
	msg_key(out, "version");
	if (d && d->has_version)
		buf_int(out, d->version);
	else
		buf_z(out, "null");
	msg_close(out, '}');
	msg_add_list(out, "edits");
}

void edits_end_document(struct request *r)
{
	msg_close(r->out, ']');
	if (r->lsp->client.versioned_edits)
		msg_close(r->out, '}');
}
