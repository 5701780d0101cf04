/*
 * allow.h - `# allow CODE: reason` comments.
 */
#ifndef TRAINC_DIAG_ALLOW_H
#define TRAINC_DIAG_ALLOW_H

#include "diag/diag.h"

/*
 * Remove the warnings that comments in the sources silence, and report
 * comments without a reason or, in a program without errors, without effect
 * (TJ1009).  The collection must be sorted by place and is not afterwards.
 */
void allow_apply(struct diags *ds);

#endif
