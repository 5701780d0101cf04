/*
 * job_status.h - stores the facts about a job in its custom resource: the status in the form of the operators, which
 * everybody reads, and an annotation. The annotation holds the facts that a controller, when it starts, can read
 * neither from the status nor from the pods.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_JOB_STATUS_H
#define TRAINC_RUNTIME_SUPERVISE_JOB_STATUS_H

#include "import/custom.h"
#include "runtime/decide/decide.h"

#define RECORD_ANNOTATION "trainc.dev/record"

/* The record that the resource OBJECT holds, for the plan J; an empty record if OBJECT holds no record. */
struct decide_record job_record(struct arena *a, const struct custom_kind *k, const struct data *object,
	const struct plan_job *j);

/* The counts of each role of J, read from the status of OBJECT; NULL if the status contains no counts. */
struct decide_count *job_counts(struct arena *a, const struct custom_kind *k, const struct data *object,
	const struct plan_job *j);

/*
 * The facts of a record, as JSON, that must be stored because no object shows them any more; empty: nothing must be
 * stored. SEEN are the existing objects that are not about to be deleted.
 */
struct str job_durable(struct arena *a, const struct decision *d, const struct plan_job *j,
	const struct seen_list *seen);

/* The record of a job that was refused: the condition Failed with the error, at NOW. */
struct decide_record job_refused(struct arena *a, const struct custom_kind *k, struct str name, struct str fault,
	int64_t now);
/* Was the last condition of a resource written by job_refused()? */
bool job_was_refused(const struct custom_kind *k, const struct data *object);

/*
 * The status as a merge patch: {"conditions":[...],...}. COUNTS are the counts of the plan's roles. NULL: no pods were
 * created, and the counts in the status stay as they are.
 */
struct str job_status(struct arena *a, const struct custom_kind *k, const struct plan_job *j,
	const struct decide_record *r, const struct decide_count *counts);

#endif
