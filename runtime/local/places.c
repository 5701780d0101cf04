/* places.c - binds free ports, and gives the addresses of replicas. */
#include "runtime/local/places.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * Libraries use some ports without asking: workers of clusters from 10000 up, rendezvous around 29400 and 29500. LOWEST
 * and the reserved numbers avoid these.
 */
enum { LOWEST = 20000, TRIES = 4096, RESERVED_LOW = 29400, RESERVED_HIGH = 29599 };

struct port {                           /* a port of one replica */
	int64_t number;
	int held;                       /* a socket that is bound to the port, or -1 */
	int claim;                      /* the socket whose name reserves the number as long as the run lasts */
};

struct place_role {
	size_t first;                   /* number of replica 0 of the role, counted over all roles */
	size_t nports;
	struct port *ports;             /* the ports: port K of replica I is at [I * nports + K] */
};

struct places {
	struct arena *arena;
	const struct plan_job *job;
	const struct isolation *iso;
	enum isolate_mode mode;
	struct place_role *roles;
	struct placement placement;
	int64_t next, low, high;        /* numbers are tried in turn, starting at a random one in [low, high) */
	const char *hosts;
};

static const struct place_role *role_of(const struct places *p, const struct plan_role *r)
{
	return &p->roles[r - p->job->roles];
}

static void host(void *context, const struct plan_job *j, const struct plan_role *r, int64_t i, struct buf *out)
{
	const struct places *p = context;

	if (p->mode == ISOLATE_REPLICA)
		plan_host(j, r, i, out);
	else
		buf_str(out, isolation_address(p->iso, role_of(p, r)->first + (size_t)i));
}

static int64_t port(void *context, const struct plan_job *j, const struct plan_role *r, int64_t i, struct str name)
{
	const struct places *p = context;
	const struct place_role *pr = role_of(p, r);
	const struct plan_port *declared = plan_find_port(r, name);

	if (p->mode == ISOLATE_REPLICA || !declared)
		return placement_cluster.port(NULL, j, r, i, name);
	return pr->ports[(size_t)i * pr->nports + (size_t)(declared - r->main.ports)].number;
}

struct places *places_new(struct arena *a, const struct plan_job *j, enum isolate_mode mode)
{
	struct places *p = ARENA_NEW(a, struct places);
	size_t number = 0;

	*p = (struct places){ .arena = a, .job = j, .mode = mode, .placement = { p, host, port } };
	p->roles = ARENA_ARRAY(a, struct place_role, j->nroles);
	for (size_t k = 0; k < j->nroles; k++) {
		const struct plan_role *r = &j->roles[k];
		struct place_role *pr = &p->roles[k];
		size_t n = (size_t)r->max * r->main.nports;
		pr->first = number;
		pr->nports = r->main.nports;
		pr->ports = ARENA_ARRAY(a, struct port, n);
		for (size_t i = 0; i < n; i++)
			pr->ports[i].held = pr->ports[i].claim = -1;
		number += (size_t)r->max;
	}
	return p;
}

/* ---- ports ---- */

static void close_keeping_errno(int fd)
{
	int error = errno;

	close(fd);
	errno = error;
}

/*
 * Binds a socket to the number on every address, for both families if the machine has both. AGAIN: connections that are
 * still closing do not count.
 */
static int bind_number(int64_t number, bool again)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)number),
		.sin6_addr = IN6ADDR_ANY_INIT };
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons((uint16_t)number) };
	int off = 0, on = again, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool bound;

	if (fd >= 0) {
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
		bound = bind(fd, (struct sockaddr *)&six, sizeof six) == 0;
		if (bound)
			return fd;
		close_keeping_errno(fd);
		if (errno != EADDRNOTAVAIL && errno != EAFNOSUPPORT)
			return -1;
	}
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	bound = bind(fd, (struct sockaddr *)&four, sizeof four) == 0;
	if (bound)
		return fd;
	close_keeping_errno(fd);
	return -1;
}

/* Reserves the number against other runs: two sockets cannot have the same name. */
static int claim_number(int64_t number)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int n = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "trainc/port/%d", (int)number);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&name,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) == 0)
		return fd;
	if (fd >= 0)
		close_keeping_errno(fd);
	return -1;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool is_avoided(const struct plan_job *j, int64_t number)
{
	if (number >= RESERVED_LOW && number <= RESERVED_HIGH)
		return true;
	for (size_t k = 0; k < j->nroles; k++)
		for (size_t i = 0; i < j->roles[k].main.nports; i++)
			if (j->roles[k].main.ports[i].port == number)
				return true;
	return false;
}

/*
 * Finds a free port. Numbers that occur in the program are left free, because the program may use them without asking.
 */
static bool find_port(struct places *p, struct port *ret)
{
	for (int tries = 0; tries < TRIES; tries++) {
		int64_t number = p->next++;
		if (p->next == p->high)
			p->next = p->low;
		if (is_avoided(p->job, number))
			continue;
		int claim = claim_number(number);
		if (claim < 0) {
			if (errno != EADDRINUSE)
				return false;
			continue;
		}
		int held = bind_number(number, false);
		if (held >= 0) {
			*ret = (struct port){ number, held, claim };
			return true;
		}
		close_keeping_errno(claim);
		if (errno != EADDRINUSE && errno != EACCES)
			return false;
	}
	errno = EADDRINUSE;
	return false;
}

/* The lowest port that the kernel gives to outgoing connections. */
static int64_t ephemeral_low(void)
{
	FILE *f = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
	int low = 32768;

	if (f && fscanf(f, "%d", &low) != 1)
		low = 32768;
	if (f)
		fclose(f);
	return low;
}

static void range_init(struct places *p)
{
	uint32_t random = (uint32_t)getpid() * 2654435761u;
	int64_t low = ephemeral_low();

	p->low = LOWEST;
	p->high = low >= LOWEST + TRIES ? low : 65536;
	if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
		random ^= (uint32_t)p->high;
	p->next = p->low + random % (p->high - p->low);
}

static bool each_port(struct places *p, bool (*f)(struct places *, struct port *), struct str *why)
{
	for (size_t k = 0; k < p->job->nroles; k++)
		for (size_t i = 0; i < (size_t)p->job->roles[k].max * p->roles[k].nports; i++)
			if (!f(p, &p->roles[k].ports[i])) {
				*why = str_printf(p->arena, "no free port for role '%.*s': %s",
					STR_ARG(p->job->roles[k].name), strerror(errno));
				return false;
			}
	return true;
}

/* ---- names ---- */

static const char *hosts_text(struct places *p)
{
	struct buf b = { 0 };

	for (size_t k = 0; k < p->job->nroles; k++) {
		const struct plan_role *r = &p->job->roles[k];
		for (int64_t i = 0; i < r->max; i++) {
			buf_str(&b, isolation_address(p->iso, p->roles[k].first + (size_t)i));
			buf_char(&b, ' ');
			plan_host(p->job, r, i, &b);
			buf_printf(&b, " %.*s-%lld\n", STR_ARG(r->object), (long long)i);
			/* the address that a program uses when it listens on both families */
			buf_printf(&b, "::ffff:%.*s ",
				STR_ARG(isolation_address(p->iso, p->roles[k].first + (size_t)i)));
			plan_host(p->job, r, i, &b);
			buf_char(&b, '\n');
		}
	}
	struct str text = buf_take(&b, p->arena);
	buf_release(&b);
	return text.p;
}

bool places_open(struct places *p, const struct isolation *iso, struct str *why)
{
	p->iso = iso;
	if (p->mode == ISOLATE_REPLICA) {
		p->hosts = hosts_text(p);
		return true;
	}
	range_init(p);
	return each_port(p, find_port, why);
}

const struct placement *places_placement(const struct places *p) { return &p->placement; }
size_t places_number(const struct places *p, unsigned role, int64_t i) { return p->roles[role].first + (size_t)i; }
const char *places_hosts(const struct places *p) { return p->hosts; }

/* ---- during the run ---- */

static bool let_go(struct port *port)
{
	if (port->held < 0)
		port->held = bind_number(port->number, true);
	if (port->held < 0)
		return false;
	close_fd(&port->held);
	return true;
}

bool places_free(struct places *p, unsigned role, int64_t i, int64_t *ret_taken)
{
	struct place_role *pr = &p->roles[role];

	if (p->mode == ISOLATE_REPLICA)
		return true;
	for (size_t k = 0; k < pr->nports; k++) {
		struct port *port = &pr->ports[(size_t)i * pr->nports + k];
		if (!let_go(port)) {
			*ret_taken = port->number;
			return false;
		}
	}
	return true;
}

static bool renew(struct places *p, struct port *port)
{
	if (port->held >= 0)
		return true;
	port->held = bind_number(port->number, true);
	if (port->held >= 0)
		return true;
	close_fd(&port->claim);
	return find_port(p, port);
}

bool places_again(struct places *p, struct str *why)
{
	return p->mode == ISOLATE_REPLICA || each_port(p, renew, why);
}

static bool drop(struct places *p, struct port *port)
{
	(void)p;
	close_fd(&port->held);
	close_fd(&port->claim);
	return true;
}

void places_release(struct places *p)
{
	struct str why;

	each_port(p, drop, &why);
}
