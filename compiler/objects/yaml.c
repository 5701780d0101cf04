/*
 * yaml.c - writes a tree in block style, as kubectl prints it: two spaces, lists not indented below their key, one
 * field per line.
 */
#include "base/words.h"
#include "objects/objects_render.h"

/* in longer keys, readers do not look for the ':' that ends the key (YAML allows 1,024 characters) */
enum { LONGEST_KEY = 1000 };

static void spaces(struct buf *b, unsigned n)
{
	if (!buf_room(b, n))
		return;
	memset(b->p + b->n, ' ', n);
	b->n += n;
}

/* Writes the source position of the line as a comment at its end. */
static void write_yaml_source(struct rendered *r, struct span from)
{
	if (r->annotate && (span_known(from) || span_known(r->from))) {
		struct place at = source_place(r->annotate, (span_known(from) ? from : r->from).start);
		if (at.source) {
			buf_z(&r->bytes, " # ");
			put_escaped(&r->bytes, at.source->name);        /* escaped, because a line end in a name would
									 * end the comment */
			buf_printf(&r->bytes, ":%u", at.line);
		}
	}
	buf_char(&r->bytes, '\n');
}

static void put_yaml_escape(struct buf *b, unsigned char c)
{
	switch (c) {
	case '"': buf_put(b, "\\\"", 2); break;
	case '\\': buf_put(b, "\\\\", 2); break;
	case '\n': buf_put(b, "\\n", 2); break;
	case '\t': buf_put(b, "\\t", 2); break;
	case '\r': buf_put(b, "\\r", 2); break;
	default: buf_printf(b, "\\x%02X", c);
	}
}

static void high_escape(struct buf *b, uint32_t c)
{
	if (c < 0x100)
		buf_printf(b, "\\x%02X", (unsigned)c);
	else
		buf_printf(b, c < 0x10000 ? "\\u%04X" : "\\U%08X", (unsigned)c);
}

static void double_quoted(struct buf *b, struct str s)
{
	size_t plain = 0, size;
	uint32_t c;

	for (size_t i = 0; i < s.n; i += size) {
		unsigned char byte = (unsigned char)s.p[i];
		size = 1;
		if (byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\')
			continue;
		if (byte >= 0x80 && !yaml_special(s, i, &size, &c))
			continue;
		buf_put(b, s.p + plain, i - plain);
		if (byte < 0x80)
			put_yaml_escape(b, byte);
		else
			high_escape(b, c);
		plain = i + size;
	}
	buf_put(b, s.p + plain, s.n - plain);
}

/*
 * Writes one segment of a literal block, with indentation after every newline except the last, but not on empty
 * lines.
 */
static void literal_part(struct rendered *r, struct str s, unsigned indent, bool *start)
{
	size_t i = 0;

	while (i < s.n) {
		const char *newline = memchr(s.p + i, '\n', s.n - i);
		size_t end = newline ? (size_t)(newline - s.p) : s.n;
		if (*start && end > i)
			spaces(&r->bytes, indent);
		buf_put(&r->bytes, s.p + i, end - i);
		*start = newline ? true : *start && end == i;
		if (newline)
			buf_char(&r->bytes, '\n');
		i = end + (newline != NULL);
	}
}

static void write_yaml_literal(struct rendered *r, const struct str *s, size_t n, unsigned indent, struct span from)
{
	const struct str *last = &s[n - 1];
	bool start = true, ended = last->p && last->n && last->p[last->n - 1] == '\n';

	buf_z(&r->bytes, ended ? "|" : "|-");
	write_yaml_source(r, from);
	for (size_t i = 0; i < n; i++) {
		if (s[i].p) {
			literal_part(r, s[i], indent, &start);
			continue;
		}
		if (start)
			spaces(&r->bytes, indent);
		start = false;
		render_hole(r, NULL, 0, false);
	}
	if (!ended)
		buf_char(&r->bytes, '\n');
}

static void write_yaml_quoted(struct rendered *r, const struct str *s, size_t n, enum yaml_style style)
{
	const char *quote = style == YAML_SINGLE ? "'" : style == YAML_DOUBLE ? "\"" : "";

	buf_z(&r->bytes, quote);
	for (size_t i = 0; i < n; i++) {
		if (!s[i].p)
			render_hole(r, NULL, 0, false);
		else if (style == YAML_DOUBLE)
			double_quoted(&r->bytes, s[i]);
		else
			buf_str(&r->bytes, s[i]);
	}
	buf_z(&r->bytes, quote);
}

static void write_yaml_text(struct rendered *r, const struct object *o, unsigned indent)
{
	struct str one;
	size_t n;
	const struct str *s = render_segments(o, &one, &n);
	enum yaml_style style = yaml_style_of(s, n, false);

	buf_char(&r->bytes, ' ');
	if (style == YAML_LITERAL) {
		write_yaml_literal(r, s, n, indent + 2, o->from);
		return;
	}
	write_yaml_quoted(r, s, n, style);
	write_yaml_source(r, o->from);
}

static void write_yaml_key(struct rendered *r, const struct object_field *f, unsigned indent)
{
	struct str name = f->key;
	bool complex = name.n > LONGEST_KEY;

	if (f->word || (!complex && yaml_simple(name))) {
		buf_put(&r->bytes, name.p, name.n);
		buf_char(&r->bytes, ':');
		return;
	}
	if (complex)
		buf_put(&r->bytes, "? ", 2);
	write_yaml_quoted(r, &name, 1, yaml_style_of(&name, 1, true));
	if (complex) {
		buf_char(&r->bytes, '\n');
		spaces(&r->bytes, indent);
	}
	buf_char(&r->bytes, ':');
}

/* Writes `key: value` when both are plain, as in nearly every line: then each byte is examined only once. */
static bool plain_line(struct rendered *r, const struct object_field *f, unsigned indent)
{
	struct str k = f->key, v = f->value->u.string;

	if (f->value->kind != OBJECT_STRING || r->annotate || k.n > LONGEST_KEY || !(f->word || yaml_simple(k)) ||
	    !yaml_simple(v))
		return false;
	if (!buf_room(&r->bytes, indent + k.n + v.n + 3))
		return false;
	char *p = r->bytes.p + r->bytes.n;
	memset(p, ' ', indent);
	memcpy(p += indent, k.p, k.n);
	p += k.n;
	*p++ = ':';
	*p++ = ' ';
	memcpy(p, v.p, v.n);
	p[v.n] = '\n';
	r->bytes.n += indent + k.n + v.n + 3;
	return true;
}

/* Writes the fields of a map; the first one continues the current line. */
static void write_yaml_fields(struct rendered *r, const struct object *o, unsigned indent)
{
	for (size_t i = 0; i < o->u.map.n; i++) {
		if (plain_line(r, &o->u.map.at[i], i ? indent : 0))
			continue;
		if (i)
			spaces(&r->bytes, indent);
		write_yaml_key(r, &o->u.map.at[i], indent);
		yaml_value(r, o->u.map.at[i].value, indent, false);
	}
}

/* Writes `- value` if the value is plain. */
static bool plain_item(struct rendered *r, const struct object *o, unsigned indent)
{
	struct str v = o->u.string;

	if (o->kind != OBJECT_STRING || r->annotate || !yaml_simple(v))
		return false;
	if (!buf_room(&r->bytes, indent + v.n + 3))
		return false;
	char *p = r->bytes.p + r->bytes.n;
	memset(p, ' ', indent);
	p += indent;
	*p++ = '-';
	*p++ = ' ';
	memcpy(p, v.p, v.n);
	p[v.n] = '\n';
	r->bytes.n += indent + v.n + 3;
	return true;
}

static void items(struct rendered *r, const struct object *o, unsigned indent)
{
	for (size_t i = 0; i < o->u.list.n; i++) {
		if (plain_item(r, o->u.list.at[i], i ? indent : 0))
			continue;
		if (i)
			spaces(&r->bytes, indent);
		buf_char(&r->bytes, '-');
		yaml_value(r, o->u.list.at[i], indent, true);
	}
}

/* Writes a map or list that is not empty: after "-" on the same line, after "key:" on the lines below. */
static void nested(struct rendered *r, const struct object *o, unsigned indent, bool in_list)
{
	bool deeper = in_list || o->kind == OBJECT_MAP;

	if (in_list)
		buf_char(&r->bytes, ' ');
	else {
		write_yaml_source(r, o->from);
		spaces(&r->bytes, indent + (deeper ? 2 : 0));
	}
	if (o->kind == OBJECT_MAP)
		write_yaml_fields(r, o, indent + 2);
	else
		items(r, o, indent + (deeper ? 2 : 0));
}

static void write_yaml_word(struct rendered *r, const struct object *o)
{
	buf_char(&r->bytes, ' ');
	switch (o->kind) {
	case OBJECT_BOOL: buf_z(&r->bytes, o->u.boolean ? "true" : "false"); break;
	case OBJECT_INT: buf_int(&r->bytes, o->u.integer); break;
	case OBJECT_FLOAT: render_float(&r->bytes, o->u.number); break;
	case OBJECT_LIST: buf_put(&r->bytes, "[]", 2); break;
	case OBJECT_MAP: buf_put(&r->bytes, "{}", 2); break;
	default: buf_z(&r->bytes, "null");
	}
	write_yaml_source(r, o->from);
}

void yaml_value(struct rendered *r, const struct object *o, unsigned indent, bool in_list)
{
	struct span outer = r->from;

	if (span_known(o->from))
		r->from = o->from;
	if (o->kind == OBJECT_STRING || o->kind == OBJECT_TEXT)
		write_yaml_text(r, o, indent);
	else if (o->kind == OBJECT_MADE)
		render_hole(r, o, indent, in_list);
	else if ((o->kind == OBJECT_MAP && o->u.map.n) || (o->kind == OBJECT_LIST && o->u.list.n))
		nested(r, o, indent, in_list);
	else
		write_yaml_word(r, o);
	r->from = outer;
}

void yaml_object(struct rendered *r, const struct object *root)
{
	if (root->kind == OBJECT_MAP && root->u.map.n) {
		write_yaml_fields(r, root, 0);
	} else if (root->kind == OBJECT_LIST && root->u.list.n) {
		items(r, root, 0);
	} else {                        /* any other value follows "key:" on the same line */
		size_t start = r->bytes.n;
		yaml_value(r, root, 0, true);
		if (r->bytes.n == start)
			return;
		memmove(r->bytes.p + start, r->bytes.p + start + 1, r->bytes.n - start - 1);
		r->bytes.n--;
	}
}
