/*
 * status.h - what the objects of a cluster say about one job: a verdict without
 * any input or output.
 *
 * Objects are trees as `kubectl get -o json` prints them.  They are matched to
 * roles by the labels that the targets write, or by name.  What decides comes from
 * the plan: `success`, `running`, `restart`, `retries`, `retry_on`, `on_failed_pod`,
 * `timeout`; where a controller has spoken (a Job, an object that stands for the
 * whole run), its word comes first.
 * Sources: runtime-requirements.md section 4 (rows S-.., named where they are
 * judged), operator-semantics.md sections 7 and 8.
 */
#ifndef TRAINC_RUNTIME_STATUS_STATUS_H
#define TRAINC_RUNTIME_STATUS_STATUS_H

#include "runtime/status/object.h"

/* Adds a document: a List gives its items. */
void status_add(struct arena *a, struct status_objects *o, const struct data *document);

/*
 * `now`: nanoseconds of the real-time clock, for what depends on how long something
 * lasts.  The state is whole, as that of a local run is: report_runs() shows either.
 */
struct run_state status_of(struct arena *a, const struct plan_job *j, const struct status_objects *o, int64_t now);

#endif
