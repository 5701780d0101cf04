/*
 * document.c - keeps the texts that are open in the editor. A document's text is one buffer, in which edits are made.
 * An edit only marks what has to be analyzed again: see lsp_work().
 */
#include "base/path.h"
#include "lsp/server.h"
#include "lsp/uri.h"

#include <stdlib.h>

/*
 * The maximum number of open documents. It is limited because a change of one document is compared with all the
 * others.
 */
enum { OPEN_MOST = 2000 };

/* ---- which analyses an edit makes outdated ---- */

void document_touch(struct lsp *l, struct str path)
{
	for (struct document *d = l->documents; d; d = d->next) {
		if (!d->now || !map_get(&d->now->reads, path))
			continue;
		l->refresh = l->refresh || !str_eq(d->path, path);
		d->stale = true;
		d->unpublished = true;
	}
}

void document_touch_all(struct lsp *l)
{
	for (struct document *d = l->documents; d; d = d->next)
		d->stale = d->unpublished = l->refresh = true;
}

static void touched(struct lsp *l, struct document *d)
{
	bool before = d->unpublished;

	document_touch(l, d->path);
	d->stale = true;
	d->unpublished = before || !l->client.on_save;
	for (struct document **at = &l->documents; *at; at = &(*at)->next) {
		if (*at != d)
			continue;
		/* moves it to the front of the list, because the first document is published first */
		*at = d->next;
		d->next = l->documents;
		l->documents = d;
		return;
	}
}

/* ---- notifications ---- */

/* Makes up a path in the workspace for a document that has no file. */
static struct str invented_path(struct request *r, struct str uri)
{
	struct str base = r->lsp->nroots ? r->lsp->roots[0] : STR("/"), name = str_replace(r->arena, uri, "/", '-');

	return path_join(r->arena, base, name);
}

/* Can one more document be opened? If not, this is reported once, until a document is closed. */
static bool room_to_open(struct lsp *l)
{
	struct buf *out;

	if (l->open < OPEN_MOST || l->full)
		return l->open < OPEN_MOST;
	l->full = true;
	out = server_begin(l, "window/showMessage");
	msg_open(out, '{');
	msg_add_int(out, "type", 2);            /* a warning */
	msg_add_text(out, "message", str_printf(&l->scratch,
		"trainc: %d documents are open, which is the maximum; close some of them, then open again what has no "
		"diagnostics", OPEN_MOST));
	msg_close(out, '}');
	server_send(l);
	return false;
}

void document_open(struct request *r)
{
	struct lsp *l = r->lsp;
	struct str uri = msg_text(r->params, "textDocument.uri"), text = msg_text(r->params, "textDocument.text"), path;
	struct document *d = uri.p ? document_find(l, uri) : NULL;

	if (!uri.p || (!d && !room_to_open(l)))
		return;
	if (!d) {
		d = memory_resize(NULL, sizeof *d);
		*d = (struct document){ .next = l->documents };
		d->uri = str_copy(&d->names, uri);
		d->path = str_copy(&d->names, uri_path(r->arena, uri, &path) ? path : invented_path(r, uri));
		l->documents = d;
		l->open++;
	}
	d->text.n = 0;
	buf_str(&d->text, text);
	d->has_version = msg_get(r->params, "textDocument.version") != NULL;
	d->version = msg_number(r->params, "textDocument.version", 0);
	touched(l, d);
	d->unpublished = true;
}

static void replace(struct buf *text, size_t start, size_t end, struct str with)
{
	size_t tail = text->n - end;

	if (with.n > end - start && !buf_room(text, with.n - (end - start)))
		return;
	memmove(text->p + start + with.n, text->p + end, tail);
	if (with.n)
		memcpy(text->p + start, with.p, with.n);
	text->n = start + with.n + tail;
}

static void change(struct request *r, struct document *d, const struct data *change)
{
	struct str with = msg_text(change, "text");
	const struct data *range = msg_get(change, "range");

	if (!range) {
		d->text.n = 0;
		buf_str(&d->text, with);
		return;
	}
	struct arena a = { 0 };
	struct lsp_lines lines = lines_of(&a, document_text(d), r->lsp->client.encoding);
	size_t start = lines_offset(&lines, msg_position(range, "start")),
		end = lines_offset(&lines, msg_position(range, "end"));
	replace(&d->text, start < end ? start : end, start < end ? end : start, with);
	arena_release(&a);
}

void document_change(struct request *r)
{
	struct document *d = document_find(r->lsp, msg_text(r->params, "textDocument.uri"));
	const struct data *changes = msg_get(r->params, "contentChanges");

	if (!d)
		return;
	for (size_t i = 0; changes && changes->kind == DATA_LIST && i < changes->u.list.n; i++)
		change(r, d, changes->u.list.at[i]);
	d->version = msg_number(r->params, "textDocument.version", d->version + 1);
	touched(r->lsp, d);
}

void document_save(struct request *r)
{
	struct document *d = document_find(r->lsp, msg_text(r->params, "textDocument.uri"));

	if (d && r->lsp->client.on_save)
		d->unpublished = true;
}

static void release(struct document *d)
{
	analysis_drop(d->now);
	analysis_drop(d->good);
	publish_forget(d);
	free(d->tokens);
	arena_release(&d->names);
	buf_release(&d->text);
	free(d);
}

void document_close(struct request *r)
{
	struct lsp *l = r->lsp;
	struct document *d = document_find(l, msg_text(r->params, "textDocument.uri"));

	for (struct document **at = &l->documents; d && *at; at = &(*at)->next) {
		if (*at != d)
			continue;
		*at = d->next;
		l->open--;
		l->full = false;
		document_touch(l, d->path);     /* programs that imported the document read the file from now on */
		publish_nothing(l, d);
		release(d);
		return;
	}
}

void documents_release(struct lsp *l)
{
	for (struct document *d = l->documents, *next; d; d = next) {
		next = d->next;
		release(d);
	}
	l->documents = NULL;
}
