/*
 * completion.h - writes the scripts with which shells complete command lines of trainc, from the table of options.
 */
#ifndef TRAINC_COMPLETION_H
#define TRAINC_COMPLETION_H

#include "base/buf.h"

/* Appends the script for bash, zsh or fish; false for another shell. */
bool completion_script(struct arena *a, struct str shell, struct buf *out);

#endif
