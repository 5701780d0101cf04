/*
 * names.h - names for completion scripts.
 */
#ifndef TRAINC_RUNTIME_COMMAND_NAMES_H
#define TRAINC_RUNTIME_COMMAND_NAMES_H

#include "command/question.h"
#include "command/session.h"

/* Writes the names that Q requests, one per line, within a second.  Leaves out names that cannot be found in time. */
int names_answer(struct session *s, const struct names_question *q);

#endif
