/*
 * walk.h - visits the children of a node, and finds the nodes around a position in the text. The children of a node
 * come in the order of their members in ast.h, which is the order of the text. A chain of `else if` is one node here:
 * its conditions and branches are all children of its first node, so that a recursive walk is never deeper than the
 * text is nested (see ast.h). Absent nodes are left out. Functions never fail.
 */
#ifndef TRAINC_SYNTAX_WALK_H
#define TRAINC_SYNTAX_WALK_H

#include "syntax/ast.h"

typedef void node_visit(void *to, struct node *child);

/* Calls EACH for every child of N. */
void node_children(const struct node *n, node_visit *each, void *to);

/* The maximum depth of nodes: 256 brackets, each with a few nodes of its own. */
enum { NODE_PATH = 2048 };

struct node_path {
	struct node *at[NODE_PATH];     /* the nodes of the path, outermost first; at[0] is the file */
	size_t n;
};

/*
 * Finds the nodes of FILE whose text contains the global OFFSET, including its ends. If two neighbors touch at OFFSET,
 * the one that begins there is chosen.
 */
void node_path_at(struct node *file, uint32_t offset, struct node_path *ret);

#endif
