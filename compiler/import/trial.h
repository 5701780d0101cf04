/*
 * trial.h - compiles a text to see what becomes of it.
 */
#ifndef TRAINC_IMPORT_TRIAL_H
#define TRAINC_IMPORT_TRIAL_H

#include "compile.h"

/* The text is `c->sources.at[0]`; besides it only the library can be read. */
struct trainc *trial_run(struct str text);
void trial_release(struct trainc *c);

#endif
