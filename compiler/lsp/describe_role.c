/*
 * describe_role.c - describes the part of the plan that belongs to an offset in the text. Everything is read from the
 * plan, so an editor shows the same as `trainc env` and `trainc plan`.
 */
#include "lsp/describe_role.h"

#include <inttypes.h>

#include "emit/emit.h"
#include "lsp/defaults.h"
#include "plan/print.h"
#include "plan/totals.h"
#include "syntax/walk.h"

enum { ROWS_MOST = 60 };                /* maximum number of rows of an environment that are shown */

/* ---- finding the job and the role at an offset ---- */

static bool span_holds(struct span outer, struct span inner)
{
	return span_known(inner) && outer.start <= inner.start && inner.end <= outer.end;
}

const struct plan_job *describe_job_in(const struct plan *plan, struct span node)
{
	for (size_t i = 0; i < plan->njobs; i++)
		if (span_holds(node, plan->jobs[i].name_at))
			return &plan->jobs[i];
	return NULL;
}

/* Are the values of the role known? In a file with syntax errors, the number of replicas may be missing. */
static bool is_role_known(const struct analysis *an, const struct plan_role *r)
{
	return !r->unknown && (r->max || !an->compile->program.root->broken);
}

void describe_place(struct analysis *an, uint32_t offset, const struct plan_job **ret_job,
	const struct plan_role **ret_role)
{
	struct module *root = an->compile->program.root;
	struct node_path path;
	struct str cell = STR("");

	*ret_job = NULL;
	*ret_role = NULL;
	node_path_at(root->file, offset, &path);
	for (size_t i = 0; i < path.n; i++) {
		const struct node *n = path.at[i];
		if (n->kind == NODE_JOB)
			*ret_job = describe_job_in(&an->compile->plan, n->span);
		if (n->kind != NODE_BLOCK || !*ret_job || !n->u.block.decl)
			continue;
		if (str_is(n->u.block.word, "cell"))
			cell = n->u.block.name;
		for (size_t k = 0; k < (*ret_job)->nroles && !str_is(n->u.block.word, "cell"); k++) {
			const struct plan_role *r = &(*ret_job)->roles[k];
			/* the first copy of a cell stands for all */
			if (str_eq(plan_role_inner(r), n->u.block.name) && str_eq(r->cell, cell) && !r->copy &&
			    is_role_known(an, r))
				*ret_role = r;
		}
	}
}

/* ---- values ---- */

struct str describe_replicas(struct arena *a, const struct plan_role *r)
{
	return r->elastic ? str_printf(a, "%" PRId64 ":%" PRId64, r->min, r->max) : str_int(a, r->max);
}

struct str describe_devices(struct arena *a, const struct plan_role *r)
{
	if (!r->accelerator || !r->max)
		return STR("");
	struct str replicas = describe_replicas(a, r), name = r->accelerator->name;
	int64_t low = r->min * r->accelerator->per_pod, high = r->max * r->accelerator->per_pod;
	struct str total = r->elastic ? str_printf(a, "%" PRId64 " to %" PRId64, low, high) : str_int(a, high);

	return str_printf(a, "%.*s × %" PRId64 " %.*s = %.*s devices", STR_ARG(replicas), r->accelerator->per_pod,
		STR_ARG(name), STR_ARG(total));
}

static struct str quantity(struct arena *a, const struct plan_quantity *q)
{
	return q->set ? quantity_text(a, q->value) : STR("");
}

static struct str cpu(struct arena *a, const struct plan_role *r) { return quantity(a, &r->main.asks.cpu); }
static struct str memory(struct arena *a, const struct plan_role *r) { return quantity(a, &r->main.asks.memory); }
static struct str disk(struct arena *a, const struct plan_role *r) { return quantity(a, &r->main.asks.disk); }

struct str describe_resolved(struct arena *a, const struct plan_role *r, enum field_id id)
{
	switch (id) {
	case FIELD_REPLICAS: return describe_replicas(a, r);
	case FIELD_IMAGE: return r->main.image.set ? r->main.image.value : STR("");
	case FIELD_WORKDIR: return r->main.workdir.set ? r->main.workdir.value : STR("");
	case FIELD_CPU: return plan_kinds_text(a, r, cpu);
	case FIELD_MEMORY: return plan_kinds_text(a, r, memory);
	case FIELD_DISK: return plan_kinds_text(a, r, disk);
	case FIELD_SHM: return quantity(a, &r->shm);
	case FIELD_ACCELERATOR: {
		struct str devices = describe_devices(a, r);
		return devices.n ? devices : r->accelerator ? r->accelerator->spelling : STR("");
	}
	case FIELD_RESTART: return r->restart.set ? r->restart.value : STR("");
	case FIELD_SPREAD: return r->spread.set ? r->spread.value : STR("");
	case FIELD_ZONE: return plan_zones_text(a, r);
	case FIELD_PLACE: return plan_place_text(a, &r->place);
	case FIELD_RETRIES: return r->retries.set ? str_int(a, r->retries.value) : STR("");
	default: return STR("");
	}
}

/* ---- environments ---- */

struct str describe_env(struct arena *a, const struct env_value *v)
{
	struct buf b = { 0 };

	env_value_print(v, &b);
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/* Appends a text on one line, so that it cannot end the code block around it. */
static void put_cell(struct buf *out, struct str text)
{
	enum { LONGEST = 160 };
	size_t n = text.n < LONGEST ? text.n : LONGEST;

	while (n && n < text.n && ((unsigned char)text.p[n] & 0xC0) == 0x80)
		n--;
	for (size_t i = 0; i < n; i++)
		buf_char(out, text.p[i] == '\n' ? ' ' : text.p[i] == '`' ? '\'' : text.p[i]);
	if (n < text.n)
		buf_z(out, "...");
}

static void put_environment(struct arena *a, const struct plan_job *j, const struct plan_role *r, struct buf *out)
{
	struct env_values env = plan_env(a, j, r, &r->main, 0, &placement_cluster);

	if (!env.n || !r->max)
		return;
	buf_z(out, "\nEnvironment of replica 0:\n\n```sh\n");
	for (size_t i = 0; i < env.n && i < ROWS_MOST; i++) {
		buf_printf(out, "%.*s=", STR_ARG(env.at[i].name));
		put_cell(out, describe_env(a, &env.at[i]));
		buf_char(out, '\n');
	}
	if (env.n > ROWS_MOST)
		buf_printf(out, "# and %zu more\n", env.n - ROWS_MOST);
	buf_z(out, "```\n");
}

static void put_defaults(struct arena *a, struct lsp_defaults d, struct buf *out)
{
	buf_z(out, d.all.n ? "\n" : "");
	buf_str(out, defaults_text(a, d.all));
}

void describe_role(struct arena *a, struct analysis *an, uint32_t offset, struct buf *out)
{
	const struct plan_job *job;
	const struct plan_role *role;

	describe_place(an, offset, &job, &role);
	if (!role)
		return;
	struct str devices = describe_devices(a, role), replicas = describe_replicas(a, role);
	if (devices.n)
		buf_printf(out, "\n%.*s\n", STR_ARG(devices));
	else
		buf_printf(out, "\n%.*s replica%s\n", STR_ARG(replicas), str_is(replicas, "1") ? "" : "s");
	put_defaults(a, defaults_of_role(a, an, role), out);
	if (an->sound)
		put_environment(a, job, role, out);
}

void describe_job(struct arena *a, struct analysis *an, uint32_t offset, struct buf *out)
{
	const struct plan_job *job;
	const struct plan_role *role;

	describe_place(an, offset, &job, &role);
	if (!job)
		return;
	buf_printf(out, "```tj\njob \"%.*s\"", STR_ARG(job->name));
	if (job->framework.n)
		buf_printf(out, ": %.*s", STR_ARG(job->framework));
	buf_z(out, "\n```\n\n");
	for (size_t i = 0; i < job->nroles; i++) {
		const struct plan_role *r = &job->roles[i];
		struct str devices = describe_devices(a, r), replicas = describe_replicas(a, r);
		if (!is_role_known(an, r))
			continue;
		buf_printf(out, "- `%.*s`: ", STR_ARG(r->name));
		if (devices.n)
			buf_printf(out, "%.*s\n", STR_ARG(devices));
		else
			buf_printf(out, "%.*s replica%s\n", STR_ARG(replicas), str_is(replicas, "1") ? "" : "s");
	}
	put_defaults(a, defaults_of_job(a, an, job), out);
	if (an->sound)
		buf_printf(out, "\n%zu objects\n", emit_counts(a, &an->compile->plan)[job - an->compile->plan.jobs]);
}

void describe_variable(struct arena *a, struct analysis *an, const struct occurrence *o, struct buf *out)
{
	const struct plan_job *job;
	const struct plan_role *role;

	describe_place(an, o->at.start, &job, &role);
	if (!role || !an->sound || !role->max)
		return;
	struct env_values env = plan_env(a, job, role, &role->main, 0, &placement_cluster);
	for (size_t i = 0; i < env.n; i++) {
		if (!str_eq(env.at[i].name, o->word))
			continue;
		buf_printf(out, "```sh\n%.*s=", STR_ARG(o->word));
		put_cell(out, describe_env(a, &env.at[i]));
		buf_printf(out, "\n```\n\nIn replica 0 of `%.*s`.\n", STR_ARG(role->name));
	}
}
