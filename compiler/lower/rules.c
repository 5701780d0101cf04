/*
 * rules.c - runs the rules in order, and decides when they apply. Most warnings are left out while a job has errors: a
 * value may be missing because of an error, and "no memory is set" would be a second message about the same mistake.
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
	rules_layout(j);
	rules_text(j);
	rules_raw(j);
	rules_repeats(j);
	ds->hold_warnings = before;
}
