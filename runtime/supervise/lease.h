/*
 * lease.h - decides which of several controllers may write: the holder of a Lease. The holder renews the Lease every 2
 * s. A holder that could not renew the Lease for 10 s has lost it. Another controller takes the Lease when it has not
 * changed for 15 s by that controller's own clock, so clocks that differ do no harm.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_LEASE_H
#define TRAINC_RUNTIME_SUPERVISE_LEASE_H

#include "runtime/cluster/client.h"

struct lease;

struct lease_options {
	struct client *client;
	struct str ns, name, identity;
	/*
	 * Several processes have the same identity and hold the Lease together: a renewal by any of them counts for
	 * all, and the Lease is not released.
	 */
	bool shared;
	void (*gained)(void *to);
	void (*lost)(void *to);         /* called once when the Lease is lost for good; the caller must end then */
	void *to;
};

/* Begins to compete for the Lease. */
struct lease *lease_start(const struct lease_options *o);
/*
 * Releases the Lease if it is held, so that another controller does not have to wait. DONE is called soon in any case.
 */
void lease_give_back(struct lease *l, void (*done)(void *to));
void lease_stop(struct lease *l);
bool lease_held(const struct lease *l);

#endif
