/*
 * flat.h - pieces of a text, each on one line, for tables and lists. Blanks are those of the formatter, items of a body
 * are separated by commas, comments are left out. Strings keep every byte, so a string over several lines still has its
 * line ends.
 */
#ifndef TRAINC_SYNTAX_FLAT_H
#define TRAINC_SYNTAX_FLAT_H

#include "base/source.h"

struct flat;

/* Prepares SOURCE, which must have no syntax errors. */
struct flat *flat_new(struct arena *a, const struct source *source);
/* The one-line text of the node whose span is AT, allocated in the arena. */
struct str flat_text(const struct flat *f, struct span at);

#endif
