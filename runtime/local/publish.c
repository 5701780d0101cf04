/*
 * publish.c - see publish.h.  A port is looked up for each new connection, because a job that restarts may get other
 * ports.
 */
#include "runtime/local/publish.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "runtime/local/engine_internal.h"
#include "runtime/local/forward.h"
#include "runtime/local/network.h"

enum { LAST_PORT = 65535 };

/* ---- parsing the option ---- */

bool publish_parse(struct str text, struct published_port *ret)
{
	const char *end = text.p + text.n, *last = memrchr(text.p, ':', text.n), *first = memchr(text.p, ':', text.n);
	struct str rest = text;

	*ret = (struct published_port){ .text = text, .host = -1 };
	if (!last)
		return false;
	ret->port = (struct str){ last + 1, (size_t)(end - last) - 1 };
	if (first != last) {
		struct str host = { text.p, (size_t)(first - text.p) };
		if (!str_number(host, 9, &ret->host) || ret->host > LAST_PORT)
			return false;
		rest.p = first + 1;
	}
	rest.n = (size_t)(last - rest.p);
	const char *slash = memrchr(rest.p, '/', rest.n);
	if (!slash)                             /* the name of a replica: worker-0 */
		slash = memrchr(rest.p, '-', rest.n);
	if (!slash || slash == rest.p || !ret->port.n || memchr(rest.p, ':', rest.n))
		return false;
	ret->role = (struct str){ rest.p, (size_t)(slash - rest.p) };
	if (!str_number((struct str){ slash + 1, rest.n - ret->role.n - 1 }, 9, &ret->index))
		return false;
	return !str_number(ret->port, 9, &ret->number) || (ret->number > 0 && ret->number <= LAST_PORT);
}

struct str publish_refused(struct arena *a, const char *option, const struct published_port *p, int64_t port, int error)
{
	int64_t free_port = error == EADDRINUSE ? forward_free_port(port + 1)
		: error == EACCES ? forward_free_port(8000 + port % 1000)
				  : 0;
	struct str reason = error == EADDRINUSE ? STR("is taken by another program")
		: error == EACCES ? STR("may be used only by root")
				  : str_printf(a, "cannot be taken: %.*s", STR_ARG(file_reason(a, error)));

	if (!free_port)
		return str_printf(a, "%s%.*s: port %lld of this machine %.*s", option, STR_ARG(p->text),
			(long long)port, STR_ARG(reason));
	return str_printf(a, "%s%.*s: port %lld of this machine %.*s; %lld is free: %s%lld:%.*s/%lld:%.*s", option,
		STR_ARG(p->text), (long long)port, STR_ARG(reason), (long long)free_port, option, (long long)free_port,
		STR_ARG(p->role), (long long)p->index, STR_ARG(p->port));
}

/* ---- connecting ---- */

static int begin_to_connect(int fd, const void *address, socklen_t n)
{
	if (fd < 0)
		return DIAL_NEXT;
	if (connect(fd, address, n) == 0 || errno == EINPROGRESS)
		return fd;
	close(fd);
	return DIAL_NEXT;
}

int publish_dial(int (*socket_of)(void *context, int family), void *context, uint32_t own, int64_t port, unsigned try)
{
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };

	switch (try) {
	case 0: return begin_to_connect(socket_of(context, AF_INET), &four, sizeof four);
	case 1: return begin_to_connect(socket_of(context, AF_INET6), &six, sizeof six);
	case 2:
		four.sin_addr.s_addr = htonl(own);
		return own ? begin_to_connect(socket_of(context, AF_INET), &four, sizeof four) : DIAL_NONE;
	}
	return DIAL_NONE;
}

/* ---- in the engine ---- */

static const struct published_port *published(const struct engine *e, size_t i) { return &e->options->published[i]; }

static const struct plan_port *port_in(const struct plan_container *c, const struct published_port *p)
{
	for (size_t i = 0; i < c->nports; i++)
		if (p->number ? c->ports[i].port == p->number : str_eq(c->ports[i].name, p->port))
			return &c->ports[i];
	return NULL;
}

/*
 * The declared port that P names; NULL: the role does not declare such a port. RET_MAIN: the main container declares
 * it.
 */
static const struct plan_port *find_declared(const struct plan_role *r, const struct published_port *p, bool *ret_main)
{
	const struct plan_port *found = port_in(&r->main, p);

	*ret_main = found;
	for (size_t k = 0; !found && k < r->nsidecars; k++)
		found = port_in(&r->sidecars[k], p);
	return found;
}

static const struct plan_role *published_role(const struct engine *e, const struct published_port *p)
{
	for (size_t i = 0; i < e->job->nroles; i++)
		if (e->job->roles[i].max && plan_role_named(&e->job->roles[i], p->role))
			return &e->job->roles[i];
	return NULL;
}

/* The port at which the program currently listens. */
static int64_t inner_port(const struct engine *e, const struct published_port *p)
{
	const struct placement *where = places_placement(e->places);
	const struct plan_role *r = published_role(e, p);
	bool own;
	const struct plan_port *port = find_declared(r, p, &own);

	if (port && own)
		return where->port(where->context, e->job, r, p->index, port->name);
	return port ? port->port : p->number;
}

/* Appends "; it declares http, metrics". */
static void put_declared(const struct plan_role *r, struct buf *out)
{
	buf_z(out, r->main.nports ? "; it declares " : "; it declares none");
	for (size_t i = 0; i < r->main.nports; i++)
		buf_printf(out, "%s%.*s", i ? ", " : "", STR_ARG(r->main.ports[i].name));
}

static void check_published(struct engine *e, const struct published_port *p, struct buf *why)
{
	const struct plan_role *r = published_role(e, p);
	size_t before = why->n;
	bool own;

	buf_printf(why, "--publish %.*s: ", STR_ARG(p->text));
	if (!r) {
		buf_printf(why, "unknown role '%.*s'\n", STR_ARG(p->role));
	} else if (p->index >= r->max) {
		buf_printf(why, "role '%.*s' has replicas 0 to %lld, not %lld\n", STR_ARG(r->name),
			(long long)r->max - 1, (long long)p->index);
	} else if (find_declared(r, p, &own)) {
		why->n = before;
	} else if (!p->number) {
		buf_printf(why, "role '%.*s' has no port '%.*s'", STR_ARG(r->name), STR_ARG(p->port));
		put_declared(r, why);
		buf_z(why, "; for a port that is not declared, write its number\n");
	} else if (e->options->isolate == ISOLATE_NONE) {
		buf_printf(why,
			"role '%.*s' does not declare port %lld, so what listens there is at 127.0.0.1:%lld of this "
			"machine already",
			STR_ARG(r->name), (long long)p->number, (long long)p->number);
		put_declared(r, why);
		buf_char(why, '\n');
	} else {
		why->n = before;
		launch_note(e->launch,
			"role '%.*s' does not declare port %lld, which is published: its program has to listen there "
			"by itself",
			STR_ARG(r->name), (long long)p->number);
	}
}

void publish_check(struct engine *e, struct buf *why)
{
	for (size_t i = 0; i < e->options->npublished; i++)
		check_published(e, published(e, i), why);
}

struct replica_socket {
	const struct engine *engine;
	size_t replica;
};

static int socket_of(void *context, int family)
{
	const struct replica_socket *s = context;

	return isolation_socket(s->engine->iso, s->replica, family);
}

static int dial_replica(void *context, size_t i, unsigned try)
{
	struct engine *e = context;
	const struct published_port *p = published(e, i);
	unsigned role = (unsigned)(published_role(e, p) - e->job->roles);
	struct replica_socket s = { e, places_number(e->places, role, p->index) };
	const struct replica *r = &e->replicas[s.replica];

	if (r->phase == PHASE_IDLE || r->phase == PHASE_GONE)
		return DIAL_NONE;
	return publish_dial(socket_of, &s, e->options->isolate == ISOLATE_REPLICA ? network_address(s.replica) : 0,
		inner_port(e, p), try);
}

static bool listen_for(struct engine *e, size_t i, int *ret, struct str *why)
{
	const struct published_port *p = published(e, i);
	const struct plan_role *r = published_role(e, p);
	bool own;
	const struct plan_port *port = find_declared(r, p, &own);
	int64_t number = p->host >= 0 ? p->host : port ? port->port : p->number;

	*ret = e->options->dry ? -1 : forward_listen(&number);
	e->host_ports[i] = number;
	if (e->options->dry)
		return true;
	if (*ret < 0) {
		*why = publish_refused(e->arena, "--publish ", p, number, errno);
		return false;
	}
	launch_note(e->launch, "%.*s/%lld:%.*s is at 127.0.0.1:%lld", STR_ARG(p->role), (long long)p->index,
		STR_ARG(p->port), (long long)number);
	return true;
}

bool publish_open(struct engine *e, struct str *why)
{
	struct forward_ops ops = { e, dial_replica };
	size_t n = e->options->npublished, open = 0;
	int *listeners = ARENA_ARRAY(e->arena, int, n);

	e->host_ports = ARENA_ARRAY(e->arena, int64_t, n);
	while (open < n && listen_for(e, open, &listeners[open], why))
		open++;
	if (open == n && n && !e->options->dry) {
		e->forward = forward_open(e->arena, listeners, n, &ops);
		if (!e->forward)
			*why = str_printf(e->arena, "cannot publish ports: %.*s", STR_ARG(file_reason(e->arena,
				errno)));
		return e->forward;
	}
	for (size_t i = 0; i < open && !e->options->dry; i++)
		close(listeners[i]);
	return open == n;
}

void publish_describe(struct engine *e)
{
	for (size_t i = 0; i < e->options->npublished && e->host_ports; i++) {
		const struct published_port *p = published(e, i);
		struct run_replica *r = &e->state->roles[published_role(e, p) - e->job->roles].at[p->index];
		r->published = str_printf(e->arena, "%.*s%s%.*s=%lld", STR_ARG(r->published),
			r->published.n ? "," : "", STR_ARG(p->port), (long long)e->host_ports[i]);
	}
}

void publish_close(struct engine *e)
{
	if (e->forward)
		forward_close(e->forward);
	e->forward = NULL;
}
