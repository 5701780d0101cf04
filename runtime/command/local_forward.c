/*
 * local_forward.c - `port-forward` on this machine: the process listens first, then enters the network of the replica
 * and connects there.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "runtime/command/local.h"
#include "runtime/command/open_port.h"
#include "runtime/command/runs.h"
#include "runtime/local/enter.h"
#include "runtime/local/forward.h"
#include "runtime/local/network.h"

struct forwarding {
	const struct forward_order *order;
	struct run_watch *run;
	struct published_port what;
	uint32_t own;                   /* the replica's own address; 0: the replica has no address of its own */
};

static const struct run_replica *forwarded_replica(const struct forwarding *f)
{
	const struct run_role *role = run_find_role(&f->run->state, f->what.role);

	return role && f->what.index < role->max ? &role->at[f->what.index] : NULL;
}

/*
 * The number of the port called NAME in the ports of the replica, such as "http=20017,metrics=20018"; 0: the replica
 * has no such port.
 */
static int64_t named_port(const struct run_replica *r, struct str name)
{
	struct str rest = r->ports, port, number;

	while (report_published(&rest, &port, &number))
		if (str_eq(port, name))
			return strtoll(number.p, NULL, 10);
	return 0;
}

/*
 * The port of the replica to connect to: the number that the user gave, or the number of the named port. 0: the replica
 * has no such port.
 */
static int64_t inner_port(const struct forwarding *f)
{
	const struct run_replica *r = forwarded_replica(f);

	return f->what.number ? f->what.number : r ? named_port(r, f->what.port) : 0;
}

static int socket_of(void *context, int family)
{
	(void)context;
	return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static int dial_entered(void *context, size_t i, unsigned try)
{
	struct forwarding *f = context;
	const struct run_replica *r = forwarded_replica(f);

	(void)i;
	if (!r || !r->process.pid)
		return DIAL_NONE;
	return publish_dial(socket_of, NULL, f->own, inner_port(f), try);
}

/* Forwards connections until the run ends. */
static void carry_on(struct forward *forward, struct run_watch *w)
{
	while (!run_watch_over(w) && !run_phase_final(w->state.phase)) {
		struct pollfd p[] = { { .fd = forward_fd(forward), .events = POLLIN }, { .fd = run_watch_fd(w),
			.events = POLLIN } };
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return;
		run_watch_update(w);
		forward_serve(forward);
	}
}

/*
 * Listens while this process is still in its own network, then enters the network of the replica. Returns -1 after
 * reporting an error.
 */
static int listen_and_enter(struct session *s, struct forwarding *f, int64_t *ret_port, int *ret_status)
{
	struct enter where = { .run = &f->run->state, .role = f->what.role, .index = f->what.index };
	const struct run_replica *r = forwarded_replica(f);
	struct str why;
	size_t number;

	*ret_status = STATUS_REFUSED;
	if (r && !inner_port(f)) {
		session_say(s, "%.*s/%lld of run '%.*s' has no port '%.*s'%s%.*s; for a port that is not declared, "
			"write its number", STR_ARG(f->what.role),
			(long long)f->what.index, STR_ARG(f->run->name), STR_ARG(f->what.port), r->ports.n
				? ": it has " : "", STR_ARG(r->ports));
		return -1;
	}
	int fd = r ? open_port_listen(s, f->order, &f->what, inner_port(f), ret_port) : -1;
	if (r && fd < 0) {
		*ret_status = STATUS_OUTPUT;
	} else if (!enter_network(s->arena, &where, &number, &why)) {
		session_say(s, "%.*s", STR_ARG(why));
		if (fd >= 0)
			close(fd);
		fd = -1;
	} else if (str_is(f->run->state.isolate, "replica")) {
		f->own = network_address(number);
	}
	return fd;
}

/* Finds the port that the user means; false after reporting an error. */
static bool find_local(struct session *s, struct forwarding *f)
{
	const struct run_state *run = &f->run->state;
	struct declared_ports declared = { 0 };
	struct str port, number, text = f->order->n ? f->order->texts[0] : STR("");

	if (f->order->n > 1) {                  /* the process enters the network of one replica for good */
		session_say(s, "several ports are for runs in a cluster; with --local, a command forwards one port");
		return false;
	}
	if (!f->order->open)
		return local_published(s, f->order->command, text, &f->what);
	for (size_t i = 0; i < run->nroles; i++) {
		struct str rest = run->roles[i].max ? run->roles[i].at[0].ports : STR("");
		while (report_published(&rest, &port, &number)) {
			struct declared_port one = { .role = run->roles[i].name, .name = port };
			ARENA_PUSH(s->arena, declared.at, declared.n, one);
		}
	}
	return open_port_choose(s, f->run, &declared, text, &f->what);
}

int local_forward(struct session *s, struct run_watch *w, const struct forward_order *o)
{
	struct forwarding f = { .order = o, .run = w };
	struct forward_ops ops = { &f, dial_entered };
	int64_t port;
	int status;

	if (!find_local(s, &f))
		return STATUS_USAGE;
	struct browser *browser = browser_prepare(s, o);
	int fd = listen_and_enter(s, &f, &port, &status);
	if (fd < 0) {
		browser_release(browser);
		return status;
	}
	struct forward *forward = forward_open(s->arena, &fd, 1, &ops);
	if (!forward) {
		session_say(s, "cannot accept connections: %.*s", STR_ARG(file_reason(s->arena, errno)));
		browser_release(browser);
		return STATUS_OUTPUT;
	}
	open_port_print(s, o, browser, &f.what, port);
	carry_on(forward, w);
	forward_close(forward);
	return open_port_ended(s, w);
}
