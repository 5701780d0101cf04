/*
 * saved.h - objects of a cluster in a file, as kubectl prints them.
 */
#ifndef TRAINC_RUNTIME_COMMAND_SAVED_H
#define TRAINC_RUNTIME_COMMAND_SAVED_H

#include "command/session.h"
#include "runtime/status/status.h"

/*
 * Adds the objects of a file, JSON or YAML, to RET; PATH "-" is standard input. False after saying what is wrong with
 * it.
 */
bool saved_read(struct session *s, struct str path, struct sources *sources, struct status_objects *ret);

#endif
