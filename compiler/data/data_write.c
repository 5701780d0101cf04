/*
 * data_write.c - writes JSON that a YAML 1.1 reader understands, too.
 */
#include "data/data_write.h"

#include "base/glyph.h"

/* Returns the code point of the well-formed sequence of SIZE bytes at P. */
static uint32_t code_point(const unsigned char *p, size_t size)
{
	if (size == 1)
		return p[0];
	uint32_t c = p[0] & (0x7Fu >> size);
	for (size_t i = 1; i < size; i++)
		c = c << 6 | (p[i] & 0x3F);
	return c;
}

/* Do YAML readers refuse the character C or treat it as a line end? */
static bool is_special(uint32_t c)
{
	return (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
}

static void put_escape(struct buf *b, uint32_t c)
{
	switch (c) {
	case '"': buf_z(b, "\\\""); break;
	case '\\': buf_z(b, "\\\\"); break;
	case '\n': buf_z(b, "\\n"); break;
	case '\r': buf_z(b, "\\r"); break;
	case '\t': buf_z(b, "\\t"); break;
	default: buf_printf(b, "\\u%04x", c);
	}
}

void data_write_text(struct buf *b, struct str s)
{
	size_t plain = 0;

	buf_char(b, '"');
	for (size_t i = 0; i < s.n;) {
		size_t size = str_utf8(s.p + i, s.n - i);
		uint32_t c = size ? code_point((const unsigned char *)s.p + i, size) : 0xFFFD;
		if (size && c != '"' && c != '\\' && !is_special(c) && !glyph_hidden(s.p + i, size)) {
			i += size;
			continue;
		}
		buf_put(b, s.p + plain, i - plain);
		if (size)
			put_escape(b, c);
		else
			buf_z(b, "\xEF\xBF\xBD");
		i += size ? size : 1;
		plain = i;
	}
	if (plain < s.n)
		buf_put(b, s.p + plain, s.n - plain);
	buf_char(b, '"');
}

static void put_double(struct buf *b, double number)
{
	char text[STR_DOUBLE];

	str_double_put(text, number);
	buf_z(b, text);
}

void data_write(struct buf *b, const struct data *d)
{
	switch (d->kind) {
	case DATA_NULL: buf_z(b, "null"); break;
	case DATA_BOOL: buf_z(b, d->u.boolean ? "true" : "false"); break;
	case DATA_INT: buf_int(b, d->u.integer); break;
	case DATA_FLOAT: put_double(b, d->u.number); break;
	case DATA_STRING: data_write_text(b, d->u.string); break;
	case DATA_LIST:
		buf_char(b, '[');
		for (size_t i = 0; i < d->u.list.n; i++) {
			if (i)
				buf_char(b, ',');
			data_write(b, d->u.list.at[i]);
		}
		buf_char(b, ']');
		break;
	case DATA_MAP:
		buf_char(b, '{');
		for (size_t i = 0; i < d->u.map.n; i++) {
			if (i)
				buf_char(b, ',');
			data_write_text(b, d->u.map.at[i].key);
			buf_char(b, ':');
			data_write(b, d->u.map.at[i].value);
		}
		buf_char(b, '}');
		break;
	}
}
