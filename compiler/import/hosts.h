/*
 * hosts.h - finds names in texts that other systems give to pods.
 */
#ifndef TRAINC_IMPORT_HOSTS_H
#define TRAINC_IMPORT_HOSTS_H

#include "import/import_manifest.h"

/*
 * The address of a pod of the job at text.p[i]: its length, including the namespace, and the expression that replaces
 * it; 0 if no such address begins there.
 */
size_t host_at(struct import *im, struct imported *job, struct str text, size_t i, struct str *ret);

/* Is it a label or annotation that the controller of another job system writes to its pods? */
bool host_is_foreign(struct str key);

#endif
