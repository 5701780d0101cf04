/*
 * lower_rules.c - runs the rules in order, and decides when they apply. Most warnings are left out while a job has
 * errors: a value may be missing because of an error, and "no memory is set" would be a second message about the same
 * mistake.
 */
#include "lower/lower_rules.h"

/*
 * Runs the rules that look at each role by itself. Copies of a cell differ in texts alone, so the first one stands for
 * all: what is wrong is reported once.
 */
static void rules_of_roles(struct job *j)
{
	size_t nroles = j->nroles, first = 0;

	while (first < nroles && !j->plan->roles[first].copy)
		first++;
	j->nroles = j->plan->nroles = first;
	rules_resources(j);
	rules_labels(j);
	rules_words(j);
	rules_layout(j);
	rules_text(j);
	rules_sources(j);
	rules_raw(j);
	rules_repeats(j);
	j->nroles = j->plan->nroles = nroles;
}

void rules_job(struct job *j)
{
	struct diags *ds = j->ev->diags;
	bool quiet = ds->errors > 0;
	bool before = ds->hold_warnings;

	ds->hold_warnings = before || quiet;
	rules_roles(j);
	rules_mounts(j);
	rules_of_roles(j);
	ds->hold_warnings = before;
}
