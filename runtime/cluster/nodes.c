/*
 * nodes.c - reads the objects that `fit` needs: nodes, pods, quotas, and the objects of Kueue if the server has them.
 */
#include "runtime/cluster/cluster.h"
#include "runtime/status/look.h"

#define TEXT(literal) { literal, sizeof(literal) - 1 }

static void add_query(struct arena *a, struct member_query **all, size_t *n, const struct resource *r, struct str ns,
	const char *const *keep)
{
	struct member_query q = { .resource = *r, .ns = ns, .keep = keep };

	ARENA_PUSH(a, *all, *n, q);
}

static void add_namespaced(struct arena *a, struct member_query **all, size_t *n, const struct resource *r,
	const struct str *namespaces, size_t nspaces)
{
	for (size_t i = 0; i < nspaces; i++) {
		bool known = false;
		for (size_t k = 0; k < i && !known; k++)
			known = str_eq(namespaces[k], namespaces[i]);
		if (!known)
			add_query(a, all, n, r, namespaces[i], NULL);
	}
}

/*
 * Reads the objects that only matter for some jobs: classes of priority, claims and volumes. Without the right to list
 * them, the answer about such a job is "unknown".
 */
static void add_optional(struct session *s, const struct str *namespaces, size_t n, struct status_objects *ret)
{
	static const struct resource class = { TEXT("scheduling.k8s.io"), TEXT("v1"), TEXT("PriorityClass"),
		TEXT("priorityclasses"), false };
	static const struct resource volume = { TEXT(""), TEXT("v1"), TEXT("PersistentVolume"),
		TEXT("persistentvolumes"), false };
	static const struct resource claim = { TEXT(""), TEXT("v1"), TEXT("PersistentVolumeClaim"),
		TEXT("persistentvolumeclaims"), true };
	static const char *const volumes[] = { "metadata.name", "spec.nodeAffinity", NULL };
	struct member_query *queries = NULL;
	size_t nqueries = 0;

	add_query(s->arena, &queries, &nqueries, &class, STR(""), NULL);
	add_query(s->arena, &queries, &nqueries, &volume, STR(""), volumes);
	add_namespaced(s->arena, &queries, &nqueries, &claim, namespaces, n);
	struct members all = members_list(&cluster_of(s)->client, s->arena, queries, nqueries);
	for (size_t i = 0; i < all.n; i++)
		ARENA_PUSH(s->arena, ret->at, ret->n, all.at[i].object);
}

bool cluster_nodes(struct session *s, struct str *namespaces, size_t n, struct status_objects *ret, int *ret_status)
{
	static const char *const node[] = { "metadata.name", "metadata.labels", "spec.taints", "spec.unschedulable",
		"status.allocatable", NULL };
	static const char *const pod[] = { "metadata.name", "metadata.namespace", "metadata.labels",
		"metadata.ownerReferences.kind", "spec.nodeName", "spec.priority", "spec.hostNetwork",
		"spec.overhead", "spec.nodeSelector", "spec.affinity.nodeAffinity",
		"spec.affinity.podAntiAffinity", "spec.containers.resources",
		"spec.containers.ports", "spec.initContainers.ports",
		"spec.initContainers.resources", "spec.initContainers.restartPolicy", "status.phase", NULL };
	static const struct resource quota = { TEXT(""), TEXT("v1"), TEXT("ResourceQuota"), TEXT("resourcequotas"),
		true };
	static const char *const kueue[] = { "LocalQueue", "ClusterQueue", "ResourceFlavor", "Topology" };
	struct cluster *k = cluster_of(s);
	struct member_query *queries = NULL;
	size_t nqueries = 0;

	for (size_t i = 0; i < n; i++)
		namespaces[i] = cluster_namespace(k, namespaces[i]);
	add_query(s->arena, &queries, &nqueries, resource_known(STR(""), STR("Node")), STR(""), node);
	add_query(s->arena, &queries, &nqueries, resource_known(STR(""), STR("Pod")), STR(""), pod);
	add_namespaced(s->arena, &queries, &nqueries, &quota, namespaces, n);
	for (size_t i = 0; i < sizeof kueue / sizeof *kueue; i++) {
		const struct resource *r = discovery_any(&k->discovery, STR("kueue.x-k8s.io"), str_of(kueue[i]));
		if (r && r->namespaced)
			add_namespaced(s->arena, &queries, &nqueries, r, namespaces, n);
		else if (r)
			add_query(s->arena, &queries, &nqueries, r, STR(""), NULL);
	}
	struct members all = members_list(&k->client, s->arena, queries, nqueries);
	if (all.failed) {
		if (ret_status)
			*ret_status = cluster_say(k, all.failed);
		return false;
	}
	for (size_t i = 0; i < all.n; i++)
		ARENA_PUSH(s->arena, ret->at, ret->n, all.at[i].object);
	add_optional(s, namespaces, n, ret);
	return true;
}
