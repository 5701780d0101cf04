/*
 * sync_watch.h - `sync --watch`: syncs again after each change of the files, until it is interrupted or the run ends.
 */
#ifndef TRAINC_RUNTIME_COMMAND_SYNC_WATCH_H
#define TRAINC_RUNTIME_COMMAND_SYNC_WATCH_H

#include "runtime/command/runs.h"

int sync_watch(struct session *s);

#endif
