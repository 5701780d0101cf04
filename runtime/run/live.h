/*
 * live.h - a table on a terminal that is drawn again in its place: a line for each
 * run and each of its roles, as long as a third of the screen is left for what they
 * print; where that is too little, those in trouble come first.
 *
 * The cursor rests where the table begins.  What others write there pushes the
 * table down, and what is on the screen when the program dies is nothing that would
 * have to be restored.
 */
#ifndef TRAINC_RUNTIME_RUN_LIVE_H
#define TRAINC_RUNTIME_RUN_LIVE_H

#include "runtime/run/drain.h"
#include "runtime/run/run_state.h"

struct live {
	struct drain *out;
	bool colour;
	unsigned rows, columns;         /* of the screen */
	bool shown;
	struct buf pending;             /* output that is written with the next table, in one piece: no frame lacks it */
	struct buf frame;               /* the table as it was drawn last */
};

/* Ask the terminal for its size, again after each SIGWINCH. */
void live_measure(struct live *l);
void live_draw(struct live *l, const struct run_state *const *runs, size_t n, int64_t now);
/* Whole lines that belong above the table: with the next one, or at once where none is shown or they are many. */
void live_print(struct live *l, struct str text);
/* Take it away: before something else is written to the terminal. */
void live_hide(struct live *l);
void live_release(struct live *l);

#endif
