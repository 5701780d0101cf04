/*
 * pod_ports.h - the named ports of the pods of a run. The record of a run has no ports: its pods say them.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_POD_PORTS_H
#define TRAINC_RUNTIME_CLUSTER_POD_PORTS_H

#include "runtime/cluster/cluster_watch.h"
#include "runtime/command/open_port.h"

enum { POD_PORTS_MOST = 256 };          /* further ports of a run are left out */

/*
 * Lists the ports that the pods of run W name: each name once for each role, in the order of the roles; the main
 * container and sidecars alike. Whoever may write pods decides what they say, so a name or a number that is none is
 * left out. Returns false with a status after a report.
 */
bool pod_ports_list(struct session *s, struct run_watch *w, struct declared_ports *ret, int *ret_status);

#endif
