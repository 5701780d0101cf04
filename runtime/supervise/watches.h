/*
 * watches.h - the controller's watches: the custom resources of every kind that the cluster
 * serves, and the objects that they own.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_WATCHES_H
#define TRAINC_RUNTIME_SUPERVISE_WATCHES_H

#include "runtime/supervise/control.h"

struct watches;

/* Starts all watches. TURNED is called whenever the result of watches_current() changes. */
struct watches *watches_start(struct controller *c, void (*turned)(struct controller *c));
void watches_stop(struct watches *w);
/* Has each watch delivered all existing objects at least once? */
bool watches_synced(const struct watches *w);
/*
 * Do the watches show one consistent state of the cluster? False before the first snapshots, and after an outage until
 * all watches are live again. During that time one watch may already show that the Services of a job are gone, while
 * another watch does not yet show that the job was deleted. A watch that stays behind while others are live counts for
 * at most half a minute.
 */
bool watches_current(const struct watches *w);
/* Appends the state of each watch, for people. */
void watches_dump(const struct watches *w, struct buf *out);

#endif
