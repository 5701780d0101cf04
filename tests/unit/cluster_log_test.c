/*
 * cluster_log_test.c - logs of containers from a scripted server: resuming after a cut without loss or repetition;
 * containers that have not started, have ended or do not exist; long lines; a slow reader.
 */
#include "cluster_world.h"
#include "runtime/cluster/pod_log.h"

#define LOG "on GET /api/v1/namespaces/x/pods/p/log"
#define TEXT "\nheader Content-Type text/plain\n"
#define AT(n) "2026-01-01T00:00:0" #n ".5Z "
#define FAILS(code, message) "\ncode " #code "\nheader Content-Type application/json\nbody {\"kind\":\"Status\",\"code\":" #code ",\"message\":\"" message "\"}\n"

struct reading {
	struct peer *peer;
	struct pod_log *log;
	struct buf said;
	unsigned asked, runs_for;       /* number of calls of `running`; number of calls that return true */
	unsigned lines, pause_at, ended;
	enum pod_log_end end;
	struct loop_timer timer;
	size_t longest;
	bool stop_inside;
	bool again_asked;               /* the container has started again when `running` is asked */
	bool again_inside;              /* the container starts again while the rest of its log is being read */
};

static bool line(void *to, const struct pod_log_line *l)
{
	struct reading *r = to;

	r->lines++;
	if (l->text.n > 100)
		buf_printf(&r->said, "(%zu)", l->text.n);
	else
		buf_str(&r->said, l->text);
	buf_printf(&r->said, "%s%s ", l->cut ? "..." : "", l->unfinished ? "!" : "");
	if (r->stop_inside) {
		pod_log_stop(r->log);
		loop_stop(r->peer->loop);
	}
	if (r->again_inside && str_is(l->text, "rest"))
		pod_log_retry(r->log);
	return r->lines != r->pause_at;
}

static void starts_again(struct loop_timer *t)
{
	struct reading *r = t->to;

	pod_log_retry(r->log);
}

static bool running(void *to)
{
	struct reading *r = to;

	if (r->again_asked && !r->asked)
		loop_timer_set(r->peer->loop, &r->timer, NS_PER_SECOND / 100);
	return r->asked++ < r->runs_for;
}

static void ended(void *to, enum pod_log_end end, const struct transport_result *result)
{
	struct reading *r = to;

	(void)result;
	r->ended++;
	r->end = end;
	loop_stop(r->peer->loop);
}

static void begin(struct peer *p, struct standin *s, const char *script)
{
	standin_start(s, script);
	*p = (struct peer){ 0 };
	peer_access(p, s, NULL);
	if (!peer_open(p, (struct peer_options){ .retry_limit = 5 * NS_PER_SECOND }))
		abort();
}

static void start(struct peer *p, struct reading *r, bool follow)
{
	struct pod_log_options o = { .namespace = STR("x"), .pod = STR("p"), .container = STR("main"), .follow = follow,
		.tail = -1, .running = running,
		.line = line, .ended = ended, .to = r };

	r->peer = p;
	r->timer = (struct loop_timer){ .fire = starts_again, .to = r };
	r->log = pod_log_start(p->calls, &o);
	peer_run(p);
}

static void finish(struct peer *p, struct standin *s, struct reading *r)
{
	if (!r->stop_inside)
		pod_log_stop(r->log);
	buf_release(&r->said);
	peer_close(p);
	standin_stop(s);
}

static void reads(int at, const char *script, bool follow, unsigned runs_for, enum pod_log_end end, const char *want)
{
	struct standin s;
	struct peer p;
	struct reading r = { .runs_for = runs_for };

	begin(&p, &s, script);
	start(&p, &r, follow);
	check_text_at(at, buf_text(&r.said), want);
	check_at(at, r.ended == 1 && r.end == end, "how it ends");
	finish(&p, &s, &r);
}
#define READS(script, follow, runs_for, end, want) reads(__LINE__, script, follow, runs_for, end, want)

static void plain(void)
{
	struct standin s;
	struct peer p;
	struct reading r = { 0 };

	READS(LOG TEXT "body " AT(1) "one\\n" AT(2) "two \\xff\\n\\n" AT(3) "three\\n\n", false, 0, POD_LOG_DONE,
		"one two \xff  three ");
	READS(LOG TEXT "body " AT(1) "one\\n" AT(2) "tw\n", false, 0, POD_LOG_DONE, "one tw! ");
	READS(LOG TEXT "body no stamp\\n\n", false, 0, POD_LOG_DONE, "no stamp ");
	READS(LOG TEXT, false, 0, POD_LOG_DONE, "");
	begin(&p, &s, LOG TEXT);
	start(&p, &r, false);
	CHECK(world_count(standin_record(&s), "/log?timestamps=true&container=main\n") == 1);
	finish(&p, &s, &r);
}

static void refusals(void)
{
	READS(LOG FAILS(400, "container main in pod p is waiting to start: ContainerCreating"), true, 9,
		POD_LOG_WAITING, "");
	READS(LOG FAILS(404, "pods p not found"), true, 9, POD_LOG_ABSENT, "");
	READS(LOG FAILS(400, "previous terminated container main in pod p not found"), false, 0, POD_LOG_ABSENT, "");
	READS(LOG FAILS(403, "no"), true, 9, POD_LOG_FAILED, "");
	READS(LOG FAILS(400, "container x is not valid for pod p"), true, 9, POD_LOG_FAILED, "");
}

/*
 * The stream ends while the container still runs, because of a log rotation, a cut of an idle connection, or a reset.
 */
static void going_on(void)
{
	struct standin s;
	struct peer p;
	struct reading r = { .runs_for = 2 };

	begin(&p, &s, LOG " 1" TEXT "body " AT(1) "one\\n" AT(2) "two\\n" AT(2) "two\\n\n"
	      LOG " 1" TEXT "body " AT(1) "old\\n" AT(2) "two\\n" AT(2) "two\\n" AT(2) "new\\n" AT(3) "thr\nwait 5\ncut\n"
	      LOG "?follow 1" TEXT "body " AT(2) "two\\n" AT(2) "two\\n" AT(2) "new\\n" AT(3) "three\\n\n"
	      LOG "?!follow 1" TEXT "body " AT(3) "three\\n" AT(4) "four\\n\n");
	start(&p, &r, true);
	CHECK_TEXT(buf_text(&r.said), "one two two new three four ");
	CHECK(r.ended == 1 && r.end == POD_LOG_DONE);
	struct str record = standin_record(&s);
	CHECK(world_count(record, "&sinceTime=2026-01-01T00%3A00%3A02Z") == 2 &&
		world_count(record, "&sinceTime=2026-01-01T00%3A00%3A03Z") == 1);
	finish(&p, &s, &r);
	/* The pod is deleted while the end of its log is being read. */
	READS(LOG " 1" TEXT "body " AT(1) "one\\n\n" LOG FAILS(404, "pods p not found"), true, 0, POD_LOG_DONE, "one ");
	/* The kubelet does not respond for a moment. */
	READS(LOG " 1" TEXT "body " AT(1) "one\\n\n" LOG " 4" FAILS(500,
		"Get https://10.0.0.1:10250: connection refused") LOG TEXT "body " AT(1) "one\\n" AT(2) "two\\n\n",
	      true, 2, POD_LOG_DONE, "one two ");
}

static void cut_everywhere(void)
{
	static const char *const log = AT(1) "a\\n" AT(1) "b\\n" AT(2) "c\\n" AT(3) "d\\n";
	struct standin s;
	struct peer p;
	size_t wrong = 0;

	for (size_t n = 1; n < strlen(log); n += 2) {
		struct reading r = { .runs_for = 1 };
		if (log[n - 1] == '\\')
			continue;
		begin(&p, &s, str_printf(&world, LOG " 1" TEXT "body %.*s\nwait 1\ncut\n" LOG TEXT "body %s\n", (int)n,
			log, log).p);
		start(&p, &r, true);
		if (!str_is(buf_text(&r.said), "a b c d ")) {
			wrong++;
			printf("cut after %zu: %.*s\n", n, STR_ARG(buf_text(&r.said)));
		}
		finish(&p, &s, &r);
	}
	CHECK(wrong == 0);
}

/*
 * A line of 2.5 MiB is delivered in parts; after a cut in its middle, reading resumes after the parts already
 * delivered.
 */
static void long_lines(void)
{
	READS(LOG TEXT "body " AT(1) "\ntimes 2621440 x\nbody \\n" AT(2) "end\\n\n", false, 0, POD_LOG_DONE,
		"(1048576)... (1048576)... (524288) end ");
	READS(LOG " 1" TEXT "body " AT(1) "\ntimes 1600000 x\nwait 30\ncut\n" LOG TEXT
		"body " AT(1) "\ntimes 2621440 x\nbody \\n" AT(2) "end\\n\n",
	      true, 1, POD_LOG_DONE, "(1048576)... (1048576)... (524288) end ");
}

static void slow_reader(void)
{
	struct standin s;
	struct peer p;
	struct reading r = { .pause_at = 2 };

	begin(&p, &s, LOG TEXT "body " AT(1) "a\\n" AT(1) "b\\n" AT(1) "c\\n" AT(2) "d\\n\n");
	struct pod_log_options o = { .namespace = STR("x"), .pod = STR("p"), .tail = -1, .line = line, .ended = ended,
		.to = &r };
	r.peer = &p;
	r.log = pod_log_start(p.calls, &o);
	for (int i = 0; i < 200; i++) {
		loop_turn(p.loop);
		usleep(1000);
	}
	CHECK_TEXT(buf_text(&r.said), "a b ");
	CHECK(!r.ended);
	pod_log_resume(r.log);
	peer_run(&p);
	CHECK_TEXT(buf_text(&r.said), "a b c d ");
	CHECK(r.ended == 1 && r.end == POD_LOG_DONE);
	finish(&p, &s, &r);
	r = (struct reading){ .stop_inside = true };
	begin(&p, &s, LOG TEXT "body " AT(1) "a\\n" AT(1) "b\\n\nhang\n");
	start(&p, &r, true);
	CHECK_TEXT(buf_text(&r.said), "a ");
	finish(&p, &s, &r);
}

/* The container starts late, and restarts. */
static void again(void)
{
	struct standin s;
	struct peer p;
	struct reading r = { 0 };

	begin(&p, &s, LOG " 1" FAILS(400,
		"container main in pod p is waiting to start: PodInitializing") LOG " 1" TEXT "body " AT(1) "one\\n\n"
	      LOG "?!follow 1" TEXT "body " AT(1) "one\\n\n" LOG TEXT "body " AT(1) "one\\n" AT(5) "two\\n\n");
	start(&p, &r, true);
	CHECK(r.end == POD_LOG_WAITING);
	pod_log_retry(r.log);
	peer_run(&p);
	CHECK_TEXT(buf_text(&r.said), "one ");
	pod_log_retry(r.log);
	peer_run(&p);
	CHECK_TEXT(buf_text(&r.said), "one two ");
	CHECK(r.ended == 3);
	finish(&p, &s, &r);
}

/*
 * The container has ended and starts again while the rest of its log is read. The server answers that request with the
 * first lines of the next instance, and there will be no other report about its start.
 */
static void again_meanwhile(void)
{
	struct standin s;
	struct peer p;
	struct reading r = { .again_inside = true };

	begin(&p, &s, LOG "?follow 1" TEXT "body " AT(1) "one\\n\n" LOG "?!follow 1" TEXT "body " AT(2) "rest\\n\n"
	      LOG "?follow 1" TEXT "body " AT(2) "rest\\n" AT(5) "two\\n\n"
	      LOG "?!follow 1" TEXT "body " AT(5) "two\\n" AT(6) "end\\n\n");
	start(&p, &r, true);
	CHECK_TEXT(buf_text(&r.said), "one rest two end ");
	CHECK(r.ended == 1 && r.end == POD_LOG_DONE);
	finish(&p, &s, &r);
}

/* The connection is cut, and the container starts again before the next connection: its last lines are not lost. */
static void rest_of_previous(const char *previous, const char *want)
{
	struct standin s;
	struct peer p;
	struct reading r = { .runs_for = 1, .again_asked = true };

	begin(&p, &s, str_printf(&world, LOG "?follow 1" TEXT "body " AT(1) "one\\n\nwait 1\ncut\n"
		LOG "?previous 1%s" LOG " 1" TEXT "body " AT(5) "three\\n\n" LOG TEXT "body " AT(5) "three\\n\n",
		previous).p);
	start(&p, &r, true);
	CHECK_TEXT(buf_text(&r.said), want);
	CHECK(r.ended == 1 && r.end == POD_LOG_DONE);
	CHECK(world_count(standin_record(&s), "previous=true&sinceTime=2026-01-01T00%3A00%3A01Z") == 1);
	finish(&p, &s, &r);
}

int main(void)
{
	if (!world_begin())
		return 1;
	signal(SIGPIPE, SIG_IGN);
	plain();
	refusals();
	going_on();
	cut_everywhere();
	long_lines();
	slow_reader();
	again();
	again_meanwhile();
	rest_of_previous(TEXT "body " AT(1) "one\\n" AT(2) "two\\n" AT(3) "las\n", "one two las! three ");
	rest_of_previous(FAILS(400, "previous terminated container main in pod p not found"), "one three ");
	return world_end();
}
