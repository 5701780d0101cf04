/*
 * schema_limits.h - what a definition says about a value besides its type.
 *
 * Limits are words with blanks between them: range=0..10 (a number), length=1..63 (the characters of a text),
 * items=1..16 (of a list), members=1.. (of a map) and pattern=REGEX (which a text must contain a match of). Either end
 * of a range may be missing. With "each." in front, a word is about the elements of a list or map.
 */
#ifndef TRAINC_KUBE_SCHEMA_LIMITS_H
#define TRAINC_KUBE_SCHEMA_LIMITS_H

#include "kube/schema_check.h"

/* Reports (TJ0904) what LIMITS forbid of D, the value of the field KEY. */
void schema_limits_check(struct schema_checking *c, struct str limits, struct str key, const struct data *d);

#endif
