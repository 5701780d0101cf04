/*
 * operands.h - expands directories and patterns among the operands.
 */
#ifndef TRAINC_COMMAND_OPERANDS_H
#define TRAINC_COMMAND_OPERANDS_H

#include "base/source.h"
#include "command/options.h"

/*
 * For commands that take several programs, replaces operands that are directories by the programs in them, and
 * patterns by the files that match. Returns false, with a sentence in WHY, if a directory has no programs.
 */
bool operands_expand(struct arena *a, const struct reader *reader, struct options *o, struct str *why);

#endif
