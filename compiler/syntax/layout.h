/*
 * layout.h - the structure of a text for the formatter: its tokens with the line ends that end items, its matching
 * brackets, and which bodies and lists are on one line.
 */
#ifndef TRAINC_SYNTAX_LAYOUT_H
#define TRAINC_SYNTAX_LAYOUT_H

#include "syntax/token.h"

enum { FORMAT_WIDTH = 100, FORMAT_ITEMS = 3, FORMAT_STEP = 2 };

/* The construct that parentheses or brackets belong to. */
enum bracket_role {
	BRACKET_OTHER,                  /* a group, an index, a type or a comprehension: never broken over several lines
					 * because of its length */
	BRACKET_LIST,                   /* a list of elements with an optional last comma */
	BRACKET_FORMALS                 /* a list of parameters with an optional last comma */
};

struct layout {
	struct tokens tokens;           /* the tokens, with comments */
	struct token *at;               /* the tokens with NL and EOL; the last is END */
	size_t n;
	uint32_t *match;                /* the matching token of every bracket and of STR_OPEN */
	uint32_t *line;                 /* the line on which each token starts */
	unsigned char *role;            /* the kind of each ( and [ */
	uint32_t *inside;               /* the innermost bracket that is open at each token; NOWHERE if no bracket is
					 * open */
	bool *local;                    /* for each token: is it a comma between the names of a `let` inside an
					 * expression, as in `let a = 1, b = 2 in a + b`? */
	bool *one_line;                 /* for each {: the body is written on one line, with few items and no comment */
	/*
	 * for each ( and [: one element on each line whatever the length, because the author wrote it so or because it
	 * contains a comment
	 */
	bool *broken;
};

#define NOWHERE UINT32_MAX

struct layout layout_new(struct arena *a, struct diags *ds, const struct source *source);

/* Does token i end an item of a body?  (The commas of `for k, v in` and `let a = 1, b = 2 in` do not.) */
bool layout_separates(const struct layout *l, size_t i);
/* Comments in the text between two tokens: [*ret_from, *ret_to). */
void layout_comments(const struct layout *l, uint32_t start, uint32_t end, size_t *ret_from, size_t *ret_to);
/* Is there a space before token I when token I - 1 is on the same line? */
bool layout_space(const struct layout *l, size_t i);
/* May or must the author's line break before token I, inside an expression, be kept? */
bool layout_keeps_newline(const struct layout *l, size_t i);
/*
 * The columns that tokens [from, to) take on one line, up to the first line break that must stay; stops counting above
 * MOST.
 */
size_t layout_width(const struct layout *l, size_t from, size_t to, size_t most);


#endif
