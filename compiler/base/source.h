/*
 * source.h - the set of texts that a run reads, and positions in them. Every text gets a range of global byte offsets.
 * So a span is two numbers, and line and column are computed only when an error is printed. The core reads files only
 * through `struct reader`, because an editor supplies unsaved buffers, and the browser and the fuzzers have no file
 * system.
 */
#ifndef TRAINC_BASE_SOURCE_H
#define TRAINC_BASE_SOURCE_H

#include "base/str.h"

/* Global byte offsets [start, end). {0,0} is an unknown span. */
struct span {
	uint32_t start, end;
};

static inline bool span_known(struct span s) { return s.start != 0; }
static inline struct span span_join(struct span a, struct span b)
{
	return (struct span){ a.start < b.start ? a.start : b.start, a.end > b.end ? a.end : b.end };
}

/* Finds the first of N elements, sorted by an offset, whose offset is at least OFFSET; N if no element qualifies. */
#define OFFSET_SEARCH(array, n, field, offset) ((n) ? offset_search(&(array)[0].field, n, sizeof *(array), offset) : 0)
size_t offset_search(const uint32_t *first, size_t n, size_t stride, uint32_t offset);

struct place_mark;                      /* defined in source.c */

struct source {
	/* the name in messages: relative to the working directory, <stdin>, std/x.tj, "command line" */
	struct str name;
	struct str text;                /* the text of the file, NUL-terminated */
	uint32_t base;                  /* global offset of the first byte of the text; at least 1 */
	bool library;                   /* the source is a module of the standard library */
	bool silent;                    /* set by diag/allow.c: the text was searched and has no `# allow` comment */
	struct place_mark *marks;       /* private to source.c: built when a line number in the text is first needed */
};

struct sources {
	struct arena *arena;
	struct source **at;             /* the sources, by increasing base */
	size_t n;
	uint32_t next;                  /* next free global offset */
};

/* A position as people see it: lines and columns are counted from 1, columns in characters. */
struct place {
	const struct source *source;
	uint32_t offset;                /* the byte offset of the position in the file */
	unsigned line, column;
};

/* Adds a text; NAME and TEXT are copied. NULL when the 4 GiB of offsets are used up. */
struct source *source_add(struct sources *ss, struct str name, struct str text);
/* Like source_add(), but the text is not copied: it must end with a NUL and live as long as the set. */
struct source *source_add_kept(struct sources *ss, struct str name, struct str text);
/* The source that contains a global offset or ends there; NULL for an unknown position. */
const struct source *source_at(const struct sources *ss, uint32_t offset);
/*
 * Computes the line and column of an offset. The first call for a text reads all of it, later calls a few hundred
 * bytes.
 */
struct place source_place(const struct sources *ss, uint32_t offset);
/* The line, without its newline, that contains a global offset. */
struct str source_line(const struct sources *ss, uint32_t offset);
/* The text that a span covers. */
struct str source_text(const struct sources *ss, struct span s);

/*
 * How the core reads files. `read` stores the text in *RET (in memory of ARENA) and returns true, or returns false with
 * a short text in *WHY: "no such file", "is a directory". The other functions may be NULL. `exists` returns false only
 * when it is certain that nothing is there. `list` calls EACH with the names in a directory, in byte order. `leaves`
 * tells whether a path leads out of a directory by a symbolic link. `real` stores the absolute path without links, and
 * returns false if the path does not exist.
 */
struct reader {
	void *context;
	bool (*read)(void *context, struct arena *arena, struct str path, struct str *ret, struct str *why);
	bool (*exists)(void *context, struct str path);
	void (*list)(void *context, struct arena *arena, struct str directory, void (*each)(void *to, struct str name),
		void *to);
	bool (*leaves)(void *context, struct arena *arena, struct str directory, struct str path);
	bool (*real)(void *context, struct arena *arena, struct str path, struct str *ret);
};

/*
 * Reads the file PATH with R. False with an explanation in WHY, including when it has more than MOST bytes, a multiple
 * of 1 MiB.
 */
bool reader_text(const struct reader *r, struct arena *a, struct str path, size_t most, struct str *ret,
	struct str *why);

#endif
