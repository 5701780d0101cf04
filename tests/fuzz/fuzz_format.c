/*
 * fuzz_format.c - runs the formatter on any text that parses.
 *
 * What must hold: the result parses, formatting it again changes nothing, and the tree is the same, except in texts
 * with several imports, which are sorted.
 */
#include <stdio.h>
#include <stdlib.h>

#include "syntax/dump.h"
#include "syntax/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct run {
	struct arena arena;
	struct sources sources;
	struct names names;
	struct diags diags;
};

static void start(struct run *r)
{
	*r = (struct run){ 0 };
	r->sources.arena = r->names.arena = r->diags.arena = &r->arena;
	r->diags.sources = &r->sources;
}

static void require(bool holds, const char *what, struct str before, struct str after)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n--- before\n%.*s\n--- after\n%.*s\n", what, STR_ARG(before), STR_ARG(after));
	abort();
}

static bool format(struct run *r, struct str text, struct buf *out, struct buf *tree)
{
	const struct source *source = source_add(&r->sources, STR("fuzz.tj"), text);
	bool ok = format_source(&r->arena, &r->names, &r->diags, source, out);

	if (ok)
		ast_dump(parse_source(&r->arena, &r->names, &r->diags, source), tree);
	return ok;
}

static size_t imports(struct str text)
{
	size_t n = 0;
	for (size_t i = 0; i + 7 < text.n; i++)
		n += memcmp(text.p + i, "(import", 7) == 0;
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str text = { (const char *)bytes, n };
	struct run r;
	struct buf once = { 0 }, twice = { 0 }, tree = { 0 }, same = { 0 };

	start(&r);
	if (format(&r, text, &once, &tree)) {
		bool ok = format(&r, buf_text(&once), &twice, &same);
		require(ok, "the result does not parse", text, buf_text(&once));
		require(str_eq(buf_text(&once), buf_text(&twice)), "not idempotent", buf_text(&once), buf_text(&twice));
		if (imports(buf_text(&tree)) < 2)
			require(str_eq(buf_text(&tree), buf_text(&same)), "another tree", buf_text(&tree),
				buf_text(&same));
	}
	buf_release(&once);
	buf_release(&twice);
	buf_release(&tree);
	buf_release(&same);
	arena_release(&r.arena);
	return 0;
}
