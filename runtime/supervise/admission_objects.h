/*
 * admission_objects.h - selects the objects that policies check in the API server: the kinds, the changes, and the
 * fields that contain the roles.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_ADMISSION_OBJECTS_H
#define TRAINC_RUNTIME_SUPERVISE_ADMISSION_OBJECTS_H

#include "base/buf.h"
#include "cel/cel.h"

/*
 * Writes the members of a policy's `spec` that select objects and that define the variables of cel.h, with a comma
 * after each member.
 */
void admission_objects_put(struct buf *b, enum cel_objects objects);

#endif
