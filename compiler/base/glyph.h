/*
 * glyph.h - how a terminal shows one character of a text. The C library's wcwidth() depends on the locale, which the
 * compiler never sets; so the few ranges that matter are in a table here.
 */
#ifndef TRAINC_BASE_GLYPH_H
#define TRAINC_BASE_GLYPH_H

#include "base/str.h"

struct glyph {
	/* the text to print: control characters and malformed bytes become U+FFFD, a tab becomes blanks */
	struct str shown;
	size_t bytes;           /* length of the glyph in bytes, at least 1 */
	unsigned width;         /* width in columns: 0 for combining marks, 2 for wide characters */
};

/* The character at byte I of S, printed at COLUMN (from 0; tab stops are every 8 columns). */
struct glyph glyph_at(struct str s, size_t i, unsigned column);

/*
 * Would the well-formed character of N bytes at P move the cursor or reorder the line? Control characters, DEL, U+0080
 * to U+009F, and the characters that control the direction of text would.
 */
bool glyph_hidden(const char *p, size_t n);

/* The number of columns that a text takes when it begins at the left edge. */
unsigned text_columns(struct str s);

#endif
