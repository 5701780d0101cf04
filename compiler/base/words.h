/*
 * words.h - formats times and texts for people and scripts.
 */
#ifndef TRAINC_BASE_WORDS_H
#define TRAINC_BASE_WORDS_H

#include "base/buf.h"
#include "base/glyph.h"

#define NS_PER_SECOND INT64_C(1000000000)

/* Nanoseconds of the real-time clock, and of the monotonic clock, which never jumps. */
int64_t clock_real(void);
int64_t clock_steady(void);

/* Appends a time as RFC 3339 in UTC, with DIGITS digits of the fraction: "2026-01-01T00:00:00Z". */
void put_time(struct buf *b, int64_t ns, int digits);
/* Reads a time in RFC 3339, with any offset and fraction; false when it is not one. */
bool time_parse(struct str text, int64_t *ret);
/* Appends a duration: "3.2 s", "41 s", "2 min 5 s", "3 h 12 min". */
void put_duration(struct buf *b, int64_t ns);
/* Appends an age in short form: "12s", "5m", "3h", "2d". */
void put_age(struct buf *b, int64_t ns);

/* How a program ended: "exit code 3", "killed by SEGV"; SIGNAL is 0 when it exited. */
struct str end_words(struct arena *a, int exit_code, int signal);

/*
 * Appends untrusted text so that it is safe for a terminal. Control characters, characters that reorder the line, and
 * malformed bytes become visible: \x1b, \u202e. A tab is kept.
 */
void put_escaped(struct buf *b, struct str s);
/* Appends a text of several lines, each escaped as by put_escaped(). Only for texts whose parts have no line ends. */
void put_escaped_lines(struct buf *b, struct str text);
/* The text S, escaped as by put_escaped(), in the arena. */
struct str name_escaped(struct arena *a, struct str s);
/*
 * Appends the first COLUMNS columns of the text, escaped; an ellipsis replaces what is cut off. The cut is at the end
 * of a word if one ends nearby.
 */
void put_clipped(struct buf *b, struct str s, unsigned columns);

#endif
