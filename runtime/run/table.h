/*
 * table.h - tables for people. Texts in cells may come from a cluster: they are escaped, so that none of them ends its
 * line or moves into another column.
 */
#ifndef TRAINC_RUNTIME_RUN_TABLE_H
#define TRAINC_RUNTIME_RUN_TABLE_H

#include "base/buf.h"

enum { TABLE_COLUMNS = 12, TABLE_CELL = 0x1F };         /* TABLE_CELL divides the cells of a row that is passed on */

/* A table begins as { 0 }. */
struct report_table {
	struct arena arena;             /* holds the rows and texts until the table is printed */
	struct str (*rows)[TABLE_COLUMNS];
	size_t n, columns;
	unsigned numbers;               /* one bit for each column, set when the column is aligned to the right */
	unsigned spare;                 /* one bit for each column that may be left out if it says nothing */
	bool cells;                     /* write the bits of NUMBERS, then rows as cells, for another process */
	bool ready;                     /* the texts were escaped by such a process */
	/* the widths of the columns: at least these, and after table_put() those that were used */
	unsigned width[TABLE_COLUMNS];
};

/* Adds a row with the words of the N columns; NUMBERS as in struct report_table. */
void table_head(struct report_table *t, const char *const *words, size_t n, unsigned numbers);
/* Adds a row of empty texts. It may move when another row is added. */
struct str *table_row(struct report_table *t);
/* Texts for cells. */
struct str table_number(struct report_table *t, int64_t n);
struct str table_age(struct report_table *t, int64_t ns);
/* Appends the table, with lines of at most MOST columns (0: any), and releases the rows. */
void table_put(struct report_table *t, unsigned most, struct buf *out);

#endif
