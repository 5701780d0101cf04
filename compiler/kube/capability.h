/*
 * capability.h - the capabilities of Linux, as a container's security context names them: without CAP_.
 */
#ifndef TRAINC_KUBE_CAPABILITY_H
#define TRAINC_KUBE_CAPABILITY_H

#include "base/str.h"

/* The name of capability I, from 0; NULL after the last one. The first one is "ALL". */
const char *kube_capability(size_t i);
bool kube_is_capability(struct str name);

#endif
