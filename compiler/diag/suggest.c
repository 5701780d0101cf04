/*
 * suggest.c - computes edit distances with transpositions, and decides which suggestions are good enough. Words longer
 * than LONGEST are never near any other: people do not type them, and computing the distance takes quadratic time.
 * After COMPARISONS comparisons in one arena, no word is near any other; otherwise, n wrong names and n known names
 * would take quadratic time.
 */
#include "diag/suggest.h"

#include <ctype.h>
#include <limits.h>

#include "base/buf.h"

enum { LONGEST = 64, LIST_UP_TO = 10, COMPARISONS = 1 << 21 };

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/*
 * The edit distance, or any number above MOST when the distance is above MOST. For most words, a few letters are enough
 * to know that.
 */
static unsigned distance_within(struct str a, struct str b, unsigned most)
{
	unsigned rows[3][LONGEST + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];

	if (a.n > LONGEST || b.n > LONGEST)
		return (unsigned)(a.n > b.n ? a.n : b.n);
	for (unsigned j = 0; j <= b.n; j++)
		before[j] = last[j] = j;
	for (unsigned i = 1, lowest = 0; i <= a.n; i++) {
		unsigned lowest_before = lowest;
		lowest = row[0] = i;
		for (unsigned j = 1; j <= b.n; j++) {
			bool same = a.p[i - 1] == b.p[j - 1];
			row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + !same);
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
			lowest = least(lowest, row[j]);
		}
		if (lowest > most && lowest_before > most)      /* three rows, because a transposition uses the row
								 * before the last */
			return lowest;
		unsigned *free_row = before;
		before = last;
		last = row;
		row = free_row;
	}
	return last[b.n];
}

unsigned edit_distance(struct str a, struct str b)
{
	return distance_within(a, b, UINT_MAX);
}

static bool joins(char c) { return c == '_' || c == '-'; }

/* Do the words differ only in case and in the characters that join words, as IfNotPresent and if-not-present do? */
static bool same_but_for_case(struct str a, struct str b)
{
	size_t i = 0, k = 0;

	while (i < a.n || k < b.n) {
		if (i < a.n && joins(a.p[i]))
			i++;
		else if (k < b.n && joins(b.p[k]))
			k++;
		else if (i == a.n || k == b.n || tolower((unsigned char)a.p[i++]) != tolower((unsigned char)b.p[k++]))
			return false;
	}
	return true;
}

static bool same_letters(struct str a, struct str b)
{
	int count[256] = { 0 };

	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++) {
		count[(unsigned char)a.p[i]]++;
		count[(unsigned char)b.p[i]]--;
	}
	for (int i = 0; i < 256; i++)
		if (count[i])
			return false;
	return true;
}

/*
 * Is WANTED the first part of CANDIDATE, as 'pull' is of 'pull_secrets', 'a100' of 'a100_40g', and 'slots' of
 * 'slotsPerWorker'?
 */
static bool continues(struct str wanted, struct str candidate)
{
	bool hump = candidate.n > wanted.n && islower((unsigned char)candidate.p[0]) &&
		isupper((unsigned char)candidate.p[wanted.n]);

	return wanted.n >= 3 && candidate.n > wanted.n && (candidate.p[wanted.n] == '_' || hump) &&
	       same_but_for_case(wanted, (struct str){ candidate.p, wanted.n });
}

/* Is one of the two names the first part of the other, as 'nproc' is of 'nproc_per_node'? */
static bool shares_first_word(struct str wanted, struct str candidate)
{
	return continues(wanted, candidate) || continues(candidate, wanted);
}

/* A lower bound of the edit distance: the number of letters that only one of the two has. */
static size_t letters_apart(struct suggest *s, struct str candidate)
{
	size_t more = 0, less;

	for (size_t i = 0; i < candidate.n; i++)
		more += s->letters[(unsigned char)candidate.p[i]]-- <= 0;
	for (size_t i = 0; i < candidate.n; i++)
		s->letters[(unsigned char)candidate.p[i]]++;
	less = s->wanted.n + more - candidate.n;
	return more > less ? more : less;
}

/*
 * Is the candidate near? *RET is its rank, which is twice its edit distance. So a candidate that only shares its first
 * part can rank between two distances.
 */
static bool near(struct suggest *s, struct str candidate, unsigned *ret)
{
	struct str wanted = s->wanted;
	size_t limit = wanted.n / 3 ? wanted.n / 3 : 1;
	size_t apart = wanted.n > candidate.n ? wanted.n - candidate.n : candidate.n - wanted.n;

	bool plural = wanted.n > 2 && candidate.n == wanted.n + 1 && str_starts(candidate, wanted) &&
		str_ends(candidate, STR("s"));
	if (same_but_for_case(wanted, candidate) || shares_first_word(wanted, candidate) || plural) {
		*ret = !same_but_for_case(wanted, candidate);
		return true;
	}
	if (wanted.n > LONGEST || candidate.n > LONGEST || (apart > limit && apart > 1))
		return false;
	unsigned most = limit > 2 ? (unsigned)limit : 2;
	if (letters_apart(s, candidate) > most)
		return false;
	unsigned distance = distance_within(wanted, candidate, most);
	*ret = 2 * distance;
	if (distance >= wanted.n || distance >= candidate.n)
		return false;           /* every letter would have to change */
	return distance <= limit || (distance <= 2 && same_letters(wanted, candidate));
}

void suggest_init(struct suggest *s, struct arena *a, struct str wanted)
{
	*s = (struct suggest){ .arena = a, .wanted = wanted };
	for (size_t i = 0; i < wanted.n && i < LONGEST; i++)
		s->letters[(unsigned char)wanted.p[i]]++;
}

static bool already(const struct suggest *s, struct str candidate)
{
	for (unsigned i = 0; i < s->n; i++)
		if (str_eq(s->best[i], candidate))
			return true;
	return false;
}

void suggest_add(struct suggest *s, struct str candidate)
{
	unsigned distance, at;

	if (s->arena->compared >= COMPARISONS || str_eq(candidate, s->wanted))
		return;
	s->arena->compared++;
	ARENA_PUSH(s->arena, s->all, s->count, candidate);
	if (!near(s, candidate, &distance) || already(s, candidate))
		return;
	for (at = s->n; at > 0 && s->distance[at - 1] > distance; at--)
		;
	if (at >= 3)
		return;
	unsigned last = s->n < 3 ? s->n : 2;
	for (unsigned i = last; i > at; i--) {
		s->best[i] = s->best[i - 1];
		s->distance[i] = s->distance[i - 1];
	}
	s->best[at] = candidate;
	s->distance[at] = distance;
	if (s->n < 3)
		s->n++;
}

/* The number of candidates that are as near as the nearest one. Worse ones are not suggested. */
static unsigned equally_near(const struct suggest *s)
{
	unsigned n = 0;

	while (n < s->n && s->distance[n] == s->distance[0])
		n++;
	return n;
}

struct str suggest_sentence(const struct suggest *s)
{
	switch (equally_near(s)) {
	case 0:
		return STR("");
	case 1:
		return str_printf(s->arena, "did you mean '%.*s'?", STR_ARG(s->best[0]));
	case 2:
		return str_printf(s->arena, "did you mean '%.*s' or '%.*s'?", STR_ARG(s->best[0]), STR_ARG(s->best[1]));
	default:
		return str_printf(s->arena, "did you mean '%.*s', '%.*s' or '%.*s'?", STR_ARG(s->best[0]),
		                  STR_ARG(s->best[1]), STR_ARG(s->best[2]));
	}
}

struct str suggest_or_list(const struct suggest *s, const char *verb)
{
	return s->n ? suggest_sentence(s) : suggest_all(s, verb);
}

struct str suggest_all(const struct suggest *s, const char *verb)
{
	struct buf b = { 0 };

	if (!s->count || s->count > LIST_UP_TO)
		return STR("");
	size_t plural = strlen(verb), owner = strcspn(verb, " ");
	if (s->count == 1 && plural > 5 && strcmp(verb + plural - 5, "s are") == 0)
		buf_printf(&b, "%.*s only%.*s is ", (int)owner, verb, (int)(plural - 5 - owner), verb + owner);
	else
		buf_printf(&b, "%s ", verb);
	for (size_t i = 0; i < s->count; i++)
		buf_printf(&b, "%s%.*s", i ? ", " : "", STR_ARG(s->all[i]));
	struct str sentence = buf_take(&b, s->arena);
	buf_release(&b);
	return sentence;
}

struct str suggest_only(const struct suggest *s)
{
	return equally_near(s) == 1 && !shares_first_word(s->wanted, s->best[0]) ? s->best[0] : STR("");
}
