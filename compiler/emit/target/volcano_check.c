/*
 * volcano_check.c - reports what a Job of Volcano (volcano_job.c) cannot express. All pods of a task have one template,
 * the Job has one count of attempts for everything, and no clock.
 */
#include "emit/each.h"
#include "emit/emit_check.h"

static struct diag *no_task(struct checking *c, enum diag_code code, struct span at, const char *what)
{
	return diag_report(c->diags, code, at, "a Job of Volcano %s", what);
}

/* ---- the job ---- */

static void no_field(struct checking *c, const struct plan_job *j, struct span at, const char *field, const char *why)
{
	struct diag *d = no_task(c, TJ0818, check_place(c, at, j->name_at, j->name_at),
		str_printf(c->arena, "has no place for '%s': %s", field, why).p);

	diag_help(c->diags, d, "remove it, or use the target 'jobs' or 'jobset'");
}

static void check_task_gang(struct checking *c, const struct plan_job *j)
{
	enum gang gang = emit_gang(j);

	if (gang == GANG_NONE || gang == GANG_VOLCANO || gang == GANG_NATIVE)   /* native is refused in verify_gang.c */
		return;
	struct diag *d = diag_report(c->diags, TJ0809, check_place(c, j->gang.from, j->queue.from, j->name_at),
		"gang = \"%.*s\" does not start a Job of Volcano: Volcano does", STR_ARG(j->gang.value));
	diag_help(c->diags, d, "write gang = \"volcano\", whose queues are those of Volcano, or use the target "
		"'jobset'");
}

static void check_task_job(struct checking *c, const struct plan_job *j)
{
	if (j->timeout.set)
		no_field(c, j, j->timeout.from, "timeout", "nothing ends it after a time");
	if (j->suspend.set && j->suspend.value)
		no_field(c, j, j->suspend.from, "suspend", "it starts when its queue lets it");
	if (j->raw_service)
		no_field(c, j, j->raw_service->from, "raw service", "its controller makes the Service");
	if (str_is(j->clean.value, "none"))
		no_field(c, j, j->clean.from, "clean = \"none\"", "it stops what still runs when it ends");
	if (str_is(j->clean.value, "all"))
		no_field(c, j, j->clean.from, "clean = \"all\"", "it keeps the pods that have ended");
	if (j->hosts != HOSTS_SUBDOMAIN) {
		struct diag *d = no_task(c, TJ0818, check_place(c, j->name_at, j->name_at, j->name_at),
			"has one Service for all its pods, not one for each");
		diag_help(c->diags, d, "remove 'hosts' from the project or the framework");
	}
}

static void check_task_success(struct checking *c, const struct plan_job *j)
{
	bool *decides;

	if (emit_task_success(c->arena, j, &decides))
		return;
	struct str text = plan_condition_text(c->arena, j, j->success);
	struct diag *d = no_task(c, TJ0818, check_place(c, j->success->from, j->name_at, j->name_at),
		str_printf(c->arena, "cannot express 'success = %.*s'", STR_ARG(text)).p);
	diag_note(c->diags, d, (struct span){ 0 },
		"it succeeds when all its pods have, or as soon as all pods of any one of certain tasks have");
	diag_help(c->diags, d, "name all roles, one role, or several joined by 'or'; or use the target 'jobset'");
}

/* ---- attempts ---- */

/* Reports restarts of the job beside retries of pods, or different retries: the Job has one count. */
static bool one_count(struct checking *c, const struct plan_job *j)
{
	int64_t most = emit_task_restarts(j);

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max || emit_task_failure(j, r) != TASK_RESTARTS_POD)
			continue;
		bool restarts = j->restarts.set && j->restarts.value;
		if (!restarts && r->retries.value == most)
			continue;
		struct diag *d = no_task(c, TJ0818, check_place(c, r->retries.from, r->at, j->name_at), restarts ?
			"has one count for restarts of the job and retries of its pods" :
			"has one count for the retries of all roles");
		diag_help(c->diags, d, restarts ?
			"write 'restarts' or 'retries', not both; or use the target 'jobset'" :
			"write the same 'retries' in all roles that have any, or use the target 'jobs' or 'jobset'");
		return false;
	}
	return true;
}

/* Tells how attempts are counted where a program counts them otherwise. */
static void tell_counts(struct checking *c, const struct plan_job *j)
{
	const struct plan_role *first = NULL;
	int64_t pods = 0;
	struct diag *d;

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max || emit_task_failure(j, r) != TASK_RESTARTS_POD)
			continue;
		first = first ? first : r;
		pods += r->max;
	}
	if (first && pods > 1) {
		d = no_task(c, TJ0810, check_place(c, first->retries.from, first->at, j->name_at), str_printf(c->arena,
			"starts pods again %lld time%s in all, not each of %lld pods", (long long)first->retries.value,
			first->retries.value == 1 ? "" : "s", (long long)pods).p);
		diag_help(c->diags, d, "write the number for all pods together, or use the target 'jobs' or 'jobset'");
	}
}

/* Tells what a failure of an elastic role does: the other targets go on while enough replicas are left. */
static void tell_elastic(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	if (!r->elastic || r->aux)
		return;
	enum task_failure failure = emit_task_failure(j, r);
	const char *what = failure == TASK_FAILS_ALONE ? "fails only when all its pods have ended if fewer than" :
		failure == TASK_RESTARTS_JOB ? "restarts at the first failure, even with" :
		failure == TASK_RESTARTS_POD ? "fails when no retry is left, even with" :
		"fails at the first failure, even with";
	struct diag *d = no_task(c, TJ0810, check_place(c, r->replicas_at, r->at, j->name_at), str_printf(c->arena,
		"%s %lld of '%.*s' %s", what, (long long)r->min, STR_ARG(r->name),
		failure == TASK_FAILS_ALONE ? "have succeeded" : "left").p);
	diag_help(c->diags, d, failure == TASK_ENDS_JOB ? "write gang = \"volcano\", or use the target 'jobs'" :
		"use the target 'jobs' if that matters");
}

/* ---- roles ---- */

static void no_role_field(struct checking *c, const struct plan_job *j, const struct plan_role *r, const char *field,
	struct span at)
{
	struct diag *d = no_task(c, TJ0818, check_place(c, at, r->at, j->name_at),
		str_printf(c->arena, "has no place for '%s' of role '%.*s'", field, STR_ARG(r->name)).p);

	diag_help(c->diags, d, "remove it, or use the target 'jobs'");
}

/* Reports a framework that names the pods: it was written for another controller. */
static bool names_pods(struct checking *c, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max || (!r->one_name && !r->replica.set))
			continue;
		struct diag *d = no_task(c, TJ0819, j->name_at, str_printf(c->arena,
			"names its pods itself, and so does the framework '%.*s'", STR_ARG(j->framework)).p);
		diag_help(c->diags, d, "use a framework that does not name pods, or the target 'jobs'");
		return true;
	}
	return false;
}

static void check_task_start(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	struct diag *d;
	bool *on, any;

	if (!r->start_after)
		return;
	struct span at = check_place(c, r->start_after->from, r->at, j->name_at);
	if (!emit_task_waits(c->arena, j, r, &on, &any)) {
		struct str text = plan_condition_text(c->arena, j, r->start_after);
		d = no_task(c, TJ0818, at, str_printf(c->arena, "cannot wait for '%.*s'", STR_ARG(text)).p);
		diag_help(c->diags, d, "wait until whole roles are ready, joined only by 'and' or only by 'or'; or use "
			"the target 'jobset'");
	}
}

static void check_task_role(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	static const char *const keys[] = { "hostname", "subdomain" };

	check_task_start(c, j, r);
	tell_elastic(c, j, r);
	if (r->retry_on.set)
		no_role_field(c, j, r, "retry_on", r->retry_on.from);
	if (r->on_failed_pod.set)
		no_role_field(c, j, r, "on_failed_pod", r->on_failed_pod.from);
	if (r->raw_job)
		no_role_field(c, j, r, "raw job", r->raw_job->from);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct data *value = data_get(r->raw_pod, str_of(keys[i]));
		if (value)
			no_role_field(c, j, r, str_printf(c->arena, "raw pod { %s }", keys[i]).p, value->from);
	}
}

/* Reports two tasks of one name: a role may be called like the replica of another. */
static void same_task_names(struct checking *c, const struct plan_job *j)
{
	struct map names = { 0 };

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		for (int64_t k = 0; k < (r->unrolled ? r->max : r->max > 0); k++) {
			struct str name = emit_task_name(c->arena, r, k);
			const struct plan_role *other = map_get(&names, name);
			if (!other) {
				map_put(&names, c->arena, name, (void *)(uintptr_t)r);
				continue;
			}
			struct diag *d = diag_report(c->diags, TJ0811, check_place(c, r->at, j->name_at, j->name_at),
				"roles '%.*s' and '%.*s' both have a task '%.*s'", STR_ARG(other->name),
				STR_ARG(r->name), STR_ARG(name));
			diag_help(c->diags, d, "give one of them another name");
			return;
		}
	}
}

void target_check_volcano(struct checking *c, const struct plan_job *j)
{
	if (names_pods(c, j))
		return;                 /* what else differs follows from that framework */
	check_task_gang(c, j);
	check_task_job(c, j);
	check_task_success(c, j);
	same_task_names(c, j);
	if (one_count(c, j))
		tell_counts(c, j);
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].max)
			check_task_role(c, j, &j->roles[i]);
}
