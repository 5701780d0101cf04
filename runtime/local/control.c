/*
 * control.c - the keeper's end of the socket. The keeper must never wait for a client. Therefore everything is
 * non-blocking; for each watcher only the line that is being sent and the newest one are kept; and the length of
 * requests and the number of connections are limited.
 */
#include "runtime/local/control.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "plan/code.h"

enum { CLIENTS = 128, REQUEST = 1024 };

struct control_peer {
	int fd;                         /* descriptor of the connection; -1: the entry is free */
	bool watches, closing;          /* the client watches the run; the connection closes as soon as `out` has been
					 * sent */
	char in[REQUEST];
	size_t nin;
	struct buf out;
	size_t sent;
	uint64_t version;               /* version of the state that was last put into `out`; 0: no state yet */
	/*
	 * when the client last sent something: if all entries are in use, a new client replaces the client that has
	 * been silent longest
	 */
	uint64_t turn;
};

struct control {
	struct control_ops ops;
	/*
	 * address of the socket, relative to the directory's descriptor, since the path may lead to another directory
	 * by now
	 */
	struct sockaddr_un address;
	int listener, epoll;
	struct control_peer clients[CLIENTS];
	struct buf state;               /* text of the newest state, including the line end */
	uint64_t version, turns;
	bool serving;                   /* a request is being handled: it may publish states, and no connection may
					 * be freed meanwhile */
};

/* ---- connections ---- */

static void drop(struct control_peer *c)
{
	if (c->fd >= 0)
		close(c->fd);
	buf_release(&c->out);
	*c = (struct control_peer){ .fd = -1 };
}

/* The number of bytes that are still to be sent to the client. */
static size_t unsent(const struct control_peer *c) { return c->out.n - c->sent; }

static void flush(struct control *all, struct control_peer *c)
{
	while (c->fd >= 0) {
		if (!unsent(c)) {
			c->out.n = c->sent = 0;
			if (c->closing) {
				drop(c);
				return;
			}
			if (!c->watches || c->version == all->version)
				return;
			buf_str(&c->out, buf_text(&all->state));
			c->version = all->version;
		}
		ssize_t n = send(c->fd, c->out.p + c->sent, unsent(c), MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n > 0) {
			c->sent += (size_t)n;
		} else if (errno != EINTR) {
			if (errno != EAGAIN)
				drop(c);
			return;
		}
	}
}

/* Waits for requests of a client and, while output for the client is pending, until it can be written to again. */
static void listen_to(struct control *all, struct control_peer *c)
{
	struct epoll_event e = { .events = EPOLLIN | (unsent(c) ? EPOLLOUT : 0u),
		.data.u32 = (uint32_t)(c - all->clients) + 1 };

	if (c->fd >= 0)
		epoll_ctl(all->epoll, EPOLL_CTL_MOD, c->fd, &e);
}

static struct control_peer *free_client(struct control *all)
{
	struct control_peer *oldest = NULL;

	for (size_t i = 0; i < CLIENTS; i++) {
		struct control_peer *c = &all->clients[i];
		if (c->fd < 0)
			return c;
		if (!c->watches && (!oldest || c->turn < oldest->turn))
			oldest = c;
	}
	if (oldest)
		drop(oldest);
	return oldest;
}

/* May the client send requests? Only root and the owner of the run may, whatever the modes of the directories are. */
static bool is_permitted(int fd)
{
	struct ucred peer;
	socklen_t n = sizeof peer;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

static void accept_all(struct control *all)
{
	for (int fd; (fd = accept4(all->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
		struct control_peer *c = is_permitted(fd) ? free_client(all) : NULL;
		struct epoll_event e = { .events = EPOLLIN };

		if (c)
			e.data.u32 = (uint32_t)(c - all->clients) + 1;
		if (!c || epoll_ctl(all->epoll, EPOLL_CTL_ADD, fd, &e) != 0) {
			close(fd);
			continue;
		}
		*c = (struct control_peer){ .fd = fd, .turn = ++all->turns };
	}
}

/* ---- requests ---- */

static void answer(struct control_peer *c, bool ok, struct str why)
{
	buf_z(&c->out, ok ? "ok\n" : "no ");
	if (ok)
		return;
	for (size_t i = 0; i < why.n; i++)
		buf_char(&c->out, why.p[i] == '\n' ? ' ' : why.p[i]);
	buf_char(&c->out, '\n');
}

static struct str word(struct str *rest)
{
	size_t start = 0, n = 0;

	while (start < rest->n && rest->p[start] == ' ')
		start++;
	while (start + n < rest->n && rest->p[start + n] != ' ')
		n++;
	struct str w = { rest->p + start, n };
	*rest = (struct str){ w.p + n, rest->n - start - n };
	return w;
}

/* Splits the operands of "scale ROLE N" and "restart ROLE N". */
static bool role_and_number(struct control *all, struct str verb, struct str rest, struct str *why)
{
	struct str role = word(&rest), number = word(&rest);
	int64_t n;

	if (!role.n || !str_number(number, 9, &n) || word(&rest).n) {
		*why = str_is(verb, "scale") ? STR("scale takes a role and a number") :
			STR("restart takes a role and a number");
		return false;
	}
	return (str_is(verb, "scale") ? all->ops.scale : all->ops.restart)(all->ops.context, role, n, why);
}

/* Reads "sync ROLE N ID FILES BYTES [keep]". */
static bool sync_code(struct control *all, struct str rest, struct str *why)
{
	struct str role = word(&rest), number = word(&rest), id = word(&rest), files = word(&rest), bytes = word(&rest);
	struct run_code code = { .role = role, .id = id };
	struct str how = word(&rest);
	int64_t index;

	if (role.n && str_number(number, 15, &index) && str_is_hex(id, CODE_ID) && str_number(files, 15, &code.files) &&
		str_number(bytes, 15, &code.bytes) && (!how.n || str_is(how, "keep")) && !word(&rest).n)
		return all->ops.sync(all->ops.context, role, index, &code, how.n > 0, why);
	*why = STR("sync takes a role, a number, an id, and the number and size of files");
	return false;
}

static void request(struct control *all, struct control_peer *c, struct str line)
{
	struct str rest = line, verb = word(&rest), why = STR("");
	void *context = all->ops.context;
	bool ok = false;

	if (str_is(verb, "scale") || str_is(verb, "restart"))
		ok = role_and_number(all, verb, rest, &why);
	else if (str_is(verb, "sync"))
		ok = sync_code(all, rest, &why);
	else if (word(&rest).n)
		why = STR("unexpected words after the request");
	else if (str_is(verb, "watch"))
		ok = c->watches = true;
	else if (str_is(verb, "stop") || str_is(verb, "kill"))
		ok = all->ops.stop(context, str_is(verb, "kill"), &why);
	else if (str_is(verb, "suspend") || str_is(verb, "resume"))
		ok = all->ops.suspend(context, str_is(verb, "suspend"), &why);
	else
		why = STR("this keeper does not know the request: it may be of another version of trainc");
	answer(c, ok, why);
}

/* Reads requests; false when the client will send no more. */
static bool read_requests(struct control *all, struct control_peer *c)
{
	ssize_t n = recv(c->fd, c->in + c->nin, sizeof c->in - c->nin, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0)
		return false;
	c->nin += (size_t)n;
	c->turn = ++all->turns;
	for (char *end; (end = memchr(c->in, '\n', c->nin));) {
		size_t used = (size_t)(end - c->in) + 1;
		if (unsent(c) < 65536)          /* a client that sends requests but never reads gets no more answers */
			request(all, c, (struct str){ c->in, used - 1 });
		memmove(c->in, c->in + used, c->nin - used);
		c->nin -= used;
	}
	if (c->nin == sizeof c->in) {
		answer(c, false, STR("this request is too long"));
		c->closing = true;
		c->nin = 0;
	}
	return true;
}

static void serve_client(struct control *all, struct control_peer *c, uint32_t events)
{
	bool gone = events & (EPOLLERR | EPOLLHUP);

	if (c->fd < 0)
		return;
	/* a client that has sent everything may still read */
	if (((events & EPOLLIN) || gone) && !read_requests(all, c))
		c->closing = true;
	if (gone) {
		drop(c);
		return;
	}
	flush(all, c);
	listen_to(all, c);
}

/* ---- functions for the engine ---- */

struct control *control_open(struct arena *a, const struct run_dir *dir, const struct control_ops *ops, struct str *why)
{
	struct control *c = ARENA_NEW(a, struct control);
	struct epoll_event e = { .events = EPOLLIN };

	c->ops = *ops;
	c->address.sun_family = AF_UNIX;
	snprintf(c->address.sun_path, sizeof c->address.sun_path, "/proc/self/fd/%d/control", dir->fd);
	for (size_t i = 0; i < CLIENTS; i++)
		c->clients[i].fd = -1;
	c->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (c->listener >= 0 && c->epoll >= 0) {
		unlink(c->address.sun_path);       /* removes the socket of an earlier keeper, which has ended, since
						    * this process holds the lock */
		if (bind(c->listener, (void *)&c->address, sizeof c->address) == 0 &&
		    chmod(c->address.sun_path, 0600) == 0 && listen(c->listener, 64) == 0 &&
		    epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->listener, &e) == 0)
			return c;
	}
	*why = str_printf(a, "cannot make the socket 'control' in '%.*s': %.*s", STR_ARG(dir->path),
		STR_ARG(file_reason(a, errno)));
	if (c->listener >= 0)
		close(c->listener);
	if (c->epoll >= 0)
		close(c->epoll);
	return NULL;
}

int control_fd(const struct control *c) { return c->epoll; }

static void flush_watchers(struct control *c)
{
	for (size_t i = 0; i < CLIENTS; i++) {
		if (c->clients[i].fd < 0 || !c->clients[i].watches)
			continue;
		flush(c, &c->clients[i]);
		listen_to(c, &c->clients[i]);
	}
}

/*
 * Reads requests of all clients. The number of rounds is limited, so that a client that keeps asking cannot block the
 * keeper.
 */
static void serve(struct control *c)
{
	struct epoll_event events[64];

	for (int rounds = 0; rounds < 16; rounds++) {
		int n = epoll_wait(c->epoll, events, 64, 0);
		for (int i = 0; i < n; i++) {
			if (events[i].data.u32)
				serve_client(c, &c->clients[events[i].data.u32 - 1], events[i].events);
			else
				accept_all(c);
		}
		if (n <= 0)
			return;
	}
}

void control_serve(struct control *c)
{
	uint64_t before = c->version;

	c->serving = true;
	serve(c);
	c->serving = false;
	if (c->version != before)
		flush_watchers(c);
}

void control_publish(struct control *c, struct str text)
{
	c->state.n = 0;
	buf_str(&c->state, text);
	buf_char(&c->state, '\n');
	c->version++;
	if (!c->serving)
		flush_watchers(c);
}

static bool any_unsent(struct control *c)
{
	bool any = false;

	for (size_t i = 0; i < CLIENTS; i++) {
		if (c->clients[i].fd < 0)
			continue;
		flush(c, &c->clients[i]);
		listen_to(c, &c->clients[i]);
		any = any || (c->clients[i].fd >= 0 && unsent(&c->clients[i]));
	}
	return any;
}

void control_close(struct control *c)
{
	unlink(c->address.sun_path);       /* from now on no client can connect */
	control_serve(c);                       /* answers clients that have already connected */
	for (int64_t end = clock_steady() + NS_PER_SECOND, left; any_unsent(c) && (left = end - clock_steady()) > 0;) {
		struct pollfd p = { .fd = c->epoll, .events = POLLIN };
		poll(&p, 1, (int)(left / 1000000) + 1);
		control_serve(c);
	}
	for (size_t i = 0; i < CLIENTS; i++)
		drop(&c->clients[i]);
	close(c->listener);
	close(c->epoll);
	buf_release(&c->state);
}
