/*
 * cmd_check.c - say what is wrong with programs; write no objects.
 *
 * With --fix the edits that diagnostics are certain of are made first, and what
 * is left is reported.  Imported files of the project are fixed too, the standard
 * library and packages never.
 */
#include "command/mend.h"

/* One program after the other: what two of them share is then fixed once. */
static bool fix_all(struct session *s)
{
	for (size_t i = 0; i < s->options->noperands; i++) {
		if (str_is(s->options->operands[i], "-"))       /* it can be read once, and not be written */
			continue;
		if (!mend_program(s, s->options->operands[i]))
			return false;
	}
	return true;
}

int cmd_check(struct session *s)
{
	struct programs all;
	int status;

	if (option_given(s->options, OPTION_FIX) && !fix_all(s))
		return STATUS_OUTPUT;
	session_plan(s, true, &all, &status);
	session_release(&all);
	return status;
}
