/*
 * run_shape.h - what the rows of run_state.def need.
 */
#ifndef TRAINC_RUNTIME_RUN_RUN_SHAPE_H
#define TRAINC_RUNTIME_RUN_RUN_SHAPE_H

#include "data/shape.h"
#include "runtime/run/run_state.h"

/* A state has no dump; the outcome of a run takes its place among the uses. */
#define IN_OUTCOME IN_DUMP
/* Members that state files have, also when they are zero, and that are in the digest. */
#define IN_FILE (IN_RECORD | IN_IDENTITY | ALWAYS)

#endif
