/*
 * watch.h - a run that is looked at: its state, from its keeper as long as there is
 * one, then from its files.
 */
#ifndef TRAINC_RUNTIME_LOCAL_WATCH_H
#define TRAINC_RUNTIME_LOCAL_WATCH_H

#include "runtime/local/control.h"

struct watch {
	struct str state_dir, dir, name;
	struct run_state state;         /* the newest; in `memory`, so it goes when a newer one comes */
	struct arena memory[2];
	unsigned current;
	struct control_lines lines;     /* fd -1: nobody tells any more */
	bool gone;                      /* it was removed while we looked */
};

/* False with a sentence: there is no such run. */
bool watch_open(struct arena *a, struct watch *w, struct str state_dir, struct str run, struct str *why);
/* Readable when there is news; -1: there will be none. */
static inline int watch_fd(const struct watch *w) { return w->lines.fd; }
/* Take the news; true when the state has changed (or the run is gone). */
bool watch_update(struct watch *w);
/* Nothing will change any more. */
static inline bool watch_over(const struct watch *w) { return w->gone || (w->lines.fd < 0 && run_phase_final(w->state.phase)); }
void watch_close(struct watch *w);

#endif
