/*
 * deploy.h - `trainc supervise --manifest`: writes everything that the controller needs in a cluster.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_DEPLOY_H
#define TRAINC_RUNTIME_SUPERVISE_DEPLOY_H

#include "runtime/supervise/supervise_control.h"

/* Writes the objects for controllers with the settings of C; returns the exit status. */
int deploy_write(const struct controller *c);

#endif
