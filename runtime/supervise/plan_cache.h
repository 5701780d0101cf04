/*
 * plan_cache.h - keeps the compiled plans of the jobs that were used most recently. Compiling takes some milliseconds,
 * and keeping all plans would take too much memory. All plans together, those in use and those kept, have
 * PLANS_MEMORY; namespaces share it as share.h says.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_PLAN_CACHE_H
#define TRAINC_RUNTIME_SUPERVISE_PLAN_CACHE_H

#include "runtime/supervise/supervise_control.h"

/*
 * PLAN_MEMORY: what compiling one job may take; PLANS_MEMORY: three times that, so that while one namespace uses two
 * such plans, another one can use the third
 */
enum { PLAN_MEMORY = 16 << 20, PLANS_MEMORY = 3 * PLAN_MEMORY };

/* Is there room to compile a resource of N bytes for J now? Drops plans that are not in use to make room. */
bool plan_has_room(struct supervised *j, size_t n);
/*
 * The plan of J, whose resource is OBJECT, a JSON text of N bytes. The plan's member `job` is NULL if the resource is
 * refused, which it also is if compiling it takes more than PLAN_MEMORY.
 */
const struct custom_plan *plan_get(struct supervised *j, const struct data *object);
void plan_forget(struct supervised *j);

#endif
