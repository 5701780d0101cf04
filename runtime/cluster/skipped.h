/*
 * skipped.h - names the objects that a command could not use, each once.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_SKIPPED_H
#define TRAINC_RUNTIME_CLUSTER_SKIPPED_H

#include "runtime/cluster/client.h"
#include "runtime/cluster/json_stream.h"

/* Says on standard error that an object of KIND was skipped, unless the command has said so before. */
void skipped_say(struct client *c, struct str kind, const struct json_skipped *s);

#endif
