/*
 * run_pass.h - one pass over a run that `trainc apply --controller` left to the controller: it does the work of a
 * running `trainc wait`, with the same decisions. The subject is the run's record, a ConfigMap. Only Jobs that the
 * record lists by uid count, so an apply that is under way, or that died, changes nothing here. The verdict is recorded
 * before a Job is deleted because of it: the pods that prove the verdict may be deleted with the Job.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_RUN_PASS_H
#define TRAINC_RUNTIME_SUPERVISE_RUN_PASS_H

#include "runtime/supervise/supervise_control.h"

/* The worker of the queue for an item whose `to` is a struct supervised of `run_record_kind`. */
void run_pass_begin(struct queue_item *i);
/* Frees the passes that are under way when the process ends. Their requests have been cancelled. */
void run_passes_release(struct controller *c);

#endif
