/*
 * unrecorded.h - runs without a record: kubectl or a GitOps tool has applied what `trainc compile` wrote. Their labels
 * and annotations say what a record would, so the objects are read as `import` reads them. Commands that look at runs,
 * or talk to their replicas, work for them; nothing is recorded, and whoever applied them deletes them.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_UNRECORDED_H
#define TRAINC_RUNTIME_CLUSTER_UNRECORDED_H

#include "runtime/cluster/cluster.h"

/*
 * Adds the runs of namespace NS, or of all namespaces (NS empty), that have objects and no record to RET; call it after
 * cluster_parents(). Returns the request that failed, or NULL.
 */
const struct answer *unrecorded_names(struct cluster *k, struct str ns, struct chosen *ret);

/*
 * Sets the plan and the kinds of P, a run without a record, from its live objects; the plan stays empty if there are
 * none. Returns false and sets a status after reporting a request that failed, or why no program can be made of the
 * objects.
 */
bool unrecorded_read(struct cluster *k, struct parent *p, int *ret_status);

#endif
