/*
 * discovery.h - finds the path of the collection for each kind that the API server serves. Kinds of the core group and
 * of batch are known without a request. Other kinds come from one aggregated document for all groups or, if the server
 * does not have it, from a request for each group. An error in a group that is not needed does no harm.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_DISCOVERY_H
#define TRAINC_RUNTIME_CLUSTER_DISCOVERY_H

#include "runtime/cluster/batch.h"

/* A kind, as the server serves it. */
struct resource {
	struct str group, version, kind, plural;
	bool namespaced;
};

/* Splits "batch/v1" into the group "batch" and the version "v1"; "v1" has an empty group. */
void resource_split(struct str api_version, struct str *ret_group, struct str *ret_version);
/* A kind whose plural and scope never change; NULL for other kinds. */
const struct resource *resource_known(struct str group, struct str kind);
/* The same for the plural, which paths contain. */
const struct resource *resource_of_plural(struct str group, struct str plural);
/* The path of a collection (NAME empty) or of an object; NS is left out for kinds without namespaces. */
struct str resource_path(struct arena *a, const struct resource *r, struct str ns, struct str name);
/* "Job.batch", "Service": the form in which the inventory of a run names a kind. */
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
 * Finds KIND of API_VERSION, with a request if necessary. Returns NULL if the server does not serve the kind, or if a
 * request failed (`failed` is set).
 */
const struct resource *discovery_find(struct discovery *d, struct str api_version, struct str kind);
/* Finds KIND in the version that the server prefers. */
const struct resource *discovery_any(struct discovery *d, struct str group, struct str kind);
/* Does the server serve any version of GROUP? Valid after discovery_find(). */
bool discovery_has_group(const struct discovery *d, struct str group);

#endif
