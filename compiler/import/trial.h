/*
 * trial.h - compiles a text to find out what the compiler makes of it.
 */
#ifndef TRAINC_IMPORT_TRIAL_H
#define TRAINC_IMPORT_TRIAL_H

#include "compile.h"

/* Compiles TEXT, which becomes `c->sources.at[0]`; besides it only the library can be read. */
struct trainc *trial_run(struct str text);
void trial_release(struct trainc *c);

#endif
