/*
 * last_words.h - reads the records that processes write about their own failures. When one process fails, others lose
 * their connection to it and fail as well; the records show which one failed first. A process appends one line of JSON
 * to the file that the variable LAST_WORDS_FILE names:
 *
 * {"last_words": 1, "time": 1767225600123456789, "rank": 2, "error": "ValueError: bad batch", "at": "train.py:14",
 * "follows": false}
 *
 * Time is in nanoseconds since 1970; `rank` and `at` may be missing; `follows` says that the process only lost another
 * process. Frameworks of the library declare which processes write records; docs/status.md describes the format.
 */
#ifndef TRAINC_RUNTIME_RUN_LAST_WORDS_H
#define TRAINC_RUNTIME_RUN_LAST_WORDS_H

#include "base/buf.h"

#define LAST_WORDS_FILE "LAST_WORDS_FILE"
enum { LAST_WORDS_MOST = 4096 };        /* maximum size of a termination message in bytes */

struct last_words {
	int64_t time;                   /* time of the record; 0: no record was found */
	bool follows;
	struct str text;                /* "ValueError: bad batch (train.py:14, rank 2)", fit for one line */
};

/*
 * Finds the first cause among the records of MESSAGE; lines that are no records are ignored. Returns false if MESSAGE
 * contains no record. ENDED is the end of the container, or the current time. A launcher may have restarted its
 * processes after a record was written; so a record that is older than LAST_WORDS_SECONDS is not the cause of this end.
 */
enum { LAST_WORDS_SECONDS = 60 };
bool last_words_read(struct arena *a, struct str message, int64_t ended, struct last_words *ret);
/*
 * Is record A the cause rather than record B? A record of a process that only lost another process is not the cause if
 * the other record is of a different kind.
 */
bool last_words_before(const struct last_words *a, const struct last_words *b);

#endif
