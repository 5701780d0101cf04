/*
 * log_file.c - writes a container's log.
 */
#include "runtime/local/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct str log_name(struct arena *a, struct str role, int64_t index, struct str container, bool main)
{
	if (main)
		return str_printf(a, "%.*s-%lld", STR_ARG(role), (long long)index);
	return str_printf(a, "%.*s-%lld.%.*s", STR_ARG(role), (long long)index, STR_ARG(container));
}

static int create(int directory, const char *name, const char *suffix)
{
	char path[300];

	snprintf(path, sizeof path, "%s%s", name, suffix);
	return openat(directory, path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
}

bool log_create(struct log_writer *w, int directory, const char *name, uint64_t limit)
{
	*w = (struct log_writer){ .log = -1, .times = create(directory, name, ".times"), .directory = directory,
		.piece = limit / LOG_PIECES + (limit % LOG_PIECES != 0), .number = 1 };
	snprintf(w->name, sizeof w->name, "%s", name);
	if (w->times < 0)
		return false;
	w->log = create(directory, name, ".log");
	if (w->log >= 0)
		return true;
	int error = errno;
	log_close(w);
	errno = error;
	return false;
}

/* Writes bytes; returns how many the disk took. */
static size_t write_some(int fd, const char *bytes, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t k = write(fd, bytes + done, n - done);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		done += (size_t)k;
	}
	return done;
}

/* Appends a record. Half a record would shift all records after it, so it is removed again. */
static void mark(struct log_writer *w, const struct log_record *r)
{
	size_t n = write_some(w->times, (const char *)r, sizeof *r);

	if (n == sizeof *r)
		w->records++;
	else if (n && ftruncate(w->times, (off_t)(w->records * sizeof *r)) < 0)
		w->lost += n;
}

/* ---- pieces ---- */

struct renaming {
	char from[300], to[300];
};

static void put_renaming(const struct log_writer *w, struct renaming *r, const char *suffix, bool new)
{
	if (new) {
		snprintf(r->from, sizeof r->from, "%s%s.new", w->name, suffix);
		snprintf(r->to, sizeof r->to, "%s%s", w->name, suffix);
	} else {
		snprintf(r->from, sizeof r->from, "%s%s", w->name, suffix);
		snprintf(r->to, sizeof r->to, "%s%s.%llu", w->name, suffix, (unsigned long long)w->number);
	}
}

/* Renames all files, or none. */
static bool rename_all(const struct log_writer *w, const struct renaming *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (renameat(w->directory, r[i].from, w->directory, r[i].to) == 0)
			continue;
		while (i-- > 0)
			renameat(w->directory, r[i].to, w->directory, r[i].from);
		return false;
	}
	return true;
}

/* Removes the oldest piece to make room for a new one. */
static void remove_oldest(struct log_writer *w)
{
	static const char *const suffixes[] = { ".log", ".times" };
	char path[300];

	if (w->number < LOG_PIECES)
		return;
	uint64_t oldest = w->number + 1 - LOG_PIECES;
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s%s.%llu", w->name, suffixes[i], (unsigned long long)oldest);
		unlinkat(w->directory, path, 0);
	}
	w->removed = w->starts[(oldest + 1) % LOG_PIECES];
}

/* Replaces the full files by new files. */
static bool replace_files(struct log_writer *w, int log, int times)
{
	struct log_record begins = { .offset = w->offset, .time = (int64_t)w->number + 1, .mark = LOG_BEGINS,
		.value = w->attempts };
	struct renaming r[4];

	put_renaming(w, &r[0], ".log", false);
	put_renaming(w, &r[1], ".times", false);
	put_renaming(w, &r[2], ".log", true);
	put_renaming(w, &r[3], ".times", true);
	if (log < 0 || times < 0 || write_some(times, (const char *)&begins, sizeof begins) != sizeof begins ||
		!rename_all(w, r, 4)) {
		unlinkat(w->directory, r[2].from, 0);
		unlinkat(w->directory, r[3].from, 0);
		return false;
	}
	return true;
}

/* Starts a new piece. If the disk has no room for it, returns false, and the log continues in the current piece. */
static bool next_piece(struct log_writer *w)
{
	if (w->offset < w->again)
		return false;
	remove_oldest(w);
	int log = create(w->directory, w->name, ".log.new"), times = create(w->directory, w->name, ".times.new");
	bool ok = replace_files(w, log, times);
	int *old[] = { ok ? &w->log : &log, ok ? &w->times : &times };

	for (size_t i = 0; i < 2; i++)
		if (*old[i] >= 0)
			close(*old[i]);
	w->again = ok ? 0 : w->offset + w->piece / 4;
	if (!ok)
		return false;
	w->log = log;
	w->times = times;
	w->records = 1;
	w->starts[++w->number % LOG_PIECES] = w->offset;
	return true;
}

static uint64_t piece_start(const struct log_writer *w) { return w->starts[w->number % LOG_PIECES]; }

/* The number of bytes that the newest piece can still take. */
static uint64_t piece_room(const struct log_writer *w)
{
	uint64_t used = w->offset - piece_start(w);

	return used >= w->piece || w->records * sizeof(struct log_record) >= w->piece ? 0 : w->piece - used;
}

/*
 * The number of the N bytes that go into the newest piece: whole lines, so that the next piece starts with a line,
 * unless a line is very long. 0: the piece is full.
 */
static size_t piece_takes(const struct log_writer *w, const char *bytes, size_t n)
{
	uint64_t room = w->piece ? piece_room(w) : n, more = room + w->piece / 4;
	const char *newline;

	if (n <= room)
		return n;
	newline = room ? memrchr(bytes, '\n', room) : NULL;
	if (!newline && w->in_line)
		newline = memchr(bytes, '\n', n < more ? n : more);
	if (newline)
		return (size_t)(newline + 1 - bytes);
	return w->in_line || w->offset == piece_start(w) ? room : 0;
}

/* ---- bytes that the disk does not take ---- */

/* Drops all but the last MOST of the kept bytes; begins with a whole line if possible. */
static void drop_first(struct log_writer *w, size_t most)
{
	if (w->kept.n <= most)
		return;
	size_t n = w->kept.n - most;
	const char *newline = memchr(w->kept.p + n, '\n', most);
	if (newline && w->kept.p[n - 1] != '\n')
		n = (size_t)(newline + 1 - w->kept.p);
	memmove(w->kept.p, w->kept.p + n, w->kept.n - n);
	w->kept.n -= n;
	w->dropped += n;
	w->lost += n;
}

/* Writes the kept bytes, then their records: while the disk is full, a record for each try would pile up. */
static void write_kept(struct log_writer *w, int64_t now)
{
	struct log_record gap = { .offset = w->offset, .time = now, .mark = LOG_GAP },
		chunk = { .offset = w->offset, .time = now, .mark = LOG_CHUNK };

	if (w->piece && !piece_room(w))
		next_piece(w);
	size_t n = write_some(w->log, w->kept.p, w->kept.n);

	if (!n)
		return;
	gap.value = w->dropped < INT32_MAX ? (int32_t)w->dropped : INT32_MAX;
	if (w->dropped)
		mark(w, &gap);
	mark(w, &chunk);
	w->dropped = 0;
	w->offset += n;
	w->in_line = w->kept.p[n - 1] != '\n';
	memmove(w->kept.p, w->kept.p + n, w->kept.n - n);
	w->kept.n -= n;
}

/* ---- writing ---- */

/*
 * Writes bytes into the newest piece; returns how many the disk took. Their record is written first: a reader may see
 * the bytes at once, and reads the records after them. If the disk takes no byte, the record means nothing, because the
 * next record has the same offset.
 */
static size_t write_chunk(struct log_writer *w, const char *bytes, size_t n, int64_t now)
{
	struct log_record r = { .offset = w->offset, .time = now, .mark = LOG_CHUNK };

	mark(w, &r);
	size_t written = write_some(w->log, bytes, n);
	w->offset += written;
	if (written)
		w->in_line = bytes[written - 1] != '\n';
	return written;
}

void log_append(struct log_writer *w, const char *bytes, size_t n, int64_t now)
{
	if (w->kept.n) {
		buf_put(&w->kept, bytes, n);
		write_kept(w, now);
		drop_first(w, LOG_KEPT);
		return;
	}
	while (n) {
		size_t part = piece_takes(w, bytes, n);
		if (!part && next_piece(w))
			continue;
		part = part ? part : n;
		size_t written = write_chunk(w, bytes, part, now);
		bytes += written;
		n -= written;
		if (written < part)
			break;
	}
	buf_put(&w->kept, bytes, n);
	drop_first(w, LOG_KEPT);
}

void log_last_try(struct log_writer *w, size_t most, int64_t now)
{
	drop_first(w, most);
	if (w->kept.n)
		write_kept(w, now);
	w->lost += w->kept.n;
	w->kept.n = 0;
}

void log_attempt_ended(struct log_writer *w, int exit_code, bool stopped, int64_t now)
{
	struct log_record r = { .offset = w->offset, .time = now,
		.mark = stopped ? LOG_ATTEMPT_STOPPED : LOG_ATTEMPT_ENDED, .value = exit_code };

	w->attempts++;
	mark(w, &r);
}

void log_close(struct log_writer *w)
{
	if (w->log >= 0)
		close(w->log);
	if (w->times >= 0)
		close(w->times);
	w->log = w->times = -1;
	w->lost += w->kept.n;
	buf_release(&w->kept);
}

size_t log_last(const struct log_writer *w, uint64_t from, char *into, size_t n)
{
	char path[300];
	size_t done = 0;

	for (uint64_t k = w->number > 1 && from < piece_start(w) ? w->number - 1 :
		w->number; k && k <= w->number; k++) {
		uint64_t start = w->starts[k % LOG_PIECES], at = from + done;
		if (k < w->number)
			snprintf(path, sizeof path, "%s.log.%llu", w->name, (unsigned long long)k);
		else
			snprintf(path, sizeof path, "%s.log", w->name);
		int fd = openat(w->directory, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		ssize_t got = fd >= 0 && at >= start ? pread(fd, into + done, n - done, (off_t)(at - start)) : -1;
		if (fd >= 0)
			close(fd);
		done += got > 0 ? (size_t)got : 0;
	}
	return done;
}
