/*
 * log_file.c - the writer of a container's log.
 */
#include "runtime/local/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct str log_name(struct arena *a, struct str role, int64_t index, struct str container, bool main)
{
	if (main)
		return str_printf(a, "%.*s-%lld", STR_ARG(role), (long long)index);
	return str_printf(a, "%.*s-%lld.%.*s", STR_ARG(role), (long long)index, STR_ARG(container));
}

static int create(int directory, const char *name, const char *suffix)
{
	struct arena a = { 0 };
	struct str path = str_cat(&a, str_of(name), str_of(suffix), STR(""));
	int fd = openat(directory, path.p, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	int error = errno;

	arena_release(&a);
	errno = error;
	return fd;
}

bool log_create(struct log_writer *w, int directory, const char *name)
{
	*w = (struct log_writer){ .log = create(directory, name, ".log"), .times = -1 };
	if (w->log < 0)
		return false;
	w->times = create(directory, name, ".times");
	if (w->times >= 0)
		return true;
	int error = errno;
	log_close(w);
	errno = error;
	return false;
}

/* How much of it the disk took. */
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

/* Half a record would shift all that follow: it is taken back. */
static void mark(struct log_writer *w, const struct log_record *r)
{
	size_t n = write_some(w->times, (const char *)r, sizeof *r);

	if (n == sizeof *r)
		w->records++;
	else if (n && ftruncate(w->times, (off_t)(w->records * sizeof *r)) < 0)
		w->lost += n;
}

/* Keeps the last MOST bytes of what was kept, from the beginning of a line where there is one. */
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

/* Bytes first, then what their records say of them, as in log_append(). */
static void write_kept(struct log_writer *w, int64_t now)
{
	struct log_record gap = { .offset = w->offset, .time = now, .mark = LOG_GAP }, chunk = { .offset = w->offset, .time = now, .mark = LOG_CHUNK };
	size_t n = write_some(w->log, w->kept.p, w->kept.n);

	if (!n)
		return;
	gap.value = w->dropped < INT32_MAX ? (int32_t)w->dropped : INT32_MAX;
	if (w->dropped)
		mark(w, &gap);
	mark(w, &chunk);
	w->dropped = 0;
	w->offset += n;
	memmove(w->kept.p, w->kept.p + n, w->kept.n - n);
	w->kept.n -= n;
}

void log_append(struct log_writer *w, const char *bytes, size_t n, int64_t now)
{
	struct log_record r = { .offset = w->offset, .time = now, .mark = LOG_CHUNK };

	if (w->kept.n) {
		buf_put(&w->kept, bytes, n);
		write_kept(w, now);
		drop_first(w, LOG_KEPT);
		return;
	}
	size_t written = write_some(w->log, bytes, n);
	w->offset += written;
	if (written)
		mark(w, &r);
	buf_put(&w->kept, bytes + written, n - written);
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
	struct log_record r = { .offset = w->offset, .time = now, .mark = stopped ? LOG_ATTEMPT_STOPPED : LOG_ATTEMPT_ENDED, .value = exit_code };

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
