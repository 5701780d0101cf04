/*
 * supervise_jobs.h - the jobs under supervision, by kind, namespace and name.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_SUPERVISE_JOBS_H
#define TRAINC_RUNTIME_SUPERVISE_SUPERVISE_JOBS_H

#include "runtime/supervise/supervise_control.h"

/* Updates a job from the current form of its custom resource, or adds it. */
void jobs_seen(struct controller *c, const struct custom_kind *k, const struct data *object);
/* Holds a job, because the current form of its custom resource cannot be used, until jobs_seen() or jobs_gone(). */
void jobs_useless(struct controller *c, const struct custom_kind *k, struct str ns, struct str name, struct str uid);
/* Removes a job whose custom resource was deleted. */
void jobs_gone(struct controller *c, const struct custom_kind *k, const struct data *object);
/* Removes the jobs of kind K for which EXISTS is false: their deletion was not reported. */
void jobs_sweep(struct controller *c, const struct custom_kind *k,
	bool (*exists)(void *to, struct str uid, struct str version), void *to);
/* Forgets all jobs of T; passes that are under way send nothing more. */
void jobs_leave(struct controller *c, const struct tenant *t);
/* Queues the jobs of that name, because an object that belongs to them has changed. */
void jobs_touch(struct controller *c, struct str ns, struct str name);
/* Queues the run of that name. */
void jobs_touch_run(struct controller *c, struct str ns, struct str run);
void jobs_release(struct controller *c);
/* Appends a readable list of the jobs that wait or are under way, one per line. */
void jobs_dump(const struct controller *c, struct buf *out);

#endif
