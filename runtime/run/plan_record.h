/*
 * plan_record.h - the part of a plan that a run stores, so that its state can be judged without the program. The state
 * of a run depends on names, sizes and rules of the plan, but not on environments or containers. The record is a JSON
 * document beside the objects of the run. The plan that is read from the record contains everything that status_of()
 * and the rules need.
 */
#ifndef TRAINC_RUNTIME_RUN_PLAN_RECORD_H
#define TRAINC_RUNTIME_RUN_PLAN_RECORD_H

#include "plan/plan.h"

/* Appends the record of J as one line of JSON. It contains no secrets. */
void plan_record_write(const struct plan_job *j, struct buf *out);

/*
 * Makes a plan from the record D, whose texts are borrowed. Returns false with an explanation in WHY if D is not a
 * record, or was written by a later version.
 */
bool plan_record_read(struct arena *a, const struct data *d, struct plan_job *ret, struct str *why);

#endif
