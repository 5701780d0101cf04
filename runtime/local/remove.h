/*
 * remove.h - directories with everything in them.
 */
#ifndef TRAINC_RUNTIME_LOCAL_REMOVE_H
#define TRAINC_RUNTIME_LOCAL_REMOVE_H

#include "base/str.h"

/*
 * Remove what is in the directory `fd`, however deep, without following links; but
 * for an entry called `keep` (or NULL) in it.  Directories that their owner may not
 * enter are made so first.  False with a sentence that names what stayed.
 */
bool remove_inside(struct arena *a, int fd, const char *keep, struct str *why);

#endif
