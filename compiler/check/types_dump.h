/* types_dump.h - prints what the checker found out, for `trainc dump --types`. */
#ifndef TRAINC_CHECK_TYPES_DUMP_H
#define TRAINC_CHECK_TYPES_DUMP_H

#include "base/buf.h"
#include "syntax/ast.h"

/*
 * Prints one line for every expression of a checked file that has a type, in file order: its place, its text
 * (shortened), its type, and the type of the place that it is converted to.
 */
void types_dump(struct arena *a, const struct sources *sources, const struct node *file, struct buf *out);

#endif
