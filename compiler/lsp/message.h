/*
 * message.h - reads messages of the protocol, and writes JSON.
 *
 * The JSON reader is that of manifests (data/), which keeps 64-bit numbers and text with NUL; messages are written
 * straight into a buffer. The writing functions set commas themselves: a value is written after a key, or as an
 * element of a list.
 */
#ifndef TRAINC_LSP_MESSAGE_H
#define TRAINC_LSP_MESSAGE_H

#include "base/buf.h"
#include "data/data.h"
#include "lsp/lsp_lines.h"

/* ---- reading: a value that is absent or of another kind is read as NULL, false, 0 or p == NULL ---- */

/* Returns the value at PATH, whose names are separated by '.'. */
const struct data *msg_get(const struct data *d, const char *path);
struct str msg_text(const struct data *d, const char *path);
int64_t msg_number(const struct data *d, const char *path, int64_t fallback);
bool msg_flag(const struct data *d, const char *path);
struct position msg_position(const struct data *d, const char *path);
/* Does the list at PATH contain the text? */
bool msg_lists(const struct data *d, const char *path, const char *text);

/* ---- writing ---- */

void msg_key(struct buf *out, const char *key);
void msg_open(struct buf *out, char bracket);           /* writes '{' or '[' */
void msg_close(struct buf *out, char bracket);          /* writes '}' or ']' */
void msg_put_text(struct buf *out, struct str text);
void msg_put_int(struct buf *out, int64_t n);
void msg_put_bool(struct buf *out, bool b);
void msg_put_raw(struct buf *out, const char *json);
/* Writes any value in the form in which it was read, such as the id of a request or the data of an item. */
void msg_put_data(struct buf *out, const struct data *d);
/* Write members of an object: first the key, then the value as the functions above do. */
void msg_add_text(struct buf *out, const char *key, struct str text);
void msg_add_z(struct buf *out, const char *key, const char *text);
void msg_add_int(struct buf *out, const char *key, int64_t n);
void msg_add_bool(struct buf *out, const char *key, bool b);
void msg_add_raw(struct buf *out, const char *key, const char *json);
void msg_add_list(struct buf *out, const char *key);    /* writes the key and '[' of a list */
void msg_add_object(struct buf *out, const char *key);  /* writes the key and '{' of an object */
void msg_add_position(struct buf *out, const char *key, struct position at);
/* Writes the range of the bytes [start, end) as a member. */
void msg_add_range(struct buf *out, const char *key, const struct lsp_lines *l, size_t start, size_t end);
/* Writes { range, newText } as an element of a list. */
void msg_put_edit(struct buf *out, const struct lsp_lines *l, size_t start, size_t end, struct str text);
/* Writes Markdown, or plain text if the client cannot show Markdown. */
void msg_add_markup(struct buf *out, const char *key, bool markdown, struct str text);

#endif
