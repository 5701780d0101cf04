/*
 * parse.h - one text to one tree.
 *
 * Always returns a NODE_FILE; what failed to parse is reported (TJ01xx) and is
 * NODE_BAD or absent in the tree.  Never fails otherwise, whatever the bytes.
 */
#ifndef TRAINC_SYNTAX_PARSE_H
#define TRAINC_SYNTAX_PARSE_H

#include "diag/diag.h"
#include "syntax/ast.h"

struct node *parse_source(struct arena *a, struct names *names, struct diags *ds, const struct source *source);

/* One expression (for --set and --params); NULL after reporting.  The whole text must be the expression. */
struct node *parse_expression(struct arena *a, struct names *names, struct diags *ds, const struct source *source);

#endif
