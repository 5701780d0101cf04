/*
 * volcano_job.c - the target that writes one Job of Volcano (batch.volcano.sh/v1alpha1 as of version 1.12), with a task
 * for each role, or for each replica of an unrolled role. Its controller makes the pods J-R-i, or J-R-i-0 of an
 * unrolled role, numbers those of a task with a label, and makes the group that Volcano's scheduler starts. Its plugin
 * `svc` gives the pods their host names, and makes the headless Service J. The controller counts attempts: the first
 * one is among those that `maxRetry` allows.
 */
#include "emit/each.h"
#include "emit/emit_check.h"

/* ---- what happens when a pod fails, and when the job has succeeded ---- */

enum task_failure emit_task_failure(const struct plan_job *j, const struct plan_role *r)
{
	if (r->aux)
		return TASK_FAILS_ALONE;
	if (r->retries.set && r->retries.value && !plan_role_restarts(r))
		return TASK_RESTARTS_POD;
	if (j->restarts.set && j->restarts.value)
		return TASK_RESTARTS_JOB;
	/* where all pods start together, Volcano also counts how many pods of each task have succeeded */
	return r->elastic && emit_gang(j) == GANG_VOLCANO ? TASK_FAILS_ALONE : TASK_ENDS_JOB;
}

int64_t emit_task_restarts(const struct plan_job *j)
{
	int64_t most = j->restarts.set ? j->restarts.value : 0;

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (r->max && emit_task_failure(j, r) == TASK_RESTARTS_POD && r->retries.value > most)
			most = r->retries.value;
	}
	return most;
}

/* Adds the roles that condition C joins by JOIN alone: each of them must be done as a whole. */
static bool gather_whole(const struct plan_job *j, const struct plan_condition *c, int join, bool *decides)
{
	if ((int)c->kind == join)
		return gather_whole(j, c->left, join, decides) && gather_whole(j, c->right, join, decides);
	if (c->kind != CONDITION_DONE || (c->index != CONDITION_ALL && j->roles[c->role].max != 1))
		return false;
	decides[c->role] = true;
	return true;
}

/* Does the Job end by itself when all roles of DECIDES are done, because it has no other pods? */
static bool is_everything(const struct plan_job *j, const bool *decides)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].max && !decides[i])
			return false;
	return true;
}

/* Is each of these roles one task? The end of any one task of several would be the end of the job. */
static bool one_task_each(const struct plan_job *j, const bool *decides)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (decides[i] && j->roles[i].unrolled && j->roles[i].max > 1)
			return false;
	return true;
}

bool emit_task_success(struct arena *a, const struct plan_job *j, bool **ret_decides)
{
	bool *decides = *ret_decides = ARENA_ARRAY(a, bool, j->nroles + 1);
	size_t n = 0;

	if (!j->success)
		return true;
	if (gather_whole(j, j->success, CONDITION_AND, decides)) {
		if (is_everything(j, decides)) {
			memset(decides, 0, j->nroles * sizeof *decides);
			return true;
		}
		for (size_t i = 0; i < j->nroles; i++)
			n += decides[i];
		return n == 1 && one_task_each(j, decides);
	}
	memset(decides, 0, j->nroles * sizeof *decides);
	return gather_whole(j, j->success, CONDITION_OR, decides) && one_task_each(j, decides);
}

/* ---- start order ---- */

struct str emit_task_name(struct arena *a, const struct plan_role *r, int64_t i)
{
	return r->unrolled ? str_printf(a, "%.*s-%lld", STR_ARG(r->label), (long long)i) : r->label;
}

/* Adds the roles whose pods must be ready for condition C, joined by JOIN alone. */
static bool gather_ready(const struct plan_job *j, const struct plan_condition *c, int join, bool *on)
{
	if ((int)c->kind == join)
		return gather_ready(j, c->left, join, on) && gather_ready(j, c->right, join, on);
	if (c->kind != CONDITION_READY || (c->index != CONDITION_ALL && j->roles[c->role].max != 1) ||
	    j->roles[c->role].elastic)
		return false;
	on[c->role] = true;
	return true;
}

bool emit_task_waits(struct arena *a, const struct plan_job *j, const struct plan_role *r, bool **ret_on, bool *ret_any)
{
	bool *on = *ret_on = ARENA_ARRAY(a, bool, j->nroles + 1);

	*ret_any = false;
	if (!r->start_after || gather_ready(j, r->start_after, CONDITION_AND, on))
		return true;
	memset(on, 0, j->nroles * sizeof *on);
	*ret_any = true;
	return gather_ready(j, r->start_after, CONDITION_OR, on) && one_task_each(j, on);
}

static void depends_put(struct emit *e, const struct plan_role *r, struct object *task)
{
	struct span from = r->start_after ? r->start_after->from : r->at;
	bool *on, any;

	if (!r->start_after || !emit_task_waits(e->arena, e->job, r, &on, &any))
		return;                 /* reported already */
	struct object *depends = PUT_MAP(e->arena, task, "dependsOn", from),
		*names = PUT_LIST(e->arena, depends, "name", from);
	for (size_t i = 0; i < e->job->nroles; i++) {
		const struct plan_role *other = &e->job->roles[i];
		for (int64_t k = 0; on[i] && k < (other->unrolled ? other->max : 1); k++)
			object_add(e->arena, names, object_string(e->arena, emit_task_name(e->arena, other, k), from));
	}
	PUT_STR(e->arena, depends, "iteration", any ? STR("any") : STR("all"), from);
}

/* ---- tasks ---- */

static void policy_put(struct emit *e, const char *event, const char *action, struct span from, struct object *task)
{
	struct object *policy = object_add_map(e->arena, object_need_list(e->arena, task, STR("policies"), from), from);

	PUT_STR(e->arena, policy, "event", str_of(event), from);
	PUT_STR(e->arena, policy, "action", str_of(action), from);
}

static void policies_put(struct emit *e, const struct plan_role *r, bool decides, struct object *task)
{
	const struct plan_job *j = e->job;

	if (decides)
		policy_put(e, "TaskCompleted", "CompleteJob", j->success->from, task);
	switch (emit_task_failure(j, r)) {
	case TASK_ENDS_JOB: policy_put(e, "PodFailed", "TerminateJob", r->at, task); break;
	case TASK_RESTARTS_JOB: policy_put(e, "PodFailed", "RestartJob", j->restarts.from, task); break;
	case TASK_RESTARTS_POD: policy_put(e, "PodFailed", "RestartPod", r->retries.from, task); break;
	case TASK_FAILS_ALONE: break;
	}
}

static struct object *task_make(struct emit *e, const struct plan_role *r, bool decides)
{
	struct object *task = object_map(e->arena, r->at);
	struct plan_role own = *r;

	own.aux = false;                /* no Deployment: the Job has the pods of all roles */
	PUT_STR(e->arena, task, "name", emit_task_name(e->arena, r, e->first), r->at);
	PUT_INT(e->arena, task, "replicas", r->unrolled ? 1 : r->max, r->replicas_at);
	PUT_INT(e->arena, task, "minAvailable", r->aux ? 0 : r->unrolled ? e->first < r->min : r->min, r->replicas_at);
	depends_put(e, r, task);
	policies_put(e, r, decides, task);
	emit_pod_template(e, &own, task);
	return task;
}

/* Adds the task of a role, or those of its replicas if they differ. */
static void task_put(struct emit *e, const struct plan_role *r, bool decides, struct object *list)
{
	e->first = 0;
	if (!r->unrolled) {
		object_add(e->arena, list, task_make(e, r, decides));
		return;
	}
	for (e->first = 0; e->first < r->max; e->first++) {
		const struct object *task = task_make(e, r, decides);
		object_add(e->arena, list, object_from_data(e->arena, object_to_data(e->arena, task, e->first)));
	}
}

static void tasks_put(struct emit *e, struct object *spec)
{
	struct object *list = PUT_LIST(e->arena, spec, "tasks", e->job->name_at);
	bool *decides;

	emit_task_success(e->arena, e->job, &decides);
	for (size_t i = 0; i < e->job->nroles; i++)
		if (e->job->roles[i].max)
			task_put(e, &e->job->roles[i], decides[i], list);
}

/* ---- settings of the whole Job ---- */

/* The number of pods that start together. */
static int64_t least_pods(const struct plan_job *j)
{
	int64_t n = emit_gang(j) == GANG_VOLCANO ? emit_gang_least(j, (struct emit_group){ 0 }) : 1;

	return n ? n : 1;               /* 0 means all pods to Volcano */
}

/*
 * Writes the plugin that names the pods' hosts. Addresses must be known before pods are ready, as in the Service of the
 * other targets, and a Service of the job is for all clients. Versions that do not know the last argument ignore it.
 */
static void plugins_put(struct emit *e, struct object *spec)
{
	static const char *const arguments[] = { "--publish-not-ready-addresses=true", "--disable-network-policy=true",
		"--inject-hosts-env=false" };
	struct span from = e->job->name_at;
	struct object *list = PUT_LIST(e->arena, PUT_MAP(e->arena, spec, "plugins", from), "svc", from);

	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
		object_add(e->arena, list, object_string(e->arena, str_of(arguments[i]), from));
}

static void job_put(struct emit *e, struct object *spec)
{
	const struct plan_job *j = e->job;

	PUT_STR(e->arena, spec, "schedulerName", j->scheduler.set ? j->scheduler.value : STR("volcano"),
		j->scheduler.set ? j->scheduler.from : emit_gang_place(j));
	PUT_INT(e->arena, spec, "minAvailable", least_pods(j), emit_gang_place(j));
	if (j->queue.set)
		PUT_STR(e->arena, spec, "queue", j->queue.value, j->queue.from);
	if (j->priority.set)
		PUT_STR(e->arena, spec, "priorityClassName", j->priority.value, j->priority.from);
	PUT_INT(e->arena, spec, "maxRetry", emit_task_restarts(j) + 1, j->restarts.from);
	if (j->ttl.set)
		PUT_INT(e->arena, spec, "ttlSecondsAfterFinished", emit_seconds(&j->ttl), j->ttl.from);
	plugins_put(e, spec);
	emit_gang_topology(e, (struct emit_group){ 0 }, spec);
}

static struct object *volcano_make(struct emit *e, const struct manifest *m)
{
	const struct plan_job *whole = e->job;
	struct plan_job each = *whole;
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from);

	job_put(e, spec);
	each.workload = WORKLOAD_TASK;
	/* pods take both from the Job */
	each.scheduler.set = each.priority.set = false;
	e->job = &each;
	tasks_put(e, spec);
	e->job = whole;
	return o;
}

bool each_of_volcano(struct visiting *v, const struct plan_job *j)
{
	struct manifest m = each_manifest(NULL, "batch.volcano.sh/v1alpha1", "Job", j->name, volcano_make);

	m.from = j->name_at;
	m.whole = true;
	return each_services(v, j) && each_config_maps(v, j) && each_secrets(v, j) && each_claims(v, j) &&
		each_needed(v, j, true) && each_one(v, &m) && each_last(v, j);
}
