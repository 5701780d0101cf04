/*
 * supervise.h - `trainc supervise`: the controller, from its start to its end.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_SUPERVISE_H
#define TRAINC_RUNTIME_SUPERVISE_SUPERVISE_H

#include "command/session.h"

/* Runs the controller until SIGINT or SIGTERM; returns the exit status. */
int supervise(struct session *s);

#endif
