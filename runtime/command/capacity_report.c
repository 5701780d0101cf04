/* capacity_report.c - the tables of `fit --all`, and its JSON. */
#include "runtime/command/capacity_report.h"

#include "base/json_write.h"
#include "data/data_write.h"
#include "runtime/run/table.h"

enum { ROWS_MOST = 20, NO_RESOURCE = FIT_RESOURCES };

/* ---- amounts ---- */

static bool is_bytes(const struct capacity *c, size_t resource)
{
	return resource == FIT_MEMORY || (resource > FIT_PODS && resource < c->resources.n &&
		!capacity_is_device(c, resource));
}

/* An amount for people: bytes are rounded to three digits or so. */
static struct str short_amount(const struct capacity *c, size_t resource, int64_t n)
{
	static const char *const suffixes[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi" };
	size_t suffix = 0;

	if (resource == FIT_CPU && n && n < 100 && n > -100)
		return str_printf(c->arena, "%lldm", (long long)n);
	if (resource == FIT_CPU)
		return n % 1000 ? str_printf(c->arena, "%lld.%lld", (long long)(n / 1000),
			(long long)(n < 0 ? -n : n) % 1000 / 100) : str_int(c->arena, n / 1000);
	while (is_bytes(c, resource) && suffix + 1 < sizeof suffixes / sizeof *suffixes && (n >= 10240 || n <= -10240 ||
		(n && n % 1024 == 0))) {
		n /= 1024;
		suffix++;
	}
	return str_printf(c->arena, "%lld%s", (long long)n, suffixes[suffix]);
}

/* The exact amount, as Kubernetes writes it. */
static struct str whole_amount(const struct capacity *c, size_t resource, int64_t n)
{
	struct buf b = { 0 };

	if (resource >= c->resources.n)
		return str_int(c->arena, n);
	fit_put_amount(&c->resources, resource, n, &b);
	b.n -= c->resources.at[resource].n + 1;         /* the name after it */
	struct str text = buf_take(&b, c->arena);
	buf_release(&b);
	return text;
}

/* The devices of AMOUNTS: "8 example.com/gpu, 1 rdma/hca". */
static struct str device_text(const struct capacity *c, const int64_t *amounts)
{
	struct str text = STR("");

	for (size_t i = FIT_PODS + 1; i < c->resources.n; i++)
		if (amounts[i] && capacity_is_device(c, i))
			text = str_printf(c->arena, "%.*s%s%lld %.*s", STR_ARG(text), text.n ? ", " : "",
				(long long)amounts[i], STR_ARG(c->resources.at[i]));
	return text;
}

/* ---- tables ---- */

/* Ends a table that has a line above it, unless it has no rows but the first. */
static void end_table(struct report_table *t, const char *above, size_t left_out, unsigned width, struct buf *out)
{
	if (t->n > 1) {
		buf_printf(out, "%s%s\n", out->n ? "\n" : "", above);
		table_put(t, width, out);
		if (left_out)
			buf_printf(out, "%zu more; -o json shows all\n", left_out);
	}
	arena_release(&t->arena);
}

static void nodes_table(struct capacity *c, unsigned width, struct buf *out)
{
	static const char *const words[] = { "RESOURCE", "MODEL", "FREE", "LARGEST", "TOTAL", "USED", "NODES",
		"CLOSED" };
	struct capacity_rows rows = capacity_rows(c);
	struct report_table t = { .spare = 1 << 1 | 1 << 7 };

	bool known = c->read[CAPACITY_PODS] && !c->part[CAPACITY_PODS];
	table_head(&t, words, 8, 0xFC);
	for (size_t i = 0; i < rows.n; i++) {
		const struct capacity_row *x = &rows.at[i];
		struct str *row = table_row(&t);
		row[0] = c->resources.at[x->resource];
		row[1] = x->model;
		row[2] = known ? short_amount(c, x->resource, x->free) : STR("?");
		row[3] = known ? short_amount(c, x->resource, x->most) : STR("?");
		row[4] = short_amount(c, x->resource, x->all);
		row[5] = known ? short_amount(c, x->resource, x->used) : STR("?");
		row[6] = table_number(&t, x->nodes);
		row[7] = table_number(&t, x->unusable);
	}
	end_table(&t, "What the nodes have; LARGEST is free on one of them.", 0, width, out);
}

static void holders_table(struct capacity *c, unsigned width, struct buf *out)
{
	static const char *const words[] = { "NAMESPACE", "RUN", "PODS", "WAITING", "CPU", "MEMORY", "DEVICES" };
	struct report_table t = { .spare = 1 << 3 };
	size_t shown = 0, n = 0;

	table_head(&t, words, 7, 0x3C);
	for (size_t i = 0; i < c->nholders; i++) {
		const struct capacity_holder *h = c->holders[i];
		if (!h->pods && !h->waiting)
			continue;
		n++;
		if (shown == ROWS_MOST)
			continue;
		shown++;
		struct str *row = table_row(&t);
		row[0] = h->ns;
		row[1] = h->run.n ? h->run : STR("(other pods)");
		row[2] = table_number(&t, h->pods);
		row[3] = table_number(&t, h->waiting);
		row[4] = short_amount(c, FIT_CPU, h->held[FIT_CPU]);
		row[5] = short_amount(c, FIT_MEMORY, h->held[FIT_MEMORY]);
		row[6] = device_text(c, h->held);
	}
	end_table(&t, "Who holds it.", n - shown, width, out);
}

static void quotas_table(struct capacity *c, unsigned width, struct buf *out)
{
	static const char *const words[] = { "NAMESPACE", "QUOTA", "RESOURCE", "LIMIT", "USED", "FREE" };
	struct report_table t = { .n = 0 };

	table_head(&t, words, 6, 0x38);
	for (size_t i = 0; i < c->nquotas; i++) {
		const struct capacity_limit *x = &c->quotas[i];
		struct str *row = table_row(&t);
		row[0] = x->ns;
		row[1] = x->name;
		row[2] = x->resource;
		row[3] = short_amount(c, x->index, x->most);
		row[4] = short_amount(c, x->index, x->used);
		row[5] = short_amount(c, x->index, x->most > x->used ? x->most - x->used : 0);
	}
	end_table(&t, "Quotas of the namespace.", 0, width, out);
}

static void add_limit_row(struct capacity *c, struct report_table *t, const struct capacity_limit *x, struct str name)
{
	struct str *row = table_row(t);

	row[0] = x->cohort;
	row[1] = name;
	row[2] = x->flavor;
	row[3] = x->resource;
	row[4] = short_amount(c, x->index, x->most);
	row[5] = short_amount(c, x->index, x->used);
	row[6] = short_amount(c, x->index, x->borrowed);
	row[7] = short_amount(c, x->index, x->most > x->used ? x->most - x->used : 0);
	row[8] = table_number(t, x->waiting);
}

/* The sum over the queues of the cohort of X, for its flavor and resource. N: number of these queues. */
static struct capacity_limit cohort_sum(const struct capacity *c, const struct capacity_limit *x, size_t *n)
{
	struct capacity_limit sum = { .cohort = x->cohort, .flavor = x->flavor, .resource = x->resource,
		.index = x->index };

	*n = 0;
	for (size_t i = 0; i < c->nqueues; i++) {
		const struct capacity_limit *q = &c->queues[i];
		if (!str_eq(q->cohort, x->cohort) || !str_eq(q->flavor, x->flavor) || !str_eq(q->resource, x->resource))
			continue;
		sum.most = capacity_sum(sum.most, q->most);
		sum.used = capacity_sum(sum.used, q->used);
		sum.waiting += q->waiting;
		++*n;
	}
	sum.borrowed = sum.used > sum.most ? sum.used - sum.most : 0;
	return sum;
}

/* Is the limit the first of its cohort, flavor and resource? */
static bool is_first_of_cohort(const struct capacity *c, size_t i)
{
	const struct capacity_limit *x = &c->queues[i];

	for (size_t k = 0; k < i; k++)
		if (str_eq(c->queues[k].cohort, x->cohort) && str_eq(c->queues[k].flavor, x->flavor) &&
			str_eq(c->queues[k].resource, x->resource))
			return false;
	return x->cohort.n > 0;
}

static void queues_table(struct capacity *c, unsigned width, struct buf *out)
{
	static const char *const words[] = { "COHORT", "QUEUE", "FLAVOR", "RESOURCE", "QUOTA", "USED", "BORROWED",
		"FREE", "WAITING" };
	struct report_table t = { .spare = 1 | 1 << 6 };
	size_t n, shown = 0;

	table_head(&t, words, 9, 0x1F0);
	for (size_t i = 0; i < c->nqueues && shown < 3 * ROWS_MOST; i++, shown++)
		add_limit_row(c, &t, &c->queues[i], c->queues[i].name);
	for (size_t i = 0; i < c->nqueues && shown == c->nqueues; i++) {
		struct capacity_limit sum = cohort_sum(c, &c->queues[i], &n);
		if (n > 1 && is_first_of_cohort(c, i))
			add_limit_row(c, &t, &sum, STR("(all)"));
	}
	end_table(&t, "Queues of Kueue. A queue may use what is free in its cohort.", c->nqueues - shown, width, out);
}

static void waiting_table(struct capacity *c, struct str ns, int64_t now, unsigned width, struct buf *out)
{
	static const char *const words[] = { "QUEUE", "PLACE", "WORKLOAD OF", "PRIORITY", "AGE", "CPU", "MEMORY",
		"DEVICES" };
	struct report_table t = { .spare = 1 << 3 };
	size_t shown = 0, n = 0;

	table_head(&t, words, 8, 0x7A);
	for (size_t i = 0; i < c->nwaiting; i++) {
		const struct capacity_waiting *x = &c->waiting[i];
		if (!str_eq(x->ns, ns))
			continue;
		n++;
		if (shown == ROWS_MOST)
			continue;
		shown++;
		struct str *row = table_row(&t);
		row[0] = x->queue;
		row[1] = x->place ? str_printf(&t.arena, "%zu of %zu", x->place, x->of) : STR("?");
		row[2] = x->owner;
		row[3] = table_number(&t, x->priority);
		row[4] = x->since && now > x->since ? table_age(&t, now - x->since) : STR("");
		row[5] = short_amount(c, FIT_CPU, x->asks[FIT_CPU]);
		row[6] = short_amount(c, FIT_MEMORY, x->asks[FIT_MEMORY]);
		row[7] = device_text(c, x->asks);
	}
	end_table(&t, "What waits here, and its place in the ClusterQueue.", n - shown, width, out);
}

void capacity_tables(struct capacity *c, struct str ns, int64_t now, unsigned width, struct buf *out)
{
	nodes_table(c, width, out);
	holders_table(c, width, out);
	quotas_table(c, width, out);
	queues_table(c, width, out);
	waiting_table(c, ns, now, width, out);
}

/* ---- JSON ---- */

static void add_amount(struct json_writer *w, const struct capacity *c, const char *key, size_t resource, int64_t n)
{
	json_add_text(w, key, whole_amount(c, resource, n));
}

static void add_amounts(struct json_writer *w, const struct capacity *c, const int64_t *amounts)
{
	json_add_open(w, "amounts", '{');
	for (size_t i = 0; i < c->resources.n; i++)
		if (amounts[i] && i != FIT_PODS) {
			json_key_text(w, c->resources.at[i]);
			json_put_text(w, whole_amount(c, i, amounts[i]));
		}
	json_close(w, '}');
}

static void nodes_json(struct json_writer *w, struct capacity *c)
{
	struct capacity_rows rows = capacity_rows(c);

	json_add_open(w, "resources", '[');
	for (size_t i = 0; i < rows.n; i++) {
		const struct capacity_row *x = &rows.at[i];
		json_open(w, '{');
		json_add_text(w, "resource", c->resources.at[x->resource]);
		json_add_text(w, "model", x->model);
		json_add_int(w, "nodes", x->nodes);
		json_add_int(w, "closed", x->unusable);
		add_amount(w, c, "total", x->resource, x->all);
		if (c->read[CAPACITY_PODS] && !c->part[CAPACITY_PODS]) {
			add_amount(w, c, "used", x->resource, x->used);
			add_amount(w, c, "free", x->resource, x->free);
			add_amount(w, c, "largest", x->resource, x->most);
		}
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void holders_json(struct json_writer *w, const struct capacity *c)
{
	json_add_open(w, "holders", '[');
	for (size_t i = 0; i < c->nholders; i++) {
		const struct capacity_holder *h = c->holders[i];
		if (!h->pods && !h->waiting)
			continue;
		json_open(w, '{');
		json_add_text(w, "namespace", h->ns);
		if (h->run.n)
			json_add_text(w, "run", h->run);
		else
			json_add_null(w, "run");
		json_add_int(w, "pods", h->pods);
		json_add_int(w, "waiting", h->waiting);
		add_amounts(w, c, h->held);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void quotas_json(struct json_writer *w, const struct capacity *c)
{
	json_add_open(w, "quotas", '[');
	for (size_t i = 0; i < c->nquotas; i++) {
		const struct capacity_limit *x = &c->quotas[i];
		json_open(w, '{');
		json_add_text(w, "namespace", x->ns);
		json_add_text(w, "name", x->name);
		json_add_text(w, "resource", x->resource);
		add_amount(w, c, "limit", x->index, x->most);
		add_amount(w, c, "used", x->index, x->used);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void queues_json(struct json_writer *w, const struct capacity *c)
{
	json_add_open(w, "queues", '[');
	for (size_t i = 0; i < c->nqueues; i++) {
		const struct capacity_limit *x = &c->queues[i];
		json_open(w, '{');
		json_add_text(w, "cohort", x->cohort);
		json_add_text(w, "queue", x->name);
		json_add_text(w, "flavor", x->flavor);
		json_add_text(w, "resource", x->resource);
		add_amount(w, c, "quota", x->index, x->most);
		add_amount(w, c, "used", x->index, x->used);
		add_amount(w, c, "borrowed", x->index, x->borrowed);
		json_add_int(w, "waiting", x->waiting);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void waiting_json(struct json_writer *w, const struct capacity *c, struct str ns)
{
	json_add_open(w, "waiting", '[');
	for (size_t i = 0; i < c->nwaiting; i++) {
		const struct capacity_waiting *x = &c->waiting[i];
		if (!str_eq(x->ns, ns))
			continue;
		json_open(w, '{');
		json_add_text(w, "name", x->name);
		json_add_text(w, "of", x->owner);
		json_add_text(w, "queue", x->queue);
		json_add_text(w, "cluster_queue", x->cluster_queue);
		json_add_int(w, "priority", x->priority);
		json_key(w, "since");
		json_put_time(w, x->since, 0);
		json_key(w, "place");
		if (x->place)
			json_put_int(w, (int64_t)x->place);
		else
			json_put_null(w);
		json_add_int(w, "places", (int64_t)x->of);
		add_amounts(w, c, x->asks);
		json_close(w, '}');
	}
	json_close(w, ']');
}

void capacity_json(struct capacity *c, struct str ns, struct str context, struct buf *out)
{
	struct json_writer writer = { .out = out, .text = data_write_text }, *w = &writer;

	json_open(w, '{');
	if (context.n)
		json_add_text(w, "context", context);
	json_add_text(w, "namespace", ns);
	nodes_json(w, c);
	holders_json(w, c);
	quotas_json(w, c);
	queues_json(w, c);
	waiting_json(w, c, ns);
	json_add_open(w, "unseen", '[');
	for (size_t i = 0; i < c->nunseen; i++)
		json_put_text(w, c->unseen[i]);
	json_close(w, ']');
	json_close(w, '}');
}
