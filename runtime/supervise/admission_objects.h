/*
 * admission_objects.h - the objects that policies check in the API server: which ones, on which changes, and where
 * their roles are.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_ADMISSION_OBJECTS_H
#define TRAINC_RUNTIME_SUPERVISE_ADMISSION_OBJECTS_H

#include "base/buf.h"
#include "cel/cel.h"

/* Writes the members of a policy's `spec` that select objects and define the variables of cel.h, each with a comma. */
void admission_objects_put(struct buf *b, enum cel_objects objects);

#endif
