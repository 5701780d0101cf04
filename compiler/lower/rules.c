/*
 * rules.c - the order of the rules, and when they speak.
 *
 * Warnings are about programs that will run: while a job has errors, a value may
 * be absent only because its own message was given, and "no memory is set" would
 * be the second message about one mistake.
 */
#include "lower/rules.h"

void rules_job(struct job *j)
{
	struct diags *ds = j->ev->diags;
	bool quiet = ds->errors > 0;
	bool before = ds->hold_warnings;

	ds->hold_warnings = before || quiet;
	rules_roles(j);
	rules_resources(j);
	rules_mounts(j);
	rules_words(j);
	rules_text(j);
	rules_raw(j);
	rules_repeats(j);
	ds->hold_warnings = before;
}
