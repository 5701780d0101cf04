/*
 * calls.c - finds the callers of a function, and the functions that it calls. The item of a function has its URI and
 * the position of its name, which is enough to find it again.
 */
#include "lsp/spot.h"
#include "syntax/walk.h"

struct calling {
	struct request *r;
	struct analysis *an;
	const struct decl *fn;          /* the function that the request names */
	struct node *around;            /* the node in which calls are searched; NULL: the whole module */
	const struct decl *only;        /* the function whose calls are counted; NULL: calls of any function */
	struct span *ranges;            /* source ranges of the calls that were found */
	const struct decl **targets;
	size_t n, ntargets;
};

static struct span name_of(const struct node *n)
{
	return n->kind == NODE_FN ? n->u.fn.name_span : n->kind == NODE_JOB ? n->u.job.title->span :
		n->kind == NODE_FRAMEWORK || n->kind == NODE_ACCELERATOR ? n->u.blueprint_decl.name_span :
		n->kind == NODE_PARAM || n->kind == NODE_LET ? n->u.binding.name_span
			: (struct span){ n->span.start, n->span.start };
}

static void put_item(struct request *r, struct analysis *an, const struct node *n)
{
	const struct source *s = source_at(&an->compile->sources, n->span.start);
	const struct lsp_lines *lines = analysis_lines(an, s);
	struct span name = name_of(n);
	struct str text = source_text(&an->compile->sources, name);

	msg_add_text(r->out, "name", text.n ? text : STR("check"));
	msg_add_int(r->out, "kind", n->kind == NODE_FN ? 12 : n->kind == NODE_JOB ? 2 : 14);
	msg_add_text(r->out, "uri", analysis_uri(r->arena, an, s));
	msg_add_range(r->out, "range", lines, n->span.start - s->base, n->span.end - s->base);
	msg_add_range(r->out, "selectionRange", lines, name.start - s->base, name.end - s->base);
}

bool calls_prepare(struct request *r)
{
	struct spot s;

	msg_open(r->out, '[');
	if (spot_at(r, &s) && s.named && s.name.kind == OCCURRENCE_DECL && s.name.decl->kind == DECL_FN) {
		msg_open(r->out, '{');
		put_item(r, s.analysis, s.name.decl->node);
		msg_close(r->out, '}');
	}
	msg_close(r->out, ']');
	return true;
}

/*
 * Finds the function that an item of the request names. It is declared in the document with the item's URI, or in a
 * file that an open document imports.
 */
static bool find_function(struct request *r, struct calling *c)
{
	struct str uri = msg_text(r->params, "item.uri");
	struct position at = msg_position(r->params, "item.selectionRange.start");

	*c = (struct calling){ .r = r };
	for (struct document *d = r->lsp->documents; d; d = d->next) {
		struct analysis *an = analysis_of(r->lsp, d);
		const struct program *p = &an->compile->program;
		for (size_t i = 0; i < p->n; i++) {
			const struct source *s = p->modules[i]->source;
			if (!s || !str_eq(analysis_uri(r->arena, an, s), uri))
				continue;
			uint32_t offset = s->base + (uint32_t)lines_offset(analysis_lines(an, s), at);
			struct occurrence o;
			if (!occurrence_at(p, p->modules[i], offset, &o) || !o.decl || o.decl->kind != DECL_FN)
				continue;
			c->an = an;
			c->fn = o.decl;
			return true;
		}
	}
	return false;
}

static bool holds_span(const struct node *n, struct span at)
{
	return !n || (at.start >= n->span.start && at.end <= n->span.end);
}

static void note_call(void *to, const struct occurrence *o)
{
	struct calling *c = to;
	bool call = !o->declares && o->kind == OCCURRENCE_DECL && o->decl->kind == DECL_FN &&
		(!c->only || o->decl == c->only);

	if (!call || !holds_span(c->around, o->at))
		return;
	ARENA_PUSH(c->r->arena, c->targets, c->ntargets, o->decl);
	ARENA_PUSH(c->r->arena, c->ranges, c->n, o->at);
}

/* Writes the source ranges of the calls of TARGET inside node N. */
static void put_ranges(struct calling *c, const struct decl *target, const struct node *n)
{
	msg_add_list(c->r->out, "fromRanges");
	for (size_t i = 0; i < c->n; i++) {
		const struct source *s = source_at(&c->an->compile->sources, c->ranges[i].start);
		if (c->targets[i] != target || !holds_span(n, c->ranges[i]))
			continue;
		const struct lsp_lines *lines = analysis_lines(c->an, s);
		msg_open(c->r->out, '{');
		msg_add_position(c->r->out, "start", lines_position(lines, c->ranges[i].start - s->base));
		msg_add_position(c->r->out, "end", lines_position(lines, c->ranges[i].end - s->base));
		msg_close(c->r->out, '}');
	}
	msg_close(c->r->out, ']');
}

static bool has_call(const struct calling *c, const struct node *n)
{
	for (size_t i = 0; i < c->n; i++)
		if (holds_span(n, c->ranges[i]))
			return true;
	return false;
}

bool calls_incoming(struct request *r)
{
	struct calling c;

	msg_open(r->out, '[');
	const struct program *p = find_function(r, &c) ? &c.an->compile->program : NULL;
	c.only = c.fn;
	for (size_t m = 0; p && m < p->n; m++)
		occurrences_visit(p, p->modules[m], note_call, &c);
	for (size_t m = 0; p && m < p->n; m++)
		for (size_t i = 0; i < p->modules[m]->file->u.file.decls.n; i++) {
			const struct node *n = p->modules[m]->file->u.file.decls.at[i];
			if (!has_call(&c, n))
				continue;
			msg_open(r->out, '{');
			msg_add_object(r->out, "from");
			put_item(r, c.an, n);
			msg_close(r->out, '}');
			put_ranges(&c, c.fn, n);
			msg_close(r->out, '}');
		}
	msg_close(r->out, ']');
	return true;
}

bool calls_outgoing(struct request *r)
{
	struct calling c;

	msg_open(r->out, '[');
	if (find_function(r, &c)) {
		c.around = c.fn->node;
		occurrences_visit(&c.an->compile->program, c.fn->module, note_call, &c);
		for (size_t i = 0; i < c.n; i++) {
			bool before = false;
			for (size_t k = 0; k < i; k++)
				before = before || c.targets[k] == c.targets[i];
			if (before)
				continue;
			msg_open(r->out, '{');
			msg_add_object(r->out, "to");
			put_item(r, c.an, c.targets[i]->node);
			msg_close(r->out, '}');
			put_ranges(&c, c.targets[i], NULL);
			msg_close(r->out, '}');
		}
	}
	msg_close(r->out, ']');
	return true;
}
