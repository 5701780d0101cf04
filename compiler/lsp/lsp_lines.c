/*
 * lsp_lines.c - a table of line starts, and counting within one line. Lines are found with memchr, which passes over
 * 10,000 lines in a few microseconds. Positions are mostly requested in ascending order, so counting continues from
 * the previous one: a text on one line costs no more than a text of many lines.
 */
#include "lsp/lsp_lines.h"

/* Returns the end of the line that contains P, after its line end; END if no line follows. */
static const char *after_line(const char *p, const char *end)
{
	const char *newline = memchr(p, '\n', (size_t)(end - p));
	const char *stop = newline ? newline : end;
	const char *carriage = memchr(p, '\r', (size_t)(stop - p));

	if (carriage && carriage + 1 != newline)
		return carriage + 1;
	return newline ? newline + 1 : NULL;
}

struct lsp_lines lines_of(struct arena *a, struct str text, enum encoding encoding)
{
	struct lsp_lines l = { .text = text, .encoding = encoding, .mark = ARENA_NEW(a, struct lines_mark) };
	const char *end = text.p + text.n;

	for (const char *p = text.p; p; p = text.n ? after_line(p, end) : NULL)
		ARENA_PUSH(a, l.start, l.n, (uint32_t)(p - text.p));
	return l;
}

size_t lines_number(const struct lsp_lines *l, size_t offset)
{
	size_t from = 0, to = l->n;

	while (from + 1 < to) {
		size_t middle = from + (to - from) / 2;
		if (l->start[middle] <= offset)
			from = middle;
		else
			to = middle;
	}
	return from;
}

struct str lines_line(const struct lsp_lines *l, size_t line)
{
	if (line >= l->n)
		return STR("");
	size_t start = l->start[line], end = line + 1 < l->n ? l->start[line + 1] : l->text.n;

	while (end > start && (l->text.p[end - 1] == '\n' || l->text.p[end - 1] == '\r'))
		end--;
	return (struct str){ l->text.p + start, end - start };
}

/* Returns how many code units a character has that takes N bytes in UTF-8. */
static size_t units(enum encoding encoding, size_t n)
{
	return encoding == ENCODING_UTF8 ? n : encoding == ENCODING_UTF16 && n == 4 ? 2 : 1;
}

static size_t character(const char *p, size_t n)
{
	size_t size = (unsigned char)*p < 0x80 ? 1 : str_utf8(p, n);

	return size ? size : 1;
}

size_t lines_units(enum encoding encoding, struct str bytes)
{
	size_t count = 0;

	if (encoding == ENCODING_UTF8)
		return bytes.n;
	for (size_t i = 0, size; i < bytes.n; i += size) {
		size = character(bytes.p + i, bytes.n - i);
		count += units(encoding, size);
	}
	return count;
}

struct position lines_position(const struct lsp_lines *l, size_t offset)
{
	size_t line = lines_number(l, offset < l->text.n ? offset : l->text.n);
	struct str text = lines_line(l, line);
	size_t bytes = offset - l->start[line];

	if (bytes > text.n)             /* the offset is inside a line end, or after the end of the text */
		bytes = text.n;
	struct lines_mark from = *l->mark;
	if (from.line != line || from.offset > bytes)
		from = (struct lines_mark){ .line = line };
	from.units += lines_units(l->encoding, (struct str){ text.p + from.offset, bytes - from.offset });
	from.offset = bytes;
	*l->mark = from;
	return (struct position){ (uint32_t)line, (uint32_t)from.units };
}

size_t lines_offset(const struct lsp_lines *l, struct position at)
{
	if (at.line >= l->n)
		return l->text.n;
	struct str text = lines_line(l, at.line);
	size_t i = 0, count = 0;

	while (i < text.n) {
		size_t size = character(text.p + i, text.n - i);
		count += units(l->encoding, size);
		/* the position is inside a character, so the start of that character is used */
		if (count > at.character)
			break;
		i += size;
	}
	return l->start[at.line] + i;
}
