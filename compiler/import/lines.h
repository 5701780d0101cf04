/*
 * lines.h - a program before it is text: the items of bodies, each with its place in the manifest
 * and the comments from there.
 *
 * What is written is correct but not in the form of `fmt` yet: fmt decides where lists and bodies
 * are broken.
 *
 * Memory: everything lives in the arena that the makers are given; texts are borrowed.
 */
#ifndef TRAINC_IMPORT_LINES_H
#define TRAINC_IMPORT_LINES_H

#include "base/buf.h"
#include "base/source.h"

struct line;

struct lines {
	struct line **at;
	size_t n;
};

struct expr_piece {                     /* of a string */
	bool code;                      /* `text` is an expression that is inserted */
	struct str text;
};

enum expr_kind {
	EXPR_TEXT,                      /* as it is written */
	EXPR_STRING,
	EXPR_LIST,
	EXPR_CALL,                      /* key of `text`; an argument without a key is given by position */
	EXPR_BODY                       /* { } */
};

struct expr {
	enum expr_kind kind;
	struct str text;
	struct expr_piece *pieces;
	size_t npieces;
	struct lines items;             /* elements of a list have no keys */
};

enum line_form { LINE_SET, LINE_EXTEND };       /* key = value; key { } */

struct remark {                         /* a comment */
	struct str text;                /* without its '#'; documentation has its `##` */
	uint32_t at;                    /* in the manifest */
	bool behind;                    /* on the line itself, else above it; one of a line */
};

struct line {
	/* the item's head as it is written: image, "a/b", role worker; p == NULL: an element */
	struct str key;
	enum line_form form;
	struct expr *value;
	struct span from;
	struct remark *comments;        /* in the order of the manifest */
	size_t ncomments;
	bool ended;                     /* there is one behind the line */
};

/* ---- making ---- */

struct expr *expr_text(struct arena *a, struct str text);
struct expr *expr_int(struct arena *a, int64_t n);
struct expr *expr_string(struct arena *a, struct str text);
/* Appends a piece to an EXPR_STRING; neighboring texts become one. */
void expr_append(struct arena *a, struct expr *string, bool code, struct str text);
struct expr *expr_new(struct arena *a, enum expr_kind kind);
/* An expression on one line, for use in a key. */
struct str expr_flat(struct arena *a, const struct expr *e);
struct expr *expr_call(struct arena *a, struct str what);

/* key = value, at the end of `to`. */
struct line *lines_set(struct arena *a, struct lines *to, struct str key, struct expr *value, struct span from);
/* key { }: its items. */
struct lines *lines_extend(struct arena *a, struct lines *to, struct str key, struct span from);
/* An element of a list, or an argument by position. */
struct line *lines_add(struct arena *a, struct lines *to, struct expr *value, struct span from);
void lines_push(struct arena *a, struct lines *to, struct line *line);
struct line *lines_find(const struct lines *in, struct str key);
/* The items of the block of that name; the block is made if it is not there. */
struct lines *lines_block(struct arena *a, struct lines *in, struct str key, struct span from);

/* One more comment, in its place among the others; behind the line there is room for one. */
void line_comment(struct arena *a, struct line *line, struct remark remark);
/* The comments of FROM and of its parts to TO, which is the same; each text once. */
void line_join_comments(struct arena *a, struct line *to, const struct line *from);

/* A word of a manifest as a key: quoted unless it may stand there bare. */
struct str key_text(struct arena *a, struct str word);
/* A text as an identifier: other characters become `_`, and one is put in front of a leading digit. */
struct str word_text(struct arena *a, struct str text);

/* Do the two mean the same?  Places and comments are not compared. */
bool expr_same(const struct expr *a, const struct expr *b);
bool line_same(const struct line *a, const struct line *b);

/* ---- writing ---- */

struct written {                        /* the place in the manifest of a line of the program */
	uint32_t start, end;            /* offsets in the text, which buf limits to 1 GiB */
	struct span from;
	size_t outer;                   /* number of its line, counted from 1; 0 at the top */
};

struct writing {
	struct arena *arena;            /* of `at` */
	struct buf out;
	struct written *at;             /* by rising start */
	size_t n, outer;
};

/* Does it fit on one line of a body at that depth? */
bool expr_fits(const struct expr *e, unsigned depth);
/* Its text on a line that begins at the margin. */
void expr_write(struct writing *w, const struct expr *e);
void lines_write(struct writing *w, const struct lines *lines, unsigned depth);
/* The place in the manifest of the text at `offset`; unknown when there is none. */
struct span written_from(const struct writing *w, uint32_t offset);
void writing_release(struct writing *w);

#endif
