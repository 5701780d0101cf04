/*
 * access.h - asks the API server whether the user may do something, before a command rests on it.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_ACCESS_H
#define TRAINC_RUNTIME_CLUSTER_ACCESS_H

#include "runtime/cluster/cluster.h"

/*
 * May the user open streams of pods, such as exec or portforward (KIND), in namespace NS? If not, reports which verbs
 * are missing and which Role has them, and returns false with a status; so does an interrupt. An API server that does
 * not answer the question decides later, when the stream is opened.
 */
bool access_to_streams(struct cluster *k, struct str ns, const char *kind, int *ret_status);

#endif
