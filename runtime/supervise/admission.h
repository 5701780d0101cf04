/*
 * admission.h - `trainc supervise --policy`: writes the policies of the project as objects with which the API server
 * itself checks jobs.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_ADMISSION_H
#define TRAINC_RUNTIME_SUPERVISE_ADMISSION_H

#include "command/session.h"

/*
 * Writes the objects to standard output. Writes to standard error which checks the objects leave out, with the reason.
 * Returns the exit status.
 */
int admission_write(struct session *s);

#endif
