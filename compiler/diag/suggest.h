/*
 * suggest.h - finds the names that are nearest to a misspelled one. A name is near if its edit distance (insertions,
 * deletions, substitutions, transpositions) is at most a third of the length, at least 1; a name in which only two
 * letters are transposed, or only the case is wrong, is always near. Add all candidates of the right kind that are
 * visible at that point, then ask for the sentence. Each arena has a budget of comparisons; when it is used up, nothing
 * is suggested.
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
/* The text "did you mean 'x'?", or "" when nothing is near. */
struct str suggest_sentence(const struct suggest *s);
/*
 * The text "did you mean 'x'?" when something is near; otherwise, for up to ten candidates, a list that begins with
 * VERB, such as "its fields are a, b, c"; otherwise "".
 */
struct str suggest_or_list(const struct suggest *s, const char *verb);
/* For up to ten candidates, a list that begins with VERB, such as "its fields are a, b, c"; otherwise "". */
struct str suggest_all(const struct suggest *s, const char *verb);
/*
 * The only name that is near, for a fix that can be applied automatically; empty if no name is near, or if several
 * names are equally near.
 */
struct str suggest_only(const struct suggest *s);
unsigned edit_distance(struct str a, struct str b);

#endif
