/*
 * jobs.h - the jobs under supervision, by kind, namespace and name.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_JOBS_H
#define TRAINC_RUNTIME_SUPERVISE_JOBS_H

#include "runtime/supervise/control.h"

/* Takes over the present form of a custom resource. */
void jobs_seen(struct controller *c, const struct custom_kind *k, const struct data *object);
/* It was deleted. */
void jobs_gone(struct controller *c, const struct custom_kind *k, const struct data *object);
/* Something that belongs to the jobs of that name has changed. */
void jobs_touch(struct controller *c, struct str ns, struct str name);
/* All of them come into the queue. */
void jobs_touch_all(struct controller *c);
void jobs_release(struct controller *c);
/* For people: each job that waits or is worked on, one a line. */
void jobs_dump(const struct controller *c, struct buf *out);

#endif
