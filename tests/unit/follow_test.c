/*
 * follow_test.c - lines from log files: merged by time, complete, starting at the right position, while the files
 * grow.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/local/follow.h"
#include "runtime/local/log_file.h"
#include "runtime/run/log_print.h"
#include "runtime/local/remove.h"
#include "unit.h"

static struct arena arena;
static char work[] = "/tmp/follow_test.XXXXXX";
static int logs = -1;

static uint64_t seed = 4101842887655102017u;

static uint64_t any(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

/* ---- a run with two roles ---- */

#define TEXT(s) { "" s, sizeof(s) - 1 }         /* STR(), but as a constant expression */
static struct run_role roles[] = { { .name = TEXT("worker"), .max = 3 }, { .name = TEXT("worker-1"), .max = 2 } };
static const struct run_state state = { .name = TEXT("job"), .roles = roles, .nroles = 2 };

static struct log_selection how;
static bool take_all(void *context, const struct log_stream *s, struct log_selection *ret)
{
	(void)context, (void)s;
	*ret = how;
	return true;
}
static bool take_main(void *context, const struct log_stream *s, struct log_selection *ret)
{
	*ret = how;
	return (void)context, s->main;
}

static void fresh(void)
{
	struct str why;

	if (logs >= 0) {
		CHECK(remove_inside(&arena, logs, NULL, &why));
		close(logs);
	}
	mkdir("logs", 0700);
	logs = open("logs", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	how = (struct log_selection){ .tail = -1 };
}

static struct follow *follow(bool (*wanted)(void *, const struct log_stream *, struct log_selection *))
{
	struct follow *f = follow_new(&arena);
	struct follow_run r = { str_of(work), &state, wanted, NULL };

	CHECK(follow_add(f, &r));
	return f;
}

static uint64_t limit;                  /* limit of the generated logs in bytes */

static struct log_writer writer(const char *name)
{
	struct log_writer w;

	CHECK(log_create(&w, logs, name, limit));
	return w;
}

static void put(struct log_writer *w, const char *text, int64_t time) { log_append(w, text, strlen(text), time); }

/* Returns everything that is available: lines as "worker/0:text|", ends of attempts as "worker/0=3|". */
static struct str drain(struct follow *f, bool over)
{
	struct log_line l;
	struct buf b = { 0 };

	follow_read(f);
	while (follow_next(f, over, &l)) {
		buf_printf(&b, "%.*s/%d%s%.*s", STR_ARG(l.from->role), (int)l.from->index, l.from->main ? "" : ".",
			l.from->main ? 0 : (int)l.from->container.n,
		           l.from->container.p);
		if (l.kind == LOG_ENDED)
			buf_printf(&b, "=%d#%d|", l.exit_code, (int)l.attempt);
		else if (l.kind == LOG_MISSING)
			buf_printf(&b, "%s%d|", l.removed ? "-" : "?", (int)l.missing);
		else
			buf_printf(&b, ":%.*s%s|", STR_ARG(l.text), l.more ? "+" : "");
	}
	struct str s = buf_take(&b, &arena);
	buf_release(&b);
	return s;
}

static struct str once(bool (*wanted)(void *, const struct log_stream *, struct log_selection *))
{
	struct follow *f = follow(wanted);
	struct str s = drain(f, true);

	follow_release(f);
	return s;
}

static void merged(void)
{
	fresh();
	struct log_writer a = writer("worker-0"), b = writer("worker-1-0"), c = writer("worker-1"),
		d = writer("worker-2.logger");
	close(openat(logs, "other.log", O_CREAT | O_WRONLY, 0600));
	close(openat(logs, "worker-x.log", O_CREAT | O_WRONLY, 0600));
	put(&a, "one\ntwo", 10);
	put(&b, "first\n", 5);
	put(&c, "middle\n", 15);
	put(&a, " goes on\nthree\n", 20);
	put(&d, "beside\n", 12);
	put(&b, "last", 30);
	CHECK_TEXT(once(take_all), "worker-1/0:first|worker/0:one|worker/2.logger:beside|worker/1:middle|worker/0:two goes on|worker/0:three|worker-1/0:last|");
	CHECK_TEXT(once(take_main),
		"worker-1/0:first|worker/0:one|worker/1:middle|worker/0:two goes on|worker/0:three|worker-1/0:last|");
	log_close(&a), log_close(&b), log_close(&c), log_close(&d);
}

static void growing(void)
{
	fresh();
	struct log_writer a = writer("worker-0");
	struct follow *f = follow(take_all);

	CHECK_TEXT(drain(f, false), "");
	put(&a, "half", 1);
	CHECK_TEXT(drain(f, false), "");
	put(&a, " a line\nnext\nun", 2);
	CHECK_TEXT(drain(f, false), "worker/0:half a line|worker/0:next|");
	struct log_writer b = writer("worker-2");        /* a log file that did not exist before */
	put(&b, "new\n", 3);
	log_attempt_ended(&a, 3, false, 4);
	put(&a, "again\n", 5);
	CHECK_TEXT(drain(f, false), "worker/0:un|worker/2:new|worker/0=3#1|worker/0:again|");
	log_attempt_ended(&a, 0, false, 6);
	CHECK_TEXT(drain(f, false), "worker/0=0#2|");
	put(&b, "rest", 7);
	CHECK_TEXT(drain(f, false), "");
	CHECK_TEXT(drain(f, true), "worker/2:rest|");
	CHECK_TEXT(drain(f, true), "");
	follow_release(f);
	log_close(&a), log_close(&b);
}

/* ---- where reading starts ---- */

static void selected(void)
{
	fresh();
	struct log_writer a = writer("worker-0");

	put(&a, "a1\na2\n", 10);
	log_attempt_ended(&a, 7, false, 11);
	put(&a, "b1\nb", 20);
	put(&a, "2\nb3\n", 30);
	how.tail = 2;
	CHECK_TEXT(once(take_all), "worker/0:b2|worker/0:b3|");
	how.tail = 4;
	CHECK_TEXT(once(take_all), "worker/0:a2|worker/0=7#1|worker/0:b1|worker/0:b2|worker/0:b3|");
	how.tail = 100;
	CHECK_TEXT(once(take_all), "worker/0:a1|worker/0:a2|worker/0=7#1|worker/0:b1|worker/0:b2|worker/0:b3|");
	how.tail = 0;
	CHECK_TEXT(once(take_all), "");
	how = (struct log_selection){ .tail = -1, .since = 15 };
	CHECK_TEXT(once(take_all), "worker/0:b1|worker/0:b2|worker/0:b3|");
	how.since = 25;                 /* a line that started earlier is left out completely */
	CHECK_TEXT(once(take_all), "worker/0:b3|");
	how.since = 99;
	CHECK_TEXT(once(take_all), "");
	how = (struct log_selection){ .tail = 1, .since = 15 };
	CHECK_TEXT(once(take_all), "worker/0:b3|");
	how = (struct log_selection){ .tail = -1, .previous = true, .attempts = 2 };
	CHECK_TEXT(once(take_all), "worker/0:a1|worker/0:a2|");
	how.tail = 1;
	CHECK_TEXT(once(take_all), "worker/0:a2|");
	how = (struct log_selection){ .tail = -1, .previous = true };
	log_attempt_ended(&a, 0, false, 31);
	CHECK_TEXT(once(take_all), "worker/0:a1|worker/0:a2|");
	/* the last three attempts; the third one has started, but not printed anything */
	how.attempts = 3;
	CHECK_TEXT(once(take_all), "worker/0:b1|worker/0:b2|worker/0:b3|");
	log_close(&a);

	fresh();
	struct log_writer b = writer("worker-0");
	put(&b, "only", 1);
	how = (struct log_selection){ .tail = -1, .previous = true, .attempts = 1 };
	CHECK_TEXT(once(take_all), "");
	how = (struct log_selection){ .tail = 1 };
	CHECK_TEXT(once(take_all), "worker/0:only|");
	log_close(&b);
}

static struct str attempt(int64_t n)
{
	how = (struct log_selection){ .tail = -1, .attempt = n };
	return once(take_all);
}

/* Selects a single attempt, including one that printed nothing, and one that still runs. */
static void one_attempt(void)
{
	fresh();
	struct log_writer a = writer("worker-0");

	log_attempt_ended(&a, 1, false, 9);
	put(&a, "a1\na2", 10);
	log_attempt_ended(&a, 7, false, 11);
	put(&a, "b1\n", 20);
	log_attempt_ended(&a, 8, false, 21);
	log_attempt_ended(&a, 9, false, 22);
	put(&a, "c1\n", 30);
	CHECK_TEXT(attempt(1), "");
	CHECK_TEXT(attempt(2), "worker/0:a1|worker/0:a2|");
	CHECK_TEXT(attempt(3), "worker/0:b1|");
	CHECK_TEXT(attempt(4), "");
	CHECK_TEXT(attempt(5), "worker/0:c1|");
	how = (struct log_selection){ .tail = 1, .attempt = 2 };
	CHECK_TEXT(once(take_all), "worker/0:a2|");
	how = (struct log_selection){ .tail = -1, .attempt = 5 };
	struct follow *f = follow(take_all);
	CHECK_TEXT(drain(f, false), "worker/0:c1|");
	put(&a, "c2\n", 31);
	CHECK_TEXT(drain(f, false), "worker/0:c2|");
	put(&a, "c3", 32);
	log_attempt_ended(&a, 3, false, 33);
	put(&a, "d1\n", 40);
	CHECK_TEXT(drain(f, true), "worker/0:c3|worker/0=3#5|");
	follow_release(f);
	log_close(&a);
}

/* A line of 2.5 MiB is delivered in three parts. */
static void long_line(void)
{
	fresh();
	struct log_writer a = writer("worker-0");
	size_t n = (size_t)LOG_LINE_MOST * 5 / 2;
	char *bytes = memset(arena_alloc(&arena, n + 1), 'x', n);
	struct log_line l;
	size_t got = 0, parts = 0, whole = 0, said = 0;
	struct log_print json = { .json = true };
	struct buf out = { 0 };

	bytes[n] = '\n';
	for (size_t i = 0; i <= n; i += 65536)
		log_append(&a, bytes + i, n + 1 - i < 65536 ? n + 1 - i : 65536, 1);
	put(&a, "short\n", 2);
	struct follow *f = follow(take_all);
	follow_read(f);
	while (follow_next(f, true, &l) && parts < 10) {
		got += l.text.n;
		parts++;
		whole += !l.more;
		out.n = 0;
		log_print(&json, &l, &out, &out);
		said += str_ends(buf_text(&out), STR("x\",\"more\":true}\n"));
	}
	CHECK(got == n + 5 && parts == 4 && whole == 2 && said == 2);
	CHECK(str_ends(buf_text(&out), STR("\"text\":\"short\"}\n")));
	buf_release(&out);
	follow_release(f);
	log_close(&a);
}

/* Parts of a long line end between characters, however the bytes arrive; invalid bytes are delivered too. */
static void long_characters(void)
{
	static const char *const units[] = { "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\x80", "\xC3",
		"\xF0\x9F" };
	enum { WHOLE = 3, UNITS = 6 };

	for (size_t u = 0; u < UNITS; u++) {
		fresh();
		struct log_writer a = writer("worker-0");
		struct buf written = { 0 }, read = { 0 };
		struct log_line l;
		size_t parts = 0, broken = 0, n = strlen(units[u]);

		buf_z(&written, u ? "ab" : "a");
		while (written.n < (size_t)LOG_LINE_MOST * 5 / 2)
			buf_put(&written, units[u], n);
		for (size_t i = 0; i < written.n; i += 65521)
			log_append(&a, written.p + i, written.n - i < 65521 ? written.n - i : 65521, 1);
		struct follow *f = follow(take_all);
		follow_read(f);
		while (follow_next(f, true, &l) && parts < 10) {
			buf_str(&read, l.text);
			parts++;
			for (size_t i = 0, k; u < WHOLE && i < l.text.n; i += k ? k : 1) {
				k = str_utf8(l.text.p + i, l.text.n - i);
				broken += !k;
			}
			CHECK(l.text.n <= LOG_LINE_MOST && (!l.more || l.text.n > LOG_LINE_MOST - 4));
		}
		CHECK(parts == 3 && broken == 0);
		CHECK(str_eq(buf_text(&read), buf_text(&written)));
		buf_release(&read);
		buf_release(&written);
		follow_release(f);
		log_close(&a);
	}
}

/* ---- logs with a limit ---- */

/* Writes lines "line N" of 100 bytes, each at the time N. */
static void put_lines(struct log_writer *w, int from, int to)
{
	for (int i = from; i < to; i++)
		put(w, str_printf(&arena, "%-99d\n", i).p, i);
}

/* Returns ranges of line numbers, lost bytes and ends of attempts: "-500|5..20=3#1|21..29|". */
static struct str numbers(struct follow *f, bool over)
{
	struct log_line l;
	struct buf b = { 0 };
	int first = -1, last = -2;

	follow_read(f);
	for (bool more = true; more;) {
		more = follow_next(f, over, &l);
		int n = more && l.kind == LOG_TEXT ? atoi(str_copy(&arena, l.text).p) : -1;
		if (n != last + 1 && first >= 0)
			buf_printf(&b, "%d..%d|", first, last);
		first = n < 0 ? -1 : n == last + 1 && first >= 0 ? first : n;
		last = n < 0 ? -2 : n;
		if (more && l.kind == LOG_MISSING)
			buf_printf(&b, "%s%d|", l.removed ? "-" : "?", (int)l.missing);
		if (more && l.kind == LOG_ENDED)
			buf_printf(&b, "=%d#%d|", l.exit_code, (int)l.attempt);
	}
	struct str s = buf_take(&b, &arena);
	buf_release(&b);
	return s;
}

static struct str chosen(struct log_selection wish)
{
	how = wish;
	struct follow *f = follow(take_all);
	struct str s = numbers(f, true);
	follow_release(f);
	how = (struct log_selection){ .tail = -1 };
	return s;
}

static void pieces(void)
{
	fresh();
	limit = 5000;                   /* bytes for five segments of ten lines */
	struct log_writer w = writer("worker-0");
	char last[300] = "";

	put_lines(&w, 0, 5);
	log_attempt_ended(&w, 3, false, 5);
	put_lines(&w, 5, 30);
	struct follow *f = follow(take_all);
	CHECK_TEXT(numbers(f, false), "0..4|=3#1|5..29|");
	put_lines(&w, 30, 60);
	CHECK(w.removed == 1000 && w.offset == 6000 && faccessat(logs, "worker-0.log.1", F_OK, 0) != 0 &&
		faccessat(logs, "worker-0.log.5", F_OK, 0) == 0);
	CHECK_TEXT(numbers(f, false), "30..59|");
	log_attempt_ended(&w, 4, false, 60);
	put_lines(&w, 60, 95);
	CHECK_TEXT(numbers(f, false), "=4#2|60..94|");
	put_lines(&w, 95, 200);         /* the log is written faster than this reader reads */
	CHECK_TEXT(numbers(f, false), "-5500|150..199|");
	follow_release(f);
	CHECK_TEXT(chosen((struct log_selection){ .tail = -1 }), "-15000|150..199|");
	CHECK_TEXT(chosen((struct log_selection){ .tail = 15 }), "185..199|");
	CHECK_TEXT(chosen((struct log_selection){ .tail = 10 }), "190..199|");
	CHECK_TEXT(chosen((struct log_selection){ .tail = 0 }), "");
	CHECK_TEXT(chosen((struct log_selection){ .tail = 99 }), "-15000|150..199|");
	CHECK_TEXT(chosen((struct log_selection){ .tail = -1, .since = 177 }), "177..199|");
	CHECK_TEXT(chosen((struct log_selection){ .tail = -1, .since = 190 }), "190..199|");
	CHECK_TEXT(chosen((struct log_selection){ .tail = -1, .previous = true, .attempts = 3 }), "");
	log_attempt_ended(&w, 5, false, 200);
	put_lines(&w, 200, 225);
	CHECK_TEXT(chosen((struct log_selection){ .tail = -1, .previous = true, .attempts = 4 }), "-18000|180..199|");
	CHECK_TEXT(chosen((struct log_selection){ .tail = -1, .attempt = 1 }), "");     /* removed */
	CHECK_TEXT(chosen((struct log_selection){ .tail = -1, .attempt = 3 }), "-18000|180..199|");
	CHECK_TEXT(chosen((struct log_selection){ .tail = -1, .attempt = 4 }), "200..224|");
	CHECK_TEXT(chosen((struct log_selection){ .tail = 30 }), "195..199|=5#3|200..224|");
	CHECK(log_last(&w, 21900, last, 250) == 250 && atoi(last) == 219 && atoi(last + 100) == 220);
	CHECK(log_last(&w, 22400, last, 250) == 100 && atoi(last) == 224);
	/*
	 * a line that is longer than a segment, and a writer of single bytes, whose times take more space than the
	 * bytes
	 */
	char *x = memset(arena_alloc(&arena, 2600), 'x', 2600);
	x[2599] = 0;
	put(&w, x, 300);
	put(&w, "\nafter\n", 301);
	how.tail = 2;
	CHECK(str_ends(once(take_all), STR("xx|worker/0:after|")));
	for (int i = 0; i < 500; i++)
		put(&w, i % 50 == 49 ? "\n" : "y", 302);
	struct stat is;
	CHECK(fstat(w.times, &is) == 0 && is.st_size <= 1000 + (off_t)sizeof(struct log_record));
	log_close(&w);
	limit = 0;
}

static void rename_log(const char *from, const char *to) { CHECK(renameat(logs, from, logs, to) == 0); }

/*
 * The keeper was killed, or is stopped, between two of the four renames with which a new piece begins: all output can
 * be read.
 */
static void half_renamed(void)
{
	static const char *const from[] = { "worker-0.log", "worker-0.times", "worker-0.log.new" };
	static const char *const to[] = { "worker-0.log.3", "worker-0.times.3", "worker-0.log" };
	const struct log_record begins = { .offset = 3000, .time = 4, .mark = LOG_BEGINS };

	for (int done = 0; done <= 3; done++) {
		fresh();
		limit = 5000;
		struct log_writer w = writer("worker-0");
		put_lines(&w, 0, 30);
		log_close(&w);
		int times = openat(logs, "worker-0.times.new", O_WRONLY | O_CREAT, 0600);
		CHECK(write(times, &begins, sizeof begins) == sizeof begins);
		close(times);
		close(openat(logs, "worker-0.log.new", O_WRONLY | O_CREAT, 0600));
		for (int i = 0; i < done; i++)
			rename_log(from[i], to[i]);
		CHECK_TEXT(chosen((struct log_selection){ .tail = -1 }), "0..29|");
		CHECK_TEXT(chosen((struct log_selection){ .tail = 15 }), "15..29|");
		CHECK_TEXT(chosen((struct log_selection){ .tail = -1, .since = 25 }), "25..29|");
		/* a reader that had read a part before, and the writer when it continues */
		struct follow *f = follow(take_all);
		CHECK_TEXT(numbers(f, false), "0..29|");
		for (int i = done; i < 3; i++)
			rename_log(from[i], to[i]);
		rename_log("worker-0.times.new", "worker-0.times");
		int log = openat(logs, "worker-0.log", O_WRONLY | O_APPEND);
		CHECK(write(log, "30\n31\n", 6) == 6);
		close(log);
		CHECK_TEXT(numbers(f, true), "30..31|");
		follow_release(f);
	}
	limit = 0;
}

/*
 * A reader may see bytes as soon as they are written. Their record is written before them, so that the reader never
 * shows them with the time of earlier bytes.
 */
static void record_first(void)
{
	struct stat is;

	fresh();
	struct log_writer w = writer("worker-0");
	CHECK(dup2(open("/dev/null", O_RDONLY), w.log) == w.log);       /* a file that takes no bytes */
	put(&w, "text\n", 1);
	CHECK(fstat(w.times, &is) == 0 && is.st_size == sizeof(struct log_record));
	log_close(&w);
}

/* If no new segment can be created, the log continues without a limit. */
static void no_piece(void)
{
	fresh();
	limit = 5000;
	struct log_writer w = writer("worker-0");

	CHECK(mkdirat(logs, "worker-0.log.1", 0700) == 0);      /* no file can be renamed to the name of a directory */
	put_lines(&w, 0, 25);
	CHECK(w.number == 1 && w.offset == 2500 && w.lost == 0);
	CHECK_TEXT(chosen((struct log_selection){ .tail = -1 }), "0..24|");
	CHECK(unlinkat(logs, "worker-0.log.1", AT_REMOVEDIR) == 0);
	put_lines(&w, 25, 40);
	CHECK(w.number > 1);
	CHECK_TEXT(chosen((struct log_selection){ .tail = -1 }), "0..39|");
	log_close(&w);
	limit = 0;
}

/* ---- random writers and random readers ---- */

enum { STREAMS = 5 };

struct twin {                           /* a log, and what was written to it */
	struct log_writer w;
	struct buf written, read;
	int64_t marks, marks_read;
};

static struct twin *twin_of(struct twin *all, const struct log_stream *s)
{
	return &all[s->role_number == 1 ? 3 + s->index : s->index];
}

static void read_some(struct follow *f, struct twin *all, bool over)
{
	struct log_line l;

	follow_read(f);
	while (follow_next(f, over, &l)) {
		struct twin *t = twin_of(all, l.from);
		if (l.kind == LOG_ENDED) {
			t->marks_read++;
			buf_put(&t->read, "\1", 1);
		} else {
			buf_str(&t->read, l.text);
			buf_z(&t->read, l.more ? "" : "\n");
		}
	}
}

static void write_some(struct twin *t, int64_t now)
{
	char bytes[300];
	size_t n = 1 + any(any(10) ? 60 : 300);

	if (any(12) == 0) {
		/* the reader reports the end of an attempt, which also ends the attempt's last line */
		if (t->written.n && t->written.p[t->written.n - 1] != '\n' && t->written.p[t->written.n - 1] != '\1')
			buf_char(&t->written, '\n');
		buf_char(&t->written, '\1');
		log_attempt_ended(&t->w, (int)any(256), false, now);
		t->marks++;
		return;
	}
	for (size_t i = 0; i < n; i++)
		bytes[i] = any(20) ? (char)('a' + any(26)) : '\n';
	log_append(&t->w, bytes, n, now);
	buf_put(&t->written, bytes, n);
}

/* If all lines are available, they are ordered by time. Returns the number of lines that are not. */
static unsigned out_of_order(void)
{
	struct follow *f = follow(take_all);
	struct log_line l;
	unsigned n = 0;
	int64_t time = 0;

	for (follow_read(f); follow_next(f, false, &l); time = l.time)
		n += l.time < time;
	follow_release(f);
	return n;
}

static void anything(void)
{
	static const char *const names[STREAMS] = { "worker-0", "worker-1", "worker-2", "worker-1-0", "worker-1-1" };
	unsigned same = 0, backwards = 0, marks = 0;
	enum { ROUNDS = 12 };

	for (int round = 0; round < ROUNDS; round++) {
		struct twin all[STREAMS] = { 0 };
		int64_t now = 1;
		fresh();
		limit = round % 2 ? 10000 + any(4000) : 0;
		struct follow *f = follow(take_all);
		for (int i = 0; i < STREAMS; i++)
			all[i].w = writer(names[i]);
		for (int step = 0; step < 400; step++) {
			write_some(&all[any(STREAMS)], now += 1 + (int64_t)any(5));
			if (any(8) == 0)
				read_some(f, all, false);
		}
		read_some(f, all, true);
		backwards += out_of_order();
		for (int i = 0; i < STREAMS; i++) {
			struct twin *t = &all[i];
			if (t->written.n && t->written.p[t->written.n - 1] != '\n' &&
				t->written.p[t->written.n - 1] != '\1')
				buf_char(&t->written, '\n');
			same += str_eq(buf_text(&t->written), buf_text(&t->read));
			marks += t->marks == t->marks_read;
			log_close(&t->w);
			buf_release(&t->written);
			buf_release(&t->read);
		}
		follow_release(f);
	}
	CHECK(same == ROUNDS * STREAMS && marks == ROUNDS * STREAMS);
	CHECK(backwards == 0);
	limit = 0;
}

/* ---- how lines are printed ---- */

static struct str printed(struct log_print *p, struct follow *f, bool over)
{
	struct log_line l;
	struct buf b = { 0 };

	follow_read(f);
	while (follow_next(f, over, &l))
		log_print(p, &l, &b, &b);
	struct str s = buf_take(&b, &arena);
	buf_release(&b);
	return s;
}

static void shown(void)
{
	fresh();
	struct log_writer a = writer("worker-0"), b = writer("worker-1-1.side");
	struct log_print p = { .prefix = true }, json = { .json = true };

	put(&a, "red \x1b[31m\xFF\r\n", 1000000001);
	log_attempt_ended(&a, 3, false, 1000000002);
	put(&a, "1%\r2%\r\n", 1000000003);
	log_attempt_ended(&a, 0, false, 1000000004);
	put(&b, "x\n", 1000000005);
	put(&a, "y\n", 1000000006);
	log_attempt_ended(&a, 0, false, 1000000007);
	struct follow *f = follow(take_all);
	CHECK_TEXT(printed(&p, f, true), "worker/0 \xE2\x94\x82 red \x1b[31m\xFF\r\n"
	                                 "worker/0 \xE2\x94\x80 attempt 1 exited with code 3\n"
	                                 "worker/0 \xE2\x94\x82 1%\r2%\r\n"
	                                 "worker-1/1.side \xE2\x94\x82 x\n"
	                                 "worker/0 \xE2\x94\x80 attempt 2 exited with code 0\n"
	                                 "worker/0 \xE2\x94\x82 y\n");
	follow_release(f);
	f = follow(take_main);
	p = (struct log_print){ .escape = true, .timestamps = true, .prefix = true, .runs = true };
	CHECK_TEXT(printed(&p, f, true), "1970-01-01T00:00:01.000000001Z job:worker/0 \xE2\x94\x82 red \\x1b[31m\\xff\n"
	                                 "1970-01-01T00:00:01.000000002Z job:worker/0 \xE2\x94\x80 attempt 1 exited with code 3\n"
	                                 "1970-01-01T00:00:01.000000003Z job:worker/0 \xE2\x94\x82 2%\n"
	                                 "1970-01-01T00:00:01.000000004Z job:worker/0 \xE2\x94\x80 attempt 2 exited with code 0\n"
	                                 "1970-01-01T00:00:01.000000006Z job:worker/0 \xE2\x94\x82 y\n");
	follow_release(f);
	f = follow(take_all);
	CHECK(str_starts(printed(&json, f, true), STR("{\"time\":\"1970-01-01T00:00:01.000000001Z\",\"role\":\"worker\",\"rank\":0,\"pod\":\"job-worker-0\","
	                                              "\"container\":\"main\",\"attempt\":1,\"text\":\"red \\u001b[31m\xEF\xBF\xBD\\r\"}\n")));
	follow_release(f);
	log_close(&a), log_close(&b);
}

int main(void)
{
	struct str why;

	if (!mkdtemp(work) || chdir(work) != 0)
		return 1;
	merged();
	growing();
	selected();
	one_attempt();
	pieces();
	half_renamed();
	record_first();
	no_piece();
	long_line();
	long_characters();
	anything();
	shown();
	close(logs);
	int fd = open(work, O_RDONLY | O_DIRECTORY);
	CHECK(remove_inside(&arena, fd, NULL, &why));
	close(fd);
	CHECK(rmdir(work) == 0);
	arena_release(&arena);
	return unit_end();
}
