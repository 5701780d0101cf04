/*
 * symbols.c - lists the outline of a document, and declarations of the whole workspace. Both need only the tree, so a
 * file with type errors has an outline too.
 */
#include "base/path.h"
#include "explain/library.h"
#include "lsp/describe.h"
#include "lsp/server.h"
#include "lsp/uri.h"

enum symbol_kind {
	SYMBOL_MODULE = 2, SYMBOL_CLASS = 5, SYMBOL_FIELD = 8, SYMBOL_INTERFACE = 11, SYMBOL_FUNCTION = 12,
		SYMBOL_VARIABLE = 13,
	SYMBOL_CONSTANT = 14, SYMBOL_OBJECT = 19, SYMBOL_STRUCT = 23, SYMBOL_EVENT = 24
};

struct symbol {
	enum symbol_kind kind;
	struct str name, detail;
	struct span name_at, all;
	const struct node *body;        /* the body whose blocks become children; NULL if the symbol has no body */
};

static struct str title_text(struct arena *a, const struct sources *ss, const struct node *title)
{
	struct str text;

	return node_static_text(title, &text) ? text : describe_text(a, ss, title->span);
}

static bool binding(const struct node *n, enum symbol_kind kind, struct symbol *s)
{
	s->kind = kind;
	s->name = n->u.binding.name;
	s->name_at = n->u.binding.name_span;
	return true;
}

/* Returns the kind of symbol of a declaration or block; false if it has no name. */
static bool symbol_of(struct arena *a, const struct sources *ss, const struct node *n, struct symbol *s)
{
	*s = (struct symbol){ .all = n->span };
	switch (n->kind) {
	case NODE_PARAM: s->detail = describe_text(a, ss, n->u.binding.type ? n->u.binding.type->span : n->span);
	return binding(n, SYMBOL_VARIABLE, s);
	case NODE_LET: return binding(n, SYMBOL_CONSTANT, s);
	case NODE_FN: s->kind = SYMBOL_FUNCTION; s->name = n->u.fn.name; s->name_at = n->u.fn.name_span; return true;
	case NODE_TYPE: s->kind = SYMBOL_STRUCT; s->name = n->u.type_decl.name; s->name_at = n->u.type_decl.name_span;
	s->body = n->u.type_decl.body; return true;
	case NODE_FRAMEWORK: case NODE_ACCELERATOR:
		s->kind = n->kind == NODE_FRAMEWORK ? SYMBOL_CLASS : SYMBOL_INTERFACE;
		s->name = n->u.blueprint_decl.name;
		s->name_at = n->u.blueprint_decl.name_span;
		s->body = n->u.blueprint_decl.body;
		return true;
	case NODE_JOB:
		s->kind = SYMBOL_MODULE;
		s->name = title_text(a, ss, n->u.job.title);
		s->name_at = n->u.job.title->span;
		s->detail = n->u.job.blueprint ? describe_text(a, ss, n->u.job.blueprint->span) : STR("");
		s->body = n->u.job.body;
		return true;
	case NODE_PROFILE: s->kind = SYMBOL_OBJECT; s->name = n->u.titled.name; s->name_at = n->u.titled.name_span;
	return true;
	case NODE_TEST: case NODE_POLICY:
		s->kind = SYMBOL_EVENT;
		s->name = title_text(a, ss, n->u.titled.title);
		s->name_at = n->u.titled.title->span;
		s->detail = n->kind == NODE_TEST ? STR("test") : STR("policy");
		return true;
	case NODE_PROJECT: s->kind = SYMBOL_OBJECT; s->name = STR("project");
	s->name_at = (struct span){ n->span.start, n->span.start + 7 }; return true;
	case NODE_BLOCK:
		s->kind = SYMBOL_OBJECT;
		s->name = n->u.block.name;
		s->name_at = n->u.block.name_span;
		s->detail = n->u.block.word;
		s->body = n->u.block.body;
		return true;
	case NODE_FIELD:
		s->kind = SYMBOL_FIELD;
		s->name = n->u.field.key.text;
		s->name_at = n->u.field.key.span;
		s->detail = n->u.field.type ? describe_text(a, ss, n->u.field.type->span) : STR("");
		return true;
	default: return false;
	}
}

struct outlining {
	struct request *r;
	struct analysis *an;
	const struct lsp_lines *lines;
	uint32_t base;
	struct str container;
};

static void put_symbols(struct outlining *o, struct nodes nodes);

static void put_symbol(struct outlining *o, const struct symbol *s)
{
	struct buf *out = o->r->out;

	msg_open(out, '{');
	msg_add_text(out, "name", s->name.n ? s->name : STR("?"));
	if (s->detail.n)
		msg_add_text(out, "detail", s->detail);
	msg_add_int(out, "kind", s->kind);
	msg_add_range(out, "range", o->lines, s->all.start - o->base, s->all.end - o->base);
	msg_add_range(out, "selectionRange", o->lines, s->name_at.start - o->base, s->name_at.end - o->base);
	if (s->body && s->body->kind == NODE_BODY) {
		msg_add_list(out, "children");
		put_symbols(o, s->body->u.body.items);
		msg_close(out, ']');
	}
	msg_close(out, '}');
}

/*
 * Writes symbols for clients that do not support a tree: each with its location and the name of the symbol around it.
 */
static void put_flat(struct outlining *o, const struct symbol *s)
{
	struct buf *out = o->r->out;
	struct str before = o->container;

	msg_open(out, '{');
	msg_add_text(out, "name", s->name.n ? s->name : STR("?"));
	msg_add_int(out, "kind", s->kind);
	msg_add_object(out, "location");
	msg_add_text(out, "uri", o->r->document->uri);
	msg_add_range(out, "range", o->lines, s->all.start - o->base, s->all.end - o->base);
	msg_close(out, '}');
	if (o->container.n)
		msg_add_text(out, "containerName", o->container);
	msg_close(out, '}');
	o->container = s->name;
	if (s->body && s->body->kind == NODE_BODY)
		put_symbols(o, s->body->u.body.items);
	o->container = before;
}

static void put_symbols(struct outlining *o, struct nodes nodes)
{
	struct symbol s;

	for (size_t i = 0; i < nodes.n; i++) {
		if (!symbol_of(o->r->arena, &o->an->compile->sources, nodes.at[i], &s) || !span_known(s.name_at))
			continue;
		if (o->r->lsp->client.hierarchical_symbols)
			put_symbol(o, &s);
		else
			put_flat(o, &s);
	}
}

bool symbols_document(struct request *r)
{
	struct analysis *an = analysis_of(r->lsp, r->document);
	struct module *root = an->compile->program.root;
	struct outlining o = { .r = r, .an = an };

	msg_open(r->out, '[');
	if (root && root->source) {
		o.lines = analysis_lines(an, root->source);
		o.base = root->source->base;
		put_symbols(&o, root->file->u.file.decls);
	}
	msg_close(r->out, ']');
	return true;
}

/* ---- the workspace ---- */

enum { SYMBOLS_MOST = 1000 };

struct searching {
	struct request *r;
	struct str query;
	size_t found;
};

static bool contains(struct str name, struct str query)
{
	size_t i = 0;

	for (size_t k = 0; k < name.n && i < query.n; k++)
		i += (name.p[k] | 0x20) == (query.p[i] | 0x20);
	return i == query.n;
}

static void search_file(void *to, struct str path)
{
	struct searching *q = to;
	struct lsp *l = q->r->lsp;
	const struct document *d = document_at(l, path);
	struct arena arena = { 0 };
	struct str text, why;

	if (d)
		text = document_text(d);
	else if (!l->host.reader->read(l->host.reader->context, &arena, path, &text, &why))
		return;
	const struct library_module *m = library_parse_text(&arena, path_base(path), path, text);
	const struct source *source = m->sources.n ? m->sources.at[0] : NULL;
	struct lsp_lines lines = lines_of(&arena, text, l->client.encoding);
	for (size_t i = 0; source && i < m->file->u.file.decls.n && q->found < SYMBOLS_MOST; i++) {
		struct symbol s;
		if (!symbol_of(&arena, &m->sources, m->file->u.file.decls.at[i], &s) || !contains(s.name, q->query))
			continue;
		q->found++;
		msg_open(q->r->out, '{');
		msg_add_text(q->r->out, "name", s.name);
		msg_add_int(q->r->out, "kind", s.kind);
		msg_add_object(q->r->out, "location");
		msg_add_text(q->r->out, "uri", d ? d->uri : uri_of(&arena, path));
		msg_add_range(q->r->out, "range", &lines, s.name_at.start - source->base, s.name_at.end - source->base);
		msg_close(q->r->out, '}');
		msg_add_text(q->r->out, "containerName", path_base(path));
		msg_close(q->r->out, '}');
	}
	arena_release(&arena);
}

bool symbols_workspace(struct request *r)
{
	struct searching q = { r, msg_text(r->params, "query"), 0 };
	struct lsp *l = r->lsp;

	msg_open(r->out, '[');
	for (size_t i = 0; l->host.files && i < l->nroots; i++)
		l->host.files(l->host.context, r->arena, l->roots[i], search_file, &q);
	msg_close(r->out, ']');
	return true;
}
