/*
 * processors.h - --pin: gives each replica processors of this machine for itself. A replica gets as many processors as
 * its containers request with `cpu`, rounded up, in the order of the plan, and keeps them to the end of the run. Only
 * processors on which the command may run are assigned. Without --pin, nothing is pinned; replicas that request no
 * processors are never pinned.
 */
#ifndef TRAINC_RUNTIME_LOCAL_PROCESSORS_H
#define TRAINC_RUNTIME_LOCAL_PROCESSORS_H

#include <sched.h>

#include "plan/plan.h"

struct processors;

/* Finds the available processors. Returns NULL with an explanation if they cannot be determined. */
struct processors *processors_new(struct arena *a, const struct plan_job *j, struct str *why);
/*
 * Gives a replica its processors, or takes them back. Returns false with an explanation if not enough processors are
 * left.
 */
bool processors_take(struct processors *p, unsigned role, int64_t i, struct str *why);
void processors_return(struct processors *p, unsigned role, int64_t i);
/* The processors of a replica; NULL: the replica is not pinned. */
const cpu_set_t *processors_of(const struct processors *p, unsigned role, int64_t i);
/* Appends a set such as "0-3,8". */
void processors_put(const cpu_set_t *set, struct buf *out);

#endif
