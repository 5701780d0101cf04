/*
 * plan_cache.h - keeps the compiled plans of the jobs that were used most recently. Compiling takes some milliseconds,
 * and keeping all plans would take too much memory.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_PLAN_CACHE_H
#define TRAINC_RUNTIME_SUPERVISE_PLAN_CACHE_H

#include "runtime/supervise/control.h"

/* The plan of J, whose resource is OBJECT. The plan's member `job` is NULL if the resource is refused. */
const struct custom_plan *plan_get(struct supervised *j, const struct data *object);
void plan_forget(struct supervised *j);

#endif
