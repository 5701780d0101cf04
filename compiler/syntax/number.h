/*
 * number.h - classifies number words, each of which is the longest word that the scanner could read.
 */
#ifndef TRAINC_SYNTAX_NUMBER_H
#define TRAINC_SYNTAX_NUMBER_H

#include "syntax/token.h"

/* The kind of a number: TOKEN_INT, FLOAT, QUANTITY or TOPOLOGY; TOKEN_BAD after reporting. */
int number_kind(struct tokens *ts, uint32_t start, uint32_t end);

/* The value of an INT word; false when it is above 2^64-1. */
bool number_integer(struct str word, uint64_t *ret);
/* The value of a FLOAT word; false when a double cannot hold it. */
bool number_floating(struct str word, double *ret);
/* The sizes of a TOPOLOGY word (2 or 3); 0 when one is above 2^63-1. */
unsigned number_topology(struct str word, int64_t size[3]);

#endif
