/*
 * glob.c - matches patterns of a .gitignore. A pattern is read into tokens, and a text is compared with all of them at
 * once: a set holds the tokens that may come next, and each character of the text makes the next set. So no pattern
 * takes long, however many stars it has.
 *
 * As in git, the literal start of a pattern is compared first, and only the rest is a pattern of its own. This decides
 * what `**` means after a literal: in `a/b**` the rest begins with `**`, which then also matches slashes.
 */
#include "code/glob.h"

#include <ctype.h>

enum token_kind {
	GLOB_SET,                       /* one character of a set */
	GLOB_STAR,                      /* any number of characters except slashes */
	GLOB_DEEP,                      /* any number of any characters */
	GLOB_DIRECTORIES                /* nothing, or any number of characters of which the last is a slash */
};

struct glob_token {
	enum token_kind kind;
	uint32_t set[8];                /* GLOB_SET: bit C % 32 of word C / 32 is set if the character C matches */
};

static void token_add(uint32_t *set, unsigned char c) { set[c / 32] |= 1U << c % 32; }
static bool set_has(const uint32_t *set, unsigned char c) { return set[c / 32] >> c % 32 & 1; }

static bool is_glob_special(char c) { return c == '*' || c == '?' || c == '[' || c == '\\'; }

/* ---- classes: [a-z], [!a-z], [[:alpha:]] ---- */

static bool add_class(uint32_t *set, struct str name)
{
	static const struct { const char *name; int (*is)(int c); } all[] = {
		{ "alnum", isalnum }, { "alpha", isalpha }, { "blank", isblank }, { "cntrl", iscntrl },
		{ "digit", isdigit }, { "graph", isgraph }, { "lower", islower }, { "print", isprint },
		{ "punct", ispunct }, { "space", isspace }, { "upper", isupper }, { "xdigit", isxdigit }
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (str_is(name, all[i].name)) {
			for (int c = 0; c < 128; c++)
				if (all[i].is(c))
					token_add(set, (unsigned char)c);
			return true;
		}
	return false;
}

/*
 * Reads [:NAME:] at T, just after its `[`. Returns its length with the final `]`; 0 if it is not one, and sets *UNKNOWN
 * for a name that does not exist.
 */
static size_t read_named(struct str t, uint32_t *set, bool *unknown)
{
	const char *end = t.n && *t.p == ':' ? memchr(t.p + 1, ']', t.n - 1) : NULL;
	size_t n = end ? (size_t)(end - t.p) : 0;

	*unknown = *unknown || (t.n && *t.p == ':' && !end);
	if (n < 2 || t.p[n - 1] != ':')
		return 0;
	if (!add_class(set, (struct str){ t.p + 1, n - 2 }))
		*unknown = true;
	return n + 1;
}

/* Reads a class just after its `[`; returns its length with the final `]`, or 0 if it has a mistake. */
static size_t read_class(struct str t, uint32_t *ret)
{
	uint32_t set[8] = { 0 };
	bool negated = t.n && (*t.p == '!' || *t.p == '^'), bad = false;
	size_t i = negated, first = i;
	unsigned char before = 0;       /* the character before a `-`; 0: a range cannot start here */

	for (; i < t.n && (t.p[i] != ']' || i == first); i++) {
		unsigned char c = (unsigned char)t.p[i];
		size_t named = c == '[' ? read_named((struct str){ t.p + i + 1, t.n - i - 1 }, set, &bad) : 0;
		if (named) {
			i += named;
			before = 0;
		} else if (c == '-' && before && i + 1 < t.n && t.p[i + 1] != ']') {
			i += t.p[i + 1] == '\\' ? 2 : 1;
			for (unsigned k = before; i < t.n && k <= (unsigned char)t.p[i]; k++)
				token_add(set, (unsigned char)k);
			before = 0;
		} else {
			i += c == '\\';
			if (i < t.n)
				token_add(set, before = (unsigned char)t.p[i]);
		}
	}
	if (i >= t.n || bad)
		return 0;
	for (size_t k = 0; k < 8; k++)
		ret[k] = negated ? ~set[k] : set[k];
	ret['/' / 32] &= ~(1U << '/' % 32);
	return i + 1;
}

/* ---- reading a pattern ---- */

/* Reads stars at T[I]; returns their number. NAME_ONLY: a slash is not matched anyway, so `**` means `*`. */
static size_t read_stars(struct str t, size_t i, bool name_only, struct glob_token *ret)
{
	size_t end = i;

	while (end < t.n && t.p[end] == '*')
		end++;
	bool whole = end - i > 1 && (i == 0 || t.p[i - 1] == '/') &&
		(end == t.n || t.p[end] == '/' || (t.p[end] == '\\' && end + 1 < t.n && t.p[end + 1] == '/'));
	*ret = (struct glob_token){ .kind = GLOB_STAR };
	if (!whole || name_only)
		return end - i;
	ret->kind = end < t.n && t.p[end] == '/' ? GLOB_DIRECTORIES : GLOB_DEEP;
	return end - i + (ret->kind == GLOB_DIRECTORIES);
}

static void read_tokens(struct arena *a, struct glob *g, struct str t)
{
	for (size_t i = 0; i < t.n && !g->never; ) {
		struct glob_token token = { .kind = GLOB_SET };
		if (t.p[i] == '*') {
			i += read_stars(t, i, g->name_only, &token);
		} else if (t.p[i] == '[') {
			size_t n = read_class((struct str){ t.p + i + 1, t.n - i - 1 }, token.set);
			g->never = !n;
			i += n + 1;
		} else if (t.p[i] == '?') {
			memset(token.set, 0xff, sizeof token.set);
			token.set['/' / 32] &= ~(1U << '/' % 32);
			i++;
		} else {
			i += t.p[i] == '\\';
			g->never = i == t.n;
			if (i < t.n)
				token_add(token.set, (unsigned char)t.p[i++]);
		}
		ARENA_PUSH(a, g->tokens, g->n, token);
	}
}

struct glob glob_read(struct arena *a, struct str text)
{
	struct glob g = { .name_only = !text.n || !memchr(text.p, '/', text.n) };
	size_t n = 0;

	if (text.n && *text.p == '/' && !g.name_only)
		text = (struct str){ text.p + 1, text.n - 1 };
	while (n < text.n && !is_glob_special(text.p[n]))
		n++;
	g.literal = (struct str){ text.p, n };
	read_tokens(a, &g, (struct str){ text.p + n, text.n - n });
	return g;
}

/* ---- matching ---- */

enum { WORDS_ON_STACK = 8 };

/* Adds token I to a set, and those after it that may match nothing. Token N is the end of the pattern. */
static void reach(const struct glob *g, uint64_t *set, size_t i)
{
	for (;; i++) {
		set[i / 64] |= UINT64_C(1) << i % 64;
		if (i == g->n || g->tokens[i].kind == GLOB_SET)
			return;
	}
}

/* Makes the set after a character. A token of directories stays until a slash, after which the next one may match. */
static void next_set(const struct glob *g, const uint64_t *from, uint64_t *to, unsigned char c)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct glob_token *t = &g->tokens[i];
		if (!(from[i / 64] >> i % 64 & 1))
			continue;
		if (t->kind == GLOB_SET && set_has(t->set, c))
			reach(g, to, i + 1);
		else if (t->kind == GLOB_DEEP || (t->kind == GLOB_STAR && c != '/'))
			reach(g, to, i);
		else if (t->kind == GLOB_DIRECTORIES && c == '/')
			reach(g, to, i);
		else if (t->kind == GLOB_DIRECTORIES)
			to[i / 64] |= UINT64_C(1) << i % 64;
	}
}

/* Does the rest of the pattern match the whole of TEXT? With BELOW: may it match TEXT and something after it? */
static bool tokens_match(const struct glob *g, struct str text, bool below)
{
	uint64_t few[2][WORDS_ON_STACK], *sets[2] = { few[0], few[1] };
	size_t words = g->n / 64 + 1;
	struct arena own = { 0 };
	bool any = false;

	if (g->never)
		return false;
	for (int i = 0; i < 2 && words > WORDS_ON_STACK; i++)
		sets[i] = ARENA_ARRAY(&own, uint64_t, words);
	memset(sets[0], 0, words * sizeof *sets[0]);
	reach(g, sets[0], 0);
	for (size_t i = 0; i < text.n; i++) {
		memset(sets[(i + 1) % 2], 0, words * sizeof *sets[0]);
		next_set(g, sets[i % 2], sets[(i + 1) % 2], (unsigned char)text.p[i]);
	}
	const uint64_t *last = sets[text.n % 2];
	for (size_t i = 0; i < g->n && below; i++)
		any = any || (last[i / 64] >> i % 64 & 1);
	bool ok = below ? any : last[g->n / 64] >> g->n % 64 & 1;
	arena_release(&own);
	return ok;
}

bool glob_matches(const struct glob *g, struct str path)
{
	const char *slash = g->name_only ? memrchr(path.p, '/', path.n) : NULL;
	struct str text = slash ? (struct str){ slash + 1, path.n - (size_t)(slash + 1 - path.p) } : path;

	if (!str_starts(text, g->literal))
		return false;
	return tokens_match(g, (struct str){ text.p + g->literal.n, text.n - g->literal.n }, false);
}

bool glob_reaches_below(const struct glob *g, struct str path)
{
	if (g->name_only)
		return true;
	size_t n = path.n < g->literal.n ? path.n : g->literal.n;

	if (memcmp(path.p, g->literal.p, n) != 0)
		return false;
	if (path.n < g->literal.n)
		return g->literal.p[path.n] == '/';
	struct arena own = { 0 };
	struct str text = str_cat(&own, (struct str){ path.p + n, path.n - n }, STR("/"), STR(""));
	bool ok = tokens_match(g, text, true);
	arena_release(&own);
	return ok;
}
