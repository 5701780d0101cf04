/*
 * linediff.c - computes the longest common subsequence of lines.
 *
 * Equal lines at the beginning and end are set aside first, which leaves little of a formatted
 * program.  Above MOST_CELLS the middle becomes one replacement: correct, though longer than
 * necessary.
 */
#include "command/linediff.h"

enum { CONTEXT = 3, MOST_CELLS = 16 << 20 };

struct diff_lines {
	struct str *at;
	size_t n;
};

/* One line of the result: kept, removed or added. */
struct step {
	char mark;
	struct str line;
	size_t before, after;           /* numbers of the line in both texts, from 1 */
};

struct steps {
	struct step *at;
	size_t n;
};

static struct diff_lines split_lines(struct arena *a, struct str text)
{
	struct diff_lines lines = { 0 };

	for (size_t i = 0; i < text.n;) {
		const char *newline = memchr(text.p + i, '\n', text.n - i);
		size_t end = newline ? (size_t)(newline - text.p) : text.n;
		ARENA_PUSH(a, lines.at, lines.n, ((struct str){ text.p + i, end - i }));
		i = end + 1;
	}
	return lines;
}

static void step(struct arena *a, struct steps *s, char mark, struct str line, size_t before, size_t after)
{
	struct step one = { mark, line, before + 1, after + 1 };
	ARENA_PUSH(a, s->at, s->n, one);
}

/* length[i * (m + 1) + j] is the length of the longest common subsequence of x[i..n) and y[j..m) */
static uint32_t *common(struct arena *a, const struct str *x, size_t n, const struct str *y, size_t m)
{
	uint32_t *length = ARENA_ARRAY(a, uint32_t, (n + 1) * (m + 1));

	for (size_t i = n; i-- > 0;) {
		for (size_t j = m; j-- > 0;) {
			uint32_t down = length[(i + 1) * (m + 1) + j], right = length[i * (m + 1) + j + 1];
			if (str_eq(x[i], y[j]))
				length[i * (m + 1) + j] = length[(i + 1) * (m + 1) + j + 1] + 1;
			else
				length[i * (m + 1) + j] = down > right ? down : right;
		}
	}
	return length;
}

static void middle(struct arena *a, struct steps *s, const struct diff_lines *x, const struct diff_lines *y,
	size_t head, size_t tail)
{
	size_t n = x->n - head - tail, m = y->n - head - tail, i = 0, j = 0;
	bool small = (n + 1) * (m + 1) <= MOST_CELLS;
	const uint32_t *length = small ? common(a, x->at + head, n, y->at + head, m) : NULL;

	while (i < n || j < m) {
		bool same = small && i < n && j < m && str_eq(x->at[head + i], y->at[head + j]);
		bool remove = j == m || (i < n && (!small ||
			length[(i + 1) * (m + 1) + j] >= length[i * (m + 1) + j + 1]));
		if (same) {
			step(a, s, ' ', x->at[head + i], head + i, head + j);
			i++, j++;
		} else if (remove) {
			step(a, s, '-', x->at[head + i], head + i, head + j);
			i++;
		} else {
			step(a, s, '+', y->at[head + j], head + i, head + j);
			j++;
		}
	}
}

static struct steps steps_between(struct arena *a, const struct diff_lines *x, const struct diff_lines *y)
{
	struct steps s = { 0 };
	size_t head = 0, tail = 0;

	while (head < x->n && head < y->n && str_eq(x->at[head], y->at[head]))
		head++;
	while (tail < x->n - head && tail < y->n - head && str_eq(x->at[x->n - 1 - tail], y->at[y->n - 1 - tail]))
		tail++;
	for (size_t i = head > CONTEXT ? head - CONTEXT : 0; i < head; i++)
		step(a, &s, ' ', x->at[i], i, i);
	middle(a, &s, x, y, head, tail);
	for (size_t i = 0; i < tail && i < CONTEXT; i++)
		step(a, &s, ' ', x->at[x->n - tail + i], x->n - tail + i, y->n - tail + i);
	return s;
}

/* Is there a change within `CONTEXT` lines of step `i`, on either side? */
static bool near_change(const struct steps *s, size_t i)
{
	size_t from = i > CONTEXT ? i - CONTEXT : 0, to = i + CONTEXT < s->n ? i + CONTEXT : s->n - 1;

	for (size_t k = from; k <= to; k++)
		if (s->at[k].mark != ' ')
			return true;
	return false;
}

static void put_hunk(const struct steps *s, size_t from, size_t to, struct buf *out)
{
	size_t before = 0, after = 0;

	for (size_t i = from; i < to; i++) {
		before += s->at[i].mark != '+';
		after += s->at[i].mark != '-';
	}
	buf_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", s->at[from].before - !before, before, s->at[from].after - !after,
		after);
	for (size_t i = from; i < to; i++) {
		buf_char(out, s->at[i].mark);
		buf_str(out, s->at[i].line);
		buf_char(out, '\n');
	}
}

void line_diff(struct arena *a, struct str name, struct str before, struct str after, struct buf *out)
{
	struct diff_lines x = split_lines(a, before), y = split_lines(a, after);
	struct steps s = steps_between(a, &x, &y);

	if (str_eq(before, after))
		return;
	buf_printf(out, "--- %.*s\n+++ %.*s\n", STR_ARG(name), STR_ARG(name));
	for (size_t i = 0; i < s.n;) {
		size_t end = i;
		while (end < s.n && near_change(&s, end))
			end++;
		if (end > i)
			put_hunk(&s, i, end, out);
		i = end + (end == i);
	}
}
