/*
 * json_write.h - writes JSON piece by piece. The writer sets commas, blanks and line ends itself: a caller writes a
 * value after a key, or as an element of a list, and cannot forget or repeat a comma.
 */
#ifndef TRAINC_BASE_JSON_WRITE_H
#define TRAINC_BASE_JSON_WRITE_H

#include "base/buf.h"

struct json_writer {
	struct buf *out;
	/* appends a text with its quotes; NULL: buf_json() */
	void (*text)(struct buf *out, struct str s);
	bool spaced;                    /* blanks as in { "a": 1, "b": [ 2, 3 ] } instead of {"a":1,"b":[2,3]} */
	/* the rest is the writer's own */
	bool inside;                    /* the text has begun, so that a blank may come before the next value */
	bool comma;                     /* the next value follows another one of the same list or object */
	bool keyed;                     /* a key has been written, and its value follows */
	bool tight;                     /* no blank before the next value */
	bool blank;                     /* a blank comes before the next value or bracket, even in an empty list */
	bool broken;                    /* the next value or bracket begins a new line, */
	unsigned indent;                /* which begins with this number of blanks */
};

void json_open(struct json_writer *w, char bracket);           /* '{' or '[' */
void json_close(struct json_writer *w, char bracket);          /* '}' or ']' */
void json_key(struct json_writer *w, const char *key);
void json_key_text(struct json_writer *w, struct str key);
void json_put_text(struct json_writer *w, struct str s);
void json_put_int(struct json_writer *w, int64_t n);
void json_put_bool(struct json_writer *w, bool b);
void json_put_null(struct json_writer *w);
/* Writes a value that is JSON already, as printf() formats it. */
void json_put_raw(struct json_writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes a time as RFC 3339 with DIGITS digits of the fraction. */
void json_put_time(struct json_writer *w, int64_t ns, int digits);
/* The next value or closing bracket begins a new line with INDENT blanks. */
void json_line(struct json_writer *w, unsigned indent);
/* No blank comes before the next value or closing bracket: [{ "a": 1 }]. */
void json_tight(struct json_writer *w);
/* A blank comes before the next value or closing bracket, also in an empty list: [ ]. */
void json_blank(struct json_writer *w);

/* Begins a document whose members begin lines; the first is schemaVersion, 1. */
void json_begin_document(struct json_writer *w);
void json_end_document(struct json_writer *w);

/* Write members of an object: first the key, then the value. */
void json_add_text(struct json_writer *w, const char *key, struct str s);
void json_add_int(struct json_writer *w, const char *key, int64_t n);
void json_add_bool(struct json_writer *w, const char *key, bool b);
void json_add_null(struct json_writer *w, const char *key);
void json_add_open(struct json_writer *w, const char *key, char bracket);

#endif
