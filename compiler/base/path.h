/*
 * path.h - file names as text: nothing here accesses a disk.
 */
#ifndef TRAINC_BASE_PATH_H
#define TRAINC_BASE_PATH_H

#include "base/str.h"

/* The directory of a path: "." for a plain name, "/" for a file in the root. */
struct str path_directory(struct str path);
/* The part of a path after the last slash. */
struct str path_base(struct str path);
/* PATH relative to DIRECTORY, without `.`, `//` and, where possible, `..`. */
struct str path_join(struct arena *a, struct str directory, struct str path);
/* Is PATH inside DIRECTORY? Both were normalized by path_join() and are relative to the same directory. */
bool path_inside(struct str directory, struct str path);

#endif
