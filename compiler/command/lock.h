/*
 * lock.h - trainc.lock made again.
 */
#ifndef TRAINC_LOCK_H
#define TRAINC_LOCK_H

#include "command/session.h"

/*
 * Write the hashes of the packages that the nearest project.tj names (check/package.h) beside it, and to standard
 * output. Returns the status to leave with, after saying why it is not 0; then nothing is written.
 */
int lock_packages(struct session *s);

#endif
