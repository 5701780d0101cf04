/*
 * contexts.h - commands that only show, with --context a,b or --context all: several clusters at once. A process for
 * each context runs the command and passes on what it has found, so a cluster that does not answer holds up nothing.
 */
#ifndef TRAINC_RUNTIME_COMMAND_CONTEXTS_H
#define TRAINC_RUNTIME_COMMAND_CONTEXTS_H

#include "runtime/command/backend.h"

/* Does --context name several contexts? */
bool contexts_several(struct session *s);
/*
 * If --context names several contexts, runs COMMAND in each, prints what they have found, and sets the exit status.
 * False: it names one, and the command goes on by itself.
 */
bool contexts_run(struct session *s, int (*command)(struct session *s), int *ret_status);

#endif
