/* part.h - classifies a piece of a program that a user types on its own, such as a line at a prompt. */
#ifndef TRAINC_SYNTAX_PART_H
#define TRAINC_SYNTAX_PART_H

#include "base/str.h"

struct part {
	bool empty;                     /* the text has only blanks and comments */
	bool open;                      /* a bracket, or a string of several lines, is still open */
	bool in_string;                 /* what is open is a string */
	bool declaration;               /* the text begins a declaration; otherwise it is meant as an expression */
	struct str name;                /* the name that the part declares, as a slice of the text; empty if it declares
					 * no name */
};

/* Classifies TEXT, whose first and last line must be complete. Reports nothing. */
struct part part_of(struct arena *a, struct str text);

#endif
