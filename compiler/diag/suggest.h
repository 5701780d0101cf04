/*
 * suggest.h - the nearest names to a misspelt one.
 *
 * Confident means: edit distance (insertions, deletions, substitutions,
 * transpositions) at most a third of the length, at least 1; a transposed or
 * wrong-case word always counts.  Add candidates of the same kind that are
 * visible from the place, then ask for the sentence.  An arena has a budget of
 * comparisons; behind it nothing is suggested.
 */
#ifndef TRAINC_DIAG_SUGGEST_H
#define TRAINC_DIAG_SUGGEST_H

#include "base/str.h"

struct suggest {
	struct arena *arena;
	struct str wanted;
	struct str best[3];
	unsigned distance[3];           /* rank of each suggestion: twice its edit distance */
	unsigned n;
	signed char letters[256];       /* how often each letter occurs in `wanted` */
	struct str *all;                /* every candidate, for "one of" lists */
	size_t count;
};

void suggest_init(struct suggest *s, struct arena *a, struct str wanted);
void suggest_add(struct suggest *s, struct str candidate);
/* "did you mean 'x'?", or "" when nothing is near. */
struct str suggest_sentence(const struct suggest *s);
/*
 * "did you mean 'x'?" when something is near; else "its fields are a, b,
 * c" for up to ten candidates, led by `verb`; else "".
 */
struct str suggest_or_list(const struct suggest *s, const char *verb);
/* "its fields are a, b, c": up to ten candidates, led by `verb`; "its only field is a" for one; else "". */
struct str suggest_all(const struct suggest *s, const char *verb);
/* The single confident answer, for a machine-applicable fix; empty if none or several are equally near. */
struct str suggest_only(const struct suggest *s);
unsigned edit_distance(struct str a, struct str b);

#endif
