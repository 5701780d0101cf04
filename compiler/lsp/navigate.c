/*
 * navigate.c - finds where a name is declared, and where else it is used.
 */
#include "lsp/spot.h"

/* Finds where a port is declared: its entry in `ports`. The checker's tables have no declaration for a port. */
static void find_port_entry(void *to, const struct mention_at *m)
{
	struct span *found = to;

	if (m->declares && !span_known(*found))
		*found = m->occurrence->at;
}

bool definition_answer(struct request *r)
{
	struct spot s;
	struct span at = { 0, 0 };

	if (spot_at(r, &s) && s.named) {
		const struct module *module = s.name.decl && s.name.decl->kind == DECL_IMPORT
			? s.name.decl->node->u.import.module : NULL;
		at = spot_declared(&s.name);
		/* jumps to the module itself, not to its import */
		if (s.name.kind == OCCURRENCE_DECL && module)
			at = (struct span){ module->source->base, module->source->base };
		if (s.name.kind == OCCURRENCE_PORT)
			spot_mentions(r, &s, false, find_port_entry, &at);
	}
	if (span_known(at))
		spot_put_location(r, s.analysis, at);
	else
		msg_put_raw(r->out, "null");
	return true;
}

struct listing {
	struct request *r;
	bool declarations;
	struct str only;                /* URI of the only file to report; p == NULL: all files */
};

static void put_reference(void *to, const struct mention_at *m)
{
	struct listing *l = to;

	if (m->declares && !l->declarations)
		return;
	msg_open(l->r->out, '{');
	msg_add_text(l->r->out, "uri", m->uri);
	msg_add_range(l->r->out, "range", m->lines, m->start, m->end);
	msg_close(l->r->out, '}');
}

bool references_answer(struct request *r)
{
	struct spot s;
	struct listing l = { r, msg_flag(r->params, "context.includeDeclaration"), { 0 } };

	msg_open(r->out, '[');
	if (spot_at(r, &s) && s.named)
		spot_mentions(r, &s, true, put_reference, &l);
	msg_close(r->out, ']');
	return true;
}

static void put_highlight(void *to, const struct mention_at *m)
{
	struct listing *l = to;

	if (!str_eq(m->uri, l->only))
		return;
	msg_open(l->r->out, '{');
	msg_add_range(l->r->out, "range", m->lines, m->start, m->end);
	msg_add_int(l->r->out, "kind", m->declares || m->writes ? 3 : 2);
	msg_close(l->r->out, '}');
}

bool highlight_answer(struct request *r)
{
	struct spot s;
	struct listing l = { .r = r, .only = r->document->uri };

	msg_open(r->out, '[');
	if (spot_at(r, &s) && s.named)
		spot_mentions(r, &s, false, put_highlight, &l);
	msg_close(r->out, ']');
	return true;
}
