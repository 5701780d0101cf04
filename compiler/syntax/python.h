/*
 * python.h - texts as Python writes them.
 */
#ifndef TRAINC_SYNTAX_PYTHON_H
#define TRAINC_SYNTAX_PYTHON_H

#include "base/str.h"

/*
 * What stands in the quotes of f"...", in ours: {x} as ${x}, {{ as {.  NULL when it has more than names,
 * members, calls and sums in its braces, or a '$' that would mean something here.
 */
struct str text_of_format(struct arena *a, struct str inside);

#endif
