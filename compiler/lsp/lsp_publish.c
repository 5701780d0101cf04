/*
 * lsp_publish.c - sends diagnostics to the editor. Several open programs may read a file; its diagnostics are all that
 * these programs report in it, each once. So an analysis of a document is followed by diagnostics for that document,
 * and for every other file in which it reports something, or did before.
 */
#include "lsp/lsp_publish.h"

#include <stdlib.h>

#include "diag/page.h"

/* maximum number of diagnostics sent for one file: nobody reads more, and they make editors slow */
enum { PUBLISHED_MOST = 500 };

struct published {
	struct arena *arena;
	struct buf *out;
	struct map seen;                /* diagnostics that have been sent, by code and range */
};

static struct str uri_of_diag(struct arena *arena, const struct analysis *a, struct span at)
{
	const struct source *s = source_at(&a->compile->sources, at.start);

	if (!s || str_is(s->name, "command line"))
		s = a->compile->program.root ? a->compile->program.root->source : NULL;
	return s ? analysis_uri(arena, a, s) : STR("");
}

/* Returns the range of a span in its file; for a diagnostic without a position, the start of the root file. */
static void put_range(struct published *p, struct analysis *a, struct span at)
{
	const struct source *s = source_at(&a->compile->sources, at.start);
	bool here = s && !str_is(s->name, "command line");
	size_t start = here ? at.start - s->base : 0, end = here && at.end >= at.start ? at.end - s->base : start;

	msg_add_range(p->out, "range", analysis_lines(a, here ? s : a->compile->program.root->source), start, end);
}

static void put_location(struct published *p, struct analysis *a, struct span at)
{
	const struct source *s = source_at(&a->compile->sources, at.start);

	msg_add_object(p->out, "location");
	msg_add_text(p->out, "uri", analysis_uri(p->arena, a, s));
	msg_add_range(p->out, "range", analysis_lines(a, s), at.start - s->base, at.end - s->base);
	msg_close(p->out, '}');
}

static void put_related(struct published *p, struct analysis *a, const struct diag *d)
{
	msg_add_list(p->out, "relatedInformation");
	for (const struct diag_note *note = d->notes; note; note = note->next) {
		if (!source_at(&a->compile->sources, note->at.start))
			continue;
		msg_open(p->out, '{');
		put_location(p, a, note->at);
		msg_add_text(p->out, "message", note->text);
		msg_close(p->out, '}');
	}
	msg_close(p->out, ']');
}

static void put_fix(struct published *p, struct analysis *a, const struct diag_fix *fix)
{
	struct buf *out = p->out;

	msg_open(out, '{');
	msg_add_text(out, "title", fix->title);
	msg_add_list(out, "edits");
	for (const struct diag_edit *e = fix->edits; e; e = e->next) {
		const struct source *s = source_at(&a->compile->sources, e->at.start);
		if (!s || s->library)
			continue;
		msg_open(out, '{');
		msg_add_text(out, "uri", analysis_uri(p->arena, a, s));
		msg_add_range(out, "range", analysis_lines(a, s), e->at.start - s->base, e->at.end - s->base);
		msg_add_text(out, "newText", e->text);
		msg_close(out, '}');
	}
	msg_close(out, ']');
	msg_close(out, '}');
}

/*
 * The message of a diagnostic: the headline, the label of the source position unless it repeats the headline, and the
 * help.
 */
static struct str message_of(struct arena *arena, const struct analysis *a, const struct diag *d)
{
	struct str text = d->message;

	if (d->label.n && !str_ends(text, d->label))
		text = str_printf(arena, "%.*s: %.*s", STR_ARG(text), STR_ARG(d->label));
	for (const struct diag_note *note = d->notes; note; note = note->next)
		if (!source_at(&a->compile->sources, note->at.start) || !a->lsp->client.related)
			text = str_printf(arena, "%.*s\nnote: %.*s", STR_ARG(text), STR_ARG(note->text));
	if (d->help.n)
		text = str_printf(arena, "%.*s\nhelp: %.*s", STR_ARG(text), STR_ARG(d->help));
	return text;
}

static void put_code(struct published *p, const struct analysis *a, const struct diag *d)
{
	const char *name = diag_code_name(d->code);

	msg_add_z(p->out, "code", name);
	if (a->lsp->client.code_description) {
		struct str file = str_printf(p->arena, "%s.md", name);
		msg_add_object(p->out, "codeDescription");
		msg_add_text(p->out, "href", server_keep(a->lsp, p->arena, file, page_markdown(p->arena, d->code)));
		msg_close(p->out, '}');
	}
}

static void put_diag(struct published *p, struct analysis *a, const struct diag *d)
{
	struct buf *out = p->out;
	size_t start = out->n;

	msg_open(out, '{');
	put_range(p, a, d->at);
	/* several documents may have the same diagnostic; one may have two of the same code at one place */
	struct str key = str_printf(p->arena, "%.*s%d %.*s", (int)(out->n - start), out->p + start, (int)d->code,
		STR_ARG(d->message));
	if (map_put(&p->seen, p->arena, (struct str){ key.p + (*key.p == ','), key.n - (*key.p == ',') }, p)) {
		out->n = start;
		return;
	}
	msg_add_int(out, "severity", d->severity == SEVERITY_ERROR ? 1 : 2);
	put_code(p, a, d);
	msg_add_z(out, "source", "trainc");
	msg_add_text(out, "message", message_of(p->arena, a, d));
	if (d->code == TJ1001 || d->code == TJ1002)
		msg_add_raw(out, "tags", "[1]");        /* shown faded, as unnecessary code */
	if (d->code == TJ1008)
		msg_add_raw(out, "tags", "[2]");        /* shown struck through, as deprecated */
	if (a->lsp->client.related && d->notes)
		put_related(p, a, d);
	if (d->fixes) {
		msg_add_object(out, "data");
		msg_add_list(out, "fixes");
		for (const struct diag_fix *fix = d->fixes; fix; fix = fix->next)
			put_fix(p, a, fix);
		msg_close(out, ']');
		msg_close(out, '}');
	}
	msg_close(out, '}');
}

void publish_diag(struct arena *arena, struct buf *out, struct analysis *a, const struct diag *d)
{
	struct published p = { .arena = arena, .out = out };

	put_diag(&p, a, d);
}

static void publish_uri(struct lsp *l, struct str uri)
{
	struct published p = { .arena = &l->scratch };
	const struct document *open = document_find(l, uri);

	p.out = server_begin(l, "textDocument/publishDiagnostics");
	msg_open(p.out, '{');
	msg_add_text(p.out, "uri", uri);
	if (open && open->has_version)
		msg_add_int(p.out, "version", open->version);
	msg_add_list(p.out, "diagnostics");
	for (struct document *d = l->documents; d; d = d->next) {
		struct analysis *a = d->now && d->now->compile->program.root ? d->now : NULL;
		for (size_t i = 0; a && i < a->compile->diags.n && p.seen.n < PUBLISHED_MOST; i++)
			if (str_eq(uri_of_diag(p.arena, a, a->compile->diags.at[i]->at), uri))
				put_diag(&p, a, a->compile->diags.at[i]);
	}
	msg_close(p.out, ']');
	msg_close(p.out, '}');
	server_send(l);
}

static bool among(const struct str *list, size_t n, struct str s)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(list[i], s))
			return true;
	return false;
}

void publish_forget(struct document *d)
{
	arena_release(&d->elsewhere);
	d->published = NULL;
	d->npublished = 0;
}

/* Remembers the other files in which the document's analysis reports something. */
static void note_published(struct lsp *l, struct document *d)
{
	struct str *uris = NULL;
	size_t n = 0;

	for (size_t i = 0; i < d->now->compile->diags.n; i++) {
		struct str uri = uri_of_diag(&l->scratch, d->now, d->now->compile->diags.at[i]->at);
		if (!str_eq(uri, d->uri) && !among(uris, n, uri))
			ARENA_PUSH(&l->scratch, uris, n, uri);
	}
	for (size_t i = 0; i < n; i++)
		ARENA_PUSH(&d->elsewhere, d->published, d->npublished, str_copy(&d->elsewhere, uris[i]));
}

void publish_document(struct lsp *l, struct document *d)
{
	struct str *before = NULL;
	size_t n = 0;

	analysis_of(l, d);
	d->unpublished = false;
	for (size_t i = 0; i < d->npublished; i++)
		ARENA_PUSH(&l->scratch, before, n, str_copy(&l->scratch, d->published[i]));
	publish_forget(d);
	note_published(l, d);
	publish_uri(l, d->uri);
	for (size_t i = 0; i < d->npublished; i++)
		publish_uri(l, d->published[i]);
	for (size_t i = 0; i < n; i++)
		if (!among(d->published, d->npublished, before[i]))
			publish_uri(l, before[i]);
}

void publish_nothing(struct lsp *l, struct document *d)
{
	struct analysis *now = d->now;

	/* the document has left the list, so this publishes an empty list of diagnostics for its URI */
	d->now = NULL;
	publish_uri(l, d->uri);
	for (size_t i = 0; i < d->npublished; i++)
		publish_uri(l, d->published[i]);
	d->now = now;
}

void publish_refresh(struct lsp *l)
{
	const struct {
		bool wanted;
		const char *method;
	} all[] = { { l->client.refresh_hints, "workspace/inlayHint/refresh" },
		{ l->client.refresh_lenses, "workspace/codeLens/refresh" },
		{ l->client.refresh_tokens, "workspace/semanticTokens/refresh" } };

	l->refresh = false;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (!all[i].wanted)
			continue;
		server_ask(l, all[i].method);
		buf_z(&l->out, "null");
		server_send(l);
	}
}
