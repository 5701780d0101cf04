/*
 * operands.h - expands directories and patterns among the operands.
 */
#ifndef TRAINC_COMMAND_OPERANDS_H
#define TRAINC_COMMAND_OPERANDS_H

#include "base/source.h"
#include "command/options.h"

/*
 * Replaces the operand of O by the programs in that directory, or the files that match the
 * pattern, for commands that take several programs.  False, with a sentence in WHY, for a
 * directory without programs.
 */
bool operands_expand(struct arena *a, const struct reader *reader, struct options *o, struct str *why);

#endif
