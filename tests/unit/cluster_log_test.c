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
	const char *again_at;           /* the container starts again after this line; NULL: it does not */
	unsigned report_ms;             /* after this time `report` is called; 0: it is not */
	void (*report)(struct pod_log *p);
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
	if (r->again_at && str_is(l->text, r->again_at))
		pod_log_retry(r->log, true);
	return r->lines != r->pause_at;
}

static void fire(struct loop_timer *t)
{
	struct reading *r = t->to;

	r->report(r->log);
}

static void restarted(struct pod_log *p) { pod_log_retry(p, true); }
static void first_start(struct pod_log *p) { pod_log_retry(p, false); }

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
	r->timer = (struct loop_timer){ .fire = fire, .to = r };
	r->report = r->report ? r->report : restarted;
	r->log = pod_log_start(p->calls, &o);
	if (r->report_ms)
		loop_timer_set(p->loop, &r->timer, r->report_ms * (NS_PER_SECOND / 1000));
	peer_run(p);
	loop_timer_drop(p->loop, &r->timer);
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
	READS(LOG FAILS(400, "container main in pod p is waiting to start: ContainerCreating"), true, 0,
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
	/* lines before the long one are repeated with it: of the same time, and of the same second */
	READS(LOG " 1" TEXT "body " AT(1) "a\\n" AT(1) "\ntimes 1600000 x\nwait 30\ncut\n" LOG TEXT
		"body " AT(1) "a\\n" AT(1) "\ntimes 2621440 x\nbody \\n" AT(2) "end\\n\n",
	      true, 1, POD_LOG_DONE, "a (1048576)... (1048576)... (524288) end ");
	READS(LOG " 1" TEXT "body 2026-01-01T00:00:01.2Z a\\n" AT(1) "\ntimes 1600000 x\nwait 30\ncut\n" LOG TEXT
		"body 2026-01-01T00:00:01.2Z a\\n" AT(1) "\ntimes 2621440 x\nbody \\n" AT(2) "end\\n\n",
	      true, 1, POD_LOG_DONE, "a (1048576)... (1048576)... (524288) end ");
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
	pod_log_retry(r.log, false);
	peer_run(&p);
	CHECK_TEXT(buf_text(&r.said), "one ");
	pod_log_retry(r.log, true);
	peer_run(&p);
	CHECK_TEXT(buf_text(&r.said), "one two ");
	CHECK(r.ended == 3);
	finish(&p, &s, &r);
}

/* Follows a log with the script of a server; R says what is reported meanwhile. */
static void restarts(int at, const char *script, struct reading r, const char *want)
{
	struct standin s;
	struct peer p;

	begin(&p, &s, script);
	start(&p, &r, true);
	check_text_at(at, buf_text(&r.said), want);
	check_at(at, r.ended == 1 && r.end == POD_LOG_DONE, "how it ends");
	finish(&p, &s, &r);
}
#define RESTARTS(script, want, ...) restarts(__LINE__, script, (struct reading){ __VA_ARGS__ }, want)
#define FOLLOW LOG "?follow 1" TEXT
#define REST LOG "?!follow 1" TEXT
#define PREVIOUS LOG "?previous 1" TEXT

/*
 * The start of a container is reported once, at any moment: while its log is followed, while the rest of its log is
 * read, before that request brings a line, while reading is paused, before an answer that the container waits.
 */
static void again_meanwhile(void)
{
	/* the server answers the request for the rest with the first lines of the next instance */
	RESTARTS(FOLLOW "body " AT(1) "one\\n\n" REST "body " AT(2) "rest\\n\n" PREVIOUS "body " AT(2) "rest\\n\n"
		FOLLOW "body " AT(2) "rest\\n" AT(5) "two\\n\n" REST "body " AT(5) "two\\n" AT(6) "end\\n\n",
		"one rest two end ", .again_at = "rest");
	/* the connection is cut after the report */
	RESTARTS(FOLLOW "body " AT(1) "one\\n\nwait 5\ncut\n" PREVIOUS "body " AT(1) "one\\n" AT(2) "two\\n\n"
		FOLLOW "body " AT(5) "three\\n\n" REST "body " AT(5) "three\\n\n", "one two three ", .runs_for = 1,
		.again_at = "one");
	/* the report comes when the connection after a cut has not brought a line yet */
	RESTARTS(FOLLOW "body " AT(1) "one\\n\nwait 1\ncut\n" FOLLOW "hang\n" PREVIOUS "body " AT(2) "two\\n\n"
		FOLLOW "body " AT(5) "three\\n\n" REST "body " AT(5) "three\\n\n", "one two three ", .runs_for = 1,
		.report_ms = 600);
	/* the same for the request for the rest */
	RESTARTS(FOLLOW "body " AT(1) "one\\n\n" REST "delay 400\n" PREVIOUS "body " AT(2) "two\\n\n"
		FOLLOW "body " AT(5) "three\\n\n" REST "body " AT(5) "three\\n\n", "one two three ",
		.report_ms = 200);
	RESTARTS(FOLLOW "body " AT(1) "one\\n\n" REST "delay 400\nbody " AT(5) "new\\n\n"
		PREVIOUS "body " AT(2) "last\\n\n" PREVIOUS "body " AT(2) "last\\n\n", "one last ", .report_ms = 200,
		.report = pod_log_previous);
	/* the container starts while the server answers that it waits, or has started although the server says so */
	RESTARTS(LOG " 1\ndelay 300" FAILS(400, "container main in pod p is waiting to start: ContainerCreating")
		LOG TEXT "body " AT(1) "one\\n\n", "one ", .report_ms = 150, .report = first_start);
	RESTARTS(LOG " 1" FAILS(400, "container main in pod p is waiting to start: ContainerCreating")
		LOG TEXT "body " AT(1) "one\\n\n", "one ", .runs_for = 1);
}

/* The container starts again while reading is paused. */
static void again_paused(void)
{
	struct standin s;
	struct peer p;
	struct reading r = { .pause_at = 1 };
	struct pod_log_options o = { .namespace = STR("x"), .pod = STR("p"), .follow = true, .tail = -1, .line = line,
		.ended = ended, .to = &r };

	begin(&p, &s, FOLLOW "body " AT(1) "one\\n" AT(2) "two\\n\n" PREVIOUS "body " AT(1) "one\\n" AT(2) "two\\n\n"
		FOLLOW "body " AT(5) "three\\n\n" REST "body " AT(5) "three\\n\n");
	r.peer = &p;
	r.log = pod_log_start(p.calls, &o);
	for (int i = 0; i < 2000 && !r.lines; i++) {
		loop_turn(p.loop);
		usleep(1000);
	}
	pod_log_retry(r.log, true);
	pod_log_resume(r.log);
	peer_run(&p);
	CHECK_TEXT(buf_text(&r.said), "one two three ");
	finish(&p, &s, &r);
}

/* The container has started twice since its log was read to its end. */
static void started_twice(void)
{
	struct standin s;
	struct peer p;
	struct reading r = { 0 };

	begin(&p, &s, FOLLOW "body " AT(1) "one\\n\n" REST "body " AT(1) "one\\n\n" PREVIOUS "body " AT(2) "two\\n\n"
		FOLLOW "body " AT(3) "three\\n\n" REST "body " AT(3) "three\\n\n");
	start(&p, &r, true);
	CHECK_TEXT(buf_text(&r.said), "one ");
	pod_log_retry(r.log, true);
	peer_run(&p);
	CHECK_TEXT(buf_text(&r.said), "one two three ");
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
	again_paused();
	started_twice();
	rest_of_previous(TEXT "body " AT(1) "one\\n" AT(2) "two\\n" AT(3) "las\n", "one two las! three ");
	rest_of_previous(FAILS(400, "previous terminated container main in pod p not found"), "one three ");
	return world_end();
}
