/* follow_stream.c - reads the pieces of a container's log in order, line by line. */
#include "runtime/local/follow_stream.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"

/* ---- files, which are open only for a moment ---- */

static size_t read_at(int fd, void *into, size_t n, uint64_t at)
{
	ssize_t got = fd < 0 ? -1 : pread(fd, into, n, (off_t)at);

	return got > 0 ? (size_t)got : 0;
}

static bool open_piece(const struct stream *s, uint64_t number, struct log_piece *ret)
{
	return log_piece_open(s->directory, s->name, number, ret);
}

static uint64_t size_of(int fd)
{
	struct stat is;

	return fd >= 0 && fstat(fd, &is) == 0 ? (uint64_t)is.st_size : 0;
}

/* ---- the starting position ---- */

/*
 * Finds the beginning of the last *LINES lines before END in a piece of the log; false: they begin in an earlier piece.
 * Text without a line end counts as a line.
 */
static bool tail_in_piece(const struct log_piece *p, uint64_t end, bool last, int64_t *lines, uint64_t *ret)
{
	char block[STREAM_BLOCK];
	uint64_t at = end - p->start;

	while (at) {
		size_t n = at < sizeof block ? (size_t)at : sizeof block;
		if (read_at(p->log, block, n, at - n) != n)
			return false;
		for (size_t i = n; i-- > 0;) {
			*ret = p->start + at - n + i + 1;
			if (block[i] == '\n' && !(last && *ret == end) && (*lines)-- == 1)
				return true;
		}
		at -= n;
	}
	return false;
}

/* The offset at which the last LINES lines before END begin. */
static uint64_t tail_offset(const struct stream *s, uint64_t end, int64_t lines)
{
	struct log_piece p;
	uint64_t found = 0, size = end, start = 0;
	bool enough = lines == 0;

	for (uint64_t number = 0; !enough && open_piece(s, number, &p); number = p.number - 1) {
		start = p.start;
		if (p.start < size) {
			enough = tail_in_piece(&p, size, size == end, &lines, &found);
			size = p.start;
		}
		log_piece_close(&p);
		if (p.number == 1)
			break;
	}
	return lines == 0 && !found ? end : enough ? found : start;
}

/* Calls EACH for every record of the existing pieces, in order, until EACH returns false. */
static void each_record(const struct stream *s, bool (*each)(void *context, const struct log_record *r), void *context)
{
	struct log_record records[512];
	struct log_piece p;
	bool more = log_piece_oldest(s->directory, s->name, &p);

	while (more) {
		uint64_t at = 0;
		for (size_t n; more && (n = read_at(p.times, records, sizeof records,
			at) / sizeof *records) > 0; at += n * sizeof *records)
			for (size_t i = 0; i < n && more; i++)
				more = each(context, &records[i]);
		log_piece_close(&p);
		more = more && p.full && open_piece(s, p.number + 1, &p);
	}
}

struct since {
	int64_t time;
	uint64_t offset;
	bool found;
};

static bool look_for_time(void *context, const struct log_record *r)
{
	struct since *s = context;

	if (r->mark == LOG_CHUNK && r->time >= s->time) {
		s->offset = r->offset;
		s->found = true;
	}
	return !s->found;
}

enum { ENDS = 3 };

struct ends {                           /* the ends of the last attempts, newest first */
	uint64_t at[ENDS];
	int64_t n;
};

static bool count_end(void *context, const struct log_record *r)
{
	struct ends *e = context;

	if (log_ends_attempt(r)) {
		memmove(e->at + 1, e->at, sizeof e->at - sizeof *e->at);
		e->at[0] = r->offset;
		e->n++;
	} else if (r->mark == LOG_BEGINS && !e->n) {
		e->n = r->value;                /* number of attempts in removed pieces, which ended before this
						 * record */
		for (int i = 0; i < ENDS; i++)
			e->at[i] = r->offset;
	}
	return true;
}

struct attempt_range {
	int64_t wanted, ended;
	uint64_t begin, end;
	bool begun;                     /* a part of the attempt still exists, so `begin` is known */
};

static bool look_for_attempt(void *context, const struct log_record *r)
{
	struct attempt_range *a = context;

	if (r->mark == LOG_BEGINS && a->ended < r->value) {     /* the pieces before this record's piece were removed */
		a->ended = r->value;
		a->begin = r->offset;
		a->begun = a->ended + 1 == a->wanted;
	} else if (log_ends_attempt(r)) {
		a->ended++;
		if (a->ended + 1 == a->wanted) {
			a->begin = r->offset;
			a->begun = true;
		} else if (a->ended == a->wanted) {
			a->end = r->offset;
		}
	}
	return a->ended < a->wanted;
}

/* Selects the range of one attempt; the range is empty if the attempt's output was removed. */
static void begin_attempt(struct stream *s)
{
	struct attempt_range a = { .wanted = s->how.attempt, .end = UINT64_MAX, .begun = s->how.attempt == 1 };

	each_record(s, look_for_attempt, &a);
	s->at = a.begun ? a.begin : 0;
	s->end = a.begun ? a.end : 0;
}

/* Selects the range of the attempt before the current one or, if no attempt runs, before the last one. */
static void begin_previous(struct stream *s, uint64_t size)
{
	struct ends e = { 0 };

	each_record(s, count_end, &e);
	bool another = size > e.at[0] || s->how.attempts > e.n;         /* an attempt has started after the last end */
	int64_t which = e.n - !another;         /* number of attempts that ended before the current or last attempt */

	s->at = s->end = 0;
	if (which >= 1) {
		s->end = e.at[!another];
		s->at = e.at[!another + 1];     /* 0 if the previous attempt was the first */
	}
}

struct stream_position {
	uint64_t offset, piece;
	uint64_t records;               /* number of records of the piece that were skipped */
	int64_t time, attempts;
};

static bool pass(void *context, const struct log_record *r)
{
	struct stream_position *p = context;

	if (r->offset > p->offset)
		return false;
	if (r->mark == LOG_BEGINS) {
		p->piece = (uint64_t)r->time;
		p->attempts = r->value;
		p->records = 0;
	}
	p->records++;
	if (r->mark == LOG_CHUNK)
		p->time = r->time;
	p->attempts += log_ends_attempt(r);
	return true;
}

/* Is `at` within a line? */
static bool in_line(const struct stream *s)
{
	char before = '\n';
	struct log_piece p;

	for (uint64_t number = s->piece; s->at && number && open_piece(s, number, &p); number = p.start < s->at ? 0 :
		number - 1) {
		if (p.start < s->at)
			read_at(p.log, &before, 1, s->at - 1 - p.start);
		log_piece_close(&p);
	}
	return before != '\n';
}

/* Moves to the first record and byte of a piece. */
static void enter_piece(struct stream *s, const struct log_piece *p)
{
	s->piece = p->number;
	s->piece_start = p->start;
	s->piece_read = false;
	s->attempt = p->attempts;
	s->nblock = 0;
	s->nrecords = s->record = 0;
	s->next_record = 0;
	s->look = true;
}

/* Finds the piece and the records for the offset `at`. */
static void find_position(struct stream *s)
{
	struct stream_position position = { .offset = s->at, .piece = s->piece, .attempts = s->attempt };
	struct log_piece p;

	each_record(s, pass, &position);
	if (position.piece != s->piece && open_piece(s, position.piece, &p)) {
		enter_piece(s, &p);
		log_piece_close(&p);
	}
	s->next_record = position.records;
	s->time = position.time;
	s->attempt = position.attempts;
}

/*
 * Enters the oldest piece, then sets the starting position according to the selection. Returns true if the position was
 * found by a time, so that it may be in the middle of a line.
 */
static bool select_begin(struct stream *s)
{
	struct log_piece newest;
	uint64_t size = 0;

	if (open_piece(s, 0, &newest)) {
		size = newest.start + size_of(newest.log);
		log_piece_close(&newest);
	}
	if (s->how.previous)
		begin_previous(s, size);
	else if (s->how.attempt)
		begin_attempt(s);
	if (s->how.since) {
		struct since since = { .time = s->how.since, .offset = size };
		each_record(s, look_for_time, &since);
		s->at = since.offset > s->at ? since.offset : s->at;
	}
	if (s->how.tail >= 0) {
		uint64_t offset = tail_offset(s, s->end < size ? s->end : size, s->how.tail);
		if (offset > s->at) {
			s->at = offset;
			return false;
		}
	}
	return s->how.since != 0;
}

void stream_begin(struct stream *s)
{
	struct log_piece oldest;

	s->end = UINT64_MAX;
	s->piece = 1;
	if (log_piece_oldest(s->directory, s->name, &oldest)) {
		enter_piece(s, &oldest);
		log_piece_close(&oldest);
	}
	uint64_t first = s->piece_start;
	s->at = first;
	bool since = (s->how.tail >= 0 || s->how.since || s->how.previous || s->how.attempt) && select_begin(s);
	if (s->at > first) {
		find_position(s);
		s->skip = since && in_line(s);
	} else {
		s->at = first;
		s->missing = first;
	}
}

/* ---- lines ---- */

/* Reads the next records of the piece, after all records that were read before have been passed. */
static void read_records(struct stream *s, const struct log_piece *p)
{
	if (s->record < s->nrecords)
		return;
	s->record = 0;
	s->nrecords = read_at(p->times, s->records, sizeof s->records,
		s->next_record * sizeof *s->records) / sizeof *s->records;
	s->next_record += s->nrecords;
	s->look = false;
}

/* The next record that has not been passed; NULL if the piece has no more records. */
static const struct log_record *next_record(struct stream *s)
{
	struct log_piece p;

	if (s->record == s->nrecords && (s->look || s->nrecords == STREAM_RECORDS)) {
		if (!open_piece(s, s->piece, &p))
			return NULL;
		read_records(s, &p);
		log_piece_close(&p);
	}
	return s->record < s->nrecords ? &s->records[s->record] : NULL;
}

/*
 * Continues with the oldest existing piece, because the piece at `at` was removed. False: nothing is known to be
 * missing.
 */
static bool skip_removed(struct stream *s)
{
	struct log_piece p;

	if (!log_piece_oldest(s->directory, s->name, &p))
		return false;
	bool later = p.number > s->piece && p.start >= s->at;
	if (later) {
		enter_piece(s, &p);
		s->missing += p.start - s->at;
		s->at = p.start;
	}
	log_piece_close(&p);
	return later;
}

/* Reads bytes first, and then the records about them: the writer writes the record of bytes before the bytes. */
static size_t read_block(struct stream *s)
{
	struct log_piece p;

	s->look = true;
	if (!open_piece(s, s->piece, &p) && (!skip_removed(s) || !open_piece(s, s->piece, &p)))
		return 0;
	size_t n = read_at(p.log, s->block, STREAM_BLOCK, s->at - s->piece_start);
	s->piece_read = p.full && !n;
	read_records(s, &p);
	log_piece_close(&p);
	return n;
}

/* Moves from the end of a piece to the next piece. False: the next piece does not exist yet. */
static bool pass_piece(struct stream *s)
{
	struct log_piece p;

	if (!s->piece_read)
		return false;
	if (!open_piece(s, s->piece + 1, &p))
		return skip_removed(s);
	enter_piece(s, &p);
	log_piece_close(&p);
	return true;
}

/* As many bytes of the file at `at` as can be read at once; empty: no more bytes have been written. */
static struct str bytes_here(struct stream *s)
{
	if (s->block && s->at < s->block_at + s->nblock) {
		size_t skip = (size_t)(s->at - s->block_at);
		return (struct str){ s->block + skip, s->nblock - skip };
	}
	if (!s->dirty)
		return STR("");
	if (!s->block)
		s->block = memory_resize(NULL, STREAM_BLOCK);
	s->nblock = read_block(s);
	s->block_at = s->at;
	return (struct str){ s->block, s->nblock };
}

static bool text_head(struct stream *s, struct str text, int64_t time, bool more)
{
	s->head = (struct log_line){ .kind = LOG_TEXT, .from = &s->id, .time = time, .text = text, .more = more,
		.attempt = s->attempt + 1 };
	return s->has_head = true;
}

/* Hands out a line that ends here, and whose beginning was kept. */
static bool kept_head(struct stream *s, bool more)
{
	/* the bytes stay valid until the next line is made */
	struct str text = buf_text(&s->line);

	s->line.n = 0;
	return text_head(s, text, s->time, more);
}

static bool ended_head(struct stream *s, const struct log_record *r)
{
	s->record++;
	s->attempt++;
	if (s->attempt == s->how.attempt)
		s->end = s->at;
	s->head = (struct log_line){ .kind = LOG_ENDED, .from = &s->id, .time = r->time, .text = STR(""),
		.attempt = s->attempt, .exit_code = r->value,
		.stopped = r->mark == LOG_ATTEMPT_STOPPED };
	return s->has_head = true;
}

static bool gap_head(struct stream *s, const struct log_record *r)
{
	s->record++;
	s->head = (struct log_line){ .kind = LOG_MISSING, .from = &s->id, .time = r->time, .text = STR(""),
		.missing = r->value };
	return s->has_head = true;
}

static bool removed_head(struct stream *s)
{
	s->head = (struct log_line){ .kind = LOG_MISSING, .from = &s->id, .time = s->time, .text = STR(""),
		.missing = (int64_t)s->missing, .removed = true };
	s->missing = 0;
	return s->has_head = true;
}

/* The number of bytes at the end of TEXT that begin an incomplete character; 0 if TEXT is not valid text. */
static size_t unfinished(struct str text)
{
	for (size_t n = 1; n <= 3 && n <= text.n; n++) {
		unsigned char c = (unsigned char)text.p[text.n - n];
		if ((c & 0xC0) != 0x80)
			return c >= 0xC2 && c <= 0xF4 && n < (c >= 0xF0 ? 4u : c >= 0xE0 ? 3u : 2u) ? n : 0;
	}
	return 0;
}

/*
 * Hands out a part of a line that is too long, cut between characters. The rest of the last character begins the next
 * part.
 */
static bool part_head(struct stream *s)
{
	s->nrest = unfinished(buf_text(&s->line));
	s->line.n -= s->nrest;
	memcpy(s->rest, s->line.p + s->line.n, s->nrest);
	return kept_head(s, true);
}

/* Makes a line from the bytes of one chunk, or keeps them for later. False: the line is not complete yet. */
static bool take(struct stream *s, struct str bytes)
{
	const char *newline = memchr(bytes.p, '\n', bytes.n);
	size_t n = newline ? (size_t)(newline - bytes.p) : bytes.n;

	if (s->skip) {
		s->at += n + (newline != NULL);
		s->skip = !newline;
		return false;
	}
	size_t room = LOG_LINE_MOST - s->line.n;
	if (n > room) {
		buf_put(&s->line, bytes.p, room);
		s->at += room;
		return part_head(s);
	}
	s->at += n + (newline != NULL);
	if (newline && !s->line.n)
		return text_head(s, (struct str){ bytes.p, n }, s->time, false);
	if (n) {
		s->grown_at = clock_steady();
		s->kept_at = s->line.n ? s->kept_at : s->grown_at;
	}
	buf_put(&s->line, bytes.p, n);
	return newline && kept_head(s, false);
}

/*
 * The time at which to show a line without a line end: half a second after it stopped growing. A line that grows all
 * the time, such as a progress bar, is shown once a second.
 */
int64_t stream_due(const struct stream *s)
{
	int64_t still = s->grown_at + NS_PER_SECOND / 2, grows = s->kept_at + NS_PER_SECOND;

	if (s->has_head || !s->line.n)
		return INT64_MAX;
	return still < grows ? still : grows;
}

bool stream_pause(struct stream *s, int64_t now)
{
	if (now < stream_due(s))
		return false;
	part_head(s);
	return s->head.pause = true;
}

static bool idle(struct stream *s, bool over)
{
	if (over && s->line.n)
		return kept_head(s, false);
	s->dirty = false;
	free(s->block);
	s->block = NULL;
	return false;
}

bool stream_fill(struct stream *s, bool over)
{
	buf_put(&s->line, s->rest, s->nrest);
	s->nrest = 0;
	while (s->at < s->end) {
		struct str bytes = bytes_here(s);
		const struct log_record *r = next_record(s);

		if (r && r->offset <= s->at) {
			if (log_ends_attempt(r) && s->attempt + 1 < s->how.attempt) {
				s->attempt++;           /* an attempt that printed nothing, before the selected one */
				s->record++;
				continue;
			}
			if (log_ends_attempt(r))
				return s->line.n ? kept_head(s, false) : ended_head(s, r);
			if (r->mark == LOG_GAP)
				return s->line.n ? kept_head(s, false) : gap_head(s, r);
			s->time = r->mark == LOG_CHUNK ? r->time : s->time;
			s->record++;
			continue;
		}
		uint64_t limit = r && r->offset < s->end ? r->offset : s->end;
		if (!bytes.n && pass_piece(s))
			continue;
		if (!bytes.n)
			return idle(s, over);
		if (s->missing)
			return s->line.n ? kept_head(s, false) : removed_head(s);
		if (bytes.n > limit - s->at)
			bytes.n = (size_t)(limit - s->at);
		if (take(s, bytes))
			return true;
	}
	return idle(s, true);
}

void stream_release(struct stream *s)
{
	free(s->block);
	buf_release(&s->line);
}
