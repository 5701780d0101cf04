/*
 * parse.h - parses one text to one tree. Always returns a NODE_FILE. A part that failed to parse is reported (TJ01xx)
 * and is NODE_BAD or absent in the tree. Any bytes are accepted as input.
 */
#ifndef TRAINC_SYNTAX_PARSE_H
#define TRAINC_SYNTAX_PARSE_H

#include "diag/diag.h"
#include "syntax/ast.h"

struct node *parse_source(struct arena *a, struct names *names, struct diags *ds, const struct source *source);

/* Parses one expression (for --set and --params), which must be the whole text; NULL after reporting. */
struct node *parse_expression(struct arena *a, struct names *names, struct diags *ds, const struct source *source);

#endif
