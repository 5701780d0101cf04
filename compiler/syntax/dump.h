/*
 * dump.h - tokens and tree as text, for work on the compiler and for the expected output of tests.
 */
#ifndef TRAINC_SYNTAX_DUMP_H
#define TRAINC_SYNTAX_DUMP_H

#include "base/buf.h"
#include "syntax/parse.h"

/* Prints the tree as s-expressions, one node per line unless it is small. */
void ast_dump(const struct node *n, struct buf *out);
/* Prints one token per line: line:column, kind, text; including tokens that the line-end rules or repairs added. */
void tokens_dump(struct arena *a, struct diags *ds, const struct source *source, struct buf *out);

#endif
