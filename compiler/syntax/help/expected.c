/*
 * expected.c - describes a set of tokens in words. The grammar's sets are exact and long: after `x = 4` thirty tokens
 * may follow, and people want to read "a new line or ','". So tokens are grouped (a value, a name, a field), and
 * operators are left out if something simpler is possible as well.
 */
#include "syntax/help/complain.h"

#include "trainc.tab.h"

struct wording {
	const char *at[24];
	unsigned n;
};

static const unsigned char starts_value[] = {
	TOKEN_IDENT, TOKEN_INT, TOKEN_FLOAT, TOKEN_QUANTITY, TOKEN_TOPOLOGY, TOKEN_BAD, TOKEN_STRING, TOKEN_ATOM,
		TOKEN_STR_OPEN,
	TOKEN_IF, TOKEN_NOT, TOKEN_TRUE, TOKEN_FALSE, TOKEN_NONE, TOKEN_LBRACE, TOKEN_LPAREN, TOKEN_LBRACKET,
	TOKEN_MINUS, TOKEN_RANGE,
};
static const unsigned char starts_item[] = {
	TOKEN_IDENT, TOKEN_STRING, TOKEN_STR_OPEN, TOKEN_LPAREN, TOKEN_SPREAD, TOKEN_LET, TOKEN_CHECK, TOKEN_WARN,
		TOKEN_IF, TOKEN_FOR,
};
static const unsigned char continues_value[] = {
	TOKEN_PLUS, TOKEN_MINUS, TOKEN_STAR, TOKEN_SLASH, TOKEN_FLOOR, TOKEN_PERCENT, TOKEN_EQ, TOKEN_NE, TOKEN_LT,
		TOKEN_LE, TOKEN_GT,
	TOKEN_GE, TOKEN_IN, TOKEN_NOT, TOKEN_AND, TOKEN_OR, TOKEN_COALESCE, TOKEN_RANGE, TOKEN_COLON, TOKEN_DOT,
	TOKEN_LPAREN,
	TOKEN_LBRACKET,
};
static const unsigned char continues_type[] = { TOKEN_DOT, TOKEN_LBRACKET, TOKEN_LPAREN, TOKEN_QUESTION };

static void drop_kinds(bool set[PARSE_KINDS], const unsigned char *kinds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		set[kinds[i]] = false;
}
#define DROP(set, kinds) drop_kinds((set), (kinds), sizeof(kinds))

static void drop_words(bool set[PARSE_KINDS])
{
	for (int i = TOKEN_IMPORT; i <= TOKEN_NONE; i++)
		set[i] = false;
}

static void say_expected(struct wording *w, const char *what)
{
	if (w->n < sizeof(w->at) / sizeof(w->at[0]))
		w->at[w->n++] = what;
}

/* Replaces a group of tokens with the name of the group, such as "a value". */
static void gather_group(struct wording *w, bool set[PARSE_KINDS], int previous)
{
	if (set[TOKEN_SPREAD]) {
		say_expected(w, "a field");
		DROP(set, starts_item);
		drop_words(set);
	} else if (set[TOKEN_JOB] && set[TOKEN_FRAMEWORK] && !set[TOKEN_IDENT]) {
		say_expected(w, "a declaration");
		drop_words(set);
		set[TOKEN_END] = false;
	} else if (set[TOKEN_INT]) {
		say_expected(w, "a value");
		DROP(set, starts_value);
	} else if (set[TOKEN_IDENT] && set[TOKEN_ASSIGN] && set[TOKEN_LBRACE]) {
		/*
		 * do not offer a name, although one could follow: `replicas 4` was not meant as a block such as `role
		 * NAME`
		 */
		set[TOKEN_IDENT] = set[TOKEN_JOB] = false;
	} else if (set[TOKEN_IDENT]) {
		bool type = previous == TOKEN_COLON || previous == TOKEN_ARROW;
		say_expected(w, type ? "a type" : "a name");
		set[TOKEN_IDENT] = false;
		drop_words(set);
	} else if (set[TOKEN_STRING]) {
		say_expected(w, "a string");
		set[TOKEN_STRING] = set[TOKEN_STR_OPEN] = false;
	}
}

/* Removes tokens that only continue something complete: those are mentioned only when nothing else is possible. */
static void drop_continuations(struct wording *w, bool set[PARSE_KINDS])
{
	if (set[TOKEN_PLUS]) {
		DROP(set, continues_value);
		if (set[TOKEN_COMMA])
			set[TOKEN_FOR] = set[TOKEN_ASSIGN] = false;
		bool other = false;
		for (int i = TOKEN_EOL; i < PARSE_KINDS; i++)
			other = other || set[i];
		if (!other && !w->n)
			say_expected(w, "an operator");
	} else if (set[TOKEN_QUESTION]) {
		DROP(set, continues_type);
	} else if (set[TOKEN_DOT] && (set[TOKEN_LBRACE] || set[TOKEN_EOL])) {
		set[TOKEN_DOT] = false;
	}
}

static const char *sign(int kind)
{
	static const char *const names[PARSE_KINDS] = {
		[TOKEN_LBRACE] = "'{'", [TOKEN_RBRACE] = "'}'", [TOKEN_LPAREN] = "'('", [TOKEN_RPAREN] = "')'",
			[TOKEN_LBRACKET] = "'['",
		[TOKEN_RBRACKET] = "']'", [TOKEN_COMMA] = "','", [TOKEN_COLON] = "':'", [TOKEN_DOT] = "'.'",
			[TOKEN_RANGE] = "'..'",
		[TOKEN_ASSIGN] = "'='", [TOKEN_ARROW] = "'->'", [TOKEN_QUESTION] = "'?'", [TOKEN_EOL] = "a new line",
		[TOKEN_NL] = "a new line", [TOKEN_INTERP_CLOSE] = "'}'", [TOKEN_END] = "the end of the text",
			[TOKEN_AS] = "'as'",
		[TOKEN_THEN] = "'then'", [TOKEN_ELSE] = "'else'", [TOKEN_FOR] = "'for'", [TOKEN_IN] = "'in'",
			[TOKEN_IF] = "'if'",
		[TOKEN_JOB] = "'job'",
	};
	return names[kind];
}

struct str expected_text(struct arena *a, const bool expected[PARSE_KINDS], int previous)
{
	bool set[PARSE_KINDS];
	struct wording w = { .n = 0 };
	struct str text = STR("");

	memcpy(set, expected, sizeof(set));
	gather_group(&w, set, previous);
	drop_continuations(&w, set);
	static const unsigned char order[] = {
		TOKEN_ASSIGN, TOKEN_COLON, TOKEN_LBRACE, TOKEN_LPAREN, TOKEN_LBRACKET, TOKEN_NL, TOKEN_EOL, TOKEN_COMMA,
			TOKEN_ARROW,
		TOKEN_AS, TOKEN_THEN, TOKEN_ELSE, TOKEN_FOR, TOKEN_IN, TOKEN_IF, TOKEN_JOB, TOKEN_DOT, TOKEN_QUESTION,
		TOKEN_RANGE,
		TOKEN_RPAREN, TOKEN_RBRACKET, TOKEN_RBRACE, TOKEN_INTERP_CLOSE, TOKEN_END,
	};
	for (size_t i = 0; i < sizeof(order); i++)
		if (set[order[i]])
			say_expected(&w, sign(order[i]));
	for (unsigned i = 0; i < w.n; i++)
		text = str_printf(a, "%.*s%s%s", STR_ARG(text), i == 0 ? "" : i + 1 < w.n ? ", " : " or ", w.at[i]);
	return text;
}
