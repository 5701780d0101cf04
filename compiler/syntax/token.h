/*
 * token.h - turns one text into an array of tokens, and repairs that array. The whole text is scanned before anything
 * is parsed: with the array, looking ahead and back is free, which the line-end rules, the repair of brackets and the
 * messages need. A token has 12 bytes; its text is read from the source.
 *
 * After tokens_scan() the array ends with END. It is followed by TOKENS_AHEAD copies of END that are not counted, so
 * that code may look that far past any token without asking for the end of the array. After tokens_balance(), which
 * keeps this, every bracket in the array is closed by its own kind, so that the parser never meets a broken bracket: a
 * missing one was added as a VIRTUAL token, one that closed nothing was removed, and both have been reported.
 */
#ifndef TRAINC_SYNTAX_TOKEN_H
#define TRAINC_SYNTAX_TOKEN_H

#include "diag/diag.h"

enum token_flag {
	FLAG_LINE = 1,                  /* the token is the first on its line */
	FLAG_BLANK = 2,                 /* there is at least one blank line before the token */
	FLAG_VIRTUAL = 4,               /* the token was added and is not in the text */
	FLAG_BROKEN = 8,                /* STR_CLOSE: the string had a fault that was reported */
	FLAG_TORN = 16,                 /* the token follows a repair: errors in the rest of its line are not reported
					 */
	FLAG_END_DECL = 32,             /* a VIRTUAL brace: the declaration around it is not what the author meant */
	FLAG_DROPPED = 64               /* a brace that closes too much: the repaired array does not contain it */
};

struct token {
	uint32_t start, end;            /* global offsets of the token */
	unsigned char kind;             /* enum tj_token_kind_t of the grammar */
	unsigned char flags;
};

/* Comments, in file order. */
struct comment {
	uint32_t start, end;
	uint32_t next;                  /* offset of the token that follows; 0 at the end */
	bool doc;                       /* a comment that begins with ## */
	bool own_line;                  /* the comment is the first thing on its line */
	bool blank;                     /* there is at least one blank line before the comment */
};

/*
 * A closing brace that was left out, because an opening brace seems to be missing between `from` and `start`. If `top`
 * is set, it is missing on the line of `from`.
 */
struct dropped {
	uint32_t from, start;
	bool top;                       /* no bracket is open at the closing brace */
};
enum { DROPPED_MAX = 64 };              /* limit, because each dropped brace is compared with all messages */

/* How many tokens past any token of the array code may look. */
enum { TOKENS_AHEAD = 8 };

struct tokens {
	struct arena *arena;
	struct diags *diags;
	const struct source *source;
	struct token *at;
	size_t n, size;
	struct comment *comments;
	size_t ncomments;
	struct dropped *dropped;
	size_t ndropped;
	/* an unclosed string took the rest of the text, so brackets that are open at the end are not reported */
	bool cut;
};

void tokens_scan(struct tokens *ts);
/* Writes the copies of END after the last token, which is an END. The array must have room for them. */
void tokens_pad(struct tokens *ts);
void tokens_balance(struct tokens *ts);
/* Reports, after parsing, the braces that were left out and that no other message explains. */
void tokens_explain(const struct tokens *ts);

/* The text between two global offsets. */
struct str tokens_text(const struct tokens *ts, uint32_t start, uint32_t end);
/* The text between two global offsets for a message: at most a few words of it. */
struct str tokens_shown(const struct tokens *ts, uint32_t start, uint32_t end);
/* The indentation, in columns, of the line that contains OFFSET. */
unsigned tokens_indent(const struct tokens *ts, uint32_t offset);
/* Does token I certainly begin a declaration of a file, with a word that never begins an item of a body? */
bool tokens_declaration(const struct tokens *ts, size_t i);
/* Does `IDENT =`, `IDENT {`, `IDENT :` or `IDENT IDENT {` begin at token I? */
bool tokens_item(const struct tokens *ts, size_t i);

/* Is it the kind of a reserved word? */
bool token_is_word(int kind);

#endif
