/*
 * local.h - what the command line says about a run on this machine, and starting it.
 */
#ifndef TRAINC_LOCAL_H
#define TRAINC_LOCAL_H

#include "runtime/local/keeper.h"
#include "command/session.h"

/* From --isolate, --mount and the others of their kind; false after saying what is wrong (status 2). */
bool local_options(struct session *s, struct engine_options *ret);

/*
 * Start one job; what there is to say about it is said.  False with the status to
 * leave with.
 */
bool local_start(struct session *s, const struct keeper_start *start, struct keeper *ret, int *ret_status);

#endif
