/*
 * allow.h - comments of the form `# allow CODE: reason`.
 */
#ifndef TRAINC_DIAG_ALLOW_H
#define TRAINC_DIAG_ALLOW_H

#include "diag/diag.h"

/*
 * Removes the warnings that comments in the sources allow. Reports comments without a reason and, in a program without
 * errors, those without effect (TJ1009). The collection must be sorted by position before, and is not sorted
 * afterwards.
 */
void allow_apply(struct diags *ds);

#endif
