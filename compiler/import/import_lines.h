/*
 * import_lines.h - a program before it is text: the items of bodies, each with its position in the manifest and the
 * comments found there. What is written is correct but not in the form of `fmt` yet: fmt decides where lists and bodies
 * are broken. Memory: everything lives in the arena that the makers are given; texts are borrowed.
 */
#ifndef TRAINC_IMPORT_IMPORT_LINES_H
#define TRAINC_IMPORT_IMPORT_LINES_H

#include "base/buf.h"
#include "base/source.h"

struct line;

struct lines {
	struct line **at;
	size_t n;
};

struct expr_piece {                     /* a piece of a string */
	bool code;                      /* the piece is inserted: `text` is an expression */
	struct str text;
};

enum expr_kind {
	EXPR_TEXT,                      /* text that is written unchanged */
	EXPR_STRING,
	EXPR_LIST,
	EXPR_CALL,                      /* a call of the function `text`; arguments without a key are positional */
	EXPR_BODY                       /* a body: { } */
};

struct expr {
	enum expr_kind kind;
	struct str text;
	struct expr_piece *pieces;
	size_t npieces;
	struct lines items;             /* the items of a body or list; elements of a list have no keys */
};

enum line_form { LINE_SET, LINE_EXTEND };       /* `key = value`, or `key { }` */

struct remark {                         /* a comment of the program */
	/* text of the comment: without its '#', but for documentation with its `##` */
	struct str text;
	uint32_t at;                    /* offset of the comment in the manifest */
	bool behind;                    /* on the line itself (at most one comment), or else above it */
};

struct line {
	/*
	 * the start of the item as it is written: `image`, `"a/b"`, `role worker`; p == NULL for an element of a list
	 */
	struct str key;
	enum line_form form;
	struct expr *value;
	struct span from;
	struct remark *comments;        /* the comments of the line, in the order of the manifest */
	size_t ncomments;
	bool ended;                     /* a comment follows the code of the line */
};

/* ---- making ---- */

struct expr *expr_text(struct arena *a, struct str text);
struct expr *expr_int(struct arena *a, int64_t n);
struct expr *expr_string(struct arena *a, struct str text);
/* Appends a piece to an EXPR_STRING; neighboring texts become one. */
void expr_append(struct arena *a, struct expr *string, bool code, struct str text);
struct expr *expr_new(struct arena *a, enum expr_kind kind);
/* Writes an expression on one line, so that it can be part of a key. */
struct str expr_flat(struct arena *a, const struct expr *e);
struct expr *expr_call(struct arena *a, struct str what);

/* Appends an item `key = value`. */
struct line *lines_set(struct arena *a, struct lines *to, struct str key, struct expr *value, struct span from);
/* Appends an item `key { }`; returns its items. */
struct lines *lines_extend(struct arena *a, struct lines *to, struct str key, struct span from);
/* Appends an element of a list, or an argument by position. */
struct line *lines_add(struct arena *a, struct lines *to, struct expr *value, struct span from);
void lines_push(struct arena *a, struct lines *to, struct line *line);
struct line *lines_find(const struct lines *in, struct str key);
/* Returns the items of the block with that name, which is made if it does not exist. */
struct lines *lines_block(struct arena *a, struct lines *in, struct str key, struct span from);

/*
 * Adds a comment to those of LINE, which stay in the order of the manifest. Only one comment can follow the code on
 * its line.
 */
void line_comment(struct arena *a, struct line *line, struct remark remark);
/* Adds the comments of FROM and of its parts to TO, which has the same content; repeated texts are added only once. */
void line_join_comments(struct arena *a, struct line *to, const struct line *from);

/* Returns a word of the manifest as a key, with quotes if it needs them. */
struct str key_text(struct arena *a, struct str word);
/* Turns a text into an identifier: other characters become `_`, and a `_` is added before a leading digit. */
struct str word_text(struct arena *a, struct str text);

/* Do two expressions mean the same? Their positions and comments are not compared. */
bool expr_same(const struct expr *a, const struct expr *b);
bool line_same(const struct line *a, const struct line *b);

/* ---- writing ---- */

struct written {                        /* a line of the program and its position in the manifest */
	uint32_t start, end;            /* start and end of the line in the text, which buf limits to 1 GiB */
	struct span from;
	size_t outer;                   /* number of the enclosing line, counted from 1; 0 at the top */
};

struct writing {
	struct arena *arena;            /* memory of `at` */
	struct buf out;
	struct written *at;             /* the lines, in ascending order of `start` */
	size_t n, outer;
};

/* Does the expression fit on one line, in a body that is nested DEPTH levels deep? */
bool expr_fits(const struct expr *e, unsigned depth);
/* Writes the expression on a line without indentation. */
void expr_write(struct writing *w, const struct expr *e);
void lines_write(struct writing *w, const struct lines *lines, unsigned depth);
/* The position in the manifest of the text at `offset`; unknown if the text has no position. */
struct span written_from(const struct writing *w, uint32_t offset);
void writing_release(struct writing *w);

#endif
