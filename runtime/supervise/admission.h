/*
 * admission.h - `trainc supervise --policy`: writes the policies of the project as objects that make the API server
 * itself check jobs.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_ADMISSION_H
#define TRAINC_RUNTIME_SUPERVISE_ADMISSION_H

#include "command/session.h"

/*
 * Writes the objects to standard output. Writes to standard error which checks the objects leave out, and why. Returns
 * the exit status.
 */
int admission_write(struct session *s);

#endif
