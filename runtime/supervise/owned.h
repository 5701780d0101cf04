/*
 * owned.h - builds the requests that create, adopt and delete the objects of a job. A created object has the job as its
 * owner.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_OWNED_H
#define TRAINC_RUNTIME_SUPERVISE_OWNED_H

#include "runtime/supervise/supervise_control.h"

/* The requests live in A; the caller sets `done` and `to`. */

/* Creates the object TREE in the namespace of J. */
struct transport_request owned_create(struct arena *a, const struct supervised *j, const struct data *tree);
/* Reads the object with the kind and name of TREE. */
struct transport_request owned_get(struct arena *a, const struct supervised *j, const struct data *tree);
/* Reads a pod. */
struct transport_request owned_get_pod(struct arena *a, const struct supervised *j, struct str name);
/* Deletes the object with the kind and name of TREE, if its uid is still UID. */
struct transport_request owned_drop(struct arena *a, const struct supervised *j, const struct data *tree,
	struct str uid);
/*
 * Replaces the member KEY ("spec") of the object with the kind and name of TREE by the JSON text VALUE, if its uid is
 * still UID.
 */
struct transport_request owned_change(struct arena *a, const struct supervised *j, const struct data *tree,
	struct str uid, const char *key, struct str value);
/* Makes J the owner of the object of kind KIND ("Pod") with the name NAME, if its uid is still UID. */
struct transport_request owned_adopt(struct arena *a, const struct supervised *j, struct str kind, struct str name,
	struct str uid);
/* Deletes the object of kind KIND with the name NAME, if its uid is still UID. */
struct transport_request owned_delete(struct arena *a, const struct supervised *j, struct str kind, struct str name,
	struct str uid);
/* Applies a merge patch to the resource, or to one of its subresources. */
/* A request for the current form of the resource of J. */
struct transport_request resource_get(struct arena *a, const struct supervised *j);
struct transport_request resource_patch(struct arena *a, const struct supervised *j, const char *subresource,
	struct str body);
/* Deletes the resource and, in the background, everything that it owns. */
struct transport_request resource_delete(struct arena *a, const struct supervised *j);

#endif
