/*
 * jobs_request.h - the requests that carry out decisions about the Jobs of a run. Each request names the uid of the Job
 * and may be repeated, so several processes may attend one run.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_JOBS_REQUEST_H
#define TRAINC_RUNTIME_CLUSTER_JOBS_REQUEST_H

#include "runtime/cluster/transport.h"
#include "runtime/decide/jobs.h"

/* The request for the action X in the namespace NS, without its `done`. MANAGER is the field manager of the sender. */
struct transport_request jobs_request(struct arena *a, const struct jobs_action *x, struct str ns, const char *manager);

#endif
