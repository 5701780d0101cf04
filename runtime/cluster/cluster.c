/*
 * cluster.c - shared by all commands about a cluster: the cluster of the session, signals while
 * requests are sent, the namespace and the parent of a run, and the meaning of failed answers.
 */
#include "runtime/cluster/cluster.h"

#include <signal.h>
#include <unistd.h>

#include "runtime/status/look.h"

struct cluster *cluster_of(const struct session *s) { return s->backend_own; }

/*
 * Handles a signal: the first one stops new requests, and those in flight may finish. The second one ends the process.
 */
static void heard(void *to, int signal)
{
	struct cluster *k = to;

	if (k->interrupted)
		_exit(128 + signal);
	k->interrupted = true;
	k->signal = signal;
	calls_stop(k->client.calls);
	loop_stop(k->client.loop);
}

void cluster_listen(struct cluster *k, bool listen)
{
	sigset_t set;

	if (k->listening == listen)
		return;
	k->listening = listen;
	if (!listen) {
		loop_signals_drop(k->client.loop);
		return;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	loop_signals(k->client.loop, &set, heard, k);
}

struct str cluster_namespace(const struct cluster *k, struct str program)
{
	struct str given = option_value(k->session->options, OPTION_NAMESPACE);

	return given.n ? given : program.n ? program : k->client.access.namespace;
}

int cluster_say(const struct cluster *k, const struct answer *x)
{
	if (!x->stopped)
		session_say(k->session, "%.*s", STR_ARG(x->error));
	return k->interrupted ? 128 + k->signal : x->status;
}

bool cluster_parent(struct cluster *k, struct str run, struct str ns, struct parent *ret, int *ret_status)
{
	const struct data *object = map_get(&k->parents, str_cat(k->arena, ns, STR("/"), run));
	struct str why;

	*ret = (struct parent){ .run = run, .ns = ns };
	if (!object && map_get(&k->listed, ns))
		return true;
	if (!object) {
		struct answer *x = request_get(&k->client, k->arena,
			resource_path(k->arena, resource_known(STR(""), STR("ConfigMap")),
			ns, applyset_parent_name(k->arena, run)));
		if (x->class == CALL_NOT_FOUND)
			return true;
		if (x->class != CALL_DONE || !x->data) {
			*ret_status = cluster_say(k, x);
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
		.selector = STR("trainc.dev/run"), .keep = record_keep };
	struct members all = members_list(&k->client, k->arena, &q, 1);

	for (size_t i = 0; i < all.n && !all.failed; i++) {
		struct chosen_run r = { .name = status_label(all.at[i].object, "trainc.dev/run"), .ns = all.at[i].ns };
		if (ret)
			ARENA_PUSH(k->arena, ret->at, ret->n, r);
		map_put(&k->parents, k->arena, str_cat(k->arena, r.ns, STR("/"), r.name),
			(void *)(uintptr_t)all.at[i].object);
	}
	return all.failed;
}

bool cluster_list_parents(struct cluster *k, struct str ns)
{
	if (!map_get(&k->listed, ns) && cluster_parents(k, ns, NULL))
		return false;
	map_put(&k->listed, k->arena, ns, k);
	return true;
}
