/*
 * eval_json.c - json(): writes compact JSON, and keeps the order of keys and the pieces of texts. Host names, ports,
 * the index and facts about the pod need no JSON escapes, so a piece is put between the quotes unchanged; the index is
 * written without quotes when it is used as a number. The value of another variable may be any text and is refused.
 */
#include "eval/internal.h"

struct json {
	struct eval *ev;
	struct node *call;
	struct pieces out;
	bool html;                      /* also escape <, > and &, as Go's encoder does */
	const struct value *stop;       /* the bad or computed value that is the result instead; NULL so far */
};

static const char *escape_of(unsigned char c, bool html, char hex[8])
{
	static const char digits[] = "0123456789abcdef";

	switch (c) {
	case '"': return "\\\"";
	case '\\': return "\\\\";
	case '\n': return "\\n";
	case '\r': return "\\r";
	case '\t': return "\\t";
	default: break;
	}
	if (c >= 0x20 && !(html && (c == '<' || c == '>' || c == '&')))
		return NULL;
	memcpy(hex, "\\u00", 4);
	hex[4] = digits[c >> 4];
	hex[5] = digits[c & 15];
	hex[6] = 0;
	return hex;
}

/* Is there U+2028 or U+2029 at P? Old JavaScript engines treat these as line ends. */
static bool line_separator(const char *p, size_t n)
{
	return n >= 3 && p[0] == '\xE2' && p[1] == '\x80' && (p[2] == '\xA8' || p[2] == '\xA9');
}

static void put_escaped(struct json *j, struct str s)
{
	struct buf *b = &j->out.text;
	size_t plain = 0;
	char hex[8];

	for (size_t i = 0; i < s.n; i++) {
		bool separator = j->html && line_separator(s.p + i, s.n - i);
		const char *escape = separator ? (s.p[i + 2] == '\xA8' ? "\\u2028" : "\\u2029")
			: escape_of((unsigned char)s.p[i], j->html, hex);
		if (!escape)
			continue;
		buf_put(b, s.p + plain, i - plain);
		buf_z(b, escape);
		i += separator ? 2 : 0;
		plain = i + 1;
	}
	buf_put(b, s.p + plain, s.n - plain);
}

static void put_string(struct json *j, struct str s)
{
	buf_char(&j->out.text, '"');
	put_escaped(j, s);
	buf_char(&j->out.text, '"');
}

static void refuse_variable(struct json *j, struct str name)
{
	struct str text = node_text(j->ev, j->call);
	struct diag *d = eval_report(j->ev, TJ0716, j->call->span,
		"'%.*s' cannot be computed: the text of '%.*s' may need escapes", STR_ARG(text), STR_ARG(name));

	diag_help(j->ev->diags, d, "let the program read the variable, or write its value here");
	j->stop = &value_bad;
}

static void json_put_text(struct json *j, const struct text *t, bool number)
{
	if (!number)
		buf_char(&j->out.text, '"');
	for (size_t i = 0; i < t->n && !j->stop; i++) {
		if (t->at[i].kind == PIECE_TEXT)
			put_escaped(j, t->at[i].u.text);
		else if (t->at[i].kind == PIECE_ENV)
			refuse_variable(j, t->at[i].u.text);
		else
			pieces_add(&j->out, &t->at[i]);
	}
	if (!number)
		buf_char(&j->out.text, '"');
}

static void json_put_value(struct json *j, const struct value *v);

static void json_put_list(struct json *j, const struct value *v)
{
	buf_char(&j->out.text, '[');
	for (size_t i = 0; i < v->u.list.n && !j->stop; i++) {
		if (i)
			buf_char(&j->out.text, ',');
		json_put_value(j, v->u.list.at[i]);
	}
	buf_char(&j->out.text, ']');
}

static void put_pod_entry(struct json *j, const struct value_map *m, bool first)
{
	if (!first)
		buf_char(&j->out.text, ',');
	json_put_text(j, m->pod_key, false);
	buf_char(&j->out.text, ':');
	json_put_value(j, m->pod_value);
}

static void json_put_map(struct json *j, const struct value_map *m)
{
	bool first = true;

	buf_char(&j->out.text, '{');
	for (size_t i = 0; i <= m->index.n && !j->stop; i++) {
		if (m->pod_key && i == m->pod_position) {
			put_pod_entry(j, m, first);
			first = false;
		}
		if (i == m->index.n)
			break;
		const struct value_entry *e = m->index.entries[i].value;
		if (!first)
			buf_char(&j->out.text, ',');
		first = false;
		put_string(j, e->key);
		buf_char(&j->out.text, ':');
		json_put_value(j, e->value);
	}
	buf_char(&j->out.text, '}');
}

static void json_refuse(struct json *j, const struct value *v)
{
	struct str what = value_phrase(j->ev->arena, v);
	bool secret = v->kind == VALUE_SECRET;
	struct diag *d = eval_report(j->ev, secret ? TJ0711 : TJ0302, j->call->span, "%.*s cannot be written as JSON",
		STR_ARG(what));

	if (span_known(v->from))
		diag_note(j->ev->diags, d, v->from, "it comes from here");
	j->stop = &value_bad;
}

static void json_put_value(struct json *j, const struct value *v)
{
	struct str plain;

	if (!eval_step(j->ev, j->call->span)) {
		j->stop = &value_bad;
		return;
	}
	switch (v->kind) {
	case VALUE_BAD:
	case VALUE_COMPUTED: j->stop = v; return;
	case VALUE_NONE: buf_z(&j->out.text, "null"); return;
	case VALUE_STRING: put_string(j, v->u.string); return;
	case VALUE_TEXT: json_put_text(j, &v->u.text, v->number); return;
	case VALUE_LIST: json_put_list(j, v); return;
	case VALUE_MAP: json_put_map(j, &v->u.map); return;
	default: break;
	}
	if (!value_plain_text(j->ev->arena, v, &plain)) {
		json_refuse(j, v);
		return;
	}
	bool bare = v->kind == VALUE_BOOL || v->kind == VALUE_INT || v->kind == VALUE_FLOAT ||
	            (v->kind == VALUE_ELASTIC && v->u.range.lo == v->u.range.hi);
	if (bare)
		buf_str(&j->out.text, plain);
	else
		put_string(j, plain);
}

const struct value *value_json(struct eval *ev, const struct value *v, bool html, struct node *call)
{
	struct json j = { .ev = ev, .call = call, .html = html };

	pieces_init(&j.out, ev->arena);
	json_put_value(&j, v);
	if (!j.stop)
		return pieces_take(&j.out, ev, call->span);
	pieces_release(&j.out);
	return j.stop;
}
