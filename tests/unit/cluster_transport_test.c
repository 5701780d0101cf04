/*
 * cluster_transport_test.c - requests to a scripted server: connections, retries, time limits, broken and unexpected
 * responses, certificates, proxies, credentials.
 */
#include "cluster_world.h"
#include "runtime/cluster/certificate.h"
#include "runtime/cluster/plugin_path.h"
#include "runtime/cluster/proxy.h"

static struct made ca, other_ca, server_cert, client_cert;

#define JSON "header Content-Type application/json\n"
#define TEXT "header Content-Type text/plain\n"
#define STATUS(code, reason, message) "code " #code "\n" JSON "body {\"kind\":\"Status\",\"code\":" #code ",\"reason\":\"" reason "\",\"message\":\"" message "\"}\n"

static const char *with_tls(const char *options, const char *script)
{
	return str_printf(&world, "tls %s %s%s\n%s", world_path("server.crt").p, world_path("server.key").p, options,
		script).p;
}

/* Starts a server with SCRIPT and a client for it, whose limit for each response is SECONDS. */
static void begin_limited(struct peer *p, struct standin *s, bool tls, const char *script, int seconds)
{
	int64_t limit = seconds * NS_PER_SECOND;

	standin_start(s, tls ? with_tls("", script) : script);
	*p = (struct peer){ 0 };
	peer_access(p, s, tls ? &ca : NULL);
	if (!peer_open(p, (struct peer_options){ .connect = limit, .read = limit, .write = limit,
		.stall = limit / 2, .retry_limit = 20 * NS_PER_SECOND }))
		abort();
}

/* As above, with limits for servers that respond, on a machine that may be busy. */
static void begin(struct peer *p, struct standin *s, bool tls, const char *script)
{
	begin_limited(p, s, tls, script, 20);
}

enum { IMPATIENT = 2 };         /* limit in seconds for a server that does not respond */

static void end(struct peer *p, struct standin *s)
{
	peer_close(p);
	standin_stop(s);
}

/* ---- connections ---- */

static void one_connection(void)
{
	struct standin s;
	struct peer p;

	begin(&p, &s, true, "on GET /version\n" JSON "body {\"gitVersion\":\"v1\"}\ndelay 20\n");
	peer_send(&p, (struct transport_request){ .path = STR("/version") }, CALL_BY_METHOD, 60);
	CHECK(p.ok == 60 && p.result.http2);
	CHECK_TEXT(p.result.body, "{\"gitVersion\":\"v1\"}");
	CHECK(transport_counted(p.transport)->connections == 1 && transport_counted(p.transport)->requests == 60);
	CHECK(transport_counted(p.transport)->most_in_flight <= 16);
	CHECK(world_count(p.trace.n ? buf_text(&p.trace) : STR(""), "GET /version: 200, 19 B, ") == 60);
	struct buf b = { 0 };
	transport_budget(p.transport, &b);
	CHECK_TEXT(buf_text(&b),
		"60 requests (60 reads, 0 writes, 0 streams), 1 connection, 0 retries, 1.1 KiB in, 0 B out");
	b.n = 0;
	transport_dump(p.transport, &b);
	calls_dump(p.calls, &b);
	CHECK(world_count(buf_text(&b), "0 in flight") == 1);
	buf_release(&b);
	end(&p, &s);
}

/* Above 90 open streams, further requests use a second connection. */
static void many_streams(void)
{
	struct standin s;
	struct peer p;
	struct loop_timer stop;
	unsigned before = unit_failed;

	begin(&p, &s, true, "on GET /stream\n" JSON "body {}\nhang\n");
	for (int i = 0; i < 95; i++) {
		struct transport_request r = { .kind = TRANSPORT_STREAM, .path = STR("/stream"), .done = peer_done,
			.to = &p };
		call_start(p.calls, &r, CALL_ONCE, NULL);
	}
	stop = (struct loop_timer){ .fire = peer_guard, .to = &p };
	p.left = 96;
	loop_timer_set(p.loop, &stop, 60 * NS_PER_SECOND);
	while (unit_failed == before && world_count(standin_record(&s), "GET /stream") < 95) {
		loop_turn(p.loop);
		usleep(1000);
	}
	loop_timer_drop(p.loop, &stop);
	struct str record = standin_record(&s);
	CHECK(world_count(record, "1 GET /stream\n") == 90 && world_count(record, "2 GET /stream\n") == 5 &&
		world_count(record, " GET /stream\n") == 95);
	end(&p, &s);
}

/* When a connection breaks, one new connection carries all of its requests. */
static void reconnecting(void)
{
	struct standin s;
	struct peer p;

	begin(&p, &s, true, "on GET /x 15\nhang\non GET /x 1\ndelay 50\ncut\non GET /x\n" JSON "body {}\n");
	peer_send(&p, (struct transport_request){ .path = STR("/x") }, CALL_BY_METHOD, 16);
	/* libcurl itself sends one of them again */
	CHECK(p.ok == 16 && transport_counted(p.transport)->connections <= 3);
	end(&p, &s);
	/* A connection that does not respond is not used again. */
	begin_limited(&p, &s, true, "on GET /x 1\nhang\non GET /x\n" JSON "body {}\n", IMPATIENT);
	peer_get(&p, "/x");
	CHECK(p.ok == 1 && p.result.attempts == 2 && world_count(standin_record(&s), "2 GET /x\n") == 1);
	end(&p, &s);
}

/* A POST on a reused connection that breaks is not repeated. */
static void posts_are_sent_once(void)
{
	struct standin s;
	struct peer p;

	for (int h2 = 0; h2 < 2; h2++) {
		begin(&p, &s, true, str_printf(&world,
			"%son GET /x\n" JSON "body {}\non POST /y\ncut\non PATCH /y 1\ncut\non PATCH /y\n" JSON
			"body {}\n",
		      h2 ? "" : "alpn http1\n").p);
		peer_get(&p, "/x");
		struct transport_request r = { .method = TRANSPORT_POST, .kind = TRANSPORT_WRITE, .path = STR("/y"),
			.body = STR("{}") };
		peer_send(&p, r, CALL_BY_METHOD, 1);
		CHECK(p.result.outcome == TRANSPORT_BROKEN && p.result.attempts == 1 &&
			world_count(standin_record(&s), "POST /y\n") == 1);
		peer_get(&p, "/x");
		r.method = TRANSPORT_PATCH;
		r.content_type = STR("application/apply-patch+yaml");
		peer_send(&p, r, CALL_BY_METHOD, 1);
		CHECK(p.ok == 1 && p.result.attempts == 2 && world_count(standin_record(&s), "PATCH /y\n") == 2);
		end(&p, &s);
	}
}

static void http1(void)
{
	struct standin s;
	struct peer p;

	begin(&p, &s, true,
		"alpn http1\non GET /a\n" JSON "body {}\non GET /close\n" JSON "header Connection close\nbody {}\n");
	for (int i = 0; i < 3; i++)
		peer_get(&p, "/a");
	CHECK(p.ok == 1 && !p.result.http2 && transport_counted(p.transport)->connections == 1);
	peer_send(&p, (struct transport_request){ .path = STR("/close") }, CALL_BY_METHOD, 20);
	CHECK(p.ok == 20 && transport_counted(p.transport)->connections > 5);
	CHECK(world_count(buf_text(&p.trace), "HTTP/1.1") == 23);
	end(&p, &s);
	begin(&p, &s, false, "on GET /a\n" JSON "body {}\n");
	p.access.token = STR("secret");
	peer_get(&p, "/a");
	CHECK(p.ok == 1);
	CHECK(world_count(standin_record(&s), "authorization") == 0);   /* credentials are not sent without TLS */
	end(&p, &s);
}

static void requests(void)
{
	struct standin s;
	struct peer p;
	struct transport_pair query[] = { { STR("labelSelector"), STR("a=b,c in (d)") },
		{ STR("fieldManager"), STR("trainc") } };
	struct transport_place place = { STR("batch"), STR("v1"), STR("jobs"), STR("te am"), STR("a/b"),
		STR("status") };

	CHECK_TEXT(transport_path(&world, &place), "/apis/batch/v1/namespaces/te%20am/jobs/a%2Fb/status");
	place = (struct transport_place){ .version = STR("v1"), .plural = STR("nodes") };
	CHECK_TEXT(transport_path(&world, &place), "/api/v1/nodes");
	begin(&p, &s, true,
		"on PATCH /x\ncode 201\n" JSON "header Warning 299 - \"old \\\"thing\\\"\"\nbody {}\non DELETE /x\n" JSON "body {}\n");
	p.access.as = (struct kubeconfig_impersonation){ .user = STR("boss"), .uid = STR("7"),
		.groups = (struct str[]){ STR("a"), STR("b") }, .ngroups = 2,
		.extra = (struct kubeconfig_variable[]){ { STR("k/1"), STR("v\r\nEvil: yes") } }, .nextra = 1 };
	peer_send(&p, (struct transport_request){ .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE, .path = STR("/x"),
		.query = query, .nquery = 2,
	                                          .content_type = STR("application/apply-patch+yaml"),
		.body = STR("{\"a\":1}") }, CALL_BY_METHOD, 2);
	CHECK(p.ok == 2 && p.result.code == 201);
	CHECK_TEXT(buf_text(&p.warnings), "old \"thing\"\n");
	peer_send(&p, (struct transport_request){ .method = TRANSPORT_DELETE, .kind = TRANSPORT_WRITE,
		.path = STR("/x"), .body = STR("{\"uid\":1}") },
	          CALL_REPEAT, 1);
	struct str record = standin_record(&s);
	CHECK(world_count(record, "PATCH /x?labelSelector=a%3Db%2Cc%20in%20%28d%29&fieldManager=trainc\n") == 2);
	CHECK(world_count(record, "  content-type: application/apply-patch+yaml\n") == 2 &&
		world_count(record, "  > {\"a\":1}\n") == 2);
	CHECK(world_count(record, "  accept: application/json\n") == 3 &&
		world_count(record, "  user-agent: trainc/") == 3);
	CHECK(world_count(record, "  impersonate-user: boss\n") == 3 &&
		world_count(record, "  impersonate-uid: 7\n") == 3);
	CHECK(world_count(record, "  impersonate-group: a\n") == 3 &&
		world_count(record, "  impersonate-group: b\n") == 3);
	CHECK(world_count(record, "  impersonate-extra-k%2f1: v  Evil: yes\n") == 3 &&
		world_count(record, "\nevil") == 0);
	CHECK(world_count(record, "  > {\"uid\":1}\n") == 1);
	CHECK(transport_counted(p.transport)->writes == 3);
	end(&p, &s);
}

/* ---- retries ---- */

/*
 * Sends METHOD /x to a server that responds with SCRIPT; checks the code, the exit status and the number of attempts.
 */
static void retried(int line, enum transport_method method, enum call_repeat repeat, const char *script, int code,
	int status, unsigned attempts)
{
	struct standin s;
	struct peer p;
	bool write = method != TRANSPORT_GET;

	begin(&p, &s, true, script);
	peer_send(&p, (struct transport_request){ .method = method, .kind = write ? TRANSPORT_WRITE : TRANSPORT_READ,
		.path = STR("/x"),
	          .content_type = method == TRANSPORT_PATCH ? STR("application/apply-patch+yaml") : STR(""),
		.body = write ? STR("{}") : STR("") }, repeat, 1);
	size_t got = world_count(standin_record(&s), " /x\n");
	bool ok = p.result.code == code && call_exit_status(&p.result) == status && got == attempts &&
		p.result.attempts == attempts;
	if (!ok)
		printf("got code %d, status %d, %zu requests, %u attempts: %.*s\n", p.result.code,
			call_exit_status(&p.result), got, p.result.attempts,
		       STR_ARG(p.result.error));
	check_at(line, ok, "attempts and status");
	CHECK(transport_counted(p.transport)->retries == attempts - 1);
	end(&p, &s);
}
#define RETRIED(method, repeat, script, code, status, attempts) retried(__LINE__, TRANSPORT_##method, repeat, script, \
	code, status, attempts)

#define FINE "on * /x\n" JSON "body {}\n"
#define ONCE "on * /x 1\n"

static void retries(void)
{
	RETRIED(GET, CALL_BY_METHOD, ONCE STATUS(429, "TooManyRequests", "slow") "header Retry-After 0\n" FINE, 200, 0,
		2);
	RETRIED(POST, CALL_BY_METHOD, ONCE "code 429\nheader Retry-After 0\n" TEXT "body Too many requests\n" FINE, 200,
		0, 2);
	RETRIED(POST, CALL_BY_METHOD, ONCE "code 503\nheader Retry-After 0\n" FINE, 200, 0, 2);
	RETRIED(GET, CALL_BY_METHOD, ONCE "code 502\n" ONCE "code 504\n" ONCE "code 408\n" FINE, 200, 0, 4);
	RETRIED(POST, CALL_BY_METHOD, ONCE "code 504\n" FINE, 504, 7, 1);
	RETRIED(GET, CALL_BY_METHOD, ONCE STATUS(504, "Timeout", "Too large resource version: 5, current: 4") FINE, 504,
		7, 1);
	RETRIED(PATCH, CALL_BY_METHOD, ONCE STATUS(500, "InternalError", "failed calling webhook x") ONCE
	        STATUS(500, "InternalError", "etcdserver: leader changed") FINE, 200, 0, 3);
	RETRIED(POST, CALL_BY_METHOD, ONCE STATUS(500, "InternalError", "etcdserver: request timed out") FINE, 500, 7,
		1);
	RETRIED(PATCH, CALL_BY_METHOD, "on * /x\n" STATUS(500, "", "disk on fire"), 500, 7, 3);
	RETRIED(PATCH, CALL_BY_METHOD, "on * /x\n" STATUS(500, "",
		"failed to create typed patch object (a): field not declared in schema"), 500, 6, 1);
	RETRIED(PATCH, CALL_BY_METHOD, "on * /x\n" STATUS(400, "BadRequest", "strict decoding error"), 400, 6, 1);
	RETRIED(PATCH, CALL_BY_METHOD, "on * /x\n" STATUS(422, "Invalid", "no"), 422, 6, 1);
	RETRIED(PATCH, CALL_BY_METHOD, "on * /x\n" STATUS(413, "RequestEntityTooLarge", "no"), 413, 6, 1);
	RETRIED(PATCH, CALL_BY_METHOD, "on * /x\n" STATUS(409, "Conflict", "no"), 409, 5, 1);
	RETRIED(PATCH, CALL_BY_METHOD, ONCE STATUS(409, "Conflict",
		"Operation cannot be fulfilled on resourcequotas: resourcequota changed") FINE, 200, 0, 2);
	RETRIED(GET, CALL_BY_METHOD, "on * /x\n" STATUS(403, "Forbidden", "no"), 403, 4, 1);
	RETRIED(POST, CALL_BY_METHOD, "on * /x\n" STATUS(403, "Forbidden", "exceeded quota: q"), 403, 6, 1);
	RETRIED(GET, CALL_BY_METHOD, "on * /x\n" STATUS(404, "NotFound", "no"), 404, 6, 1);
	RETRIED(GET, CALL_BY_METHOD, "on * /x\n" STATUS(401, "Unauthorized", "no"), 401, 4, 1);
	RETRIED(GET, CALL_ONCE, "on * /x\ncode 503\n", 503, 7, 1);
	/* Connections are reset before the response or in the middle of it, and streams are reset. */
	RETRIED(GET, CALL_BY_METHOD,
		ONCE "cut\n" ONCE JSON "body {\"a\":\nwait 10\ncut\n" ONCE "reset\n" ONCE JSON
		"body {\"a\":\nreset\n" FINE, 200, 0, 5);
	RETRIED(PATCH, CALL_BY_METHOD, ONCE "cut\n" FINE, 200, 0, 2);
	RETRIED(DELETE, CALL_REPEAT, ONCE "cut\n" FINE, 200, 0, 2);
	RETRIED(POST, CALL_BY_METHOD, "on * /x\ncut\n", 0, 7, 1);
	RETRIED(DELETE, CALL_BY_METHOD, "on * /x\ncut\n", 0, 7, 1);
}

#define DATE "Date Thu, 01 Jan 2026 00:00:00 GMT"
#define RETRY_DATE "Retry-After Thu, 01 Jan 2026 00:00:03 GMT"

static void retry_after(void)
{
	struct standin s;
	struct peer p;

	begin(&p, &s, true, ONCE "code 429\nheader Retry-After 1\n" ONCE "code 429\n" TEXT "body busy\n" FINE);
	peer_get(&p, "/x");
	/* waits one second as the header requests, and one second by default */
	CHECK(p.ok == 1 && p.result.ns >= 2 * NS_PER_SECOND);
	end(&p, &s);
	/* Retry-After is longer than the time limit: waiting is pointless. */
	begin(&p, &s, true, "on * /x\ncode 503\nheader Retry-After 3600\n");
	peer_get(&p, "/x");
	CHECK(p.result.attempts == 1);
	CHECK_TEXT(p.result.error, "GET /x: 503: Service Unavailable");
	end(&p, &s);
	/* a date refers to the server's clock, even if that clock is wrong; the two headers may come in any order */
	for (int i = 0; i < 2; i++) {
		begin(&p, &s, true, str_printf(&world, ONCE "code 503\nheader %s\nheader %s\n" FINE,
			i ? RETRY_DATE : DATE, i ? DATE : RETRY_DATE).p);
		peer_get(&p, "/x");
		CHECK(p.ok == 1 && p.result.ns >= NS_PER_SECOND && p.result.ns < 10 * NS_PER_SECOND);
		end(&p, &s);
	}
	begin(&p, &s, true, "on * /x\ncode 503\nheader " DATE "\nheader Retry-After Fri, 31 Dec 9999 00:00:00 GMT\n");
	peer_get(&p, "/x");
	CHECK(p.result.attempts == 1 && p.result.retry_after == 60 * NS_PER_SECOND);
	end(&p, &s);
	/* the date has already passed, or is invalid */
	begin(&p, &s, true, ONCE "code 503\nheader " DATE "\nheader Retry-After Wed, 31 Dec 2025 00:00:00 GMT\n"
		ONCE "code 503\nheader Retry-After soon\n" FINE);
	peer_get(&p, "/x");
	CHECK(p.ok == 1 && p.result.attempts == 3 && p.result.ns < 5 * NS_PER_SECOND);
	end(&p, &s);
}

static void refused(void)
{
	struct standin s;
	struct peer p;

	begin(&p, &s, true, FINE);
	standin_stop(&s);
	peer_get(&p, "/x");
	CHECK(p.result.outcome == TRANSPORT_UNREACHABLE && p.result.attempts == 10 && call_exit_status(&p.result) == 7);
	CHECK_TEXT(p.result.error, str_printf(&world,
		"cannot connect to 127.0.0.1:%u: connection refused (gave up after 10 attempts)", s.port).p);
	CHECK(world_count(buf_text(&p.retries), "connection refused") == 9);
	peer_close(&p);
	p = (struct peer){ 0 };
	peer_access(&p, &s, &ca);
	p.access.host = STR("no-such-host.invalid");
	CHECK(peer_open(&p, (struct peer_options){ .retry_limit = 1000 }));
	peer_get(&p, "/x");
	CHECK(p.result.outcome == TRANSPORT_UNREACHABLE);
	CHECK(world_count(p.result.error, "the name 'no-such-host.invalid' ") == 1);
	peer_close(&p);
}

/* ---- invalid responses ---- */

static void odd_answers(void)
{
	struct standin s;
	struct peer p;

	begin(&p, &s, true, "on GET /html\nheader Content-Type text/html\nbody <html>Please log in</html>\n"
	      "on GET /empty\n" JSON "on GET /none\nbody {}\n"
	      "on GET /move\ncode 302\nheader Location https://elsewhere/\n"
	      "on GET /proxy\ncode 403\nheader Content-Type text/html\nbody <html>\n"
	      "on GET /plain\ncode 403\n" TEXT "body first line\\nsecond\n"
	      "on GET /large\n" JSON "times 34000000 x\n"
	      "on GET /status\n" JSON "code 422\nbody {\"kind\":\"Status\",\"reason\":\"Invalid\",\"message\":\"bad\\\\u001b[1m\",\"details\":{\"name\":\"n\",\"causes\":"
	      "[{\"reason\":\"FieldValueInvalid\",\"field\":\"spec.a\",\"message\":\"must\"}],\"retryAfterSeconds\":3}}\n");
	peer_get(&p, "/html");
	CHECK(p.result.outcome == TRANSPORT_FOREIGN && call_exit_status(&p.result) == 7 && p.result.attempts == 1);
	CHECK_TEXT(p.result.error, str_printf(&world,
		"GET /html: not a Kubernetes API server: got text/html from 127.0.0.1:%u",
		s.port).p);
	peer_get(&p, "/empty");
	CHECK(p.result.outcome == TRANSPORT_FOREIGN);
	peer_get(&p, "/none");
	CHECK(world_count(p.result.error, "got an answer without a content type from") == 1);
	peer_get(&p, "/move");
	CHECK(p.result.code == 302 && world_count(p.result.error,
		"the server redirects to https://elsewhere/, which is not followed") == 1);
	peer_get(&p, "/proxy");
	CHECK_TEXT(p.result.status->message, "Forbidden (the answer is a web page, not from an API server)");
	peer_get(&p, "/plain");
	CHECK_TEXT(p.result.status->message, "first line");
	CHECK(!p.result.status->is_object);
	peer_get(&p, "/large");
	CHECK(p.result.outcome == TRANSPORT_TOO_LARGE && p.result.attempts == 1);
	peer_get(&p, "/status");
	CHECK(p.result.status->is_object && p.result.status->ncauses == 1 && p.result.retry_after == 3 * NS_PER_SECOND);
	CHECK_TEXT(p.result.status->causes[0].field, "spec.a");
	CHECK_TEXT(p.result.error, "GET /status: 422 Invalid: bad\\x1b[1m");
	end(&p, &s);
}

/* A body that is cut never counts as complete, wherever the cut is. */
static void cut_anywhere(void)
{
	const char *body = "{\"items\":[1,2,3]}";
	struct buf script = { 0 };
	struct standin s;
	struct peer p;

	for (size_t n = 0; n < strlen(body); n++)
		buf_printf(&script, "on GET /length%zu\n" JSON "body %.*s\nwait 1\ncut\non GET /h1-%zu\n" JSON
			"body %.*s\ncut\nbody %s\n", n, (int)n, body, n, (int)n,
		           body, body + n);
	buf_char(&script, 0);
	for (int h2 = 0; h2 < 2; h2++) {
		begin(&p, &s, true, str_printf(&world, "%s%s", h2 ? "" : "alpn http1\n", script.p).p);
		for (size_t n = 0; n < strlen(body); n++)
			for (int k = 0; k < 2; k++) {
				char path[32];
				snprintf(path, sizeof path, k ? "/h1-%zu" : "/length%zu", n);
				peer_send(&p, (struct transport_request){ .path = str_of(path) }, CALL_ONCE, 1);
				if (p.result.outcome != TRANSPORT_BROKEN)
					printf("FAIL cut after %zu: outcome %d code %d\n", n, p.result.outcome,
						p.result.code);
				unit_passed += p.result.outcome == TRANSPORT_BROKEN;
				unit_failed += p.result.outcome != TRANSPORT_BROKEN;
			}
		end(&p, &s);
	}
	buf_release(&script);
}

static bool take_all(void *to, struct str bytes)
{
	(void)to;
	return bytes.n > 0;
}

static void slow(void)
{
	struct standin s;
	struct peer p;

	begin_limited(&p, &s, true, "on GET /header\nhang\non GET /body\n" JSON "body {\nhang\non GET /trickle\n"
		JSON "body {\nwait 300\nbody \\x20\nwait 300\nbody }\n"
	      "on GET /stream\n" JSON "body {}\nwait 1200\nbody {}\n", IMPATIENT);
	peer_send(&p, (struct transport_request){ .path = STR("/header") }, CALL_ONCE, 1);
	CHECK(p.result.outcome == TRANSPORT_SLOW && p.result.ns >= IMPATIENT * NS_PER_SECOND);
	CHECK(world_count(p.result.error, "GET /header: no answer came from 127.0.0.1") == 1);
	peer_send(&p, (struct transport_request){ .path = STR("/body") }, CALL_ONCE, 1);
	CHECK(p.result.outcome == TRANSPORT_SLOW && world_count(p.result.error, "nothing more came") == 1);
	peer_get(&p, "/trickle");
	CHECK(p.ok == 1);
	peer_send(&p, (struct transport_request){ .path = STR("/trickle"), .timeout = NS_PER_SECOND / 5 }, CALL_ONCE,
		1);
	CHECK(p.result.outcome == TRANSPORT_SLOW);
	/* A stream may be silent, unless a limit is set for it. */
	struct transport_request r = { .kind = TRANSPORT_STREAM, .path = STR("/stream"), .take = take_all };
	peer_send(&p, r, CALL_ONCE, 1);
	CHECK(p.ok == 1);
	r.quiet = NS_PER_SECOND / 2;
	peer_send(&p, r, CALL_ONCE, 1);
	CHECK(p.result.outcome == TRANSPORT_SLOW);
	CHECK(transport_counted(p.transport)->in_flight == 0);
	end(&p, &s);
}

/* ---- certificates ---- */

static struct transport_result secure(struct peer *p, struct standin *s, const char *options,
	struct kubeconfig_access change)
{
	const char *script = FINE;

	standin_start(s, with_tls(options, script));
	*p = (struct peer){ 0 };
	peer_access(p, s, &ca);
	if (change.ca.n)
		p->access.ca = change.ca;
	if (change.insecure) {
		p->access.insecure = true;
		p->access.ca = STR("");
	}
	if (change.host.n)
		p->access.host = change.host;
	p->access.tls_server_name = change.tls_server_name;
	p->access.certificate = change.certificate;
	p->access.key = change.key;
	if (peer_open(p, (struct peer_options){ .retry_limit = 5 * NS_PER_SECOND }))
		peer_get(p, "/x");
	return p->result;
}

static void use_cert(struct made m)
{
	world_put("server.crt", m.cert_pem);
	world_put("server.key", m.key_pem);
}

static void expect_tls(int line, const char *options, struct kubeconfig_access change, bool ok, const char *words)
{
	struct standin s;
	struct peer p;
	struct transport_result r = secure(&p, &s, options, change);
	bool right = ok ? transport_ok(&r) : (r.outcome == TRANSPORT_UNTRUSTED && r.attempts == 1 &&
		world_count(r.error, words) == 1);

	if (!right)
		printf("outcome %d, %u attempts: %.*s\n", r.outcome, r.attempts, STR_ARG(r.error));
	check_at(line, right, words);
	end(&p, &s);
}
#define TLS(options, change, ok, words) expect_tls(__LINE__, options, (struct kubeconfig_access) change, ok, words)

/* A client certificate that has expired is refused with 401, and the message gives the date. */
static void expired_client(void)
{
	struct made old = made_cert("late", "", &ca, -10, -1);
	struct made made[] = { old, client_cert };
	static const char *const words[] = { "its client certificate expired at 20", "401 Unauthorized: no" };

	for (int i = 0; i < 2; i++) {
		struct standin s;
		struct peer p = { 0 };
		standin_start(&s, with_tls("", "on GET /x 50\n" STATUS(401, "Unauthorized", "no")));
		peer_access(&p, &s, &ca);
		p.access.certificate = made[i].cert_pem;
		p.access.key = made[i].key_pem;
		if (peer_open(&p, (struct peer_options){ .retry_limit = 5 * NS_PER_SECOND }))
			peer_get(&p, "/x");
		check_at(__LINE__, world_count(p.result.error, words[i]) == 1 &&
			world_count(p.result.error, words[!i]) == 0, words[i]);
		end(&p, &s);
	}
	made_free(&old);
}

/* The whole chain of a client certificate with intermediates is sent. */
static void chains(void)
{
	struct certificate_own own = { 0 };
	struct str why = STR(""), pair = str_cat(&world, client_cert.cert_pem, STR("\n"), ca.cert_pem);
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
	STACK_OF(X509) *chain = NULL;

	CHECK(certificate_read_pair(&world, pair, client_cert.key_pem, &own, &why));
	certificate_use_ca(ctx, &own);
	CHECK(certificate_use_pair(ctx, &own) && SSL_CTX_get0_chain_certs(ctx, &chain) && sk_X509_num(chain) == 1);
	CHECK(SSL_CTX_get0_certificate(ctx) == own.certificate);
	CHECK(certificate_read_ca(&world, str_cat(&world, other_ca.cert_pem, STR("\n"), ca.cert_pem), &own, &why));
	certificate_use_ca(ctx, &own);
	CHECK(SSL_CTX_get_cert_store(ctx) == own.authorities);
	certificate_own_release(&own);
	SSL_CTX_free(ctx);
	/* the file of trusted authorities may contain several */
	TLS("", { .ca = str_cat(&world, other_ca.cert_pem, STR("\n"), ca.cert_pem) }, true, "");
}

static void certificates(void)
{
	struct made bad;

	TLS("", { 0 }, true, "");
	TLS("", { .ca = other_ca.cert_pem }, false,
		"the certificate-authority of the kubeconfig did not sign it (valid from 20");
	TLS("", { .insecure = true }, true, "");
	TLS("", { .tls_server_name = STR("api.test") }, true, "");
	TLS("", { .tls_server_name = STR("wrong.test") }, false,
	    "the certificate of 'CN=server' (issued by 'CN=test-ca') is not for 'wrong.test'; it is for api.test, 127.0.0.1; set tls-server-name");
	bad = made_cert("old", "IP:127.0.0.1", &ca, -10, -1);
	use_cert(bad);
	made_free(&bad);
	TLS("", { 0 }, false, "the certificate of 'CN=old' (issued by 'CN=test-ca') expired at 20");
	bad = made_cert("early", "IP:127.0.0.1", &ca, 1, 10);
	use_cert(bad);
	made_free(&bad);
	TLS("", { 0 }, false, "check the clock");
	use_cert(server_cert);
	const char *demand = str_printf(&world, " %s", world_path("ca.crt").p).p;
	expect_tls(__LINE__, demand, (struct kubeconfig_access){ .certificate = client_cert.cert_pem,
		.key = client_cert.key_pem }, true, "");
	TLS(demand, { 0 }, false, "the server refuses the client certificate (alert certificate required");
	/* If the kubeconfig has no authority, those of the system apply, or those of a file that is named. */
	struct standin s;
	struct peer p = { 0 };
	for (int i = 0; i < 2; i++) {
		if (i)
			setenv("SSL_CERT_FILE", world_path("ca.crt").p, 1);
		standin_start(&s, with_tls("", FINE));
		p = (struct peer){ 0 };
		peer_access(&p, &s, &ca);
		p.access.ca = STR("");
		CHECK(peer_open(&p, (struct peer_options){ .retry_limit = 5 * NS_PER_SECOND }));
		peer_get(&p, "/x");
		CHECK(i ? p.ok == 1 : p.result.outcome == TRANSPORT_UNTRUSTED);
		end(&p, &s);
	}
	unsetenv("SSL_CERT_FILE");
	/* The server does not speak TLS on the port. */
	p = (struct peer){ 0 };
	standin_start(&s, FINE);
	peer_access(&p, &s, &ca);
	CHECK(peer_open(&p, (struct peer_options){ 0 }));
	peer_get(&p, "/x");
	CHECK(p.result.outcome == TRANSPORT_UNTRUSTED &&
		world_count(p.result.error, "the server does not speak TLS on this port") == 1);
	end(&p, &s);
	/* What the kubeconfig contains is checked before anything is sent. */
	p = (struct peer){ 0 };
	peer_access(&p, &s, &ca);
	p.access.ca = STR("no PEM");
	CHECK(!peer_open(&p, (struct peer_options){ 0 }));
	CHECK_TEXT(p.result.error, "the test: the certificate-authority is not a certificate in PEM form");
	p.access.ca = ca.cert_pem;
	p.access.certificate = client_cert.cert_pem;
	p.access.key = server_cert.key_pem;
	loop_release(p.loop);
	credential_release(p.credential);
	CHECK(!peer_open(&p, (struct peer_options){ 0 }));
	CHECK_TEXT(p.result.error, "the test: the client key does not belong to the client certificate");
	peer_close(&p);
}

/* ---- proxies ---- */

static void proxies(void)
{
	struct standin s, proxy;
	struct peer p;
	static const char *const schemes[] = { "http", "socks5", "socks5h" };

	for (int i = 0; i < 3; i++) {
		standin_start(&proxy, "# a proxy\n");
		standin_start(&s, with_tls("", FINE));
		p = (struct peer){ 0 };
		peer_access(&p, &s, &ca);
		p.access.token = STR("secret");
		p.access.proxy_url = str_printf(&world, "%s://127.0.0.1:%u", schemes[i], proxy.port);
		CHECK(peer_open(&p, (struct peer_options){ 0 }));
		peer_get(&p, "/x");
		CHECK(p.ok == 1 && p.result.http2);
		struct str record = standin_record(&proxy);
		CHECK(world_count(record, i ? "SOCKS5 127.0.0.1:" : "CONNECT 127.0.0.1:") == 1 &&
			world_count(record, "secret") == 0);
		peer_close(&p);
		standin_stop(&s);
		standin_stop(&proxy);
	}
	/* the proxy resolves the names, because a machine that needs a bastion often cannot */
	for (int i = 0; i < 3; i++) {
		standin_start(&proxy, "# a proxy\n");
		standin_start(&s, with_tls("", FINE));
		p = (struct peer){ 0 };
		peer_access(&p, &s, &ca);
		p.access.host = STR("localhost");
		p.access.tls_server_name = STR("api.test");
		p.access.proxy_url = str_printf(&world, "%s://127.0.0.1:%u", schemes[i], proxy.port);
		CHECK(peer_open(&p, (struct peer_options){ 0 }));
		peer_get(&p, "/x");
		const char *asked = i ? "SOCKS5 localhost:" : "CONNECT localhost:";
		CHECK(p.ok == 1 && world_count(standin_record(&proxy), asked) == 1);
		peer_close(&p);
		standin_stop(&s);
		standin_stop(&proxy);
	}
	standin_start(&proxy, "on CONNECT *\ncode 407\n");
	p = (struct peer){ 0 };
	peer_access(&p, &s, &ca);
	p.access.proxy_url = str_printf(&world, "http://me:password@127.0.0.1:%u", proxy.port);
	CHECK(peer_open(&p, (struct peer_options){ .retry_limit = 1000 }));
	peer_get(&p, "/x");
	CHECK(p.result.outcome == TRANSPORT_UNREACHABLE &&
		world_count(p.result.error, "by the proxy http://127.0.0.1:") == 1);
	CHECK(world_count(p.result.error, "407") >= 1 && world_count(buf_text(&p.trace), "password") == 0);
	end(&p, &proxy);
}

static void proxy_rules(void)
{
	struct proxy_environment e = { .http = STR("http://plain"), .https = STR("http://secure"),
		.no_proxy = STR("") };
	static const struct { const char *no_proxy, *host; unsigned port; bool excepted; } rows[] = {
		{ "", "api.example", 443, false }, { "", "localhost", 443, true }, { "", "127.3.2.1", 443, true },
		{ "", "::1", 443, true }, { "*", "x", 1, true }, { "example", "example", 443, true },
		{ "example", "api.EXAMPLE", 443, true }, { "example", "myexample", 443, false },
		{ ".example", "example", 443, false }, { ".example", "a.example", 443, true },
		{ "*.example", "a.b.example", 443, true }, { "10.0.0.0/8", "10.2.3.4", 443, true },
		{ "10.0.0.0/8", "11.2.3.4", 443, false }, { "10.0.0.0/x", "10.2.3.4", 443, false },
		{ "fd00::/8", "fd12::1", 443, true }, { "fd00::/8", "fe80::1", 443, false },
		{ "10.2.3.4", "10.2.3.4", 443, true }, { "a , b:6443 ", "b", 6443, true },
		{ "b:6443", "b", 443, false }, { "[::2]:6443", "::2", 6443, true }, { "::2", "::2", 1, true },
		{ "0.0.0.0/0", "10.2.3.4", 443, true }, { "/8,,", "x", 443, false },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool got = proxy_excepted(str_of(rows[i].no_proxy), str_of(rows[i].host), rows[i].port);
		if (got != rows[i].excepted)
			printf("NO_PROXY=%s %s:%u\n", rows[i].no_proxy, rows[i].host, rows[i].port);
		CHECK(got == rows[i].excepted);
	}
	CHECK_TEXT(proxy_for(&e, STR(""), true, STR("h"), 443), "http://secure");
	CHECK_TEXT(proxy_for(&e, STR(""), false, STR("h"), 80), "http://plain");
	e.no_proxy = STR("h");
	CHECK_TEXT(proxy_for(&e, STR(""), true, STR("h"), 443), "");
	CHECK_TEXT(proxy_for(&e, STR("socks5://mine"), true, STR("h"), 443), "socks5://mine");
}

/* ---- credentials ---- */

static const char *plugin(const char *name, const char *text)
{
	struct str path = world_put(name, str_printf(&world, "#!/bin/sh\necho run >>%s/runs\n%s", world_dir, text));

	chmod(path.p, 0700);
	unlink(world_path("runs").p);
	return path.p;
}

#define CREDENTIAL(status) "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{" status "}}'\n"

static void begin_plugin(struct peer *p, struct standin *s, const char *script, const char *command)
{
	standin_start(s, with_tls("", script));
	*p = (struct peer){ 0 };
	peer_access(p, s, &ca);
	p->access.exec = (struct kubeconfig_exec){ .command = str_of(command),
		.api_version = STR("client.authentication.k8s.io/v1") };
	if (!peer_open(p, (struct peer_options){ .retry_limit = 5 * NS_PER_SECOND }))
		abort();
}

static void plugins(void)
{
	struct standin s;
	struct peer p;

	/* Fifty requests are refused at the same time: one run of the plugin serves all of them. */
	begin_plugin(&p, &s, "on GET /x 50\n" STATUS(401, "Unauthorized", "expired") FINE,
	             plugin("plugin",
	"n=$(wc -l <" "$0.n 2>/dev/null || echo 0)\necho x >>$0.n\nsleep 0.2\n" CREDENTIAL("\"token\":\"tok'$n'en\"")));
	p.calls = calls_new(&p.arena, &(struct calls_options){ .transport = p.transport, .in_flight = 50,
		.first_wait = 1000000 });
	peer_send(&p, (struct transport_request){ .path = STR("/x") }, CALL_BY_METHOD, 50);
	CHECK(p.ok == 50 && credential_plugin_runs(p.credential) == 2);
	CHECK(world_count(world_read(world_path("runs")), "run") == 2);
	struct str record = standin_record(&s);
	CHECK(world_count(record, "authorization: Bearer tok0en") == 50 &&
		world_count(record, "authorization: Bearer tok1en") == 50);
	CHECK(world_count(buf_text(&p.trace), "tok") == 0);
	end(&p, &s);

	/* The credential is only valid for a second, after which the plugin runs again. */
	begin_plugin(&p, &s, FINE, plugin("short", "t=$(date -u -d '+1 second' +%Y-%m-%dT%H:%M:%SZ)\n"
	             "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"a\",\"expirationTimestamp\":\"'$t'\"}}'\n"));
	peer_get(&p, "/x");
	unsigned runs = credential_plugin_runs(p.credential);
	usleep(2100000);
	peer_get(&p, "/x");
	CHECK(p.ok == 1 && runs && credential_plugin_runs(p.credential) > runs);
	end(&p, &s);

	/* A second 401 in a row is final. The plugin inherits no connection. */
	begin_plugin(&p, &s, "on GET /x\n" STATUS(401, "Unauthorized", "no"), plugin("same",
		"readlink /proc/$$/fd/* | grep -c socket >>$0.open\n" CREDENTIAL("\"token\":\"a\"")));
	peer_get(&p, "/x");
	CHECK(p.result.code == 401 && p.result.attempts == 2 && credential_plugin_runs(p.credential) == 2 &&
		call_exit_status(&p.result) == 4);
	CHECK_TEXT(world_read(world_path("same.open")), "0\n0\n");
	end(&p, &s);
}

static void fails(int line, const char *command, const char *want)
{
	struct standin s;
	struct peer p;

	begin_plugin(&p, &s, FINE, command);
	p.access.exec.install_hint = STR("get it\x1b[1m at example");
	peer_send(&p, (struct transport_request){ .path = STR("/x") }, CALL_BY_METHOD, 3);
	check_text_at(line, p.result.error, want);
	check_at(line, call_exit_status(&p.result) == 3 && p.result.attempts == 1 &&
		credential_plugin_runs(p.credential) == 1, "status 3, one run");
	end(&p, &s);
}

static void plugin_failures(void)
{
	const char *path;

	fails(__LINE__, "no-such-plugin",
		"cannot start the credential plugin 'no-such-plugin': it is not in PATH\nget it\\x1b[1m at example");
	path = plugin("bad", "echo first >&2\necho 'last \033[1mwords' >&2\nexit 3\n");
	fails(__LINE__, path, str_printf(&world, "the credential plugin '%s' failed (exit code 3): last \\x1b[1mwords",
		path).p);
	path = plugin("killed", "kill -9 $$\n");
	fails(__LINE__, path, str_printf(&world, "the credential plugin '%s' failed (killed by KILL)", path).p);
	path = plugin("silent", "");
	fails(__LINE__, path, str_printf(&world,
		"the credential plugin '%s' printed nothing; it must print an ExecCredential in JSON", path).p);
	path = plugin("text", "echo hello\n");
	fails(__LINE__, path, str_printf(&world,
		"the credential plugin '%s' printed something that is not JSON: expected a value", path).p);
	path = plugin("beta", "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1beta1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"a\"}}'\n");
	fails(__LINE__, path, str_printf(&world,
		"the credential plugin '%s' answered in the wrong version: the kubeconfig asks for "
	      "client.authentication.k8s.io/v1, the answer says 'client.authentication.k8s.io/v1beta1'", path).p);
	path = plugin("half", CREDENTIAL("\"clientKeyData\":\"k\""));
	fails(__LINE__, path, str_printf(&world,
		"the credential plugin '%s' answered with half of a client certificate: clientCertificateData and "
	      "clientKeyData belong together", path).p);
	path = plugin("header", CREDENTIAL("\"token\":\"a\\\\r\\\\nEvil: yes\""));
	fails(__LINE__, path, str_printf(&world,
		"the credential plugin '%s' answered with a token that has control characters in it", path).p);
	path = plugin("large", "head -c 2000000 /dev/zero\n");
	fails(__LINE__, path, str_printf(&world, "the credential plugin '%s' printed more than 1 MiB", path).p);
}

/* A plugin is never taken from the current directory, through whatever entry of PATH. */
static void plugin_places(void)
{
	static const char *const here[] = { "", ":/bin", ".", "/bin:", "/bin::/usr/bin", "..:.:/bin", "./", "sub/.." };
	int old = open(".", O_RDONLY | O_CLOEXEC);
	struct str why = STR("");

	plugin("a-plugin", "true\n");
	mkdir(world_path("sub").p, 0700);
	CHECK(chdir(world_dir) == 0);
	for (size_t i = 0; i < sizeof here / sizeof *here; i++) {
		why = STR("");
		CHECK(!plugin_path(&world, STR("a-plugin"), here[i], &why).n);
		CHECK(here[i][0] ? world_count(why, "in the current directory, which is not trusted") == 1
			: str_is(why, "PATH leads to './a-plugin' in the current directory, which is not trusted: remove "
			"the entry '' from PATH, or write the path of the plugin into the kubeconfig"));
	}
	CHECK_TEXT(plugin_path(&world, STR("a-plugin"), str_printf(&world, "/bin:%s:.", world_dir).p, &why),
		world_path("a-plugin").p);
	CHECK_TEXT(plugin_path(&world, STR("./a-plugin"), "", &why), "./a-plugin");
	CHECK(!plugin_path(&world, STR("a-plugin"), "/bin", &why).n && str_is(why, "it is not in PATH"));
	CHECK(!plugin_path(&world, STR("sub"), world_dir, &why).n);
	CHECK(fchdir(old) == 0);
	close(old);
}

static void plugin_certificate(void)
{
	struct standin s;
	struct peer p;
	struct buf text = { 0 };

	buf_z(&text, "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"clientCertificateData\":");
	buf_json(&text, client_cert.cert_pem);
	buf_z(&text, ",\"clientKeyData\":");
	buf_json(&text, client_cert.key_pem);
	buf_z(&text, "}}");
	world_put("answer.json", buf_text(&text));
	buf_release(&text);
	begin_plugin(&p, &s, FINE, "true");
	standin_stop(&s);
	peer_close(&p);
	standin_start(&s, with_tls(str_printf(&world, " %s", world_path("ca.crt").p).p, FINE));
	peer_access(&p, &s, &ca);
	p.access.exec = (struct kubeconfig_exec){ .command =
		str_of(plugin("cert", str_printf(&world, "test \"$A\" = 1 && cat %s/answer.json\n"
	                                          "echo \"$KUBERNETES_EXEC_INFO\" >%s/info\n", world_dir,
	world_dir).p)),
		.api_version = STR("client.authentication.k8s.io/v1"),
		.env = (struct kubeconfig_variable[]){ { STR("A"), STR("1") } }, .nenv = 1, .cluster_info = true };
	CHECK(peer_open(&p, (struct peer_options){ 0 }));
	peer_get(&p, "/x");
	CHECK(p.ok == 1);
	struct str info = world_read(world_path("info"));
	CHECK(world_count(info, "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"spec\":{\"interactive\":false,\"cluster\":"
	                  "{\"server\":\"https://127.0.0.1:") == 1 &&
		world_count(info, "\"certificate-authority-data\":\"LS0t") == 1);
	end(&p, &s);
}

static void token_files(void)
{
	struct standin s;
	struct peer p;

	standin_start(&s, with_tls("", "on GET /x 1\n" JSON "body {}\non GET /x 1\n" STATUS(401, "Unauthorized",
		"expired") FINE));
	p = (struct peer){ 0 };
	peer_access(&p, &s, &ca);
	p.access.token_file = world_put("token", STR("first\n"));
	CHECK(peer_open(&p, (struct peer_options){ 0 }));
	peer_get(&p, "/x");
	world_put("token", STR("second\n\n"));
	/* the first token is refused; then the file is read again, and the new token is accepted */
	peer_get(&p, "/x");
	CHECK(p.ok == 1 && p.result.attempts == 2);
	unlink(p.access.token_file.p);
	peer_get(&p, "/x");                     /* without the file, the last valid token stays in use */
	CHECK(p.ok == 1);
	struct str record = standin_record(&s);
	CHECK(world_count(record, "Bearer first\n") == 2 && world_count(record, "Bearer second\n") == 2);
	peer_close(&p);
	peer_access(&p, &s, &ca);
	p.access.token_file = world_path("token");
	CHECK(peer_open(&p, (struct peer_options){ 0 }));
	peer_get(&p, "/x");
	CHECK(p.result.outcome == TRANSPORT_NO_CREDENTIAL && world_count(p.result.error, "/token: no such file") == 1);
	end(&p, &s);
}

static void clocks(void)
{
	struct standin s;
	struct peer p;

	begin(&p, &s, true, "on GET /x\n" JSON "header Date Thu, 01 Jan 2026 00:00:00 GMT\nbody {}\n"
		"on GET /y\n" JSON "header Date Thu, 01 Jan 2026 00:00:01 GMT\nbody {}\n"
		"on GET /slow\n" JSON "header Date Thu, 01 Jan 2026 00:00:01 GMT\ndelay 2500\nbody {}\n");
	peer_get(&p, "/x");
	int64_t offset = transport_clock_offset(p.transport), server = clock_real() + offset;
	CHECK(server >= 1767225600 * NS_PER_SECOND - 5 * NS_PER_SECOND &&
		server < 1767225600 * NS_PER_SECOND + 60 * NS_PER_SECOND);
	/*
	 * headers have whole seconds, so a small difference is possible: a response that agrees with the known offset
	 * does not change it
	 */
	peer_get(&p, "/y");
	CHECK(transport_clock_offset(p.transport) == offset);
	/*
	 * nor does a header change it that was written long before it arrives: the server's clock does not go backwards
	 */
	peer_get(&p, "/slow");
	CHECK(transport_clock_offset(p.transport) == offset);
	end(&p, &s);
}

/*
 * Sends a thousand objects at once, and a hundred to a server that takes 10 ms for each. The time depends on the load
 * of the machine, so only the processor time and the number of concurrent requests are checked. libcurl 7.88 resets
 * the stream of each request that has a body after its end, and nghttp2 ends a connection after a thousand resets:
 * those requests are repeated on the next one.
 */
static void throughput(void)
{
	struct standin s;
	struct peer p;
	char body[1024];

	memset(body, 'x', sizeof body);
	begin(&p, &s, true, "on PATCH /fast\n" JSON "body {\"a\":[0\ntimes 500 ,0\nbody ]}\n");
	struct transport_request r = { .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE, .path = STR("/fast"),
		.body = { body, sizeof body },
		.content_type = STR("application/apply-patch+yaml") };
	int64_t start = clock_steady();
	clock_t begun = clock();
	peer_send(&p, r, CALL_BY_METHOD, 1000);
	double fast = (double)(clock_steady() - start) / 1e9, cpu = (double)(clock() - begun) / CLOCKS_PER_SEC;
	CHECK(p.ok == 1000 && transport_counted(p.transport)->connections <= 2 &&
		transport_counted(p.transport)->most_in_flight == 16);
	end(&p, &s);
	begin(&p, &s, true, "on PATCH /slow\ndelay 10\n" JSON "body {}\n");
	r.path = STR("/slow");
	start = clock_steady();
	peer_send(&p, r, CALL_BY_METHOD, 100);
	double slow_seconds = (double)(clock_steady() - start) / 1e9;
	printf("1,000 objects: %.3f s, %.3f s of a processor; 100 of 10 ms each: %.3f s\n", fast, cpu, slow_seconds);
	if (p.failed)
		printf("%u failed, first: %.*s\n", p.failed, STR_ARG(p.first_error));
	CHECK(p.ok == 100 && transport_counted(p.transport)->most_in_flight == 16 && cpu < 10);
	end(&p, &s);
}

/* ---- cancelling ---- */

struct canceller {
	struct peer *peer;
	struct call *call;
	unsigned takes;
};

static bool cancel_inside(void *to, struct str bytes)
{
	struct canceller *c = to;

	c->takes++;
	call_cancel(c->call);
	return bytes.n > 0;
}

static void stop_loop(struct loop_timer *t) { loop_stop(((struct peer *)t->to)->loop); }

static void cancelling(void)
{
	struct standin s;
	struct peer p;

	begin(&p, &s, true, "on GET /stream\n" JSON "body {}\nwait 100\nbody {}\nhang\n" FINE);
	struct canceller c = { .peer = &p };
	struct transport_request r = { .kind = TRANSPORT_STREAM, .path = STR("/stream"), .done = peer_done, .to = &p,
		.take = take_all };
	p.left = 5;
	c.call = call_start(p.calls, &r, CALL_ONCE, NULL);
	struct loop_timer t = { .fire = stop_loop, .to = &p };
	loop_timer_set(p.loop, &t, NS_PER_SECOND / 4);
	loop_run(p.loop);
	CHECK(transport_counted(p.transport)->in_flight == 1);
	call_cancel(c.call);
	CHECK(transport_counted(p.transport)->in_flight == 0 && calls_pending(p.calls) == 0 && p.left == 5);
	r.take = cancel_inside;
	r.to = &c;
	c.call = call_start(p.calls, &r, CALL_ONCE, NULL);
	loop_timer_set(p.loop, &t, NS_PER_SECOND / 4);
	loop_run(p.loop);
	CHECK(c.takes == 1 && transport_counted(p.transport)->in_flight == 0 && calls_pending(p.calls) == 0);
	calls_stop(p.calls);
	peer_get(&p, "/x");
	CHECK(p.result.outcome == TRANSPORT_STOPPED && calls_pending(p.calls) == 0);
	end(&p, &s);
}

int main(void)
{
	if (!world_begin())
		return 1;
	signal(SIGPIPE, SIG_IGN);
	ca = made_cert("test-ca", NULL, NULL, 0, 10);
	other_ca = made_cert("other-ca", NULL, NULL, 0, 10);
	server_cert = made_cert("server", "DNS:api.test,IP:127.0.0.1", &ca, 0, 10);
	client_cert = made_cert("client", NULL, &ca, 0, 10);
	world_put("ca.crt", ca.cert_pem);
	use_cert(server_cert);
	one_connection();
	many_streams();
	reconnecting();
	posts_are_sent_once();
	http1();
	requests();
	retries();
	retry_after();
	refused();
	odd_answers();
	cut_anywhere();
	slow();
	certificates();
	chains();
	expired_client();
	proxies();
	proxy_rules();
	plugins();
	plugin_failures();
	plugin_places();
	plugin_certificate();
	token_files();
	clocks();
	throughput();
	cancelling();
	made_free(&ca);
	made_free(&other_ca);
	made_free(&server_cert);
	made_free(&client_cert);
	return world_end();
}
