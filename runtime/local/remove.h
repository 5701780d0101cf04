/*
 * remove.h - removes directories with everything in them.
 */
#ifndef TRAINC_RUNTIME_LOCAL_REMOVE_H
#define TRAINC_RUNTIME_LOCAL_REMOVE_H

#include "base/str.h"

/*
 * Removes everything in the directory FD, however deep, without following links; an entry named KEEP (or NULL) is left.
 * Directories that their owner cannot enter are made accessible first. Returns false with an explanation that names a
 * file or directory that could not be removed.
 */
bool remove_inside(struct arena *a, int fd, const char *keep, struct str *why);

#endif
