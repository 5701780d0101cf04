/*
 * watch.h - watches a run on this machine: the state comes from the run's keeper while the keeper lives, and from the
 * run's files afterwards.
 */
#ifndef TRAINC_RUNTIME_LOCAL_WATCH_H
#define TRAINC_RUNTIME_LOCAL_WATCH_H

#include "runtime/local/control.h"
#include "runtime/run/run_watch.h"

/* Starts to watch RUN, in memory of A. Returns false with an explanation in WHY if the run does not exist. */
bool local_watch_open(struct arena *a, struct run_watch *w, struct str state_dir, struct str run, struct str *why);
/* Is the keeper of W alive without answering? Then the state is the state that the keeper saved last. */
bool local_watch_silent(const struct run_watch *w);
/* The directory of the run that W watches. */
struct str local_watch_dir(const struct run_watch *w);

#endif
