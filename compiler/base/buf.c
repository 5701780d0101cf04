/* buf.c - appends to a growing buffer, and formats into it. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/glyph.h"

bool buf_reserve(struct buf *b, size_t more)
{
	size_t limit = b->limit ? b->limit : (size_t)1 << 30;
	if (b->overflow || more > limit || b->n > limit - more) {
		b->overflow = true;
		return false;
	}
	if (b->n + more + 1 <= b->size)
		return true;
	size_t size = b->size ? b->size : 256;
	while (size < b->n + more + 1)
		size *= 2;
	if (size > limit + 1)
		size = limit + 1;
	b->p = memory_hold(b->p, size);
	b->size = size;
	return true;
}

void buf_str(struct buf *b, struct str s) { buf_put(b, s.p, s.n); }
void buf_z(struct buf *b, const char *z) { buf_put(b, z, strlen(z)); }

void buf_int(struct buf *b, int64_t n)
{
	char room[STR_DIGITS];
	buf_str(b, str_digits(room, n));
}

void buf_vprintf(struct buf *b, const char *fmt, va_list args)
{
	char small[256];
	va_list again;
	va_copy(again, args);
	int n = vsnprintf(small, sizeof small, fmt, args);
	if (n > 0 && (size_t)n < sizeof small) {
		buf_put(b, small, (size_t)n);
	} else if (n > 0 && buf_reserve(b, (size_t)n)) {
		vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
		b->n += (size_t)n;
	}
	va_end(again);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	buf_vprintf(b, fmt, args);
	va_end(args);
}

void buf_markup(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		switch (s.p[i]) {
		case '<': buf_z(b, "&lt;"); break;
		case '>': buf_z(b, "&gt;"); break;
		case '&': buf_z(b, "&amp;"); break;
		default: buf_char(b, s.p[i]);
		}
}

void buf_json(struct buf *b, struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t plain = 0;
	buf_char(b, '"');
	for (size_t i = 0; i < s.n;) {
		size_t len = str_utf8(s.p + i, s.n - i);
		if (len && p[i] != '"' && p[i] != '\\' && !glyph_hidden(s.p + i, len)) {
			i += len;
			continue;
		}
		buf_put(b, s.p + plain, i - plain);
		if (len > 1) {
			buf_printf(b, "\\u%04x", len == 2 ? (p[i] & 0x1Fu) << 6 | (p[i + 1] & 0x3Fu)
				: (p[i] & 0x0Fu) << 12 | (p[i + 1] & 0x3Fu) << 6 | (p[i + 2] & 0x3Fu));
			plain = i += len;
			continue;
		}
		switch (len ? p[i] : 0xFF) {
		case '"': buf_z(b, "\\\""); break;
		case '\\': buf_z(b, "\\\\"); break;
		case '\n': buf_z(b, "\\n"); break;
		case '\r': buf_z(b, "\\r"); break;
		case '\t': buf_z(b, "\\t"); break;
		case 0xFF: buf_z(b, "\xEF\xBF\xBD"); break;
		default: buf_printf(b, "\\u%04x", p[i]);
		}
		plain = ++i;
	}
	if (plain < s.n)
		buf_put(b, s.p + plain, s.n - plain);
	buf_char(b, '"');
}

struct str buf_take(struct buf *b, struct arena *a)
{
	struct str s = str_copy(a, buf_text(b));
	b->n = 0;
	b->overflow = false;
	return s;
}

void buf_release(struct buf *b)
{
	memory_drop(b->p);
	*b = (struct buf){ .limit = b->limit };
}
