/* supervise.c - the options, signals and the main loop of the controller. */
#include "runtime/supervise/supervise.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/system.h"
#include "base/words.h"
#include "kube/image.h"
#include "kube/limits.h"
#include "runtime/supervise/admission.h"
#include "runtime/supervise/budget.h"
#include "runtime/supervise/deploy.h"
#include "runtime/supervise/deploy_options.h"
#include "runtime/supervise/lease.h"
#include "runtime/supervise/listen.h"
#include "runtime/supervise/log.h"
#include "runtime/supervise/manifest.h"
#include "runtime/supervise/pass.h"
#include "runtime/supervise/run_pass.h"
#include "runtime/supervise/spaces.h"
#include "runtime/supervise/supervise_jobs.h"
#include "runtime/supervise/supervise_kinds.h"
#include "runtime/supervise/supervised.h"
#include "runtime/supervise/tenant.h"
#include "runtime/supervise/tenant_metrics.h"
#include "runtime/supervise/useless.h"
#include "runtime/supervise/watches.h"

/* At the end: the longest time in which passes get their last answers, and the interval at which this is checked. */
#define LEAVE_WITHIN (5 * NS_PER_SECOND)
#define LEAVE_LOOK (NS_PER_SECOND / 50)
#define REPEAT_SAID_EVERY (60 * NS_PER_SECOND)
enum {
	/* of these, one namespace alone gets 8 passes and 32 requests: share.h */
	PASSES_AT_ONCE = 10, REQUESTS_AT_ONCE = 40,
	LARGE = 64 << 10                /* freed pieces of memory of at least this size are returned to the system */
};

struct supervisor {
	struct controller control;
	struct watches *watches;
	struct lease *lease;            /* the Lease of this process; NULL: the process needs no Lease, or does not hold
					 * `shards` yet */
	/*
	 * the Lease that all shards hold together, so that controllers with another number of shards, or without
	 * shards, do not work meanwhile. NULL: one controller does all the work.
	 */
	struct lease *shards;
	struct listen *listen, *probes; /* servers of --listen and --probes; NULL: there is none */
	struct loop_timer leaving;      /* armed from the signal that ends the controller until its passes have ended */
	int64_t leave_by;               /* by loop_now(): when the controller stops waiting for them; 0: it works */
	int64_t repeat_said;            /* by loop_now(): when the log last named a change that is tried again */
	int status;                     /* exit status */
};

/*
 * Writes into the log, once a minute, which change the server does not take: before --retry-timeout has passed nothing
 * else tells of it. watches.c tells of watches.
 */
static void repeats(void *to, const struct transport_request *r, struct str why, int64_t wait_ns, int64_t since_ns)
{
	struct supervisor *u = to;
	int64_t now = loop_now(u->control.client.loop);

	if (r->method == TRANSPORT_GET || since_ns + wait_ns < NS_PER_SECOND ||
	    (u->repeat_said && now - u->repeat_said < REPEAT_SAID_EVERY))
		return;
	u->repeat_said = now;
	log_line("warning", STR(""), "%.*s; trying again", STR_ARG(why));
}

/* ---- which controller works ---- */

static void open_if_ready(struct supervisor *u)
{
	bool leads = u->lease ? lease_held(u->lease) : !u->shards;

	u->control.metrics.leader = leads;
	queue_open(&u->control.queue, leads && watches_current(u->watches) && !u->leave_by);
}

static void lease_gained(void *to) { open_if_ready(to); }

/* Called when another controller may hold a Lease of ours and may write: ends this process. */
static void lease_lost(void *to)
{
	struct supervisor *u = to;

	log_line("error", STR(""), "ends: another process may hold the Lease");
	u->status = STATUS_CONFLICT;
	loop_stop(u->control.client.loop);
}

static void log_waiting(struct supervisor *u)
{
	struct buf b = { 0 };

	watches_missing(u->watches, &b);
	log_line("info", STR(""), "waits until all watches are live again: %.*s", STR_ARG(buf_text(&b)));
	buf_release(&b);
}

static void watches_turned(struct controller *c)
{
	struct supervisor *u = c->owner;

	if (watches_current(u->watches))
		log_line("info", STR(""), "all watches are live: %zu jobs and runs, %zu objects of theirs", c->njobs,
			c->store.n + c->run_objects.n);
	else
		log_waiting(u);
	open_if_ready(u);
}

/* ---- probes ---- */

static void fill_gauges(struct controller *c)
{
	const struct transport_counts *t = transport_counted(c->client.transport);
	struct metrics *m = &c->metrics;

	m->queue_depth = c->queue.depth;
	m->queue_added = c->queue.added;
	m->queue_retried = c->queue.retried;
	m->jobs = c->njobs;
	m->objects = c->store.n + c->run_objects.n;
	m->requests = t->requests;
	m->request_failures = t->failures;
	m->request_retries = t->retries;
	m->connections = t->connections;
}

/* Answers /healthz and /readyz. */
static int answer_probe(void *to, struct str path, struct buf *out)
{
	struct supervisor *u = to;

	if (str_is(path, "/readyz") && !watches_ready(u->watches, out))
		return 503;
	if (str_is(path, "/healthz") || str_is(path, "/readyz")) {
		if (!out->n)
			buf_z(out, "ok\n");
		return 200;
	}
	buf_z(out, "the paths are /healthz and /readyz, and /metrics on the address of --listen\n");
	return 404;
}

/* Answers /metrics, and probes as well. */
static int answer_all(void *to, struct str path, struct buf *out)
{
	struct supervisor *u = to;

	if (!str_is(path, "/metrics"))
		return answer_probe(to, path, out);
	fill_gauges(&u->control);
	if (u->watches)
		watches_measure(u->watches);
	tenant_metrics_page(&u->control, out);
	metrics_page(&u->control.metrics, out);
	return 200;
}

/* ---- signals ---- */

/* After SIGUSR1, logs the state of jobs, watches and requests in a form for people. */
static void dump(struct supervisor *u)
{
	struct buf b = { 0 };

	jobs_dump(&u->control, &b);
	watches_dump(u->watches, &b);
	calls_dump(u->control.client.calls, &b);
	transport_dump(u->control.client.transport, &b);
	for (size_t at = 0; at < b.n;) {
		const char *newline = memchr(b.p + at, '\n', b.n - at);
		size_t n = newline ? (size_t)(newline - b.p) - at : b.n - at;
		log_line("dump", STR(""), "%.*s", (int)n, b.p + at);
		at += n + 1;
	}
	buf_release(&b);
}

static void given_back(void *to)
{
	struct supervisor *u = to;

	loop_stop(u->control.client.loop);
}

/*
 * Ends this process when the passes under way have ended: another controller works as soon as the Lease is released,
 * and must not be overtaken by our requests. A second signal ends the wait.
 */
static void leave_when_idle(struct loop_timer *t)
{
	struct supervisor *u = t->to;
	struct loop *l = u->control.client.loop;

	if (u->control.queue.running && loop_now(l) < u->leave_by)
		loop_timer_set(l, &u->leaving, LEAVE_LOOK);
	else if (u->lease)
		lease_give_back(u->lease, given_back);
	else
		loop_stop(l);
}

static void heard(void *to, int signal)
{
	struct supervisor *u = to;

	if (signal == SIGUSR1) {
		dump(u);
		return;
	}
	log_line("info", STR(""), "ends: %s", signal == SIGINT ? "interrupted" : "terminated");
	queue_open(&u->control.queue, false);
	u->leave_by = loop_now(u->control.client.loop) + (u->leave_by ? 0 : LEAVE_WITHIN);
	leave_when_idle(&u->leaving);
}

static bool listen_to_signals(struct supervisor *u)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR1);
	return loop_signals(u->control.client.loop, &set, heard, u);
}

/* ---- options ---- */

static struct str identity(struct arena *a)
{
	char host[256] = "";

	if (gethostname(host, sizeof host - 1) != 0)
		host[0] = '\0';
	return str_printf(a, "%s_%lld", host[0] ? host : "trainc", (long long)getpid());
}

static unsigned operator_minor(const struct session *s)
{
	struct str version = option_value(s->options, OPTION_OPERATOR);

	return str_is(version, "1.7") ? 7 : str_is(version, "1.9") ? 9 : 0;
}

/* The cluster domain: from the option, else from the variable that the training operator reads; may be empty. */
static struct str domain_of(const struct session *s)
{
	const char *variable = getenv("CUSTOM_CLUSTER_DOMAIN");

	return option_given(s->options, OPTION_DOMAIN) || !variable ? option_value(s->options, OPTION_DOMAIN)
		: str_of(variable);
}

/* Checks the cluster domain now. With an invalid one every job would be refused. */
static bool is_domain_right(struct session *s)
{
	struct str domain = domain_of(s), rest = domain;

	while (rest.n) {
		const char *dot = memchr(rest.p, '.', rest.n);
		struct str label = { rest.p, dot ? (size_t)(dot - rest.p) : rest.n };
		bool last = !dot || label.n + 1 == rest.n;
		if (!kube_dns_label(label) || (dot && last)) {
			session_say(s, "%s: '%.*s' is not a cluster domain: it consists of labels of lower case "
				"letters, digits and '-', with dots between them, such as cluster.local",
				option_given(s->options, OPTION_DOMAIN) ? "--domain" : "CUSTOM_CLUSTER_DOMAIN",
				STR_ARG(domain));
			return false;
		}
		rest = last ? STR("") : (struct str){ dot + 1, rest.n - label.n - 1 };
	}
	return true;
}

static struct custom_options custom_options(const struct session *s)
{
	struct str gang = option_value(s->options, OPTION_GANG);

	return (struct custom_options){ .minor = operator_minor(s), .gang = str_is(gang, "none") ? STR("") : gang,
		.init_image = option_value(s->options, OPTION_INIT_IMAGE),
		.delivery_image = option_value(s->options, OPTION_DELIVERY_IMAGE), .domain = domain_of(s),
		.job_label = STORE_LABEL };
}

/* The name of the Lease; empty: no Lease is used. */
static struct str lease_name(const struct controller *c)
{
	struct str name = option_value(c->session->options, OPTION_LEASE);

	return name.n || c->shard.total == 1 ? name : STR(MANIFEST_NAME);
}

/* Starts the server of an option; returns true without one if the option is not given. */
static bool start_server(struct supervisor *u, enum option option, listen_answer answer, struct listen **ret)
{
	struct session *s = u->control.session;
	struct listen_options o = { .option = option_row(option)->word, .address = option_value(s->options, option),
		.answer = answer, .to = u };
	struct str why = STR("");

	if (!o.address.n)
		return true;
	*ret = listen_start(s->arena, u->control.client.loop, &o, &why);
	if (!*ret) {
		session_say(s, "%.*s", STR_ARG(why));
		u->status = STATUS_USAGE;
	}
	return *ret != NULL;
}

static bool start_servers(struct supervisor *u)
{
	return start_server(u, OPTION_LISTEN, answer_all, &u->listen) &&
		start_server(u, OPTION_PROBES, answer_probe, &u->probes);
}

/* Starts the Lease of this process's shard, after the common Lease of all shards has been gained. */
static void shards_gained(void *to)
{
	struct supervisor *u = to;
	struct controller *c = &u->control;
	struct lease_options o = { .client = &c->client, .ns = c->client.access.namespace,
		.name = shard_lease(c->session->arena, &c->shard, lease_name(c)), .identity = c->identity,
		.gained = lease_gained, .lost = lease_lost, .to = u };

	u->lease = lease_start(&o);
}

static void start_leases(struct supervisor *u)
{
	struct controller *c = &u->control;
	struct lease_options o = { .client = &c->client, .ns = c->client.access.namespace, .name = lease_name(c),
		.identity = c->identity, .gained = lease_gained, .lost = lease_lost, .to = u };

	if (c->shard.total > 1) {
		o.identity = shard_holder(c->session->arena, &c->shard);
		o.shared = true;
		o.gained = shards_gained;
		u->shards = lease_start(&o);
	} else if (o.name.n) {
		u->lease = lease_start(&o);
	}
}

static void say_begin(const struct controller *c)
{
	struct buf b = { 0 };

	buf_printf(&b, "trainc supervise starts: %.*s", STR_ARG(c->client.access.server));
	if (c->ns.n)
		buf_printf(&b, ", namespace %.*s", STR_ARG(c->ns));
	if (c->selector.n)
		buf_printf(&b, ", namespaces with the label %.*s", STR_ARG(c->selector));
	if (c->shard.total > 1)
		buf_printf(&b, ", shard %u of %u", c->shard.number, c->shard.total);
	log_line("info", STR(""), "%.*s", (int)b.n, b.p);
	buf_release(&b);
}

static void run(struct supervisor *u)
{
	struct controller *c = &u->control;

	if (!listen_to_signals(u)) {
		session_say(c->session, "cannot listen to signals: %s", strerror(errno));
		u->status = STATUS_INTERNAL;
		return;
	}
	if (!start_servers(u))
		return;
	say_begin(c);
	start_leases(u);
	u->watches = watches_start(c, watches_turned);
	loop_run(c->client.loop);
}

/* Starts a pass for an item of the queue. */
static void work(struct queue_item *i)
{
	const struct supervised *j = i->to;
	const struct supervisor *u = j->control->owner;

	if (useless_holds(j)) {
		queue_done(i, true, 0);
	} else if (!watches_cover(u->watches, j->kind == &run_record_kind)) {
		queue_done(i, true, 0);
		queue_after(i, NS_PER_SECOND);
	} else if (j->kind == &run_record_kind) {
		run_pass_begin(i);
	} else {
		pass_begin(i);
	}
}

/*
 * Checks the images of the options now. With an invalid image a pod would never start, and the error would only show
 * long after the controller has started.
 */
static bool are_images_right(struct session *s)
{
	static const enum option images[] = { OPTION_IMAGE, OPTION_INIT_IMAGE, OPTION_DELIVERY_IMAGE };

	for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
		struct str image = option_value(s->options, images[i]);
		const char *why = option_given(s->options, images[i]) ? kube_image_fault(image) : NULL;
		if (!why)
			continue;
		session_say(s, "--%s: '%.*s' is not an image reference: %s; an image is written registry/path:tag or "
			"registry/path@sha256:...", option_row(images[i])->word, STR_ARG(image), why);
		return false;
	}
	return true;
}

/* Checks that the options fit together. */
static bool is_usage_right(struct session *s)
{
	static const enum option only[] = { OPTION_OPERATOR, OPTION_GANG, OPTION_INIT_IMAGE,
		OPTION_DELIVERY_IMAGE, OPTION_DOMAIN };

	for (size_t i = 0; i < sizeof only / sizeof *only; i++)
		if (option_given(s->options, only[i]) && !option_given(s->options, OPTION_KUBEFLOW) &&
		    !option_given(s->options, OPTION_ANCESTORS)) {
			session_say(s, "--%s is about the kinds of the training operator: add --kubeflow",
				option_row(only[i])->word);
			return false;
		}
	if (option_given(s->options, OPTION_POLICY) && option_given(s->options, OPTION_MANIFEST)) {
		session_say(s, "--manifest and --policy write different objects: ask for one of them at a time");
		return false;
	}
	if (option_given(s->options, OPTION_KINDS) && !option_given(s->options, OPTION_KUBEFLOW)) {
		session_say(s, "--kinds chooses among the kinds of the training operator: add --kubeflow");
		return false;
	}
	if (option_given(s->options, OPTION_KINDS) && option_given(s->options, OPTION_POLICY)) {
		session_say(s, "--policy is about all kinds of the training operator: leave out --kinds");
		return false;
	}
	return are_images_right(s) && is_domain_right(s) &&
		(option_given(s->options, OPTION_MANIFEST) || deploy_options_absent(s));
}

int supervise(struct session *s)
{
	struct supervisor u = { .control = { .session = s, .ns = option_value(s->options, OPTION_NAMESPACE),
		.identity = identity(s->arena), .custom = custom_options(s), .owner = &u },
		.leaving = { .fire = leave_when_idle, .to = &u } };
	struct client_options o = { .in_flight = REQUESTS_AT_ONCE, .retrying = repeats, .to = &u };
	struct controller *c = &u.control;
	int status = STATUS_DONE;

	c->runs = true;
	if (!is_usage_right(s) || !kinds_read(s, c) || !shard_read(s, &c->shard) || !spaces_read(s, c) ||
	    !budget_read(s, c))
		return STATUS_USAGE;
	if (option_given(s->options, OPTION_POLICY))
		return admission_write(s);
	if (option_given(s->options, OPTION_MANIFEST))
		return deploy_write(c);
	if (!client_open(&c->client, s, &o, &status))
		return status;
	/*
	 * A plan needs as much memory as the data of hundreds of jobs. The data of jobs is kept for days, and the free
	 * memory between it would rarely be used again, so large pieces are returned to the system.
	 */
	system_tune_heap(LARGE, false);         /* threads only look up names */
	c->store.count = c->run_objects.count = budget_count_object;
	c->store.to = c->run_objects.to = c;
	queue_init(&c->queue, c->client.loop, PASSES_AT_ONCE, work);
	run(&u);
	watches_stop(u.watches);
	lease_stop(u.lease);
	lease_stop(u.shards);
	listen_stop(u.listen);
	listen_stop(u.probes);
	loop_timer_drop(c->client.loop, &u.leaving);
	budget_stop(c);
	loop_signals_drop(c->client.loop);
	calls_release(c->client.calls);
	passes_release(c);
	run_passes_release(c);
	jobs_release(c);
	useless_release(c);
	tenants_release(c);
	store_release(&c->store);
	store_release(&c->run_objects);
	client_close(&c->client);
	return u.status;
}
