/*
 * ancestors.h - the differences of the two kinds that preceded the training operator's kinds: each replica is a Job,
 * the pods of a Job show how the replica ended, and the status has a phase, a state and a list of the states of
 * replicas.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_ANCESTORS_H
#define TRAINC_RUNTIME_SUPERVISE_ANCESTORS_H

#include "import/custom.h"
#include "runtime/decide/decide.h"

/* The status as a merge patch. COUNTS are the counts of the plan's roles, or NULL. */
struct str ancestor_status(struct arena *a, const struct custom_kind *k, const struct plan_job *j,
	const struct decide_record *r, const struct decide_count *counts);
/* Fills the conditions and times of R from the status of OBJECT. */
void ancestor_record(struct arena *a, const struct custom_kind *k, const struct data *object, struct decide_record *r);
/* The counts of each role of J, read from the status of OBJECT; NULL if the status contains no counts. */
struct decide_count *ancestor_counts(struct arena *a, const struct custom_kind *k, const struct data *object,
	const struct plan_job *j);
/* Does the status say that the resource was refused? */
bool ancestor_was_refused(const struct data *object);

/*
 * Marks in SEEN and in the record BEFORE the replicas whose container has failed for good, unless `on_failed_pod` says
 * that the job ignores such a failure. The last end of the container in the newest pod of the replica's Job counts.
 * OBJECTS are all objects of the job. Returns for each role how many replicas have failed and are ignored: they restart
 * in place, and only the status shows their failures.
 */
int64_t *ancestor_ends(struct arena *a, const struct custom_kind *k, const struct plan_job *j,
	const struct status_objects *objects, struct seen_list *seen, struct decide_record *before);

#endif
