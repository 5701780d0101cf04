/*
 * fuzz_log.c - follows the log of a container at a model of a server, which cuts connections anywhere, ends streams
 * early, and repeats the lines of the last second, while the reader pauses. The input is pairs of bytes, the steps; a
 * byte 255; and the text that the container prints, whose first byte in each line decides how much later it is printed.
 *
 * What must hold: the lines that arrive are those that were printed, each once and in order, up to the end of the log;
 * if reading fails, nothing is missing before the failure.
 *
 * The functions of the transport, the calls and the loop that a log uses are the model's own, in virtual time.
 */
#include "base/words.h"
#include "fuzz.h"
#include "runtime/cluster/pod_log.h"

enum { LINES = 200, SAME_MOST = 60, START = 1700000000 };

struct printed {
	int64_t time;
	struct str text;
};

/* A request of the log, as the server sees it. */
struct call {
	bool used, follow;
	struct transport_request r;
	struct buf bytes;               /* the answer, from the byte AT on not delivered yet */
	size_t at;
	size_t next;                    /* the next line to send */
	int code;
	const char *refusal;
};

static struct world {
	struct arena arena;
	struct printed lines[LINES];
	size_t nlines, nprinted;        /* lines of the whole log, and those that were printed so far */
	bool started, ended;            /* the container has started, has ended */
	bool reported;                  /* the log was told that the container has started */
	struct call call;
	struct loop_timer *timer;
	struct buf got;                 /* the text that has arrived; a line end after each line */
	unsigned pauses;                /* number of lines until the reader pauses; 0: it does not */
	bool over;
	enum pod_log_end end;
} w;

/* ---- replacements for the functions that a log calls ---- */

struct transport *calls_transport(const struct calls *c) { (void)c; return NULL; }
struct loop *transport_loop(const struct transport *t) { (void)t; return NULL; }
struct str transport_path(struct arena *a, const struct transport_place *p) { (void)a; (void)p; return STR("/log"); }

void loop_timer_set(struct loop *l, struct loop_timer *t, int64_t ns)
{
	(void)l; (void)ns;
	w.timer = t;
	t->slot = 1;
}

void loop_timer_drop(struct loop *l, struct loop_timer *t)
{
	(void)l;
	if (t->slot)
		w.timer = NULL;
	t->slot = 0;
}

static struct str query(const struct transport_request *r, const char *name)
{
	for (size_t i = 0; i < r->nquery; i++)
		if (str_is(r->query[i].name, name))
			return r->query[i].value;
	return STR("");
}

struct call *call_start(struct calls *all, const struct transport_request *r, enum call_repeat repeat,
	void (*restart)(void *to))
{
	int64_t since = 0;

	(void)all; (void)repeat; (void)restart;
	fuzz_require(!w.call.used);
	w.call = (struct call){ .used = true, .r = *r, .code = 200, .follow = query(r, "follow").n > 0 };
	if (!w.started) {
		w.call.code = 400;
		w.call.refusal = "container \"main\" in pod \"p\" is waiting to start: ContainerCreating";
	}
	if (query(r, "sinceTime").n)
		fuzz_require(time_parse(query(r, "sinceTime"), &since));
	while (w.call.next < w.nprinted && w.lines[w.call.next].time < since)
		w.call.next++;
	return &w.call;
}

static void call_drop(void)
{
	buf_release(&w.call.bytes);
	w.call = (struct call){ 0 };
}

void call_cancel(struct call *c) { (void)c; call_drop(); }

/* ---- what the server does ---- */

static void call_finish(enum transport_outcome outcome)
{
	struct transport_status status = { .message = str_of(w.call.refusal ? w.call.refusal : "model") };
	struct transport_result result = { .outcome = outcome, .code = w.call.code, .retry_after = -1 };
	struct transport_request r = w.call.r;

	if (outcome == TRANSPORT_ANSWERED && w.call.code >= 300)
		result.status = &status;
	call_drop();
	r.done(r.to, &result);
}

/* Sends at most MOST bytes, and ends the answer when there is nothing more to say. */
static void call_deliver(size_t most)
{
	struct call *c = &w.call;

	for (; c->code == 200 && c->next < w.nprinted; c->next++) {
		put_time(&c->bytes, w.lines[c->next].time, 9);
		buf_char(&c->bytes, ' ');
		buf_str(&c->bytes, w.lines[c->next].text);
		buf_char(&c->bytes, '\n');
	}
	size_t n = c->bytes.n - c->at < most ? c->bytes.n - c->at : most;
	if (n) {
		struct str piece = str_copy(&w.arena, (struct str){ c->bytes.p + c->at, n });
		c->at += n;
		bool more = c->r.take(c->r.to, piece);
		if (c->used && !more) {
			call_finish(TRANSPORT_STOPPED);
			return;
		}
	}
	if (c->used && c->at == c->bytes.n && (w.ended || !c->follow || c->code != 200))
		call_finish(TRANSPORT_ANSWERED);
}

static void timer_fire(void)
{
	struct loop_timer *t = w.timer;

	if (!t)
		return;
	w.timer = NULL;
	t->slot = 0;
	t->fire(t);
}

static void container_print(size_t n)
{
	w.started = true;
	w.nprinted = n < w.nlines - w.nprinted ? w.nprinted + n : w.nlines;
	w.ended = w.ended || w.nprinted == w.nlines;
}

/* ---- callbacks of the log ---- */

static bool line_arrived(void *to, const struct pod_log_line *l)
{
	(void)to;
	fuzz_require(l->text.n <= POD_LOG_LONGEST && !w.over);
	buf_str(&w.got, l->text);
	if (!l->cut)
		buf_char(&w.got, '\n');
	return !w.pauses || --w.pauses;
}

static bool container_runs(void *to)
{
	(void)to;
	return w.started && !w.ended;
}

static void log_ended(void *to, enum pod_log_end end, const struct transport_result *result)
{
	(void)to; (void)result;
	w.end = end;
	w.over = end != POD_LOG_WAITING;
}

/* ---- a run ---- */

static void container_text(struct str text)
{
	int64_t time = START * NS_PER_SECOND;
	size_t same = 0;

	while (text.n && w.nlines < LINES) {
		struct str line = fuzz_line(&text);
		int64_t step = line.n ? line.p[0] & 7 : 1;
		step = ++same == SAME_MOST ? 1 : step;
		same = step ? 0 : same;
		time += step * (NS_PER_SECOND / 3);
		w.lines[w.nlines++] = (struct printed){ time, line };
	}
}

/* Tells the log that the container has started, once. */
static void report_start(struct pod_log *p)
{
	w.started = true;
	if (!w.reported)
		pod_log_retry(p, false);
	w.reported = true;
}

static void step_do(struct pod_log *p, uint8_t op, uint8_t arg)
{
	switch (op % 9) {
	case 0: case 1: if (w.call.used) call_deliver(1 + arg % 120); break;
	case 2: container_print(1 + arg % 6); break;
	case 3: if (w.call.used && w.call.code == 200) call_finish(TRANSPORT_BROKEN); break;
	case 4: timer_fire(); break;
	case 5: w.pauses = 1 + arg % 4; break;
	case 6: pod_log_resume(p); break;
	/* the stream ends although the container runs: its log was rotated, or the kubelet has restarted */
	case 7: if (w.call.used && w.call.follow && w.call.code == 200) call_finish(TRANSPORT_ANSWERED); break;
	case 8: report_start(p); break;
	}
}

static void check_text(void)
{
	struct buf want = { 0 };

	for (size_t i = 0; i < w.nlines; i++) {
		buf_str(&want, w.lines[i].text);
		buf_char(&want, '\n');
	}
	fuzz_require(str_starts(buf_text(&want), buf_text(&w.got)));
	fuzz_require(w.end != POD_LOG_DONE || want.n == w.got.n);
	fuzz_require(w.end == POD_LOG_DONE || w.end == POD_LOG_FAILED);
	buf_release(&want);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const uint8_t *end = n ? memchr(bytes, 255, n) : NULL;
	size_t steps = end ? (size_t)(end - bytes) : n;
	struct pod_log_options o = { .namespace = STR("x"), .pod = STR("p"), .container = STR("main"), .follow = true,
		.tail = -1, .running = container_runs, .line = line_arrived, .ended = log_ended };

	w = (struct world){ .started = n && bytes[0] & 1 };
	w.reported = w.started;
	container_text(fuzz_input(&w.arena, end ? end + 1 : bytes, end ? n - steps - 1 : 0));
	struct pod_log *p = pod_log_start(NULL, &o);
	for (size_t i = 1; i + 1 < steps && i < 600 && !w.over; i += 2)
		step_do(p, bytes[i], bytes[i + 1]);
	/* From here on, there are no more faults. */
	container_print(w.nlines + 1);
	report_start(p);
	w.ended = true;
	w.pauses = 0;
	for (int i = 0; i < 100 && !w.over; i++) {
		pod_log_resume(p);
		timer_fire();
		if (w.call.used && !w.over)
			call_deliver(1 << 20);
	}
	fuzz_require(w.over);
	check_text();
	pod_log_stop(p);
	fuzz_require(!w.call.used && !w.timer);
	buf_release(&w.got);
	arena_release(&w.arena);
	return 0;
}
