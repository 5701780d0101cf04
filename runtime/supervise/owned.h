/*
 * owned.h - the objects of a job as requests: created with the job as their owner, adopted, deleted.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_OWNED_H
#define TRAINC_RUNTIME_SUPERVISE_OWNED_H

#include "runtime/supervise/control.h"

/* Requests live in A; `done` and `to` are the caller's to set. */

/* Creates TREE in the namespace of J. */
struct transport_request owned_create(struct arena *a, const struct supervised *j, const struct data *tree);
/* Reads an object of TREE's kind and name. */
struct transport_request owned_get(struct arena *a, const struct supervised *j, const struct data *tree);
/* Deletes the object of TREE's kind and name, whatever its uid. */
struct transport_request owned_drop(struct arena *a, const struct supervised *j, const struct data *tree);
/* Gives the object of TREE's kind and name another spec, which is the JSON text SPEC. */
struct transport_request owned_respec(struct arena *a, const struct supervised *j, const struct data *tree,
	struct str spec);
/* Makes J the owner of the KIND ("Pod") NAME, if that still is the one with UID. */
struct transport_request owned_adopt(struct arena *a, const struct supervised *j, struct str kind, struct str name,
	struct str uid);
/* Deletes it, if that still is the one with UID. */
struct transport_request owned_delete(struct arena *a, const struct supervised *j, struct str kind, struct str name,
	struct str uid);
/* A merge patch of the resource itself, or of its subresource. */
struct transport_request resource_patch(struct arena *a, const struct supervised *j, const char *subresource,
	struct str body);
/* Deletes the resource and, in the background, everything that it owns. */
struct transport_request resource_delete(struct arena *a, const struct supervised *j);

#endif
