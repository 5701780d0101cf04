/*
 * cluster_history.h - the history of runs in a cluster. The record of a run has its launches (data.history). When the
 * run is deleted, they are kept in the ConfigMap trainc.history of its namespace, which has a text for each name. Its
 * own name is never that of a record, and no program can write an object with a dot in its name.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_CLUSTER_HISTORY_H
#define TRAINC_RUNTIME_CLUSTER_CLUSTER_HISTORY_H

#include "runtime/cluster/apply.h"

#define LAUNCHES_OBJECT "trainc.history"
#define LAUNCHES_LABEL "trainc.dev/history"

/* Adds the launch that P is about to make to the history in P->now, and how the launch before it ended. */
void launches_begin(struct applying *p);
/* Keeps the histories of runs that are about to be deleted. A failure is only reported. */
void launches_keep(struct cluster *k, struct cluster_watch *const *runs, size_t n);

#endif
