/*
 * jobset.h - the spec of a JobSet, which other kinds have inside of theirs.
 */
#ifndef TRAINC_IMPORT_JOBSET_H
#define TRAINC_IMPORT_JOBSET_H

#include "import/set.h"

/* What the API server refuses; true when nothing is wrong. */
bool jobset_check(const struct import_manifest *m, const struct data *spec);
/* The roles of a spec that was checked, with words for all of them; their hosts when texts may say them. */
void jobset_roles(struct set *s, const struct data *spec);
/* Everything of the spec but its replicatedJobs. */
void jobset_fields(struct set *s, const struct data *spec);
/* `success`, or an empty text for what goes without saying. */
struct str jobset_success(struct set *s, const struct data *spec);
/* Fill the roles, with their order and attempts; false after reporting. */
bool jobset_bodies(struct set *s, const struct data *spec);

#endif
