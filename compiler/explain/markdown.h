/*
 * markdown.h - turns text that others wrote into Markdown that shows it unchanged.
 */
#ifndef TRAINC_MARKDOWN_H
#define TRAINC_MARKDOWN_H

#include "base/buf.h"

/* A documentation comment as paragraphs, with a newline behind it; an empty one gives nothing. */
void markdown_prose(struct buf *out, struct str doc);
/* The same for a table's cell or a list's item: on one line, without a newline. */
void markdown_line(struct buf *out, struct str doc);
/* `text`, on one line; in a cell a bar gets a backslash.  An empty text gives nothing. */
void markdown_code(struct buf *out, struct str text, bool cell);
/* The head of a table, such as "| name | type |", and the line under it. */
void markdown_head(struct buf *out, const char *head);

#endif
