/*
 * plan_record.h - what a run has to remember of its plan, so that its state can be told when the
 * program is gone.
 *
 * The state of a run depends on names, sizes and rules of the plan, but not on environments or
 * containers.  These are kept as one JSON document beside the objects of the run.  From it a plan
 * can be made again that is good enough for status_of() and the rules.
 */
#ifndef TRAINC_RUNTIME_RUN_PLAN_RECORD_H
#define TRAINC_RUNTIME_RUN_PLAN_RECORD_H

#include "plan/plan.h"

/* Appends the record of J, one line of JSON without secrets. */
void plan_record_write(const struct plan_job *j, struct buf *out);

/*
 * Makes a plan of the record D, whose texts are borrowed; false with a sentence in WHY
 * when D is not a record, or one of a later version.
 */
bool plan_record_read(struct arena *a, const struct data *d, struct plan_job *ret, struct str *why);

#endif
