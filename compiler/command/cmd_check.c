/*
 * cmd_check.c - reports errors in programs; writes no objects. With --fix, edits that are certainly right are applied
 * first, and only the remaining errors are reported. Imported files of the project are fixed too, but never the
 * standard library or packages.
 */
#include "command/mend.h"

/*
 * Fixes the programs one after the other, so that a file which two of them share is fixed once. ERRORS gets the
 * number of errors in each program before the fixes.
 */
static bool fix_all(struct session *s, size_t *errors)
{
	for (size_t i = 0; i < s->options->noperands; i++) {
		/* a program from standard input can be read only once, and cannot be written */
		if (str_is(s->options->operands[i], "-"))
			continue;
		if (!mend_program(s, s->options->operands[i], &errors[i]))
			return false;
	}
	return true;
}

/*
 * Explains why there may be more errors than before. Syntax errors hide errors in names, errors in names hide errors
 * in values, and objects are only made from a program without errors.
 */
static void say_hidden(const struct session *s, const struct programs *all, const size_t *errors)
{
	size_t before = 0, after = 0;

	for (size_t i = 0; i < all->n; i++)
		if (errors[i]) {
			before += errors[i];
			after += all->at[i]->diags.errors;
		}
	if (after > before)
		session_say(s, "the fixed errors hid others: there %s %zu before, %zu are left",
			before == 1 ? "was" : "were", before, after);
}

int cmd_check(struct session *s)
{
	size_t *errors = ARENA_ARRAY(s->arena, size_t, s->options->noperands);
	struct programs all;
	int status;

	if (option_given(s->options, OPTION_FIX) && !fix_all(s, errors))
		return STATUS_OUTPUT;
	session_plan(s, true, &all, &status);
	say_hidden(s, &all, errors);
	session_release(&all);
	return status;
}
