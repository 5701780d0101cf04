/*
 * run_state_test.c - writes the state of a run as JSON and reads it back; rejects invalid texts; identifies
 * processes.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/run/run_state.h"
#include "unit.h"

static struct arena arena;

/* ---- random states survive a conversion ---- */

static uint64_t seed = 88172645463325252u;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static int64_t below(int64_t n) { return (int64_t)(any() % (uint64_t)n); }

static struct str any_text(void)
{
	static const char *const parts[] = { "a", "worker", "\"", "\\", "\n", "\t", "\x01", "\xC3\xA9",
		"\xF0\x9F\x98\x80", " ", "{", "]", "\x7F", "," };
	struct buf b = { 0 };

	for (int64_t i = below(6); i > 0; i--)
		buf_z(&b, parts[below(sizeof parts / sizeof *parts)]);
	struct str s = buf_take(&b, &arena);
	buf_release(&b);
	return s;
}

static int64_t any_time(void) { return below(4) ? below(INT64_MAX) : 0; }

static struct process_id any_process(void)
{
	return below(2) ? (struct process_id){ 0 } :
		(struct process_id){ (pid_t)below(4194304), (uint64_t)below(INT64_MAX) };
}

static struct run_span *any_spans(size_t *ret_n)
{
	struct run_span *at = ARENA_ARRAY(&arena, struct run_span, RUN_SPANS_MAX);

	*ret_n = (size_t)below(4);
	for (size_t i = 0; i < *ret_n; i++)
		at[i] = (struct run_span){ (enum span_kind)below(SPAN_STOPPED + 1), any_time(), any_time() };
	return at;
}

static struct run_role any_role(void)
{
	size_t n = 0;
	struct run_role r = { .name = any_text(), .aux = below(2), .elastic = below(2), .endless = below(2),
		.min = below(3), .max = below(6),
		.desired = below(9) };

	r.at = ARENA_ARRAY(&arena, struct run_replica, (size_t)r.max);
	for (int64_t i = 0; i < r.max; i++) {
		struct run_span *spans = any_spans(&n);
		r.at[i] = (struct run_replica){ .index = i, .state = (enum replica_state)below(5),
			.process = any_process(), .pid = (pid_t)below(9999), .attempts = below(9),
			.begin = any_time(), .end = any_time(), .exit_code = (int)below(257) - 1,
				.signal = (int)below(64), .again = any_time(),
			.cause = any_text(), .host = any_text(), .spans = spans, .nspans = n };
	}
	return r;
}

static struct run_state any_state(void)
{
	struct run_state s = { .name = any_text(), .ns = any_text(), .framework = any_text(), .file = any_text(),
		.isolate = any_text(),
		.boot_id = any_text(), .keeper = any_process(), .phase = (enum run_phase)below(RUN_UNKNOWN + 1),
			.cause = any_text(),
		.begin = any_time(), .end = any_time(), .digest = any_text(),
			.observed = (enum run_phase)below(RUN_UNKNOWN + 1),
		.since = any_time(), .running = below(2), .restarting = below(2), .ran = any_time(),
			.restarted = any_time(), .job_restarts = below(9), .lost_bytes = (uint64_t)below(INT64_MAX),
		.removed_bytes = below(INT64_MAX), .restarts_at = any_time() };

	s.nroles = (size_t)below(4);
	s.roles = ARENA_ARRAY(&arena, struct run_role, s.nroles);
	for (size_t i = 0; i < s.nroles; i++)
		s.roles[i] = any_role();
	if (below(2)) {
		s.failure = (struct run_failure){ .known = true, .role = any_text(), .index = below(99),
			.exit_code = (int)below(256),
			.signal = (int)below(64), .reason = any_text(), .nlog = (size_t)below(5) };
		s.failure.log = ARENA_ARRAY(&arena, struct str, s.failure.nlog);
		for (size_t i = 0; i < s.failure.nlog; i++)
			s.failure.log[i] = any_text();
	}
	return s;
}

static struct str written(const struct run_state *s)
{
	struct buf b = { 0 };

	run_state_write(s, &b);
	struct str text = buf_take(&b, &arena);
	buf_release(&b);
	return text;
}

static bool same_spans(const struct run_replica *a, const struct run_replica *b)
{
	for (size_t i = 0; i < a->nspans && i < b->nspans; i++)
		if (a->spans[i].kind != b->spans[i].kind || a->spans[i].begin != b->spans[i].begin ||
			a->spans[i].end != b->spans[i].end)
			return false;
	return a->nspans == b->nspans;
}

static bool same_replica(const struct run_replica *a, const struct run_replica *b)
{
	return a->index == b->index && a->state == b->state && a->process.pid == b->process.pid &&
		a->process.start == b->process.start &&
	       a->pid == b->pid && a->attempts == b->attempts && a->begin == b->begin && a->end == b->end &&
	a->exit_code == b->exit_code &&
	       a->signal == b->signal && a->again == b->again && str_eq(a->cause, b->cause) &&
	str_eq(a->host, b->host) &&
	       same_spans(a, b);
}

/* If there are too many attempts, the newest ones are kept. An attempt that has ended cannot end again. */
static void spans_of_attempts(void)
{
	struct run_replica r = { 0 };

	run_replica_span_end(&r, SPAN_FAILED, 1);
	CHECK(r.nspans == 0);
	for (int64_t t = 1; t <= 2 * RUN_SPANS_MAX; t++) {
		run_replica_span_begin(&arena, &r, 10 * t);
		run_replica_span_end(&r, SPAN_FAILED, 10 * t + 5);
		run_replica_span_end(&r, SPAN_STOPPED, 10 * t + 7);
	}
	CHECK(r.nspans == RUN_SPANS_MAX);
	CHECK(r.spans[0].begin == 10 * (RUN_SPANS_MAX + 1) && r.spans[0].end == 10 * (RUN_SPANS_MAX + 1) + 5);
	CHECK(r.spans[RUN_SPANS_MAX - 1].begin == 20 * RUN_SPANS_MAX && r.spans[RUN_SPANS_MAX - 1].kind == SPAN_FAILED);
}

/* Reads a state file of a version that did not record attempts. */
static void without_spans(void)
{
	struct run_replica replica = { .exit_code = -1 };
	struct run_role role = { .name = STR("a"), .max = 1, .desired = 1, .at = &replica };
	struct run_state s = { .name = STR("r"), .roles = &role, .nroles = 1 }, back = { 0 };
	struct str text = written(&s), why = STR(""), cut = STR(",\"spans\":[]");
	char *at = memmem(text.p, text.n, cut.p, cut.n);

	CHECK(at != NULL);
	if (!at)
		return;
	memmove(at, at + cut.n, (size_t)(text.p + text.n - (at + cut.n)));
	text.n -= cut.n;
	CHECK(run_state_read(&arena, text, &back, &why) && back.roles[0].at[0].nspans == 0);
	struct str wrong = str_cat(&arena, (struct str){ text.p, (size_t)(at - text.p) },
		STR(",\"spans\":[[\"flying\",1,2]]"),
		(struct str){ at, (size_t)(text.p + text.n - at) });
	CHECK(!run_state_read(&arena, wrong, &back, &why) && str_eq(why, STR("'spans' is not what it should be")));
}

static void round_trip(void)
{
	unsigned same = 0, replicas = 0, replicas_same = 0;
	enum { TIMES = 500 };

	for (int i = 0; i < TIMES; i++) {
		struct run_state s = any_state(), back = { 0 };
		struct str text = written(&s), why = STR("");
		if (!run_state_read(&arena, text, &back, &why)) {
			printf("FAIL %.*s\n%.*s\n", STR_ARG(why), STR_ARG(text));
			break;
		}
		same += str_eq(written(&back), text) && !memchr(text.p, '\n', text.n);
		for (size_t k = 0; k < s.nroles; k++)
			for (int64_t n = 0; n < s.roles[k].max; n++, replicas++)
				replicas_same += same_replica(&s.roles[k].at[n], &back.roles[k].at[n]);
	}
	CHECK(same == TIMES);
	CHECK(replicas > 500 && replicas_same == replicas);
}

/* ---- invalid texts ---- */

static void garbage(void)
{
	struct run_state s = any_state(), back;
	struct str text, why;
	unsigned said = 0;

	while (s.nroles < 2 || !s.failure.known || !s.roles[0].max)
		s = any_state();
	text = written(&s);
	for (size_t n = 0; n < text.n; n++) {           /* a file that was cut off */
		why = STR("");
		said += !run_state_read(&arena, (struct str){ text.p, n }, &back, &why) && why.n;
	}
	CHECK(said == text.n);

	/* a file with one changed byte is either accepted, or rejected with a message */
	unsigned handled = 0;
	for (int i = 0; i < 3000; i++) {
		char *copy = arena_copy(&arena, text.p, text.n);
		copy[below((int64_t)text.n)] = (char)any();
		why = STR("");
		handled += run_state_read(&arena, (struct str){ copy, text.n }, &back, &why) || why.n;
	}
	CHECK(handled == 3000);

	static const char *const others[] = {
		"", "null", "[]", "{}", "{\"schemaVersion\":2}", "{\"schemaVersion\":\"1\"}", "{\"schemaVersion\":1}",
		"\xFF\xFE", "hello", "{\"schemaVersion\":1,\"name\":5}",
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		why = STR("");
		CHECK(!run_state_read(&arena, str_of(others[i]), &back, &why) && why.n);
	}
	CHECK(!run_state_read(&arena, STR("{\"schemaVersion\":2}"), &back, &why));
	CHECK_TEXT(why, "'schemaVersion' is not 1: another version of trainc wrote it");
}

/* ---- process ids and start times ---- */

static void counts(void)
{
	struct run_replica at[] = {
		{ .state = REPLICA_WAITING, .attempts = 3 }, { .state = REPLICA_STARTED, .attempts = 1 },
		{ .state = REPLICA_READY, .attempts = 2 }, { .state = REPLICA_SUCCEEDED, .attempts = 1 },
		{ .state = REPLICA_FAILED }, { .state = REPLICA_WAITING },
	};
	struct run_role r = { .max = 6, .at = at };
	struct run_count c = run_count(&r);

	CHECK(c.active == 2 && c.ready == 1 && c.succeeded == 1 && c.failed == 1 && c.restarts == 3);
	CHECK_TEXT(str_of(run_phase_word(RUN_DEGRADED)), "Degraded");
	CHECK(run_phase_final(RUN_UNKNOWN) && run_phase_final(RUN_FAILED) && !run_phase_final(RUN_FAILING) &&
		!run_phase_final(RUN_TERMINATING));
}

static void moments(void)
{
	struct run_state s = { .phase = RUN_PENDING };

	run_state_observe(&s, 10);
	CHECK(s.since == 10 && s.ran == 0);
	run_state_observe(&s, 20);
	CHECK(s.since == 10);
	s.phase = RUN_RUNNING;
	run_state_observe(&s, 30);
	s.phase = RUN_DEGRADED;
	run_state_observe(&s, 40);
	CHECK(s.since == 40);
	run_state_running(&s, true, false, 50);
	run_state_running(&s, true, false, 60);
	CHECK(s.running && s.ran == 50 && s.restarted == 0);
	run_state_running(&s, true, true, 70);
	CHECK(s.restarting && s.ran == 50 && s.restarted == 70);
	run_state_running(&s, false, false, 80);
	run_state_running(&s, true, false, 90);
	CHECK(s.ran == 90 && !s.restarting);
}

static void processes(void)
{
	struct str boot = boot_id_read(&arena);
	struct process_id id = { 0 };
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	CHECK(boot.n == 36);
	CHECK(process_identify(child, &id) && id.pid == child && id.start > 0);
	CHECK(process_alive(&id, boot));
	CHECK(!process_alive(&id, STR("another boot")));
	/* the process id belongs to another process now */
	CHECK(!process_alive(&(struct process_id){ child, id.start - 1 }, boot));
	kill(child, SIGKILL);
	siginfo_t info;
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	/* the process has ended and only waits to be reaped */
	CHECK(!process_alive(&id, boot));
	waitpid(child, NULL, 0);
	CHECK(!process_alive(&id, boot) && !process_identify(child, &id));
	CHECK(!process_identify(0, &id) && !process_identify(-1, &id));
}

int main(void)
{
	round_trip();
	spans_of_attempts();
	without_spans();
	garbage();
	counts();
	moments();
	processes();
	arena_release(&arena);
	return unit_end();
}
