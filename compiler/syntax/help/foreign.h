/*
 * foreign.h - looks up words of other tools (grammar/foreign.def).
 */
#ifndef TRAINC_SYNTAX_HELP_FOREIGN_H
#define TRAINC_SYNTAX_HELP_FOREIGN_H

#include "base/str.h"

struct foreign {
	const char *word;
	const char *help;               /* what to write instead, with an example line */
	const char *field;              /* the field of this language with the same meaning; NULL when no field has
					 * exactly that meaning */
};

/* The row for a field or block of another tool; NULL if the word is not known. */
const struct foreign *foreign_field(struct str word);
/*
 * The row for the block WORD whose first inner word is INNER: `resources` of Kubernetes contains requests and limits,
 * `resources` of this language contains devices.
 */
const struct foreign *foreign_block(struct str word, struct str inner);
/* The row for the name of a value or function. */
const struct foreign *foreign_name(struct str word);
/* What to write instead of a text that a field does not accept; NULL if it is not known. */
const char *foreign_value(struct str field, struct str text);
/* The dimension of a layout that frameworks call WORD, such as "tp" for tensor_parallel_size; NULL if none. */
const char *foreign_dimension(struct str word);
/* The name in this language of a field that a pod can read about itself (fieldRef); NULL if it is not known. */
const char *foreign_fact(struct str path);

#endif
