/*
 * fields.h - the types of fields by their names, in any block.
 */
#ifndef TRAINC_SYNTAX_FIELDS_H
#define TRAINC_SYNTAX_FIELDS_H

#include "base/str.h"

/* The type of the field of that name, as it is spelled, in any block; NULL if there is none. */
const char *field_type(struct str word);
static inline bool is_field(struct str word) { return field_type(word) != NULL; }

#endif
