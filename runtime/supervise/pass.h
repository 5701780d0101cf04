/*
 * pass.h - one pass over one job: what is there, what decide() makes of it, and that carried out.
 *
 * What has to be known later is stored before anything is done, and the status is written last, so that a process that
 * dies at any moment leaves a cluster from which the next one goes on.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_PASS_H
#define TRAINC_RUNTIME_SUPERVISE_PASS_H

#include "runtime/supervise/control.h"

/* The worker of the queue: I->to is a struct supervised. */
void pass_begin(struct queue_item *i);
/* Frees those that are under way, when the process ends.  Their requests have been cancelled. */
void passes_release(struct controller *c);
/* Frees what is known about J, which is not in the queue and has no pass under way. */
void supervised_free(struct supervised *j);

#endif
