/*
 * emit_job.c - makes the Job of a role: one indexed Job, or one Job for each replica.
 */
#include "emit/emit_build.h"

static void size(struct emit *e, const struct plan_role *r, struct object *spec)
{
	int64_t n = r->unrolled ? 1 : plan_slice_size(r);

	PUT_INT(e->arena, spec, "completions", n, r->replicas_at);
	PUT_INT(e->arena, spec, "parallelism", n, r->replicas_at);
	if (!r->unrolled || r->in_set)
		PUT_STR(e->arena, spec, "completionMode", STR("Indexed"), r->replicas_at);
}

static struct span suspend_from(const struct plan_job *j, const struct plan_role *r)
{
	if (emit_kueue(j))
		return j->gang.from;
	return r->start_after ? r->start_after->from : j->suspend.from;
}

/*
 * Writes time limits. A Job that vanishes early looks like a lost run, so a Job only gets a time to live if it is the
 * only Job of the run, and not part of a set.
 */
static void emit_time_limits(struct emit *e, struct object *spec)
{
	const struct plan_job *j = e->job;

	if (j->timeout.set)
		PUT_INT(e->arena, spec, "activeDeadlineSeconds", emit_seconds(&j->timeout), j->timeout.from);
	if (j->ttl.set && plan_job_objects(j) == 1 && !j->controller)
		PUT_INT(e->arena, spec, "ttlSecondsAfterFinished", emit_seconds(&j->ttl), j->ttl.from);
}

void emit_job_spec(struct emit *e, const struct plan_role *r, struct object *spec)
{
	size(e, r, spec);
	emit_time_limits(e, spec);
	emit_failure(e, r, spec);
	emit_success(e, r, spec);
	emit_pod_template(e, r, spec);
	if (r->raw_job)
		raw_merge(e, RAW_JOB, spec, r->raw_job);
}

struct object *emit_job_make(struct emit *e, const struct manifest *m)
{
	const struct plan_job *j = e->job;
	const struct plan_role *r = m->role;
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", r->at);
	bool suspend = (j->suspend.set && j->suspend.value) || emit_kueue(j) || r->start_after;

	PUT_BOOL(e->arena, spec, "suspend", suspend, suspend_from(j, r));
	emit_job_spec(e, r, spec);
	return o;
}

/* Makes the Deployment of an aux role that always restarts; timeout, ttl and suspend do not apply to it. */
struct object *emit_deployment_make(struct emit *e, const struct manifest *m)
{
	const struct plan_role *r = m->role;
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", r->at);

	PUT_INT(e->arena, spec, "replicas", r->max, r->replicas_at);
	emit_selector(e, r, PUT_MAP(e->arena, spec, "selector", r->at), STR("matchLabels"));
	emit_pod_template(e, r, spec);
	if (r->raw_job)
		raw_merge(e, RAW_JOB, spec, r->raw_job);
	return o;
}
