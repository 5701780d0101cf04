/*
 * pattern.c - matches regular expressions (regex.h) against whole texts, within the budget of an evaluation. A pattern
 * is part of the program and must not be able to stop the compiler. So its length and the product of its repetitions
 * are limited, and the cost of a match is taken from the steps of the evaluation.
 */
#include "eval/internal.h"

#include "base/regex.h"

enum { LONGEST_PATTERN = 1000, MOST_REPETITIONS = 5000, STEPS_TO_COMPILE = 500, STATES_OF_A_STEP = 16 };

/* The reason why the pattern cannot be used; NULL if it can. */
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
			number = !digit ? 0 : number > MOST_REPETITIONS ? number
				: number * 10 + (unsigned long)(pattern.p[i] - '0');
			largest = number > largest ? number : largest;
		}
		if (largest > MOST_REPETITIONS || (product *= largest) > MOST_REPETITIONS)
			return "its repetitions multiply to more than 5000";
	}
	return NULL;
}

static void report_pattern(struct eval *ev, struct str pattern, struct span at, const char *why)
{
	eval_report(ev, TJ0302, at, "'%.*s' is not a usable pattern: %s", STR_ARG(pattern), why);
}

/*
 * The compiled pattern; NULL after a report. Compiled patterns are kept, because they are few and each is needed again
 * for every job and role.
 */
static const struct regex *compiled(struct eval *ev, struct str pattern, struct span at)
{
	const char *why = unusable(pattern);
	const struct regex *re = map_get(&ev->patterns, pattern);

	if (re)
		return re;
	ev->steps += STEPS_TO_COMPILE;
	if (!why)
		re = regex_new(ev->arena, str_copy(ev->arena, pattern), &why);
	if (why) {
		report_pattern(ev, pattern, at, why);
		return NULL;
	}
	map_put(&ev->patterns, ev->arena, str_copy(ev->arena, pattern), (void *)(uintptr_t)re);
	return re;
}

/* The length of the longest prefix of TEXT that matches; its cost is taken from the budget of the evaluation. */
static int64_t longest(struct eval *ev, const struct regex *re, struct str text)
{
	uint64_t room = ev->steps < EVAL_STEPS ? (EVAL_STEPS - ev->steps) * STATES_OF_A_STEP : 1, work = room;
	int64_t n = regex_longest(re, text, &work);

	ev->steps += (room - work) / STATES_OF_A_STEP + (work == 0);
	return n;
}

bool pattern_matches(struct eval *ev, struct str text, struct str pattern, struct span at, bool *ret)
{
	const struct regex *re = compiled(ev, pattern, at);

	if (!re)
		return false;
	*ret = longest(ev, re, text) == (int64_t)text.n;
	return eval_step(ev, at);
}

size_t pattern_fits(struct eval *ev, struct str text, struct str pattern)
{
	const struct regex *re = map_get(&ev->patterns, pattern);
	int64_t n = re ? longest(ev, re, text) : -1;

	return n < 0 ? 0 : (size_t)n;
}
