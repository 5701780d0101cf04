/* message.c - members of a message of the protocol, and the JSON of an answer. */
#include "lsp/message.h"

#include <inttypes.h>

/* ---- reading ---- */

const struct data *msg_get(const struct data *d, const char *path)
{
	while (d && *path) {
		size_t n = strcspn(path, ".");
		if (d->kind != DATA_MAP)
			return NULL;
		d = data_get(d, (struct str){ path, n });
		path += n + (path[n] == '.');
	}
	return d;
}

struct str msg_text(const struct data *d, const char *path)
{
	d = msg_get(d, path);
	return d && d->kind == DATA_STRING ? d->u.string : (struct str){ 0 };
}

int64_t msg_number(const struct data *d, const char *path, int64_t fallback)
{
	d = msg_get(d, path);
	return d && d->kind == DATA_INT ? d->u.integer : fallback;
}

bool msg_flag(const struct data *d, const char *path)
{
	d = msg_get(d, path);
	return d && d->kind == DATA_BOOL && d->u.boolean;
}

static uint32_t unsigned_number(const struct data *d, const char *path)
{
	int64_t n = msg_number(d, path, 0);

	return n < 0 ? 0 : n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

struct position msg_position(const struct data *d, const char *path)
{
	d = msg_get(d, path);
	return (struct position){ unsigned_number(d, "line"), unsigned_number(d, "character") };
}

bool msg_lists(const struct data *d, const char *path, const char *text)
{
	d = msg_get(d, path);
	for (size_t i = 0; d && d->kind == DATA_LIST && i < d->u.list.n; i++)
		if (d->u.list.at[i]->kind == DATA_STRING && str_is(d->u.list.at[i]->u.string, text))
			return true;
	return false;
}

/* ---- writing ---- */

/* Writes a comma, unless this is the first element or member, or the value of a key. */
static void separate(struct buf *out)
{
	char last = out->n ? out->p[out->n - 1] : '[';

	if (last != '{' && last != '[' && last != ':')
		buf_char(out, ',');
}

void msg_key(struct buf *out, const char *key)
{
	separate(out);
	buf_printf(out, "\"%s\":", key);
}

void msg_open(struct buf *out, char bracket)
{
	separate(out);
	buf_char(out, bracket);
}

void msg_close(struct buf *out, char bracket) { buf_char(out, bracket); }

void msg_put_text(struct buf *out, struct str text)
{
	separate(out);
	buf_json(out, text);
}

void msg_put_int(struct buf *out, int64_t n)
{
	separate(out);
	buf_int(out, n);
}

void msg_put_raw(struct buf *out, const char *json)
{
	separate(out);
	buf_z(out, json);
}

void msg_put_bool(struct buf *out, bool b) { msg_put_raw(out, b ? "true" : "false"); }

static void put_json_map(struct buf *out, const struct data *d)
{
	msg_open(out, '{');
	for (size_t i = 0; i < d->u.map.n; i++) {
		msg_put_text(out, d->u.map.at[i].key);
		buf_char(out, ':');
		msg_put_data(out, d->u.map.at[i].value);
	}
	msg_close(out, '}');
}

void msg_put_data(struct buf *out, const struct data *d)
{
	switch (d ? d->kind : DATA_NULL) {
	case DATA_NULL: msg_put_raw(out, "null"); break;
	case DATA_BOOL: msg_put_bool(out, d->u.boolean); break;
	case DATA_INT: msg_put_int(out, d->u.integer); break;
	case DATA_FLOAT:
		separate(out);
		buf_printf(out, "%.17g", d->u.number);
		break;
	case DATA_STRING: msg_put_text(out, d->u.string); break;
	case DATA_LIST:
		msg_open(out, '[');
		for (size_t i = 0; i < d->u.list.n; i++)
			msg_put_data(out, d->u.list.at[i]);
		msg_close(out, ']');
		break;
	case DATA_MAP: put_json_map(out, d); break;
	}
}

void msg_add_text(struct buf *out, const char *key, struct str text)
{
	msg_key(out, key);
	buf_json(out, text);
}

void msg_add_z(struct buf *out, const char *key, const char *text) { msg_add_text(out, key, str_of(text)); }

void msg_add_int(struct buf *out, const char *key, int64_t n)
{
	msg_key(out, key);
	buf_int(out, n);
}

void msg_add_bool(struct buf *out, const char *key, bool b) { msg_add_raw(out, key, b ? "true" : "false"); }

void msg_add_raw(struct buf *out, const char *key, const char *json)
{
	msg_key(out, key);
	buf_z(out, json);
}

void msg_add_list(struct buf *out, const char *key)
{
	msg_key(out, key);
	buf_char(out, '[');
}

void msg_add_object(struct buf *out, const char *key)
{
	msg_key(out, key);
	buf_char(out, '{');
}

void msg_add_position(struct buf *out, const char *key, struct position at)
{
	msg_key(out, key);
	buf_printf(out, "{\"line\":%" PRIu32 ",\"character\":%" PRIu32 "}", at.line, at.character);
}

void msg_add_range(struct buf *out, const char *key, const struct lsp_lines *l, size_t start, size_t end)
{
	msg_add_object(out, key);
	msg_add_position(out, "start", lines_position(l, start));
	msg_add_position(out, "end", lines_position(l, end));
	msg_close(out, '}');
}

void msg_put_edit(struct buf *out, const struct lsp_lines *l, size_t start, size_t end, struct str text)
{
	msg_open(out, '{');
	msg_add_range(out, "range", l, start, end);
	msg_add_text(out, "newText", text);
	msg_close(out, '}');
}

/* Adds Markdown as plain text: without the lines of code fences and the marks around code. */
static void put_plain(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		struct str rest = { text.p + i, text.n - i };
		bool fence = (i == 0 || text.p[i - 1] == '\n') && str_starts(rest, STR("```"));
		if (fence) {
			const char *end = memchr(rest.p, '\n', rest.n);
			i = end ? (size_t)(end - text.p) : text.n;
		} else if (text.p[i] != '`') {
			buf_char(out, text.p[i]);
		}
	}
}

void msg_add_markup(struct buf *out, const char *key, bool markdown, struct str text)
{
	struct buf plain = { 0 };

	if (!markdown)
		put_plain(&plain, text);
	msg_add_object(out, key);
	msg_add_z(out, "kind", markdown ? "markdown" : "plaintext");
	msg_add_text(out, "value", markdown ? text : buf_text(&plain));
	msg_close(out, '}');
	buf_release(&plain);
}
