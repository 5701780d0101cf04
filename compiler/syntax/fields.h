/*
 * fields.h - looks up the type of a field by its name alone, in whichever block it occurs.
 */
#ifndef TRAINC_SYNTAX_FIELDS_H
#define TRAINC_SYNTAX_FIELDS_H

#include "base/str.h"

/* The spelling of the type of the field with that name, in whichever block it occurs; NULL if no block has one. */
const char *field_type(struct str word);
/* Is it a field that only `project` has? */
bool field_is_of_project(struct str word);
/* Is it a field of every role, and so of a role in a policy? */
bool field_is_of_role(struct str word);
static inline bool is_field(struct str word) { return field_type(word) != NULL; }

#endif
