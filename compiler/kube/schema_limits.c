/* schema_limits.c - checks values against the bounds and patterns of a definition. */
#include "kube/schema_limits.h"

#include <stdlib.h>

#include "base/regex.h"

/* The work of matching one text: more than any name or address needs. */
#define PATTERN_WORK (UINT64_C(1) << 22)

enum { MOST_SHOWN = 60 };

static const struct str each = { "each.", 5 };

static enum schema_limit limit_of(struct str word, struct str *ret_rest)
{
	for (enum schema_limit l = LIMIT_RANGE; l < LIMITS; l++) {
		struct str name = str_of(schema_limit_words[l]);
		if (!str_starts(word, name))
			continue;
		*ret_rest = (struct str){ word.p + name.n, word.n - name.n };
		return l;
	}
	return LIMITS;
}

static size_t characters(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += (s.p[i] & 0xc0) != 0x80;
	return n;
}

/* Reports that N, of WHAT, is not within the bounds "1..63". */
static void check_bounds(struct schema_checking *c, struct str bounds, int64_t n, const char *what, struct str key,
	const struct data *d)
{
	struct str text = str_cat(c->arena, bounds, STR(""), STR(""));
	const char *dots = text.n > 1 ? memmem(text.p, text.n, "..", 2) : NULL;
	bool lower = dots && dots > text.p, upper = dots && dots + 2 < text.p + text.n;
	long long low = lower ? strtoll(text.p, NULL, 10) : 0, high = upper ? strtoll(dots + 2, NULL, 10) : 0;

	if (!dots || ((!lower || n >= low) && (!upper || n <= high)))
		return;
	struct diag *r = *what ? diag_report(c->diags, TJ0904, d->from, "'%.*s' has %lld %s", STR_ARG(key),
		(long long)n, what) :
		diag_report(c->diags, TJ0904, d->from, "'%.*s' cannot be %lld", STR_ARG(key), (long long)n);
	if (lower && upper && low == high)
		diag_help(c->diags, r, "the definition of the kind allows %lld%s%s", low, *what ? " " : "", what);
	else if (lower && upper)
		diag_help(c->diags, r, "the definition of the kind allows %lld to %lld%s%s", low, high,
			*what ? " " : "", what);
	else
		diag_help(c->diags, r, "the definition of the kind allows at %s %lld%s%s", lower ? "least" : "most",
			lower ? low : high, *what ? " " : "", what);
}

/* Does the text contain a match? Also true of a pattern that this engine cannot read, and when it takes too long. */
static bool contains_match(struct schema_checking *c, struct str pattern, struct str text)
{
	const char *why;
	const struct regex *re = regex_new(c->arena, pattern, &why);
	uint64_t work = PATTERN_WORK;

	if (!re || regex_longest(re, text, &work) >= 0)
		return true;
	/* the match may begin later, unless all of the pattern follows a `^` */
	bool anchored = pattern.p[0] == '^' && !memchr(pattern.p, '|', pattern.n);
	for (size_t i = 1; !anchored && i <= text.n && work; i++)
		if (regex_longest(re, (struct str){ text.p + i, text.n - i }, &work) >= 0)
			return true;
	return !work;
}

static void check_limit(struct schema_checking *c, struct str word, struct str key, const struct data *d)
{
	struct str rest = { 0 };

	switch (limit_of(word, &rest)) {
	case LIMIT_RANGE:
		if (d->kind == DATA_INT)
			check_bounds(c, rest, d->u.integer, "", key, d);
		break;
	case LIMIT_LENGTH:
		if (d->kind == DATA_STRING)
			check_bounds(c, rest, (int64_t)characters(d->u.string), "characters", key, d);
		break;
	case LIMIT_ITEMS:
		if (d->kind == DATA_LIST)
			check_bounds(c, rest, (int64_t)d->u.list.n, "elements", key, d);
		break;
	case LIMIT_MEMBERS:
		if (d->kind == DATA_MAP)
			check_bounds(c, rest, (int64_t)d->u.map.n, "members", key, d);
		break;
	case LIMIT_PATTERN:
		if (d->kind == DATA_STRING && !contains_match(c, rest, d->u.string)) {
			struct str shown = d->u.string;
			shown.n = shown.n > MOST_SHOWN ? MOST_SHOWN : shown.n;
			struct diag *r = diag_report(c->diags, TJ0904, d->from, "'%.*s' cannot be '%.*s%s'",
				STR_ARG(key), STR_ARG(shown), shown.n < d->u.string.n ? "…" : "");
			diag_help(c->diags, r, "the definition of the kind allows what matches %.*s", STR_ARG(rest));
		}
		break;
	case LIMITS: break;
	}
}

void schema_limits_check(struct schema_checking *c, struct str limits, struct str key, const struct data *d)
{
	while (limits.n) {
		const char *blank = memchr(limits.p, ' ', limits.n);
		struct str word = { limits.p, blank ? (size_t)(blank - limits.p) : limits.n };
		limits = (struct str){ limits.p + word.n + (blank != NULL), limits.n - word.n - (blank != NULL) };
		if (!str_starts(word, each)) {
			check_limit(c, word, key, d);
			continue;
		}
		word = (struct str){ word.p + each.n, word.n - each.n };
		for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++)
			check_limit(c, word, key, d->u.list.at[i]);
		for (size_t i = 0; d->kind == DATA_MAP && i < d->u.map.n; i++)
			check_limit(c, word, key, d->u.map.at[i].value);
	}
}
