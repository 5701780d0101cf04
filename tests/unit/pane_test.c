/*
 * pane_test.c - the rows of a pane at random sizes: no row is wider than the pane, nothing that a terminal obeys is in
 * them, words are not broken if they need not be, and the last rows are shown while it follows. And keys: each sequence
 * of bytes, whole and cut in two.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/glyph.h"
#include "runtime/run/keys.h"
#include "runtime/run/pane.h"

static int passed, failed;

static void check(bool ok, const char *what)
{
	passed += ok;
	failed += !ok;
	if (!ok)
		printf("FAIL %s\n", what);
}

/* What a pane shows, without what ends its rows; false if a row has another end, or is too wide. */
static bool rows_of(struct pane *p, size_t rows, unsigned columns, struct buf *ret)
{
	struct buf out = { 0 };
	size_t n = 0;
	bool ok = true;

	ret->n = 0;
	pane_draw(p, rows, columns, &out);
	for (struct str rest = buf_text(&out); rest.n; n++) {
		struct str row = str_take(&rest, '\n');
		ok = ok && str_ends(row, STR("\x1b[K\r"));
		row.n -= ok ? 4 : 0;
		ok = ok && text_columns(row) <= (columns < 2 ? 2 : columns) && !memchr(row.p, 27, row.n);
		buf_str(ret, row);
		buf_char(ret, '\n');
	}
	buf_release(&out);
	return ok && n == rows;
}

static void check_rows(const char *text, size_t rows, unsigned columns, bool follow, const char *want)
{
	struct pane p = { .follow = follow };
	struct buf got = { 0 };

	pane_put(&p, str_of(text));
	bool ok = rows_of(&p, rows, columns, &got) && str_is(buf_text(&got), want);
	check(ok, text);
	if (!ok)
		printf("got:\n%.*s", STR_ARG(buf_text(&got)));
	buf_release(&got);
	pane_release(&p);
}

static void check_moves(void)
{
	struct pane p = { .follow = true };
	struct buf got = { 0 };

	for (int i = 0; i < 9; i++) {
		char line[] = { (char)('a' + i), '\n' };
		pane_put(&p, (struct str){ line, 2 });
	}
	check(rows_of(&p, 3, 10, &got) && str_is(buf_text(&got), "g\nh\ni\n"), "follows");
	pane_move(&p, -2);
	check(rows_of(&p, 3, 10, &got) && str_is(buf_text(&got), "e\nf\ng\n") && !p.follow, "scrolled");
	pane_put(&p, STR("j\n"));
	check(rows_of(&p, 3, 10, &got) && str_is(buf_text(&got), "e\nf\ng\n"), "stays where it was");
	pane_move(&p, -100);
	check(rows_of(&p, 3, 10, &got) && str_is(buf_text(&got), "a\nb\nc\n"), "the first rows");
	pane_move(&p, 100);
	pane_put(&p, STR("k\n"));
	check(rows_of(&p, 3, 10, &got) && str_is(buf_text(&got), "i\nj\nk\n") && p.follow, "follows again");
	check(rows_of(&p, 20, 10, &got) && str_starts(buf_text(&got), STR("a\nb\n")), "a larger pane");
	buf_release(&got);
	pane_release(&p);
}

static void check_random(void)
{
	static const char *const parts[] = { "word ", "a", "\xe4\xb8\xad", " ", "\n", "\x1b[31m", "\t", "\xff", "\r\n",
		"longword", "\xe2\x80\xae", "\x07" };
	struct buf got = { 0 };
	bool ok = true;

	srand(7);
	for (int i = 0; i < 2000 && ok; i++) {
		struct pane p = { .follow = rand() % 2 };
		for (int k = rand() % 60; k > 0; k--)
			pane_put(&p, str_of(parts[(size_t)rand() % (sizeof parts / sizeof *parts)]));
		for (int k = 0; k < 3 && ok; k++) {
			pane_move(&p, rand() % 9 - 4);
			ok = rows_of(&p, (size_t)(rand() % 12), (unsigned)(rand() % 30), &got);
		}
		pane_release(&p);
	}
	check(ok, "2,000 random texts");
	struct pane large = { .follow = true };
	for (int i = 0; i < 60000; i++)
		pane_put(&large, STR("a line of fifty bytes, of which there are very many\n"));
	check(large.text.n <= PANE_BYTES + PANE_LINE && large.dropped && rows_of(&large, 3, 80, &got), "a long text");
	buf_release(&got);
	pane_release(&large);
}

static void check_key(const char *bytes, int want)
{
	struct keys k = { .n = 0 };
	int got = KEY_NONE;

	for (const char *c = bytes; *c; c++)
		got = keys_put(&k, *c);
	if (keys_wait(&k))
		got = keys_pause(&k);
	check(got == want && !keys_wait(&k), bytes[0] == 27 ? bytes + 1 : bytes);
}

int main(void)
{
	check_rows("one two three\n", 2, 8, false, "one two\nthree\n");
	check_rows("one two three\n", 3, 5, false, "one\ntwo\nthree\n");
	check_rows("abcdefghij\n", 3, 4, false, "abcd\nefgh\nij\n");
	check_rows("a\n\nb\n", 3, 4, false, "a\n\nb\n");
	check_rows("a\nb\nc\n", 2, 4, true, "b\nc\n");
	check_rows("a\nb\nc\n", 2, 4, false, "a\nb\n");
	check_rows("no end yet", 1, 20, true, "\n");
	check_rows("a\x1b[2Jb\n", 1, 20, true, "a\\x1b[2Jb\n");
	check_rows("dos\r\n", 1, 20, true, "dos\n");
	check_moves();
	check_random();
	check_key("j", 'j');
	check_key("\x1b", KEY_ESCAPE);
	check_key("\x1b[A", KEY_UP);
	check_key("\x1bOB", KEY_DOWN);
	check_key("\x1b[5~", KEY_PAGE_UP);
	check_key("\x1b[1;5C", KEY_NONE);
	check_key("\x1b[200~", KEY_NONE);
	check_key("\x1b[", KEY_NONE);
	check_key("\x1b[999999999999999999999", '9');
	check_key("\x03", 3);
	check_key("\xc3", 0xc3);
	printf("%d passed, %d failed\n", passed, failed);
	return failed > 0;
}
