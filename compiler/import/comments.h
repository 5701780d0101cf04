/*
 * comments.h - comments of a YAML text, which the tree of its values does not hold.
 *
 * A comment belongs to what stands below it: the key or list element that begins next; behind a
 * value, to the first key of its own line, and it stays behind the line that is made from it.  A
 * writer of a program line takes the comments of the part of the manifest from which the line is
 * made; comments that no line takes go to the block around.
 */
#ifndef TRAINC_IMPORT_COMMENTS_H
#define TRAINC_IMPORT_COMMENTS_H

#include "import/lines.h"
#include "data/data.h"

struct import_comment {
	struct str text;                /* text of the comment, without '#' and the blanks around it */
	uint32_t at;                    /* global offset of the comment */
	struct span anchor;             /* the part that the comment belongs to: a key and its value, or an element */
	uint32_t line;                  /* start of the comment's line; offset of the comment when it has the line to
					 * itself */
	bool taken;
};

struct comments {
	struct import_comment *at;             /* the comments, by where their anchors begin */
	size_t n;
	struct span more;               /* the first comment beyond the limit; unknown if there is none */
};

/*
 * The comments of a document that has been read: in `source` from `from` (a global offset) to the
 * end of the document, at most `most` of them.
 */
struct comments comments_read(struct arena *a, const struct source *source, const struct data *document, uint32_t from,
	uint32_t to, size_t most);

/*
 * Takes a licence at the top of SOURCE out of the comments: its lines as comments of a program; an
 * empty text without one.
 */
struct str comments_header(struct arena *a, const struct source *source, struct comments *all);

/* Puts the comments of a place that nobody took above a line. */
void comments_take(struct arena *a, struct comments *all, struct span place, struct line *line);
/* Comments about a part that the program leaves out are dropped with it. */
void comments_drop(struct comments *all, struct span place);
/*
 * Comments of a place that nobody took: above the first line of the block that comes from the same
 * part, else above the block itself.
 */
void comments_settle(struct arena *a, struct comments *all, struct span place, struct line *block);

#endif
