/*
 * supervise.h - `trainc supervise`: the controller, from its start to its end.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_SUPERVISE_H
#define TRAINC_RUNTIME_SUPERVISE_SUPERVISE_H

#include "command/session.h"

/* Runs until SIGINT or SIGTERM; returns the status to leave with. */
int supervise(struct session *s);

#endif
