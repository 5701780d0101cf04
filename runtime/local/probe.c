/*
 * probe.c - finds out whether a container is ready, as the kubelet does with a startup probe. A process in the same
 * namespaces as the container connects, sends an HTTP request or runs a command, until the first success or until the
 * container's time is over. Every probe is a separate process, because only a process can enter the network and the
 * files of a replica. It has its own process group, and an alarm ends it if no answer comes.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/local/engine_internal.h"
#include "runtime/local/mark.h"

enum { FIRST_PAUSE = SECOND / 20, LONGEST_PAUSE = SECOND, PROBE_SECONDS = 5 };

/* The task of a probe; the child has a copy of it. */
struct probe_question {
	struct sockaddr_in address;
	const char *request;            /* the HTTP request; NULL: connecting is enough */
};

static const struct plan_container *plan_of(const struct engine *e, const struct container *c)
{
	return launch_container(&e->job->roles[c->replica->role], c->k);
}

/* ---- in the child ---- */

static bool write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t done = send(fd, s, n, MSG_NOSIGNAL);
		if (done < 0)
			return false;
		s += done;
		n -= (size_t)done;
	}
	return true;
}

/* Does the answer begin like "HTTP/1.1 204", with a status of 200 to 399? */
static bool good_status(int fd)
{
	char line[16] = "";
	size_t n = 0;

	while (n < 12) {
		ssize_t got = recv(fd, line + n, 12 - n, 0);
		if (got <= 0)
			return false;
		n += (size_t)got;
	}
	return memcmp(line, "HTTP/1.", 7) == 0 && (line[9] == '2' || line[9] == '3');
}

/* Runs the probe in the child; returns the child's exit status. */
static int run_probe(const void *context)
{
	const struct probe_question *q = context;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&q->address, sizeof q->address) < 0)
		return 1;
	return !q->request || (write_all(fd, q->request, strlen(q->request)) && good_status(fd)) ? 0 : 1;
}

/* ---- in the keeper ---- */

static int64_t port_of(const struct engine *e, const struct container *c, struct str name)
{
	const struct plan_role *role = &e->job->roles[c->replica->role];
	const struct plan_container *plan = plan_of(e, c);
	const struct placement *p = places_placement(e->places);

	if (plan == &role->main)
		return p->port(p->context, e->job, role, c->replica->index, name);
	for (size_t i = 0; i < plan->nports; i++)       /* a sidecar listens at the ports that it declares */
		if (str_eq(plan->ports[i].name, name))
			return plan->ports[i].port;
	return 0;
}

static void set_question(struct engine *e, const struct container *c, struct arena *a, struct probe_question *q)
{
	const struct plan_probe *p = plan_of(e, c)->ready;
	size_t number = places_number(e->places, c->replica->role, c->replica->index);
	struct str host = isolation_address(e->iso, number);
	int64_t port = port_of(e, c, p->port);

	*q = (struct probe_question){ .address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) } };
	inet_pton(AF_INET, str_copy(a, host).p, &q->address.sin_addr);
	if (p->kind == PROBE_HTTP)
		q->request = str_printf(a, "GET %.*s HTTP/1.1\r\nHost: %.*s:%lld\r\nUser-Agent: trainc\r\nAccept: "
			"*/*\r\nConnection: close\r\n\r\n",
			STR_ARG(p->path), STR_ARG(host), (long long)port).p;
}

static bool start(struct engine *e, struct container *c, struct arena *a)
{
	const struct plan_probe *p = plan_of(e, c)->ready;
	struct probe_question question;
	struct launched what;
	struct spawned child;
	struct str why;
	const struct replica *r = c->replica;
	int64_t attempt = e->state->roles[r->role].at[r->index].attempts;

	if (!launch_make(e->launch, a, r->role, r->index, c->k, attempt, &what, &why))
		return false;
	struct spawn s = { .candidates = what.candidates, .argv = what.argv, .envp = what.envp, .cwd = what.cwd,
		.isolation = e->iso,
		.replica = places_number(e->places, r->role, r->index), .box = &what.box, .files = e->files,
		.low = &e->low, .output = e->low.null, .seconds = PROBE_SECONDS };
	s.mark = mark_of_replica(e->mark, s.replica);
	s.cpus = processors_of(e->processors, r->role, r->index);
	if (p->kind == PROBE_EXEC) {
		launch_other_words(a, p->command, p->ncommand, &what);
		s.candidates = what.candidates;
		s.argv = what.argv;
	} else {
		set_question(e, c, a, &question);
		s.instead = run_probe;
		s.context = &question;
	}
	if (!spawn_start(&s, &child))
		return false;
	close(child.report);            /* if a probe cannot be started, that counts as no answer */
	c->probe.pid = child.pid;
	return true;
}

void probe_begin(struct engine *e, struct container *c)
{
	const struct plan_probe *p = plan_of(e, c)->ready;

	c->probe = (struct probing){ .due = e->now, .pause = FIRST_PAUSE, .until = e->now + p->within * SECOND };
	e->probing++;
}

void probe_stop(struct engine *e, struct container *c)
{
	if (!c->probe.until)
		return;
	if (c->probe.pid)
		kill(-c->probe.pid, SIGKILL);
	c->probe = (struct probing){ 0 };
	e->probing--;
}

/* Ends a container whose time is over, as the kubelet would. */
static int64_t give_up(struct engine *e, struct container *c)
{
	const struct plan_role *role = &e->job->roles[c->replica->role];
	int64_t grace = role->grace.set ? (int64_t)role->grace.value.nano : LIFE_GRACE_SECONDS * SECOND;
	bool again = c->probe.overdue;

	c->unready = plan_of(e, c)->ready->within;
	c->probe.overdue = true;
	c->probe.until = e->now + grace;
	if (c->pid && kill(-c->pid, again ? SIGKILL : SIGTERM) < 0 && errno == ESRCH)
		kill(c->pid, again ? SIGKILL : SIGTERM);
	return c->probe.until;
}

int64_t probe_tick(struct engine *e, struct container *c)
{
	struct arena a = { 0 };

	if (!c->probe.until)
		return LIFE_NEVER;
	if (e->now >= c->probe.until)
		return give_up(e, c);
	if (c->probe.pid || c->probe.overdue)
		return c->probe.until;
	if (e->now >= c->probe.due && !start(e, c, &a))
		c->probe.due = e->now + LONGEST_PAUSE;  /* no process can be started now: tries later */
	arena_release(&a);
	return c->probe.pid || c->probe.due > c->probe.until ? c->probe.until : c->probe.due;
}

/* The container that the process PID probes, or NULL. */
static struct container *asked_by(const struct engine *e, pid_t pid)
{
	for (size_t i = 0; i < e->nreplicas; i++)
		for (size_t k = 0; k < e->replicas[i].ncontainers; k++)
			if (e->replicas[i].containers[k].probe.pid == pid)
				return &e->replicas[i].containers[k];
	return NULL;
}

struct container *probe_ended(struct engine *e, pid_t pid, int exit_code)
{
	struct container *c = e->probing ? asked_by(e, pid) : NULL;

	if (!c)
		return NULL;
	kill(-pid, SIGKILL);            /* kills processes that a command left behind */
	c->probe.pid = 0;
	if (exit_code == 0 && !c->probe.overdue) {
		probe_stop(e, c);
		return c;
	}
	c->probe.due = e->now + c->probe.pause;
	c->probe.pause = c->probe.pause * 2 > LONGEST_PAUSE ? LONGEST_PAUSE : c->probe.pause * 2;
	return NULL;
}
