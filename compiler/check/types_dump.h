/* types_dump.h - prints the types that the checker computed, for `trainc dump --types`. */
#ifndef TRAINC_CHECK_TYPES_DUMP_H
#define TRAINC_CHECK_TYPES_DUMP_H

#include "base/buf.h"
#include "syntax/ast.h"

/*
 * Prints one line for every expression of a checked file that has a type, in file order: its position, its text
 * (shortened), its type, and the type that it is converted to.
 */
void types_dump(struct arena *a, const struct sources *sources, const struct node *file, struct buf *out);

#endif
