/*
 * explain_next.c - writes the blank line between two meanings of one topic.
 */
#include "explain/explain.h"

void explain_next(struct explain *e)
{
	if (e->told++)
		buf_char(e->out, '\n');
}
