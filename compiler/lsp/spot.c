/*
 * spot.c - finds the name at a position, and all places with the same meaning. Programs of the workspace share files,
 * but each has its own trees. Two trees refer to the same declaration if it is in the same file at the same offset.
 */
#include "lsp/spot.h"

bool spot_at(struct request *r, struct spot *s)
{
	*s = (struct spot){ .analysis = analysis_of(r->lsp, r->document) };
	s->module = s->analysis->compile->program.root;
	s->source = s->module ? s->module->source : NULL;
	if (!s->source)
		return false;
	s->lines = analysis_lines(s->analysis, s->source);
	s->offset = s->source->base + (uint32_t)lines_offset(s->lines, msg_position(r->params, "position"));
	s->named = occurrence_at(&s->analysis->compile->program, s->module, s->offset, &s->name);
	return true;
}

struct span spot_declared(const struct occurrence *o)
{
	const struct decl *d = occurrence_origin(o->decl);
	const struct source *from;

	switch (o->kind) {
	case OCCURRENCE_RECORD_FIELD: return o->record->span;
	case OCCURRENCE_MODULE:
		from = o->module ? o->module->source : NULL;
		return from ? (struct span){ from->base, from->base } : (struct span){ 0, 0 };
	case OCCURRENCE_DECL: return d ? d->span : (struct span){ 0, 0 };
	case OCCURRENCE_JOB: case OCCURRENCE_TITLE: case OCCURRENCE_BLOCK_NAME: return o->at;
	default: return (struct span){ 0, 0 };
	}
}

void spot_put_location(struct request *r, struct analysis *an, struct span at)
{
	const struct source *s = source_at(&an->compile->sources, at.start);

	msg_open(r->out, '{');
	msg_add_text(r->out, "uri", analysis_uri(r->arena, an, s));
	msg_add_range(r->out, "range", analysis_lines(an, s), at.start - s->base, at.end - s->base);
	msg_close(r->out, '}');
}

/* ---- all places ---- */

struct spot_gathering {
	struct request *r;
	struct analysis *an;            /* the analysis that is being searched */
	const struct module *module;
	const struct occurrence *wanted;
	struct str path;                /* file of the declaration; p == NULL: search only within the program */
	uint32_t declared;              /* offset of the declaration in that file */
	bool foreign;                   /* the program is not the one that contains the spot */
	struct map seen;
	void (*each)(void *to, const struct mention_at *m);
	void *to;
};

/* Is the declaration at the same position as the one that is being searched for? */
static bool same_place(struct spot_gathering *g, const struct occurrence *o)
{
	struct span at = spot_declared(o);
	const struct source *s = source_at(&g->an->compile->sources, at.start);

	if (o->kind != g->wanted->kind || !s)
		return false;
	struct str path = analysis_path(g->r->arena, g->an, s);
	return path.p && at.start - s->base == g->declared && str_eq(path, g->path);
}

static void consider_spot(void *to, const struct occurrence *o)
{
	struct spot_gathering *g = to;
	const struct source *s = g->module->source;

	if (g->foreign ? !same_place(g, o) : !occurrence_same(o, g->wanted))
		return;
	struct mention_at m = { .uri = analysis_uri(g->r->arena, g->an, s), .lines = analysis_lines(g->an, s),
		.start = o->at.start - s->base,
		.end = o->at.end - s->base, .declares = o->declares, .writes = o->writes, .occurrence = o };
	struct str key = str_printf(g->r->arena, "%.*s:%zu", STR_ARG(m.uri), m.start);
	if (!map_put(&g->seen, g->r->arena, key, g))
		g->each(g->to, &m);
}

static void walk_program(struct spot_gathering *g, bool library)
{
	const struct program *p = &g->an->compile->program;

	for (size_t i = 0; i < p->n; i++) {
		g->module = p->modules[i];
		if (p->modules[i]->source && (library || !p->modules[i]->library))
			occurrences_visit(p, p->modules[i], consider_spot, g);
	}
	if (p->project.module && p->project.module != p->root) {
		g->module = p->project.module;
		occurrences_visit(p, p->project.module, consider_spot, g);
	}
}

/* Compiles a file of the workspace as a program of its own, if it may import the declaration. */
static void other_program(void *to, struct str path)
{
	struct spot_gathering *g = to;
	struct lsp *l = g->r->lsp;
	const struct document *d = document_at(l, path);
	struct str text, why;

	if (d)
		text = document_text(d);
	else if (!l->host.reader->read(l->host.reader->context, g->r->arena, path, &text, &why))
		return;
	if (!memmem(text.p, text.n, "import", 6) || !memmem(text.p, text.n, g->wanted->word.p, g->wanted->word.n))
		return;
	g->an = analysis_new(l, path);
	walk_program(g, false);
	analysis_drop(g->an);
}

void spot_mentions(struct request *r, const struct spot *s, bool everywhere,
	void (*each)(void *to, const struct mention_at *m), void *to)
{
	struct spot_gathering g = { .r = r, .an = s->analysis, .wanted = &s->name, .each = each, .to = to };
	struct span declared = spot_declared(&s->name);
	const struct source *source = source_at(&s->analysis->compile->sources, declared.start);
	struct lsp *l = r->lsp;

	walk_program(&g, true);
	if (!everywhere || !source || s->name.kind == OCCURRENCE_MODULE || !l->host.files)
		return;
	g.path = analysis_path(r->arena, s->analysis, source);
	g.declared = declared.start - source->base;
	g.foreign = true;
	for (size_t i = 0; g.path.p && i < l->nroots; i++)
		l->host.files(l->host.context, r->arena, l->roots[i], other_program, &g);
}
