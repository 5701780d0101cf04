/*
 * watches.h - the controller's watches: the custom resources of every kind that the cluster
 * serves, and the objects that they own.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_WATCHES_H
#define TRAINC_RUNTIME_SUPERVISE_WATCHES_H

#include "runtime/supervise/supervise_control.h"

struct watches;

/* Starts all watches. TURNED is called whenever the result of watches_current() changes. */
struct watches *watches_start(struct controller *c, void (*turned)(struct controller *c));
void watches_stop(struct watches *w);
/*
 * May a pass over a job, or with RUN over a run, begin? Not before the watches of the objects that it owns have
 * delivered all existing objects once.
 */
bool watches_cover(const struct watches *w, bool run);
/*
 * Has each watch delivered all existing objects at least once, and is none interrupted for 10 s? If not, appends a line
 * for each watch that is not live, with the reason and since when.
 */
bool watches_ready(const struct watches *w, struct buf *out);
/* Appends the names of the watches that are not live, with the reasons: "TFJob (connection refused), Pod". */
void watches_missing(const struct watches *w, struct buf *out);
/* Sets the values of the metrics that concern watches. */
void watches_measure(struct watches *w);
/*
 * Do the watches show one consistent state of the cluster? False before the first snapshots, and after an outage until
 * all watches are live again. During that time one watch may already show that the Services of a job are gone, while
 * another watch does not yet show that the job was deleted. A watch that stays behind while others are live counts for
 * at most half a minute, even if it is live for moments; then only its own jobs wait. It counts again when all watches
 * have been live for half a minute.
 */
bool watches_current(const struct watches *w);
/* Appends the state of each watch, for people. */
void watches_dump(const struct watches *w, struct buf *out);

#endif
