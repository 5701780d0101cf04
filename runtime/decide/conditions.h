/*
 * conditions.h - the conditions of a job, in the order in which they were set.
 */
#ifndef TRAINC_RUNTIME_DECIDE_CONDITIONS_H
#define TRAINC_RUNTIME_DECIDE_CONDITIONS_H

#include "data/data.h"

enum job_condition_type { JOB_CREATED, JOB_RUNNING, JOB_RESTARTING, JOB_SUSPENDED, JOB_SUCCEEDED, JOB_FAILED };
const char *condition_word(enum job_condition_type t);

struct job_condition {
	enum job_condition_type type;
	bool holds;                     /* true: the status of the condition is True, else False */
	struct str reason, message;
	int64_t updated, changed;       /* when the condition was last written, and when `holds` last changed */
};

/* Reads a condition of a status; false when trainc has no condition of its type. */
bool condition_read(const struct data *d, struct job_condition *ret);

struct job_conditions {
	struct job_condition *at;
	size_t n;
};

/*
 * Sets a condition by the rules for which conditions may exist together. A job that has finished takes no more
 * conditions; Running and Restarting replace each other; Succeeded, Failed and Suspended end Running. A condition that
 * is set again with the same reason stays as it is; a condition that changes moves to the end. The array is copied and
 * the old one is not changed.
 */
void conditions_set(struct arena *a, struct job_conditions *c, const struct job_condition *set);

const struct job_condition *conditions_find(const struct job_conditions *c, enum job_condition_type t);
bool conditions_hold(const struct job_conditions *c, enum job_condition_type t);
/* Is one of the conditions Succeeded or Failed? */
bool conditions_finished(const struct job_conditions *c);

#endif
