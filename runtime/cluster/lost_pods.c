/* lost_pods.c - `delete --force-node`: finds pods on nodes that do not answer, and removes them. */
#include "runtime/cluster/lost_pods.h"

#include "data/data_write.h"
#include "runtime/command/runs.h"
#include "runtime/status/look.h"

enum { NAMED_PODS = 8 };                /* maximum number of pods that a message names */

static bool has_nodes(const struct members *all)
{
	bool any = false;

	for (size_t i = 0; i < all->n; i++)
		any = any || str_is(all->at[i].resource.kind, "Node");
	return any && !all->skipped;
}

static bool node_answers(const struct members *all, struct str name)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct member *m = &all->at[i];
		if (str_is(m->resource.kind, "Node") && str_eq(m->name, name))
			return status_condition_true(m->object, "Ready");
	}
	return false;
}

bool lost_pods_find(struct cluster *k, struct str ns, struct str name, struct lost_pods *ret, int *ret_status)
{
	static const char *const pod[] = { "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
		NULL };
	static const char *const node[] = { "metadata.name", "metadata.uid", "status.conditions", NULL };
	struct member_query q[] = {
		{ .resource = *resource_known(STR(""), STR("Node")), .keep = node },
		{ .resource = *resource_known(STR(""), STR("Pod")), .ns = ns, .keep = pod,
			.selector = str_cat(k->arena, STR("trainc.dev/job="), name, STR("")) },
	};
	struct members all = members_list(&k->client, k->arena, q, sizeof q / sizeof *q);

	if (all.failed) {
		*ret_status = cluster_say(k, all.failed);
		return false;
	}
	if (!has_nodes(&all)) {
		session_say(k->session, "the server does not show all nodes, so it is unknown which ones answer");
		*ret_status = STATUS_CONFLICT;
		return false;
	}
	for (size_t i = 0; i < all.n; i++) {
		bool pod_of_run = str_is(all.at[i].resource.kind, "Pod");
		struct str at = pod_of_run ? status_text(all.at[i].object, "spec.nodeName") : STR("");
		size_t n = ret->n;
		if (!at.n || node_answers(&all, at))
			continue;
		ARENA_PUSH(k->arena, ret->at, ret->n, all.at[i]);
		ARENA_PUSH(k->arena, ret->nodes, n, at);
	}
	return true;
}

bool lost_pods_agreed(struct cluster *k, const struct lost_pods *l, int *ret_status)
{
	for (size_t i = 0; i < l->n && i < NAMED_PODS; i++)
		session_say(k->session, "Pod/%.*s is on node '%.*s', which does not answer", STR_ARG(l->at[i].name),
			STR_ARG(l->nodes[i]));
	if (l->n > NAMED_PODS)
		session_say(k->session, "%zu more pods are on such nodes", l->n - NAMED_PODS);
	session_say(k->session, "the cluster forgets %s at once; what runs there may go on, and write to its volumes, "
		"until somebody stops the machine", l->n == 1 ? "this pod" : "these pods");
	return runs_agreed(k->session, "remove pods whose nodes do not answer", "deleted", ret_status);
}

static void add_removal(struct cluster *k, struct batch *b, const struct member *m)
{
	struct buf body = { 0 };

	buf_z(&body, "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"gracePeriodSeconds\":0,"
		"\"preconditions\":{\"uid\":");
	data_write_text(&body, m->uid);
	buf_z(&body, "}}");
	batch_add(b, &(struct transport_request){ .method = TRANSPORT_DELETE, .kind = TRANSPORT_WRITE,
		.path = resource_path(k->arena, &m->resource, m->ns, m->name), .body = buf_take(&body, k->arena) },
		CALL_REPEAT);
	buf_release(&body);
}

int lost_pods_remove(struct cluster *k, const struct lost_pods *l)
{
	struct batch b = batch_new(&k->client, k->arena);
	int status = STATUS_DONE;

	for (size_t i = 0; i < l->n; i++)
		add_removal(k, &b, &l->at[i]);
	batch_wait(&b);
	for (size_t i = 0; i < l->n; i++) {
		const struct answer *x = b.answers[i];
		if (x->class == CALL_DONE)
			session_say(k->session, "Pod/%.*s removed without node '%.*s'", STR_ARG(l->at[i].name),
				STR_ARG(l->nodes[i]));
		else if (!cluster_is_gone(x))
			status = runs_worse(status, cluster_say(k, x));
	}
	return status;
}
