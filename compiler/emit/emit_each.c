/*
 * emit_each.c - the manifests of a plan in output order: Namespaces, Services,
 * ConfigMaps, Secrets, objects of the framework, roles in framework order,
 * auxiliary roles, extra objects.
 */
#include "emit/check.h"
#include "emit/each.h"
#include "kube/limits.h"

bool each_one(struct visiting *v, const struct manifest *m)
{
	v->e->first = m->first;
	bool more = v->visit(v->e, m, v->context);

	arena_reset(v->e->arena);
	return more;
}

struct manifest each_manifest(const struct plan_role *r, const char *api_version, const char *kind, struct str name,
	struct object *(*make)(struct emit *e, const struct manifest *m))
{
	return (struct manifest){ .api_version = api_version, .kind = kind, .name = name, .count = 1, .role = r,
		.from = r ? r->at : (struct span){ 0 }, .make = make };
}

bool each_replica(struct visiting *v, struct manifest m)
{
	m.indexed_name = !m.role->one_name;
	for (m.first = 0; m.first < m.role->max; m.first += m.count) {
		m.count = emit_alike(m.role, m.first);
		if (!each_one(v, &m))
			return false;
	}
	return true;
}

static bool replica_services(struct visiting *v, const struct plan_role *r)
{
	struct manifest m = each_manifest(r, "v1", "Service", r->object, emit_replica_service_make);

	m.indexed_name = !r->one_name;
	m.count = r->max;
	return !r->max || plan_role_is_deployment(r) || each_one(v, &m);
}

bool each_job_service(struct visiting *v, const struct plan_job *j)
{
	struct manifest m = each_manifest(NULL, "v1", "Service", j->name, emit_service_make);

	m.from = j->name_at;
	return each_one(v, &m);
}

bool each_user_services(struct visiting *v, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		struct manifest m = each_manifest(r, "v1", "Service", r->object, emit_role_service_make);
		if (r->max && r->service.set && !str_is(r->service.value, "none") && !each_one(v, &m))
			return false;
	}
	return true;
}

bool each_services(struct visiting *v, const struct plan_job *j)
{
	bool left_to_controller = j->controller && !j->raw_service;

	if (j->hosts == HOSTS_SUBDOMAIN && !left_to_controller && !each_job_service(v, j))
		return false;
	for (size_t i = 0; i < j->nroles && j->hosts != HOSTS_SUBDOMAIN; i++)
		if (!replica_services(v, &j->roles[i]))
			return false;
	return each_user_services(v, j);
}

bool each_config_maps(struct visiting *v, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max || !r->nfiles)
			continue;
		unsigned parts = emit_files_of(v->e->arena, j, r).parts;
		for (unsigned part = 0; part < parts; part++) {
			struct manifest m = each_manifest(r, "v1", "ConfigMap", emit_files_name(v->e->arena, r, part), emit_files_make);
			m.part = part;
			m.from = r->files[0].path_at;
			if (!each_one(v, &m))
				return false;
		}
	}
	return true;
}

bool each_secrets(struct visiting *v, const struct plan_job *j)
{
	struct arena own = { 0 };       /* that of objects is emptied after each */
	struct plan_volumes all = plan_generated(&own, j);
	bool more = true;

	for (size_t i = 0; i < all.n && more; i++) {
		struct manifest m = each_manifest(NULL, "v1", "Secret", emit_generated_name(v->e->arena, j, all.at[i]->name), emit_generated_make);
		m.generated = all.at[i]->name;
		m.from = all.at[i]->from;
		more = each_one(v, &m);
	}
	arena_release(&own);
	return more;
}

static bool roles(struct visiting *v, const struct plan_job *j, bool aux)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		struct manifest m = each_manifest(r, "batch/v1", "Job", r->object, emit_job_make);
		if (r->aux != aux || !r->max)
			continue;
		if (plan_role_is_deployment(r))
			m = each_manifest(r, "apps/v1", "Deployment", r->object, emit_deployment_make);
		if (r->unrolled && !plan_role_is_deployment(r) ? !each_replica(v, m) : !each_one(v, &m))
			return false;
	}
	return true;
}

/* The place that others are put into has to be there before them. */
static bool is_namespace(const struct plan_object *o) { return str_is(emit_data_text(o->data, "kind"), "Namespace"); }

static bool objects(struct visiting *v, const struct plan_job *j, bool framework, bool namespaces)
{
	for (size_t i = 0; i < j->nobjects; i++) {
		const struct plan_object *o = &j->objects[i];
		if (o->framework != framework || is_namespace(o) != namespaces)
			continue;
		struct manifest m = { .name = emit_extra_name(v->e->arena, j, o), .count = 1, .object = o, .from = o->name_at, .make = emit_extra_make };
		m.api_version = arena_copy(v->e->arena, emit_data_text(o->data, "apiVersion").p, emit_data_text(o->data, "apiVersion").n);
		m.kind = arena_copy(v->e->arena, emit_data_text(o->data, "kind").p, emit_data_text(o->data, "kind").n);
		m.scoped = kube_cluster_scoped(str_of(m.kind));
		if (!each_one(v, &m))
			return false;
	}
	return true;
}

bool each_objects(struct visiting *v, const struct plan_job *j, bool framework) { return objects(v, j, framework, false); }

static bool namespaces(struct visiting *v, const struct plan_job *j) { return objects(v, j, true, true) && objects(v, j, false, true); }

bool each_of_jobs(struct visiting *v, const struct plan_job *j)
{
	return each_services(v, j) && each_config_maps(v, j) && each_secrets(v, j) && each_gang(v, j) && each_objects(v, j, true) &&
		roles(v, j, false) && roles(v, j, true) && each_objects(v, j, false);
}

/* ---- targets ---- */

static const struct target {
	const char *name;
	unsigned traits;
	void (*check)(struct checking *c, const struct plan_job *j);    /* is there a place for all that the job says? */
	bool (*visit)(struct visiting *v, const struct plan_job *j);
} targets[] = {
	{ "jobs", 0, NULL, each_of_jobs },
	{ "pods", TARGET_EACH_REPLICA, NULL, each_of_pods },
	{ "kubeflow", TARGET_CONTROLLER, check_kubeflow, each_of_kubeflow },
	{ "jobset", TARGET_CONTROLLER | TARGET_SET, check_jobset, each_of_jobset },
	{ "trainer", TARGET_CONTROLLER | TARGET_SET, check_trainer, each_of_trainer },
};
enum { TARGETS = sizeof(targets) / sizeof(*targets) };

static const struct target *find_target(struct str name)
{
	for (size_t i = 0; i < TARGETS; i++)
		if (str_is(name, targets[i].name))
			return &targets[i];
	return name.n ? NULL : &targets[0];
}

bool emit_target_known(struct str name) { return find_target(name) != NULL; }

const char *emit_target_name(size_t i) { return i < TARGETS ? targets[i].name : NULL; }

bool check_target(struct checking *c)
{
	const struct target *target = find_target(c->plan->target);
	size_t errors = c->diags->errors;

	for (size_t i = 0; target && target->check && i < c->plan->njobs; i++)
		target->check(c, &c->plan->jobs[i]);
	return c->diags->errors == errors;
}

unsigned emit_target_traits(struct str name)
{
	const struct target *t = find_target(name);

	return t ? t->traits : 0;
}

bool emit_each(struct emit *e, bool (*visit)(struct emit *e, const struct manifest *m, void *context), void *context)
{
	struct arena arena = { 0 };
	struct visiting v = { e, visit, context };
	const struct target *target = find_target(e->plan->target);
	bool more = true;

	e->arena = &arena;
	for (size_t i = 0; i < e->plan->njobs && more; i++) {
		e->job = &e->plan->jobs[i];
		more = namespaces(&v, e->job) && (target ? target->visit(&v, e->job) : each_of_jobs(&v, e->job));
	}
	arena_release(&arena);
	return more;
}
