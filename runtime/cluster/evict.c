/*
 * evict.c - `restart` of replicas in a cluster, by eviction: a pod that was evicted has the condition DisruptionTarget,
 * which our Jobs ignore, so that no attempt is used up. A deleted pod would count as a failure. If the code of the role
 * may be replaced, only its program starts again, in the same container.
 */
#include <stdlib.h>

#include "base/words.h"
#include "runtime/cluster/replica_pod.h"
#include "runtime/status/look.h"

enum { TOO_MANY_REQUESTS = 429 };
/* The pause between two attempts while a disruption budget does not allow the eviction. */
#define BUDGET_PAUSE (2 * NS_PER_SECOND)

/* What the server says about the budget that does not allow an eviction. */
static struct str budget_message(const struct answer *x)
{
	for (size_t i = 0; i < x->ncauses; i++)
		if (str_is(x->causes[i].reason, "DisruptionBudget"))
			return x->causes[i].message;
	return x->message;
}

static struct answer *send_eviction(struct cluster *k, const struct replica_pod *p)
{
	struct transport_place place = { .version = STR("v1"), .plural = STR("pods"), .namespace = p->ns,
		.name = p->name, .subresource = STR("eviction") };
	struct transport_request r = { .method = TRANSPORT_POST, .kind = TRANSPORT_WRITE,
		.path = transport_path(k->arena, &place),
		.body = str_printf(k->arena, "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":"
			"{\"name\":\"%.*s\",\"namespace\":\"%.*s\"},\"deleteOptions\":{\"preconditions\":"
			"{\"uid\":\"%.*s\"}}}", STR_ARG(p->name), STR_ARG(p->ns), STR_ARG(p->uid)) };

	return request_send(&k->client, k->arena, &r, CALL_ONCE);
}

/* Evicts the pod, as soon as its disruption budget allows that; false after reporting an error. */
static bool evict_pod(struct cluster *k, const struct replica_pod *p, int *ret_status)
{
	bool said = false;

	for (;;) {
		const struct answer *x = send_eviction(k, p);
		if (x->class == CALL_DONE || cluster_is_gone(x))
			return true;
		if (x->code != TOO_MANY_REQUESTS || k->interrupted) {
			*ret_status = cluster_say(k, x);
			return false;
		}
		if (!said)
			session_say(k->session, "%.*s/%lld waits: %.*s", STR_ARG(p->role), (long long)p->index,
				STR_ARG(name_escaped(k->arena, budget_message(x))));
		said = true;
		cluster_pause(k, BUDGET_PAUSE);
		if (k->interrupted) {
			if (k->late)
				cluster_say_late(k, "the replica was not restarted");
			*ret_status = cluster_interrupted(k);
			return false;
		}
	}
}

bool cluster_restart(struct session *s, struct run_watch *w, struct str role, struct str number, int *ret_status)
{
	struct replica_pod pod;

	if (!replica_pod_find(s, w, role, strtoll(number.p, NULL, 10), true, &pod, ret_status))
		return false;
	if (!pod.deleting && pod.plan->code && pod.plan->code->sync && str_is(status_text(pod.object, "status.phase"),
		"Running"))
		return sync_restart_program(s, &pod, ret_status);
	if (pod.deleting)                       /* it is about to be replaced already */
		return true;
	if (!pod.owned) {
		session_say(s, "nothing would create the pod '%.*s' again: it belongs to no Job and no controller",
			STR_ARG(pod.name));
		*ret_status = STATUS_CONFLICT;
		return false;
	}
	return evict_pod(cluster_of(s), &pod, ret_status);
}
