/*
 * places.h - the addresses of the replicas of a local run: the placement for plan_env(). Replicas that share a network
 * (modes NONE and JOB) are all at 127.0.0.1, so all ports of all replicas need different numbers. A number is found by
 * binding a socket, below the range from which the kernel takes ports for outgoing connections. The socket stays bound
 * until just before its replica starts. A name in the abstract socket name space reserves the number against other runs
 * of this network until this run is over, because a program often binds its port only seconds after its start. In mode
 * REPLICA hosts and ports are the same as in a cluster.
 */
#ifndef TRAINC_RUNTIME_LOCAL_PLACES_H
#define TRAINC_RUNTIME_LOCAL_PLACES_H

#include "plan/plan.h"
#include "runtime/local/isolate.h"

struct places;

struct places *places_new(struct arena *a, const struct plan_job *j, enum isolate_mode mode);
/* Finds the ports; must be called after the network has been made. On failure, returns false with an explanation. */
bool places_open(struct places *p, const struct isolation *iso, struct str *why);

const struct placement *places_placement(const struct places *p);
/* The number of a replica, counted over all roles in the order of the plan. */
size_t places_number(const struct places *p, unsigned role, int64_t i);
/* The text of /etc/hosts with every replica's name; NULL if names are not used. */
const char *places_hosts(const struct places *p);

/*
 * Releases the ports of a replica that is about to start. Returns false, with the number of the port in RET, if another
 * program has taken one of the ports by now.
 */
bool places_free(struct places *p, unsigned role, int64_t i, int64_t *ret_taken);
/* Finds new numbers for ports that another program has taken by now. Must be called while no replica runs. */
bool places_again(struct places *p, struct str *why);
void places_release(struct places *p);

#endif
