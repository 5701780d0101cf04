/*
 * admission.h - `trainc supervise --policy`: the policies of the project as objects with which the
 * API server itself checks jobs.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_ADMISSION_H
#define TRAINC_RUNTIME_SUPERVISE_ADMISSION_H

#include "command/session.h"

/*
 * Writes the objects, and on standard error which checks they leave out and why; returns the
 * status to leave with.
 */
int admission_write(struct session *s);

#endif
