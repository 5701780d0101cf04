/*
 * live.h - a table on a terminal that is redrawn in place. It has a line for each run and for each role, as long as a
 * third of the screen stays free for the output of the runs. If the screen has too little room, roles with problems
 * come first. The cursor rests at the start of the table. Output of other programs pushes the table down, and when this
 * program is killed, nothing on the screen has to be restored.
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
	/* output that is written in a single write with the next table, so that the table never disappears */
	struct buf pending;
	struct buf frame;               /* the table as it was last drawn */
};

/* Asks the terminal for its size; must be called again after each SIGWINCH. */
void live_measure(struct live *l);
void live_draw(struct live *l, const struct run_state *const *runs, size_t n, int64_t now);
/*
 * Prints whole lines above the table: together with the next table, or at once if no table is shown or the lines are
 * many.
 */
void live_print(struct live *l, struct str text);
/* Removes the table, before other code writes to the terminal. */
void live_hide(struct live *l);
void live_release(struct live *l);

#endif
