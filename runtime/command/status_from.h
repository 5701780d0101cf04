/*
 * status_from.h - the part of `trainc status` that needs no cluster: it computes the same verdict from a saved List of
 * objects, for support cases and for tests.
 */
#ifndef TRAINC_RUNTIME_COMMAND_STATUS_FROM_H
#define TRAINC_RUNTIME_COMMAND_STATUS_FROM_H

#include "command/session.h"

/* Runs `status` or `why` with --from. `status` returns 0, or 8 if a job has failed, `why` 0 after an answer. */
int status_from(struct session *s);

#endif
