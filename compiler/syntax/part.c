/* part.c - decides what kind of text a piece is, from its tokens only. */
#include "syntax/part.h"

#include "syntax/token.h"
#include "trainc.tab.h"

static int depth_of(int kind)
{
	switch (kind) {
	case TOKEN_LBRACE: case TOKEN_LPAREN: case TOKEN_LBRACKET: return 1;
	case TOKEN_RBRACE: case TOKEN_RPAREN: case TOKEN_RBRACKET: return -1;
	default: return 0;
	}
}

/* Does the text leave a string open? It does when """ occurs an odd number of times. */
static bool leaves_string(struct str text)
{
	size_t n = 0;

	for (size_t i = 0; i + 3 <= text.n; i++) {
		if (memcmp(text.p + i, "\"\"\"", 3) == 0) {
			n++;
			i += 2;
		}
	}
	return n % 2;
}

static bool declares(const struct tokens *ts)
{
	int kind = ts->at[0].kind;

	return tokens_declaration(ts, 0) || kind == TOKEN_LET || kind == TOKEN_IMPORT || kind == TOKEN_CHECK ||
		kind == TOKEN_WARN;
}

struct part part_of(struct arena *a, struct str text)
{
	struct source source = { .name = STR("part"), .text = str_copy(a, text), .base = 1 };
	struct diags aside = { .arena = a, .muted = 1 };
	struct tokens ts = { .arena = a, .diags = &aside, .source = &source };
	struct part part = { .name = STR("") };
	int depth = 0;

	tokens_scan(&ts);
	part.empty = ts.at[0].kind == TOKEN_END;
	part.declaration = declares(&ts);
	if (part.declaration && ts.at[0].kind != TOKEN_IMPORT && ts.at[1].kind == TOKEN_IDENT)
		part.name = (struct str){ text.p + ts.at[1].start - source.base, ts.at[1].end - ts.at[1].start };
	for (size_t i = 0; ts.at[i].kind != TOKEN_END; i++)
		depth += depth_of(ts.at[i].kind);
	part.in_string = ts.cut && leaves_string(text);
	part.open = depth > 0 || part.in_string;
	return part;
}
