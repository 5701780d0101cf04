/*
 * progress.h - shows the progress of runs on standard error while a command waits: as a live table, as a line for each
 * change, or not at all.
 */
#ifndef TRAINC_RUNTIME_RUN_PROGRESS_H
#define TRAINC_RUNTIME_RUN_PROGRESS_H

#include "runtime/run/live.h"

enum progress_mode { PROGRESS_QUIET, PROGRESS_PLAIN, PROGRESS_JSON, PROGRESS_LIVE };

/* The form that `--progress` and the kind of the descriptor FD select; WORD is empty without the option. */
enum progress_mode progress_choose(struct str word, int fd);

struct progress_seen {
	enum run_phase phase;
	struct str cause;
	bool known;
};

struct progress {
	enum progress_mode mode;
	struct arena *arena;
	struct drain *err;
	struct live live;
	struct progress_seen *seen;     /* for each run: its phase and cause in the last report */
	size_t n;
	bool changed;                   /* LIVE: something has changed since the table was drawn */
	int64_t drawn, told;            /* by the steady clock: when the last table was drawn, and when the last line
					 * was written */
};

void progress_init(struct progress *p, struct arena *a, enum progress_mode mode, struct drain *err, bool colour);
/* Must be called when something has changed, or when progress_due() has passed. */
void progress_show(struct progress *p, const struct run_state *const *runs, size_t n, bool changed);
/* The time, by the steady clock, at which progress_show() must be called even if nothing changes; INT64_MAX: never. */
int64_t progress_due(const struct progress *p);
/* LIVE: writes lines to the terminal that shows the table, in the right order. */
void progress_print(struct progress *p, struct str text);
/* Removes the table to make room for other output; it is redrawn automatically. */
void progress_hide(struct progress *p);
/* Must be called when the terminal has a new size, or when other programs have written to it. */
void progress_resized(struct progress *p);
void progress_release(struct progress *p);

#endif
