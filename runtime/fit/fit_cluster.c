/*
 * fit_cluster.c - reads nodes, and the pods on them, from objects.
 */
#include "runtime/fit/fit.h"
#include "runtime/status/look.h"

static void add_node(struct fit_cluster *c, const struct data *o)
{
	struct fit_node n = { .name = status_text(o, "metadata.name"), .labels = status_path(o, "metadata.labels"),
		.taints = status_list(o, "spec.taints"), .cordoned = status_true(o, "spec.unschedulable") };
	const struct data *amounts = status_path(o, "status.allocatable");

	for (size_t i = 0; amounts && amounts->kind == DATA_MAP && i < amounts->u.map.n; i++) {
		size_t k = fit_resource(&c->resources, amounts->u.map.at[i].key);
		if (k < FIT_RESOURCES)
			n.all[k] = fit_amount(amounts->u.map.at[i].value, k == FIT_CPU);
	}
	ARENA_PUSH(c->arena, c->nodes, c->nnodes, n);
}

/* Does the pod stay on an empty cluster? Pods of DaemonSets and pods that a Node owns are created again. */
static bool is_kept(const struct data *o)
{
	const struct data *owners = status_list(o, "metadata.ownerReferences");

	for (size_t i = 0; i < owners->u.list.n; i++) {
		struct str kind = status_text(owners->u.list.at[i], "kind");
		if (str_is(kind, "DaemonSet") || str_is(kind, "Node"))
			return true;
	}
	return false;
}

static void add_pod(struct fit_cluster *c, const struct map *nodes, const struct data *o)
{
	struct str phase = status_text(o, "status.phase");
	const struct fit_node *found = map_get(nodes, status_text(o, "spec.nodeName"));
	struct fit_pod p = { .ns = status_text(o, "metadata.namespace"), .name = status_text(o, "metadata.name"),
		.labels = status_path(o, "metadata.labels"), .spec = status_path(o, "spec") };
	int64_t limit[FIT_RESOURCES] = { 0 };

	if (!found || !p.spec || str_is(phase, "Succeeded") || str_is(phase, "Failed"))
		return;
	p.node = (size_t)(found - c->nodes);
	p.guarded = fit_anti_terms(p.spec)->u.list.n > 0;
	p.ports = fit_has_ports(p.spec);
	p.kept = is_kept(o);
	p.priority = status_number(p.spec, "priority", 0);
	fit_pod_needs(&c->resources, p.spec, p.need, limit);
	for (size_t i = 0; i < FIT_RESOURCES; i++) {
		c->nodes[p.node].used[i] += p.need[i];
		c->nodes[p.node].kept[i] += p.kept ? p.need[i] : 0;
	}
	ARENA_PUSH(c->arena, c->pods, c->npods, p);
}

struct fit_cluster fit_cluster_of(struct arena *a, const struct status_objects *objects)
{
	struct fit_cluster c = { .arena = a };
	struct map nodes = { 0 };

	fit_resource(&c.resources, STR("cpu"));
	fit_resource(&c.resources, STR("memory"));
	fit_resource(&c.resources, STR("pods"));
	for (size_t i = 0; i < objects->n; i++) {
		struct str kind = status_text(objects->at[i], "kind");
		if (str_is(kind, "Node"))
			add_node(&c, objects->at[i]);
		else if (str_is(kind, "ResourceQuota"))
			ARENA_PUSH(a, c.quotas.at, c.quotas.n, objects->at[i]);
		else if (str_is(kind, "LocalQueue"))
			ARENA_PUSH(a, c.local_queues.at, c.local_queues.n, objects->at[i]);
		else if (str_is(kind, "ClusterQueue"))
			ARENA_PUSH(a, c.queues.at, c.queues.n, objects->at[i]);
		else if (str_is(kind, "ResourceFlavor"))
			ARENA_PUSH(a, c.flavors.at, c.flavors.n, objects->at[i]);
		else if (str_is(kind, "Topology"))
			ARENA_PUSH(a, c.topologies.at, c.topologies.n, objects->at[i]);
		else if (str_is(kind, "PriorityClass"))
			ARENA_PUSH(a, c.priorities.at, c.priorities.n, objects->at[i]);
		else if (str_is(kind, "PersistentVolumeClaim"))
			ARENA_PUSH(a, c.claims.at, c.claims.n, objects->at[i]);
		else if (str_is(kind, "PersistentVolume"))
			ARENA_PUSH(a, c.volumes.at, c.volumes.n, objects->at[i]);
	}
	for (size_t i = 0; i < c.nnodes; i++)
		c.nodes[i].devices = fit_has_devices(&c, c.nodes[i].all);
	for (size_t i = 0; i < c.nnodes; i++)
		map_put(&nodes, a, c.nodes[i].name, &c.nodes[i]);
	for (size_t i = 0; i < objects->n; i++)
		if (str_is(status_text(objects->at[i], "kind"), "Pod"))
			add_pod(&c, &nodes, objects->at[i]);
	return c;
}
