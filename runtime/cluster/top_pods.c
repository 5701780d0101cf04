/*
 * top_pods.c - what the pods of a run use: processors and memory by metrics.k8s.io, and, if a pod of the run requests a
 * device, devices by the exporters on the nodes. None of them is required; what is not served has a reason.
 */
#include "base/map.h"
#include "base/quantity.h"
#include "base/sha256.h"
#include "base/words.h"
#include "kube/limits.h"
#include "runtime/cluster/cluster_watch.h"
#include "runtime/run/top.h"
#include "runtime/status/exporter.h"
#include "runtime/status/look.h"

/* Pages of exporters that are held at once, and nodes whose exporters are asked. */
enum { PAGES_AT_ONCE = 4, EXPORTERS_MOST = 256, EXPORTER_PORT = 9400 };
#define TOP_TIMEOUT (10 * NS_PER_SECOND)
/* After this time no further exporter is asked: those of a network that drops packets answer none of many requests. */
#define EXPORTERS_TIMEOUT (20 * NS_PER_SECOND)

/* For so long exporters are not looked for again: they are pods that stay on their nodes. */
#define KNOWN_TIME (60 * NS_PER_SECOND)

/* An exporter of a node. */
struct node_exporter {
	struct str ns, pod, node;
	int64_t port;
};

/* What holds for all tables about the same pods. */
struct known_pods {
	bool devices;                   /* a pod requests a device */
	struct node_exporter *at;       /* the exporters on the nodes of the pods */
	size_t n;
	bool unlisted;                  /* the pods could not be listed, so that they are asked for again */
	bool failed;                    /* the exporters could not be listed, which was reported */
};

struct top_pods {
	struct cluster *cluster;
	struct run_watch *run;
	struct top *top;                /* its arena has everything: `--watch` makes many tables */
	struct map rows, nodes;         /* rows by pod; nodes that have rows */
};

/* Notes the pods and the nodes of the rows. */
static void find_rows(struct top_pods *t)
{
	for (size_t i = 0; i < t->top->n; i++) {
		struct top_row *row = &t->top->at[i];
		if (row->replica->pod.n)
			map_put(&t->rows, t->top->arena, row->replica->pod, row);
		if (row->replica->node.n)
			map_put(&t->nodes, t->top->arena, row->replica->node, row);
	}
}

/* ---- processors and memory ---- */

/* The sum of a resource over the containers of a pod, in units of 10^-9 / DIVISOR; -1: it is not known. */
static int64_t usage_of(const struct data *pod, const char *path, int64_t divisor)
{
	const struct data *containers = status_list(pod, "containers");
	struct quantity sum = { 0 }, one;

	for (size_t i = 0; i < containers->u.list.n; i++)
		if (quantity_parse_full(status_text(containers->u.list.at[i], path), &one) != QUANTITY_OK ||
			one.nano < 0 || !quantity_add(sum, one, &sum))
			return -1;
	return containers->u.list.n && sum.nano / divisor <= INT64_MAX ? (int64_t)(sum.nano / divisor) : -1;
}

static void read_usage(struct top_pods *t)
{
	struct arena *a = t->top->arena;
	struct transport_place place = { .group = STR("metrics.k8s.io"), .version = STR("v1beta1"),
		.plural = STR("pods"), .namespace = cluster_watch_of(t->run)->ns };
	struct transport_pair selector = { STR("labelSelector"), str_cat(a, STR("trainc.dev/job="), t->run->name,
		STR("")) };
	struct transport_request r = { .method = TRANSPORT_GET, .kind = TRANSPORT_READ, .query = &selector, .nquery = 1,
		.path = transport_path(a, &place), .timeout = TOP_TIMEOUT };
	const struct answer *x = request_send(&t->cluster->client, a, &r, CALL_ONCE);

	if (x->class != CALL_DONE || !x->data) {
		top_unserved(t->top, x->class == CALL_NOT_FOUND
			? STR("CPU and MEMORY: the cluster has no metrics.k8s.io, which metrics-server serves")
			: str_printf(a, "CPU and MEMORY: metrics.k8s.io: %.*s", STR_ARG(x->error)));
		return;
	}
	const struct data *items = status_list(x->data, "items");
	for (size_t i = 0; i < items->u.list.n; i++) {
		const struct data *pod = items->u.list.at[i];
		struct top_row *row = map_get(&t->rows, status_text(pod, "metadata.name"));
		if (!row)
			continue;
		row->cpu = usage_of(pod, "usage.cpu", 1000000);
		row->memory = usage_of(pod, "usage.memory", 1000000000);
	}
	for (size_t i = 0; i < t->top->n; i++)
		if (t->top->at[i].cpu < 0)
			top_unserved(t->top, STR("CPU and MEMORY of some replicas: metrics.k8s.io has not measured "
				"them yet"));
}

/* ---- devices ---- */

static bool has_device(const struct data *resources)
{
	for (size_t i = 0; resources && resources->kind == DATA_MAP && i < resources->u.map.n; i++)
		if (kube_device_resource(resources->u.map.at[i].key))
			return true;
	return false;
}

/* Does a container of the list request a device? A limit alone is a request as well. */
static bool any_device(const struct data *containers)
{
	for (size_t i = 0; i < containers->u.list.n; i++)
		if (has_device(status_path(containers->u.list.at[i], "resources.limits")) ||
			has_device(status_path(containers->u.list.at[i], "resources.requests")))
			return true;
	return false;
}

/* Does a pod of the run request a device? True as well if the pods cannot be listed. */
static void find_devices(struct top_pods *t, struct known_pods *ret)
{
	static const char *const keep[] = { "metadata.name", "metadata.namespace", "metadata.uid",
		"metadata.resourceVersion", "spec.resourceClaims.name", "spec.containers.resources",
		"spec.initContainers.resources", NULL };
	struct arena *a = t->top->arena;
	struct member_query q = { .resource = *resource_known(STR(""), STR("Pod")), .keep = keep,
		.ns = cluster_watch_of(t->run)->ns,
		.selector = str_cat(a, STR("trainc.dev/job="), t->run->name, STR("")) };
	struct members all = members_list(&t->cluster->client, a, &q, 1);

	ret->devices = ret->unlisted = all.failed != NULL;
	for (size_t i = 0; i < all.n && !ret->devices; i++) {
		const struct data *pod = all.at[i].object;
		ret->devices = status_list(pod, "spec.resourceClaims")->u.list.n ||
			any_device(status_list(pod, "spec.containers")) ||
			any_device(status_list(pod, "spec.initContainers"));
	}
}

/* The port at which a pod serves its values: its port `metrics`, else the first that it declares. */
static int64_t exporter_port(const struct data *pod)
{
	const struct data *containers = status_list(pod, "spec.containers");
	int64_t port = 0;

	for (size_t i = 0; i < containers->u.list.n; i++) {
		const struct data *ports = status_list(containers->u.list.at[i], "ports");
		for (size_t k = 0; k < ports->u.list.n; k++) {
			int64_t number = status_number(ports->u.list.at[k], "containerPort", 0);
			if (number > 0 && number <= 65535 && (!port ||
				str_is(status_text(ports->u.list.at[k], "name"), "metrics")))
				port = number;
		}
	}
	return port ? port : EXPORTER_PORT;
}

static void add_exporter(struct top_pods *t, const struct member *m, struct known_pods *to)
{
	struct arena *a = &t->top->known->memory;
	struct str node = status_text(m->object, "spec.nodeName");
	bool known = to->n == EXPORTERS_MOST || !map_get(&t->nodes, node) ||
		!str_is(status_text(m->object, "status.phase"), "Running");

	for (size_t i = 0; i < to->n && !known; i++)
		known = str_eq(to->at[i].node, node);
	struct node_exporter one = { .ns = str_copy(a, m->ns), .pod = str_copy(a, m->name), .node = str_copy(a, node),
		.port = exporter_port(m->object) };
	if (!known)
		ARENA_PUSH(a, to->at, to->n, one);
}

/* Lists the exporters on nodes of the run. */
static void find_exporters(struct top_pods *t, struct known_pods *ret)
{
	static const char *const keep[] = { "metadata.name", "metadata.namespace", "metadata.uid",
		"metadata.resourceVersion", "spec.nodeName", "spec.containers.ports", "status.phase", NULL };
	struct arena *a = t->top->arena;
	struct member_query *queries = NULL;
	struct str key, value;
	size_t nqueries = 0;

	for (size_t i = 0; exporter_label(i, &key, &value); i++) {
		struct member_query q = { .resource = *resource_known(STR(""), STR("Pod")), .keep = keep,
			.selector = str_cat(a, key, STR("="), value) };
		ARENA_PUSH(a, queries, nqueries, q);
	}
	struct members all = members_list(&t->cluster->client, a, queries, nqueries);
	for (size_t i = 0; i < all.n; i++)
		add_exporter(t, &all.at[i], ret);
	if (!all.failed)
		return;
	ret->failed = true;
	top_unserved(t->top, str_printf(a, "GPU and GPU-MEMORY: exporters are not found: %.*s",
		STR_ARG(all.failed->error)));
}

/* ---- what is known from the table before ---- */

/* The digest of the pods and the nodes of the rows. */
static void rows_digest(const struct top_pods *t, char ret[65])
{
	struct buf b = { 0 };

	for (size_t i = 0; i < t->top->n; i++) {
		const struct run_replica *r = t->top->at[i].replica;
		buf_printf(&b, "%.*s %.*s\n", STR_ARG(r->pod), STR_ARG(r->node));
	}
	sha256_hex(buf_text(&b), ret);
	buf_release(&b);
}

/* What is known about these pods: from the table before, if it was about the same ones, or else from the server. */
static struct known_pods *known_of(struct top_pods *t)
{
	struct top_known *k = t->top->known;
	char rows[65];

	rows_digest(t, rows);
	if (k->own && strcmp(rows, k->rows) == 0 && clock_steady() < k->until)
		return k->own;
	arena_release(&k->memory);
	k->memory = (struct arena){ 0 };
	struct known_pods *now = k->own = ARENA_NEW(&k->memory, struct known_pods);
	*now = (struct known_pods){ 0 };
	memcpy(k->rows, rows, sizeof rows);
	find_devices(t, now);
	if (now->devices)
		find_exporters(t, now);
	k->until = now->failed || now->unlisted ? 0 : clock_steady() + KNOWN_TIME;
	return now;
}

/* Gives the replicas on a node the values of its exporter. */
static void take_page(struct top_pods *t, const struct node_exporter *e, const struct answer *x)
{
	struct exporter_devices *d = ARENA_NEW(t->top->arena, struct exporter_devices);
	struct str ns = cluster_watch_of(t->run)->ns;

	if (x->class != CALL_DONE) {
		t->top->known->until = 0;       /* another pod may have taken its place */
		top_unserved(t->top, str_printf(t->top->arena, "GPU and GPU-MEMORY on node %.*s: %.*s",
			STR_ARG(e->node), STR_ARG(x->error)));
		return;
	}
	*d = (struct exporter_devices){ 0 };
	exporter_read(x->body, d);
	if (!d->n && d->unnamed)
		top_unserved(t->top, str_printf(t->top->arena, "GPU and GPU-MEMORY on node %.*s: its exporter names no "
			"pods", STR_ARG(e->node)));
	for (size_t i = 0; i < t->rows.n; i++) {
		struct top_row *row = t->rows.entries[i].value;
		if (str_eq(row->replica->node, e->node))
			exporter_sum(d, ns, t->rows.entries[i].key, &row->devices, &row->device_use,
				&row->device_memory);
	}
}

/* Asks some exporters at once, and releases their pages: each may be large. */
static void ask_exporters(struct top_pods *t, const struct node_exporter *at, size_t n)
{
	struct arena memory = { 0 };
	struct batch b = batch_new(&t->cluster->client, &memory);

	for (size_t i = 0; i < n; i++) {
		struct transport_place place = { .version = STR("v1"), .plural = STR("pods"), .namespace = at[i].ns,
			.name = at[i].pod };
		struct transport_request r = { .method = TRANSPORT_GET, .kind = TRANSPORT_READ, .text = true,
			.path = str_printf(&memory, "%.*s:%lld/proxy/metrics",
				STR_ARG(transport_path(&memory, &place)), (long long)at[i].port),
			.accept = STR("text/plain"), .timeout = TOP_TIMEOUT };
		batch_add(&b, &r, CALL_ONCE);
	}
	batch_wait(&b);
	for (size_t i = 0; i < n; i++)
		take_page(t, &at[i], b.answers[i]);
	arena_release(&memory);
}

/* Says that replicas have no values while others of their role have some, if that has no other reason. */
static void check_devices(struct top_pods *t)
{
	const struct top *top = t->top;
	const struct top_row *with = NULL, *without = NULL;

	for (size_t i = 0; i < top->n; i++) {
		if (i && top->at[i].role != top->at[i - 1].role)
			with = without = NULL;
		*(top->at[i].devices ? &with : &without) = &top->at[i];
		if (with && without) {
			top_unserved(t->top, STR("GPU and GPU-MEMORY of some replicas: no exporter names their pods"));
			return;
		}
	}
}

static void read_devices(struct top_pods *t, const struct known_pods *k)
{
	int64_t began = clock_steady();
	size_t before = t->top->nunserved;

	if (!k->n && !k->failed)
		top_unserved(t->top, STR("GPU and GPU-MEMORY: no known exporter runs on the nodes of the run"));
	for (size_t i = 0; i < k->n; i += PAGES_AT_ONCE) {
		if (clock_steady() - began > EXPORTERS_TIMEOUT) {
			top_unserved(t->top, str_printf(t->top->arena, "GPU and GPU-MEMORY on %zu nodes: the "
				"exporters on other nodes have not answered in time", k->n - i));
			break;
		}
		ask_exporters(t, k->at + i, k->n - i < PAGES_AT_ONCE ? k->n - i : PAGES_AT_ONCE);
	}
	if (t->top->nunserved == before)
		check_devices(t);
}

void cluster_top(struct session *s, struct run_watch *w, struct top *ret)
{
	struct top_pods t = { .cluster = cluster_of(s), .run = w, .top = ret };

	find_rows(&t);
	read_usage(&t);
	const struct known_pods *k = known_of(&t);
	if (k->devices)
		read_devices(&t, k);
}
