/*
 * log_file.h - stores what a container printed, and when. NAME.log contains the bytes unchanged. NAME.times contains a
 * record for each chunk that was read at once, and a record for each attempt that ended. With these records the lines
 * of several replicas can be merged by time without a time stamp in each line.
 *
 * A log with a limit consists of at most LOG_PIECES pieces. The newest piece has the names above. When that piece is
 * full, it is renamed to NAME.log.K and NAME.times.K, with K counted from 1, and the oldest piece is removed. Offsets
 * continue from piece to piece. The times of each piece but the first begin with a LOG_BEGINS record, from which a
 * reader learns the number of the piece. NAME.log is renamed before NAME.times, and the new files get their names in
 * the same order: see log_piece_open().
 */
#ifndef TRAINC_RUNTIME_LOCAL_LOG_FILE_H
#define TRAINC_RUNTIME_LOCAL_LOG_FILE_H

#include "base/buf.h"

enum log_mark {
	LOG_CHUNK,
	LOG_ATTEMPT_ENDED,
	LOG_ATTEMPT_STOPPED,            /* the attempt ended after it had been asked to stop */
	LOG_GAP,                        /* the disk was full for some time: bytes are missing here */
	/*
	 * the first record of a piece: `time` is the number of the piece, `value` the number of attempts that ended
	 * before it
	 */
	LOG_BEGINS
};
enum { LOG_PIECES = 5 };

struct log_record {                     /* in the byte order of the machine */
	/*
	 * offset in NAME.log at which the chunk begins or, for the end of an attempt, the length of NAME.log at that
	 * time
	 */
	uint64_t offset;
	int64_t time;                   /* ns of the real-time clock */
	int32_t mark;                   /* enum log_mark */
	/* end of an attempt: exit code (128 + signal); gap: number of missing bytes, at most INT32_MAX */
	int32_t value;
};
static inline bool log_ends_attempt(const struct log_record *r)
{
	return r->mark == LOG_ATTEMPT_ENDED || r->mark == LOG_ATTEMPT_STOPPED;
}

/*
 * The name of a container's log without suffix: "worker-3" for the main container (MAIN), "worker-3.logger" for another
 * container.
 */
struct str log_name(struct arena *a, struct str role, int64_t index, struct str container, bool main);

/* ---- writing, by the keeper ---- */

struct log_writer {
	int log, times;                 /* descriptors of NAME.log and NAME.times, or -1 */
	uint64_t offset, lost;          /* number of bytes written, and number of bytes lost */
	uint64_t records;               /* number of records in NAME.times */
	struct buf kept;                /* the last bytes that the disk has not taken yet, at most LOG_KEPT */
	uint64_t dropped;               /* number of earlier bytes that are lost */
	int directory;
	char name[256];                 /* name of the files, without suffix */
	uint64_t piece;                 /* maximum size of a piece; 0: the log has no limit */
	uint64_t number, starts[LOG_PIECES];    /* number of the newest piece, from 1; offsets at which the last pieces
						 * begin, indexed by their number modulo LOG_PIECES */
	uint64_t removed;               /* number of bytes in pieces that were removed */
	uint64_t again;                 /* after a failure to make a new piece: the offset at which to try again */
	int32_t attempts;               /* number of attempts that have ended */
	bool in_line;                   /* the last byte was not a line end */
};
enum { LOG_KEPT = 64 << 10 };
/*
 * Creates both files (append, 0600, exclusively) in a directory that must stay open. LIMIT: about how many bytes to
 * keep, for the log and for its times; 0: keep all. On failure, returns false with errno.
 */
bool log_create(struct log_writer *w, int directory, const char *name, uint64_t limit);
/*
 * Appends bytes. Never waits for a reader and never fails: bytes that the disk does not take are kept and written with
 * the next bytes. If more than LOG_KEPT bytes are kept, the first lines are dropped; they are counted in `lost` and
 * recorded as a gap once the file can grow again.
 */
void log_append(struct log_writer *w, const char *bytes, size_t n, int64_t now);
/*
 * Records the end of an attempt. STOPPED: the attempt had been asked to stop, so its exit code says nothing about the
 * program.
 */
void log_attempt_ended(struct log_writer *w, int exit_code, bool stopped, int64_t now);
/* Tries to write the last MOST of the kept bytes after the program has ended; the rest is lost. */
void log_last_try(struct log_writer *w, size_t most, int64_t now);
void log_close(struct log_writer *w);
/*
 * Copies at most N of the last bytes, from the offset FROM on; they may be in two pieces. Returns the number of copied
 * bytes.
 */
size_t log_last(const struct log_writer *w, uint64_t from, char *into, size_t n);

#endif
