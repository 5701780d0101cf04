/*
 * lease.h - which of several controllers may write: the one that holds a Lease.
 *
 * The holder renews it every 2 s.  One that could not for 10 s has lost it; another one takes it when it has not
 * changed for 15 s by the other's own clock, so clocks that differ do no harm.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_LEASE_H
#define TRAINC_RUNTIME_SUPERVISE_LEASE_H

#include "runtime/cluster/client.h"

struct lease;

struct lease_options {
	struct client *client;
	struct str ns, name, identity;
	void (*gained)(void *to);
	void (*lost)(void *to);         /* at once and for good: the caller ends */
	void *to;
};

/* Begins to ask for the Lease. */
struct lease *lease_start(const struct lease_options *o);
/* Gives it back if it is held, so that another one need not wait: DONE is called after that, in any case and soon. */
void lease_give_back(struct lease *l, void (*done)(void *to));
void lease_stop(struct lease *l);
bool lease_held(const struct lease *l);

#endif
