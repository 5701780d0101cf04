/*
 * status.h - judges one job by the objects of a cluster, without input or output. Objects are trees as `kubectl get -o
 * json` prints them. They are matched to roles by the labels that the targets write, or by name. The rules come from
 * the plan: `success`, `running`, `restart`, `retries`, `retry_on`, `on_failed_pod`, `timeout`. If the controller of a
 * Job, or of an object for the whole run, has already decided, its decision takes precedence.
 */
#ifndef TRAINC_RUNTIME_STATUS_STATUS_H
#define TRAINC_RUNTIME_STATUS_STATUS_H

#include "runtime/status/status_object.h"

/* Adds a document; for a List, its items. */
void status_add(struct arena *a, struct status_objects *o, const struct data *document);

/*
 * The state of job J. NOW is the time for rules about durations, in nanoseconds of the real-time clock. The state is as
 * complete as the state of a local run, so report_runs() can show runs of both kinds.
 */
struct run_state status_of(struct arena *a, const struct plan_job *j, const struct status_objects *o, int64_t now);

#endif
