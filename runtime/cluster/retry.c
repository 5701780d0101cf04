/*
 * retry.c - calls: a queue, a window of requests in flight, and repetition. The window is halved when the server
 * answers 429, and grows by one for each second with a success. So a busy server soon gets few requests from us, and an
 * idle server gets many.
 */
#include "runtime/cluster/retry.h"

#include <stdlib.h>
#include <sys/random.h>

#include "base/words.h"
#include "command/session.h"
#include "runtime/cluster/cluster_expected.h"
#include "runtime/cluster/share.h"

#define RETRY_LIMIT (60 * NS_PER_SECOND)
#define FIRST_WAIT (NS_PER_SECOND / 2)
#define LONGEST_WAIT (10 * NS_PER_SECOND)
enum { ATTEMPTS = 10, IN_FLIGHT = 16, UNCLASSIFIED = 2, CALL_MEMORY = 512 };

enum call_state { CALL_QUEUED, CALL_RUNNING, CALL_WAITING, CALL_OVER };

struct call {
	struct calls *calls;
	struct call *next, **at;
	struct arena arena;             /* memory of the call's own copy of the request */
	struct transport_request request;
	enum call_repeat repeat;
	void (*restart)(void *to);
	enum call_state state;
	struct transport_exchange *exchange;
	struct loop_timer timer;
	int64_t started;
	unsigned attempts, unclassified;
	bool refreshed;                 /* the credential was renewed after a 401 */
	bool began;                     /* the answer has begun in this attempt */
	bool taken;                     /* bytes were passed to `take` in this attempt */
	struct transport_result *last;  /* the last failed attempt; NULL: no attempt has failed */
};

struct calls {
	struct calls_options o;
	struct loop *loop;
	struct call *first, **last;     /* list of all calls, in the order of their start */
	size_t n;
	unsigned window, running;       /* maximum and current number of requests in flight, not counting streams */
	int64_t grown, shrunk;          /* when the window last grew, and when it last shrank */
	bool stopped;
	uint64_t random;                /* state of the random numbers for jitter */
};

/* ---- lists ---- */

static void call_unlink(struct call *c)
{
	struct calls *all = c->calls;

	*c->at = c->next;
	if (c->next)
		c->next->at = c->at;
	else
		all->last = c->at;
	all->n--;
}

static void call_free(struct call *c)
{
	if (c->request.share)
		c->request.share->calls--;
	loop_timer_drop(c->calls->loop, &c->timer);
	arena_release(&c->arena);
	free(c);
}

struct calls *calls_new(struct arena *a, const struct calls_options *o)
{
	struct calls *c = ARENA_NEW(a, struct calls);

	*c = (struct calls){ .o = *o, .loop = transport_loop(o->transport) };
	c->last = &c->first;
	if (!c->o.retry_limit)
		c->o.retry_limit = RETRY_LIMIT;
	if (!c->o.in_flight)
		c->o.in_flight = IN_FLIGHT;
	if (!c->o.first_wait)
		c->o.first_wait = FIRST_WAIT;
	c->window = c->o.in_flight;
	if (getrandom(&c->random, sizeof c->random, GRND_NONBLOCK) != (ssize_t)sizeof c->random)
		c->random = (uint64_t)clock_real();
	c->random |= 1;
	return c;
}

void calls_release(struct calls *c)
{
	while (c && c->first)
		call_cancel(c->first);
}

size_t calls_pending(const struct calls *c) { return c->n; }
struct transport *calls_transport(const struct calls *c) { return c->o.transport; }

/* ---- the meaning of a result ---- */

static bool message_has(const struct transport_result *r, const char *text)
{
	return r->status && memmem(r->status->message.p, r->status->message.n, text, strlen(text));
}

static bool has_cause(const struct transport_result *r, const char *reason)
{
	for (size_t i = 0; r->status && i < r->status->ncauses; i++)
		if (str_is(r->status->causes[i].reason, reason))
			return true;
	return false;
}

/*
 * Is the result a 500 because the object does not match its schema? This is an error of the object, not of the server.
 */
static bool is_schema(const struct transport_result *r)
{
	return message_has(r, "failed to create typed patch object") ||
	       message_has(r, "failed to create manager for existing fields") ||
	       message_has(r, "field not declared in schema");
}

static bool is_future(const struct transport_result *r)
{
	return r->code == 504 && (has_cause(r, "ResourceVersionTooLarge") ||
		message_has(r, "Too large resource version"));
}

static enum call_class class_of_code(const struct transport_result *r)
{
	if (r->code >= 200 && r->code < 300)
		return CALL_DONE;
	if (is_future(r))
		return CALL_GONE;
	switch (r->code) {
	case 401: return CALL_DENIED;
	case 403:
		return message_has(r, "exceeded quota") || has_cause(r, "NamespaceTerminating") ? CALL_REJECTED
			: CALL_DENIED;
	case 404: return CALL_NOT_FOUND;
	case 409: return message_has(r, "resourcequota") ? CALL_REJECTED : CALL_CONFLICT;
	case 410: return CALL_GONE;
	case 429: return CALL_UNAVAILABLE;
	case 500: return is_schema(r) || message_has(r, "request is too large") ? CALL_REJECTED : CALL_UNAVAILABLE;
	default: return r->code >= 400 && r->code < 500 ? CALL_REJECTED : CALL_UNAVAILABLE;
	}
}

enum call_class call_class(const struct transport_result *r)
{
	if (r->outcome == TRANSPORT_ANSWERED)
		return class_of_code(r);
	return r->outcome == TRANSPORT_NO_CREDENTIAL ? CALL_CONFIGURATION : CALL_UNAVAILABLE;
}

int call_exit_status(const struct transport_result *r)
{
	if (r->cut)
		return STATUS_TIMEOUT;
	switch (call_class(r)) {
	case CALL_DONE: return 0;
	case CALL_CONFIGURATION: return 3;
	case CALL_DENIED: return 4;
	case CALL_CONFLICT: return 5;
	case CALL_NOT_FOUND: case CALL_REJECTED: return 6;
	case CALL_GONE: case CALL_UNAVAILABLE: return 7;
	}
	return 7;
}

/* ---- repetition ---- */

static bool has_query(const struct transport_request *r, const char *name)
{
	for (size_t i = 0; i < r->nquery; i++)
		if (str_is(r->query[i].name, name))
			return true;
	return false;
}

static bool is_repeatable(const struct call *c)
{
	const struct transport_request *r = &c->request;

	return c->repeat == CALL_REPEAT || r->method == TRANSPORT_GET || has_query(r, "dryRun") ||
	       (r->method == TRANSPORT_PATCH && str_starts(r->content_type, STR("application/apply-patch")));
}

static bool repeats_code(struct call *c, const struct transport_result *r)
{
	switch (r->code) {
	case 401:
		if (c->refreshed)
			return false;
		c->refreshed = credential_refused(transport_credential(c->calls->o.transport), r->credential);
		return c->refreshed;
	case 409: return message_has(r, "resourcequota");
	case 429: case 503: return true;
	case 408: case 502: return is_repeatable(c);
	case 504: return is_repeatable(c) && !is_future(r);
	case 500:
		if (message_has(r, "failed calling webhook"))
			return true;
		if (is_schema(r) || message_has(r, "request is too large") || !is_repeatable(c))
			return false;
		return message_has(r, "etcdserver:") || c->unclassified++ < UNCLASSIFIED;
	default: return false;
	}
}

static bool repeats(struct call *c, const struct transport_result *r)
{
	if (c->repeat == CALL_ONCE || c->calls->stopped || (c->taken && !c->restart))
		return false;
	switch (r->outcome) {
	case TRANSPORT_ANSWERED: return repeats_code(c, r);
	case TRANSPORT_UNREACHABLE:
		return !r->nowhere || !c->calls->o.first_contact || transport_counted(c->calls->o.transport)->answers;
	case TRANSPORT_BROKEN: case TRANSPORT_SLOW: return is_repeatable(c);
	case TRANSPORT_UNTRUSTED: case TRANSPORT_NO_CREDENTIAL: case TRANSPORT_FOREIGN: case TRANSPORT_TOO_LARGE:
	case TRANSPORT_STOPPED:
		return false;
	}
	return false;
}

/* A random number below N. xorshift is good enough for jitter. */
static int64_t random_below(struct calls *c, int64_t n)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return n > 0 ? (int64_t)(c->random % (uint64_t)n) : 0;
}

static int64_t wait_before_next(struct call *c, const struct transport_result *r)
{
	int64_t most = c->calls->o.first_wait;

	if (r->code == 401)
		return 0;
	if (r->retry_after >= 0)
		return r->retry_after;
	if (r->code == 429)
		return NS_PER_SECOND;
	for (unsigned i = 1; i < c->attempts && most < LONGEST_WAIT; i++)
		most *= 2;
	return random_below(c->calls, most < LONGEST_WAIT ? most : LONGEST_WAIT);
}

/* ---- running ---- */

static void start_queued(struct calls *all);
static void call_run(struct call *c);

static bool counts_in_window(const struct call *c)
{
	return c->request.kind != TRANSPORT_STREAM && !(c->request.share && c->request.share->apart);
}

/* Notes that a request of C is in flight, or has ended. */
static void count_running(struct call *c, int change)
{
	if (!counts_in_window(c))
		return;
	c->calls->running += (unsigned)change;
	if (c->request.share)
		c->request.share->running += (size_t)change;
}

/* May C be sent now? */
static bool has_place(const struct call *c)
{
	const struct calls *all = c->calls;
	const struct call_share *s = c->request.share;

	return !counts_in_window(c) || (s ? share_permits(s->running, 1, all->running, all->window)
		: all->running < all->window);
}

static bool taking(void *to, struct str bytes)
{
	struct call *c = to;

	c->taken = true;
	return c->request.take(c->request.to, bytes);
}

static void beginning(void *to)
{
	struct call *c = to;

	c->began = true;
	if (c->request.began)
		c->request.began(c->request.to);
}

/* Hands out the result and frees the call. */
static void call_end(struct call *c, struct transport_result *r)
{
	c->state = CALL_OVER;
	loop_timer_drop(c->calls->loop, &c->timer);
	call_unlink(c);
	r->attempts = c->attempts;
	r->ns = loop_now(c->calls->loop) - c->started;
	c->request.done(c->request.to, r);
	call_free(c);
}

static void call_stopped(struct call *c)
{
	struct transport_result r = { .outcome = TRANSPORT_STOPPED, .error = STR("stopped before it was sent"),
		.retry_after = -1 };

	call_end(c, &r);
}

static void retry_fired(struct loop_timer *t)
{
	struct call *c = t->to;
	struct calls *all = c->calls;

	c->state = CALL_QUEUED;
	if (all->stopped)
		call_stopped(c);
	else if (!counts_in_window(c))
		call_run(c);
	else
		start_queued(all);
}

static void adapt_window(struct calls *all, const struct transport_result *r)
{
	int64_t now = loop_now(all->loop);

	if (r->outcome == TRANSPORT_ANSWERED && r->code == 429 && now - all->shrunk >= NS_PER_SECOND) {
		all->window = all->window > 1 ? all->window / 2 : 1;
		all->shrunk = all->grown = now;
	} else if (transport_ok(r) && all->window < all->o.in_flight && now - all->grown >= NS_PER_SECOND) {
		all->window++;
		all->grown = now;
	}
}

/* Remembers a failure that is followed by another attempt. */
static void keep_last(struct call *c, const struct transport_result *r)
{
	if (!c->last)
		c->last = ARENA_NEW(&c->arena, struct transport_result);
	*c->last = (struct transport_result){ .outcome = r->outcome, .code = r->code, .retry_after = -1,
		.status = transport_status_copy(&c->arena, r->status), .error = str_copy(&c->arena, r->error) };
}

/* Schedules the next attempt; false if the time or the attempts are used up. */
static bool wait_and_retry(struct call *c, const struct transport_result *r)
{
	struct calls *all = c->calls;
	int64_t since = loop_now(all->loop) - c->started, wait = wait_before_next(c, r);

	if (c->attempts >= ATTEMPTS || since + wait > all->o.retry_limit)
		return false;
	if (c->taken)
		c->restart(c->request.to);
	c->taken = false;
	keep_last(c, r);
	c->state = CALL_WAITING;
	transport_count_retry(all->o.transport);
	if (all->o.retrying)
		all->o.retrying(all->o.to, &c->request, r->error, wait, since);
	loop_timer_set(all->loop, &c->timer, wait);
	return true;
}

/* Adds the number of attempts to ERROR. */
static struct str given_up(struct call *c, struct str error)
{
	return c->attempts < 2 ? error : str_printf(&c->arena, "%.*s (gave up after %u attempts)", STR_ARG(error),
		c->attempts);
}

/*
 * Makes a failure of a 2xx answer that does not answer the request, so that nothing takes it for a success. Answers
 * that are read as they arrive are checked by their readers; a log is plain text.
 */
static void check_expected(struct call *c, struct transport_result *r)
{
	if (!transport_ok(r) || c->request.take || c->request.text)
		return;
	struct str problem = expected_problem(&c->arena, &c->request, r->body, &r->tree);
	if (!problem.n)
		return;
	r->outcome = TRANSPORT_FOREIGN;
	r->error = problem;
	r->body = STR("");
}

static void attempt_done(void *to, const struct transport_result *result)
{
	struct call *c = to;
	struct calls *all = c->calls;
	struct transport_result r = *result;

	c->exchange = NULL;
	count_running(c, -1);
	adapt_window(all, result);
	check_expected(c, &r);
	bool again = repeats(c, &r);
	if (!again || !wait_and_retry(c, &r)) {
		if (again)
			r.error = given_up(c, r.error);
		call_end(c, &r);
	}
	start_queued(all);
}

static void call_run(struct call *c)
{
	struct transport_request r = c->request;

	r.done = attempt_done;
	r.take = r.take ? taking : NULL;
	r.began = beginning;
	c->began = false;
	r.to = c;
	c->state = CALL_RUNNING;
	c->attempts++;
	count_running(c, 1);
	c->exchange = transport_start(c->calls->o.transport, &r);
}

static void start_queued(struct calls *all)
{
	for (struct call *c = all->first; c && all->running < all->window && !all->stopped; c = c->next)
		if (c->state == CALL_QUEUED && has_place(c))
			call_run(c);
}

static void copy_pairs(struct arena *a, const struct transport_pair **pairs, size_t n)
{
	struct transport_pair *copy = ARENA_ARRAY(a, struct transport_pair, n);

	for (size_t i = 0; i < n; i++)
		copy[i] = (struct transport_pair){ str_copy(a, (*pairs)[i].name), str_copy(a, (*pairs)[i].value) };
	*pairs = copy;
}

struct call *call_start(struct calls *all, const struct transport_request *r, enum call_repeat repeat,
	void (*restart)(void *to))
{
	struct call *c = memory_resize(NULL, sizeof *c);

	*c = (struct call){ .calls = all, .request = *r, .repeat = repeat, .restart = restart, .at = all->last,
		.arena.first = CALL_MEMORY, .timer = { .fire = retry_fired, .to = c }, .started = loop_now(all->loop) };
	*all->last = c;
	all->last = &c->next;
	all->n++;
	if (r->share)
		r->share->calls++;
	c->request.path = str_copy(&c->arena, r->path);
	c->request.body = str_copy(&c->arena, r->body);
	c->request.accept = str_copy(&c->arena, r->accept);
	c->request.content_type = str_copy(&c->arena, r->content_type);
	copy_pairs(&c->arena, &c->request.query, r->nquery);
	copy_pairs(&c->arena, &c->request.headers, r->nheaders);
	if (all->stopped)
		loop_timer_set(all->loop, &c->timer, 0);
	else if (has_place(c))
		call_run(c);
	return c;
}

void call_cancel(struct call *c)
{
	struct calls *all = c->calls;

	if (c->state == CALL_OVER)
		return;
	if (c->exchange) {
		transport_cancel(c->exchange);
		count_running(c, -1);
	}
	call_unlink(c);
	call_free(c);
	start_queued(all);
}

void calls_stop(struct calls *all)
{
	all->stopped = true;
	for (struct call *c = all->first, *next; c; c = next) {
		next = c->next;
		if (c->state != CALL_RUNNING) {
			call_stopped(c);
			next = all->first;      /* `done` may have changed the list, so the search starts again at
						 * the front */
		}
	}
}

void calls_go_on(struct calls *all) { all->stopped = false; }

/*
 * Ends a call because the command has no more time. Sets WAITED to the error of the call if WAITED is empty. The error
 * of a failed attempt (KNOWN) replaces the error of a call that got no answer. A watch that has started does not count,
 * since nothing waits for the end of a watch.
 */
static void call_cut(struct call *c, struct arena *a, struct str *waited, bool *known)
{
	struct transport_result r = { .outcome = TRANSPORT_STOPPED, .error = STR("stopped before it was sent"),
		.retry_after = -1 };
	int64_t ns = loop_now(c->calls->loop) - c->started;

	if (c->exchange) {
		transport_cancel(c->exchange);
		c->exchange = NULL;
		count_running(c, -1);
	}
	if (c->last) {
		r = *c->last;
		r.error = given_up(c, r.error);
	} else if (c->attempts) {
		r.outcome = TRANSPORT_SLOW;
		r.error = str_printf(&c->arena, "%s %.*s: no answer came from %.*s within %lld s",
			transport_method_word(c->request.method), STR_ARG(c->request.path),
			STR_ARG(transport_host(c->calls->o.transport)),
			(long long)((ns + NS_PER_SECOND - 1) / NS_PER_SECOND));
	}
	r.cut = true;
	bool watching = c->began && c->request.kind == TRANSPORT_STREAM;
	if (c->attempts && !watching && (!waited->n || (c->last && !*known))) {
		*waited = str_copy(a, r.error);
		*known = c->last != NULL;
	}
	call_end(c, &r);
}

struct str calls_cut(struct calls *all, struct arena *a)
{
	struct str waited = STR("");
	bool known = false;

	all->stopped = true;
	while (all->first)              /* `done` may start another call, which is ended here without being sent */
		call_cut(all->first, a, &waited, &known);
	return waited;
}

/* ---- for people ---- */

void calls_dump(const struct calls *all, struct buf *out)
{
	static const char *const states[] = { "queued", "running", "waits for the next attempt", "over" };

	buf_printf(out, "calls: %zu, %u running, window %u of %u%s\n", all->n, all->running, all->window,
	           all->o.in_flight, all->stopped ? ", stopped" : "");
	for (const struct call *c = all->first; c; c = c->next)
		buf_printf(out, "  %s %.*s: %s, attempt %u\n", transport_method_word(c->request.method),
		           STR_ARG(c->request.path), states[c->state], c->attempts);
}
