/*
 * action_write.c - a code action as JSON: its head, and edits in the form that the client takes.
 */
#include "lsp/actions.h"

bool action_wanted(const struct acting *a, const char *kind)
{
	const struct data *only = msg_get(a->r->params, "context.only");

	if (!only || only->kind != DATA_LIST)
		return true;
	for (size_t i = 0; i < only->u.list.n; i++) {
		struct str wanted = only->u.list.at[i]->kind == DATA_STRING ? only->u.list.at[i]->u.string : STR("?");
		struct str own = str_of(kind);
		if (str_eq(own, wanted) || (str_starts(own, wanted) && own.p[wanted.n] == '.'))
			return true;
	}
	return false;
}

void action_begin_document(struct acting *a, struct str uri)
{
	struct buf *out = a->r->out;
	const struct document *d = document_find(a->r->lsp, uri);

	if (!a->r->lsp->client.versioned_edits) {
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

void action_end_document(struct acting *a)
{
	msg_close(a->r->out, ']');
	if (a->r->lsp->client.versioned_edits)
		msg_close(a->r->out, '}');
}

void action_begin_changes(struct acting *a)
{
	msg_add_object(a->r->out, "edit");
	if (a->r->lsp->client.versioned_edits)
		msg_add_list(a->r->out, "documentChanges");
	else
		msg_add_object(a->r->out, "changes");
}

void action_end_changes(struct acting *a)
{
	msg_close(a->r->out, a->r->lsp->client.versioned_edits ? ']' : '}');
	msg_close(a->r->out, '}');
}

void action_head(struct acting *a, const char *kind, struct str title)
{
	msg_open(a->r->out, '{');
	msg_add_text(a->r->out, "title", title);
	msg_add_z(a->r->out, "kind", kind);
}

void action_begin(struct acting *a, const char *kind, struct str title)
{
	action_head(a, kind, title);
	action_begin_changes(a);
	action_begin_document(a, a->r->document->uri);
}

void action_edit(struct acting *a, size_t start, size_t end, struct str text) { msg_put_edit(a->r->out, a->lines, start, end, text); }

void action_end(struct acting *a)
{
	action_end_document(a);
	action_end_changes(a);
	msg_close(a->r->out, '}');
}
