/*
 * known_resource.h - kinds of the API server and their paths. The kinds that never change are known without a request;
 * discovery.h finds the others.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_KNOWN_RESOURCE_H
#define TRAINC_RUNTIME_CLUSTER_KNOWN_RESOURCE_H

#include "runtime/cluster/transport.h"

/* A kind, as the server serves it. */
struct resource {
	struct str group, version, kind, plural;
	bool namespaced;
};

/* Splits "batch/v1" into the group "batch" and the version "v1"; "v1" has an empty group. */
void resource_split(struct str api_version, struct str *ret_group, struct str *ret_version);
/* A kind whose plural and scope never change; NULL for other kinds. */
const struct resource *resource_known(struct str group, struct str kind);
/* Such a kind by its plural, which paths contain. */
const struct resource *resource_of_plural(struct str group, struct str plural);
/* The path of a collection (NAME empty) or of an object; NS is left out for kinds without namespaces. */
struct str resource_path(struct arena *a, const struct resource *r, struct str ns, struct str name);
/* "Job.batch", "Service": the form in which the inventory of a run names a kind. */
struct str resource_group_kind(struct arena *a, const struct resource *r);

#endif
