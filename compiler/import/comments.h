/*
 * comments.h - comments of a YAML text, which are not in the tree of its values. A comment belongs to what is below
 * it: the key or list element that begins next. A comment after a value belongs to the first key of its own line, and
 * is put after the line that is made from it. The code that makes a line of the program takes the comments of the
 * part of the manifest from which the line is made; comments that no line takes are put above the enclosing block.
 */
#ifndef TRAINC_IMPORT_COMMENTS_H
#define TRAINC_IMPORT_COMMENTS_H

#include "data/data.h"
#include "import/import_lines.h"

struct import_comment {
	struct str text;                /* text of the comment, without '#' and the blanks around it */
	uint32_t at;                    /* global offset of the comment */
	struct span anchor;             /* the part that the comment belongs to: a key and its value, or an element */
	/*
	 * start of the line that contains the comment; if the comment is the only content of its line, the offset of
	 * the comment
	 */
	uint32_t line;
	bool taken;
};

struct comments {
	struct import_comment *at;             /* the comments, sorted by the start of their anchors */
	size_t n;
	struct span more;               /* position of the first comment beyond the limit; unknown if no comment exceeds
					 * the limit */
};

/*
 * The comments of a document that has been read: those in SOURCE from FROM (a global offset) to the end of the
 * document, at most MOST of them.
 */
struct comments comments_read(struct arena *a, const struct source *source, const struct data *document, uint32_t from,
	uint32_t to, size_t most);

/*
 * Takes a license at the top of SOURCE out of the comments. Returns its lines as comments of a program; an empty text
 * if SOURCE has no license.
 */
struct str comments_header(struct arena *a, const struct source *source, struct comments *all);

/* Puts the comments at a source position that no other line took above LINE. */
void comments_take(struct arena *a, struct comments *all, struct span place, struct line *line);
/* Drops comments about a part that the program leaves out. */
void comments_drop(struct comments *all, struct span place);
/*
 * Puts the comments that no line took, at a source position of the manifest, above the first line of the block that
 * comes from the same part; if the part wrote no line, above the block.
 */
void comments_settle(struct arena *a, struct comments *all, struct span place, struct line *block);

#endif
