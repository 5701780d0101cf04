/*
 * pass.h - one pass over one job: decide() gets its objects, and the decision is carried out. Facts that later passes
 * need are stored before any action, and the status is written last. So wherever a process dies, the next one can
 * continue from the state in the cluster.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_PASS_H
#define TRAINC_RUNTIME_SUPERVISE_PASS_H

#include "runtime/supervise/supervise_control.h"

/* The worker of the queue: I->to is a struct supervised. */
void pass_begin(struct queue_item *i);
/* Frees the passes that are under way when the process ends. Their requests have been cancelled. */
void passes_release(struct controller *c);

#endif
