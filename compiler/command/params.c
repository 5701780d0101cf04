/*
 * params.c - --params FILE: parameter values from a file.
 *
 * A .tj file has lines `name = value`; YAML and JSON (which is YAML) one
 * mapping.  Either way a value becomes a text that is read as that of --set.
 * Where the text stands in the file as it is, messages point there; a text
 * that had to be composed (escapes, lists, mappings) becomes a source of its
 * own, named after the file and the parameter.
 */
#include <ctype.h>
#include <yaml.h>

#include "compile.h"

struct reading {
	struct compile *c;
	struct source *source;
	struct map seen;                /* names -> struct span * */
	struct span name_at, value_at;  /* of the parameter that is being read */
};

static bool is_new(struct reading *r, struct str name)
{
	struct span *at = ARENA_NEW(&r->c->arena, struct span), *first = map_get(&r->seen, name);

	*at = r->name_at;
	if (!first) {
		map_put(&r->seen, &r->c->arena, name, at);
		return true;
	}
	struct diag *d = diag_report(&r->c->diags, TJ0403, r->name_at, "'%.*s' is set twice in this file", STR_ARG(name));
	diag_note(&r->c->diags, d, *first, "first here");
	diag_help(&r->c->diags, d, "keep one of the two");
	return false;
}

static void add(struct reading *r, struct str name, struct str text, struct source *source, uint32_t offset)
{
	struct setting s = { .name = intern(&r->c->names, name), .text = text, .source = source, .offset = offset, .name_at = r->name_at };

	if (!is_new(r, s.name))
		return;
	if (source != r->source)
		s.value_at = r->value_at;
	ARENA_PUSH(&r->c->arena, r->c->settings.params, r->c->settings.nparams, s);
}

/* A value that is part of the file. */
static void add_part(struct reading *r, struct str name, size_t offset, size_t n)
{
	add(r, name, (struct str){ r->source->text.p + offset, n }, r->source, (uint32_t)offset);
}

/* A value that is not. */
static void add_composed(struct reading *r, struct str name, struct str text)
{
	struct str where = str_printf(&r->c->arena, "%.*s: %.*s", STR_ARG(r->source->name), STR_ARG(name));
	struct source *s = source_add(&r->c->sources, where, text);

	if (s)
		add(r, name, s->text, s, 0);
}

static struct diag *report(struct reading *r, size_t start, size_t end, const char *what)
{
	struct span at = { r->source->base + (uint32_t)start, r->source->base + (uint32_t)end };

	return diag_report(&r->c->diags, TJ0403, at, "%s", what);
}

/* ---- lines ---- */

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The end of the value that starts at `i`: before a comment and blanks, but not inside a string. */
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

/* A string is given with its quotes, as in a program, and taken without them. */
static void add_value(struct reading *r, struct str name, size_t start, size_t end)
{
	struct str text = r->source->text;
	bool string = end - start >= 2 && text.p[start] == '"' && text.p[end - 1] == '"';

	if (string && !memchr(text.p + start + 1, '"', end - start - 2) && !memchr(text.p + start, '\\', end - start))
		add_part(r, name, start + 1, end - start - 2);
	else
		add_part(r, name, start, end - start);
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
	while (i < end && is_word(text.p[i]))
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
		add_value(r, word, i, stop);
	else
		diag_help(&r->c->diags, report(r, name, value_end(text, line, end), "this line sets no parameter"),
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

/* ---- YAML and JSON ---- */

struct document {
	struct reading *reading;
	yaml_document_t yaml;
	/* libyaml counts characters; the last position that was translated to bytes */
	size_t character, byte;
};

static size_t byte_of(struct document *d, size_t character)
{
	struct str text = d->reading->source->text;

	if (character < d->character)
		d->character = d->byte = 0;
	while (d->character < character && d->byte < text.n) {
		d->byte++;
		while (d->byte < text.n && ((unsigned char)text.p[d->byte] & 0xC0) == 0x80)
			d->byte++;
		d->character++;
	}
	return d->byte;
}

static struct str scalar(const yaml_node_t *n)
{
	return (struct str){ (const char *)n->data.scalar.value, n->data.scalar.length };
}

static bool is_plain(const yaml_node_t *n) { return n->data.scalar.style == YAML_PLAIN_SCALAR_STYLE; }

static bool is_null(const yaml_node_t *n)
{
	struct str s = scalar(n);
	return is_plain(n) && (!s.n || str_is(s, "null") || str_is(s, "~"));
}

/* Inside a list or mapping nothing says what is wanted: what looks like a number, an amount or a bool is one. */
static void compose_scalar(const yaml_node_t *n, struct buf *out)
{
	struct str s = scalar(n);
	bool amount = s.n && isdigit((unsigned char)*s.p) && quantity_unit(s) != UNIT_UNKNOWN && strspn(s.p, "0123456789.") < s.n;
	bool bare = is_plain(n) && s.n && (isdigit((unsigned char)*s.p) || *s.p == '-' || str_is(s, "true") || str_is(s, "false"));

	if (is_null(n))
		buf_z(out, "none");
	else if (bare || (amount && quantity_unit(s) != UNIT_NONE))
		buf_str(out, s);
	else {
		struct buf quoted = { 0 };
		buf_json(&quoted, s);
		for (size_t i = 0; i < quoted.n; i++) {
			if (quoted.p[i] == '$')
				buf_char(out, '\\');
			buf_char(out, quoted.p[i]);
		}
		buf_release(&quoted);
	}
}

enum { DEEPEST = 64 };

/* A node as an expression of the language. */
static void compose(struct document *d, int id, int depth, struct buf *out)
{
	const yaml_node_t *n = yaml_document_get_node(&d->yaml, id);

	if (!n || depth > DEEPEST) {
		buf_z(out, "none");
	} else if (n->type == YAML_SCALAR_NODE) {
		compose_scalar(n, out);
	} else if (n->type == YAML_SEQUENCE_NODE) {
		buf_char(out, '[');
		for (const yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
			buf_z(out, i > n->data.sequence.items.start ? ", " : "");
			compose(d, *i, depth + 1, out);
		}
		buf_char(out, ']');
	} else {
		buf_char(out, '{');
		for (const yaml_node_pair_t *i = n->data.mapping.pairs.start; i < n->data.mapping.pairs.top; i++) {
			const yaml_node_t *key = yaml_document_get_node(&d->yaml, i->key);
			buf_z(out, i > n->data.mapping.pairs.start ? ", " : " ");
			buf_json(out, key && key->type == YAML_SCALAR_NODE ? scalar(key) : STR(""));
			buf_z(out, " = ");
			compose(d, i->value, depth + 1, out);
		}
		buf_z(out, " }");
	}
}

/* A node's place: of a list or mapping, to the end of its line.  The end is not asked for: byte_of() goes forward only. */
static struct span first_line(struct document *d, const yaml_node_t *n)
{
	const struct source *source = d->reading->source;
	struct str text = source->text;
	size_t start = byte_of(d, n->start_mark.index), end = text.n;
	const char *newline = memchr(text.p + start, '\n', text.n - start);

	if (newline)
		end = (size_t)(newline - text.p);
	if (n->type == YAML_SCALAR_NODE && n->data.scalar.length + 2 < end - start)
		end = start + n->data.scalar.length + 2 * !is_plain(n);
	while (end > start + 1 && isspace((unsigned char)text.p[end - 1]))
		end--;
	return (struct span){ source->base + (uint32_t)start, source->base + (uint32_t)end };
}

static void add_node(struct document *d, struct str name, int id)
{
	struct reading *r = d->reading;
	const yaml_node_t *n = yaml_document_get_node(&d->yaml, id);
	struct str text = r->source->text;

	if (n->type == YAML_SCALAR_NODE && !is_null(n)) {
		struct str value = scalar(n);
		size_t at = byte_of(d, n->start_mark.index) + !is_plain(n);
		if (at + value.n <= text.n && str_eq(value, (struct str){ text.p + at, value.n }))
			add_part(r, name, at, value.n);
		else
			add_composed(r, name, value);
		return;
	}
	struct buf b = { 0 };
	compose(d, id, 0, &b);
	add_composed(r, name, buf_text(&b));
	buf_release(&b);
}

static void read_mapping(struct document *d)
{
	struct reading *r = d->reading;
	const yaml_node_t *root = yaml_document_get_root_node(&d->yaml);

	if (!root)
		return;         /* an empty file sets nothing */
	if (root->type != YAML_MAPPING_NODE) {
		size_t start = byte_of(d, root->start_mark.index);
		diag_help(&r->c->diags, report(r, start, start + 1, "parameters are given as one mapping"), "write 'name: value'");
		return;
	}
	for (const yaml_node_pair_t *i = root->data.mapping.pairs.start; i < root->data.mapping.pairs.top; i++) {
		const yaml_node_t *key = yaml_document_get_node(&d->yaml, i->key);
		if (key->type == YAML_SCALAR_NODE) {
			r->name_at = first_line(d, key);
			r->value_at = first_line(d, yaml_document_get_node(&d->yaml, i->value));
			add_node(d, str_copy(&r->c->arena, scalar(key)), i->value);
			continue;
		}
		size_t start = byte_of(d, key->start_mark.index);
		report(r, start, start + 1, "the name of a parameter is a word");
	}
}

static void read_yaml(struct reading *r)
{
	struct document d = { .reading = r };
	yaml_parser_t parser;

	if (!yaml_parser_initialize(&parser))
		return;
	yaml_parser_set_input_string(&parser, (const unsigned char *)r->source->text.p, r->source->text.n);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	if (yaml_parser_load(&parser, &d.yaml)) {
		read_mapping(&d);
		yaml_document_delete(&d.yaml);
	} else {
		size_t at = byte_of(&d, parser.problem_mark.index);
		report(r, at, at, str_printf(&r->c->arena, "this cannot be read: %s", parser.problem ? parser.problem : "malformed").p);
	}
	yaml_parser_delete(&parser);
}

void compile_params(struct compile *c, struct str path)
{
	struct str text, why = STR("");
	struct reading r = { .c = c };
	bool yaml = str_ends(path, STR(".yaml")) || str_ends(path, STR(".yml")) || str_ends(path, STR(".json"));

	if (!yaml && !str_ends(path, STR(".tj"))) {
		struct diag *d = diag_report(&c->diags, TJ0001, (struct span){ 0, 0 }, "'%.*s' is no file of parameters", STR_ARG(path));
		diag_help(&c->diags, d, "its name ends with .tj, .yaml, .yml or .json");
		return;
	}
	if (!c->program.reader->read(c->program.reader->context, &c->arena, path, &text, &why)) {
		diag_report(&c->diags, TJ0001, (struct span){ 0, 0 }, "cannot read '%.*s': %.*s", STR_ARG(path), STR_ARG(why));
		return;
	}
	r.source = source_add(&c->sources, path, text);
	if (!r.source)
		return;
	if (yaml)
		read_yaml(&r);
	else
		read_lines(&r);
}
