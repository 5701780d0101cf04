/*
 * bar.c - explains `a | b`, which other languages use for alternative texts, for a type or none, and for merging maps.
 */
#include "syntax/bar.h"

#include "trainc.tab.h"

bool word_among(struct str word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(word, words[i]))
			return true;
	return false;
}

bool word_of_none(struct str word)
{
	static const char *const words[] = { "none", "None", "null", "NULL", "nil", "undefined" };

	return word_among(word, words, sizeof words / sizeof *words);
}

bool word_of_optional(struct str word)
{
	static const char *const words[] = { "optional", "Optional", "maybe", "Maybe", "option", "Option", "nullable",
		"Nullable" };

	return word_among(word, words, sizeof words / sizeof *words);
}

/* The rest of the line after the '|' at AT, without leading blanks. */
static struct str rest_after(const struct tokens *ts, uint32_t at)
{
	struct str s = ts->source->text;
	size_t i = at - ts->source->base + 1;

	while (i < s.n && s.p[i] == ' ')
		i++;
	const char *end = i < s.n ? memchr(s.p + i, '\n', s.n - i) : NULL;
	return (struct str){ s.p + i, end ? (size_t)(end - (s.p + i)) : s.n - i };
}

/* The name at the beginning of S; empty if S does not begin with a name. */
static struct str first_word(struct str s)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t n = 0;

	while (n < s.n && s.p[n] && strchr(letters, s.p[n]))
		n++;
	return (struct str){ s.p, n };
}

/* Adds help for the strings "a" | "b" where a type is expected. */
static bool help_texts(const struct tokens *ts, const struct token *last, uint32_t at, struct diag *d)
{
	struct str source = ts->source->text, all = tokens_text(ts, last->start, last->end);
	size_t i = at - ts->source->base;

	if (last->kind != TOKEN_STRING)
		return false;
	while (i < source.n && source.p[i] == '|') {
		size_t from = i + 1 + strspn(source.p + i + 1, " ");
		const char *end = from < source.n && source.p[from] == '"' ?
			memchr(source.p + from + 1, '"', source.n - from - 1) : NULL;
		if (!end || memchr(source.p + from, '\n', (size_t)(end - (source.p + from))))
			return false;
		size_t n = (size_t)(end + 1 - (source.p + from));
		all = str_printf(ts->arena, "%.*s, %.*s", STR_ARG(all), (int)n, source.p + from);
		i = from + n + strspn(end + 1, " ");
	}
	diag_help(ts->diags, d, "a type of a few texts is written 'enum(%.*s)'", STR_ARG(all));
	return true;
}

enum { LONGEST = 16 };                  /* maximum number of tokens in an operand */

/* The index of the first token of the operand that ends with the last token: `m.xs`, `list[int]`, `int(1..8)`. */
static size_t operand(const struct tokens *ts)
{
	size_t i = ts->n - 1, depth = 0;

	for (size_t n = 0; n < LONGEST; n++, i--) {
		int kind = ts->at[i].kind;
		bool close = kind == TOKEN_RBRACKET || kind == TOKEN_RPAREN, open = kind == TOKEN_LBRACKET ||
			kind == TOKEN_LPAREN;
		if (open && !depth)
			return i + 1;
		depth += close;
		depth -= open;
		bool name = kind == TOKEN_IDENT || kind == TOKEN_NONE;
		if (!depth && name && (!i || ts->at[i - 1].kind != TOKEN_DOT))
			return i;
		if ((!depth && !name && kind != TOKEN_DOT && !open) || !i)
			break;
	}
	return ts->n;
}

void help_bar(const struct tokens *ts, uint32_t at, struct diag *d)
{
	const struct token *last = ts->n ? &ts->at[ts->n - 1] : NULL;
	struct str right = first_word(rest_after(ts, at));

	if (!last || help_texts(ts, last, at, d) || !right.n)
		return;
	size_t from = operand(ts);
	if (from == ts->n)
		return;
	struct str left = tokens_text(ts, ts->at[from].start, last->end);
	int before = from ? ts->at[from - 1].kind : TOKEN_END;
	if (word_of_none(right))
		diag_help(ts->diags, d, "write '%.*s?' for a value that may be none", STR_ARG(left));
	else if (word_of_none(left))
		diag_help(ts->diags, d, "write '%.*s?' for a value that may be none", STR_ARG(right));
	else if (before == TOKEN_ASSIGN || before == TOKEN_LPAREN || before == TOKEN_COMMA)
		diag_help(ts->diags, d, "of two maps or records write '{ ...%.*s, ...%.*s }'", STR_ARG(left),
			STR_ARG(right));
}
