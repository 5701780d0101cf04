/*
 * pane.h - text on a part of the screen: its last lines or, when somebody has scrolled, a place in it. Long lines are
 * broken at words. The text comes from programs and clusters, so it is escaped when it is added. Old lines are dropped
 * when there are many.
 */
#ifndef TRAINC_RUNTIME_RUN_PANE_H
#define TRAINC_RUNTIME_RUN_PANE_H

#include "base/buf.h"

enum { PANE_BYTES = 1 << 20, PANE_LINE = 16 << 10 };    /* most text that is kept; longest line */

/* A pane begins as { .follow = true }, or { 0 } to show the first lines. */
struct pane {
	struct buf text;                /* whole lines, escaped */
	struct buf part;                /* a line whose end has not arrived */
	bool follow;                    /* the last lines are shown, also when more arrive */
	bool dropped;                   /* the text does not begin with its first line any more */
	size_t top;                     /* the first row that is shown, counted from the beginning of the text */
	size_t shown, rows;             /* rows of the last pane_draw(), and of the whole text */
};

void pane_put(struct pane *p, struct str bytes);
/* Ends a line whose end has not arrived. */
void pane_end(struct pane *p);
/* Appends exactly ROWS rows of at most COLUMNS columns, each with what ends it on a screen: ESC [K, CR, LF. */
void pane_draw(struct pane *p, size_t rows, unsigned columns, struct buf *out);
/* Moves by so many rows, negative towards the beginning. At the end the pane follows the text again. */
void pane_move(struct pane *p, long rows);
void pane_release(struct pane *p);

#endif
