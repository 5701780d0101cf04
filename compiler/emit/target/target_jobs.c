/*
 * target_jobs.c - the target that only needs Kubernetes: an indexed Job per role, or a Job per replica if replicas
 * differ, and Deployments for auxiliary roles that restart.
 */
#include "emit/each.h"

bool each_of_jobs(struct visiting *v, const struct plan_job *j)
{
	return each_services(v, j) && each_config_maps(v, j) && each_secrets(v, j) && each_claims(v, j) &&
		each_gang(v, j) && each_needed(v, j, true) && each_workloads(v, j, false) &&
		each_workloads(v, j, true) && each_last(v, j);
}
