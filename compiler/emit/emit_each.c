/*
 * emit_each.c - the manifests of a plan in output order: Services, ConfigMaps,
 * Secrets, roles in framework order, auxiliary roles, extra objects.
 */
#include "emit/build.h"
#include "kube/limits.h"

struct visiting {
	struct emit *e;
	bool (*visit)(struct emit *e, const struct manifest *m, void *context);
	void *context;
};

static bool one(struct visiting *v, const struct manifest *m)
{
	bool more = v->visit(v->e, m, v->context);

	arena_reset(v->e->arena);
	return more;
}

static struct manifest manifest_of(const struct plan_role *r, const char *api_version, const char *kind, struct str name,
	struct object *(*make)(struct emit *e, const struct manifest *m))
{
	return (struct manifest){ .api_version = api_version, .kind = kind, .name = name, .count = 1, .role = r,
		.from = r ? r->at : (struct span){ 0 }, .make = make };
}

static bool replica_services(struct visiting *v, const struct plan_role *r)
{
	struct manifest m = manifest_of(r, "v1", "Service", r->object, emit_replica_service_make);

	m.indexed_name = true;
	m.count = r->max;
	return !r->max || plan_role_is_deployment(r) || one(v, &m);
}

static bool services(struct visiting *v, const struct plan_job *j)
{
	struct manifest m = manifest_of(NULL, "v1", "Service", j->name, emit_service_make);

	m.from = j->name_at;
	if (j->hosts == HOSTS_SUBDOMAIN && !one(v, &m))
		return false;
	for (size_t i = 0; i < j->nroles && j->hosts != HOSTS_SUBDOMAIN; i++)
		if (!replica_services(v, &j->roles[i]))
			return false;
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		m = manifest_of(r, "v1", "Service", r->object, emit_role_service_make);
		if (r->max && r->service.set && !str_is(r->service.value, "none") && !one(v, &m))
			return false;
	}
	return true;
}

static bool config_maps(struct visiting *v, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max || !r->nfiles)
			continue;
		unsigned parts = emit_files_of(v->e->arena, j, r).parts;
		for (unsigned part = 0; part < parts; part++) {
			struct manifest m = manifest_of(r, "v1", "ConfigMap", emit_files_name(v->e->arena, r, part), emit_files_make);
			m.part = part;
			m.from = r->files[0].path_at;
			if (!one(v, &m))
				return false;
		}
	}
	return true;
}

/* The same generated thing in several roles is one Secret. */
static bool seen_before(const struct plan_job *j, size_t role, size_t mount)
{
	const struct plan_volume *v = j->roles[role].main.mounts[mount].volume;

	for (size_t i = 0; i <= role; i++)
		for (size_t k = 0; k < j->roles[i].main.nmounts && j->roles[i].max; k++) {
			const struct plan_volume *other = j->roles[i].main.mounts[k].volume;
			if (i == role && k == mount)
				return false;
			if (other->kind == VOLUME_GENERATED && str_eq(other->name, v->name))
				return true;
		}
	return false;
}

static bool secrets(struct visiting *v, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++)
		for (size_t k = 0; k < j->roles[i].main.nmounts && j->roles[i].max; k++) {
			const struct plan_volume *volume = j->roles[i].main.mounts[k].volume;
			if (volume->kind != VOLUME_GENERATED || seen_before(j, i, k))
				continue;
			struct manifest m = manifest_of(NULL, "v1", "Secret", emit_generated_name(v->e->arena, j, volume->name),
				emit_generated_make);
			m.generated = volume->name;
			m.from = volume->from;
			if (!one(v, &m))
				return false;
		}
	return true;
}

static bool roles(struct visiting *v, const struct plan_job *j, bool aux)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		struct manifest m = manifest_of(r, "batch/v1", "Job", r->object, emit_job_make);
		if (r->aux != aux || !r->max)
			continue;
		if (plan_role_is_deployment(r))
			m = manifest_of(r, "apps/v1", "Deployment", r->object, emit_deployment_make);
		else if (r->unrolled) {
			m.indexed_name = true;
			m.count = r->max;
		}
		if (!one(v, &m))
			return false;
	}
	return true;
}

static bool extras(struct visiting *v, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nobjects; i++) {
		const struct plan_object *o = &j->objects[i];
		struct str written = emit_data_text(data_get(o->data, STR("metadata")), "name");
		struct manifest m = { .name = written, .count = 1, .object = o, .from = o->name_at, .make = emit_extra_make };
		m.api_version = arena_copy(v->e->arena, emit_data_text(o->data, "apiVersion").p, emit_data_text(o->data, "apiVersion").n);
		m.kind = arena_copy(v->e->arena, emit_data_text(o->data, "kind").p, emit_data_text(o->data, "kind").n);
		if (!written.n) {
			struct str label = plan_label(v->e->arena, o->name);
			m.name = str_printf(v->e->arena, "%.*s-%.*s", STR_ARG(j->name), STR_ARG(label));
		}
		m.scoped = kube_cluster_scoped(str_of(m.kind));
		if (!one(v, &m))
			return false;
	}
	return true;
}

bool emit_each(struct emit *e, bool (*visit)(struct emit *e, const struct manifest *m, void *context), void *context)
{
	struct arena arena = { 0 };
	struct visiting v = { e, visit, context };
	bool more = true;

	e->arena = &arena;
	for (size_t i = 0; i < e->plan->njobs && more; i++) {
		const struct plan_job *j = e->job = &e->plan->jobs[i];
		more = services(&v, j) && config_maps(&v, j) && secrets(&v, j) && roles(&v, j, false) && roles(&v, j, true) && extras(&v, j);
	}
	arena_release(&arena);
	return more;
}
