/*
 * forward.c - see forward.h. One epoll handles the listeners and both ends of every connection. Listeners report an
 * arrival once (EPOLLET). So connections that cannot be accepted, because of the limit or for want of a descriptor, do
 * not keep the loop busy: they are accepted when another connection has ended. An end for which no event is awaited
 * leaves the epoll, which would otherwise report the hang-up of that end forever.
 */
#include "runtime/local/forward.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"

enum { EVENTS = 64, LAST_PORT = 65535 };

struct flow {                         /* one direction of a connection */
	char at[FORWARD_BLOCK];
	size_t from, to;                /* range of the bytes in the block that have not been sent yet */
	bool ended, shut;               /* the sender has sent everything; the receiver has been informed of that */
};

struct connection;
struct end {                            /* one end of a connection, or a listener: the value that epoll stores for a
					 * descriptor */
	int fd;
	uint32_t wanted;                /* events to wait for; 0: the descriptor is not in the epoll */
	struct connection *of;          /* the connection; NULL: this is a listener */
};

struct connection {
	struct end client, target;
	struct flow up, down;         /* bytes from the client, and to the client */
	size_t listener;
	unsigned try;
	bool connected, over;
	struct connection *next;
};

struct forward {
	struct forward_ops ops;
	int epoll;
	struct end *listeners;
	size_t n;
	struct connection *all;
	size_t open;                    /* number of connections that have not ended */
};

/* ---- listeners ---- */

static struct sockaddr_in loopback(int64_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int close_failed(int fd)
{
	int error = errno;

	close(fd);
	errno = error;
	return -1;
}

int forward_listen(int64_t *port)
{
	struct sockaddr_in address = loopback(*port);
	socklen_t n = sizeof address;
	int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	/* connections of an earlier run that are still closing must not block the port */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(fd, (struct sockaddr *)&address, n) != 0 || listen(fd, FORWARD_MOST) != 0 || getsockname(fd,
		(struct sockaddr *)&address, &n) != 0)
		return close_failed(fd);
	*port = ntohs(address.sin_port);
	return fd;
}

int64_t forward_free_port(int64_t first)
{
	for (int64_t port = first; port <= LAST_PORT; port++) {
		int64_t same = port;
		int fd = forward_listen(&same);
		if (fd >= 0) {
			close(fd);
			return port;
		}
	}
	return 0;
}

/* ---- connections ---- */

static void want(struct forward *f, struct end *e, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = e };

	if (e->fd < 0 || events == e->wanted)
		return;
	epoll_ctl(f->epoll, !events ? EPOLL_CTL_DEL : e->wanted ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, e->fd, &event);
	e->wanted = events;
}

/* Closes an end. BROKEN: the other end is reset, which shows it that the connection did not end in an orderly way. */
static void close_end(struct forward *f, struct end *e, bool broken)
{
	struct linger reset = { .l_onoff = 1 };

	if (e->fd < 0)
		return;
	want(f, e, 0);
	if (broken)
		setsockopt(e->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
	close(e->fd);
	e->fd = -1;
}

/*
 * Ends a connection. Its memory is released at the end of the round, because events for it may still be pending in this
 * round.
 */
static void end_connection(struct forward *f, struct connection *c, bool broken)
{
	close_end(f, &c->client, broken);
	close_end(f, &c->target, broken);
	f->open -= !c->over;
	c->over = true;
}

/* Starts to connect to the next address that has not refused yet. False: no program listens. */
static bool dial_target(struct forward *f, struct connection *c)
{
	int on = 1, fd;

	close_end(f, &c->target, false);
	while ((fd = f->ops.dial(f->ops.context, c->listener, c->try++)) == DIAL_NEXT)
		;
	if (fd < 0)
		return false;
	c->target.fd = fd;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return true;
}

/* Is the connection to the target established? False: no program listens, or no answer has come yet. */
static bool connected(struct forward *f, struct connection *c)
{
	int error = 0;
	socklen_t n = sizeof error;

	getsockopt(c->target.fd, SOL_SOCKET, SO_ERROR, &error, &n);
	c->connected = !error;
	if (error && !dial_target(f, c))
		end_connection(f, c, true);
	return c->connected;
}

/* Moves bytes from one end to the other, as many as possible without blocking. False: one of the ends is gone. */
static bool carry_bytes(const struct end *from, const struct end *to, struct flow *s)
{
	if (!s->ended && s->from == s->to) {
		ssize_t n = recv(from->fd, s->at, sizeof s->at, 0);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		s->from = 0;
		s->to = n > 0 ? (size_t)n : 0;
		s->ended = n == 0;
	}
	if (s->from < s->to) {
		ssize_t n = send(to->fd, s->at + s->from, s->to - s->from, MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		s->from += n > 0 ? (size_t)n : 0;
	}
	if (s->ended && s->from == s->to && !s->shut) {
		shutdown(to->fd, SHUT_WR);
		s->shut = true;
	}
	return true;
}

static bool takes_more(const struct flow *s) { return !s->ended && s->from == s->to; }
static bool has_bytes(const struct flow *s) { return s->from < s->to; }

static void listen_to(struct forward *f, struct connection *c)
{
	bool on = c->connected;

	want(f, &c->client, (on && takes_more(&c->up) ? EPOLLIN : 0u) | (has_bytes(&c->down) ? EPOLLOUT : 0u));
	want(f, &c->target, (on && takes_more(&c->down) ? EPOLLIN : 0u) | (!on || has_bytes(&c->up) ? EPOLLOUT : 0u));
}

static void serve_connection(struct forward *f, struct connection *c)
{
	if (c->over)
		return;
	if (c->connected || connected(f, c)) {
		if (!carry_bytes(&c->client, &c->target, &c->up) || !carry_bytes(&c->target, &c->client, &c->down))
			end_connection(f, c, true);
		else if (c->up.shut && c->down.shut)
			end_connection(f, c, false);
	}
	if (!c->over)
		listen_to(f, c);
}

static void begin_connection(struct forward *f, int client, size_t listener)
{
	struct connection *c = memory_resize(NULL, sizeof *c);
	int on = 1;

	c->client = (struct end){ client, 0, c };
	c->target = (struct end){ -1, 0, c };
	c->up.from = c->up.to = c->down.from = c->down.to = 0;
	c->up.ended = c->up.shut = c->down.ended = c->down.shut = false;
	c->listener = listener;
	c->try = 0;
	c->connected = c->over = false;
	c->next = f->all;
	f->all = c;
	f->open++;
	setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (dial_target(f, c))
		listen_to(f, c);
	else
		end_connection(f, c, true);
}

/*
 * Accepts clients. Each call accepts a limited number, so that clients that connect as fast as they are refused cannot
 * block the loop. The listener then reports the remaining clients again.
 */
static void accept_all(struct forward *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct epoll_event again = { .events = EPOLLIN | EPOLLET, .data.ptr = &f->listeners[i] };
		int left = FORWARD_MOST;
		for (int fd; left && f->open < FORWARD_MOST; left--) {
			fd = accept4(f->listeners[i].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
			if (fd < 0)
				break;
			begin_connection(f, fd, i);
		}
		if (!left)
			epoll_ctl(f->epoll, EPOLL_CTL_MOD, f->listeners[i].fd, &again);
	}
}

/* Frees the connections that have ended; true if any connection had ended. */
static bool release_ended(struct forward *f)
{
	bool any = false;

	for (struct connection **at = &f->all, *c; (c = *at);) {
		if (!c->over) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		free(c);
		any = true;
	}
	return any;
}

/* ---- functions for the caller ---- */

struct forward *forward_open(struct arena *a, const int *listeners, size_t n, const struct forward_ops *ops)
{
	struct forward *f = ARENA_NEW(a, struct forward);
	bool ok;

	*f = (struct forward){ .ops = *ops, .n = n, .epoll = epoll_create1(EPOLL_CLOEXEC) };
	f->listeners = ARENA_ARRAY(a, struct end, n);
	ok = f->epoll >= 0;
	for (size_t i = 0; i < n; i++) {
		struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.ptr = &f->listeners[i] };
		f->listeners[i] = (struct end){ .fd = listeners[i] };
		ok = ok && epoll_ctl(f->epoll, EPOLL_CTL_ADD, listeners[i], &event) == 0;
	}
	if (ok)
		return f;
	int error = errno;
	forward_close(f);
	errno = error;
	return NULL;
}

int forward_fd(const struct forward *f) { return f->epoll; }

void forward_serve(struct forward *f)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(f->epoll, events, EVENTS, 0);
	bool arrived = false;

	for (int i = 0; i < n; i++) {
		const struct end *e = events[i].data.ptr;
		arrived = arrived || !e->of;
		if (e->of)
			serve_connection(f, e->of);
	}
	if (release_ended(f) || arrived)
		accept_all(f);
	release_ended(f);
}

void forward_close(struct forward *f)
{
	for (struct connection *c = f->all; c; c = c->next)
		end_connection(f, c, true);
	release_ended(f);
	for (size_t i = 0; i < f->n; i++)
		close(f->listeners[i].fd);
	f->n = 0;
	if (f->epoll >= 0)
		close(f->epoll);
	f->epoll = -1;
}
