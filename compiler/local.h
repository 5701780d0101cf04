/*
 * local.h - what the command line says about a run on this machine.
 */
#ifndef TRAINC_LOCAL_H
#define TRAINC_LOCAL_H

#include "runtime/local/engine.h"
#include "session.h"

/* From --isolate, --mount and the others of their kind; false after saying what is wrong (status 2). */
bool local_options(struct session *s, struct engine_options *ret);

/*
 * The one job of the program that is to run, compiled and without errors; false
 * with the status to leave with after saying why not.  Release `all` in any case.
 */
bool local_job(struct session *s, struct programs *all, const struct plan_job **ret, int *ret_status);

#endif
