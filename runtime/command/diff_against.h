/* diff_against.h - compares programs, or the last launches of runs, with an earlier launch in the run's history. */
#ifndef TRAINC_RUNTIME_COMMAND_DIFF_AGAINST_H
#define TRAINC_RUNTIME_COMMAND_DIFF_AGAINST_H

#include "runtime/command/backend.h"

/*
 * Does what `diff --against N` does, after begin() of the backend. Returns 0 if nothing differs, 1 if something does,
 * or another status after an error.
 */
int diff_against(struct session *s, const struct backend *b);

#endif
