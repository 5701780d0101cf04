/*
 * each.c - visits the manifests that targets share, in output order: Namespaces, Services, ConfigMaps, Secrets,
 * objects of the framework, extra objects.
 */
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

/*
 * Returns the function that makes the objects of a kind that a role may become. There is no default: a new kind without
 * a row is an error of the build.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
static struct object *(*each_maker(enum workload_id id))(struct emit *e, const struct manifest *m)
{
	switch (id) {
	case WORKLOAD_JOB: return emit_job_make;
	case WORKLOAD_POD: return emit_pod_make;
	case WORKLOAD_DEPLOYMENT: return emit_deployment_make;
	/* the target itself makes one object for the whole job, which contains these as parts */
	case WORKLOAD_OPERATED: return NULL;
	case WORKLOAD_GROUP: return NULL;
	case WORKLOAD_TASK: return NULL;
	case WORKLOADS: return NULL;
	}
	return NULL;
}
#pragma GCC diagnostic pop

/* Visits the object of the role, or those of its replicas, as its kind of workload requires. */
static bool each_workload(struct visiting *v, const struct plan_role *r)
{
	const struct workload *w = plan_workload(v->e->job, r);
	struct manifest m = each_manifest(r, w->api_version, w->kind, r->object, each_maker(w->id));

	if (!r->max || r->in_group)
		return true;
	return r->unrolled && (w->traits & WORKLOAD_NUMBERED) ? each_replica(v, m) : each_one(v, &m);
}

bool each_workloads(struct visiting *v, const struct plan_job *j, bool aux)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].aux == aux && !each_workload(v, &j->roles[i]))
			return false;
	return true;
}

static bool replica_services(struct visiting *v, const struct plan_role *r)
{
	struct manifest m = each_manifest(r, "v1", "Service", r->object, emit_replica_service_make);

	m.indexed_name = !r->one_name;
	m.count = r->max;
	return !r->max || !plan_role_is_numbered(v->e->job, r) || each_one(v, &m);
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

/* Are all roles in sets of groups, whose controller makes a Service for each set? */
static bool only_groups(const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].max && !j->roles[i].in_group)
			return false;
	return true;
}

bool each_services(struct visiting *v, const struct plan_job *j)
{
	bool left_to_controller = j->controller && !j->raw_service;

	left_to_controller = left_to_controller || (only_groups(j) && !j->raw_service);
	if (j->hosts == HOSTS_SUBDOMAIN && !left_to_controller && !each_job_service(v, j))
		return false;
	for (size_t i = 0; i < j->nroles && j->hosts != HOSTS_SUBDOMAIN; i++)
		if (!replica_services(v, &j->roles[i]))
			return false;
	return each_user_services(v, j);
}

bool each_config_maps_of(struct visiting *v, const struct plan_role *r)
{
	unsigned parts = r->nfiles ? emit_files_of(v->e->arena, v->e->job, r).parts : 0;

	for (unsigned part = 0; part < parts; part++) {
		struct manifest m = each_manifest(r, "v1", "ConfigMap", emit_files_name(v->e->arena, r, part),
			emit_files_make);
		m.part = part;
		m.from = r->files[0].path_at;
		if (!each_one(v, &m))
			return false;
	}
	return true;
}

bool each_config_maps(struct visiting *v, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].max && !j->roles[i].in_group && !each_config_maps_of(v, &j->roles[i]))
			return false;
	return true;
}

/* Is the code with this id, of one of the first N roles of a job in the namespace NS, in ConfigMaps? */
static bool has_code(const struct plan_job *j, size_t n, struct str ns, struct str id)
{
	for (size_t i = 0; str_eq(plan_namespace(j), ns) && i < n; i++)
		if (j->roles[i].max && j->roles[i].code && j->roles[i].code->parts && str_eq(j->roles[i].code->id, id))
			return true;
	return false;
}

/* Has an object with the code of role N of J been written, by an earlier role, job or plan in the same namespace? */
static bool is_code_written(const struct emit *e, const struct plan_job *j, size_t n)
{
	struct str id = j->roles[n].code->id, ns = plan_namespace(j);

	for (size_t k = 0; k < e->nearlier; k++)
		for (size_t i = 0; i < e->earlier[k]->njobs; i++)
			if (has_code(&e->earlier[k]->jobs[i], e->earlier[k]->jobs[i].nroles, ns, id))
				return true;
	for (const struct plan_job *other = e->plan->jobs; other < j; other++)
		if (has_code(other, other->nroles, ns, id))
			return true;
	return has_code(j, n, ns, id);
}

bool each_code(struct visiting *v, const struct plan_job *j)
{
	const struct emit *e = v->e;

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_code *c = j->roles[i].code;
		if (!c || !j->roles[i].max || is_code_written(e, j, i))
			continue;
		for (unsigned part = 0; part < c->parts; part++) {
			struct manifest m = each_manifest(NULL, "v1", "ConfigMap", emit_code_name(e->arena, c, part),
				emit_code_make);
			m.code = c;
			m.part = part;
			m.from = c->from;
			if (!each_one(v, &m))
				return false;
		}
	}
	return true;
}

bool each_secrets(struct visiting *v, const struct plan_job *j)
{
	struct arena own = { 0 };       /* separate, because the arena of objects is emptied after each object */
	struct plan_volumes all = plan_generated(&own, j);
	bool more = true;

	for (size_t i = 0; i < all.n && more; i++) {
		struct manifest m = each_manifest(NULL, "v1", "Secret",
			emit_generated_name(v->e->arena, j, all.at[i]->name), emit_generated_make);
		m.generated = all.at[i]->name;
		m.from = all.at[i]->from;
		more = each_one(v, &m);
	}
	arena_release(&own);
	return more;
}

/* Collects the kept claims that the containers of a role mount, each once. */
static void kept_in(struct arena *a, const struct plan_container *c, struct plan_volumes *ret)
{
	for (size_t i = 0; i < c->nmounts; i++) {
		const struct plan_volume *v = c->mounts[i].volume;
		bool known = !v->keep;
		for (size_t k = 0; k < ret->n && !known; k++)
			known = str_eq(ret->at[k]->name, v->name);
		if (!known)
			ARENA_PUSH(a, ret->at, ret->n, v);
	}
}

struct plan_volumes emit_kept_claims(struct arena *a, const struct plan_role *r)
{
	struct plan_volumes all = { 0 };

	kept_in(a, &r->main, &all);
	for (size_t i = 0; i < r->ninits; i++)
		kept_in(a, &r->inits[i], &all);
	for (size_t i = 0; i < r->nsidecars; i++)
		kept_in(a, &r->sidecars[i], &all);
	return all;
}

/*
 * Visits claims. Their names are NAME-J-R-i, so that the claims of a role differ only in their last part, the index,
 * as the objects of its replicas do.
 */
static bool role_claims(struct visiting *v, const struct plan_role *r, struct arena *own)
{
	struct plan_volumes all = emit_kept_claims(own, r);
	bool more = true;

	for (size_t i = 0; i < all.n && more; i++) {
		struct manifest m = each_manifest(r, "v1", "PersistentVolumeClaim",
			emit_claim_name(own, r, all.at[i]), emit_claim_make);
		m.indexed_name = !r->one_name;
		m.count = r->max;
		m.claim = all.at[i];
		m.from = all.at[i]->from;
		more = each_one(v, &m);
	}
	return more;
}

bool each_claims(struct visiting *v, const struct plan_job *j)
{
	struct arena own = { 0 };       /* separate, because the arena of objects is emptied after each object */
	bool more = true;

	for (size_t i = 0; i < j->nroles && more; i++)
		more = !j->roles[i].max || j->roles[i].in_group || role_claims(v, &j->roles[i], &own);
	arena_release(&own);
	return more;
}

/*
 * The stages of extra objects: first the Namespaces of other objects, then the objects that pods need before they
 * start, then the rest.
 */
enum stage { STAGE_NAMESPACES, STAGE_NEEDED, STAGE_LAST };

static enum stage stage_of(const struct plan_object *o)
{
	static const char *const needed[] = {
		"ServiceAccount", "ConfigMap", "Secret", "PersistentVolume", "PersistentVolumeClaim", "Role",
		"RoleBinding", "ClusterRole", "ClusterRoleBinding", "PriorityClass", "RuntimeClass", "StorageClass",
		"LimitRange", "ResourceQuota", "ResourceClaim", "ResourceClaimTemplate", "CustomResourceDefinition",
	};
	struct str kind = emit_data_text(o->data, "kind");

	if (str_is(kind, "Namespace"))
		return STAGE_NAMESPACES;
	if (o->framework)
		return STAGE_NEEDED;
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (str_is(kind, needed[i]))
			return STAGE_NEEDED;
	return STAGE_LAST;
}

/*
 * Is the object the framework's autoscaler of a suspended job? It would find nothing to scale, so it is created when
 * the job is resumed.
 */
static bool is_idle(const struct plan_job *j, const struct plan_object *o)
{
	return o->framework && j->suspend.set && j->suspend.value &&
		str_is(emit_data_text(o->data, "kind"), "HorizontalPodAutoscaler");
}

/* Visits the extra objects of job J that belong to STAGE: those of its framework, or the user's own. */
static bool visit_extra_objects(struct visiting *v, const struct plan_job *j, bool framework, enum stage stage)
{
	for (size_t i = 0; i < j->nobjects; i++) {
		const struct plan_object *o = &j->objects[i];
		if (o->framework != framework || stage_of(o) != stage || is_idle(j, o))
			continue;
		struct manifest m = { .name = emit_extra_name(v->e->arena, j, o), .count = 1, .object = o,
			.from = o->name_at, .make = emit_extra_make };
		m.api_version = arena_copy(v->e->arena, emit_data_text(o->data, "apiVersion").p,
			emit_data_text(o->data, "apiVersion").n);
		m.kind = arena_copy(v->e->arena, emit_data_text(o->data, "kind").p, emit_data_text(o->data, "kind").n);
		m.cluster_wide = kube_cluster_scoped(str_of(m.kind));
		if (!each_one(v, &m))
			return false;
	}
	return true;
}

bool each_needed(struct visiting *v, const struct plan_job *j, bool framework)
{
	return (!framework || visit_extra_objects(v, j, true, STAGE_NEEDED)) &&
		visit_extra_objects(v, j, false, STAGE_NEEDED);
}

bool each_last(struct visiting *v, const struct plan_job *j) { return visit_extra_objects(v, j, false, STAGE_LAST); }

bool each_namespaces(struct visiting *v, const struct plan_job *j)
{
	return visit_extra_objects(v, j, true, STAGE_NAMESPACES) && visit_extra_objects(v, j, false, STAGE_NAMESPACES);
}
