/*
 * why_nodes.h - says which labels the waiting pods of a run ask for that no node has.
 */
#ifndef TRAINC_COMMAND_WHY_NODES_H
#define TRAINC_COMMAND_WHY_NODES_H

#include "runtime/command/runs.h"

struct fit_hint;

/* The providers of the library, for messages about labels that no node has. The last one has no name. */
const struct fit_hint *hints_of(struct session *s);
/*
 * Looks at the nodes of the cluster: returns "no node has X = Y; nodes have X: A (3), B (2)" about a pod of the run
 * that has no node. Empty if each label is on some node, or if the nodes cannot be read.
 */
struct str why_no_node(struct session *s, const struct run_state *run);

#endif
