/*
 * buf.h - a growing buffer of bytes with an upper limit. The bytes are malloc'd and owned by the buffer; buf_release()
 * frees them. When an append would exceed `limit`, nothing is appended and `overflow` stays true: check it once at the
 * end. `limit` 0 means 1 GiB.
 */
#ifndef TRAINC_BASE_BUF_H
#define TRAINC_BASE_BUF_H

#include <stdarg.h>

#include "base/str.h"

struct buf {
	char *p;
	/* `n` bytes are used and `size` are allocated, which is at most limit + 1 once the buffer has grown */
	size_t n, size, limit;
	bool overflow;
};

/*
 * Makes room for N more bytes at b->p + b->n, which the caller then writes and counts in b->n; false if that exceeds
 * the limit.
 */
bool buf_reserve(struct buf *b, size_t n);
static inline bool buf_room(struct buf *b, size_t n)
{
	return (n < b->size - b->n && !b->overflow) || buf_reserve(b, n);
}

/* Appends bytes. Inlined, because most calls append only a few bytes. */
static inline void buf_put(struct buf *b, const char *bytes, size_t n)
{
	if (!n || !buf_room(b, n))
		return;
	memcpy(b->p + b->n, bytes, n);
	b->n += n;
}
static inline void buf_char(struct buf *b, char c)
{
	if (buf_room(b, 1))
		b->p[b->n++] = c;
}
void buf_str(struct buf *b, struct str s);
void buf_z(struct buf *b, const char *z);
void buf_int(struct buf *b, int64_t n);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));
/* Appends S as a JSON string with its quotes; malformed UTF-8 becomes U+FFFD. */
void buf_json(struct buf *b, struct str s);
/* Appends S as text of XML or HTML, with characters escaped that would be markup. */
void buf_markup(struct buf *b, struct str s);
/* Copies the bytes into the arena and empties the buffer, which keeps its memory. */
struct str buf_take(struct buf *b, struct arena *a);
void buf_release(struct buf *b);

static inline struct str buf_text(const struct buf *b) { return (struct str){ b->p ? b->p : "", b->n }; }

#endif
