/*
 * pattern.c - POSIX extended regular expressions over whole texts.
 *
 * A pattern is part of the program and must not be able to stop the compiler:
 * its length and the product of its repetitions are limited, and references
 * back into the match (which POSIX does not have, but the C library does) are
 * refused, because matching them may take for ever.  The classes that everybody
 * knows from other dialects (\d, \w, \s) are put in POSIX's words, which would
 * take \d for the letter d; other letters behind a backslash are refused.
 */
#include "eval/internal.h"

#include <regex.h>

enum { LONGEST_PATTERN = 1000, MOST_REPETITIONS = 5000, STEPS_TO_COMPILE = 500, KEPT_PATTERNS = 32 };

/* What keeps a pattern from being used, or NULL. */
static const char *unusable(struct str pattern)
{
	unsigned long product = 1;

	if (pattern.n > LONGEST_PATTERN)
		return "it is longer than 1000 bytes";
	if (memchr(pattern.p, 0, pattern.n))
		return "it contains a NUL";
	for (size_t i = 0; i < pattern.n; i++) {
		if (pattern.p[i] == '\\') {
			if (i + 1 < pattern.n && pattern.p[i + 1] >= '1' && pattern.p[i + 1] <= '9')
				return "references such as \\1 are not part of POSIX extended expressions";
			i++;
			continue;
		}
		if (pattern.p[i] != '{')
			continue;
		unsigned long largest = 1, number = 0;
		for (i++; i < pattern.n && pattern.p[i] != '}'; i++) {
			bool digit = pattern.p[i] >= '0' && pattern.p[i] <= '9';
			number = !digit ? 0 : number > MOST_REPETITIONS ? number : number * 10 + (unsigned long)(pattern.p[i] - '0');
			largest = number > largest ? number : largest;
		}
		if (largest > MOST_REPETITIONS || (product *= largest) > MOST_REPETITIONS)
			return "its repetitions multiply to more than 5000";
	}
	return NULL;
}

/* Inside brackets: what stands for a class; NULL for none. */
static const char *class_of(char letter)
{
	switch (letter) {
	case 'd': case 'D': return "0-9";
	case 'w': case 'W': return "[:alnum:]_";
	case 's': case 'S': return "[:space:]";
	default: return NULL;
	}
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Where the bracket expression that begins at `i` ends: behind its `]`. */
static size_t bracket_end(struct str p, size_t i)
{
	i += 1 + (i + 1 < p.n && p.p[i + 1] == '^');
	i += i < p.n && p.p[i] == ']';
	while (i < p.n && p.p[i] != ']') {
		bool inner = p.p[i] == '[' && i + 1 < p.n && strchr(":.=", p.p[i + 1]);
		const char *end = inner ? memchr(p.p + i + 2, ']', p.n - i - 2) : NULL;
		i = end ? (size_t)(end - p.p) + 1 : i + 1;
	}
	return i < p.n ? i + 1 : i;
}

static void put_bracket(struct buf *out, struct str bracket)
{
	for (size_t i = 0; i < bracket.n; i++) {
		const char *class = bracket.p[i] == '\\' && i + 1 < bracket.n ? class_of(bracket.p[i + 1]) : NULL;
		if (class && bracket.p[i + 1] >= 'a') {
			buf_z(out, class);
			i++;
		} else {
			buf_char(out, bracket.p[i]);
		}
	}
}

/* The pattern in POSIX's words; NULL in `p` with a reason for an escape that is none. */
static struct str posix(struct arena *a, struct str pattern, const char **ret_why)
{
	struct buf out = { 0 };

	*ret_why = NULL;
	for (size_t i = 0; i < pattern.n && !*ret_why;) {
		bool escape = pattern.p[i] == '\\' && i + 1 < pattern.n;
		const char *class = escape ? class_of(pattern.p[i + 1]) : NULL;
		size_t end = pattern.p[i] == '[' ? bracket_end(pattern, i) : i + 1 + escape;
		struct str part = { pattern.p + i, end - i };
		if (class)
			buf_printf(&out, "[%s%s]", pattern.p[i + 1] < 'a' ? "^" : "", class);
		else if (escape && is_letter(pattern.p[i + 1]))
			*ret_why = "of letters only d, w and s mean something behind a backslash";
		else if (pattern.p[i] == '[')
			put_bracket(&out, part);
		else
			buf_str(&out, part);
		i = end;
	}
	struct str text = buf_take(&out, a);
	buf_release(&out);
	return text;
}

static void report_pattern(struct eval *ev, struct str pattern, struct span at, const char *why)
{
	eval_report(ev, TJ0302, at, "'%.*s' is not a usable pattern: %s", STR_ARG(pattern), why);
}

/* First by itself: in parentheses "a)|(b" would be something else than it is. */
static int compile(struct eval *ev, struct str p, regex_t *re)
{
	int e = regcomp(re, p.p, REG_EXTENDED | REG_NOSUB);

	if (e)
		return e;
	regfree(re);
	return regcomp(re, str_printf(ev->arena, "^(%.*s)$", STR_ARG(p)).p, REG_EXTENDED | REG_NOSUB);
}

void patterns_release(struct eval *ev)
{
	for (size_t i = 0; i < ev->patterns.n; i++)
		regfree(ev->patterns.entries[i].value);
	ev->patterns = (struct map){ 0 };
}

/* There are few, and they are asked again for each job and each role; NULL after a report. */
static const regex_t *compiled(struct eval *ev, struct str pattern, struct span at)
{
	const char *why = unusable(pattern), *unknown;
	regex_t *re = map_get(&ev->patterns, pattern);
	char reason[128];
	int e;

	if (re)
		return re;
	ev->steps += STEPS_TO_COMPILE;
	struct str p = posix(ev->arena, pattern, &unknown);
	if (why || unknown) {
		report_pattern(ev, pattern, at, why ? why : unknown);
		return NULL;
	}
	re = ARENA_NEW(ev->arena, regex_t);
	e = compile(ev, p, re);
	if (e) {
		regerror(e, re, reason, sizeof(reason));
		report_pattern(ev, pattern, at, reason);
		return NULL;
	}
	if (ev->patterns.n == KEPT_PATTERNS)
		patterns_release(ev);
	map_put(&ev->patterns, ev->arena, str_copy(ev->arena, pattern), re);
	return re;
}

bool pattern_matches(struct eval *ev, struct str text, struct str pattern, struct span at, bool *ret)
{
	const regex_t *re = compiled(ev, pattern, at);

	ev->steps += text.n;
	if (!re)
		return false;
	*ret = !memchr(text.p ? text.p : "", 0, text.n) && regexec(re, str_copy(ev->arena, text).p, 0, NULL, 0) == 0;
	return true;
}

size_t pattern_fits(struct eval *ev, struct str text, struct str pattern)
{
	const char *unknown;
	struct str p = posix(ev->arena, pattern, &unknown);
	regmatch_t m = { .rm_so = -1 };
	regex_t re;

	if (regcomp(&re, str_printf(ev->arena, "^(%.*s)", STR_ARG(p)).p, REG_EXTENDED))
		return text.n;
	bool any = regexec(&re, str_copy(ev->arena, text).p, 1, &m, 0) == 0 && m.rm_so == 0;
	regfree(&re);
	return any ? (size_t)m.rm_eo : 0;
}
