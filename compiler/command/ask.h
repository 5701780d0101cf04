/*
 * ask.h - computes the value of one expression, which may use the names of a program and of further declarations.
 */
#ifndef TRAINC_ASK_H
#define TRAINC_ASK_H

#include "command/session.h"

struct question {
	struct str program;             /* path of the program; p == NULL if no program was given */
	struct str place;               /* the name of the text in messages */
	struct str text;                /* the text: declarations, followed by the expression */
	/* offset of the expression in `text`; text.n if only declarations are to be checked */
	size_t expression;
};

/*
 * Compiles the program and the declarations with the options of the command line and computes the expression. Returns
 * false after reporting an error in them. RET is the value in the form that --output selects, with a line end (in the
 * arena A); empty for declarations alone.
 */
bool ask(struct session *s, struct arena *a, const struct question *q, struct str *ret);

#endif
