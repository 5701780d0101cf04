/*
 * parse.h - parses one text to one tree. Always returns a NODE_FILE. A part that failed to parse is reported (TJ01xx)
 * and is NODE_BAD or absent in the tree. Any bytes are accepted as input.
 */
#ifndef TRAINC_SYNTAX_PARSE_H
#define TRAINC_SYNTAX_PARSE_H

#include "diag/diag.h"
#include "syntax/ast.h"

struct node *parse_source(struct arena *a, struct names *names, struct diags *ds, const struct source *source);

/* Parses a text that must be one expression (for --set and --params); NULL after reporting. */
struct node *parse_expression(struct arena *a, struct names *names, struct diags *ds, const struct source *source);

#endif
