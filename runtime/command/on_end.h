/*
 * on_end.h - the command of --on-end, which runs once for each run that has ended.
 */
#ifndef TRAINC_RUNTIME_COMMAND_ON_END_H
#define TRAINC_RUNTIME_COMMAND_ON_END_H

#include "runtime/command/runs.h"

/* Is the value of --on-end one that can be used? If not, that was reported. */
bool on_end_valid(struct session *s);
/*
 * Runs the command for each run of A that has a verdict, one after the other, with facts about it in its environment
 * and its state as JSON on standard input. What becomes of the command is reported, and has no other effect.
 */
void on_end_run(struct session *s, struct attend *a);

#endif
