/*
 * rename.c - replaces a name by another in every file that contains it. The server does not compute whether the new
 * name is free. Instead it applies the edits to copies of the texts and compiles the programs with these; a rename
 * that causes an error is refused with that error.
 */
#include "lsp/spot.h"

#include <stdlib.h>

#include "lsp/edits.h"
#include "syntax/reserved.h"

struct edit_at {
	struct str uri;
	const struct lsp_lines *lines;
	size_t start, end;
	struct str text;
};

struct renaming {
	struct request *r;
	struct str name;
	struct edit_at *edits;
	size_t n;
};

/* Returns the reason why the user cannot change the name at the spot; p == NULL if it can be changed. */
static struct str refusal(struct request *r, const struct spot *s)
{
	const struct occurrence *o = &s->name;
	bool known = s->named && (o->kind == OCCURRENCE_DECL || o->kind == OCCURRENCE_RECORD_FIELD ||
		o->kind == OCCURRENCE_PORT);

	if (!known)
		return STR("the program declares no name here");
	if (o->kind == OCCURRENCE_DECL && (o->decl->kind == DECL_BUILTIN || o->decl->kind == DECL_BUILTIN_FN))
		return str_printf(r->arena, "'%.*s' is a name of the language", STR_ARG(o->word));
	const struct decl *d = occurrence_origin(o->decl);
	const struct source *source = d ? source_at(&s->analysis->compile->sources, d->span.start) : NULL;
	if (source && source->library)
		return str_printf(r->arena, "'%.*s' is declared in the standard library", STR_ARG(o->word));
	return (struct str){ 0 };
}

bool rename_prepare(struct request *r)
{
	struct spot s;

	if (!spot_at(r, &s))
		return request_fail(r, LSP_FAILED, "the document cannot be read");
	struct str why = refusal(r, &s);
	if (why.p)
		return request_fail(r, LSP_FAILED, "%.*s", STR_ARG(why));
	msg_open(r->out, '{');
	msg_add_range(r->out, "range", s.lines, s.name.at.start - s.source->base, s.name.at.end - s.source->base);
	msg_add_text(r->out, "placeholder", s.name.word);
	msg_close(r->out, '}');
	return true;
}

/*
 * Returns the lines of a file. They are kept, because the analysis of another program is already released when the
 * edits are written.
 */
static const struct lsp_lines *kept_lines(struct renaming *n, const struct mention_at *m)
{
	for (size_t i = 0; i < n->n; i++)
		if (str_eq(n->edits[i].uri, m->uri))
			return n->edits[i].lines;
	struct lsp_lines *kept = ARENA_NEW(n->r->arena, struct lsp_lines);
	*kept = lines_of(n->r->arena, str_copy(n->r->arena, m->lines->text), m->lines->encoding);
	return kept;
}

static void add_edit(void *to, const struct mention_at *m)
{
	struct renaming *n = to;

	if (m->occurrence->kind == OCCURRENCE_MODULE)           /* the name inside the import path does not change */
		return;
	struct edit_at e = { m->uri, kept_lines(n, m), m->start, m->end, n->name };

	ARENA_PUSH(n->r->arena, n->edits, n->n, e);
}

/* `import std.x` has no separate name that could be replaced: it gets an `as`. */
static void name_import(struct renaming *n, const struct spot *s)
{
	const struct decl *d = s->name.decl;

	if (s->name.kind != OCCURRENCE_DECL || d->kind != DECL_IMPORT ||
	    d->node->u.import.alias_span.start > d->node->u.import.path_span.end)
		return;
	size_t end = d->node->u.import.path_span.end - s->source->base;
	struct edit_at e = { s->analysis->lsp ? analysis_uri(n->r->arena, s->analysis, s->source) : STR(""), s->lines,
		end, end, str_printf(n->r->arena, " as %.*s", STR_ARG(n->name)) };
	ARENA_PUSH(n->r->arena, n->edits, n->n, e);
}

/* ---- compiling the programs with the new name ---- */

static int by_edit_place(const void *a, const void *b)
{
	const struct edit_at *x = a, *y = b;
	int order = str_cmp(x->uri, y->uri);

	return order ? order : (x->start > y->start) - (x->start < y->start);
}

/* Returns the text of a file after its edits, which are sorted. */
static struct str edited(const struct renaming *n, struct str uri, struct str text)
{
	struct buf b = { 0 };
	size_t done = 0;

	for (size_t i = 0; i < n->n; i++) {
		if (!str_eq(n->edits[i].uri, uri))
			continue;
		buf_put(&b, text.p + done, n->edits[i].start - done);
		buf_str(&b, n->edits[i].text);
		done = n->edits[i].end;
	}
	buf_put(&b, text.p + done, text.n - done);
	struct str whole = buf_take(&b, n->r->arena);
	buf_release(&b);
	return whole;
}

static bool said_before(const struct analysis *before, const struct diag *d)
{
	for (size_t i = 0; i < before->compile->diags.n; i++)
		if (before->compile->diags.at[i]->code == d->code &&
		    str_eq(before->compile->diags.at[i]->message, d->message))
			return true;
	return false;
}

/* Compiles the document with the new texts; returns false, with the first error that these cause. */
static bool still_sound(struct renaming *n, const struct analysis *before, struct str path, struct str *why)
{
	struct analysis *after = analysis_new(n->r->lsp, path);
	bool ok = true;

	for (size_t i = 0; ok && i < after->compile->diags.n; i++) {
		const struct diag *d = after->compile->diags.at[i];
		/* after a rename in a package, the package must be locked again (TJ0214); this error is expected */
		if (d->severity != SEVERITY_ERROR || d->code == TJ0214 || said_before(before, d))
			continue;
		*why = str_copy(n->r->arena, d->message);
		ok = false;
	}
	analysis_drop(after);
	return ok;
}

static bool try_edits(struct renaming *n, const struct spot *s, struct str *why)
{
	struct lsp *l = n->r->lsp;
	bool ok = true;

	if (n->n)
		qsort(n->edits, n->n, sizeof *n->edits, by_edit_place);
	for (size_t i = 0; i < n->n; i++) {
		struct str path = server_uri_path(l, n->r->arena, n->edits[i].uri);
		if (!path.p || map_get(&l->overlay, path))
			continue;
		struct str *text = ARENA_NEW(n->r->arena, struct str);
		*text = edited(n, n->edits[i].uri, n->edits[i].lines->text);
		map_put(&l->overlay, n->r->arena, path, text);
	}
	ok = still_sound(n, s->analysis, n->r->document->path, why);
	for (struct document *d = l->documents; ok && d; d = d->next)
		if (d != n->r->document && map_get(&l->overlay, d->path) && d->now)
			ok = still_sound(n, d->now, d->path, why);
	l->overlay = (struct map){ 0 };
	return ok;
}

/* ---- the answer ---- */

static void put_file(struct renaming *n, struct str uri)
{
	edits_begin_document(n->r, uri);
	for (size_t i = 0; i < n->n; i++)
		if (str_eq(n->edits[i].uri, uri))
			msg_put_edit(n->r->out, n->edits[i].lines, n->edits[i].start, n->edits[i].end,
				n->edits[i].text);
	edits_end_document(n->r);
}

static void put_edits(struct renaming *n)
{
	struct map seen = { 0 };

	edits_begin(n->r);
	for (size_t i = 0; i < n->n; i++)
		if (!map_put(&seen, n->r->arena, n->edits[i].uri, n))
			put_file(n, n->edits[i].uri);
	edits_end(n->r);
}

bool rename_answer(struct request *r)
{
	struct renaming n = { .r = r, .name = msg_text(r->params, "newName") };
	struct spot s;

	if (!spot_at(r, &s))
		return request_fail(r, LSP_FAILED, "the document cannot be read");
	struct str why = refusal(r, &s);
	if (why.p)
		return request_fail(r, LSP_FAILED, "%.*s", STR_ARG(why));
	if (!str_is_word(n.name))
		return request_fail(r, LSP_FAILED,
			"'%.*s' is not a name: letters, digits and '_', not beginning with a digit", STR_ARG(n.name));
	if (s.name.kind == OCCURRENCE_DECL && word_is_reserved(n.name))
		return request_fail(r, LSP_FAILED, "'%.*s' is a reserved word", STR_ARG(n.name));
	spot_mentions(r, &s, true, add_edit, &n);
	name_import(&n, &s);
	if (!try_edits(&n, &s, &why))
		return request_fail(r, LSP_FAILED, "'%.*s' cannot be renamed to '%.*s': %.*s", STR_ARG(s.name.word),
			STR_ARG(n.name), STR_ARG(why));
	put_edits(&n);
	return true;
}
