/*
 * jobs.c - the target that needs Kubernetes alone: an indexed Job per role, or a
 * Job per replica where replicas differ, and Deployments for auxiliary roles
 * that restart.
 */
#include "emit/each.h"

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

bool each_of_jobs(struct visiting *v, const struct plan_job *j)
{
	return each_services(v, j) && each_config_maps(v, j) && each_secrets(v, j) && each_gang(v, j) && each_needed(v, j, true) &&
		roles(v, j, false) && roles(v, j, true) && each_last(v, j);
}
