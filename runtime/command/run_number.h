/*
 * run_number.h - the number of a run whose --name has {n}.
 */
#ifndef TRAINC_RUNTIME_COMMAND_RUN_NUMBER_H
#define TRAINC_RUNTIME_COMMAND_RUN_NUMBER_H

#include "runtime/command/backend.h"

/*
 * Sets S->number to the smallest number with which the name is free where B has its runs, if --name has a number.
 * Returns false and sets a status after reporting an error.
 */
bool run_number_choose(struct session *s, const struct backend *b, int *ret_status);
/*
 * Has somebody else taken the name after it was chosen, so that the program must be compiled again with another number?
 * Counts the attempts in TRIES; after the last one, reports it and returns false.
 */
bool run_number_again(struct session *s, unsigned *tries);

#endif
