/*
 * shard.h - the share of the jobs that this process looks after when several controllers divide the namespaces: all
 * jobs of a namespace are in one shard, which follows from the namespace's name and from the number of shards.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_SHARD_H
#define TRAINC_RUNTIME_SUPERVISE_SHARD_H

#include "command/session.h"

enum { SHARDS_MOST = 1000 };

struct shard {
	unsigned number;                /* 0 to total - 1 */
	unsigned total;                 /* 1: one controller looks after all namespaces */
};

/* Reads --total-shards, and --shard unless only objects are written; false when an error was reported. */
bool shard_read(struct session *s, struct shard *ret);
/* Is the namespace NS in the shard? */
bool shard_has(const struct shard *s, struct str ns);
/* The name of the Lease of a shard, whose controllers share the Lease LEASE: "trainc-supervise-2". */
struct str shard_lease(struct arena *a, const struct shard *s, struct str lease);
/* The name under which all shards of the same number hold the Lease together: "4 shards". */
struct str shard_holder(struct arena *a, const struct shard *s);

#endif
