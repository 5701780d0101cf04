/*
 * live.h - a table on a terminal that is drawn again in its place: a line for each run and each of
 * its roles, as long as a third of the screen is left for their output; when there is too little
 * room, roles in trouble come first.
 *
 * The cursor rests where the table begins.  Output of other programs pushes the table down, and
 * when this program dies, nothing on the screen has to be restored.
 */
#ifndef TRAINC_RUNTIME_RUN_LIVE_H
#define TRAINC_RUNTIME_RUN_LIVE_H

#include "runtime/run/drain.h"
#include "runtime/run/run_state.h"

struct live {
	struct drain *out;
	bool colour;
	unsigned rows, columns;         /* size of the screen */
	bool shown;
	/* output that is written together with the next table, in one piece, so that the table is never missing */
	struct buf pending;
	struct buf frame;               /* the table as it was drawn last */
};

/* Ask the terminal for its size, again after each SIGWINCH. */
void live_measure(struct live *l);
void live_draw(struct live *l, const struct run_state *const *runs, size_t n, int64_t now);
/*
 * Whole lines for the place above the table: written with the next one, or at once where none is
 * shown or the lines are many.
 */
void live_print(struct live *l, struct str text);
/* Removes the table, before something else is written to the terminal. */
void live_hide(struct live *l);
void live_release(struct live *l);

#endif
