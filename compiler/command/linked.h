/*
 * linked.h - what the programs were built from: the commit, and the libraries in `trainc` and `trainc-cluster`, with
 * their versions. The build makes this table (libraries.sh), because fixes of a library that is linked statically reach
 * its users only with a new build.
 */
#ifndef TRAINC_COMMAND_LINKED_H
#define TRAINC_COMMAND_LINKED_H

#include "base/buf.h"

/* The commit of the source, with "-dirty" if files differed from it; "" outside of a repository. */
extern const char *const linked_commit;

/* Appends a line for each library: name, version, package of the distribution, and the programs that contain it. */
void linked_text(struct buf *out);
/* Appends the libraries as a list of JSON. */
void linked_json(struct buf *out);

#endif
