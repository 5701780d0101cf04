/*
 * watch_restart.h - restarts of the whole run, as seen by a command that watches the run: decides which Jobs count
 * while Jobs are replaced, and makes the restart itself if the command attends the run.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_WATCH_RESTART_H
#define TRAINC_RUNTIME_CLUSTER_WATCH_RESTART_H

#include "runtime/cluster/attend_step.h"
#include "runtime/cluster/cluster_watch.h"

/* Must be called after the record of the run has been read for the first time. */
void watch_restart_open(struct cluster_watch *c);
/* Updates which Jobs belong to the run from NOW, the newest form of the record. */
void watch_restart_renew(struct cluster_watch *c, const struct parent *now);
/* Has somebody applied the run again without replacing its Jobs? */
bool watch_restart_keeps(const struct cluster_watch *c, const struct parent *now);
/*
 * May a Job that has the name of an earlier Job but another uid be the result of a restart? The watch of the record may
 * lag behind the watch of Jobs.
 */
bool watch_restart_explains(struct cluster_watch *c, struct str uid);
/*
 * Leaves out Jobs that the record no longer lists, and copies the facts about restarts from the record. Until the new
 * Jobs have been seen, a restart counts as under way.
 */
void watch_restart_prepare(struct cluster_watch *c, struct status_objects *objects);
/* Carries out the restart that a STEP orders. */
void watch_restart_act(struct cluster_watch *c, const struct attend_step *step, const struct status_objects *objects);

#endif
