/*
 * discovery.h - finds the path of the collection for each kind that the API server serves. Kinds of the core group and
 * of batch are known without a request. Other kinds come from one aggregated document for all groups or, if the server
 * does not have it, from a request for each group. An error in a group that is not needed does no harm.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_DISCOVERY_H
#define TRAINC_RUNTIME_CLUSTER_DISCOVERY_H

#include "runtime/cluster/batch.h"
#include "runtime/cluster/known_resource.h"

struct discovery {
	struct client *client;
	struct arena *arena;
	struct resource *at;            /* the kinds found so far */
	size_t n;
	bool asked, aggregated;
	const struct answer *failed;    /* the first request that failed for a reason other than 404 */
};

/*
 * Finds KIND of API_VERSION, with a request if necessary. Returns NULL if the server does not serve the kind, or if a
 * request failed (`failed` is set).
 */
const struct resource *discovery_find(struct discovery *d, struct str api_version, struct str kind);
/* Finds KIND in the version that the server prefers. */
const struct resource *discovery_any(struct discovery *d, struct str group, struct str kind);
/* Does the server serve any version of GROUP? Valid after discovery_find(). */
bool discovery_has_group(const struct discovery *d, struct str group);

#endif
