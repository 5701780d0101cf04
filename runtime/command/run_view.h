/*
 * run_view.h - the list of runs as a view of the whole terminal, which stays open: keys choose a run, and show its
 * logs, why it does not run, its events, or its state.
 */
#ifndef TRAINC_RUNTIME_COMMAND_RUN_VIEW_H
#define TRAINC_RUNTIME_COMMAND_RUN_VIEW_H

#include "runtime/command/runs.h"

/* Can a view be shown: are input and output a terminal that knows how to move a cursor? */
bool run_view_possible(void);

enum run_view_end {
	RUN_VIEW_LEFT,                  /* the user has left it; RET has the exit status */
	RUN_VIEW_AGAIN,                 /* other runs exist now: they must be found again */
};
/*
 * Shows the runs of A, which must be open, until the user leaves the view. CHOSEN: the name of the run to select first;
 * gets the one that was selected last.
 */
enum run_view_end run_view(struct session *s, struct attend *a, struct str *chosen, int *ret_status);

#endif
