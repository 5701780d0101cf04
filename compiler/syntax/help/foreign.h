/*
 * foreign.h - words that people bring from elsewhere (grammar/foreign.def).
 */
#ifndef TRAINC_SYNTAX_HELP_FOREIGN_H
#define TRAINC_SYNTAX_HELP_FOREIGN_H

#include "base/str.h"

struct foreign {
	const char *word;
	const char *help;               /* what to write instead, with an example line */
	const char *field;              /* the field of ours with the same meaning; NULL when none has exactly that */
};

/* The row of a field or block from elsewhere; NULL if the word is not known. */
const struct foreign *foreign_field(struct str word);
/*
 * That row for a block, when INNER is the first word in it: `resources` of Kubernetes has requests
 * and limits, ours has devices.
 */
const struct foreign *foreign_block(struct str word, struct str inner);
/* The same for the name of a value or function. */
const struct foreign *foreign_name(struct str word);
/* What to write instead of a text that a field does not take; NULL if it is not known. */
const char *foreign_value(struct str field, struct str text);

#endif
