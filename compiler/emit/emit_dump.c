/*
 * emit_dump.c - `trainc dump --objects`: prints one field per line with its path and the source position that decided
 * it.
 */
#include "emit/emit_build.h"
#include "objects/objects_render.h"

struct dumping {
	const struct sources *sources;
	struct buf *out;
	struct buf path;
};

static void dump_place(struct dumping *d, struct span from)
{
	struct place at = span_known(from) ? source_place(d->sources, from.start) : (struct place){ 0 };

	if (at.source)
		buf_printf(d->out, "  @%.*s:%u:%u", STR_ARG(at.source->name), at.line, at.column);
	buf_char(d->out, '\n');
}

static void dump_object_text(struct dumping *d, const struct object *o)
{
	struct str one;
	size_t n;
	const struct str *s = render_segments(o, &one, &n);

	for (size_t i = 0; i < n; i++) {
		if (s[i].p)
			buf_json(d->out, s[i]);
		else
			buf_z(d->out, "<index>");
	}
}

static void dump_scalar(struct dumping *d, const struct object *o)
{
	switch (o->kind) {
	case OBJECT_BOOL: buf_z(d->out, o->u.boolean ? "true" : "false"); break;
	case OBJECT_INT: buf_int(d->out, o->u.integer); break;
	case OBJECT_FLOAT: render_float(d->out, o->u.number); break;
	case OBJECT_STRING:
	case OBJECT_TEXT: dump_object_text(d, o); break;
	case OBJECT_MADE: buf_z(d->out, "<made for each index>"); break;
	case OBJECT_LIST: buf_z(d->out, "[]"); break;
	case OBJECT_MAP: buf_z(d->out, "{}"); break;
	case OBJECT_NULL: buf_z(d->out, "null"); break;
	}
}

static void tree(struct dumping *d, const struct object *o, struct span from)
{
	size_t length = d->path.n;

	from = span_known(o->from) ? o->from : from;
	for (size_t i = 0; o->kind == OBJECT_MAP && i < o->u.map.n; i++) {
		buf_printf(&d->path, "%s%.*s", length ? "." : "", STR_ARG(o->u.map.at[i].key));
		tree(d, o->u.map.at[i].value, from);
		d->path.n = length;
	}
	for (size_t i = 0; o->kind == OBJECT_LIST && i < o->u.list.n; i++) {
		buf_printf(&d->path, "[%zu]", i);
		tree(d, o->u.list.at[i], from);
		d->path.n = length;
	}
	if ((o->kind == OBJECT_MAP && o->u.map.n) || (o->kind == OBJECT_LIST && o->u.list.n))
		return;
	buf_printf(d->out, "  %.*s = ", STR_ARG(buf_text(&d->path)));
	dump_scalar(d, o);
	dump_place(d, from);
}

static bool dump_manifest(struct emit *e, const struct manifest *m, void *context)
{
	struct dumping *d = context;

	buf_printf(d->out, "%s %s %.*s", m->api_version, m->kind, STR_ARG(m->name));
	if (m->indexed_name)
		buf_printf(d->out, "-<index>, %lld of them", (long long)m->count);
	if (m->first)
		buf_printf(d->out, " from %lld on", (long long)m->first);
	dump_place(d, m->from);
	tree(d, m->make(e, m), m->from);
	return true;
}

void emit_dump(const struct plan *plan, const struct sources *sources, struct buf *out)
{
	struct emit e = { .plan = plan };
	struct dumping d = { .sources = sources, .out = out };

	emit_each(&e, dump_manifest, &d);
	buf_release(&d.path);
}
