/*
 * shell_word.h - command lines for the eye.
 */
#ifndef TRAINC_RUNTIME_RUN_SHELL_WORD_H
#define TRAINC_RUNTIME_RUN_SHELL_WORD_H

#include "base/buf.h"

/* A word as a shell would take it: in quotes where it needs them.  What a terminal would act on is escaped. */
void put_shell_word(struct buf *b, struct str word);

#endif
