/*
 * analysis.c - compiles a document as a program. The whole compiler runs, up to the checks of the objects, which
 * takes two milliseconds for a thousand lines. The arena is released as a whole, so nothing is left of the previous
 * analysis. Paths are relative to the workspace folder, so that messages name files as on the command line in that
 * folder.
 */
#include "base/path.h"
#include "diag/page.h"
#include "emit/emit.h"
#include "lsp/server.h"
#include "lsp/uri.h"

#include <stdlib.h>

/* ---- reading ---- */

static struct str absolute_path(struct analysis *a, struct str path)
{
	struct arena *arena = &a->compile->arena;

	path = path_join(arena, a->base, path);
	map_put(&a->reads, arena, path, a);
	return path;
}

static bool analysis_read(void *context, struct arena *arena, struct str path, struct str *ret, struct str *why)
{
	struct analysis *a = context;
	const struct reader *host = a->lsp->host.reader;
	const struct document *d;

	path = absolute_path(a, path);
	const struct str *laid_over = map_get(&a->lsp->overlay, path);
	d = document_at(a->lsp, path);
	if (laid_over) {
		*ret = str_copy(arena, *laid_over);
		return true;
	}
	if (!d)
		return host->read(host->context, arena, path, ret, why);
	*ret = str_copy(arena, document_text(d));
	return true;
}

static bool analysis_leaves(void *context, struct arena *arena, struct str directory, struct str path)
{
	struct analysis *a = context;
	const struct reader *host = a->lsp->host.reader;

	return host->leaves && host->leaves(host->context, arena, absolute_path(a, directory), absolute_path(a, path));
}

static bool analysis_exists(void *context, struct str path)
{
	struct analysis *a = context;
	const struct reader *host = a->lsp->host.reader;

	path = absolute_path(a, path);
	return document_at(a->lsp, path) || (host->exists && host->exists(host->context, path));
}

static void analysis_list(void *context, struct arena *arena, struct str directory,
	void (*each)(void *to, struct str name), void *to)
{
	struct analysis *a = context;
	const struct reader *host = a->lsp->host.reader;

	if (host->list)
		host->list(host->context, arena, path_join(arena, a->base, directory), each, to);
}

static bool real(void *context, struct arena *arena, struct str path, struct str *ret)
{
	struct analysis *a = context;
	const struct reader *host = a->lsp->host.reader;

	return host->real && host->real(host->context, arena, absolute_path(a, path), ret);
}

/* Returns the innermost folder of the workspace that contains a file, or else the file's directory. */
static struct str workspace_folder(const struct lsp *l, struct str path)
{
	struct str best = { 0 };

	for (size_t i = 0; i < l->nroots; i++)
		if (path_inside(l->roots[i], path) && l->roots[i].n >= best.n)
			best = l->roots[i];
	return best.p ? best : path_directory(path);
}

static struct str path_below(struct arena *a, struct str base, struct str path)
{
	size_t skip = str_is(base, "/") ? 1 : base.n + 1;

	return str_copy(a, (struct str){ path.p + skip, path.n - skip });
}

/* ---- compiling ---- */

struct analysis *analysis_new(struct lsp *l, struct str path)
{
	struct analysis *a = memory_resize(NULL, sizeof *a);

	*a = (struct analysis){ .lsp = l, .users = 1 };
	a->reader = (struct reader){ a, analysis_read, analysis_exists, analysis_list, analysis_leaves, real };
	struct trainc *c = a->compile = trainc_open_reader(&a->reader);
	a->base = str_copy(&c->arena, workspace_folder(l, path));
	c->program.lone_modules = true;
	c->options.target = l->target;
	c->options.kubernetes = l->kubernetes;
	c->options.brief = true;                /* shows what `trainc check` shows */
	c->options.parts = false;               /* reads whole modules, because completion offers everything in them */
	trainc_compile(c, path_below(&c->arena, a->base, path).p);
	trainc_check(&c, 1, true);
	trainc_finish(c);
	a->sound = c->program.root && diags_ok(&c->diags);
	return a;
}

void analysis_drop(struct analysis *a)
{
	if (!a || --a->users)
		return;
	trainc_close(a->compile);
	free(a);
}

struct analysis *analysis_of(struct lsp *l, struct document *d)
{
	if (d->now && !d->stale)
		return d->now;
	analysis_drop(d->now);
	d->now = analysis_new(l, d->path);
	d->stale = false;
	if (d->now->sound) {
		analysis_drop(d->good);
		d->good = d->now;
		d->good->users++;
	}
	return d->now;
}

/* ---- paths, URIs and lines of sources ---- */

struct str analysis_path(struct arena *a, const struct analysis *an, const struct source *s)
{
	if (!s || s->library || str_is(s->name, "command line"))
		return (struct str){ 0 };
	return path_join(a, an->base, s->name);
}

struct str server_keep(struct lsp *l, struct arena *a, struct str name, struct str text)
{
	struct str path;

	if (!l->client.virtual_documents && l->host.keep && l->host.keep(l->host.context, a, name, text, &path))
		return uri_of(a, path);
	return str_printf(a, "trainc:/%.*s", STR_ARG(name));
}

struct str server_text(struct arena *a, struct str name)
{
	enum diag_code code;
	struct str library = STR("std/"), module = { name.p + library.n, name.n > 7 ? name.n - library.n - 3 : 0 };

	if (str_starts(name, library) && str_ends(name, STR(".tj")))
		return stdlib_text(str_copy(a, module));
	if (str_ends(name, STR(".md")) && diag_code_find((struct str){ name.p, name.n - 3 }, &code))
		return page_markdown(a, code);
	return (struct str){ 0 };
}

struct str server_uri_path(struct lsp *l, struct arena *a, struct str uri)
{
	const struct document *d = document_find(l, uri);
	struct str path;

	if (d)
		return d->path;
	return uri_path(a, uri, &path) ? path : (struct str){ 0 };
}

struct str analysis_uri(struct arena *a, const struct analysis *an, const struct source *s)
{
	struct str path = analysis_path(a, an, s);
	const struct document *d = path.p ? document_at(an->lsp, path) : NULL;

	if (d)
		return d->uri;
	return path.p ? uri_of(a, path) : s ? server_keep(an->lsp, a, s->name, s->text) : STR("");
}

const struct lsp_lines *analysis_lines(struct analysis *an, const struct source *s)
{
	struct arena *arena = &an->compile->arena;

	for (size_t i = 0; i < an->nlines; i++)
		if (an->lines[i].source == s)
			return &an->lines[i].lines;
	struct source_lines added = { s, lines_of(arena, s->text, an->lsp->client.encoding) };
	ARENA_PUSH(arena, an->lines, an->nlines, added);
	return &an->lines[an->nlines - 1].lines;
}
