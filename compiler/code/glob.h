/*
 * glob.h - one pattern of a .gitignore, without its '!' and its final '/', matched as git matches it.
 */
#ifndef TRAINC_CODE_GLOB_H
#define TRAINC_CODE_GLOB_H

#include "base/str.h"

struct glob_token;

struct glob {
	/* the pattern has no slash except a final one, so it is compared with the last part of a path only */
	bool name_only;
	struct str literal;             /* the start of the pattern, up to its first special character */
	struct glob_token *tokens;      /* the rest; each token matches a part of the text */
	size_t n;
	bool never;                     /* the rest has a mistake, such as a `[` without its `]`: it matches nothing */
};

/* Reads a pattern. The glob borrows TEXT. */
struct glob glob_read(struct arena *a, struct str text);

/*
 * Does the pattern match PATH, which is relative to the directory of the pattern? The time is at most the product of
 * both lengths.
 */
bool glob_matches(const struct glob *g, struct str path);

/* May the pattern match a path below the directory PATH? False only if it surely matches none. */
bool glob_reaches_below(const struct glob *g, struct str path);

#endif
