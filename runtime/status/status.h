/*
 * status.h - what the objects of a cluster tell about one job: a verdict, without any input or
 * output.
 *
 * Objects are trees as `kubectl get -o json` prints them.  They are matched to roles by the labels
 * that the targets write, or by name.  The rules come from the plan: `success`, `running`,
 * `restart`, `retries`, `retry_on`, `on_failed_pod`, `timeout`; but where a controller has decided
 * (a Job's, or that of an object for the whole run), its decision comes first. Sources:
 * docs/testing.md (rows S-.., named where they are judged).
 */
#ifndef TRAINC_RUNTIME_STATUS_STATUS_H
#define TRAINC_RUNTIME_STATUS_STATUS_H

#include "runtime/status/object.h"

/* Adds a document: of a List, its items. */
void status_add(struct arena *a, struct status_objects *o, const struct data *document);

/*
 * `now`: nanoseconds of the real-time clock, for rules about how long something lasts.  The state
 * is as complete as that of a local run: report_runs() shows either.
 */
struct run_state status_of(struct arena *a, const struct plan_job *j, const struct status_objects *o, int64_t now);

#endif
