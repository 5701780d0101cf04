/*
 * follow_stream.h - one container's files as a sequence of lines: the part of follow.c that knows the format of the
 * files.
 */
#ifndef TRAINC_RUNTIME_LOCAL_FOLLOW_STREAM_H
#define TRAINC_RUNTIME_LOCAL_FOLLOW_STREAM_H

#include "runtime/local/follow.h"
#include "runtime/local/log_piece.h"

enum { STREAM_BLOCK = 32768, STREAM_RECORDS = 64 };

struct stream {
	struct log_stream id;
	struct log_selection how;
	int directory;
	const char *name;               /* name of the files, without suffix */
	bool identified, wanted;
	bool dirty;                     /* the files may contain more than has been read */

	/* the piece that is read (log_file.h) */
	uint64_t piece, piece_start;    /* number of the piece that is being read; offset at which it begins */
	bool piece_read;                /* the piece was read completely and does not grow any more */
	uint64_t missing;               /* number of removed bytes before `at` that are still to be reported */

	/* its NAME.log */
	uint64_t at, end;               /* offset of the next byte to read; offset at which to stop */
	char *block;                    /* contents of the file from `block_at` on, or NULL */
	uint64_t block_at;
	size_t nblock;

	/* records of NAME.times that were read ahead */
	struct log_record records[STREAM_RECORDS];
	size_t nrecords, record;        /* number of records read ahead; index of the next record */
	uint64_t next_record;           /* number of the first record that has not been read */
	bool look;                      /* there may be more records in the file */
	int64_t time;                   /* time of the chunk that contains `at` */
	int64_t attempt;                /* number of attempts that ended before `at` */

	struct buf line;                /* the beginning of a line whose end is in another block, or has not been
					 * written yet */
	int64_t grown_at, kept_at;      /* by the steady clock: when the last bytes were added to `line`, and when the
					 * first bytes were added */
	char rest[3];                   /* the next bytes of a line of which a part has been handed out */
	size_t nrest;
	bool skip;                      /* `at` is within a line that is not selected */

	struct log_line head;
	bool has_head;
};

/* Finds the starting position according to the selection. */
void stream_begin(struct stream *s);
/*
 * Sets the head to the next line; false if the next line is not complete. OVER: no more output will come, so text
 * without a line end is a line.
 */
bool stream_fill(struct stream *s, bool over);
/* The time at which to show a line without a line end; INT64_MAX: the stream has no such line. */
int64_t stream_due(const struct stream *s);
/* Sets the head to the existing part of an unfinished line; false if it is too early to show that part. */
bool stream_pause(struct stream *s, int64_t now);
void stream_release(struct stream *s);

#endif
