/*
 * action_write.c - writes a code action as JSON: its head, and edits of one document.
 */
#include "lsp/actions.h"

#include "lsp/edits.h"

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

bool action_touches(const struct acting *a, struct span at)
{
	return at.start >= a->source->base && at.end <= a->source->base + a->source->text.n &&
		at.start - a->source->base <= a->to && at.end - a->source->base >= a->from;
}

void action_head(struct acting *a, const char *kind, struct str title)
{
	msg_open(a->r->out, '{');
	msg_add_text(a->r->out, "title", title);
	msg_add_z(a->r->out, "kind", kind);
}

void action_begin_edit(struct acting *a)
{
	msg_key(a->r->out, "edit");
	edits_begin(a->r);
}

void action_begin(struct acting *a, const char *kind, struct str title)
{
	action_head(a, kind, title);
	action_begin_edit(a);
	edits_begin_document(a->r, a->r->document->uri);
}

void action_edit(struct acting *a, size_t start, size_t end, struct str text)
{
	msg_put_edit(a->r->out, a->lines, start, end, text);
}

void action_end(struct acting *a)
{
	edits_end_document(a->r);
	edits_end(a->r);
	msg_close(a->r->out, '}');
}
