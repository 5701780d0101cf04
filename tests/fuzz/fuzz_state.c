/*
 * fuzz_state.c - reads the files of a local run: the part "state" is its state, "log" and "times" are the files of its
 * one replica. Each line of "times" is a record: offset, time, mark, value. The part "select" has four numbers: which
 * lines to read (tail, since, previous, attempt), and "append" the sizes of chunks in which a writer stores the log.
 *
 * What must hold: a state that was read and written again stays the same; a reader of any files comes to an end and
 * hands out no more bytes than they have; what a writer stores in chunks is read back completely and in order.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "runtime/local/follow.h"
#include "runtime/local/log_file.h"
#include "runtime/run/run_state.h"

enum { LINES_MOST = 20000 };

static char directory[64];
static struct log_selection selection;

/* ---- files ---- */

static void directory_remove(void)
{
	static const char *const names[] = { "logs/worker-0.log", "logs/worker-0.times", "logs", "" };

	for (size_t i = 0; *directory && i < sizeof names / sizeof *names; i++) {
		char path[128];
		snprintf(path, sizeof path, "%s/%s", directory, names[i]);
		remove(path);
	}
}

static int directory_open(void)
{
	char path[128];
	const char *where = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	if (!*directory) {
		snprintf(directory, sizeof directory, "%s/fuzz_state.XXXXXX", where);
		fuzz_require(mkdtemp(directory) != NULL);
		atexit(directory_remove);
		snprintf(path, sizeof path, "%s/logs", directory);
		fuzz_require(mkdir(path, 0700) == 0);
	}
	snprintf(path, sizeof path, "%s/logs", directory);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void file_put(int dir, const char *name, struct str text)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	fuzz_require(fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n);
	close(fd);
}

static struct str records_of(struct arena *a, struct str lines)
{
	struct buf b = { 0 };

	while (lines.n) {
		struct str line = fuzz_line(&lines);
		struct log_record r = { .offset = (uint64_t)fuzz_number(&line), .time = fuzz_number(&line),
			.mark = (int32_t)fuzz_number(&line), .value = (int32_t)fuzz_number(&line) };
		buf_put(&b, (const char *)&r, sizeof r);
	}
	return fuzz_taken(a, &b);
}

/* ---- reading ---- */

static bool wanted(void *context, const struct log_stream *s, struct log_selection *ret)
{
	(void)context;
	(void)s;
	*ret = selection;
	return true;
}

/* Appends everything that is printed. */
static void read_logs(struct buf *out)
{
	static struct run_role role = { .name = { "worker", 6 }, .max = 1 };
	static const struct run_state run = { .name = { "job", 3 }, .roles = &role, .nroles = 1 };
	struct arena a = { 0 };
	struct follow *f = follow_new(&a);
	struct follow_run r = { .dir = str_of(directory), .state = &run, .wanted = wanted };
	struct log_line line;
	size_t lines = 0;

	fuzz_require(follow_add(f, &r));
	follow_read(f);
	for (; follow_next(f, true, &line); lines++) {
		fuzz_require(lines < LINES_MOST && line.text.n <= LOG_LINE_MOST);
		if (line.kind == LOG_TEXT) {
			buf_str(out, line.text);
			buf_z(out, line.more ? "" : "\n");
		}
	}
	follow_release(f);
	arena_release(&a);
}

static void check_files(struct arena *a, int dir, const struct fuzz_parts *parts)
{
	struct str log = fuzz_part(parts, "log"), how = fuzz_part(parts, "select");
	struct buf out = { 0 };

	file_put(dir, "worker-0.log", log);
	file_put(dir, "worker-0.times", records_of(a, fuzz_part(parts, "times")));
	selection = (struct log_selection){ .tail = -1 };
	if (how.n)
		selection = (struct log_selection){ .tail = fuzz_number(&how), .since = fuzz_number(&how),
			.previous = fuzz_number(&how) > 0, .attempt = fuzz_number(&how) };
	read_logs(&out);
	size_t ends = 0;
	for (size_t i = 0; i < out.n; i++)
		ends += out.p[i] == '\n';
	fuzz_require(out.n - ends <= log.n);
	buf_release(&out);
}

/* ---- what a writer stores ---- */

static void check_writer(int dir, struct str log, struct str sizes)
{
	struct log_writer w;
	struct buf out = { 0 };
	int64_t time = 1000;

	unlinkat(dir, "worker-0.log", 0);
	unlinkat(dir, "worker-0.times", 0);
	fuzz_require(log_create(&w, dir, "worker-0", 0));
	for (struct str rest = log; rest.n;) {
		int64_t size = fuzz_number(&sizes);
		size_t n = size > 0 && (uint64_t)size < rest.n ? (size_t)size : rest.n;
		log_append(&w, rest.p, n, time += 1000);
		rest = (struct str){ rest.p + n, rest.n - n };
		if (size < 0)
			log_attempt_ended(&w, (int)(-size % 256), size & 1, time);
	}
	log_close(&w);
	selection = (struct log_selection){ .tail = -1 };
	read_logs(&out);
	/* an attempt that ends within a line ends the line */
	struct str left = log;
	for (size_t i = 0; i < out.n; i++)
		if (left.n && out.p[i] == *left.p)
			left = (struct str){ left.p + 1, left.n - 1 };
		else
			fuzz_require(out.p[i] == '\n');
	fuzz_require(!left.n);
	buf_release(&out);
}

static void check_state(struct arena *a, struct str text)
{
	struct run_state state, again;
	struct str why = STR("");
	struct buf first = { 0 }, second = { 0 };

	if (!run_state_read(a, text, &state, &why)) {
		fuzz_require(why.n);
		return;
	}
	run_state_write(&state, &first);
	fuzz_require(run_state_read(a, buf_text(&first), &again, &why));
	run_state_write(&again, &second);
	fuzz_require(str_eq(buf_text(&first), buf_text(&second)));
	fuzz_require(run_state_digest(&state) == run_state_digest(&again));
	buf_release(&first);
	buf_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct fuzz_parts parts;

	fuzz_divide(fuzz_input(&a, bytes, n), &parts);
	check_state(&a, fuzz_part(&parts, "state"));
	if (fuzz_part(&parts, "log").n || fuzz_part(&parts, "times").n) {
		int dir = directory_open();
		fuzz_require(dir >= 0);
		check_files(&a, dir, &parts);
		check_writer(dir, fuzz_part(&parts, "log"), fuzz_part(&parts, "append"));
		close(dir);
	}
	arena_release(&a);
	return 0;
}
