/*
 * plan_table.c - writes `trainc plan` as text: for each job a table of roles, the sum of its requests, and what it
 * needs besides Kubernetes.
 */
#include "plan/code.h"
#include "plan/print.h"
#include "plan/totals.h"

enum { COLUMNS = 7 };

struct table {
	struct str (*rows)[COLUMNS];
	size_t n;
};

static void print_rows(const struct table *t, struct buf *out)
{
	size_t width[COLUMNS] = { 0 };

	for (size_t i = 0; i < t->n; i++)
		for (size_t c = 0; c < COLUMNS; c++)
			width[c] = t->rows[i][c].n > width[c] ? t->rows[i][c].n : width[c];
	for (size_t i = 0; i < t->n; i++) {
		size_t last = COLUMNS - 1;
		while (last && !t->rows[i][last].n)
			last--;
		for (size_t c = 0; c <= last; c++) {
			buf_printf(out, "  %.*s", STR_ARG(t->rows[i][c]));
			if (c < last)
				buf_printf(out, "%*s", (int)(width[c] - t->rows[i][c].n), "");
		}
		buf_char(out, '\n');
	}
}

/* An amount as a person reads it: 64.1 for 64100m, 512.06Gi for 524352Mi. */
static struct str readable(struct arena *a, struct quantity q)
{
	static const char *const units[] = { "Ki", "Mi", "Gi", "Ti", "Pi" };
	struct str exact = quantity_text(a, q);
	double value = (double)(int64_t)(q.nano / QUANTITY_UNIT) +
		(double)(int64_t)(q.nano % QUANTITY_UNIT) / (double)QUANTITY_UNIT;
	size_t n = 0;

	if (exact.n <= (q.form == QUANTITY_BINARY ? 6 : 5))
		return exact;
	if (q.form != QUANTITY_BINARY)
		return str_ends(exact, STR("m")) && value > 1 ? str_printf(a, "%.4g", value) : exact;
	while (value >= 1024 && n < sizeof units / sizeof *units) {
		value /= 1024;
		n++;
	}
	return n ? str_printf(a, "%.*f%s", value == (double)(int64_t)value ? 0 : 2, value, units[n - 1]) : exact;
}

static struct str amount_cell(struct arena *a, const struct plan_quantity *q)
{
	return q->set ? readable(a, q->value) : STR("-");
}

static struct str cpu(struct arena *a, const struct plan_role *r)
{
	struct plan_quantity q = plan_pod_cpu(r);

	return amount_cell(a, &q);
}

static struct str memory(struct arena *a, const struct plan_role *r)
{
	struct plan_quantity q = plan_pod_memory(r);

	return amount_cell(a, &q);
}

static struct str devices_cell(struct arena *a, const struct plan_role *r)
{
	size_t n;
	const struct plan_device_total *at = plan_pod_devices(a, r, &n);
	struct str all = n ? plan_device_text(a, &at[0]) : STR("-");

	for (size_t i = 1; i < n; i++)
		all = str_cat(a, all, STR(", "), plan_device_text(a, &at[i]));
	return all;
}

static struct str replicas(struct arena *a, const struct plan_role *r)
{
	if (r->elastic)
		return str_printf(a, "%lld:%lld", (long long)r->min, (long long)r->max);
	return plan_is_sliced(r) ? str_printf(a, "%lld in %lld slices", (long long)r->max, (long long)r->slices) :
		str_int(a, r->max);
}

static struct str hosts_cell(struct arena *a, const struct plan_job *j, const struct plan_role *r)
{
	struct buf text = { 0 };

	plan_host(j, r, 0, &text);
	if (r->max > 1) {
		buf_z(&text, r->max > 2 ? " ... " : " ");
		plan_host(j, r, r->max - 1, &text);
	}
	struct str s = buf_take(&text, a);
	buf_release(&text);
	return s;
}

static struct str ports_cell(struct arena *a, const struct plan_role *r)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < r->main.nports; i++)
		buf_printf(&text, "%s%.*s=%lld", i ? " " : "", STR_ARG(r->main.ports[i].name),
			(long long)r->main.ports[i].port);
	struct str s = buf_take(&text, a);
	buf_release(&text);
	return s;
}

static void put_role_rows(struct arena *a, const struct plan_job *j, struct buf *out)
{
	static const char *const titles[COLUMNS] = { "ROLE", "REPLICAS", "DEVICES", "CPU", "MEMORY", "HOSTS", "PORTS" };
	struct table t = { .rows = arena_alloc(a, sizeof(*t.rows) * (j->nroles + 1)) };

	for (size_t c = 0; c < COLUMNS; c++)
		t.rows[0][c] = str_of(titles[c]);
	t.n = 1;
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max || r->copy)
			continue;
		struct str cells[COLUMNS] = { str_printf(a, "%s%.*s", r->aux ? "aux " : "", STR_ARG(r->name)),
			replicas(a, r), plan_kinds_text(a, r, devices_cell), plan_kinds_text(a, r, cpu),
			plan_kinds_text(a, r, memory), hosts_cell(a, j, r), ports_cell(a, r) };
		memcpy(t.rows[t.n++], cells, sizeof(cells));
	}
	print_rows(&t, out);
}

/* Says how many copies there are of the cells, of whose roles the table has those of the first copy. */
static void copies(const struct plan_job *j, struct buf *out)
{
	for (size_t i = 0; i < j->ncells; i++) {
		const struct plan_cell *c = &j->cells[i];
		buf_printf(out, "  cell '%.*s'", STR_ARG(c->name));
		if (c->framework.n)
			buf_printf(out, " (%.*s)", STR_ARG(c->framework));
		buf_z(out, " has ");
		if (c->min < c->max)
			buf_printf(out, "%lld to ", (long long)c->min);
		buf_printf(out, "%lld %s", (long long)c->max, c->max == 1 ? "copy" : "copies");
		buf_z(out, c->max == 1 ? "" : "; copy 0 is shown");
		if (c->apart.set)
			buf_printf(out, "; no two in one domain of %.*s", STR_ARG(c->apart_key));
		buf_z(out, plan_cell_together(c) ? "; they start together\n" : "\n");
	}
}

static void totals(struct arena *a, const struct plan_totals *t, size_t objects, struct buf *out)
{
	buf_printf(out, "%lld pod%s", (long long)t->pods, t->pods == 1 ? "" : "s");
	if (t->cpu.set)
		buf_printf(out, ", cpu %.*s", STR_ARG(amount_cell(a, &t->cpu)));
	if (t->memory.set)
		buf_printf(out, ", memory %.*s", STR_ARG(amount_cell(a, &t->memory)));
	for (size_t i = 0; i < t->ndevices; i++) {
		buf_z(out, ", ");
		buf_str(out, plan_device_text(a, &t->devices[i]));
	}
	buf_printf(out, "; %zu object%s\n", objects, objects == 1 ? "" : "s");
}

static void unrolled(const struct sources *sources, const struct plan_job *j, struct buf *out)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->unrolled || !r->max || r->copy || plan_each_replica(j))
			continue;
		buf_printf(out, "  role '%.*s' is unrolled: one object for each replica", STR_ARG(r->name));
		if (span_known(r->unrolled_because)) {
			struct place at = source_place(sources, r->unrolled_because.start);
			buf_printf(out, ", because of '%.*s' at %.*s:%u",
				STR_ARG(source_text(sources, r->unrolled_because)),
				STR_ARG(at.source->name), at.line);
		}
		buf_char(out, '\n');
	}
}

static void layouts(struct arena *a, const struct plan_job *j, struct buf *out)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (r->layout && !r->copy)
			buf_printf(out, "  role '%.*s' divides its %lld ranks into %.*s\n", STR_ARG(r->name),
				(long long)r->layout->size, STR_ARG(plan_layout_text(a, r->layout)));
	}
}

static void places(struct arena *a, const struct plan_job *j, struct buf *out)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		struct str nodes = plan_nodes_text(a, r);
		if (r->copy)
			continue;
		if (nodes.n && r->max)
			buf_printf(out, "  role '%.*s' runs on nodes with %.*s\n", STR_ARG(r->name), STR_ARG(nodes));
		struct str labels = plan_labels_text(a, r);
		if (labels.n && r->max)
			buf_printf(out, "  role '%.*s' chooses nodes: %.*s\n", STR_ARG(r->name), STR_ARG(labels));
		if (r->nzones && r->max)
			buf_printf(out, "  role '%.*s' runs in zone %.*s\n", STR_ARG(r->name),
				STR_ARG(plan_zones_text(a, r)));
		struct str place = plan_place_text(a, &r->place);
		if (!place.n || !r->max)
			continue;
		buf_printf(out, "  role '%.*s' runs %.*s", STR_ARG(r->name), STR_ARG(place));
		if (r->place.level.n)
			buf_printf(out, ", by the label %.*s", STR_ARG(r->place.keys[r->place.nkeys - 1]));
		for (size_t k = 0; k < r->place.nsegments; k++)
			buf_printf(out, "%s %.*s", k || r->place.level.n ? " and" : ", by the label",
				STR_ARG(r->place.segments[k].key));
		bool shared = false;
		for (size_t k = 0; k < j->nroles; k++) {
			if (k == i || !plan_place_shared(r, &j->roles[k]))
				continue;
			buf_printf(out, "%s'%.*s'", shared ? ", " : ", together with ", STR_ARG(j->roles[k].name));
			shared = true;
		}
		buf_char(out, '\n');
	}
}

/*
 * Notes directories of the node that are mounted read-only by default: otherwise the program would only find out when
 * a write fails.
 */
static void unasked_mounts(const struct plan_job *j, struct buf *out)
{
	for (size_t i = 0; i < j->nroles; i++)
		for (size_t k = 0; j->roles[i].max && !j->roles[i].copy && k < j->roles[i].main.nmounts; k++) {
			const struct plan_mount *m = &j->roles[i].main.mounts[k];
			if (m->volume->unasked && !m->framework)
				buf_printf(out, "  role '%.*s' cannot write to %.*s: a host_path is read-only without "
					"'readonly = false'\n",
					STR_ARG(j->roles[i].name), STR_ARG(m->path));
		}
}

/* Says which code roles have; roles with the same code share a line. */
static void code_lines(struct arena *a, const struct plan_job *j, struct buf *out)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_code *c = j->roles[i].max ? j->roles[i].code : NULL;
		bool known = false;
		for (size_t k = 0; c && k < i && !known; k++)
			known = j->roles[k].max && j->roles[k].code && code_is_same(j->roles[k].code, c);
		if (!c || known)
			continue;
		struct str size = quantity_size(a, (uint64_t)c->bytes);
		buf_printf(out, "  code %.*s at %.*s, id %.*s, %lld file%s, %.*s%s%.*s\n", STR_ARG(c->dir),
			STR_ARG(c->at), STR_ARG(code_short(c)), (long long)c->files, c->files == 1 ? "" : "s",
			STR_ARG(size),
			c->claim.set ? ", by the claim " : "", STR_ARG(c->claim.value));
		uint64_t all = (uint64_t)c->packed.n * (uint64_t)j->roles[i].max;
		if (all > CODE_MUCH && !c->claim.set)
			buf_printf(out, "  role '%.*s' fetches up to %.*s of code: each node fetches it once\n",
				STR_ARG(j->roles[i].name), STR_ARG(quantity_size(a, all)));
	}
}

static void put_duration_row(struct arena *a, const char *what, const struct plan_quantity *q, struct buf *out)
{
	if (q->set)
		buf_printf(out, ", %s %.*s", what, STR_ARG(duration_text(a, q->value)));
}

static void head(struct arena *a, const struct plan *plan, const struct plan_job *j, struct buf *out)
{
	struct str success = plan_condition_text(a, j, j->success);

	buf_printf(out, "job %.*s", STR_ARG(j->name));
	if (j->framework.n)
		buf_printf(out, ": %.*s", STR_ARG(j->framework));
	buf_printf(out, "\n  namespace %.*s, target %.*s, gang %.*s", STR_ARG(plan_namespace(j)), STR_ARG(plan->target),
		STR_ARG(j->gang.value.n ? j->gang.value : STR("none")));
	if (j->queue.set)
		buf_printf(out, ", queue %.*s", STR_ARG(j->queue.value));
	buf_printf(out, "\n  success %.*s, clean %.*s, restarts %lld", STR_ARG(success.n ? success : STR("-")),
		STR_ARG(j->clean.value),
		(long long)j->restarts.value);
	put_duration_row(a, "timeout", &j->timeout, out);
	put_duration_row(a, "ttl", &j->ttl, out);
	buf_z(out, "\n\n");
}

static void all_jobs(const struct plan *plan, const size_t *objects, struct buf *out)
{
	struct arena a = { 0 };
	struct plan_totals t = plan_sum(&a, plan);
	size_t n = 0;

	for (size_t i = 0; i < plan->njobs; i++)
		n += objects[i];
	buf_printf(out, "\nall %zu jobs: ", plan->njobs);
	totals(&a, &t, n, out);
	arena_release(&a);
}

/*
 * Says that a framework's replicas need each other, and that nothing starts them again together. Not for those that may
 * change in number or start again one by one: what these do depends on the program.
 */
static void lost_replica(const struct plan_job *j, struct buf *out)
{
	if (!j->framework.n || j->controller || j->restarts.value)
		return;
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (r->aux || r->cell.n || r->in_group || r->elastic || r->endless || r->max < 2 || r->retries.value ||
			r->on_failed_pod.set || plan_role_restarts(r))
			continue;
		buf_printf(out, "  one lost replica of '%.*s' stops the others: 'restarts = 3' in the job would start "
			"all of them again\n", STR_ARG(r->name));
		return;
	}
}

void plan_print_table(const struct plan *plan, const struct sources *sources, const size_t *objects, struct buf *out)
{
	for (size_t i = 0; i < plan->njobs; i++) {
		struct arena a = { 0 };
		const struct plan_job *j = &plan->jobs[i];
		struct plan_needs needs = plan_needs_runtime(&a, j);
		if (i)
			buf_char(out, '\n');
		head(&a, plan, j, out);
		put_role_rows(&a, j, out);
		buf_char(out, '\n');
		struct plan_totals t = plan_totals(&a, j);
		buf_z(out, "  in all ");
		totals(&a, &t, objects[i], out);
		copies(j, out);
		unrolled(sources, j, out);
		layouts(&a, j, out);
		places(&a, j, out);
		code_lines(&a, j, out);
		unasked_mounts(j, out);
		lost_replica(j, out);
		for (size_t k = 0; k < needs.n; k++)
			buf_printf(out, "  left to you: %.*s\n", STR_ARG(needs.at[k]));
		arena_release(&a);
	}
	if (plan->njobs > 1)
		all_jobs(plan, objects, out);
}
