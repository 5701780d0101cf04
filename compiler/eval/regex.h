/*
 * regex.h - POSIX extended regular expressions in time at most proportional to the length of the
 * text times that of the pattern.
 *
 * A pattern is compiled to a program of small steps, and all of its states go over the text
 * together: nothing is tried twice.  Characters are code points. Besides POSIX: \d \w \s and \D \W
 * \S; the small ones also in brackets. References back into the match and the repetition of
 * nothing (`*a`) are refused.
 */
#ifndef TRAINC_EVAL_REGEX_H
#define TRAINC_EVAL_REGEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct regex;

/* Compiles PATTERN into memory of A. NULL with a reason in RET_WHY. */
const struct regex *regex_new(struct arena *a, struct str pattern, const char **ret_why);

/*
 * The length of the longest beginning of TEXT that RE matches; -1 when not even the empty one matches. Each state at
 * each character takes one from *WORK. When nothing is left, the function returns -1 and *WORK is 0.
 */
int64_t regex_longest(const struct regex *re, struct str text, uint64_t *work);

#endif
