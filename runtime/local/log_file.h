/*
 * log_file.h - what a container printed, and when.
 *
 * NAME.log has the bytes as they came.  NAME.times has a record for each chunk
 * that was read at once, and one for each attempt that ended; with it the lines
 * of several replicas are merged by time without a stamp in each line.
 */
#ifndef TRAINC_RUNTIME_LOCAL_LOG_FILE_H
#define TRAINC_RUNTIME_LOCAL_LOG_FILE_H

#include "base/buf.h"

enum log_mark { LOG_CHUNK, LOG_ATTEMPT_ENDED, LOG_ATTEMPT_STOPPED };     /* STOPPED: it ended after it had been told to */

struct log_record {                     /* in the byte order of the machine */
	uint64_t offset;                /* where the chunk begins in NAME.log; end of an attempt: how long it was then */
	int64_t time;                   /* ns of the real-time clock */
	int32_t mark;                   /* enum log_mark */
	int32_t value;                  /* end of an attempt: exit code (128 + signal) */
};
static inline bool log_ends_attempt(const struct log_record *r) { return r->mark == LOG_ATTEMPT_ENDED || r->mark == LOG_ATTEMPT_STOPPED; }

/* "worker-3" or, for print this container instead of the main one, "worker-3.logger". */
struct str log_name(struct arena *a, struct str role, int64_t index, struct str container, bool main);

/* ---- writing: the keeper ---- */

struct log_writer {
	int log, times;                 /* descriptors, or -1 */
	uint64_t offset, lost;          /* bytes written; bytes that the disk refused */
	uint64_t records;               /* in NAME.times */
};
/* Creates both files (append, 0600, exclusively).  False with errno. */
bool log_create(struct log_writer *w, int directory, const char *name);
/* Never blocks for a reader and never fails: what cannot be written is counted in `lost`. */
void log_append(struct log_writer *w, const char *bytes, size_t n, int64_t now);
/* `stopped`: it had been told to stop, so its end is none of its own. */
void log_attempt_ended(struct log_writer *w, int exit_code, bool stopped, int64_t now);
void log_close(struct log_writer *w);

#endif
