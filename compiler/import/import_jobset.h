/*
 * import_jobset.h - reads the spec of a JobSet, which other kinds contain too.
 */
#ifndef TRAINC_IMPORT_IMPORT_JOBSET_H
#define TRAINC_IMPORT_IMPORT_JOBSET_H

#include "import/import_set.h"

/* Reports what the API server refuses; returns true when nothing is wrong. */
bool jobset_check(const struct import_manifest *m, const struct data *spec);
/*
 * Finds the roles of a spec that was checked, and gives each a name in the program. If texts may contain host names,
 * it also notes the hosts of the roles.
 */
void jobset_roles(struct set *s, const struct data *spec);
/* Reads everything in the spec but its replicatedJobs. */
void jobset_fields(struct set *s, const struct data *spec);
/* Returns the expression for `success`, or an empty text for the default. */
struct str jobset_success(struct set *s, const struct data *spec);
/* Fills the roles, including their start order and retries; returns false after a report. */
bool jobset_bodies(struct set *s, const struct data *spec);

#endif
