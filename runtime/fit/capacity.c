/* capacity.c - sums up nodes, pods, quotas and queues. */
#include "runtime/fit/capacity.h"

#include <stdlib.h>

#include "runtime/status/look.h"

#define AMOUNT_MOST (INT64_MAX / 4)

struct capacity capacity_new(struct arena *a, const struct fit_hint *hints)
{
	struct capacity c = { .arena = a, .hints = hints };

	fit_resource(&c.resources, STR("cpu"));
	fit_resource(&c.resources, STR("memory"));
	fit_resource(&c.resources, STR("pods"));
	return c;
}

const char *const *capacity_keep(enum capacity_kind kind)
{
	static const char *const node[] = { "metadata.name", "metadata.labels", "spec.unschedulable",
		"status.allocatable", "status.conditions.type", "status.conditions.status", NULL };
	static const char *const pod[] = { "metadata.namespace", "metadata.name",
		"metadata.labels.[trainc.dev/job]", "spec.nodeName", "spec.overhead", "spec.containers.resources",
		"spec.initContainers.resources", "spec.initContainers.restartPolicy", "status.phase", NULL };
	static const char *const quota[] = { "metadata.namespace", "metadata.name", "status.hard", "status.used",
		NULL };
	static const char *const local[] = { "metadata.namespace", "metadata.name", "spec.clusterQueue", NULL };
	static const char *const queue[] = { "metadata.name", "spec.cohort", "spec.cohortName", "spec.resourceGroups",
		"status.flavorsReservation", "status.pendingWorkloads", NULL };
	static const char *const workload[] = { "metadata.namespace", "metadata.name", "metadata.creationTimestamp",
		"metadata.ownerReferences.name", "metadata.labels.[trainc.dev/job]", "spec.queueName", "spec.active",
		"spec.priority", "spec.podSets.count", "spec.podSets.template.spec.overhead",
		"spec.podSets.template.spec.containers.resources",
		"spec.podSets.template.spec.initContainers.resources",
		"spec.podSets.template.spec.initContainers.restartPolicy", "status.conditions.type",
		"status.conditions.status", "status.conditions.reason", "status.conditions.lastTransitionTime", NULL };
	static const char *const *const all[] = { [CAPACITY_NODES] = node, [CAPACITY_PODS] = pod,
		[CAPACITY_QUOTAS] = quota, [CAPACITY_LOCAL_QUEUES] = local, [CAPACITY_QUEUES] = queue,
		[CAPACITY_WORKLOADS] = workload };

	return all[kind];
}

/* The number of a resource, whose name is copied when it is new. */
static size_t resource_of(struct capacity *c, struct str name)
{
	for (size_t i = 0; i < c->resources.n; i++)
		if (str_eq(c->resources.at[i], name))
			return i;
	return fit_resource(&c->resources, str_copy(c->arena, name));
}

/* Makes the names of the resources in a map known before fit_pod_needs(), which does not copy them. */
static void know_resources(struct capacity *c, const struct data *amounts)
{
	for (size_t i = 0; amounts && amounts->kind == DATA_MAP && i < amounts->u.map.n; i++)
		resource_of(c, amounts->u.map.at[i].key);
}

static void pod_needs(struct capacity *c, const struct data *spec, int64_t *need)
{
	static const char *const lists[] = { "containers", "initContainers" };
	int64_t limit[FIT_RESOURCES] = { 0 };

	for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
		const struct data *list = status_list(spec, lists[k]);
		for (size_t i = 0; i < list->u.list.n; i++) {
			know_resources(c, status_path(list->u.list.at[i], "resources.limits"));
			know_resources(c, status_path(list->u.list.at[i], "resources.requests"));
		}
	}
	know_resources(c, status_path(spec, "overhead"));
	fit_pod_needs(&c->resources, spec, need, limit);
}

int64_t capacity_sum(int64_t a, int64_t b)
{
	a = a < 0 ? 0 : a;
	b = b < 0 ? 0 : b;
	return a < AMOUNT_MOST - (b < AMOUNT_MOST ? b : AMOUNT_MOST) ? a + b : AMOUNT_MOST;
}

/* ---- nodes and pods ---- */

static struct capacity_node *node_named(struct capacity *c, struct str name)
{
	struct capacity_node *n = map_get(&c->by_node, name);

	if (n)
		return n;
	n = ARENA_NEW(c->arena, struct capacity_node);
	n->name = str_copy(c->arena, name);
	map_put(&c->by_node, c->arena, n->name, n);
	ARENA_PUSH(c->arena, c->nodes, c->nnodes, n);
	return n;
}

/* The model of the devices of a node: the first label of a provider that it has. */
static struct str model_of(const struct capacity *c, const struct data *node)
{
	for (const struct fit_hint *h = c->hints; h && h->name; h++)
		for (const char *const *label = h->labels; label && *label; label++) {
			struct str value = status_label(node, *label);
			if (value.n)
				return value;
		}
	return STR("");
}

static void add_node(struct capacity *c, const struct data *o)
{
	struct capacity_node *n = node_named(c, status_text(o, "metadata.name"));
	const struct data *amounts = status_path(o, "status.allocatable");

	n->known = true;
	n->usable = !status_true(o, "spec.unschedulable") && !status_condition_is(o, "Ready", "False") &&
		!status_condition_is(o, "Ready", "Unknown");
	n->model = str_copy(c->arena, model_of(c, o));
	memset(n->all, 0, sizeof n->all);
	for (size_t i = 0; amounts && amounts->kind == DATA_MAP && i < amounts->u.map.n; i++) {
		size_t k = resource_of(c, amounts->u.map.at[i].key);
		if (k < FIT_RESOURCES)
			n->all[k] = capacity_sum(fit_amount(amounts->u.map.at[i].value, k == FIT_CPU), 0);
	}
}

static struct capacity_holder *holder_of(struct capacity *c, struct str ns, struct str run)
{
	struct str key = str_cat(c->arena, ns, STR("/"), run);
	struct capacity_holder *h = map_get(&c->by_holder, key);

	if (h)
		return h;
	h = ARENA_NEW(c->arena, struct capacity_holder);
	h->ns = (struct str){ key.p, ns.n };
	h->run = (struct str){ key.p + ns.n + 1, run.n };
	map_put(&c->by_holder, c->arena, key, h);
	ARENA_PUSH(c->arena, c->holders, c->nholders, h);
	return h;
}

static void add_pod(struct capacity *c, const struct data *o)
{
	struct str phase = status_text(o, "status.phase"), node = status_text(o, "spec.nodeName");
	const struct data *spec = status_path(o, "spec");
	int64_t need[FIT_RESOURCES] = { 0 };

	if (!spec || str_is(phase, "Succeeded") || str_is(phase, "Failed"))
		return;
	struct capacity_holder *h = holder_of(c, status_text(o, "metadata.namespace"),
		status_label(o, "trainc.dev/job"));
	if (!node.n) {
		h->waiting++;
		return;
	}
	struct capacity_node *n = node_named(c, node);
	pod_needs(c, spec, need);
	h->pods++;
	for (size_t i = 0; i < FIT_RESOURCES; i++) {
		n->used[i] = capacity_sum(n->used[i], need[i]);
		h->held[i] = capacity_sum(h->held[i], need[i]);
	}
}

/* ---- quotas and queues ---- */

/* The resource that a quota limits: "requests.cpu" and "cpu" are the same. */
static struct str quota_resource(struct str key)
{
	struct str requests = STR("requests.");

	return str_starts(key, requests) ? (struct str){ key.p + requests.n, key.n - requests.n } : key;
}

static void add_quota(struct capacity *c, const struct data *o)
{
	const struct data *hard = status_path(o, "status.hard"), *used = status_path(o, "status.used");

	for (size_t i = 0; hard && hard->kind == DATA_MAP && i < hard->u.map.n; i++) {
		struct str key = hard->u.map.at[i].key, resource = quota_resource(key);
		bool cpu = str_is(resource, "cpu") || str_is(resource, "limits.cpu");
		struct capacity_limit x = { .ns = str_copy(c->arena, status_text(o, "metadata.namespace")),
			.name = str_copy(c->arena, status_text(o, "metadata.name")),
			.resource = str_copy(c->arena, resource), .index = FIT_RESOURCES,
			.most = capacity_sum(fit_amount(hard->u.map.at[i].value, cpu), 0),
			.used = capacity_sum(fit_amount(used ? data_get(used, key) : NULL, cpu), 0) };
		for (size_t k = 0; k < c->resources.n; k++)
			if (str_eq(c->resources.at[k], resource))
				x.index = k;
		if (str_is(resource, "limits.cpu"))
			x.index = FIT_CPU;
		else if (str_is(resource, "limits.memory") || str_ends(resource, STR("storage")) ||
			fit_counts_bytes(resource))
			x.index = FIT_MEMORY;           /* bytes, whatever the nodes have */
		ARENA_PUSH(c->arena, c->quotas, c->nquotas, x);
	}
}

static const struct data *element_named(const struct data *list, struct str name)
{
	for (size_t i = 0; i < list->u.list.n; i++)
		if (str_eq(status_text(list->u.list.at[i], "name"), name))
			return list->u.list.at[i];
	return NULL;
}

static void add_queue_flavor(struct capacity *c, const struct data *queue, const struct data *flavor)
{
	const struct data *resources = status_list(flavor, "resources");
	struct str name = status_text(flavor, "name"), cohort = status_text(queue, "spec.cohortName");
	const struct data *use = element_named(status_list(queue, "status.flavorsReservation"), name);

	for (size_t i = 0; i < resources->u.list.n; i++) {
		const struct data *r = resources->u.list.at[i];
		struct str resource = status_text(r, "name");
		size_t k = resource_of(c, resource);
		bool cpu = k == FIT_CPU;
		const struct data *used = use ? element_named(status_list(use, "resources"), resource) : NULL;
		struct capacity_limit x = { .cohort = str_copy(c->arena, cohort.n ? cohort
			: status_text(queue, "spec.cohort")), .name = str_copy(c->arena,
			status_text(queue, "metadata.name")), .flavor = str_copy(c->arena, name),
			.resource = str_copy(c->arena, resource), .index = k,
			.most = capacity_sum(fit_amount(status_path(r, "nominalQuota"), cpu), 0),
			.used = capacity_sum(used ? fit_amount(status_path(used, "total"), cpu) : 0, 0),
			.waiting = status_number(queue, "status.pendingWorkloads", 0) };
		x.borrowed = x.used > x.most ? x.used - x.most : 0;
		ARENA_PUSH(c->arena, c->queues, c->nqueues, x);
	}
}

static void add_queue(struct capacity *c, const struct data *o)
{
	const struct data *groups = status_list(o, "spec.resourceGroups");

	for (size_t i = 0; i < groups->u.list.n; i++) {
		const struct data *flavors = status_list(groups->u.list.at[i], "flavors");
		for (size_t k = 0; k < flavors->u.list.n; k++)
			add_queue_flavor(c, o, flavors->u.list.at[k]);
	}
}

static void add_local(struct capacity *c, const struct data *o)
{
	struct capacity_local x = { .ns = str_copy(c->arena, status_text(o, "metadata.namespace")),
		.name = str_copy(c->arena, status_text(o, "metadata.name")),
		.queue = str_copy(c->arena, status_text(o, "spec.clusterQueue")) };

	ARENA_PUSH(c->arena, c->locals, c->nlocals, x);
}

/* ---- what waits ---- */

/*
 * The time that decides among Workloads of one priority: that of its creation or, when Kueue evicted it because its
 * pods were not ready in time, of the eviction.
 */
static int64_t order_time(const struct data *o)
{
	const struct data *evicted = status_condition_true(o, "Evicted");
	int64_t time = evicted && str_is(status_text(evicted, "reason"), "PodsReadyTimeout")
		? status_time(evicted, "lastTransitionTime") : 0;

	return time ? time : status_time(o, "metadata.creationTimestamp");
}

static void add_workload(struct capacity *c, const struct data *o)
{
	const struct data *active = status_path(o, "spec.active"), *sets = status_list(o, "spec.podSets"),
		*owners = status_list(o, "metadata.ownerReferences");
	struct str run = status_label(o, "trainc.dev/job");
	struct capacity_waiting x = { .queue = status_text(o, "spec.queueName") };

	if (status_condition_true(o, "Finished") || status_condition_true(o, "QuotaReserved") || !x.queue.n ||
		(active && active->kind == DATA_BOOL && !active->u.boolean))
		return;
	x.queue = str_copy(c->arena, x.queue);
	x.ns = str_copy(c->arena, status_text(o, "metadata.namespace"));
	x.name = str_copy(c->arena, status_text(o, "metadata.name"));
	x.owner = run.n ? str_copy(c->arena, run) : owners->u.list.n ? str_copy(c->arena,
		status_text(owners->u.list.at[0], "name")) : x.name;
	x.priority = status_number(o, "spec.priority", 0);
	x.since = order_time(o);
	for (size_t i = 0; i < sets->u.list.n; i++) {
		const struct data *spec = status_path(sets->u.list.at[i], "template.spec");
		int64_t need[FIT_RESOURCES] = { 0 }, count = status_number(sets->u.list.at[i], "count", 1);
		if (!spec || count < 0 || count > INT32_MAX)
			continue;
		pod_needs(c, spec, need);
		for (size_t k = 0; k < FIT_RESOURCES; k++)
			x.asks[k] = capacity_sum(x.asks[k], need[k] < AMOUNT_MOST / (count + 1) ? need[k] * count
				: AMOUNT_MOST);
	}
	ARENA_PUSH(c->arena, c->waiting, c->nwaiting, x);
}

void capacity_add(struct capacity *c, enum capacity_kind kind, const struct data *object)
{
	static void (*const add[])(struct capacity *c, const struct data *o) = { [CAPACITY_NODES] = add_node,
		[CAPACITY_PODS] = add_pod, [CAPACITY_QUOTAS] = add_quota, [CAPACITY_LOCAL_QUEUES] = add_local,
		[CAPACITY_QUEUES] = add_queue, [CAPACITY_WORKLOADS] = add_workload };

	add[kind](c, object);
}

void capacity_forget(struct capacity *c, enum capacity_kind kind)
{
	for (size_t i = 0; i < c->nnodes && kind <= CAPACITY_PODS; i++) {
		if (kind == CAPACITY_NODES)
			c->nodes[i]->known = false;
		else
			memset(c->nodes[i]->used, 0, sizeof c->nodes[i]->used);
	}
	for (size_t i = 0; i < c->nholders && kind == CAPACITY_PODS; i++)
		*c->holders[i] = (struct capacity_holder){ .ns = c->holders[i]->ns, .run = c->holders[i]->run };
	c->nquotas = kind == CAPACITY_QUOTAS ? 0 : c->nquotas;
	c->nlocals = kind == CAPACITY_LOCAL_QUEUES ? 0 : c->nlocals;
	c->nqueues = kind == CAPACITY_QUEUES ? 0 : c->nqueues;
	c->nwaiting = kind == CAPACITY_WORKLOADS ? 0 : c->nwaiting;
}

/* ---- the result ---- */

bool capacity_is_device(const struct capacity *c, size_t resource)
{
	return resource > FIT_PODS && resource < c->resources.n && resource < FIT_RESOURCES &&
		!fit_counts_bytes(c->resources.at[resource]);
}

static int64_t devices_of(const int64_t *amounts)
{
	int64_t n = 0;

	for (size_t i = FIT_PODS + 1; i < FIT_RESOURCES; i++)
		n += amounts[i] < INT32_MAX ? amounts[i] : 0;   /* not amounts of bytes */
	return n;
}

/* Those with the most devices first, then those with the most processors. */
static int by_amount(const void *a, const void *b)
{
	const struct capacity_holder *x = *(struct capacity_holder *const *)a,
		*y = *(struct capacity_holder *const *)b;
	int64_t dx = devices_of(x->held), dy = devices_of(y->held);

	if (dx != dy)
		return dx > dy ? -1 : 1;
	if (x->held[FIT_CPU] != y->held[FIT_CPU])
		return x->held[FIT_CPU] > y->held[FIT_CPU] ? -1 : 1;
	int order = str_cmp(x->ns, y->ns);
	return order ? order : str_cmp(x->run, y->run);
}

static int by_limit(const void *a, const void *b)
{
	const struct capacity_limit *x = a, *y = b;
	int order = str_cmp(x->cohort, y->cohort);

	order = order ? order : str_cmp(x->name, y->name);
	order = order ? order : str_cmp(x->flavor, y->flavor);
	return order ? order : str_cmp(x->resource, y->resource);
}

/* As Kueue takes them: by ClusterQueue, then the highest priority, then the oldest. */
static int by_place(const void *a, const void *b)
{
	const struct capacity_waiting *x = a, *y = b;
	int order = str_cmp(x->cluster_queue, y->cluster_queue);

	if (order)
		return order;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	order = str_cmp(x->ns, y->ns);
	return order ? order : str_cmp(x->name, y->name);
}

static struct str cluster_queue_of(const struct capacity *c, const struct map *locals, const struct capacity_waiting *w)
{
	const struct capacity_local *x = map_get(locals, str_cat(c->arena, w->ns, STR("/"), w->queue));

	return x ? x->queue : STR("");
}

void capacity_finish(struct capacity *c)
{
	struct map locals = { 0 };

	for (size_t i = 0; i < c->nlocals; i++)
		map_put(&locals, c->arena, str_cat(c->arena, c->locals[i].ns, STR("/"), c->locals[i].name),
			&c->locals[i]);
	for (size_t i = 0; i < c->nwaiting; i++)
		c->waiting[i].cluster_queue = cluster_queue_of(c, &locals, &c->waiting[i]);
	if (c->nholders)
		qsort(c->holders, c->nholders, sizeof *c->holders, by_amount);
	if (c->nqueues)
		qsort(c->queues, c->nqueues, sizeof *c->queues, by_limit);
	if (c->nquotas)
		qsort(c->quotas, c->nquotas, sizeof *c->quotas, by_limit);
	if (c->nwaiting)
		qsort(c->waiting, c->nwaiting, sizeof *c->waiting, by_place);
	bool whole = !c->part[CAPACITY_WORKLOADS] && !c->part[CAPACITY_LOCAL_QUEUES];
	for (size_t i = 0, end; i < c->nwaiting && whole; i = end) {
		for (end = i; end < c->nwaiting && str_eq(c->waiting[end].cluster_queue,
			c->waiting[i].cluster_queue); end++)
			;
		for (size_t k = i; k < end && c->waiting[i].cluster_queue.n; k++) {
			c->waiting[k].place = k - i + 1;
			c->waiting[k].of = end - i;
		}
	}
}

static struct capacity_row *row_of(struct arena *a, struct capacity_rows *rows, struct str model, size_t resource)
{
	for (size_t i = 0; i < rows->n; i++)
		if (rows->at[i].resource == resource && str_eq(rows->at[i].model, model))
			return &rows->at[i];
	ARENA_PUSH(a, rows->at, rows->n, ((struct capacity_row){ .model = model, .resource = resource }));
	return &rows->at[rows->n - 1];
}

static void count_node(struct capacity_row *row, const struct capacity_node *n)
{
	int64_t left = n->all[row->resource] - n->used[row->resource];

	row->nodes++;
	row->all = capacity_sum(row->all, n->all[row->resource]);
	row->used = capacity_sum(row->used, n->used[row->resource]);
	row->unusable += !n->usable;
	if (!n->usable || left <= 0)
		return;
	row->free = capacity_sum(row->free, left);
	row->most = left > row->most ? left : row->most;
}

static int by_device(const void *a, const void *b)
{
	const struct capacity_row *x = a, *y = b;
	bool dx = x->resource > FIT_PODS, dy = y->resource > FIT_PODS;

	if (dx != dy)
		return dx ? -1 : 1;
	if (x->resource != y->resource)
		return x->resource < y->resource ? -1 : 1;
	return str_cmp(x->model, y->model);
}

struct capacity_rows capacity_rows(const struct capacity *c)
{
	struct capacity_rows rows = { 0 };

	for (size_t i = 0; i < c->nnodes; i++) {
		const struct capacity_node *n = c->nodes[i];
		for (size_t k = 0; k < c->resources.n && n->known; k++)
			if (n->all[k] && (k == FIT_CPU || k == FIT_MEMORY || capacity_is_device(c, k)))
				count_node(row_of(c->arena, &rows, k > FIT_PODS ? n->model : STR(""), k), n);
	}
	if (rows.n)
		qsort(rows.at, rows.n, sizeof *rows.at, by_device);
	return rows;
}
