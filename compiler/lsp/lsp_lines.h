/*
 * lsp_lines.h - converts positions in a text for editors. The compiler counts bytes; a position of the protocol is a
 * line and a number of code units in it, in the encoding that client and server agreed on. A line ends with LF, CRLF or
 * CR. A position after the end of its line is the end of the line; one after the last line is the end of the text.
 */
#ifndef TRAINC_LSP_LSP_LINES_H
#define TRAINC_LSP_LSP_LINES_H

#include "base/str.h"

enum encoding { ENCODING_UTF16, ENCODING_UTF8, ENCODING_UTF32 };

struct position {
	uint32_t line, character;
};

struct lsp_lines {
	struct str text;
	uint32_t *start;                /* offset of the start of each line; there is at least one line */
	size_t n;
	enum encoding encoding;
	struct lines_mark {             /* the position of the last request; counting for the next one starts here */
		size_t line, offset, units;
	} *mark;
};

/* Builds the table of lines of TEXT, which is borrowed. */
struct lsp_lines lines_of(struct arena *a, struct str text, enum encoding encoding);

struct position lines_position(const struct lsp_lines *l, size_t offset);
size_t lines_offset(const struct lsp_lines *l, struct position at);

/* Returns the number of the line that contains OFFSET. */
size_t lines_number(const struct lsp_lines *l, size_t offset);
/* Returns the text of a line without its line end; empty after the last line. */
struct str lines_line(const struct lsp_lines *l, size_t line);
/* Returns the number of code units in a range of bytes. */
size_t lines_units(enum encoding encoding, struct str bytes);

#endif
