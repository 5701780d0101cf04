/*
 * forward_pod.c - `port-forward` in a cluster: listens on this machine, and opens a stream to the pod of the replica
 * for each connection. A stream has two channels: the data of the connection, and a message if the pod refuses it. The
 * first two bytes of each channel are the number of the port.
 *
 * Nothing here waits: while one end takes nothing, nothing is read from the other. A stream cannot be closed in one
 * direction. So when the program on this machine has sent everything, the stream stays open until the pod has ended it,
 * for at most HALF_LIMIT.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "runtime/cluster/access.h"
#include "runtime/cluster/pod_ports.h"
#include "runtime/cluster/replica_pod.h"
#include "runtime/cluster/websocket.h"
#include "runtime/command/local.h"
#include "runtime/command/open_port.h"
#include "runtime/local/forward.h"
#include "runtime/local/publish.h"
#include "runtime/run/cells.h"

enum { CHANNEL_DATA = 0, CHANNEL_ERROR = 1, CHANNELS = 2, PORT_BYTES = 2, TUNNELS_MOST = 128, READ_AT_ONCE = 16 << 10,
	KEPT_MOST = 256 << 10, MESSAGE_MOST = 2000 };
#define HALF_LIMIT (5 * 60 * NS_PER_SECOND)

struct pod_forwarding;

/* A port of this machine that is forwarded. */
struct forwarded {
	struct pod_forwarding *all;
	struct published_port what;
	int64_t port;                   /* port of the replica */
	struct loop_fd fd;
	int socket;
};

/* A connection that is forwarded. */
struct tunnel {
	struct pod_forwarding *all;
	const struct forwarded *port;
	struct websocket *stream;
	int socket;
	struct loop_fd fd;
	bool opened;
	bool sent_all;                  /* the program on this machine has sent everything */
	bool over;                      /* the stream has ended */
	struct loop_timer half;         /* the longest time without the program on this machine */
	size_t skipped[CHANNELS];       /* bytes of the number of the port that have arrived on each channel */
	struct buf kept;                /* what the program on this machine has not taken yet */
	struct buf message;             /* what the pod says about a connection that it refuses */
	struct tunnel *next, **at;
};

struct pod_forwarding {
	struct session *session;
	const struct forward_order *order;
	struct cluster *cluster;
	struct loop *loop;
	struct run_watch *run;
	struct forwarded *ports;
	size_t nports, ntunnels;
	struct tunnel *tunnels;
	struct browser *browser;        /* NULL: none is started */
	struct declared_ports declared; /* the ports that the pods name; empty: no name is needed */
	int64_t said;                   /* when a failure was last reported, by loop_now(); 0: never */
	int denied;                     /* exit status of a refusal that concerns every connection; 0: none */
};

/* ---- listening ---- */

static void forward_accept(struct loop_fd *f, unsigned events);

static void forward_listen_all(struct pod_forwarding *f, bool listen)
{
	for (size_t i = 0; i < f->nports; i++)
		if (listen)
			loop_fd_set(f->loop, &f->ports[i].fd, f->ports[i].socket, EPOLLIN);
		else
			loop_fd_drop(f->loop, &f->ports[i].fd);
}

/* Reports a failure of a connection, at most one in a second. */
static void say_tunnel(struct tunnel *t, struct str why)
{
	struct pod_forwarding *f = t->all;
	const struct forwarded *p = t->port;
	int64_t now = loop_now(f->loop);

	if (f->said && now - f->said < NS_PER_SECOND)
		return;
	f->said = now;
	struct buf b = { 0 };
	put_escaped(&b, why);
	session_say(f->session, "%.*s/%lld:%.*s: %.*s", STR_ARG(p->what.role), (long long)p->what.index,
		STR_ARG(p->what.port), STR_ARG(buf_text(&b)));
	buf_release(&b);
}

/* ---- the end of a connection ---- */

/* Ends a connection; with RESET, the program on this machine sees an error instead of an end. */
static void tunnel_end(struct tunnel *t, bool reset)
{
	struct pod_forwarding *f = t->all;
	struct linger now = { .l_onoff = 1 };

	if (reset)
		setsockopt(t->socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
	websocket_release(t->stream);
	loop_fd_drop(f->loop, &t->fd);
	loop_timer_drop(f->loop, &t->half);
	close(t->socket);
	*t->at = t->next;
	if (t->next)
		t->next->at = t->at;
	buf_release(&t->kept);
	buf_release(&t->message);
	free(t);
	if (f->ntunnels-- == TUNNELS_MOST)
		forward_listen_all(f, true);
}

static void half_over(struct loop_timer *timer) { tunnel_end(timer->to, false); }

/* ---- bytes ---- */

/* Waits for what can be done with the socket. */
static void tunnel_wait(struct tunnel *t)
{
	bool reads = t->opened && !t->over && !t->sent_all && websocket_queued(t->stream) < WEBSOCKET_FULL;

	if (reads || t->kept.n)
		loop_fd_set(t->all->loop, &t->fd, t->socket, (reads ? EPOLLIN : 0) | (t->kept.n ? EPOLLOUT : 0));
	else
		loop_fd_drop(t->all->loop, &t->fd);
}

/* Writes what is kept; false if the connection has ended. */
static bool tunnel_write(struct tunnel *t)
{
	while (t->kept.n) {
		ssize_t n = send(t->socket, t->kept.p, t->kept.n, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN) {
			tunnel_end(t, true);
			return false;
		}
		if (n <= 0)
			break;
		memmove(t->kept.p, t->kept.p + n, t->kept.n - (size_t)n);
		t->kept.n -= (size_t)n;
	}
	if (t->over && !t->kept.n) {
		tunnel_end(t, false);
		return false;
	}
	if (!t->over)
		websocket_pause(t->stream, t->kept.n > KEPT_MOST);
	tunnel_wait(t);
	return true;
}

static void tunnel_read(struct tunnel *t)
{
	char bytes[READ_AT_ONCE];
	ssize_t n = recv(t->socket, bytes, sizeof bytes, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		tunnel_end(t, true);
		return;
	}
	if (n)
		websocket_send(t->stream, CHANNEL_DATA, (struct str){ bytes, (size_t)n });
	t->sent_all = n == 0;
	if (t->sent_all)
		loop_timer_set(t->all->loop, &t->half, HALF_LIMIT);
	tunnel_wait(t);
}

static void tunnel_ready(struct loop_fd *f, unsigned events)
{
	struct tunnel *t = f->to;
	bool reads = f->events & EPOLLIN;

	if (!tunnel_write(t))
		return;
	if (reads && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		tunnel_read(t);
	else if (events & EPOLLERR)
		tunnel_end(t, true);
}

/* The pod of the replica that runs now; empty: it has none. */
static struct str forward_pod(const struct pod_forwarding *f, const struct published_port *p)
{
	const struct run_role *r = run_find_role(&f->run->state, p->role);

	return r && p->index < r->max && replica_runs(r->at[p->index].state) ? r->at[p->index].pod : STR("");
}

/* ---- the stream ---- */

static void tunnel_opened(void *to, const char *protocol)
{
	struct tunnel *t = to;

	(void)protocol;
	t->opened = true;
	tunnel_wait(t);
}

static void tunnel_take(void *to, unsigned channel, struct str bytes, bool first)
{
	struct tunnel *t = to;

	(void)first;
	if (channel >= CHANNELS)
		return;
	size_t *skipped = &t->skipped[channel], n = PORT_BYTES - *skipped < bytes.n ? PORT_BYTES - *skipped : bytes.n;
	*skipped += n;
	bytes = (struct str){ bytes.p + n, bytes.n - n };
	if (channel == CHANNEL_DATA && bytes.n) {
		buf_str(&t->kept, bytes);
		tunnel_write(t);
	} else if (channel == CHANNEL_ERROR && bytes.n && t->message.n + bytes.n < MESSAGE_MOST) {
		buf_str(&t->message, bytes);
	}
}

static void tunnel_drained(void *to) { tunnel_wait(to); }

/* Says what to do about a refusal that concerns every connection. */
static void say_way_out(const struct tunnel *t, const struct websocket_end *end)
{
	struct pod_forwarding *f = t->all;

	if (end->barred)
		session_say(f->session, "over another connection, kubectl may succeed: kubectl port-forward -n %.*s "
			"pod/%.*s %lld", STR_ARG(cluster_watch_of(f->run)->ns),
			STR_ARG(forward_pod(f, &t->port->what)), (long long)t->port->port);
	else if (end->code == 403)
		session_say(f->session, "docs/runtime.md has the Role 'trainc-interactive', which permits this");
}

static void tunnel_ended(void *to, const struct websocket_end *end)
{
	struct tunnel *t = to;
	struct pod_forwarding *f = t->all;

	t->over = true;
	if (t->message.n)
		say_tunnel(t, buf_text(&t->message));
	else if (!end->closed)
		say_tunnel(t, end->error);
	if (!end->opened && (end->status == STATUS_DENIED || end->barred)) {
		if (!f->denied)
			say_way_out(t, end);
		f->denied = end->status;
	}
	if (t->message.n || !end->opened)
		tunnel_end(t, true);
	else
		tunnel_write(t);
}

/* ---- the beginning of a connection ---- */

static void tunnel_connect(struct tunnel *t)
{
	static const char *const protocols[] = { "v4.channel.k8s.io", NULL };
	struct pod_forwarding *f = t->all;
	struct arena memory = { 0 };
	struct transport_pair query = { STR("ports"), str_int(&memory, t->port->port) };
	struct str pod = forward_pod(f, &t->port->what);

	if (!pod.n) {
		say_tunnel(t, STR("the replica does not run now"));
		tunnel_end(t, true);
	} else {
		struct transport_place place = { .version = STR("v1"), .plural = STR("pods"),
			.namespace = cluster_watch_of(f->run)->ns, .name = pod, .subresource = STR("portforward") };
		t->stream = websocket_open(&(struct websocket_options){ .transport = f->cluster->client.transport,
			.path = transport_path(&memory, &place), .query = &query, .nquery = 1, .protocols = protocols,
			.opened = tunnel_opened, .take = tunnel_take, .drained = tunnel_drained,
			.ended = tunnel_ended, .to = t });
	}
	arena_release(&memory);
}

static void forward_accept(struct loop_fd *fd, unsigned events)
{
	struct forwarded *p = fd->to;
	struct pod_forwarding *f = p->all;
	int s = accept4(p->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)events;
	if (s < 0)
		return;
	struct tunnel *t = memory_resize(NULL, sizeof *t);
	*t = (struct tunnel){ .all = f, .port = p, .socket = s, .next = f->tunnels, .at = &f->tunnels,
		.fd = { .fd = -1, .ready = tunnel_ready, .to = t }, .half = { .fire = half_over, .to = t } };
	if (t->next)
		t->next->at = &t->next;
	f->tunnels = t;
	if (++f->ntunnels == TUNNELS_MOST)
		forward_listen_all(f, false);
	tunnel_connect(t);
}

/* ---- ports ---- */

/* Finds the port of the replica; false after reporting that it has none. */
static bool find_forwarded(struct pod_forwarding *f, struct forwarded *p)
{
	const struct plan_job *j = &cluster_watch_of(f->run)->plan;
	const struct plan_role *role = run_plan_role(j, p->what.role);

	if (!role)
		replica_say_no_role(f->session, f->run, p->what.role);
	else if (p->what.index >= role->max)
		session_say(f->session, "role '%.*s' has replicas 0 to %lld, not %lld", STR_ARG(role->name),
			(long long)role->max - 1, (long long)p->what.index);
	if (!role || p->what.index >= role->max)
		return false;
	p->port = p->what.number;
	for (size_t i = 0; !p->port && i < f->declared.n; i++)
		if (str_eq(f->declared.at[i].role, role->name) && str_eq(f->declared.at[i].name, p->what.port))
			p->port = f->declared.at[i].number;
	if (!p->port)
		session_say(f->session, "no pod of role '%.*s' has a port '%.*s'; for a port that is not declared, "
			"write its number", STR_ARG(role->name), STR_ARG(p->what.port));
	return p->port > 0;
}

/* Listens on this machine; a failure is reported. */
static bool open_forwarded(struct pod_forwarding *f, struct forwarded *p)
{
	int64_t port;

	p->socket = open_port_listen(f->session, f->order, &p->what, p->port, &port);
	if (p->socket < 0)
		return false;
	p->fd = (struct loop_fd){ .fd = -1, .ready = forward_accept, .to = p };
	open_port_print(f->session, f->order, f->browser, &p->what, port);
	return true;
}

/* Forwards connections until the run ends, or no connection is permitted. */
static int carry_connections(struct pod_forwarding *f)
{
	struct run_watch *w = f->run;

	forward_listen_all(f, true);
	while (!run_watch_over(w) && !run_phase_final(w->state.phase) && !f->denied) {
		struct pollfd p = { .fd = run_watch_fd(w), .events = POLLIN };
		if (poll(&p, 1, -1) < 0 && errno != EINTR)
			break;
		run_watch_update(w);
	}
	return f->denied ? f->denied : open_port_ended(f->session, w);
}

/* Reports why a replica has no pod, as port-forward's own status. */
static bool refuse_unstarted(struct pod_forwarding *f, struct str role, int64_t index, int *ret_status)
{
	replica_pod_say_none(f->session, f->run, role, index);
	*ret_status = STATUS_CONFLICT;
	return false;
}

/* Finds the port that `open` forwards, and that its replica runs; false with a status after reporting why not. */
static bool find_opened(struct pod_forwarding *f, struct str text, struct published_port *ret, int *ret_status)
{
	const struct run_state *state = &f->run->state;
	bool named = !text.n || !memchr(text.p, ':', text.n);

	if (named && !run_is_active(state) && !f->declared.n && state->nroles)
		return refuse_unstarted(f, state->roles[0].name, 0, ret_status);
	*ret_status = STATUS_USAGE;
	if (!open_port_choose(f->session, f->run, &f->declared, text, ret) ||
		!find_forwarded(f, &(struct forwarded){ .what = *ret }))
		return false;
	return forward_pod(f, ret).n || refuse_unstarted(f, ret->role, ret->index, ret_status);
}

/* Finds the ports that the user means; false with a status after reporting an error. */
static bool find_ports(struct pod_forwarding *f, int *ret_status)
{
	const struct forward_order *o = f->order;
	size_t n = o->open ? 1 : o->n;
	bool named = o->open;

	*ret_status = STATUS_USAGE;
	for (size_t i = 0; i < n; i++) {
		struct forwarded *p = &f->ports[i];
		*p = (struct forwarded){ .all = f, .socket = -1, .fd.fd = -1 };
		if (!o->open && !local_published(f->session, o->command, o->texts[i], &p->what))
			return false;
		named = named || !p->what.number;
	}
	if ((named && !pod_ports_list(f->session, f->run, &f->declared, ret_status)) ||
		(o->open && !cluster_watch_start(f->cluster, ret_status)))
		return false;
	if (o->open && !find_opened(f, o->n ? o->texts[0] : STR(""), &f->ports[0].what, ret_status))
		return false;
	*ret_status = STATUS_USAGE;
	for (; f->nports < n; f->nports++)
		if (!find_forwarded(f, &f->ports[f->nports]))
			return false;
	return o->open || cluster_watch_start(f->cluster, ret_status);
}

/* Listens at all ports and forwards their connections; returns the exit status. */
static int forward_all(struct pod_forwarding *f)
{
	int status = STATUS_OUTPUT;
	size_t open = 0;

	cluster_listen(f->cluster, false);
	while (open < f->nports && open_forwarded(f, &f->ports[open]))
		open++;
	if (open == f->nports)
		status = carry_connections(f);
	while (f->tunnels)
		tunnel_end(f->tunnels, true);
	forward_listen_all(f, false);
	for (size_t i = 0; i < f->nports; i++)
		if (f->ports[i].socket >= 0)
			close(f->ports[i].socket);
	return status;
}

int cluster_forward(struct session *s, struct run_watch *w, const struct forward_order *o)
{
	struct pod_forwarding f = { .session = s, .order = o, .cluster = cluster_of(s), .run = w,
		.loop = cluster_of(s)->client.loop, .ports = ARENA_ARRAY(s->arena, struct forwarded, o->n + 1),
		.browser = browser_prepare(s, o) };
	int status;

	if (find_ports(&f, &status) &&
		access_to_streams(f.cluster, cluster_watch_of(w)->ns, "portforward", &status))
		status = forward_all(&f);
	browser_release(f.browser);
	return status;
}
