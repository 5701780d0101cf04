/*
 * trial.h - compiles a text to find out how the compiler reads it.
 */
#ifndef TRAINC_IMPORT_TRIAL_H
#define TRAINC_IMPORT_TRIAL_H

#include "compile.h"

/*
 * Compiles TEXT, which becomes `c->sources.at[0]`; the only other files that it can read are those of the library.
 * TARGET.p == NULL: for the target of the program.
 */
struct trainc *trial_run(struct str text, struct str target);
void trial_release(struct trainc *c);

#endif
