/*
 * remove.h - directories with everything in them.
 */
#ifndef TRAINC_RUNTIME_LOCAL_REMOVE_H
#define TRAINC_RUNTIME_LOCAL_REMOVE_H

#include "base/str.h"

/*
 * Removes everything in the directory `fd`, however deep, without following links; but not an
 * entry `keep` (or NULL) in it.  Directories that their owner cannot enter are made accessible
 * first.  False with a sentence that names what is left.
 */
bool remove_inside(struct arena *a, int fd, const char *keep, struct str *why);

#endif
