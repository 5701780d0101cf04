/*
 * shell_word.h - command lines for people to read and copy.
 */
#ifndef TRAINC_RUNTIME_RUN_SHELL_WORD_H
#define TRAINC_RUNTIME_RUN_SHELL_WORD_H

#include "base/buf.h"

/* Appends a word in a form that a shell reads: in quotes if necessary. Control characters are escaped. */
void put_shell_word(struct buf *b, struct str word);

#endif
