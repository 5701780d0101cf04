/*
 * bar.h - what `a | b` means elsewhere, and the words for types whose values may be none.
 */
#ifndef TRAINC_SYNTAX_BAR_H
#define TRAINC_SYNTAX_BAR_H

#include "syntax/token.h"

/* Is WORD one of the N words? */
bool word_among(struct str word, const char *const *words, size_t n);
/* none, null, None, nil: is it a language's word for no value? */
bool word_of_none(struct str word);
/* Optional, Maybe, Option, Nullable: is it a language's word for a type with no value as well? */
bool word_of_optional(struct str word);
/* Adds help to D, which is about the '|' at the global offset AT; the tokens before it are in TS. */
void help_bar(const struct tokens *ts, uint32_t at, struct diag *d);

#endif
