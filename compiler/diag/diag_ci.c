/*
 * diag_ci.c - diagnostics for hosts of code that read a format of their own: annotations of GitHub's workflows, the
 * Code Quality report of GitLab, and JUnit.
 */
#include "base/sha256.h"
#include "diag/render.h"

/* Returns the name of the file of D, or that of the program if D has no position. */
static struct str diag_file(const struct diags *ds, const struct diag *d)
{
	const struct source *s = d ? source_at(ds->sources, d->at.start) : NULL;

	for (size_t i = 0; !s && i < ds->sources->n; i++)
		if (!ds->sources->at[i]->library && !str_is(ds->sources->at[i]->name, "command line"))
			s = ds->sources->at[i];
	struct str name = s ? s->name : STR("trainc");
	return str_starts(name, STR("./")) ? (struct str){ name.p + 2, name.n - 2 } : name;
}

static void put_said(const struct diag *d, struct buf *out)
{
	buf_str(out, d->message);
	if (d->help.n)
		buf_printf(out, "\nhelp: %.*s", STR_ARG(d->help));
}

/* ---- GitHub ---- */

/* Escapes a text of a workflow command; a PROPERTY also ends at ':' and ','. */
static void put_command_text(struct str text, bool property, struct buf *out)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
			buf_printf(out, "%%%02X", (unsigned)c);
		else
			buf_char(out, c);
	}
}

static void put_annotation(const struct diags *ds, const struct diag *d, struct buf *out)
{
	struct buf said = { 0 };

	buf_printf(out, "::%s file=", d->severity == SEVERITY_ERROR ? "error" : "warning");
	put_command_text(diag_file(ds, d), true, out);
	if (source_at(ds->sources, d->at.start)) {
		struct place from = source_place(ds->sources, d->at.start),
			to = source_place(ds->sources, d->at.end > d->at.start ? d->at.end : d->at.start);
		buf_printf(out, ",line=%u,endLine=%u", from.line, to.line);
		if (from.line == to.line)       /* columns of several lines are not allowed */
			buf_printf(out, ",col=%u,endColumn=%u", from.column, to.column);
	}
	buf_printf(out, ",title=%s::", diag_code_name(d->code));
	put_said(d, &said);
	put_command_text(buf_text(&said), false, out);
	buf_char(out, '\n');
	buf_release(&said);
}

void diags_github(const struct diags *const *all, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < all[i]->n; k++)
			put_annotation(all[i], all[i]->at[k], out);
}

/* ---- GitLab ---- */

/*
 * Writes a fingerprint that stays when lines move: of the code, the file and the message, and how many diagnostics
 * before number K say the same.
 */
static void put_fingerprint(const struct diags *ds, size_t k, struct buf *out)
{
	const struct diag *d = ds->at[k];
	struct str file = diag_file(ds, d);
	struct sha256 hash;
	unsigned char same = 0;
	char digest[65];

	for (size_t i = 0; i < k; i++)
		if (ds->at[i]->code == d->code && str_eq(ds->at[i]->message, d->message) &&
			str_eq(diag_file(ds, ds->at[i]), file))
			same++;
	sha256_init(&hash);
	sha256_add(&hash, diag_code_name(d->code), 6);
	sha256_add(&hash, file.p, file.n);
	sha256_add(&hash, "", 1);
	sha256_add(&hash, d->message.p, d->message.n);
	sha256_add(&hash, &same, 1);
	sha256_end(&hash, digest);
	buf_z(out, digest);
}

static void put_quality(const struct diags *ds, size_t k, struct buf *out)
{
	const struct diag *d = ds->at[k];
	struct buf said = { 0 };
	bool placed = source_at(ds->sources, d->at.start);

	put_said(d, &said);
	buf_z(out, "{\"description\":");
	buf_json(out, buf_text(&said));
	buf_printf(out, ",\"check_name\":\"%s\",\"fingerprint\":\"", diag_code_name(d->code));
	put_fingerprint(ds, k, out);
	buf_printf(out, "\",\"severity\":\"%s\",\"location\":{\"path\":",
		d->severity == SEVERITY_ERROR ? "major" : "minor");
	buf_json(out, diag_file(ds, d));
	buf_printf(out, ",\"lines\":{\"begin\":%u}}}", placed ? source_place(ds->sources, d->at.start).line : 1);
	buf_release(&said);
}

void diags_gitlab(const struct diags *const *all, size_t n, struct buf *out)
{
	const char *comma = "\n";

	buf_char(out, '[');
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < all[i]->n; k++) {
			buf_z(out, comma);
			put_quality(all[i], k, out);
			comma = ",\n";
		}
	}
	buf_z(out, "]\n");
}

/* ---- JUnit ---- */

/* Escapes a text of XML; XML cannot contain most control characters at all. */
static void put_xml(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (c == '<' || c == '&' || c == '"' || c == '>')
			buf_printf(out, "&#%u;", c);
		else if (c >= ' ' || c == '\n' || c == '\t')
			buf_char(out, (char)c);
		else
			buf_char(out, '?');
	}
}

static void put_case(const struct diags *ds, const struct diag *d, struct buf *out)
{
	buf_z(out, "<testcase classname=\"trainc\" name=\"");
	put_xml(diag_file(ds, d), out);
	if (!d) {
		buf_z(out, "\"/>\n");
		return;
	}
	struct buf said = { 0 };
	bool error = d->severity == SEVERITY_ERROR;
	if (source_at(ds->sources, d->at.start)) {
		struct place from = source_place(ds->sources, d->at.start);
		buf_printf(out, ":%u:%u", from.line, from.column);
	}
	/* a warning is a case that passes, with its text as output */
	buf_printf(out, " %s\">", diag_code_name(d->code));
	buf_z(out, error ? "<failure message=\"" : "<system-out>");
	if (error) {
		put_xml(d->message, out);
		buf_z(out, "\">");
	}
	put_said(d, &said);
	put_xml(buf_text(&said), out);
	buf_z(out, error ? "</failure></testcase>\n" : "</system-out></testcase>\n");
	buf_release(&said);
}

void diags_junit(const struct diags *const *all, size_t n, struct buf *out)
{
	size_t tests = 0, failures = 0;

	for (size_t i = 0; i < n; i++) {
		tests += all[i]->n ? all[i]->n : 1;
		for (size_t k = 0; k < all[i]->n; k++)
			failures += all[i]->at[k]->severity == SEVERITY_ERROR;
	}
	buf_z(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	buf_printf(out, "<testsuite name=\"trainc\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n", tests, failures);
	for (size_t i = 0; i < n; i++) {
		if (!all[i]->n)
			put_case(all[i], NULL, out);
		for (size_t k = 0; k < all[i]->n; k++)
			put_case(all[i], all[i]->at[k], out);
	}
	buf_z(out, "</testsuite>\n</testsuites>\n");
}
