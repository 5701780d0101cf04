/*
 * explain_next.c - the blank line between two answers to one question.
 */
#include "explain/explain.h"

void explain_next(struct explain *e)
{
	if (e->told++)
		buf_char(e->out, '\n');
}
