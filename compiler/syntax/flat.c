/* flat.c - prints pieces of a text on one line. */
#include "syntax/flat.h"

#include "base/buf.h"
#include "syntax/layout.h"
#include "trainc.tab.h"

struct flat {
	struct arena *arena;
	struct diags diags;             /* receives the diagnostics of the text, which are discarded */
	struct sources sources;
	struct layout layout;
};

struct flat *flat_new(struct arena *a, const struct source *source)
{
	struct flat *f = ARENA_NEW(a, struct flat);

	f->arena = f->diags.arena = f->sources.arena = a;
	f->diags.sources = &f->sources;
	f->layout = layout_new(a, &f->diags, source);
	return f;
}

static bool is_end_of_line(int kind) { return kind == TOKEN_NL || kind == TOKEN_EOL; }

/* Is the token a comma or semicolon that nothing follows? */
static bool is_last_separator(const struct layout *l, size_t i)
{
	int next = l->at[i + 1].kind;

	return (is_end_of_line(l->at[i].kind) || l->at[i].kind == TOKEN_COMMA) &&
	       (next == TOKEN_RBRACE || next == TOKEN_RBRACKET || next == TOKEN_RPAREN);
}

/* Appends token I or, if I begins a string, the whole string; returns the index of its last token. */
static size_t put_token(const struct layout *l, size_t i, struct buf *out)
{
	size_t last = l->at[i].kind == TOKEN_STR_OPEN ? l->match[i] : i;

	buf_str(out, tokens_text(&l->tokens, l->at[i].start, l->at[last].end));
	return last;
}

struct str flat_text(const struct flat *f, struct span at)
{
	const struct layout *l = &f->layout;
	struct buf out = { 0 };

	for (size_t i = OFFSET_SEARCH(l->at, l->n, start, at.start),
		first = i; i + 1 < l->n && l->at[i].start < at.end; i++) {
		if (is_last_separator(l, i))
			continue;
		if (is_end_of_line(l->at[i].kind)) {
			buf_char(&out, ',');
			continue;
		}
		bool empty = i > first && l->at[i].kind == TOKEN_RBRACE && l->at[i - 1].kind == TOKEN_LBRACE;
		if (i > first && !empty && layout_space(l, i))
			buf_char(&out, ' ');
		i = put_token(l, i, &out);
	}
	struct str text = buf_take(&out, f->arena);
	buf_release(&out);
	return text;
}
