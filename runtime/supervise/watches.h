/*
 * watches.h - the controller's watches: the custom resources of every kind that the cluster
 * serves, and the objects that they own.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_WATCHES_H
#define TRAINC_RUNTIME_SUPERVISE_WATCHES_H

#include "runtime/supervise/control.h"

struct watches;

/* Starts all watches. SYNCED is called once, when each watch has brought every object that exists. */
struct watches *watches_start(struct controller *c, void (*synced)(struct controller *c));
void watches_stop(struct watches *w);
bool watches_synced(const struct watches *w);
/* Appends the state of each watch, for people. */
void watches_dump(const struct watches *w, struct buf *out);

#endif
