/*
 * transport.c - runs exchanges from start to end, with libcurl's multi interface on the loop. libcurl must not be
 * entered from its own callbacks, but our callbacks may start and cancel anything. Therefore a start only queues the
 * exchange, and a timer that is due at once (`kick`) starts queued exchanges. A cancellation inside a callback only
 * sets a mark, which takes effect when libcurl has returned.
 */
#include "runtime/cluster/transport.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "base/file.h"
#include "base/version.h"
#include "runtime/cluster/library_memory.h"
#include "runtime/cluster/proxy.h"
#include "runtime/cluster/transport_internal.h"

#define SECONDS(n) ((n) * NS_PER_SECOND)
enum { STREAMS_OF_A_CONNECTION = 90 };

static void kick_fired(struct loop_timer *t);
static void pool_check(struct transport_pool *p);
static void pool_sweep(struct transport *t);
static void finish_exchange(struct transport_exchange *x, enum transport_outcome outcome, struct str error);

/* ---- pools: sockets and timers of libcurl ---- */

static void socket_ready(struct loop_fd *f, unsigned events)
{
	struct transport_socket *s = f->to;
	struct transport_pool *p = s->pool;
	int mask = (events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0) | (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
	           (events & EPOLLERR ? CURL_CSELECT_ERR : 0), running;

	p->transport->inside++;
	curl_multi_socket_action(p->multi, f->fd, mask, &running);
	p->transport->inside--;
	pool_check(p);
}

static void socket_forget(struct transport_socket *s)
{
	loop_fd_drop(s->pool->transport->o.loop, &s->fd);
	*s->at = s->next;
	if (s->next)
		s->next->at = s->at;
	free(s);
}

static int socket_wanted(CURL *easy, curl_socket_t fd, int what, void *to, void *known)
{
	struct transport_pool *p = to;
	struct transport_socket *s = known;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (s)
			socket_forget(s);
		return 0;
	}
	if (!s) {
		s = memory_resize(NULL, sizeof *s);
		*s = (struct transport_socket){ .fd = { .fd = -1, .ready = socket_ready, .to = s }, .pool = p,
			.next = p->sockets, .at = &p->sockets };
		if (s->next)
			s->next->at = &s->next;
		p->sockets = s;
		curl_multi_assign(p->multi, fd, s);
	}
	if (!loop_fd_set(p->transport->o.loop, &s->fd, fd,
			(what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0))) {
		p->refused = errno;
		loop_timer_set(p->transport->o.loop, &p->refusal, 0);
	}
	return 0;
}

static int time_wanted(CURLM *multi, long ms, void *to)
{
	struct transport_pool *p = to;

	(void)multi;
	if (ms < 0)
		loop_timer_drop(p->transport->o.loop, &p->timer);
	else
		loop_timer_set(p->transport->o.loop, &p->timer, ms * 1000000L);
	return 0;
}

static void pool_timer(struct loop_timer *timer)
{
	struct transport_pool *p = timer->to;
	int running;

	p->transport->inside++;
	curl_multi_socket_action(p->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	p->transport->inside--;
	pool_check(p);
}

/* The kernel does not watch one of the pool's sockets, and libcurl does not say whose it is: all of them end. */
static void pool_refused(struct loop_timer *timer)
{
	struct transport_pool *p = timer->to;
	struct transport *t = p->transport;
	struct transport_exchange *x;

	p->broken = true;
	p->exchanges++;                 /* keeps the pool alive, as in pool_check() */
	do {
		for (x = t->exchanges; x && (x->pool != p || x->state == EXCHANGE_OVER); x = x->next)
			;
		if (x)
			finish_exchange(x, TRANSPORT_BROKEN, str_printf(&x->arena, "the system refuses to watch a "
				"connection: %.*s", STR_ARG(file_reason(&x->arena, p->refused))));
	} while (x);
	p->exchanges--;
	pool_sweep(t);
}

static struct transport_pool *pool_new(struct transport *t, unsigned certificate)
{
	struct transport_pool *p = memory_resize(NULL, sizeof *p);

	*p = (struct transport_pool){ .transport = t, .multi = curl_multi_init(), .certificate = certificate,
		.next = t->pools, .timer = { .fire = pool_timer, .to = p },
		.refusal = { .fire = pool_refused, .to = p } };
	if (!p->multi) {
		free(p);
		return NULL;
	}
	curl_multi_setopt(p->multi, CURLMOPT_SOCKETFUNCTION, socket_wanted);
	curl_multi_setopt(p->multi, CURLMOPT_SOCKETDATA, p);
	curl_multi_setopt(p->multi, CURLMOPT_TIMERFUNCTION, time_wanted);
	curl_multi_setopt(p->multi, CURLMOPT_TIMERDATA, p);
	curl_multi_setopt(p->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
	t->pools = p;
	return p;
}

static void pool_release(struct transport_pool *p)
{
	p->transport->inside++;
	curl_multi_cleanup(p->multi);
	p->transport->inside--;
	while (p->sockets)
		socket_forget(p->sockets);
	loop_timer_drop(p->transport->o.loop, &p->timer);
	loop_timer_drop(p->transport->o.loop, &p->refusal);
	free(p);
}

/*
 * The pool for one more exchange with the client certificate of generation CERTIFICATE. Creates a pool if no pool has
 * room.
 */
static struct transport_pool *pool_for(struct transport *t, unsigned certificate)
{
	bool one = t->o.access->tls && !t->http1;       /* each pool has exactly one connection */

	for (struct transport_pool *p = t->pools; p; p = p->next)
		if (p->certificate == certificate && !p->broken && (!one || p->exchanges < STREAMS_OF_A_CONNECTION))
			return p;
	return pool_new(t, certificate);
}

/* Frees unused pools, except the newest pool. */
static void pool_sweep(struct transport *t)
{
	struct transport_pool **at = t->pools ? &t->pools->next : NULL;

	while (at && *at) {
		struct transport_pool *p = *at;
		if (p->exchanges) {
			at = &p->next;
		} else {
			*at = p->next;
			pool_release(p);
		}
	}
}

/* ---- the end of an exchange ---- */

static void leave_pool(struct transport_exchange *x)
{
	if (!x->pool)
		return;
	curl_multi_remove_handle(x->pool->multi, x->easy);
	x->pool->exchanges--;
	x->pool = NULL;
	x->transport->counts.in_flight--;
}

static void exchange_free(struct transport_exchange *x)
{
	struct transport *t = x->transport;

	loop_timer_drop(t->o.loop, &x->limit);
	credential_forget(t->o.credential, &x->wait);
	t->inside++;
	leave_pool(x);
	exchange_tear_down(x);
	t->inside--;
	*x->at = x->next;
	if (x->next)
		x->next->at = x->at;
	buf_release(&x->body);
	arena_release(&x->arena);
	free(x);
}

static void finish_exchange(struct transport_exchange *x, enum transport_outcome outcome, struct str error)
{
	struct transport *t = x->transport;
	struct transport_result result = { .outcome = outcome, .error = error, .retry_after = -1, .attempts = 1,
		.credential = x->credential,
		.code = x->code, .nowhere = x->nowhere, .content_type = x->content_type, .bytes_in = x->bytes_in,
		.bytes_out = (int64_t)x->request.body.n, .ns = loop_now(t->o.loop) - x->started, .http2 = x->http2 };

	exchange_count_connections(x);
	/* later requests get a new connection, because this connection may be dead without any sign */
	if (x->pool && (outcome == TRANSPORT_BROKEN || outcome == TRANSPORT_SLOW))
		x->pool->broken = true;
	x->state = EXCHANGE_OVER;
	loop_timer_drop(t->o.loop, &x->limit);
	t->inside++;
	leave_pool(x);
	t->inside--;
	if (outcome == TRANSPORT_ANSWERED) {
		t->counts.answers++;
		if (x->code < 200 || x->code >= 300) {
			result.status = exchange_status(x);
			result.error = exchange_refusal(x, result.status);
		} else {
			buf_char(&x->body, 0);
			result.body = (struct str){ x->body.p, x->body.n - 1 };
		}
		result.retry_after = x->retry_after;
	} else {
		t->counts.failures++;
	}
	transport_trace_end(x, &result);
	x->request.done(x->request.to, &result);
	exchange_free(x);
}

static void limit_fired(struct loop_timer *timer)
{
	struct transport_exchange *x = timer->to;
	struct str error = STR("");

	x->too_slow = true;
	enum transport_outcome outcome = exchange_outcome(x, CURLE_OPERATION_TIMEDOUT, &error);
	finish_exchange(x, outcome, error);
}

/* Gives a connection that is ready to the caller. */
static void hand_over(struct transport_exchange *x)
{
	exchange_count_connections(x);
	loop_timer_drop(x->transport->o.loop, &x->limit);
	x->request.connected(x->request.to, x);
}

/* Ends the exchanges that libcurl has finished, and frees the exchanges that were cancelled inside libcurl. */
static void pool_check(struct transport_pool *p)
{
	struct transport *t = p->transport;
	CURLMsg *m;
	int left;

	if (t->inside)
		return;
	while ((m = curl_multi_info_read(p->multi, &left))) {
		struct transport_exchange *x = NULL;
		struct str error = STR("");
		CURLcode code = m->data.result;

		if (m->msg != CURLMSG_DONE || curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&x) || !x)
			continue;
		if (x->cancelled) {
			exchange_free(x);
			continue;
		}
		enum transport_outcome outcome = exchange_outcome(x, code, &error);
		p->exchanges++;         /* keeps the pool alive while `done` starts and ends other exchanges */
		if (x->request.connected && outcome == TRANSPORT_ANSWERED)
			hand_over(x);
		else
			finish_exchange(x, outcome, error);
		p->exchanges--;
	}
	pool_sweep(t);
}

/* ---- the beginning ---- */

static void copy_request(struct transport_exchange *x, const struct transport_request *r)
{
	struct transport_pair *pairs = ARENA_ARRAY(&x->arena, struct transport_pair, r->nheaders);

	x->request = *r;
	x->request.path = str_copy(&x->arena, r->path);
	x->request.body = str_copy(&x->arena, r->body);
	x->request.accept = str_copy(&x->arena, r->accept);
	x->request.content_type = str_copy(&x->arena, r->content_type);
	for (size_t i = 0; i < r->nheaders; i++)
		pairs[i] = (struct transport_pair){ str_copy(&x->arena, r->headers[i].name),
			str_copy(&x->arena, r->headers[i].value) };
	x->request.headers = pairs;
	x->request.query = NULL;                /* the query is in the URL now */
	x->request.nquery = 0;
	x->url = transport_url(&x->arena, x->transport->o.access->prefix, r);
}

static void count_start(struct transport *t, const struct transport_request *r)
{
	t->counts.requests++;
	t->counts.bytes_out += r->body.n;
	if (r->kind == TRANSPORT_STREAM)
		t->counts.streams++;
	else if (r->kind == TRANSPORT_WRITE)
		t->counts.writes++;
	else
		t->counts.reads++;
	if (++t->counts.in_flight > t->counts.most_in_flight)
		t->counts.most_in_flight = t->counts.in_flight;
}

static void credential_ready(struct credential_wait *w, const struct credential_value *value, struct str why)
{
	struct transport_exchange *x = w->to;
	struct transport *t = x->transport;
	struct str error = STR("");

	if (!value) {
		finish_exchange(x, TRANSPORT_NO_CREDENTIAL, str_copy(&x->arena, why));
		return;
	}
	x->credential = value->generation;
	struct transport_pool *pool = pool_for(t, value->certificate_generation);
	t->inside++;
	bool ok = pool && exchange_set_up(x, value, &error) && curl_multi_add_handle(pool->multi, x->easy) == CURLM_OK;
	t->inside--;
	if (!ok) {
		finish_exchange(x, TRANSPORT_BROKEN, error.n ? error :
			STR("libcurl cannot be set up: not enough memory"));
		return;
	}
	x->pool = pool;
	pool->exchanges++;
	x->state = EXCHANGE_SENT;
	count_start(t, &x->request);
	exchange_limit(x, t->o.connect_limit +
		(x->request.kind == TRANSPORT_WRITE ? t->o.write_limit : t->o.read_limit));
}

/* Starts queued exchanges, oldest first, and frees exchanges that were cancelled while libcurl was running. */
static void kick_fired(struct loop_timer *timer)
{
	struct transport *t = timer->to;
	struct transport_exchange *x, *next, *oldest = NULL;
	bool more;

	do {
		more = false;
		oldest = NULL;
		for (x = t->exchanges; x; x = next) {
			next = x->next;
			if (x->cancelled && x->state == EXCHANGE_OVER)
				exchange_free(x);
			else if (x->state == EXCHANGE_READY)
				oldest = x;             /* new exchanges are put at the front */
		}
		if (oldest) {
			more = true;
			oldest->state = EXCHANGE_CREDENTIAL;
			credential_get(t->o.credential, &oldest->wait);
		}
	} while (more);
	pool_sweep(t);
}

struct transport_exchange *transport_start(struct transport *t, const struct transport_request *r)
{
	struct transport_exchange *x = memory_resize(NULL, sizeof *x);

	*x = (struct transport_exchange){ .transport = t, .next = t->exchanges, .at = &t->exchanges,
		.state = EXCHANGE_READY, .arena.first = EXCHANGE_MEMORY,
		.wait = { .ready = credential_ready, .to = x }, .limit = { .fire = limit_fired, .to = x },
		.retry_after = -1, .retry_at = -1,
		.content_type = STR(""), .location = STR(""), .body = { .limit = TRANSPORT_LARGEST + 1 },
		.started = loop_now(t->o.loop) };
	if (x->next)
		x->next->at = &x->next;
	t->exchanges = x;
	copy_request(x, r);
	loop_timer_set(t->o.loop, &t->kick, 0);
	return x;
}

void transport_cancel(struct transport_exchange *x)
{
	struct transport *t = x->transport;

	if (x->cancelled || x->state == EXCHANGE_OVER)
		return;
	x->cancelled = true;
	if (!t->inside) {
		exchange_free(x);
		return;
	}
	credential_forget(t->o.credential, &x->wait);
	loop_timer_drop(t->o.loop, &x->limit);
	x->state = EXCHANGE_OVER;
	loop_timer_set(t->o.loop, &t->kick, 0);
}

/* ---- the transport ---- */

static int64_t limit_or(int64_t given, int64_t usual) { return given ? given : usual; }

static bool read_pems(struct arena *a, const struct kubeconfig_access *access, struct certificate_own *own,
	struct str *why)
{
	return (!access->ca.n || certificate_read_ca(a, access->ca, own, why)) &&
		(!access->certificate.n || certificate_read_pair(a, access->certificate, access->key, own, why));
}

struct transport *transport_new(struct arena *a, const struct transport_options *o, struct str *why)
{
	struct transport *t;
	const struct kubeconfig_access *access = o->access;
	struct proxy_environment environment = proxy_environment();
	struct certificate_own own = { 0 };
	bool v6 = memchr(access->host.p, ':', access->host.n) != NULL;

	if (access->tls && !read_pems(a, access, &own, why)) {
		*why = str_printf(a, "%.*s: %.*s", STR_ARG(access->origin), STR_ARG(*why));
		certificate_own_release(&own);
		return NULL;
	}
	if (!library_memory_curl()) {
		certificate_own_release(&own);
		*why = STR("libcurl cannot be set up");
		return NULL;
	}
	t = ARENA_NEW(a, struct transport);
	*t = (struct transport){ .arena = a, .o = *o, .own = own, .kick = { .fire = kick_fired, .to = t } };
	t->o.connect_limit = limit_or(o->connect_limit, SECONDS(10));
	t->o.read_limit = limit_or(o->read_limit, SECONDS(30));
	t->o.write_limit = limit_or(o->write_limit, SECONDS(65));
	t->o.stall_limit = limit_or(o->stall_limit, SECONDS(30));
	t->o.user_agent = str_copy(a, o->user_agent.n ? o->user_agent : STR("trainc/" TRAINC_VERSION));
	t->host = str_printf(a, "%s%.*s%s:%u", v6 ? "[" : "", STR_ARG(access->host), v6 ? "]" : "", access->port);
	t->proxy = str_copy(a, proxy_for(&environment, access->proxy_url, access->tls, access->host, access->port));
	t->proxy_for_curl = proxy_for_curl(a, t->proxy);
	t->authorities = access->tls ? transport_authorities() : NULL;
	return t;
}

void transport_release(struct transport *t)
{
	if (!t)
		return;
	while (t->exchanges)
		exchange_free(t->exchanges);
	loop_timer_drop(t->o.loop, &t->kick);
	while (t->pools) {
		struct transport_pool *p = t->pools;
		t->pools = p->next;
		pool_release(p);
	}
	while (t->nhandles)
		curl_easy_cleanup(t->handles[--t->nhandles]);
	certificate_own_release(&t->own);
	curl_global_cleanup();
}

const struct transport_counts *transport_counted(const struct transport *t) { return &t->counts; }
void transport_count_retry(struct transport *t) { t->counts.retries++; }
struct credential *transport_credential(const struct transport *t) { return t->o.credential; }
struct loop *transport_loop(const struct transport *t) { return t->o.loop; }
struct str transport_host(const struct transport *t) { return t->host; }
int64_t transport_clock_offset(const struct transport *t) { return t->clock_offset; }

bool transport_clock_known(const struct transport *t) { return t->clock_known; }
