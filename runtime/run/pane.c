/* pane.c - see pane.h. */
#include "runtime/run/pane.h"

#include "base/glyph.h"
#include "base/words.h"

/* Appends the characters of a text as a terminal shows them: tabs become blanks. */
static void put_glyphs(struct buf *out, struct str text)
{
	unsigned column = 0;

	for (size_t i = 0; i < text.n;) {
		struct glyph g = glyph_at(text, i, column);
		buf_str(out, g.shown);
		column += g.width;
		i += g.bytes;
	}
}

static void keep_line(struct pane *p, struct str line)
{
	struct buf escaped = { 0 };

	put_escaped(&escaped, line);
	put_glyphs(&p->text, buf_text(&escaped));
	buf_char(&p->text, '\n');
	buf_release(&escaped);
	if (p->text.n <= PANE_BYTES)
		return;
	const char *half = memchr(p->text.p + p->text.n / 2, '\n', p->text.n - p->text.n / 2);
	size_t n = half ? (size_t)(half + 1 - p->text.p) : p->text.n;
	memmove(p->text.p, p->text.p + n, p->text.n - n);
	p->text.n -= n;
	p->dropped = true;
}

void pane_put(struct pane *p, struct str bytes)
{
	while (bytes.n) {
		const char *end = memchr(bytes.p, '\n', bytes.n);
		size_t n = end ? (size_t)(end - bytes.p) : bytes.n, room = PANE_LINE - p->part.n;
		size_t taken = n < room ? n : room;
		buf_put(&p->part, bytes.p, taken);
		bool whole = end && taken == n;
		if (whole || p->part.n == PANE_LINE)
			pane_end(p);
		taken += whole;
		bytes = (struct str){ bytes.p + taken, bytes.n - taken };
	}
}

void pane_end(struct pane *p)
{
	struct str line = buf_text(&p->part);

	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	keep_line(p, line);
	p->part.n = 0;
}

/*
 * Takes the next row of a line: as many characters as fit into COLUMNS, up to a blank if there is one in the second
 * half of the row.
 */
static struct str take_row(struct str *rest, unsigned columns)
{
	unsigned used = 0;
	size_t n = 0, blank = 0;

	while (n < rest->n) {
		struct glyph g = glyph_at(*rest, n, used);
		if (used + g.width > columns && n)
			break;
		if (rest->p[n] == ' ' && used >= columns / 2)
			blank = n;
		used += g.width;
		n += g.bytes;
	}
	if (n < rest->n && blank && rest->p[n] != ' ')
		n = blank;
	struct str row = { rest->p, n };
	while (n < rest->n && rest->p[n] == ' ' && row.n < rest->n)
		n++;
	*rest = (struct str){ rest->p + n, rest->n - n };
	return row;
}

/* Goes through all rows, and appends those from FROM on, at most MOST of them; returns the number of all rows. */
static size_t walk_rows(const struct pane *p, unsigned columns, size_t from, size_t most, struct buf *out)
{
	struct str text = buf_text(&p->text);
	size_t row = 0;

	while (text.n) {
		struct str line = str_take(&text, '\n');
		do {
			struct str part = take_row(&line, columns);
			if (out && row >= from && row - from < most) {
				put_glyphs(out, part);
				buf_z(out, "\x1b[K\r\n");
			}
			row++;
		} while (line.n);
	}
	return row;
}

void pane_draw(struct pane *p, size_t rows, unsigned columns, struct buf *out)
{
	p->rows = walk_rows(p, columns ? columns : 1, 0, 0, NULL);
	p->shown = rows;
	size_t last = p->rows > rows ? p->rows - rows : 0;
	if (p->follow || p->top > last)
		p->top = last;
	size_t drawn = p->rows - p->top < rows ? p->rows - p->top : rows;
	walk_rows(p, columns ? columns : 1, p->top, rows, out);
	for (; drawn < rows; drawn++)
		buf_z(out, "\x1b[K\r\n");
}

void pane_move(struct pane *p, long rows)
{
	size_t last = p->rows > p->shown ? p->rows - p->shown : 0;

	if (rows < 0)
		p->top = p->top > (size_t)-rows ? p->top - (size_t)-rows : 0;
	else
		p->top = p->top + (size_t)rows < last ? p->top + (size_t)rows : last;
	p->follow = p->top == last;
}

void pane_release(struct pane *p)
{
	buf_release(&p->text);
	buf_release(&p->part);
}
