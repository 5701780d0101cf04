/*
 * table.c - see table.h.
 */
#include "runtime/run/table.h"

#include "base/words.h"

struct str *table_row(struct report_table *t)
{
	t->rows = arena_grow(&t->arena, t->rows, t->n, sizeof *t->rows);
	for (size_t c = 0; c < TABLE_COLUMNS; c++)
		t->rows[t->n][c] = STR("");
	return t->rows[t->n++];
}

static void put_row(const struct report_table *t, const struct str *row, unsigned most, struct buf *out)
{
	size_t last = t->columns - 1;
	struct buf line = { 0 };

	while (last && !row[last].n)
		last--;
	for (size_t c = 0; c <= last; c++) {
		int pad = (int)(t->width[c] - text_columns(row[c]));
		bool right = t->numbers & 1u << c;

		buf_printf(&line, "%*s%*s", c ? 2 : 0, "", right ? pad : 0, "");
		buf_str(&line, row[c]);
		buf_printf(&line, "%*s", !right && c < last ? pad : 0, "");
	}
	if (most)
		put_clipped(out, buf_text(&line), most);
	else
		buf_str(out, buf_text(&line));
	buf_char(out, '\n');
	buf_release(&line);
}

/* Are all numbers of the column 0, or those of the next column? */
static bool says_nothing(const struct report_table *t, size_t c)
{
	bool zero = true, same = c + 1 < t->columns;

	for (size_t i = 1; i < t->n; i++) {
		const struct str *row = t->rows[i];
		zero = zero && (!row[c].n || str_is(row[c], "0"));
		same = same && str_eq(row[c], row[c + 1]);
	}
	return zero || same;
}

/* Leaves out columns that say nothing if the table is wider than MOST columns of the terminal; causes come last. */
static void narrow(struct report_table *t, unsigned most)
{
	unsigned total = 0;

	for (size_t c = 0; c < t->columns; c++)
		total += t->width[c] + 2;
	for (size_t c = t->columns; most && total > most && c-- > 0;) {
		if (!(t->spare & 1u << c) || !says_nothing(t, c))
			continue;
		for (size_t i = 0; i < t->n; i++)
			memmove(&t->rows[i][c], &t->rows[i][c + 1], (TABLE_COLUMNS - c - 1) * sizeof t->rows[i][c]);
		memmove(&t->width[c], &t->width[c + 1], (TABLE_COLUMNS - c - 1) * sizeof *t->width);
		unsigned below = (1u << c) - 1;
		t->numbers = (t->numbers & below) | (t->numbers >> 1 & ~below);
		t->columns--;
	}
}

/* Writes the rows for another process; escaped texts contain no control character but tabs. */
static void put_rows_as_cells(const struct report_table *t, struct buf *out)
{
	buf_printf(out, "%u\n", t->numbers);
	for (size_t i = 0; i < t->n; i++)
		for (size_t c = 0; c < t->columns; c++) {
			buf_str(out, t->rows[i][c]);
			buf_char(out, c + 1 < t->columns ? TABLE_CELL : '\n');
		}
}

void table_put(struct report_table *t, unsigned most, struct buf *out)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t c = 0; c < t->columns; c++) {
			/* a text from a cluster must not end its line or move into another column */
			if (!t->ready)
				t->rows[i][c] = name_escaped(&t->arena, t->rows[i][c]);
			unsigned w = text_columns(t->rows[i][c]);
			t->width[c] = w > t->width[c] ? w : t->width[c];
		}
	if (t->cells)
		put_rows_as_cells(t, out);
	else
		narrow(t, most);
	for (size_t i = 0; i < t->n && !t->cells; i++)
		put_row(t, t->rows[i], most, out);
	arena_release(&t->arena);
	t->rows = NULL;
	t->n = 0;
}

void table_head(struct report_table *t, const char *const *words, size_t n, unsigned numbers)
{
	struct str *row = table_row(t);

	t->columns = n;
	t->numbers = numbers;
	for (size_t i = 0; i < n; i++)
		row[i] = str_of(words[i]);
}

struct str table_number(struct report_table *t, int64_t n) { return str_printf(&t->arena, "%lld", (long long)n); }

struct str table_age(struct report_table *t, int64_t ns)
{
	struct buf b = { 0 };

	put_age(&b, ns);
	struct str s = buf_take(&b, &t->arena);
	buf_release(&b);
	return s;
}
