/*
 * listen.c - a fixed number of connections, each with limits of time and bytes, so no client can block the controller
 * or make it use more memory. When all connections are in use, a new one takes the place of the oldest whose request is
 * incomplete: clients that send half requests, however many, cannot keep others away.
 */
#include "runtime/supervise/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"

enum {
	CLIENTS = 256, REQUEST_BYTES = 4096,
	REQUEST_SECONDS = 2,            /* the longest time until a request is complete */
	ANSWER_SECONDS = 5,             /* the longest time until its answer has been taken */
	BACKLOG = 1024,                 /* connections that wait in the kernel; it limits this to net.core.somaxconn */
	ACCEPT_AT_ONCE = 64             /* connections that are accepted before other work is done */
};

struct client_slot {
	struct listen *listen;
	struct loop_fd fd;
	struct loop_timer timer;
	struct buf in, out;
	size_t sent;
	uint64_t number;                /* the number of the connection: of two, the older has the smaller number */
	bool used;
};

struct listen {
	struct loop *loop;
	listen_answer answer;
	void *to;
	struct loop_fd fd;
	uint64_t accepted;              /* number of connections so far */
	struct client_slot clients[CLIENTS];
};

/* ---- one connection ---- */

static void slot_end(struct client_slot *c)
{
	int fd = c->fd.fd;

	loop_fd_drop(c->listen->loop, &c->fd);
	loop_timer_drop(c->listen->loop, &c->timer);
	close(fd);
	buf_release(&c->in);
	buf_release(&c->out);
	*c = (struct client_slot){ .listen = c->listen, .fd = { .fd = -1 } };
}

static void slot_late(struct loop_timer *t) { slot_end(t->to); }

static void slot_write(struct client_slot *c)
{
	while (c->sent < c->out.n) {
		ssize_t n = send(c->fd.fd, c->out.p + c->sent, c->out.n - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN) {
			loop_fd_set(c->listen->loop, &c->fd, c->fd.fd, EPOLLOUT);
			return;
		}
		if (n <= 0)
			break;
		c->sent += (size_t)n;
	}
	slot_end(c);
}

static const char *reason_phrase(int code)
{
	switch (code) {
	case 200: return "OK";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 503: return "Service Unavailable";
	default: return "Bad Request";
	}
}

/* The path of a request such as "GET /healthz?verbose HTTP/1.1"; empty if the method is not GET. */
static struct str request_path(struct str request)
{
	const char *end = request.p + request.n, *p;

	if (!str_starts(request, STR("GET /")))
		return STR("");
	for (p = request.p + 4; p < end && *p != ' ' && *p != '?' && *p != '\r' && *p != '\n'; p++)
		continue;
	return (struct str){ request.p + 4, (size_t)(p - request.p - 4) };
}

static void slot_answer(struct client_slot *c)
{
	struct str path = request_path(buf_text(&c->in));
	struct buf body = { 0 };
	int code = path.n ? c->listen->answer(c->listen->to, path, &body) : 405;
	bool metrics = str_is(path, "/metrics") && code == 200;

	buf_printf(&c->out, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
		code, reason_phrase(code),
		metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8" : "text/plain; charset=utf-8",
		body.n);
	buf_put(&c->out, body.p, body.n);
	buf_release(&body);
	loop_timer_set(c->listen->loop, &c->timer, ANSWER_SECONDS * NS_PER_SECOND);
	slot_write(c);
}

static void slot_ready(struct loop_fd *f, unsigned events)
{
	struct client_slot *c = f->to;
	char bytes[1024];
	ssize_t n;

	if (events & EPOLLOUT) {
		slot_write(c);
		return;
	}
	while ((n = recv(c->fd.fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0 && c->in.n < REQUEST_BYTES)
		buf_put(&c->in, bytes, (size_t)n);
	/* whether a request is whole must not depend on how many bytes happened to arrive together */
	bool whole = c->in.n && memmem(c->in.p, c->in.n < REQUEST_BYTES ? c->in.n : REQUEST_BYTES, "\r\n\r\n", 4);
	if (whole)
		slot_answer(c);
	else if (n == 0 || (n < 0 && errno != EAGAIN) || c->in.n >= REQUEST_BYTES)
		slot_end(c);
}

/* ---- all connections ---- */

/* Is connection A a better one to end than B? One without a complete request is, and of two such ones the older. */
static bool ends_before(const struct client_slot *a, const struct client_slot *b)
{
	bool answered = a->out.n, other = b->out.n;

	return answered == other ? a->number < b->number : other;
}

/* Returns a slot that is free, or frees one. */
static struct client_slot *slot_take(struct listen *l)
{
	struct client_slot *worst = &l->clients[0];

	for (size_t i = 0; i < CLIENTS; i++) {
		if (!l->clients[i].used)
			return &l->clients[i];
		if (ends_before(&l->clients[i], worst))
			worst = &l->clients[i];
	}
	slot_end(worst);
	return worst;
}

static void slot_begin(struct listen *l, int fd)
{
	struct client_slot *c = slot_take(l);

	*c = (struct client_slot){ .listen = l, .used = true, .number = l->accepted++,
		.fd = { .fd = -1, .ready = slot_ready, .to = c }, .timer = { .fire = slot_late, .to = c } };
	loop_timer_set(l->loop, &c->timer, REQUEST_SECONDS * NS_PER_SECOND);
	if (!loop_fd_set(l->loop, &c->fd, fd, EPOLLIN)) {
		c->fd.fd = fd;
		slot_end(c);
		return;
	}
	slot_ready(&c->fd, EPOLLIN);            /* a client that sends at once is answered before the next one comes */
}

static void slots_connect(struct loop_fd *f, unsigned events)
{
	struct listen *l = f->to;

	(void)events;
	for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
		int fd = accept4(f->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			return;
		slot_begin(l, fd);
	}
}

/* Splits an address into HOST and PORT; an empty host means all addresses of the machine. */
static void split_address(struct arena *a, struct str address, struct str *host, struct str *port)
{
	size_t colon = address.n;

	while (colon && address.p[colon - 1] != ':')
		colon--;
	*port = str_copy(a, (struct str){ address.p + colon, address.n - colon });
	*host = colon ? (struct str){ address.p, colon - 1 } : STR("");
	if (host->n > 2 && host->p[0] == '[')
		*host = (struct str){ host->p + 1, host->n - 2 };
	*host = str_copy(a, *host);
}

static int open_socket(const struct addrinfo *at)
{
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1, off = 0;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (at->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	int error = errno;
	close(fd);
	errno = error;
	return -1;
}

struct listen *listen_start(struct arena *a, struct loop *loop, const struct listen_options *o, struct str *why)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV }, *found;
	struct str host, port;
	int fd = -1;

	split_address(a, o->address, &host, &port);
	int wrong = getaddrinfo(host.n ? host.p : NULL, port.p, &hints, &found);
	if (wrong) {
		*why = str_printf(a,
			"--%s needs a port, or an address and a port such as 127.0.0.1:8081, found '%.*s'",
			o->option, STR_ARG(o->address));
		return NULL;
	}
	for (const struct addrinfo *at = found; at && fd < 0; at = at->ai_next)
		fd = open_socket(at);
	int error = errno;
	freeaddrinfo(found);
	struct listen *l = fd < 0 ? NULL : memory_resize(NULL, sizeof *l);
	if (!l) {
		*why = str_printf(a, "cannot listen on '%.*s': %.*s", STR_ARG(o->address),
			STR_ARG(file_reason(a, error)));
		return NULL;
	}
	*l = (struct listen){ .loop = loop, .answer = o->answer, .to = o->to,
		.fd = { .fd = -1, .ready = slots_connect, .to = l } };
	for (size_t i = 0; i < CLIENTS; i++)
		l->clients[i] = (struct client_slot){ .listen = l, .fd = { .fd = -1 } };
	loop_fd_set(loop, &l->fd, fd, EPOLLIN);
	return l;
}

void listen_stop(struct listen *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < CLIENTS; i++)
		if (l->clients[i].used)
			slot_end(&l->clients[i]);
	int fd = l->fd.fd;
	loop_fd_drop(l->loop, &l->fd);
	close(fd);
	free(l);
}
