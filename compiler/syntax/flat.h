/*
 * flat.h - pieces of a text, each on one line, for tables and lists about it.
 *
 * Blanks are as the formatter sets them, items of a body are separated by
 * commas, comments are left out.  Strings keep every byte, so a string over
 * several lines still has its line ends.
 */
#ifndef TRAINC_SYNTAX_FLAT_H
#define TRAINC_SYNTAX_FLAT_H

#include "base/source.h"

struct flat;

/* The text has no syntax errors. */
struct flat *flat_new(struct arena *a, const struct source *source);
/* `at` is that of a node of the text; the result is in the arena. */
struct str flat_text(const struct flat *f, struct span at);

#endif
