/*
 * store.h - the present objects of jobs: by uid, and by the job that their label names.
 *
 * Filled by watches, and by the answers to our own requests, which are newer than what a watch has
 * brought: so the next pass sees what was just created.  What passes ask about is kept of each
 * object, as text: 200 to 400 bytes.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_STORE_H
#define TRAINC_RUNTIME_SUPERVISE_STORE_H

#include "runtime/status/status.h"

/* The label by which an object names its job. */
#define STORE_LABEL "training.kubeflow.org/job-name"

struct store_object;

struct store {
	struct store_object **by_uid, **by_job;
	size_t n, slots;
	size_t bytes;                   /* of texts */
};

/*
 * Takes over the present form of OBJECT, of KIND ("Pod"); an older version changes nothing.  False
 * when nothing has changed.
 */
bool store_put(struct store *s, struct str kind, const struct data *object);
/* The object is gone; false when it was not known. */
bool store_remove(struct store *s, struct str uid);
/* The namespace of an object and its job, copied into A; false when it is not known. */
bool store_job(const struct store *s, struct arena *a, struct str uid, struct str *ret_ns, struct str *ret_job);
/* Adds the objects of a job to RET, as trees in A. */
void store_objects(const struct store *s, struct arena *a, struct str ns, struct str job, struct status_objects *ret);
void store_release(struct store *s);

#endif
