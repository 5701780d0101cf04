/*
 * locate.h - line and column of many places of one text.
 *
 * source_place() reads from the start of the file.  Diagnostics come in order,
 * so remembering the last place makes the whole list one pass over the text.
 */
#ifndef TRAINC_DIAG_LOCATE_H
#define TRAINC_DIAG_LOCATE_H

#include "base/source.h"

struct locator {
	const struct sources *sources;
	struct place last;
};

/* As source_place(). */
struct place locate(struct locator *l, uint32_t offset);

#endif
