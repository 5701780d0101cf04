/*
 * diag_json.c - diagnostics for programs: one JSON object per line. Every key is always present, so readers need no
 * defaults.
 */
#include "diag/render.h"

/*
 * Writes the members that describe a span. Offsets are counted in bytes, columns in characters; both ends of the span
 * are in the same text.
 */
static void span_json(const struct sources *sources, struct span at, bool primary, struct str label, struct buf *out)
{
	struct place from = source_place(sources, at.start),
		to = source_place(sources, at.end > at.start ? at.end : at.start);

	buf_z(out, "{\"file\":");
	buf_json(out, from.source->name);
	buf_printf(out, ",\"line\":%u,\"column\":%u,\"end_line\":%u,\"end_column\":%u", from.line, from.column, to.line,
		to.column);
	buf_printf(out, ",\"offset\":%u,\"length\":%u", from.offset, to.offset - from.offset);
	buf_printf(out, ",\"primary\":%s,\"label\":", primary ? "true" : "false");
	buf_json(out, label);
	buf_char(out, '}');
}

static void spans_json(const struct sources *sources, const struct diag *d, struct buf *out)
{
	const char *comma = "";

	buf_z(out, ",\"spans\":[");
	if (source_at(sources, d->at.start)) {
		span_json(sources, d->at, true, d->label, out);
		comma = ",";
	}
	for (const struct diag_note *note = d->notes; note; note = note->next) {
		if (!source_at(sources, note->at.start))
			continue;
		buf_z(out, comma);
		span_json(sources, note->at, false, note->text, out);
		comma = ",";
	}
	buf_char(out, ']');
}

/* Writes the notes that have no span. */
static void notes_json(const struct diags *ds, const struct diag *d, struct buf *out)
{
	const char *comma = "";

	buf_z(out, ",\"notes\":[");
	for (const struct diag_note *note = d->notes; note; note = note->next) {
		if (source_at(ds->sources, note->at.start))
			continue;
		buf_z(out, comma);
		buf_json(out, note->text);
		comma = ",";
	}
	buf_char(out, ']');
}

static void edit_json(const struct diags *ds, const struct diag_edit *e, struct buf *out)
{
	const struct source *s = source_at(ds->sources, e->at.start);

	buf_z(out, "{\"file\":");
	buf_json(out, s ? s->name : STR(""));
	buf_printf(out, ",\"offset\":%u,\"length\":%u,\"text\":", s ? e->at.start - s->base : 0,
		e->at.end - e->at.start);
	buf_json(out, e->text);
	buf_char(out, '}');
}

static void fixes_json(const struct diags *ds, const struct diag *d, struct buf *out)
{
	buf_z(out, ",\"fixes\":[");
	for (const struct diag_fix *fix = d->fixes; fix; fix = fix->next) {
		buf_z(out, "{\"title\":");
		buf_json(out, fix->title);
		buf_z(out, ",\"edits\":[");
		for (const struct diag_edit *e = fix->edits; e; e = e->next) {
			edit_json(ds, e, out);
			buf_z(out, e->next ? "," : "");
		}
		buf_z(out, fix->next ? "]}," : "]}");
	}
	buf_char(out, ']');
}

void diags_json(const struct diags *ds, struct buf *out)
{
	for (size_t i = 0; i < ds->n; i++) {
		const struct diag *d = ds->at[i];

		buf_printf(out, "{\"code\":\"%s\",\"slug\":\"%s\",\"severity\":\"%s\"", diag_code_name(d->code),
		           diag_slug(d->code), d->severity == SEVERITY_ERROR ? "error" : "warning");
		if (d->denied)
			buf_z(out, ",\"denied\":true");
		buf_z(out, ",\"message\":");
		buf_json(out, d->message);
		spans_json(ds->sources, d, out);
		notes_json(ds, d, out);
		buf_z(out, ",\"help\":");
		buf_json(out, d->help);
		fixes_json(ds, d, out);
		buf_z(out, "}\n");
	}
}
