/* fix_test.c - edits of diagnostics, applied to a text. */
#include "command/fix.h"

#include "unit.h"

struct fixture {
	struct arena arena;
	struct sources sources;
	struct diags diags;
	struct source *source, *other;
};

static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	f->sources.arena = f->diags.arena = &f->arena;
	f->diags.sources = &f->sources;
	f->source = source_add(&f->sources, STR("a.tj"), STR("one two three\n"));
	f->other = source_add(&f->sources, STR("b.tj"), STR("four\n"));
}

static void fix(struct fixture *f, const struct source *s, unsigned start, unsigned end, const char *text)
{
	struct span at = { s->base + start, s->base + end };
	struct diag *d = diag_report(&f->diags, TJ0202, at, "%u to %u", start, end);

	diag_fix(&f->diags, d, at, str_of(text), "fix");
}

static void applied(struct fixture *f, size_t want_n, const char *want)
{
	struct buf b = { 0 };
	struct fix_edits edits = fix_edits(&f->diags, fix_choose(&f->diags, NULL, NULL), f->source);

	CHECK(edits.fixes == want_n);
	fix_write(&edits, &b);
	CHECK_TEXT(buf_text(&b), want);
	buf_release(&b);
	arena_release(&f->arena);
}

/* Checks that each byte that is not replaced is where fix_moved() says it is. */
static void test_moved(void)
{
	struct fixture f;
	struct buf b = { 0 };

	fixture_init(&f);
	fix(&f, f.source, 0, 3, "eins");
	fix(&f, f.source, 4, 4, "and ");
	fix(&f, f.source, 7, 8, "");
	struct fix_edits edits = fix_edits(&f.diags, fix_choose(&f.diags, NULL, NULL), f.source);
	fix_write(&edits, &b);
	CHECK_TEXT(buf_text(&b), "eins and twothree\n");
	CHECK(fix_moved(&edits, 0) == 0 && fix_moved(&edits, 2) == 0);
	CHECK(fix_moved(&edits, 4) == 9);       /* "two" comes after the text that was inserted before it */
	CHECK(fix_moved(&edits, 7) == 12 && fix_moved(&edits, 8) == 12 && fix_moved(&edits, 13) == 17);
	buf_release(&b);
	arena_release(&f.arena);
}

int main(void)
{
	struct fixture f;

	fixture_init(&f);
	applied(&f, 0, "one two three\n");

	fixture_init(&f);
	fix(&f, f.source, 8, 13, "3");
	fix(&f, f.source, 0, 3, "1");
	fix(&f, f.source, 14, 14, "end");
	applied(&f, 3, "1 two 3\nend");

	fixture_init(&f);               /* if two edits overlap, the first one is applied */
	fix(&f, f.source, 0, 7, "both");
	fix(&f, f.source, 4, 7, "2");
	applied(&f, 1, "both three\n");

	fixture_init(&f);               /* two insertions at one position have no order, so only the first is applied */
	fix(&f, f.source, 4, 4, "a ");
	fix(&f, f.source, 4, 4, "b ");
	applied(&f, 1, "one a two three\n");

	fixture_init(&f);
	fix(&f, f.other, 0, 4, "4");
	fix(&f, f.source, 3, 7, "");
	applied(&f, 1, "one three\n");
	test_moved();
	return unit_end();
}
