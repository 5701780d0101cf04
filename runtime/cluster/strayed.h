/*
 * strayed.h - the objects of a run that somebody has deleted or changed since the run was applied. The record names the
 * objects, and their managed fields name who has changed them, so the program is not needed.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_STRAYED_H
#define TRAINC_RUNTIME_CLUSTER_STRAYED_H

#include "runtime/cluster/cluster.h"

/*
 * Finds the objects in the record P that are missing or changed: one list of metadata for each kind, except Jobs, Pods
 * and the other kinds whose states are watched anyway. Kinds that the user may not list are left out. The texts live as
 * long as the cluster.
 */
struct run_object *strayed_objects(struct cluster *k, const struct parent *p, size_t *ret_n);
/* Adds the objects to the state of the run S, unless it has ended; a run without a cause gets one. Everything in A. */
void strayed_show(struct arena *a, const struct run_object *at, size_t n, struct run_state *s);

#endif
