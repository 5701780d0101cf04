/*
 * lock.h - writes trainc.lock.
 */
#ifndef TRAINC_LOCK_H
#define TRAINC_LOCK_H

#include "command/session.h"

/*
 * Writes the hashes of the packages that the nearest project.tj names (check/package.h) to a file next to it, and to
 * standard output. Returns the exit status. If it is not 0, the reason was reported and nothing is written.
 */
int lock_packages(struct session *s);

#endif
