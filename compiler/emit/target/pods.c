/*
 * pods.c - the target that makes one pod for each replica, and one Service for each pod: for clusters in which trainc's
 * supervisor replaces the Job controller, or in which no controller supervises the pods. The framework names and labels
 * them in `replica { }`; without that they get trainc's names and labels. A role may have a Job for each replica
 * instead.
 */
#include "emit/each.h"

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
	return services(v, j) && each_config_maps(v, j) && each_secrets(v, j) && each_claims(v, j) &&
		each_gang(v, j) && each_needed(v, j, true) && each_workloads(v, j, false) &&
		each_workloads(v, j, true) && each_last(v, j);
}
