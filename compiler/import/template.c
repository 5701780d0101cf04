/*
 * template.c - reports texts that another tool has to complete. In arguments or in a script, a container may need `{{ x
 * }}` or `${X}` unchanged. So they are reported only where they can mean nothing else; forms that only charts have are
 * reported everywhere.
 */
#include "import/template.h"

static bool holds_word(struct str text, const char *word) { return memmem(text.p, text.n, word, strlen(word)); }

/* Is it an expression of a chart, such as "{{ .Values.x }}"? */
static bool of_chart(struct str text)
{
	static const char *const words[] = { ".Values", ".Release", ".Chart", ".Capabilities", "include \"", "toYaml",
		"nindent" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (holds_word(text, words[i]))
			return true;
	return false;
}

/* Does any text between {{ and }} contain a word of Helm? Scripts also use such braces, but with other words. */
static bool of_chart_inside(struct str text)
{
	const char *from = text.n ? memmem(text.p, text.n, "{{", 2) : NULL, *end = text.p + text.n;

	while (from) {
		const char *to = memmem(from, (size_t)(end - from), "}}", 2);
		if (!to)
			return false;
		if (of_chart((struct str){ from, (size_t)(to - from) }))
			return true;
		from = memmem(to, (size_t)(end - to), "{{", 2);
	}
	return false;
}

/* Has this text not been reported yet? Each text is reported once. */
static bool first(struct import *im)
{
	bool ret = im->incomplete != im->source;

	im->incomplete = im->source;
	return ret;
}

static void report_template(struct import *im, struct span at, bool chart)
{
	struct diag *d;

	if (!first(im))
		return;
	d = diag_report(im->diags, TJ1123, at, "this is a template%s, not a manifest yet", chart ? " of Helm" : "");
	if (chart)
		diag_help(im->diags, d, "'helm template CHART | trainc import -' imports the rendered manifests");
	else
		diag_help(im->diags, d, "render it first, and import the result");
}

static void report_variable(struct import *im, const struct data *d)
{
	struct diag *ret;

	if (!first(im))
		return;
	ret = diag_report(im->diags, TJ1123, d->from, "'%.*s' must be replaced before this is a manifest",
		STR_ARG(d->u.string));
	if (str_is(im->source->name, "<stdin>"))
		diag_help(im->diags, ret,
			"'envsubst < FILE | trainc import -' puts in what the variables of your shell hold");
	else
		diag_help(im->diags, ret,
			"'envsubst < %.*s | trainc import -' puts in what the variables of your shell hold",
			STR_ARG(im->source->name));
}

/* ---- texts that do not parse ---- */

/* Returns the braces on a line, outside of quotes and comments; empty if the line contains no braces. */
static struct str braces(struct str line)
{
	char quote = 0;

	for (size_t i = 0; i + 1 < line.n; i++) {
		char c = line.p[i];
		if (!quote && c == '#' && (i == 0 || line.p[i - 1] == ' '))
			break;
		if (quote ? c == quote : c == '"' || c == '\'')
			quote = quote ? 0 : c;
		if (quote || c != '{' || (line.p[i + 1] != '{' && line.p[i + 1] != '%'))
			continue;
		const char *end = memmem(line.p + i, line.n - i, line.p[i + 1] == '%' ? "%}" : "}}", 2);
		return (struct str){ line.p + i, end ? (size_t)(end - line.p) + 2 - i : line.n - i };
	}
	return (struct str){ 0 };
}

bool template_unreadable(struct import *im, const struct data_error *error)
{
	struct str text = im->source->text, found = { 0 };
	size_t end = error->at.start - im->source->base;

	for (size_t i = 0; i <= end && i < text.n;) {
		const char *newline = memchr(text.p + i, '\n', text.n - i);
		struct str line = { text.p + i, newline ? (size_t)(newline - text.p) - i : text.n - i };
		struct str here = braces(line);
		if (here.n)
			found = here;
		i += line.n + 1;
	}
	if (!found.n)
		return false;
	uint32_t start = im->source->base + (uint32_t)(found.p - text.p);
	report_template(im, (struct span){ start, start + (uint32_t)found.n }, of_chart(text));
	return true;
}

/* ---- texts that parse ---- */

/*
 * Does the text contain a variable such as "${NAME}" or "$NAME", which envsubst replaces? "$(NAME)" belongs to
 * Kubernetes.
 */
static bool has_variable(struct str text)
{
	for (size_t i = 0; i + 1 < text.n; i++) {
		unsigned char next = (unsigned char)text.p[i + 1];
		if (text.p[i] == '$' && (next == '{' || next == '_' || ((next | 32) >= 'a' && (next | 32) <= 'z')))
			return true;
	}
	return false;
}

bool template_value(struct import *im, const struct data *d)
{
	if (d->kind != DATA_STRING)
		return false;
	if (holds_word(d->u.string, "{{"))
		report_template(im, d->from, of_chart(d->u.string));
	else if (has_variable(d->u.string))
		report_variable(im, d);
	else
		return false;
	return true;
}

/* Is it the key of a name or an image? Neither can contain braces or '$'. */
static bool is_name_key(struct str key)
{
	return str_is(key, "name") || str_is(key, "namespace") || str_is(key, "image");
}

static bool any_text(struct import *im, const struct data *d, struct str key)
{
	if (d->kind == DATA_STRING) {
		if (is_name_key(key) && template_value(im, d))
			return true;
		if (!of_chart_inside(d->u.string))
			return false;
		report_template(im, d->from, true);
		return true;
	}
	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++)
		if (any_text(im, d->u.list.at[i], STR("")))
			return true;
	for (size_t i = 0; d->kind == DATA_MAP && i < d->u.map.n; i++)
		if (any_text(im, d->u.map.at[i].value, d->u.map.at[i].key))
			return true;
	return false;
}

bool template_object(struct import *im, const struct data *object) { return any_text(im, object, STR("")); }

/* ---- reporting files that only list other files ---- */

static struct str directory_of(const struct source *source, struct str *ret_file)
{
	const char *slash = memrchr(source->name.p, '/', source->name.n);
	size_t n = slash ? (size_t)(slash - source->name.p) : 0;

	*ret_file = slash ? (struct str){ slash + 1, source->name.n - n - 1 } : source->name;
	return slash ? (struct str){ source->name.p, n ? n : 1 } : STR(".");
}

bool template_directory(struct import *im, const struct data *object)
{
	struct str file, directory = directory_of(im->source, &file);
	bool bare = !data_get(object, STR("kind"));
	bool kustomize = str_starts(member_text(object, "apiVersion"), STR("kustomize.config.k8s.io/")) ||
		(bare && (str_is(file, "kustomization.yaml") || str_is(file, "kustomization.yml") ||
		str_is(file, "Kustomization")));
	struct diag *d;

	if (kustomize) {
		d = diag_report(im->diags, TJ1123, object->from,
			"this is a kustomization: it lists manifests and is not one itself");
		diag_help(im->diags, d, "'kubectl kustomize %.*s | trainc import -' imports the rendered manifests",
			STR_ARG(directory));
		return true;
	}
	if (!bare || !(str_is(file, "Chart.yaml") || str_is(file, "values.yaml")))
		return false;
	d = diag_report(im->diags, TJ1123, object->from, "this belongs to a Helm chart and is not a manifest");
	diag_help(im->diags, d, "'helm template %.*s | trainc import -' imports the rendered manifests",
		STR_ARG(directory));
	return true;
}
