/*
 * listed.c - makes the trees of all manifests of a job, one tree for each index.
 */
#include "emit/listed.h"

#include "emit/emit_build.h"

struct listing {
	struct arena *arena;
	const struct plan_job *job;
	bool shared;                    /* list only objects that belong to no single replica */
	struct emit_listing all;
};

static bool is_of_replica(const struct plan_job *j, const struct manifest *m)
{
	struct str kind = str_of(m->kind);

	if (m->claim)
		return false;                   /* a claim exists before its replica starts and after it ends */
	return m->indexed_name || (m->role && workload_named(kind)) ||
		(str_is(kind, "Service") && m->role && plan_role_is_served(j, m->role));
}

static struct str listed_name(const struct data *tree)
{
	const struct data *metadata = data_get(tree, STR("metadata")),
		*name = metadata ? data_get(metadata, STR("name")) : NULL;

	return name && name->kind == DATA_STRING ? name->u.string : STR("");
}

static bool list_manifest(struct emit *e, const struct manifest *m, void *context)
{
	struct listing *l = context;

	if (m->code || e->job != l->job || (l->shared && is_of_replica(e->job, m)))
		return true;
	struct arena *own = e->arena;   /* the listed objects must outlive the visit */
	e->arena = l->arena;
	const struct object *o = m->make(e, m);
	for (int64_t i = m->first; i < m->first + m->count; i++) {
		struct emit_listed x = { .api_version = str_copy(l->arena, str_of(m->api_version)),
			.kind = str_copy(l->arena, str_of(m->kind)),
			.role = m->role, .cluster_wide = m->cluster_wide, .whole = m->queued,
			.extra = m->object != NULL, .generated = m->generated, .from = m->from,
			.tree = object_to_data(l->arena, o, i) };
		x.name = listed_name(x.tree);
		ARENA_PUSH(l->arena, l->all.at, l->all.n, x);
	}
	e->arena = own;
	return true;
}

struct emit_listing emit_list(struct arena *a, const struct plan *plan, const struct plan_job *j)
{
	struct emit e = { .plan = plan };
	struct listing l = { .arena = a, .job = j };

	emit_each(&e, list_manifest, &l);
	return l.all;
}

struct emit_listing emit_list_shared(struct arena *a, const struct plan *plan, const struct plan_job *j)
{
	struct emit e = { .plan = plan };
	struct listing l = { .arena = a, .job = j, .shared = true };

	emit_each(&e, list_manifest, &l);
	return l.all;
}

/* Is the code of role N that of an earlier role of J, which has it in ConfigMaps? */
static bool is_code_listed(const struct plan_job *j, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (j->roles[i].max && j->roles[i].code && j->roles[i].code->parts &&
			str_eq(j->roles[i].code->id, j->roles[n].code->id))
			return true;
	return false;
}

struct emit_listing emit_list_code(struct arena *a, const struct plan *plan, const struct plan_job *j)
{
	struct emit e = { .plan = plan, .job = j, .arena = a };
	struct emit_listing all = { 0 };

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_code *c = j->roles[i].code;
		if (!c || !j->roles[i].max || is_code_listed(j, i))
			continue;
		for (unsigned part = 0; part < c->parts; part++) {
			struct manifest m = { .api_version = "v1", .kind = "ConfigMap", .count = 1, .code = c,
				.name = emit_code_name(a, c, part), .part = part, .from = c->from };
			struct emit_listed x = { .api_version = STR("v1"), .kind = STR("ConfigMap"), .name = m.name,
				.from = c->from, .tree = object_to_data(a, emit_code_make(&e, &m), 0) };
			ARENA_PUSH(a, all.at, all.n, x);
		}
	}
	return all;
}
