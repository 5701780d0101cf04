/*
 * plugin_path.h - finds the executable of a credential plugin as kubectl does.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_PLUGIN_PATH_H
#define TRAINC_RUNTIME_CLUSTER_PLUGIN_PATH_H

#include "base/str.h"

/*
 * The path of COMMAND in the arena A. A COMMAND with '/' is its own path; another COMMAND is looked for in the
 * directories of PATH. Returns an empty text with an explanation in WHY if there is no such executable, or if the first
 * one is found through an entry of PATH that is relative or empty: it would be a file of the current directory, which
 * may belong to somebody else.
 */
struct str plugin_path(struct arena *a, struct str command, const char *path, struct str *why);

#endif
