/* words_test.c - times, texts and tables as they are displayed. */
#include "runtime/run/report.h"
#include "base/words.h"
#include "unit.h"

static struct arena arena;
static struct buf b;

static struct str taken(void) { return buf_take(&b, &arena); }

#define SECONDS(n) ((n) * NS_PER_SECOND)

static void times(void)
{
	static const struct {
		const char *text;
		int64_t want;
	} good[] = {
		{ "1970-01-01T00:00:00Z", 0 }, { "2026-01-02T03:04:05Z", SECONDS(1767323045) },
		{ "2026-01-02T03:04:05.25Z", SECONDS(1767323045) + 250000000 },
		{ "2026-01-02T03:04:05.123456789999z", SECONDS(1767323045) + 123456789 },
		{ "2026-01-02t05:04:05+02:00", SECONDS(1767323045) },
		{ "2026-01-01 21:34:05-05:30", SECONDS(1767323045) }, { "2024-02-29T00:00:00Z", SECONDS(1709164800) },
	};
	static const char *const bad[] = { "", "now", "2026-01-02", "2026-01-02T03:04:05", "2026-13-02T03:04:05Z",
		"2026-01-02T24:04:05Z", "2026-01-02T03:04:05.Z",
		"2026-01-02T03:04:05Zx", "2026-01-02T03:04:05+0200", "5m" };
	int64_t got;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		CHECK(time_parse(str_of(good[i].text), &got) && got == good[i].want);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK(!time_parse(str_of(bad[i]), &got));
	put_time(&b, SECONDS(1767323045) + 1, 0);
	CHECK_TEXT(taken(), "2026-01-02T03:04:05Z");
	put_time(&b, SECONDS(1767323045) + 1234567, 9);
	CHECK_TEXT(taken(), "2026-01-02T03:04:05.001234567Z");
	put_time(&b, SECONDS(1767323045) + 999999999, 3);
	CHECK_TEXT(taken(), "2026-01-02T03:04:05.999Z");
}

static void durations(void)
{
	static const struct {
		int64_t ns;
		const char *duration, *age;
	} all[] = {
		{ -5, "0.0 s", "0s" }, { 0, "0.0 s", "0s" }, { 3249999999, "3.2 s", "3s" },
		{ SECONDS(10) - 1, "9.9 s", "9s" }, { SECONDS(59), "59 s", "59s" }, { SECONDS(125), "2 min 5 s", "2m" },
		{ SECONDS(119), "1 min 59 s", "119s" }, { SECONDS(3600), "1 h 0 min", "60m" },
		{ SECONDS(7200), "2 h 0 min", "2h" }, { SECONDS(200000), "55 h 33 min", "2d" },
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		put_duration(&b, all[i].ns);
		CHECK_TEXT(taken(), all[i].duration);
		put_age(&b, all[i].ns);
		CHECK_TEXT(taken(), all[i].age);
	}
}

static void escapes(void)
{
	put_escaped(&b, STR("plain \xC3\xA9 \xE4\xBD\xA0 \xF0\x9F\x98\x80\t."));
	CHECK_TEXT(taken(), "plain \xC3\xA9 \xE4\xBD\xA0 \xF0\x9F\x98\x80\t.");
	put_escaped(&b, STR("\x1b[2J\x07\x7F\r\n\x00."));
	CHECK_TEXT(taken(), "\\x1b[2J\\x07\\x7f\\x0d\\x0a\\x00.");
	put_escaped(&b, STR("a\xFF\xC3z\xC2\x9B\xE2\x80\xAE\xED\xA0\x80"));
	CHECK_TEXT(taken(), "a\\xff\\xc3z\\u009b\\u202e\\xed\\xa0\\x80");
	put_escaped(&b, STR("\xEF\xBF\xBD"));            /* the replacement character itself is not escaped */
	CHECK_TEXT(taken(), "\xEF\xBF\xBD");
}

static void clipping(void)
{
	put_clipped(&b, STR("abcdef"), 6);
	CHECK_TEXT(taken(), "abcdef");
	put_clipped(&b, STR("abcdefg"), 6);
	CHECK_TEXT(taken(), "abcde\xE2\x80\xA6");
	/* wide characters take two columns each */
	put_clipped(&b, STR("\xE4\xBD\xA0\xE4\xBD\xA0\xE4\xBD\xA0"), 5);
	CHECK_TEXT(taken(), "\xE4\xBD\xA0\xE4\xBD\xA0\xE2\x80\xA6");
	/* combining characters take no column */
	put_clipped(&b, STR("e\xCC\x81" "e\xCC\x81"), 2);
	CHECK_TEXT(taken(), "e\xCC\x81" "e\xCC\x81");
	put_clipped(&b, STR("\x1b\x1b\x1b"), 6);                                /* the width counts the escaped text */
	CHECK_TEXT(taken(), "\\x1b\\\xE2\x80\xA6");
	put_clipped(&b, STR("abc"), 0);
	CHECK_TEXT(taken(), "");
	CHECK(text_columns(STR("a\xE4\xBD\xA0\xCC\x81")) == 3);
}

/* ---- runs ---- */

#define TEXT(s) { "" s, sizeof(s) - 1 }         /* STR(), but as a constant expression */

static struct run_replica some[] = {
	{ .index = 0, .state = REPLICA_READY, .attempts = 1, .exit_code = -1, .cause = TEXT(""),
		.host = TEXT("127.0.0.1"), .process = { 17, 5 },
		.pod = TEXT("bert-w-0-x7"), .ip = TEXT("10.1.0.4"), .node = TEXT("n1") },
	{ .index = 1, .state = REPLICA_WAITING, .attempts = 3, .exit_code = 137, .signal = 9,
		.cause = TEXT("killed by KILL"), .host = TEXT("127.0.0.1") },
	{ .index = 2, .state = REPLICA_FAILED, .attempts = 1, .exit_code = 3, .cause = TEXT("exit code 3"),
		.host = TEXT("127.0.0.1") },
	{ .index = 3, .state = REPLICA_FAILED, .attempts = 1, .exit_code = 3, .cause = TEXT("exit code 3"),
		.host = TEXT("127.0.0.1") },
};
static struct run_role roles[] = { { .name = TEXT("worker"), .min = 4, .max = 4, .desired = 4, .at = some },
	{ .name = TEXT("ps"), .min = 1, .max = 1, .desired = 1, .at = some } };
static struct str lines[] = { TEXT("Traceback"), TEXT("\x1b[31mboom") };

static struct run_state failed(void)
{
	return (struct run_state){ .name = STR("bert"), .ns = STR("default"), .framework = STR(""),
		.file = STR("bert.tj"), .phase = RUN_FAILED,
		.cause = STR("worker-2 failed: exit code 3"), .begin = SECONDS(100), .end = SECONDS(165),
			.since = SECONDS(165), .ran = SECONDS(110),
		.roles = roles, .nroles = 2,
		.failure = { .known = true, .role = STR("worker"), .index = 2, .exit_code = 3,
			.reason = STR("exit code 3"), .log = lines, .nlog = 2 } };
}

static struct str headline(const struct run_state *s)
{
	report_headline(s, &b);
	return taken();
}

static void verdicts(void)
{
	struct run_state s = failed();

	CHECK_TEXT(headline(&s), "Failed: worker 2 exited with code 3");
	report_last_lines(&s, true, &b);
	CHECK_TEXT(taken(), "  worker/2 \xE2\x94\x82 Traceback\n  worker/2 \xE2\x94\x82 \\x1b[31mboom\n");
	s.failure.reason = STR("exit code 3 (at the same moment: worker-3)");
	CHECK_TEXT(headline(&s), "Failed: worker 2 exited with code 3");
	s.failure.reason = STR("exit code 3: ValueError: bad batch (train.py:14)");
	CHECK_TEXT(headline(&s), "Failed: worker 2 exited with code 3: ValueError: bad batch (train.py:14)");
	s.failure.reason = STR("exit code 3");
	s.failure.signal = 11;
	s.failure.exit_code = 139;
	CHECK_TEXT(headline(&s), "Failed: worker 2 was killed by SIGSEGV");
	/* the cause is not the fault of a rank, so no rank is named */
	s.cause = STR("deadline exceeded: it has run for 1min");
	CHECK_TEXT(headline(&s), "Failed: deadline exceeded: it has run for 1min");
	s.cause = STR("worker-2 cannot be started: no such program");
	s.failure.exit_code = -1;
	CHECK_TEXT(headline(&s), "Failed: worker-2 cannot be started: no such program");
	s.phase = RUN_SUCCEEDED;
	CHECK_TEXT(headline(&s), "Succeeded in 1 min 5 s");
	report_last_lines(&s, true, &b);
	CHECK_TEXT(taken(), "");
	s.phase = RUN_UNKNOWN;
	s.cause = STR("its keeper ended without recording a verdict");
	CHECK_TEXT(headline(&s), "Unknown: its keeper ended without recording a verdict");
}

static struct str report(const struct run_state *s, enum report_form form, unsigned width)
{
	struct report r = { .runs = &s, .n = 1, .form = form, .now = SECONDS(219), .width = width };

	report_runs(&r, &b);
	return taken();
}

static void tables(void)
{
	struct run_state s = failed();

	CHECK_TEXT(report(&s, REPORT_TABLE, 0),
	           "RUN   STATE   ROLE    DESIRED  ACTIVE  READY  SUCCEEDED  FAILED  RESTARTS  CAUSE\n"
	           "bert  Failed  worker        4       1      1          0       2         2  2 of 4 replicas: exit code 3\n"
	           "              ps            1       1      1          0       0         0\n");
	CHECK_TEXT(report(&s, REPORT_LIST, 0),
	           "RUN   STATE   READY  AGE   FILE     CAUSE\nbert  Failed  -      119s  bert.tj  worker-2 failed: exit code 3\n");
	CHECK_TEXT(report(&s, REPORT_LIST, 40),
	           "RUN   STATE   READY  AGE   FILE     CAU\xE2\x80\xA6\nbert  Failed  -      119s  bert.tj  wor\xE2\x80\xA6\n");
	CHECK_TEXT(report(&s, REPORT_NAME, 0), "run/bert\n");
	s.isolate = STR("none");
	CHECK_TEXT(report(&s, REPORT_WIDE, 0),
	           "RUN   REPLICA   STATE    PID  ATTEMPTS     EXIT  SINCE  CPU  MEMORY  HOST       PORTS  CAUSE\n"
	           "bert  worker-0  ready     17         1                               127.0.0.1\n"
	           "bert  worker-1  stopped              3  SIGKILL                      127.0.0.1         "
	           "killed by KILL\n"
	           "bert  worker-2  failed               1        3                      127.0.0.1         exit code 3\n"
	           "bert  worker-3  failed               1        3                      127.0.0.1         exit code 3\n"
	           "bert  ps-0      ready     17         1                               127.0.0.1\n");
	s.isolate = (struct str){ 0 };          /* from here on, the run is one in a cluster */
	CHECK_TEXT(report(&s, REPORT_WIDE, 0),
	           "RUN   REPLICA   STATE    ATTEMPTS     EXIT  SINCE  POD          IP        NODE  CAUSE\n"
	           "bert  worker-0  ready           1                  bert-w-0-x7  10.1.0.4  n1\n"
	           "bert  worker-1  waiting         3  SIGKILL                                      killed by KILL\n"
	           "bert  worker-2  failed          1        3                                      exit code 3\n"
	           "bert  worker-3  failed          1        3                                      exit code 3\n"
	           "bert  ps-0      ready           1                  bert-w-0-x7  10.1.0.4  n1\n");
	report_counts(&s, &b);
	CHECK_TEXT(taken(), "worker 1/4 ready, 2 failed, ps 1/1 ready, 2 restarts");
	CHECK_TEXT(report(&s, REPORT_JSON_LINE, 0),
	           "{ \"schemaVersion\": 1, \"runs\": [ { \"name\": \"bert\", \"namespace\": \"default\", \"state\": \"Failed\", "
	           "\"cause\": \"worker-2 failed: exit code 3\", "
	           "\"conditions\": [ { \"type\": \"Created\", \"status\": \"True\", \"reason\": \"RunCreated\", \"since\": \"1970-01-01T00:01:40Z\" }, "
	           "{ \"type\": \"Running\", \"status\": \"False\", \"reason\": \"RunRunning\", \"since\": \"1970-01-01T00:02:45Z\" }, "
	           "{ \"type\": \"Failed\", \"status\": \"True\", \"reason\": \"RunFailed\", \"since\": \"1970-01-01T00:02:45Z\" } ], "
	           "\"roles\": [ { \"role\": \"worker\", \"desired\": 4, \"active\": 1, \"ready\": 1, \"succeeded\": 0, "
	           "\"failed\": 2, \"restarts\": 2, \"cause\": \"2 of 4 replicas: exit code 3\" }, "
	           "{ \"role\": \"ps\", \"desired\": 1, \"active\": 1, \"ready\": 1, \"succeeded\": 0, "
	           "\"failed\": 0, \"restarts\": 0, \"cause\": \"\" } ], "
	           "\"replicas\": [ { \"role\": \"worker\", \"index\": 0, \"state\": \"ready\", \"attempts\": 1, "
	           "\"exit_code\": null, \"signal\": null, \"host\": \"127.0.0.1\", "
	           "\"pod\": \"bert-w-0-x7\", \"ip\": \"10.1.0.4\", \"node\": \"n1\", \"cause\": \"\" }, "
	           "{ \"role\": \"worker\", \"index\": 1, \"state\": \"waiting\", \"attempts\": 3, "
	           "\"exit_code\": 137, \"signal\": 9, \"host\": \"127.0.0.1\", "
	           "\"pod\": \"\", \"ip\": \"\", \"node\": \"\", \"cause\": \"killed by KILL\" }, "
	           "{ \"role\": \"worker\", \"index\": 2, \"state\": \"failed\", \"attempts\": 1, "
	           "\"exit_code\": 3, \"signal\": null, \"host\": \"127.0.0.1\", "
	           "\"pod\": \"\", \"ip\": \"\", \"node\": \"\", \"cause\": \"exit code 3\" }, "
	           "{ \"role\": \"worker\", \"index\": 3, \"state\": \"failed\", \"attempts\": 1, "
	           "\"exit_code\": 3, \"signal\": null, \"host\": \"127.0.0.1\", "
	           "\"pod\": \"\", \"ip\": \"\", \"node\": \"\", \"cause\": \"exit code 3\" }, "
	           "{ \"role\": \"ps\", \"index\": 0, \"state\": \"ready\", \"attempts\": 1, "
	           "\"exit_code\": null, \"signal\": null, \"host\": \"127.0.0.1\", "
	           "\"pod\": \"bert-w-0-x7\", \"ip\": \"10.1.0.4\", \"node\": \"n1\", \"cause\": \"\" } ], "
	           "\"first_failure\": { \"role\": \"worker\", \"index\": 2, \"exit_code\": 3, \"signal\": null, "
	           "\"reason\": \"exit code 3\", \"log\": [ \"Traceback\", \"\\u001b[31mboom\" ] } } ] }\n");
}

static struct str types(const struct run_state *s)
{
	struct conditions c = run_conditions(s);

	for (size_t i = 0; i < c.n; i++)
		buf_printf(&b, "%s%s ", c.at[i].type, c.at[i].holds ? "" : "-");
	return taken();
}

static void conditions(void)
{
	struct run_state s = failed();

	s.phase = RUN_PENDING, s.ran = 0;
	CHECK_TEXT(types(&s), "Created ");
	/* the role that decides already runs; others do not yet */
	s.phase = RUN_STARTING, s.running = true, s.ran = 5;
	CHECK_TEXT(types(&s), "Created Running ");
	s.phase = RUN_RUNNING;
	CHECK_TEXT(types(&s), "Created Running ");
	s.phase = RUN_DEGRADED, s.restarting = true;
	CHECK_TEXT(types(&s), "Created Restarting ");
	s.phase = RUN_SUSPENDED;
	CHECK_TEXT(types(&s), "Created Suspended Running- ");
	s.phase = RUN_COMPLETING;
	CHECK_TEXT(types(&s), "Created Running- Succeeded ");
	s.phase = RUN_FAILED, s.ran = 0;
	CHECK_TEXT(types(&s), "Created Failed ");
	s.phase = RUN_QUEUED;
	CHECK_TEXT(types(&s), "Created Suspended ");
	s.phase = RUN_ABSENT;
	CHECK_TEXT(types(&s), "");
}

int main(void)
{
	times();
	durations();
	escapes();
	clipping();
	verdicts();
	tables();
	conditions();
	buf_release(&b);
	arena_release(&arena);
	return unit_end();
}
