/*
 * markdown.h - turns text that others wrote into Markdown that shows it unchanged.
 */
#ifndef TRAINC_MARKDOWN_H
#define TRAINC_MARKDOWN_H

#include "base/buf.h"

/* Writes a documentation comment as paragraphs, followed by a newline; nothing if it is empty. */
void markdown_prose(struct buf *out, struct str doc);
/* Writes a documentation comment on one line, without a newline, for a cell of a table or an item of a list. */
void markdown_line(struct buf *out, struct str doc);
/* Writes `text` as code on one line; in a cell of a table a bar gets a backslash. Writes nothing if it is empty. */
void markdown_code(struct buf *out, struct str text, bool cell);
/* Writes the head of a table, such as "| name | type |", and the line under it. */
void markdown_head(struct buf *out, const char *head);

#endif
