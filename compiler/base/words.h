/*
 * words.h - times and texts as people and scripts are shown them.
 */
#ifndef TRAINC_BASE_WORDS_H
#define TRAINC_BASE_WORDS_H

#include "base/buf.h"
#include "base/glyph.h"

#define NS_PER_SECOND INT64_C(1000000000)

/* Nanoseconds of the real-time clock, and of the monotonic one, which never jumps. */
int64_t clock_real(void);
int64_t clock_steady(void);

/* A time as RFC 3339 in UTC, with `digits` of the fraction: "2026-01-01T00:00:00Z". */
void put_time(struct buf *b, int64_t ns, int digits);
/* Back from such a text; false when it is not a time.  Any offset, any fraction. */
bool time_parse(struct str text, int64_t *ret);
/* How long something took: "3.2 s", "41 s", "2 min 5 s", "3 h 12 min". */
void put_duration(struct buf *b, int64_t ns);
/* How old something is, short: "12s", "5m", "3h", "2d". */
void put_age(struct buf *b, int64_t ns);

/* How a program ended: "exit code 3", "killed by SEGV"; `signal` is 0 when it ended by itself. */
struct str end_words(struct arena *a, int exit_code, int signal);

/*
 * Text from elsewhere, safe for a terminal: control characters, characters that reorder the line,
 * and malformed bytes become visible: \x1b, \u202e.  A tab stays.
 */
void put_escaped(struct buf *b, struct str s);
/* The escaped text in an arena. */
struct str name_escaped(struct arena *a, struct str s);
/* At most `columns` columns of it, escaped; an ellipsis stands for what is cut off. */
void put_clipped(struct buf *b, struct str s, unsigned columns);

#endif
