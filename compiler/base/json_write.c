/*
 * json_write.c - writes JSON.
 */
#include "base/json_write.h"

#include "base/words.h"

static void json_space(struct json_writer *w)
{
	if (w->broken)
		buf_printf(w->out, "\n%*s", (int)w->indent, "");
	else if (w->blank || (w->spaced && w->inside && !w->tight))
		buf_char(w->out, ' ');
	w->broken = w->blank = w->tight = false;
}

/* Writes what comes before a value or a key. */
static void json_next(struct json_writer *w)
{
	if (!w->keyed) {
		if (w->comma)
			buf_char(w->out, ',');
		json_space(w);
	}
	w->keyed = false;
	w->comma = w->inside = true;
}

void json_open(struct json_writer *w, char bracket)
{
	json_next(w);
	buf_char(w->out, bracket);
	w->comma = false;
}

void json_close(struct json_writer *w, char bracket)
{
	w->tight |= !w->comma;
	json_space(w);
	buf_char(w->out, bracket);
	w->comma = true;
}

void json_begin_document(struct json_writer *w)
{
	json_open(w, '{');
	json_line(w, 2);
	json_add_int(w, "schemaVersion", 1);
	json_line(w, 2);
}

void json_end_document(struct json_writer *w)
{
	json_line(w, 0);
	json_close(w, '}');
	buf_char(w->out, '\n');
}

void json_put_text(struct json_writer *w, struct str s)
{
	json_next(w);
	(w->text ? w->text : buf_json)(w->out, s);
}

void json_key_text(struct json_writer *w, struct str key)
{
	json_put_text(w, key);
	buf_z(w->out, w->spaced ? ": " : ":");
	w->keyed = true;
}

void json_key(struct json_writer *w, const char *key)
{
	json_next(w);
	buf_char(w->out, '"');
	buf_z(w->out, key);
	buf_z(w->out, w->spaced ? "\": " : "\":");
	w->keyed = true;
}

void json_put_int(struct json_writer *w, int64_t n)
{
	json_next(w);
	buf_int(w->out, n);
}

void json_put_bool(struct json_writer *w, bool b)
{
	json_next(w);
	buf_z(w->out, b ? "true" : "false");
}

void json_put_null(struct json_writer *w)
{
	json_next(w);
	buf_z(w->out, "null");
}

void json_put_raw(struct json_writer *w, const char *fmt, ...)
{
	va_list args;

	json_next(w);
	va_start(args, fmt);
	buf_vprintf(w->out, fmt, args);
	va_end(args);
}

void json_put_time(struct json_writer *w, int64_t ns, int digits)
{
	json_next(w);
	buf_char(w->out, '"');
	put_time(w->out, ns, digits);
	buf_char(w->out, '"');
}

void json_line(struct json_writer *w, unsigned indent)
{
	w->broken = true;
	w->indent = indent;
}

void json_tight(struct json_writer *w) { w->tight = true; }
void json_blank(struct json_writer *w) { w->blank = true; }

void json_add_text(struct json_writer *w, const char *key, struct str s)
{
	json_key(w, key);
	json_put_text(w, s);
}

void json_add_int(struct json_writer *w, const char *key, int64_t n)
{
	json_key(w, key);
	json_put_int(w, n);
}

void json_add_bool(struct json_writer *w, const char *key, bool b)
{
	json_key(w, key);
	json_put_bool(w, b);
}

void json_add_null(struct json_writer *w, const char *key)
{
	json_key(w, key);
	json_put_null(w);
}

void json_add_open(struct json_writer *w, const char *key, char bracket)
{
	json_key(w, key);
	json_open(w, bracket);
}
