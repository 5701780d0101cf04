/* diag_text_test.c - the layout of messages for people, and the same facts in the formats for machines. */
#include "base/glyph.h"
#include "diag/render.h"
#include "unit.h"

struct fixture {
	struct arena arena;
	struct sources sources;
	struct diags diags;
	struct source *source;
};

static void fixture_init(struct fixture *f, const char *name, const char *text)
{
	*f = (struct fixture){ 0 };
	f->sources.arena = &f->arena;
	f->diags.arena = &f->arena;
	f->diags.sources = &f->sources;
	f->source = source_add(&f->sources, str_of(name), str_of(text));
}

static struct span place(const struct source *s, const char *word)
{
	const char *at = strstr(s->text.p, word);
	uint32_t start = at ? s->base + (uint32_t)(at - s->text.p) : 0;

	return (struct span){ start, start + (uint32_t)strlen(word) };
}

static struct str text(struct fixture *f, struct render_options options)
{
	struct buf b = { 0 };

	diags_finish(&f->diags);
	diags_text(&f->diags, options, &b);
	struct str s = buf_take(&b, &f->arena);
	buf_release(&b);
	return s;
}

/* Renders one diagnostic about a word of a text. */
static struct str one(struct fixture *f, const char *source, const char *word, struct render_options options)
{
	fixture_init(f, "a.tj", source);
	struct diag *d = diag_report(&f->diags, TJ0201, place(f->source, word), "what");
	diag_label(&f->diags, d, "label");
	return text(f, options);
}
static const struct render_options plain = { 0 };

/* Compares the exact form of a message. */
static void the_form(void)
{
	struct fixture f;
	fixture_init(&f, "job.tj", "\n\n\n\n\n\n\n\n    replicas = 2\n");
	struct source *library = source_add(&f.sources, STR("std/mpi.tj"),
		STR("\n\n\n\n\n\n\n\n    replicas: int(1..1) = 1\n"));
	struct diag *d = diag_report(&f.diags, TJ0502, place(f.source, "2"),
		"role 'launcher' allows exactly 1 replica, but 2 are set");

	diag_label(&f.diags, d, "2 is outside 1..1");
	diag_note(&f.diags, d, place(library, "int(1..1)"), "declared here");
	diag_help(&f.diags, d, "mpirun is started once; remove 'replicas = 2'");
	CHECK_TEXT(text(&f, plain),
		"job.tj:9:16: error: role 'launcher' allows exactly 1 replica, but 2 are set [TJ0502]\n"
	                            "  9 |     replicas = 2\n"
	                            "    |                ^ 2 is outside 1..1\n"
	                            "std/mpi.tj:9:15: note: declared here\n"
	                            "  9 |     replicas: int(1..1) = 1\n"
	                            "    |               ^~~~~~~~~\n"
	                            "help: mpirun is started once; remove 'replicas = 2'\n");
	arena_release(&f.arena);
}

static void line_numbers(void)
{
	struct fixture f;
	fixture_init(&f, "a.tj", "first\n\n\n\n\n\n\n\n\n\n\ntwelfth\n");
	struct diag *d = diag_report(&f.diags, TJ0204, place(f.source, "twelfth"), "what");

	diag_note(&f.diags, d, place(f.source, "first"), "first declared here");
	diag_note(&f.diags, d, (struct span){ 0, 0 }, "and a fact without a place");
	CHECK_TEXT(text(&f, plain), "a.tj:12:1: error: what [TJ0204]\n"
	                            "  12 | twelfth\n"
	                            "     | ^~~~~~~\n"
	                            "a.tj:1:1: note: first declared here\n"
	                            "   1 | first\n"
	                            "     | ^~~~~\n"
	                            "note: and a fact without a place\n");
	arena_release(&f.arena);
}

static void carets(void)
{
	struct fixture f;

	CHECK_TEXT(one(&f, "\tx\ty = 1\n", "y", plain), "a.tj:1:4: error: what [TJ0201]\n"
	                                                "  1 |         x       y = 1\n"
	                                                "    |                 ^ label\n");
	arena_release(&f.arena);
	CHECK_TEXT(one(&f, "\"日本\" = größe\n", "größe", plain), "a.tj:1:8: error: what [TJ0201]\n"
	                                                          "  1 | \"日本\" = größe\n"
	                                                          "    |          ^~~~~ label\n");
	arena_release(&f.arena);
	CHECK_TEXT(one(&f, "x = \"日本\"\n", "日本", plain), "a.tj:1:6: error: what [TJ0201]\n"
	                                                    "  1 | x = \"日本\"\n"
	                                                    "    |      ^~~~ label\n");
	arena_release(&f.arena);
	/* a combining mark takes no column; an invalid byte takes one and is not printed */
	CHECK_TEXT(one(&f, "e\xCC\x81\xFF\x1B[1m y\n", "y", plain), "a.tj:1:9: error: what [TJ0201]\n"
	                                                            "  1 | e\xCC\x81\xEF\xBF\xBD\xEF\xBF\xBD[1m y\n"
	                                                            "    |        ^ label\n");
	arena_release(&f.arena);
	CHECK_TEXT(one(&f, "a = [  # open\n  1,\n]\n", "[  # open\n  1,\n]", plain), "a.tj:1:5: error: what [TJ0201]\n"
	                                                                            "  1 | a = [  # open\n"
	                                                                            "    |     ^~~~~~~~~ label\n");
	arena_release(&f.arena);
}

static void ends(void)
{
	struct fixture f;
	fixture_init(&f, "a.tj", "x =\r\n");
	uint32_t end = f.source->base + 3;

	diag_report(&f.diags, TJ0104, (struct span){ end, end }, "'x' has no value");
	diag_report(&f.diags, TJ0109, (struct span){ f.source->base + 5, f.source->base + 5 }, "end of file");
	CHECK_TEXT(text(&f, plain), "a.tj:1:4: error: 'x' has no value [TJ0104]\n"
	                            "  1 | x =\n"
	                            "    |    ^\n"
	                            "\n"
	                            "a.tj:2:1: error: end of file [TJ0109]\n"
	                            "  2 |\n"
	                            "    | ^\n");
	arena_release(&f.arena);
	fixture_init(&f, "a.tj", "");
	diag_report(&f.diags, TJ0001, (struct span){ 0, 0 }, "cannot read 'x\x1b.tj': no such\nfile");
	CHECK_TEXT(text(&f, plain), "trainc: error: cannot read 'x\xEF\xBF\xBD.tj': no such file [TJ0001]\n");
	arena_release(&f.arena);
}

static void clipping(void)
{
	struct fixture f;
	char line[400];

	memset(line, 'a', sizeof line);
	memcpy(line + 200, "here", 4);
	line[sizeof line - 1] = 0;
	CHECK_TEXT(one(&f, line, "here", (struct render_options){ .width = 46 }),
	           "a.tj:1:201: error: what [TJ0201]\n"
	           "  1 | …aaaaaaaaaaaahereaaaaaaaaaaaaaaaaaaaaaa…\n"
	           "    |              ^~~~ label\n");
	arena_release(&f.arena);
	CHECK_TEXT(one(&f, "here and a line that is longer than the window", "here",
		(struct render_options){ .width = 41 }),
	           "a.tj:1:1: error: what [TJ0201]\n"
	           "  1 | here and a line that is longer tha…\n"
	           "    | ^~~~ label\n");
	arena_release(&f.arena);
	CHECK_TEXT(one(&f, "a line that is longer than the window, to here", "here",
		(struct render_options){ .width = 41 }),
	           "a.tj:1:43: error: what [TJ0201]\n"
	           "  1 | …is longer than the window, to here\n"
	           "    |                                ^~~~\n"
	           /* the label is placed so that it does not leave the window */
	           "    |                               label\n");
	arena_release(&f.arena);
	/* an underline that leaves the window ends at the edge of the window */
	CHECK_TEXT(one(&f, "0123456789012345678901234567890123456789", "0123456789012345678901234567890123456789",
	               (struct render_options){ .width = 41 }),
	           "a.tj:1:1: error: what [TJ0201]\n"
	           "  1 | 0123456789012345678901234567890123…\n"
	           "    | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
	           "    | label\n");
	arena_release(&f.arena);
}

static void megabytes_on_a_line(void)
{
	struct fixture f;
	static char line[3 << 20];

	memset(line, 'a', sizeof line - 1);
	memcpy(line + (2 << 20), "here", 4);
	struct str shown = one(&f, line, "here", plain);
	CHECK(shown.n < 1000);
	CHECK(str_starts(shown, STR("a.tj:1:2097153: error: what [TJ0201]\n  1 | …aaaa")));
	arena_release(&f.arena);
}

static void limits(void)
{
	struct fixture f;
	fixture_init(&f, "a.tj", "x\n");

	for (unsigned i = 0; i < 53; i++)
		diag_report(&f.diags, TJ0201, (struct span){ 0, 0 }, "number %u", i);
	diag_report(&f.diags, TJ0815, (struct span){ 0, 0 }, "a warning");
	struct str shown = text(&f, plain);
	CHECK(memmem(shown.p, shown.n, "number 49", 9) && !memmem(shown.p, shown.n, "number 50", 9));
	CHECK(memmem(shown.p, shown.n, "a warning", 9) != NULL);
	CHECK(str_ends(shown, STR("\n3 more errors are not shown\n")));
	arena_release(&f.arena);
}

static void colours(void)
{
	struct fixture f;

	CHECK_TEXT(one(&f, "x y\n", "y", (struct render_options){ .colour = true }),
	           "\033[1ma.tj:1:3: \033[0m\033[1;31merror: \033[0m\033[1mwhat\033[0m [TJ0201]\n"
	           "\033[34m  1 |\033[0m x y\n"
	           "\033[34m    |\033[0m   \033[1;31m^ label\033[0m\n");
	arena_release(&f.arena);
}

static void machines(void)
{
	struct fixture f;
	struct buf b = { 0 };
	fixture_init(&f, "my job.tj", "größe = 1\n");
	struct diag *d = diag_report(&f.diags, TJ0815, place(f.source, "= 1"), "say \"it\"");

	diag_label(&f.diags, d, "l");
	diag_note(&f.diags, d, place(f.source, "größe"), "n");
	diag_note(&f.diags, d, (struct span){ 0, 0 }, "loose");
	diag_help(&f.diags, d, "h");
	diag_fix(&f.diags, d, place(f.source, "1"), STR("2"), "write %d", 2);
	f.diags.deny_warnings = true;
	diags_finish(&f.diags);
	diags_json(&f.diags, &b);
	CHECK_TEXT(buf_text(&b),
		"{\"code\":\"TJ0815\",\"slug\":\"image-not-pinned\",\"severity\":\"error\",\"denied\":true,"
	           "\"message\":\"say \\\"it\\\"\",\"spans\":["
	           "{\"file\":\"my job.tj\",\"line\":1,\"column\":7,\"end_line\":1,\"end_column\":10,\"offset\":8,\"length\":3,"
	           "\"primary\":true,\"label\":\"l\"},"
	           "{\"file\":\"my job.tj\",\"line\":1,\"column\":1,\"end_line\":1,\"end_column\":6,\"offset\":0,\"length\":7,"
	           "\"primary\":false,\"label\":\"n\"}],"
	           "\"notes\":[\"loose\"],\"help\":\"h\",\"fixes\":[{\"title\":\"write 2\",\"edits\":["
	           "{\"file\":\"my job.tj\",\"offset\":10,\"length\":1,\"text\":\"2\"}]}]}\n");
	b.n = 0;
	diags_sarif((const struct diags *[]){ &f.diags }, 1, &b);
	CHECK(memmem(b.p, b.n, "\"version\":\"2.1.0\"", 17) != NULL);
	CHECK(memmem(b.p, b.n, "\"uri\":\"my%20job.tj\"", 19) != NULL);
	CHECK(memmem(b.p, b.n, "\"startLine\":1,\"startColumn\":7,\"endLine\":1,\"endColumn\":10", 56) != NULL);
	buf_release(&b);
	arena_release(&f.arena);
}

static void glyphs(void)
{
	CHECK(glyph_at(STR("a"), 0, 0).width == 1);
	CHECK(glyph_at(STR("\t"), 0, 3).width == 5);
	CHECK(glyph_at(STR("日"), 0, 0).width == 2 && glyph_at(STR("日"), 0, 0).bytes == 3);
	CHECK(glyph_at(STR("🚀"), 0, 0).width == 2);
	CHECK(glyph_at(STR("\xCC\x81"), 0, 0).width == 0);
	CHECK(glyph_at(STR("\xE6\x97"), 0, 0).bytes == 1);                      /* cut short */
	CHECK(glyph_at(STR("\xC0\x80"), 0, 0).bytes == 1);                      /* overlong */
	CHECK(glyph_at(STR("\xED\xA0\x80"), 0, 0).bytes == 1);                  /* a surrogate */
	CHECK_TEXT(glyph_at(STR("\xE2\x80\xAE"), 0, 0).shown, "\xEF\xBF\xBD");  /* right-to-left override */
}

int main(void)
{
	the_form();
	line_numbers();
	carets();
	ends();
	clipping();
	megabytes_on_a_line();
	limits();
	colours();
	machines();
	glyphs();
	return unit_end();
}
