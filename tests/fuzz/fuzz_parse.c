/*
 * fuzz_parse.c - parses any bytes, as a file and as one expression.
 *
 * What must hold: the tree is inside the text and not deeper than the limit, a text without errors has no NODE_BAD,
 * one with NODE_BAD has an error, and all of it can be printed.
 */
#include <stdlib.h>

#include "diag/render.h"
#include "syntax/dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static bool contains(struct buf *b, const char *what)
{
	return b->n && memmem(b->p, b->n, what, strlen(what));
}

static void one(const uint8_t *bytes, size_t n, bool expression)
{
	struct arena arena = { 0 };
	struct sources sources = { .arena = &arena };
	struct names names = { .arena = &arena };
	struct diags diags = { .arena = &arena, .sources = &sources };
	struct source *source = source_add(&sources, STR("fuzz.tj"), (struct str){ (const char *)bytes, n });
	struct node *tree = expression ? parse_expression(&arena, &names, &diags, source)
	                               : parse_source(&arena, &names, &diags, source);
	struct buf out = { .limit = 64 << 20 };

	require(tree ? tree->span.end >= tree->span.start && tree->span.end <= source->base + n :
		expression && diags.errors);
	if (tree) {
		ast_dump(tree, &out);
		bool said = memmem(bytes, n, "(bad", 4);
		require(diags.errors || said || !contains(&out, "(bad"));
		require(tree->height <= 2000);
	}
	out.n = 0;
	diags_finish(&diags);
	diags_text(&diags, (struct render_options){ .width = 80 }, &out);
	require(!diags.errors || contains(&out, " error: "));
	buf_release(&out);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	one(bytes, n, false);
	one(bytes, n, true);
	return 0;
}
