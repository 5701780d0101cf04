/*
 * deploy.h - `trainc supervise --manifest`: writes everything that the controller needs in a cluster.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_DEPLOY_H
#define TRAINC_RUNTIME_SUPERVISE_DEPLOY_H

#include "command/session.h"

/* Writes the objects, for SHARDS processes that divide the namespaces; returns the exit status. */
int deploy_write(struct session *s, unsigned shards);

#endif
