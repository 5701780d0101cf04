/*
 * document_find.c - finds open documents by their URI and by their path.
 */
#include "lsp/server.h"
#include "lsp/uri.h"

struct document *document_find(struct lsp *l, struct str uri)
{
	struct arena a = { 0 };
	struct str normal = uri_normal(&a, uri);
	struct document *d = l->documents;

	while (d && !str_eq(d->uri, uri) && !str_eq(d->uri, normal))
		d = d->next;
	arena_release(&a);
	return d;
}

struct document *document_at(struct lsp *l, struct str path)
{
	struct document *d = l->documents;

	while (d && !str_eq(d->path, path))
		d = d->next;
	return d;
}
