/*
 * follow_stream.h - one container's files as a sequence of lines: the part of follow.c that knows
 * their form.
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
	bool dirty;                     /* its files may have more than has been read */

	/* the piece that is read (log_file.h) */
	uint64_t piece, piece_start;    /* number of the piece; offset at which it begins */
	bool piece_read;                /* the piece was read completely, and does not grow any more */
	uint64_t missing;               /* number of bytes before `at` that were removed, still to be reported */

	/* its NAME.log */
	uint64_t at, end;               /* next byte to look at; where to stop */
	char *block;                    /* the file from `block_at` on, or NULL */
	uint64_t block_at;
	size_t nblock;

	/* its NAME.times */
	struct log_record records[STREAM_RECORDS];
	size_t nrecords, record;        /* records read ahead; the next of them */
	uint64_t next_record;           /* number of the first record that was not read */
	bool look;                      /* there may be more records */
	int64_t time;                   /* time of the chunk at `at` */
	int64_t attempt;                /* number of attempts that ended before `at` */

	struct buf line;                /* the beginning of a line whose end is in another block, or not there yet */
	int64_t grown_at, kept_at;      /* by the steady clock: when bytes of `line` arrived last, and first */
	char rest[3];                   /* how the line continues, when a part of it has been handed out */
	size_t nrest;
	bool skip;                      /* `at` is inside a line that is not wanted */

	struct log_line head;
	bool has_head;
};

/* Decides where to begin, by the selection. */
void stream_begin(struct stream *s);
/*
 * Makes the head; false when there is no line (yet).  `over`: nothing more will come, so text
 * without a line end is a line.
 */
bool stream_fill(struct stream *s, bool over);
/* When to show a line without an end; INT64_MAX: there is none. */
int64_t stream_due(const struct stream *s);
/* Makes such a line the head, as far as it exists; false when it is too early. */
bool stream_pause(struct stream *s, int64_t now);
void stream_release(struct stream *s);

#endif
