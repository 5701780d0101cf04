/*
 * pods.c - the target that makes one pod for each replica, and one Service for
 * each pod: for clusters where something else than a Job controller looks after
 * them (our supervisor, or nobody).
 *
 * What the framework says in `replica { }` names and labels them; without it the
 * names and labels are our own.  A role may have a Job for each replica instead.
 */
#include "emit/each.h"

/* ---- pods ---- */

/* A pod is made whole or not at all: what has to wait is made, and held back from the scheduler. */
static void gate(struct emit *e, const struct plan_role *r, struct object *pod)
{
	const struct plan_job *j = e->job;
	bool suspended = j->suspend.set && j->suspend.value;

	if (!suspended && !r->start_after)
		return;
	struct span from = suspended ? j->suspend.from : r->start_after->from;
	PUT_STR(e->arena, object_add_map(e->arena, PUT_LIST(e->arena, pod, "schedulingGates", from), from), "name",
		suspended ? STR("trainc.dev/suspend") : STR("trainc.dev/start-after"), from);
}

static struct object *pod_make(struct emit *e, const struct manifest *m)
{
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from);

	emit_pod_spec(e, m->role, spec);
	gate(e, m->role, spec);
	if (m->role->raw_pod)
		raw_merge(e, RAW_POD, spec, m->role->raw_pod);
	return o;
}

static bool replicas(struct visiting *v, const struct plan_role *r)
{
	if (!r->max)
		return true;
	if (plan_role_is_deployment(r)) {
		struct manifest m = each_manifest(r, "apps/v1", "Deployment", r->object, emit_deployment_make);
		return each_one(v, &m);
	}
	return each_replica(v, r->replica.job ? each_manifest(r, "batch/v1", "Job", r->object, emit_job_make)
	                                      : each_manifest(r, "v1", "Pod", r->object, pod_make));
}

static bool roles(struct visiting *v, const struct plan_job *j, bool aux)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].aux == aux && !replicas(v, &j->roles[i]))
			return false;
	return true;
}

/* ---- services ---- */

static bool services(struct visiting *v, const struct plan_job *j)
{
	if (j->hosts == HOSTS_SUBDOMAIN && !each_job_service(v, j))
		return false;
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (r->max && plan_role_is_served(j, r) &&
		    !each_replica(v, each_manifest(r, "v1", "Service", r->object, emit_replica_service_make)))
			return false;
	}
	return each_user_services(v, j);
}

bool each_of_pods(struct visiting *v, const struct plan_job *j)
{
	return services(v, j) && each_config_maps(v, j) && each_secrets(v, j) && each_gang(v, j) && each_needed(v, j, true) &&
		roles(v, j, false) && roles(v, j, true) && each_last(v, j);
}
