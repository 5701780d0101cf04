/*
 * dump.h - tokens and tree as text, for people who work on the compiler and for goldens.
 */
#ifndef TRAINC_SYNTAX_DUMP_H
#define TRAINC_SYNTAX_DUMP_H

#include "base/buf.h"
#include "syntax/parse.h"

/* The tree as s-expressions, one node on a line unless it is small. */
void ast_dump(const struct node *n, struct buf *out);
/* One token on a line: line:column, kind, text.  What the line-end rules and repairs supplied is there too. */
void tokens_dump(struct arena *a, struct diags *ds, const struct source *source, struct buf *out);

#endif
