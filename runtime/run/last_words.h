/*
 * last_words.h - what a process wrote about its own failure, so that the first cause differs from
 * its echoes: of many processes that lose each other, one raised first.
 *
 * A process appends one line of JSON to the file that the variable LAST_WORDS_FILE names:
 *
 *     {"last_words": 1, "time": 1767225600123456789, "rank": 2, "error": "ValueError: bad batch",
 *      "at": "train.py:14", "follows": false}
 *
 * Time is in nanoseconds since 1970; `rank` and `at` may be missing; `follows` says that the
 * process only lost another one.  Frameworks of the library declare who writes this; docs/status.md
 * has the format.
 */
#ifndef TRAINC_RUNTIME_RUN_LAST_WORDS_H
#define TRAINC_RUNTIME_RUN_LAST_WORDS_H

#include "base/buf.h"

#define LAST_WORDS_FILE "LAST_WORDS_FILE"
enum { LAST_WORDS_MOST = 4096 };        /* bytes of a termination message */

struct last_words {
	int64_t time;                   /* 0: there are none */
	bool follows;
	struct str text;                /* "ValueError: bad batch (train.py:14, rank 2)", fit for one line */
};

/*
 * The first cause among the records of MESSAGE, whose other lines do not matter; false without a record.  ENDED:
 * when the container ended, or now.  Where a launcher has begun again since, a record is not the cause of this end:
 * one that is older than LAST_WORDS_SECONDS does not count.
 */
enum { LAST_WORDS_SECONDS = 60 };
bool last_words_read(struct arena *a, struct str message, int64_t ended, struct last_words *ret);
/*
 * Is A the cause rather than B? Both are records; one that follows another process never is, beside one that does not.
 */
bool last_words_before(const struct last_words *a, const struct last_words *b);

#endif
