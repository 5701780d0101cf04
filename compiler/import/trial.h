/*
 * trial.h - a text compiled to see what becomes of it.
 */
#ifndef TRAINC_IMPORT_TRIAL_H
#define TRAINC_IMPORT_TRIAL_H

#include "compile.h"

/* The text is `c->sources.at[0]`; nothing else can be read but the library. */
struct trainc *trial_run(struct str text);
void trial_release(struct trainc *c);

#endif
