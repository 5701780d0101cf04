/*
 * shard.h - determines the share of the jobs that this process looks after when several controllers divide the
 * namespaces. All jobs of a namespace are in one shard; the namespace's name and the number of shards determine the
 * shard.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_SHARD_H
#define TRAINC_RUNTIME_SUPERVISE_SHARD_H

#include "command/session.h"

enum { SHARDS_MOST = 1000 };

struct shard {
	unsigned number;                /* 0 to total - 1 */
	unsigned total;                 /* 1: a single controller looks after all namespaces */
};

/*
 * Reads --total-shards, and also --shard unless the command only writes objects. Returns false after reporting an
 * error.
 */
bool shard_read(struct session *s, struct shard *ret);
/* Is the namespace NS in the shard? */
bool shard_has(const struct shard *s, struct str ns);
/* The name of the Lease for one shard: the name LEASE and the number of the shard, such as "trainc-supervise-2". */
struct str shard_lease(struct arena *a, const struct shard *s, struct str lease);
/* The name with which all shards hold the common Lease together: the total number of shards, such as "4 shards". */
struct str shard_holder(struct arena *a, const struct shard *s);

#endif
