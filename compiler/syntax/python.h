/*
 * python.h - converts f-strings of Python.
 */
#ifndef TRAINC_SYNTAX_PYTHON_H
#define TRAINC_SYNTAX_PYTHON_H

#include "base/str.h"

/*
 * The text in the quotes of f"..." as a string of this language: {x} becomes ${x}, {{ becomes {. NULL when its braces
 * contain more than names, members, calls and sums, or when a '$' would have a meaning here.
 */
struct str text_of_format(struct arena *a, struct str inside);

#endif
