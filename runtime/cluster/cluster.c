/*
 * cluster.c - shared by all commands about a cluster: the cluster of the session, signals while
 * requests are sent, the namespace and the parent of a run, and the meaning of failed answers.
 */
#include "runtime/cluster/cluster.h"

#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/words.h"
#include "runtime/status/look.h"

struct cluster *cluster_of(const struct session *s) { return s->backend_own; }

/* The time within which requests in flight must end after a signal. */
#define LEAVE_LIMIT (5 * NS_PER_SECOND)
/* The time within which the last requests of an interrupted command must end. */
#define LAST_LIMIT (2 * NS_PER_SECOND)

/* Ends the requests in flight, because the time of --timeout, or the time after a signal, is up. */
static void on_due(struct loop_timer *t)
{
	struct cluster *k = t->to;

	k->late = !k->interrupted;
	k->interrupted = true;
	k->waited = calls_cut(k->client.calls, k->arena);
	loop_stop(k->client.loop);
}

/*
 * Handles a signal: the first signal stops new requests, and requests in flight may finish. The second signal ends the
 * process.
 */
static void heard(void *to, int signal)
{
	struct cluster *k = to;

	if (k->signal)
		_exit(128 + signal);
	k->interrupted = true;
	k->late = false;
	k->signal = signal;
	loop_timer_set(k->client.loop, &k->due, LEAVE_LIMIT);
	calls_stop(k->client.calls);
	loop_stop(k->client.loop);
}

/* Ends the last requests. */
static void on_last_due(struct loop_timer *t)
{
	struct cluster *k = t->to;

	calls_cut(k->client.calls, k->arena);
	loop_stop(k->client.loop);
}

void cluster_last_requests(struct cluster *k, bool begin)
{
	k->due.fire = begin ? on_last_due : on_due;
	if (begin) {
		calls_go_on(k->client.calls);
		loop_timer_set(k->client.loop, &k->due, LAST_LIMIT);
	} else {
		loop_timer_drop(k->client.loop, &k->due);
		calls_stop(k->client.calls);
	}
}

static void watch_time(struct cluster *k)
{
	int64_t left = k->deadline - clock_steady();

	k->due = (struct loop_timer){ .fire = on_due, .to = k };
	if (k->deadline)
		loop_timer_set(k->client.loop, &k->due, left > 0 ? left : 0);
}

void cluster_listen(struct cluster *k, bool listen)
{
	sigset_t set;

	if (k->listening == listen)
		return;
	k->listening = listen;
	if (!listen) {
		loop_timer_drop(k->client.loop, &k->due);
		loop_signals_drop(k->client.loop);
		return;
	}
	watch_time(k);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	loop_signals(k->client.loop, &set, heard, k);
}

int cluster_interrupted(const struct cluster *k) { return k->signal ? 128 + k->signal : STATUS_TIMEOUT; }

bool cluster_watches_kind(const struct resource *r)
{
	static const char *const passive[] = { "Pod", "Job", "Service", "ConfigMap", "Secret", "ServiceAccount",
		"Namespace", "TrainingRuntime", NULL };

	/* Volcano's Job has the name of another kind, but it holds a whole run */
	return r->namespaced && (str_is(r->group, "batch.volcano.sh") || !text_among(r->kind, passive));
}

struct str cluster_namespace(const struct cluster *k, struct str program)
{
	struct str given = option_value(k->session->options, OPTION_NAMESPACE);

	return given.n ? given : program.n ? program : k->client.access.namespace;
}

void cluster_say_late(struct cluster *k, const char *then)
{
	struct str waited = k->waited;

	k->waited = STR("");
	if (k->late_said)
		session_say(k->session, "%s", then);
	else
		session_say(k->session, "the time is up%s%.*s; %s", waited.n ? ": " : "", STR_ARG(waited), then);
	k->late_said = true;
}

static void cluster_pause_over(struct loop_timer *t) { loop_stop(t->to); }

void cluster_pause(struct cluster *k, int64_t ns)
{
	struct loop_timer timer = { .fire = cluster_pause_over, .to = k->client.loop };

	loop_timer_set(k->client.loop, &timer, ns);
	while (loop_timer_armed(&timer) && !k->interrupted)
		loop_run(k->client.loop);
	loop_timer_drop(k->client.loop, &timer);
}

struct str cluster_random(struct arena *a)
{
	unsigned char bytes[6];

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		memset(bytes, 0, sizeof bytes);
	return str_printf(a, "%02x%02x%02x%02x%02x%02x", bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]);
}

int cluster_say(struct cluster *k, const struct answer *x)
{
	bool late = k->late && !k->late_said && !x->stopped;

	/* if a timeout has cut off several requests, only the first of them is reported */
	if (!x->stopped && (late || x->status != STATUS_TIMEOUT))
		session_say(k->session, "%s%.*s", late ? "the time is up: " : "", STR_ARG(x->error));
	k->late_said = k->late_said || late;
	return k->interrupted ? cluster_interrupted(k) : x->status;
}

/* Will further requests fail as well, because the connection or the credential is missing? */
static bool is_hopeless(const struct answer *x)
{
	return x->code == 401 || x->class == CALL_CONFIGURATION || (x->class == CALL_UNAVAILABLE &&
		x->outcome != TRANSPORT_ANSWERED && x->outcome != TRANSPORT_STOPPED);
}

/*
 * Reports why a parent could not be read. If further requests would fail for the same reason, cluster_parent() sends no
 * more of them.
 */
static int say_unread(struct cluster *k, const struct answer *x)
{
	int status = cluster_say(k, x);

	if (is_hopeless(x))
		k->hopeless = status;
	return status;
}

bool cluster_parent(struct cluster *k, struct str run, struct str ns, struct parent *ret, int *ret_status)
{
	const struct data *object = map_get(&k->parents, str_cat(k->arena, ns, STR("/"), run));
	struct str why;

	*ret = (struct parent){ .run = run, .ns = ns };
	*ret_status = k->hopeless;
	if (k->hopeless)
		return false;
	if (!object && map_get(&k->listed, ns))
		return true;
	if (!object) {
		struct answer *x = request_get(&k->client, k->arena, applyset_parent_path(k->arena, ns, run));
		if (x->class == CALL_NOT_FOUND)
			return true;
		if (x->class != CALL_DONE || !x->data) {
			*ret_status = say_unread(k, x);
			return false;
		}
		object = x->data;
	}
	if (parent_read(k->arena, object, ret, &why))
		return true;
	session_say(k->session, "%.*s", STR_ARG(why));
	*ret_status = STATUS_CONFLICT;
	return false;
}

/* Lists the parents of runs, which have a label of their own. */
const struct answer *cluster_parents(struct cluster *k, struct str ns, struct chosen *ret)
{
	struct member_query q = { .resource = *resource_known(STR(""), STR("ConfigMap")), .ns = ns,
		.selector = STR("trainc.dev/run"), .keep = record_list_keep };
	struct members all = members_list(&k->client, k->arena, &q, 1);

	k->parents_skipped += all.skipped;
	for (size_t i = 0; i < all.n && !all.failed; i++) {
		struct chosen_run r = { .name = status_label(all.at[i].object, "trainc.dev/run"), .ns = all.at[i].ns };
		if (!str_eq(all.at[i].name, applyset_parent_name(k->arena, r.name)))
			continue;               /* the label names a run that this ConfigMap is not the record of */
		if (ret)
			ARENA_PUSH(k->arena, ret->at, ret->n, r);
		map_put(&k->parents, k->arena, str_cat(k->arena, r.ns, STR("/"), r.name),
			(void *)(uintptr_t)all.at[i].object);
	}
	return all.failed;
}

bool cluster_list_parents(struct cluster *k, struct str ns)
{
	size_t skipped = k->parents_skipped;
	const struct answer *failed = map_get(&k->listed, ns) ? NULL : cluster_parents(k, ns, NULL);

	if (failed && is_hopeless(failed))
		say_unread(k, failed);
	if (failed)
		return false;
	if (k->parents_skipped == skipped)      /* otherwise a record that is not in the list may exist */
		map_put(&k->listed, k->arena, ns, k);
	return true;
}
