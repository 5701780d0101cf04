/*
 * bar.h - the meaning of `a | b` in other languages, and words for types whose values may be none.
 */
#ifndef TRAINC_SYNTAX_BAR_H
#define TRAINC_SYNTAX_BAR_H

#include "syntax/token.h"

/* Is WORD one of the N words? */
bool word_among(struct str word, const char *const *words, size_t n);
/* Is WORD a language's word for no value: none, null, None, nil? */
bool word_of_none(struct str word);
/* Is WORD a language's word for a type whose value may be absent: Optional, Maybe, Option, Nullable? */
bool word_of_optional(struct str word);
/* Adds help to D, which is about the '|' at the global offset AT; the tokens before it are in TS. */
void help_bar(const struct tokens *ts, uint32_t at, struct diag *d);

#endif
