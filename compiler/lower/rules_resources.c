/*
 * rules_resources.c - rules about cpu, memory, devices and topology (TJ0522, TJ0606 to TJ0620).
 */
#include "lower/lower_rules.h"

static struct str amount_text(struct job *j, struct plan_quantity q) { return quantity_text(j->ev->arena, q.value); }

/*
 * The amount as the program writes it, such as 1.5 for 1500m, if it comes from a literal; otherwise in canonical form.
 */
static struct str as_written(struct job *j, struct plan_quantity q)
{
	struct str text = source_text(j->ev->program->sources, q.from);
	size_t i = 0;

	while (i < text.n && ((text.p[i] >= '0' && text.p[i] <= '9') || text.p[i] == '.'))
		i++;
	size_t number = i;
	while (i < text.n && (text.p[i] | 32) >= 'a' && (text.p[i] | 32) <= 'z')
		i++;
	return number && i == text.n ? text : amount_text(j, q);
}

/* ---- one container ---- */

static void positive(struct job *j, const char *field, struct plan_quantity q)
{
	if (!q.set || q.value.nano > 0)
		return;
	struct diag *d = diag_report(job_diags(j), TJ0610, q.from, "%s must be positive", field);
	diag_help(job_diags(j), d, "write an amount, or leave the field out");
}

static void limit_below(struct job *j, const char *field, struct plan_quantity request, struct plan_quantity limit)
{
	if (!request.set || !limit.set || limit.value.nano >= request.value.nano)
		return;
	struct str r = amount_text(j, request), l = amount_text(j, limit);
	struct diag *d = diag_report(job_diags(j), TJ0607, limit.from, "limits.%s = %.*s is below %s = %.*s", field,
		STR_ARG(l), field, STR_ARG(r));
	diag_note(job_diags(j), d, request.from, "requested here");
	diag_help(job_diags(j), d, "a limit is at least the request");
}

static void check_container_amounts(struct job *j, const struct plan_container *c)
{
	positive(j, "cpu", c->asks.cpu);
	positive(j, "memory", c->asks.memory);
	positive(j, "disk", c->asks.disk);
	positive(j, "limits.cpu", c->asks.limits.cpu);
	positive(j, "limits.memory", c->asks.limits.memory);
	positive(j, "limits.disk", c->asks.limits.disk);
	limit_below(j, "cpu", c->asks.cpu, c->asks.limits.cpu);
	limit_below(j, "memory", c->asks.memory, c->asks.limits.memory);
	limit_below(j, "disk", c->asks.disk, c->asks.limits.disk);
}

/* ---- decimal amounts that were probably meant as binary (TJ0620) ---- */

static void decimal(struct job *j, struct plan_quantity q)
{
	const int128 giga = QUANTITY_UNIT * 1000000000;
	if (!q.set || q.value.form != QUANTITY_DECIMAL || q.value.nano < giga || q.value.nano % giga)
		return;
	bool tera = q.value.nano % (giga * 1000) == 0;
	long long n = (long long)(q.value.nano / (tera ? giga * 1000 : giga));
	struct str text = source_text(j->ev->program->sources, q.from);
	if (!quantity_binary(n))
		return;
	if (!str_ends(text, STR("G")) && !str_ends(text, STR("T")))
		return;                         /* other notations, such as an exponent, show that the amount is
						 * intended */
	double binary = (double)n * (tera ? 1e12 / 1099511627776.0 : 1e9 / 1073741824.0);
	struct diag *d = diag_report(job_diags(j), TJ0620, q.from, "%lld%s is %.1f%s", n, tera ? "T" : "G", binary,
		tera ? "Ti" : "Gi");
	diag_help(job_diags(j), d, "write %lld%s if that was meant", n, tera ? "Ti" : "Gi");
}

/* ---- devices ---- */

/* Does a raw container mount a volume at PATH? */
static bool mounts_raw(const struct data *raw, struct str path)
{
	const struct data *list = data_get(raw, STR("volumeMounts"));

	for (size_t i = 0; list && list->kind == DATA_LIST && i < list->u.list.n; i++) {
		const struct data *at = data_get(list->u.list.at[i], STR("mountPath"));
		if (at && at->kind == DATA_STRING && str_eq(at->u.string, path))
			return true;
	}
	return false;
}

/* Does a raw container ask for cpu or memory itself, as a request or as a limit? */
static bool asks_raw(const struct data *raw, const char *resource)
{
	const struct data *resources = raw ? data_get(raw, STR("resources")) : NULL;
	const struct data *requests = resources ? data_get(resources, STR("requests")) : NULL;
	const struct data *limits = resources ? data_get(resources, STR("limits")) : NULL;

	return (requests && data_get(requests, str_of(resource))) || (limits && data_get(limits, str_of(resource)));
}

/* ---- amounts that are probably mistakes (TJ0622) ---- */

enum { MOST_CPUS = 2048, LEAST_MIB = 4, LEAST_FOR_DEVICE = 1024 };

/* An amount of a raw block as text; empty if it is none. */
static struct str raw_amount(struct job *j, const struct data *d)
{
	return d->kind == DATA_INT ? str_printf(j->ev->arena, "%lld", (long long)d->u.integer) :
		d->kind == DATA_STRING ? d->u.string : STR("");
}

/* Is the memory of a raw container so little that its unit was forgotten, as in memory: 64? */
static void unlikely_raw(struct job *j, const struct data *raw)
{
	static const char *const amounts[] = { "requests", "limits" };
	const struct data *resources = raw ? data_get(raw, STR("resources")) : NULL;
	const int128 least = (int128)QUANTITY_UNIT * LEAST_MIB * 1024 * 1024;

	for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
		const struct data *all = resources ? data_get(resources, str_of(amounts[i])) : NULL;
		const struct data *memory = all ? data_get(all, STR("memory")) : NULL;
		struct quantity q;
		if (!memory || quantity_parse_full(raw_amount(j, memory), &q) != QUANTITY_OK)
			continue;
		if (q.nano <= 0 || q.nano >= least)
			continue;
		struct diag *d = diag_report(job_diags(j), TJ0622, memory->from,
			"memory = %lld bytes: no program starts with so little", (long long)(q.nano / QUANTITY_UNIT));
		diag_help(job_diags(j), d, "write it with the unit Mi or Gi, such as memory = \"256Mi\"");
		return;
	}
}

static void unlikely(struct job *j, const struct plan_role *r)
{
	const struct plan_quantity *cpu = &r->main.asks.cpu,
		*memory = r->main.asks.memory.set ? &r->main.asks.memory : &r->main.asks.limits.memory;
	const int128 mib = (int128)QUANTITY_UNIT * 1024 * 1024;
	struct diag *d;

	if (cpu->set && cpu->value.nano > MOST_CPUS * QUANTITY_UNIT) {
		struct str text = as_written(j, *cpu);
		d = diag_report(job_diags(j), TJ0622, cpu->from, "cpu = %.*s: no node has so many CPUs", STR_ARG(text));
		diag_help(job_diags(j), d, "thousandths are written with 'm', as in 500m");
	}
	if (memory->set && memory->value.nano > 0 && memory->value.nano < LEAST_MIB * mib) {
		struct str text = as_written(j, *memory);
		d = diag_report(job_diags(j), TJ0622, memory->from, "memory = %.*s: no program starts with so little",
			STR_ARG(text));
		diag_help(job_diags(j), d,
			"a program needs some MiB at least: write it with the unit Mi or Gi, such as memory = %s",
			r->accelerator ? "64Gi" : "256Mi");
	} else if (memory->set && r->accelerator && memory->value.nano > 0 &&
		memory->value.nano < r->accelerator->per_pod * LEAST_FOR_DEVICE * mib) {
		struct str text = as_written(j, *memory);
		d = diag_report(job_diags(j), TJ0622, memory->from,
			"memory = %.*s for %lld devices: their programs do not start with so little", STR_ARG(text),
			(long long)r->accelerator->per_pod);
		diag_help(job_diags(j), d,
			"each of them wants some GiB of the host: write it with the unit Gi, such as memory = 64Gi");
	}
}

/* Checks that the number of replicas is the number of hosts of the topology, times the number of slices. */
static void fit_topology(struct job *j, const struct plan_role *r)
{
	const struct plan_accelerator *acc = r->accelerator;
	long long hosts = acc->pods, slices = r->slices > 1 ? r->slices : 1, n = r->max;
	struct diag *d;
	if (r->slices > 1 && r->min != r->max) {
		d = diag_report(job_diags(j), TJ0606, r->replicas_at,
			"slices come and go as a whole, but '%.*s' has %lld:%lld replicas",
			STR_ARG(r->name), (long long)r->min, n);
		diag_note(job_diags(j), d, acc->from, "spans %lld hosts", hosts);
		diag_help(job_diags(j), d, "remove 'replicas', it follows from the topology and 'slices'");
		return;
	}
	if (n == hosts * slices)
		return;
	if (r->slices > 1)
		d = diag_report(job_diags(j), TJ0606, r->replicas_at,
			"%lld slices of '%.*s' need %lld hosts, but replicas = %lld", slices,
			STR_ARG(acc->spelling), hosts * slices, n);
	else
		d = diag_report(job_diags(j), TJ0606, r->replicas_at, "'%.*s' needs %lld hosts, but replicas = %lld",
			STR_ARG(acc->spelling), hosts, n);
	diag_note(job_diags(j), d, acc->from, "spans %lld hosts", hosts);
	if (r->slices <= 1 && r->min == n && n > 0 && n % hosts == 0)
		diag_help(job_diags(j), d, "write slices = %lld in place of 'replicas' for %lld such slices", n / hosts,
			n / hosts);
	else
		diag_help(job_diags(j), d,
			r->slices > 1 ? "remove 'replicas', it follows from the topology and 'slices'"
				: "remove 'replicas', it follows from the topology");
}

/* Checks slices, which only make sense for a topology with several hosts (TJ0625). */
static void fit_slices(struct job *j, const struct plan_role *r)
{
	const struct plan_accelerator *acc = r->accelerator;
	struct diag *d;
	if (r->slices <= 1 || (acc && acc->pods > 1))
		return;
	if (acc) {
		d = diag_report(job_diags(j), TJ0625, r->slices_at,
			"'%.*s' fits on one host, so role '%.*s' has no slices", STR_ARG(acc->spelling),
			STR_ARG(r->name));
		diag_note(job_diags(j), d, acc->from, "spans 1 host");
		diag_help(job_diags(j), d,
			"remove 'slices' and write replicas = %lld, or choose a topology that spans several hosts",
			(long long)r->slices);
		return;
	}
	d = diag_report(job_diags(j), TJ0625, r->slices_at,
		"role '%.*s' has no accelerator, and slices are parts with a topology each", STR_ARG(r->name));
	diag_help(job_diags(j), d,
		"give the role an accelerator that spans several hosts, such as tpu.v5e(4x4), or write "
		"'replicas' in place of 'slices'");
}

/* Reports a variable by which the job chooses devices itself: the node's plugin has already chosen them (TJ0628). */
static void chosen_by_hand(struct job *j, const struct plan_role *r)
{
	const struct plan_accelerator *acc = r->accelerator;

	for (size_t i = 0; i < r->main.nenv; i++) {
		const struct plan_env *e = &r->main.env[i];
		if (e->framework || !acc->visible.set || !str_eq(e->name, acc->visible.value))
			continue;
		struct diag *d = diag_report(job_diags(j), TJ0628, e->name_at,
			"'%.*s' hides devices that the replica gets", STR_ARG(e->name));
		diag_note(job_diags(j), d, acc->from, "%lld device%s", (long long)acc->per_pod,
			acc->per_pod == 1 ? "" : "s");
		diag_help(job_diags(j), d,
			"remove it: a replica sees exactly its own devices, and their number is set here");
	}
}

/* Reports a directory on disk in place of shared memory (TJ0617). */
static void shm_on_disk(struct job *j, const struct plan_role *r)
{
	const struct plan_mount *m = plan_find_mount(&r->main, STR("/dev/shm"));

	if (!m || m->volume->kind != VOLUME_SCRATCH || m->volume->memory)
		return;
	struct str size = m->volume->size.nano ? quantity_text(j->ev->arena, m->volume->size) : STR("8Gi");
	struct diag *d = diag_report(job_diags(j), TJ0617, m->path_at,
		"'/dev/shm' is a directory on the node's disk here, not memory");
	diag_help(job_diags(j), d, "write shm = %.*s in the role in place of this mount", STR_ARG(size));
}

static void check_role_devices(struct job *j, const struct plan_role *r)
{
	const struct plan_accelerator *acc = r->accelerator;
	long long n = r->processes ? r->processes : acc->per_pod;
	if (!r->shm.set && n > 1 && !plan_find_mount(&r->main, STR("/dev/shm")) &&
		!mounts_raw(r->main.raw, STR("/dev/shm"))) {
		struct diag *d = diag_report(job_diags(j), TJ0617, acc->from,
			"%lld processes of each '%.*s' share the default 64 MiB of /dev/shm", n,
			STR_ARG(r->name));
		diag_help(job_diags(j), d,
			"data loaders crash with a bus error when it is full; set 'shm', for example shm = 16Gi");
	}
	const struct plan_quantity *cpus = &r->main.asks.cpu;
	if (cpus->set && cpus->value.nano > 0 && cpus->value.nano < n * QUANTITY_UNIT) {
		struct str cpu = as_written(j, *cpus);
		struct diag *d = diag_report(job_diags(j), TJ0618, cpus->from, "%lld process%s on %.*s CPU%s", n,
			n == 1 ? "" : "es",
			STR_ARG(cpu), str_is(cpu, "1") ? "" : "s");
		diag_note(job_diags(j), d, acc->from, "%lld device%s", (long long)acc->per_pod,
			acc->per_pod == 1 ? "" : "s");
		diag_help(job_diags(j), d, "give each process at least one CPU");
	}
	if (!cpus->set && !r->main.asks.limits.cpu.set && !asks_raw(r->main.raw, "cpu")) {
		struct diag *d = diag_report(job_diags(j), TJ0618, acc->from,
			"role '%.*s' has accelerators but no 'cpu'", STR_ARG(r->name));
		diag_help(job_diags(j), d,
			"no processor is reserved for its %lld process%s; set it, for example cpu = %lld", n,
			n == 1 ? "" : "es", 8 * n);
	}
	if (!r->main.asks.memory.set && !r->main.asks.limits.memory.set && !asks_raw(r->main.raw, "memory")) {
		struct diag *d = diag_report(job_diags(j), TJ0619, acc->from,
			"role '%.*s' has accelerators but no 'memory'", STR_ARG(r->name));
		diag_help(job_diags(j), d,
			"a pod without 'memory' may be evicted at any time; set it, for example memory = 64Gi");
	}
	chosen_by_hand(j, r);
	if (acc->pods > 1)
		fit_topology(j, r);
	rules_nodes(j, r);
}

/* ---- devices that an auxiliary role has unintentionally (TJ0522) ---- */

/*
 * Reports devices of an auxiliary role that come from an inserted record: a record that describes the training nodes
 * also sets their accelerator.
 */
static void inserted_devices(struct job *j, struct role *role, const struct plan_role *r)
{
	struct contribution c;
	if (!r->aux || !role_first(role, FIELD_ACCELERATOR, &c) || c.entry->item)
		return;
	struct diag *d = diag_report(job_diags(j), TJ0522, r->at,
		"'aux %.*s' asks for '%.*s' because of an inserted record", STR_ARG(r->name),
		STR_ARG(r->accelerator->spelling));
	diag_note(job_diags(j), d, c.entry->key_at, "inserted from here");
	diag_help(job_diags(j), d, "set 'accelerator = none' there; if it needs the devices, write them out");
}

/* ---- device counts in raw blocks (TJ0608) ---- */

static void raw_devices(struct job *j, const struct plan_role *r)
{
	static const char *const parts[] = { "limits", "requests" };
	const struct data *resources = r->main.raw ? data_get(r->main.raw, STR("resources")) : NULL;
	for (int i = 0; resources && r->accelerator && i < 2; i++) {
		const struct data *part = data_get(resources, str_of(parts[i]));
		const struct data *count = part ? data_get(part, r->accelerator->resource) : NULL;
		long long want = r->accelerator->per_pod;
		struct str text = count && count->kind == DATA_STRING ? count->u.string : STR("");
		if (count && count->kind == DATA_INT)
			text = str_printf(j->ev->arena, "%lld", (long long)count->u.integer);
		if (!count || str_eq(text, str_printf(j->ev->arena, "%lld", want)))
			continue;
		struct diag *d = diag_report(job_diags(j), TJ0608, count->from,
			"%.*s is %lld here and %.*s in 'raw container'",
			STR_ARG(r->accelerator->resource), want, STR_ARG(text));
		diag_note(job_diags(j), d, r->accelerator->from, "%lld by the accelerator", want);
		diag_help(job_diags(j), d, "set devices with 'accelerator' only");
	}
}

/* Is it the resource of a device plugin, whose name starts with the domain of a vendor? */
static bool is_device(struct str resource)
{
	const char *slash = memchr(resource.p, '/', resource.n);
	return slash && !memmem(resource.p, (size_t)(slash - resource.p), "kubernetes.io", 13);
}

/* Reports a request of devices that differs from the limit: the API server does not overcommit devices. */
static void raw_requests(struct job *j, const struct plan_role *r, const struct data *raw)
{
	const struct data *resources = raw ? data_get(raw, STR("resources")) : NULL;
	const struct data *requests = resources ? data_get(resources, STR("requests")) : NULL;
	const struct data *limits = resources ? data_get(resources, STR("limits")) : NULL;
	for (size_t i = 0; requests && requests->kind == DATA_MAP && i < requests->u.map.n; i++) {
		const struct data_member *m = &requests->u.map.at[i];
		const struct data *limit = limits ? data_get(limits, m->key) : NULL;
		struct str asked = raw_amount(j, m->value), most = limit ? raw_amount(j, limit) : STR("");
		if (!is_device(m->key) || !asked.n || (limit && str_eq(asked, most)) ||
			(r->accelerator && str_eq(r->accelerator->resource, m->key)))
			continue;
		struct diag *d;
		if (limit) {
			d = diag_report(job_diags(j), TJ0608, m->value->from,
				"%.*s is %.*s in 'requests' and %.*s in 'limits'", STR_ARG(m->key), STR_ARG(asked),
				STR_ARG(most));
			diag_note(job_diags(j), d, limit->from, "the limit");
		} else {
			d = diag_report(job_diags(j), TJ0608, m->value->from,
				"%.*s is %.*s in 'requests' and has no limit", STR_ARG(m->key), STR_ARG(asked));
		}
		diag_help(job_diags(j), d,
			"devices are not shared, so both are equal: write it in 'limits' alone, or use 'accelerator'");
	}
}

static void shm(struct job *j, const struct plan_role *r)
{
	const struct plan_amounts *asks = &r->main.asks;
	const struct plan_quantity *memory = plan_memory_limit(asks);
	if (memory->set && memory->value.nano <= 0)
		return;                 /* reported above; the default of 'shm' may be computed from it */
	positive(j, "shm", r->shm);
	if (!r->shm.set || !memory->set || r->shm.value.nano <= memory->value.nano)
		return;
	struct str s = amount_text(j, r->shm), m = amount_text(j, *memory);
	struct diag *d = diag_report(job_diags(j), TJ0611, r->shm.from,
		"shm = %.*s exceeds memory = %.*s; it is part of the pod's memory", STR_ARG(s),
		STR_ARG(m));
	diag_note(job_diags(j), d, memory->from, "the pod's memory");
	diag_help(job_diags(j), d, "raise 'memory', or lower 'shm'");
}

/* Applies the rules to one kind of replica; R is the role with the amounts of that kind. */
static void judge_kind(struct job *j, struct role *role, const struct plan_role *r)
{
	check_container_amounts(j, &r->main);
	for (size_t k = 0; k < r->nsidecars; k++)
		check_container_amounts(j, &r->sidecars[k]);
	for (size_t k = 0; k < r->ninits; k++)
		check_container_amounts(j, &r->inits[k]);
	decimal(j, r->main.asks.memory);
	decimal(j, r->main.asks.disk);
	decimal(j, r->shm);
	unlikely(j, r);
	unlikely_raw(j, r->main.raw);
	if (r->accelerator) {
		check_role_devices(j, r);
		inserted_devices(j, role, r);
	}
	shm(j, r);
}

void rules_resources(struct job *j)
{
	for (size_t n = 0; n < j->plan->nroles; n++) {
		const struct plan_role *r = &j->plan->roles[n];
		for (int64_t i = plan_next_kind(r, -1); i < r->max; i = plan_next_kind(r, i)) {
			const struct plan_role one = plan_role_of(eval_work(j->ev), r, i);
			judge_kind(j, j->roles[n], &one);
		}
		if (r->max == 0)
			continue;
		fit_slices(j, r);
		shm_on_disk(j, r);
		raw_devices(j, r);
		raw_requests(j, r, r->main.raw);
		for (size_t k = 0; k < r->nsidecars; k++)
			raw_requests(j, r, r->sidecars[k].raw);
		for (size_t k = 0; k < r->ninits; k++)
			raw_requests(j, r, r->inits[k].raw);
	}
}
