/*
 * ask.h - the value of one expression, with the names of a program and of further declarations.
 */
#ifndef TRAINC_ASK_H
#define TRAINC_ASK_H

#include "command/session.h"

struct question {
	struct str program;             /* path of the program; p == NULL if none was given */
	struct str place;               /* what messages call the text */
	struct str text;                /* the text: declarations, followed by the expression */
	/* where the expression begins; text.n: nowhere, and the declarations are only checked */
	size_t expression;
};

/*
 * Compiles the program and the declarations under the options of the command line and computes the expression.
 * Returns false when anything is wrong with them; that is reported.  Otherwise the answer, in the form that
 * --output asks for and with a line end, is in RET (in the arena A); empty without an expression.
 */
bool ask(struct session *s, struct arena *a, const struct question *q, struct str *ret);

#endif
