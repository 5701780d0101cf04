/*
 * diag_sarif.c - writes one SARIF 2.1.0 log (OASIS standard), for code scanning. Columns are code points, as columnKind
 * declares. Artifact locations are URI references, so the names of files are percent-encoded.
 */
#include "base/version.h"
#include "diag/page.h"
#include "diag/render.h"

static void uri(struct str name, struct buf *out)
{
	buf_char(out, '"');
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		             (c && strchr("-._~/", c));
		if (plain)
			buf_char(out, (char)c);
		else
			buf_printf(out, "%%%02X", c);
	}
	buf_char(out, '"');
}

static void message(const char *key, struct str text, struct buf *out)
{
	buf_printf(out, "\"%s\":{\"text\":", key);
	buf_json(out, text);
	buf_char(out, '}');
}

static void physical(const struct sources *sources, struct span at, struct buf *out)
{
	struct place from = source_place(sources, at.start),
		to = source_place(sources, at.end > at.start ? at.end : at.start);

	buf_z(out, "\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
	uri(from.source->name, out);
	buf_printf(out, "},\"region\":{\"startLine\":%u,\"startColumn\":%u,\"endLine\":%u,\"endColumn\":%u", from.line,
	           from.column, to.line, to.column);
	buf_printf(out, ",\"byteOffset\":%u,\"byteLength\":%u}}", from.offset, to.offset - from.offset);
}

/* Writes the explanation of a code: its first paragraphs as plain text, and all of it as Markdown. */
static void put_page(enum diag_code code, struct buf *out)
{
	struct str text = diag_page_text(code);
	struct arena scratch = { 0 };

	if (!text.n)
		return;
	buf_char(out, ',');
	message("fullDescription", text, out);
	buf_z(out, ",\"help\":{\"text\":");
	buf_json(out, text);
	buf_z(out, ",\"markdown\":");
	buf_json(out, page_markdown(&scratch, code));
	buf_char(out, '}');
	arena_release(&scratch);
}

static void rules(const bool used[], struct buf *out)
{
	const char *comma = "";

	for (size_t i = 0; i < DIAG_CODES; i++) {
		enum diag_code code = (enum diag_code)i;
		if (!used[i])
			continue;
		buf_printf(out, "%s{\"id\":\"%s\",\"name\":\"%s\",", comma, diag_code_name(code), diag_slug(code));
		message("shortDescription", str_of(diag_meaning(code)), out);
		put_page(code, out);
		buf_printf(out, ",\"defaultConfiguration\":{\"level\":\"%s\"}}",
		           diag_severity(code) == SEVERITY_ERROR ? "error" : "warning");
		comma = ",";
	}
}

static void related(const struct diags *ds, const struct diag *d, struct buf *out)
{
	unsigned id = 0;

	buf_z(out, ",\"relatedLocations\":[");
	for (const struct diag_note *note = d->notes; note; note = note->next) {
		buf_printf(out, "%s{\"id\":%u,", id ? "," : "", id + 1);
		id++;
		message("message", note->text, out);
		if (source_at(ds->sources, note->at.start)) {
			buf_char(out, ',');
			physical(ds->sources, note->at, out);
		}
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

static void replacement(const struct diags *ds, const struct diag_edit *e, struct buf *out)
{
	const struct source *s = source_at(ds->sources, e->at.start);

	buf_printf(out, "{\"deletedRegion\":{\"byteOffset\":%u,\"byteLength\":%u},", s ? e->at.start - s->base : 0,
	           e->at.end - e->at.start);
	message("insertedContent", e->text, out);
	buf_char(out, '}');
}

/* Writes all edits, from FIRST on, that are in the same file as FIRST. */
static void change(const struct diags *ds, const struct diag_edit *first, struct buf *out)
{
	const struct source *s = source_at(ds->sources, first->at.start);
	const char *comma = "";

	buf_z(out, "{\"artifactLocation\":{\"uri\":");
	uri(s ? s->name : STR(""), out);
	buf_z(out, "},\"replacements\":[");
	for (const struct diag_edit *e = first; e; e = e->next) {
		if (source_at(ds->sources, e->at.start) != s)
			continue;
		buf_z(out, comma);
		replacement(ds, e, out);
		comma = ",";
	}
	buf_z(out, "]}");
}

static bool is_first_of_file(const struct diags *ds, const struct diag_fix *fix, const struct diag_edit *edit)
{
	const struct diag_edit *e = fix->edits;

	while (source_at(ds->sources, e->at.start) != source_at(ds->sources, edit->at.start))
		e = e->next;
	return e == edit;
}

static void fixes(const struct diags *ds, const struct diag *d, struct buf *out)
{
	buf_z(out, ",\"fixes\":[");
	for (const struct diag_fix *fix = d->fixes; fix; fix = fix->next) {
		const char *comma = "";
		buf_char(out, '{');
		message("description", fix->title, out);
		buf_z(out, ",\"artifactChanges\":[");
		for (const struct diag_edit *e = fix->edits; e; e = e->next) {
			if (!is_first_of_file(ds, fix, e))
				continue;
			buf_z(out, comma);
			change(ds, e, out);
			comma = ",";
		}
		buf_z(out, fix->next ? "]}," : "]}");
	}
	buf_char(out, ']');
}

static void result(const struct diags *ds, const struct diag *d, size_t rule, struct buf *out)
{
	struct buf text = { 0 };

	buf_printf(out, "{\"ruleId\":\"%s\",\"ruleIndex\":%zu,\"level\":\"%s\",", diag_code_name(d->code), rule,
	           d->severity == SEVERITY_ERROR ? "error" : "warning");
	buf_str(&text, d->message);
	if (d->help.n)
		buf_printf(&text, "\nhelp: %.*s", STR_ARG(d->help));
	message("message", buf_text(&text), out);
	buf_release(&text);
	buf_z(out, ",\"locations\":[");
	if (source_at(ds->sources, d->at.start)) {
		buf_char(out, '{');
		physical(ds->sources, d->at, out);
		buf_char(out, '}');
	}
	buf_char(out, ']');
	if (d->notes)
		related(ds, d, out);
	if (d->fixes)
		fixes(ds, d, out);
	buf_char(out, '}');
}

static void put_sarif_run(const struct diags *ds, struct buf *out)
{
	bool used[DIAG_CODES] = { false };
	size_t index[DIAG_CODES] = { 0 }, n = 0;

	for (size_t i = 0; i < ds->n; i++)
		used[ds->at[i]->code] = true;
	for (size_t i = 0; i < DIAG_CODES; i++)
		if (used[i])
			index[i] = n++;
	buf_z(out, "{\"tool\":{\"driver\":{\"name\":\"trainc\",\"version\":\"" TRAINC_VERSION "\",\"rules\":[");
	rules(used, out);
	buf_z(out, "]}},\"columnKind\":\"unicodeCodePoints\",\"results\":[");
	for (size_t i = 0; i < ds->n; i++) {
		buf_z(out, i ? ",\n" : "\n");
		result(ds, ds->at[i], index[ds->at[i]->code], out);
	}
	buf_z(out, "]}");
}

void diags_sarif(const struct diags *const *all, size_t n, struct buf *out)
{
	buf_z(out, "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[");
	for (size_t i = 0; i < n; i++) {
		buf_z(out, i ? ",\n" : "\n");
		put_sarif_run(all[i], out);
	}
	buf_z(out, "]}\n");
}
