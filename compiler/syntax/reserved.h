/*
 * reserved.h - the words of the language.
 */
#ifndef TRAINC_SYNTAX_RESERVED_H
#define TRAINC_SYNTAX_RESERVED_H

#include "base/str.h"

/* Is the text one of them, so that nothing can have that name? */
bool word_is_reserved(struct str word);

#endif
