/*
 * store.h - the objects that jobs have made, as they are now: by uid, and by the job that their label names.
 *
 * Fed by watches, and by the answers to our own requests, which are newer than what a watch has brought so far: what
 * was just created is seen by the next pass whatever the watch says.  Objects are kept as text; a pod takes a few
 * hundred bytes.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_STORE_H
#define TRAINC_RUNTIME_SUPERVISE_STORE_H

#include "runtime/status/status.h"

/* The label by which a dependent names its job. */
#define STORE_LABEL "training.kubeflow.org/job-name"

struct store_object;

struct store {
	struct store_object **by_uid, **by_job;
	size_t n, slots;
	size_t bytes;                   /* of texts */
};

/*
 * OBJECT of KIND ("Pod") is like this now; an older version than the one there changes nothing.  False when nothing
 * has changed.
 */
bool store_put(struct store *s, struct str kind, const struct data *object);
/* It is gone; false when it was not there. */
bool store_remove(struct store *s, struct str uid);
/* Where an object and its job are, copied into A; false when it is not there. */
bool store_job(const struct store *s, struct arena *a, struct str uid, struct str *ret_ns, struct str *ret_job);
/* Adds the objects of a job to RET, as trees in A. */
void store_objects(const struct store *s, struct arena *a, struct str ns, struct str job, struct status_objects *ret);
void store_release(struct store *s);

#endif
