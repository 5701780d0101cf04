/*
 * params.c - reads the parameter values in the FILE of --params.
 *
 * A .tj file has lines `name = value`.  Their values are read as those of --set, except that text
 * in quotes is read as in a program.  YAML and JSON have one mapping, whose values stay trees
 * until their types are known.
 */
#include <ctype.h>

#include "compile.h"
#include "data/data_read.h"
#include "diag/near_file.h"
#include "eval/eval_params.h"

struct reading {
	struct trainc *c;
	struct source *source;
	struct map seen;                /* name of a parameter -> struct span */
	struct span name_at;            /* position of the parameter that is being read */
};

static bool is_new(struct reading *r, struct str name)
{
	struct span *at = ARENA_NEW(&r->c->arena, struct span), *first = map_get(&r->seen, name);

	*at = r->name_at;
	if (!first) {
		map_put(&r->seen, &r->c->arena, name, at);
		return true;
	}
	struct diag *d = diag_report(&r->c->diags, TJ0403, r->name_at, "'%.*s' is set twice in this file",
		STR_ARG(name));
	diag_note(&r->c->diags, d, *first, "first here");
	diag_help(&r->c->diags, d, "keep one of the two");
	return false;
}

/* Adds a value, the text of the file from START to END. */
static void add_param_value(struct reading *r, struct str name, size_t start, size_t end)
{
	struct str text = { r->source->text.p + start, end - start };
	struct setting s = { .name = names_intern(&r->c->names, name), .text = text, .source = r->source,
		.offset = (uint32_t)start,
		.name_at = r->name_at, .literal = str_starts(text, STR("\"")) || str_starts(text, STR("r\"")) };

	if (!is_new(r, s.name))
		return;
	ARENA_PUSH(&r->c->arena, r->c->settings.params, r->c->settings.nparams, s);
}

static struct diag *report_param(struct reading *r, size_t start, size_t end, const char *what)
{
	struct span at = { r->source->base + (uint32_t)start, r->source->base + (uint32_t)end };

	return diag_report(&r->c->diags, TJ0403, at, "%s", what);
}

/* ---- lines ---- */

static bool is_param_char(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Returns the end of the value that begins at I: before a comment and blanks, except within a string. */
static size_t value_end(struct str text, size_t i, size_t end)
{
	size_t start = i;
	bool quoted = false;

	for (; i < end; i++) {
		if (quoted && text.p[i] == '\\')
			i++;
		else if (text.p[i] == '"')
			quoted = !quoted;
		else if (text.p[i] == '#' && !quoted)
			break;
	}
	i = i < end ? i : end;
	while (i > start && isspace((unsigned char)text.p[i - 1]))
		i--;
	return i;
}

static void read_line(struct reading *r, size_t i, size_t end)
{
	struct str text = r->source->text;
	size_t line = i;

	while (i < end && isspace((unsigned char)text.p[i]))
		i++;
	if (i == end || text.p[i] == '#')
		return;
	size_t name = i;
	while (i < end && is_param_char(text.p[i]))
		i++;
	struct str word = { text.p + name, i - name };
	r->name_at = (struct span){ r->source->base + (uint32_t)name, r->source->base + (uint32_t)i };
	while (i < end && isspace((unsigned char)text.p[i]))
		i++;
	bool equals = i < end && text.p[i] == '=';
	for (i += equals; i < end && isspace((unsigned char)text.p[i]);)
		i++;
	size_t stop = value_end(text, i, end);
	if (word.n && equals && stop > i)
		add_param_value(r, word, i, stop);
	else
		diag_help(&r->c->diags,
			report_param(r, name, value_end(text, line, end), "this line sets no parameter"),
		          "a line is 'name = value'");
}

static void read_lines(struct reading *r)
{
	struct str text = r->source->text;

	for (size_t start = 0; start < text.n;) {
		const char *newline = memchr(text.p + start, '\n', text.n - start);
		size_t end = newline ? (size_t)(newline - text.p) : text.n;
		read_line(r, start, end);
		start = end + 1;
	}
}

/* ---- parameter files in YAML and JSON ---- */

static void report_unreadable(struct reading *r, const struct data_error *why)
{
	struct diags *ds = &r->c->diags;
	struct diag *d = diag_report(ds, TJ0403, why->at, "this cannot be read: %.*s", STR_ARG(why->what));

	if (span_known(why->first))
		diag_note(ds, d, why->first, "first here");
	diag_help(ds, d, "%.*s", STR_ARG(why->help));
}

static void add_member(struct reading *r, const struct data_member *m)
{
	struct str text = m->value->kind == DATA_MAP ? STR("{") : source_text(&r->c->sources, m->value->from);
	struct setting s = { .name = names_intern(&r->c->names, param_key(&r->c->sources, m)), .text = text,
		.source = r->source, .name_at = m->key_at, .value_at = m->value->from, .data = m->value };

	ARENA_PUSH(&r->c->arena, r->c->settings.params, r->c->settings.nparams, s);
}

static void read_yaml(struct reading *r)
{
	struct diags *ds = &r->c->diags;
	struct data_reader *reader = data_reader_new(&r->c->arena, r->source);
	/* an infinite number is reported for its parameter, not for the whole file */
	data_reader_keep_infinite(reader);
	struct data *root, *more;
	struct data_error why = { 0 };
	enum data_step step = data_next(reader, &root, &why), next = DATA_END;

	if (step == DATA_DOCUMENT)
		next = data_next(reader, &more, &why);
	if (step == DATA_ERROR || next == DATA_ERROR) {
		report_unreadable(r, &why);
	} else if (next == DATA_DOCUMENT) {
		struct diag *d = diag_report(ds, TJ0403, more->from,
			"a file of parameters is one document, and this is a second one");
		diag_help(ds, d, "give it as a file of its own: with several --params, later files win");
	} else if (step == DATA_DOCUMENT && root->kind != DATA_MAP) {
		struct span start = { root->from.start, root->from.start + 1 };
		diag_help(ds, diag_report(ds, TJ0403, start, "parameters are given as one mapping"),
			"write 'name: value'");
	} else if (step == DATA_DOCUMENT) {
		for (size_t i = 0; i < root->u.map.n; i++)
			add_member(r, &root->u.map.at[i]);
	}
	data_reader_release(reader);
}

enum { PARAMS_LARGEST = 4 << 20 };       /* maximum bytes of a file */

void compile_params(struct trainc *c, struct str path)
{
	struct str text, why = STR("");
	struct reading r = { .c = c };
	bool yaml = str_ends(path, STR(".yaml")) || str_ends(path, STR(".yml")) || str_ends(path, STR(".json"));

	if (!yaml && !str_ends(path, STR(".tj"))) {
		struct diag *d = diag_report(&c->diags, TJ0001, (struct span){ 0, 0 }, "'%.*s' is not a parameter file",
			STR_ARG(path));
		diag_help(&c->diags, d, "its name ends with .tj, .yaml, .yml or .json");
		return;
	}
	if (!reader_text(c->program.reader, &c->arena, path, PARAMS_LARGEST, &text, &why)) {
		report_no_reading(&c->diags, c->program.reader, path, why, ".tj .yaml .yml .json");
		return;
	}
	r.source = source_add(&c->sources, path, text);
	if (!r.source)
		return;
	size_t wrong = str_malformed(text);
	if (wrong < text.n)
		report_param(&r, wrong, wrong + 1,
			text.p[wrong] ? "this is not UTF-8" : "a NUL character, which texts cannot contain");
	else if (yaml)
		read_yaml(&r);
	else
		read_lines(&r);
}
