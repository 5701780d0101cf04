/*
 * fuzz_lexer.c - runs the scanner, the repair of brackets and the treatment of line ends on any bytes.
 *
 * What must hold: tokens cover the text in order, every token ends with END,
 * and what the parser would see is balanced.
 */
#include <stdlib.h>

#include "syntax/dump.h"
#include "syntax/feed.h"
#include "trainc.tab.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_order(const struct tokens *ts)
{
	uint32_t last = ts->source->base, end = last + (uint32_t)ts->source->text.n;

	for (size_t i = 0; i < ts->n; i++) {
		require(ts->at[i].start >= last && ts->at[i].end >= ts->at[i].start && ts->at[i].end <= end);
		last = ts->at[i].end;
	}
	require(ts->n && ts->at[ts->n - 1].kind == TOKEN_END);
	last = ts->source->base;
	for (size_t i = 0; i < ts->ncomments; i++) {
		require(ts->comments[i].start >= last && ts->comments[i].end > ts->comments[i].start);
		last = ts->comments[i].end;
	}
}

static void check_balance(const struct tokens *ts)
{
	struct feed f;
	unsigned depth = 0;
	size_t given = 0;

	feed_init(&f, ts, false);
	for (;;) {
		struct token t = feed_next(&f);
		require(++given <= 2 * ts->n + 8);
		switch (t.kind) {
		case TOKEN_LBRACE: case TOKEN_LPAREN: case TOKEN_LBRACKET: case TOKEN_INTERP_OPEN:
			require(depth < BRACKETS_MAX);
			depth++;
			break;
		case TOKEN_RBRACE: case TOKEN_RPAREN: case TOKEN_RBRACKET: case TOKEN_INTERP_CLOSE:
			require(depth > 0);
			depth--;
			break;
		case TOKEN_EOL:
			require(depth == 0);
			break;
		case TOKEN_END:
			require(depth == 0);
			return;
		default:
			break;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena arena = { 0 };
	struct sources sources = { .arena = &arena };
	struct diags diags = { .arena = &arena, .sources = &sources };
	struct source *source = source_add(&sources, STR("fuzz.tj"), (struct str){ (const char *)bytes, n });
	struct tokens ts = { .arena = &arena, .diags = &diags, .source = source };

	tokens_scan(&ts);
	check_order(&ts);
	tokens_balance(&ts);
	check_order(&ts);
	check_balance(&ts);
	arena_release(&arena);
	return 0;
}
