/*
 * regex.h - POSIX extended regular expressions in time at most proportional to the length of the text times that of the
 * pattern.
 *
 * A pattern is compiled to a program of small steps, and one pass over the text follows all of its states at once, so
 * nothing is tried twice. Characters are code points. Besides POSIX: \d \w \s and \D \W \S; the lower-case ones also in
 * brackets. Back-references and a repetition of nothing (`*a`) are refused.
 */
#ifndef TRAINC_BASE_REGEX_H
#define TRAINC_BASE_REGEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct regex;

/* Compiles PATTERN into memory of A. NULL, with the reason in *RET_WHY, when it is invalid. */
const struct regex *regex_new(struct arena *a, struct str pattern, const char **ret_why);

/*
 * The length of the longest prefix of TEXT that RE matches; -1 when not even the empty prefix matches. Each state at
 * each character reduces *WORK by one. When that reaches 0, the function returns -1.
 */
int64_t regex_longest(const struct regex *re, struct str text, uint64_t *work);

#endif
