/* regex_test.c - regular expressions: what they match, which are rejected, and what a match may cost. */
#include "base/regex.h"

#include <string.h>
#include <time.h>

#include "unit.h"

static struct arena arena;

/*
 * Returns the length of the longest match of PATTERN at the start of TEXT; -1: there is no match, -2: the pattern is
 * rejected.
 */
static int longest(const char *pattern, const char *text)
{
	const char *why;
	uint64_t work = UINT64_MAX;
	const struct regex *re = regex_new(&arena, str_of(pattern), &why);

	return re ? (int)regex_longest(re, str_of(text), &work) : -2;
}

static const struct {
	const char *pattern, *text;
	int longest;
} rows[] = {
	{ "", "", 0 }, { "", "a", 0 }, { "a", "a", 1 }, { "a", "b", -1 }, { "abc", "abd", -1 }, { "a|b", "b", 1 },
	{ "a|ab", "ab", 2 }, { "(a|b)*", "abba", 4 }, { "(a|b)*c", "abba", -1 }, { "a*", "", 0 }, { "a*", "aab", 2 },
	{ "a+", "", -1 }, { "a+", "aab", 2 }, { "a?b", "b", 1 }, { "a?b", "ab", 2 }, { "a?b", "aab", -1 },
	{ "a{2}", "aaa", 2 }, { "a{2,}", "aaaa", 4 }, { "a{2,3}", "aaaa", 3 }, { "a{,2}", "aaaa", 2 },
	{ "a{0}b", "b", 1 }, { "(ab){2}", "ababab", 4 }, { "(a*)*b", "aab", 3 }, { "(a*)*", "b", 0 }, { "()", "", 0 },
	{ "a||b", "", 0 }, { "(|a)b", "ab", 2 }, { ".", "\xC3\xA4", 2 }, { ".{2}", "\xC3\xA4\xE2\x82\xAC", 5 },
	{ "[\xC3\xA4-\xC3\xBC]+", "\xC3\xA5\xC3\xBC", 4 }, { "[^a]", "b", 1 }, { "[^a]", "a", -1 }, { "[^a]", "\n", 1 },
	{ "[]a]+", "]a", 2 }, { "[^]a]", "]", -1 }, { "[a-]+", "a-b", 2 }, { "[a-c]+", "abcd", 3 },
	{ "[-a]+", "-a", 2 }, { "[[:digit:]]+", "12x", 2 }, { "[[:alpha:]_]+", "aB_1", 3 },
	{ "[^[:space:]]+", "ab c", 2 }, { "[[.a.]b]+", "ab", 2 }, { "[[=a=]]", "a", 1 }, { "\\d+", "12a", 2 },
	{ "\\D", "1", -1 }, { "\\w+", "a_1-", 3 }, { "\\W", "-", 1 }, { "\\s", "\t", 1 }, { "\\S", " ", -1 },
	{ "[\\d.]+", "1.2v", 3 }, { "[\\D]+", "\\D", 2 }, { "\\.", ".", 1 }, { "\\.", "a", -1 }, { "\\\\", "\\", 1 },
	{ "a^b", "ab", -1 }, { "^a$", "a", 1 }, { "a$", "ab", -1 }, { "(^a|b)$", "a", 1 }, { "^", "", 0 },
	{ "^*a", "a", 1 }, { "]", "]", 1 }, { "}", "}", 1 }, { "a**", "aa", 2 }, { "(a{2}){2}", "aaaaa", 4 },
	{ "[[:xdigit:]]{4}", "beef", 4 },
	/* rejected */
	{ "(", "", -2 }, { ")", "", -2 }, { "a)", "", -2 }, { "a)|(b", "", -2 }, { "[", "", -2 }, { "[a", "", -2 },
	{ "[]", "", -2 }, { "[[:alpha:]", "", -2 }, { "[[:nothing:]]", "", -2 }, { "[b-a]", "", -2 }, { "*a", "", -2 },
	{ "a|*b", "", -2 }, { "(+)", "", -2 }, { "{2}", "", -2 }, { "a{", "", -2 }, { "a{x}", "", -2 },
	{ "a{}", "", -2 }, { "a{3,2}", "", -2 }, { "a{9999}", "", -2 }, { "(a{5000}){5000}", "", -2 }, { "\\", "", -2 },
	{ "\\b", "", -2 }, { "(a)\\1", "", -2 }, { "[[.ab.]]", "", -2 }, { "[a-[:digit:]]", "", -2 },
};

/*
 * Patterns for which matchers that backtrack take exponential time, and those that build states while they match run
 * out of memory.
 */
static void costs(void)
{
	static char text[100001];
	const char *why;
	uint64_t work = 160000000;

	for (size_t i = 0; i + 1 < sizeof text; i++)
		text[i] = "ab"[(i * 2654435761u >> 13) & 1];
	const struct regex *re = regex_new(&arena, STR("(a|b)*a(a|b){2000}"), &why);
	CHECK(re != NULL);
	CHECK(regex_longest(re, (struct str){ text, 100000 }, &work) == -1 && work == 0);
	work = 1000000;
	re = regex_new(&arena, STR("(a*)*(a*)*(a*)*b"), &why);
	memset(text, 'a', 10000);
	CHECK(regex_longest(re, (struct str){ text, 10000 }, &work) == -1 && work > 0);
}

int main(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int got = longest(rows[i].pattern, rows[i].text);
		if (got != rows[i].longest)
			fprintf(stderr, "'%s' over '%s': %d, not %d\n", rows[i].pattern, rows[i].text, got,
				rows[i].longest);
		CHECK(got == rows[i].longest);
	}
	costs();
	arena_release(&arena);
	return unit_end();
}
