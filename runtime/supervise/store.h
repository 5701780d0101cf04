/*
 * store.h - the existing objects of jobs, or of runs: by uid, and by the job or run that their label names. The store
 * is filled by watches and by the answers to our own requests. Those answers are newer than the objects from the watch,
 * so the next pass sees the objects that were just created. For objects of jobs, the store keeps only the members that
 * passes read, as packed text of about 100 bytes. The watches for the objects of runs request only these members.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_STORE_H
#define TRAINC_RUNTIME_SUPERVISE_STORE_H

#include "runtime/cluster/packed.h"
#include "runtime/status/status.h"

/* The label by which an object names its job. */
#define STORE_LABEL "training.kubeflow.org/job-name"
/* The label that every pod of a custom resource has, and no pod of a run. */
#define STORE_TYPE_LABEL "training.kubeflow.org/replica-type"
/* The label by which an object names its run, and the label by which pods of Jobs name the uid of their Job. */
#define STORE_RUN_LABEL "trainc.dev/job"
#define STORE_POD_JOB_LABEL "batch.kubernetes.io/controller-uid"

struct store_object;

struct store {
	struct store_object **by_uid, **by_job;
	size_t n, slots;
	size_t bytes;                   /* total size of the texts */
	struct packed packed;           /* parts that the texts have in common */
	bool runs;                      /* the store contains the objects of runs */
	/* Called when the namespace NS keeps CHANGE bytes more; NULL: it is not counted. */
	void (*count)(void *to, struct str ns, ptrdiff_t change);
	void *to;
};

/* The label with which objects of the store name their job or run. */
static inline const char *store_label(const struct store *s) { return s->runs ? STORE_RUN_LABEL : STORE_LABEL; }


/*
 * Stores the current form of OBJECT, of kind KIND ("Pod"). Ignores a version that is older than the stored one. Returns
 * false if nothing has changed.
 */
bool store_put(struct store *s, struct str kind, const struct data *object);
/* Removes a deleted object; false if the store does not have the object. */
bool store_remove(struct store *s, struct str uid);
/*
 * Removes the objects of kind KIND for which EXISTS is false, and calls GONE with the namespace and the job of each. A
 * watch that takes a new snapshot does not report the deletion of objects that only answers to our requests contained.
 */
void store_sweep(struct store *s, struct str kind, bool (*exists)(void *to, struct str uid, struct str version),
	void (*gone)(void *to, struct str ns, struct str job), void *to);
/* Removes all objects in the namespace NS. */
void store_leave(struct store *s, struct str ns);
/*
 * Finds the namespace of an object and the name of its job, copied into A; false if the store does not have the object.
 */
bool store_job(const struct store *s, struct arena *a, struct str uid, struct str *ret_ns, struct str *ret_job);
/*
 * Calls SEE for each object of a job. Each tree is freed after its call: the trees of a thousand objects are megabytes.
 */
void store_each(const struct store *s, struct str ns, struct str job,
	void (*see)(void *to, const struct data *object), void *to);
/* Adds the objects of a job to RET, as trees in A. */
void store_objects(const struct store *s, struct arena *a, struct str ns, struct str job, struct status_objects *ret);
/* Does the job have any objects? */
bool store_has(const struct store *s, struct str ns, struct str job);
void store_release(struct store *s);

#endif
