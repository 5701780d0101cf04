/*
 * reserved.h - the reserved words of the language.
 */
#ifndef TRAINC_SYNTAX_RESERVED_H
#define TRAINC_SYNTAX_RESERVED_H

#include "base/str.h"

/* Is WORD a reserved word, which cannot be a name? */
bool word_is_reserved(struct str word);

#endif
