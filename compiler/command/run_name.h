/*
 * run_name.h - what --name means: the run has this name instead of that of its job. In it, {hash} stands for a digest
 * of the objects, and {n} for the smallest number with which the name is free.
 */
#ifndef TRAINC_COMMAND_RUN_NAME_H
#define TRAINC_COMMAND_RUN_NAME_H

#include "command/options.h"

/* May NAME be the value of --name of this command? Otherwise returns false with an explanation. */
bool run_name_accepted(struct arena *a, enum command command, struct str name, struct str *why);
bool run_name_has_hash(struct str name);
bool run_name_has_number(struct str name);
/* The name with DIGITS in place of {hash}. */
struct str run_name_hashed(struct arena *a, struct str name, struct str digits);
/* The name with N in place of {n}. */
struct str run_name_numbered(struct arena *a, struct str name, int64_t n);
/* The name without what is in braces, and without a dash before that: the digest is that of its objects. */
struct str run_name_plain(struct arena *a, struct str name);

#endif
