/*
 * discovery.h - what the API server serves: from a kind to the path of its collection.
 *
 * Kinds of the core and of batch are known without asking.  Others come from one aggregated
 * document for all groups; from servers without it, group by group.  Groups that nobody asks for
 * may be broken.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_DISCOVERY_H
#define TRAINC_RUNTIME_CLUSTER_DISCOVERY_H

#include "runtime/cluster/batch.h"

/* A kind as the server serves it. */
struct resource {
	struct str group, version, kind, plural;
	bool namespaced;
};

/* "batch/v1" as group "batch" and version "v1"; "v1" has an empty group. */
void resource_split(struct str api_version, struct str *ret_group, struct str *ret_version);
/* The kinds whose plural and scope never change; NULL for others. */
const struct resource *resource_known(struct str group, struct str kind);
/* The path of a collection (NAME empty) or of an object; NS is left out for what has no namespace. */
struct str resource_path(struct arena *a, const struct resource *r, struct str ns, struct str name);
/* "Job.batch", "Service": how the inventory of a run names it. */
struct str resource_group_kind(struct arena *a, const struct resource *r);

struct discovery {
	struct client *client;
	struct arena *arena;
	struct resource *at;            /* the kinds found so far */
	size_t n;
	bool asked, aggregated;
	const struct answer *failed;    /* the first request that failed for a reason other than 404 */
};

/*
 * Finds KIND of API_VERSION, asking the server when it has to; NULL when it is not served, or when
 * it cannot be known (`failed` is set).
 */
const struct resource *discovery_find(struct discovery *d, struct str api_version, struct str kind);
/* The version of KIND that the server prefers, whatever it is. */
const struct resource *discovery_any(struct discovery *d, struct str group, struct str kind);
/* Does the server serve any version of GROUP?  Only after discovery_find(). */
bool discovery_has_group(const struct discovery *d, struct str group);

#endif
