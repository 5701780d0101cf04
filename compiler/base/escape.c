/* escape.c - shows untrusted text safely on a terminal. */
#include "base/words.h"

#include "base/glyph.h"

/* Did glyph_at() replace the character at I, because it must not be printed? */
static bool is_replaced(const struct glyph *g, struct str s, size_t i)
{
	return g->shown.n == 3 && memcmp(g->shown.p, "\xEF\xBF\xBD", 3) == 0 &&
		!(g->bytes == 3 && memcmp(s.p + i, g->shown.p, 3) == 0);
}

static void put_visible(struct buf *b, struct str bytes)
{
	const unsigned char *p = (const unsigned char *)bytes.p;

	if (bytes.n == 1)
		buf_printf(b, "\\x%02x", p[0]);
	else if (bytes.n == 2)
		buf_printf(b, "\\u%04x", (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu));
	else
		buf_printf(b, "\\u%04x", (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu));
}

void put_escaped(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n;) {
		size_t plain = i;
		while (plain < s.n && ((s.p[plain] >= 0x20 && s.p[plain] < 0x7F) || s.p[plain] == '\t'))
			plain++;
		buf_put(b, s.p + i, plain - i);
		i = plain;
		if (i == s.n)
			return;
		struct glyph g = glyph_at(s, i, 0);
		if (is_replaced(&g, s, i))
			put_visible(b, (struct str){ s.p + i, g.bytes });
		else
			buf_str(b, g.shown);
		i += g.bytes;
	}
}

void put_escaped_lines(struct buf *b, struct str text)
{
	while (text.n) {
		const char *end = memchr(text.p, '\n', text.n);
		size_t n = end ? (size_t)(end - text.p) : text.n;
		put_escaped(b, (struct str){ text.p, n });
		if (!end)
			return;
		buf_char(b, '\n');
		text = (struct str){ end + 1, text.n - n - 1 };
	}
}

struct str name_escaped(struct arena *a, struct str s)
{
	struct buf b = { 0 };

	put_escaped(&b, s);
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

void put_clipped(struct buf *b, struct str s, unsigned columns)
{
	enum { NEARBY = 12 };
	struct buf all = { 0 };
	unsigned used = 0, word = 0;    /* columns so far, and up to the last blank */
	size_t end = b->n;              /* where that blank is in B */

	put_escaped(&all, s);
	struct str text = buf_text(&all);
	bool fits = text_columns(text) <= columns;
	for (size_t i = 0; i < text.n;) {
		struct glyph g = glyph_at(text, i, used);
		if (!fits && used + g.width >= columns) {
			if (word && used - word <= NEARBY)
				b->n = end;
			buf_z(b, columns ? "\xE2\x80\xA6" : "");
			break;
		}
		if (text.p[i] == ' ') {         /* several blanks separate columns, not words */
			bool one = i && i + 1 < text.n && text.p[i - 1] != ' ' && text.p[i + 1] != ' ';
			word = one ? used : 0;
			end = b->n;
		}
		buf_str(b, g.shown);
		used += g.width;
		i += g.bytes;
	}
	buf_release(&all);
}
