/*
 * python.h - texts as Python writes them.
 */
#ifndef TRAINC_SYNTAX_PYTHON_H
#define TRAINC_SYNTAX_PYTHON_H

#include "base/str.h"

/*
 * The text in the quotes of f"...", as our own string: {x} as ${x}, {{ as {.  NULL when its braces
 * hold more than names, members, calls and sums, or when a '$' would mean something here.
 */
struct str text_of_format(struct arena *a, struct str inside);

#endif
