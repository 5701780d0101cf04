/*
 * feed.h - passes the array of tokens to the parser. On the way it turns some newlines into EOL (ends a declaration)
 * and NL (ends an item of a body), and after an error skips to the end of the broken item. The rules are in section 3
 * of docs/language.md.
 */
#ifndef TRAINC_SYNTAX_FEED_H
#define TRAINC_SYNTAX_FEED_H

#include "syntax/token.h"

enum { BRACKETS_MAX = 256 };
#define ANY_INDENT (~0u)

struct feed_bracket {
	unsigned char kind;
	uint32_t line;                  /* line of the bracket */
	uint32_t item;                  /* first token of the item that contains the bracket */
};

struct feed {
	const struct tokens *tokens;
	size_t i;                       /* position of the next token in the array */
	uint32_t line;                  /* line of the last token */
	uint32_t item;                  /* first token of the item or declaration being read */
	/* kind of the last token of the text, not counting line ends that the feed added */
	unsigned char previous;
	bool member;                    /* the last token followed a '.' */
	bool ended;                     /* the last token given was an EOL or NL, or no token was given yet */
	bool expression;                /* the text is one expression: newlines are ignored */
	bool committed;
	struct token last;              /* the last token given: its effect on the brackets is applied when the next one
					 * is requested */
	struct token queue[3];          /* tokens to return before the array continues */
	unsigned queued;
	struct feed_bracket open[BRACKETS_MAX + 2];
	unsigned depth;
};

void feed_init(struct feed *f, const struct tokens *tokens, bool expression);
struct token feed_next(struct feed *f);
/* Is the last token, a literal or a name, a whole expression? */
bool feed_is_atom(const struct feed *f);
/* Was the last token a line end that the feed added? */
bool feed_last_is_made(const struct feed *f);
/* Is the closing brace that is being passed on the same line as its opening brace? */
bool feed_one_line(const struct feed *f);

/* Does a line that begins with token `i` look like an item (in a body) or a declaration? */
bool feed_begins(const struct feed *f, size_t i);
/* Would a newline at this point end an item or a declaration? */
bool feed_lines_matter(const struct feed *f);

/*
 * Recovers from an error at the last token: passes SYNC, then continues after the broken item. INDENT: lines that are
 * indented deeper, or begin no item, are part of it.
 */
void feed_recover(struct feed *f, unsigned indent);
/*
 * Recovers from an error: passes SYNC and a line end, then continues with token I, which begins another item. If I is
 * inside brackets that were opened after the error, continues after those brackets, because the parser has not seen
 * them.
 */
void feed_resume(struct feed *f, size_t i);

#endif
