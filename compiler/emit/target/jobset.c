/*
 * jobset.c - the target that writes one JobSet, with a replicated Job for each role (jobset.x-k8s.io/v1alpha2 as of
 * version 0.10). Its controller makes the Jobs and their headless Service, and names them: the Job of role R is
 * J-R-0. When the job has ended, the controller stops all pods that still run. An unrolled role is a replicated Job
 * R-i for each replica; a role of several slices is one replicated Job with a Job J-R-s for each slice s. Each copy of
 * a cell has replicated Jobs of its own, C-R-c, because the texts of its pods differ from those of other copies.
 */
#include "emit/each.h"

struct str emit_set_name(struct arena *a, const struct plan_job *j, struct plan_set_job job)
{
	const struct plan_role *r = &j->roles[job.role];

	return job.index < 0 ? r->label : str_printf(a, "%.*s-%lld", STR_ARG(r->label), (long long)job.index);
}

struct str emit_managed_by(const struct plan_job *j) { return emit_data_text(j->arguments, "managed_by"); }

/* ---- start order ---- */

static void depend(struct arena *a, struct set_dependencies *ds, struct plan_set_job on, bool complete)
{
	struct set_dependency added = { on, complete };

	for (size_t i = 0; i < ds->n; i++)
		if (ds->at[i].on.role == on.role && ds->at[i].on.index == on.index) {
			ds->at[i].complete |= complete;         /* a Job that is complete was also ready */
			return;
		}
	ARENA_PUSH(a, ds->at, ds->n, added);
}

static void gather_dependencies(struct arena *a, const struct plan_job *j, const struct plan_condition *c,
	struct set_dependencies *ds)
{
	struct plan_set_success jobs;

	if (c->kind == CONDITION_AND) {
		gather_dependencies(a, j, c->left, ds);
		gather_dependencies(a, j, c->right, ds);
	} else if (!plan_set_waits(a, j, c, &jobs)) {
		ds->because = c;
	} else {
		for (size_t i = 0; i < jobs.n; i++)
			depend(a, ds, jobs.at[i], c->kind == CONDITION_DONE);
	}
}

struct set_dependencies emit_set_dependencies(struct arena *a, const struct plan_job *j, const struct plan_role *r)
{
	struct set_dependencies ds = { 0 };

	if (r->start_after)
		gather_dependencies(a, j, r->start_after, &ds);
	return ds;
}

/* ---- replicated Jobs ---- */

static void dependencies_put(struct emit *e, const struct plan_role *r, struct object *entry)
{
	struct set_dependencies ds = emit_set_dependencies(e->arena, e->job, r);

	if (!ds.n)
		return;
	struct object *list = PUT_LIST(e->arena, entry, "dependsOn", r->start_after->from);
	for (size_t i = 0; i < ds.n; i++) {
		struct object *o = object_add_map(e->arena, list, r->start_after->from);
		PUT_STR(e->arena, o, "name", emit_set_name(e->arena, e->job, ds.at[i].on), r->start_after->from);
		PUT_STR(e->arena, o, "status", ds.at[i].complete ? STR("Complete") : STR("Ready"),
			r->start_after->from);
	}
}

static bool annotates(const struct plan_pairs *pairs, const char *key)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (str_is(pairs->at[i].key, key))
			return true;
	return false;
}

/*
 * Adds the annotation that makes the controller give each Job nodes of its own: otherwise pods of two slices could be
 * on the same nodes, where some of them would not fit.
 */
static void slices_apart(struct emit *e, const struct plan_role *r, struct object *template)
{
	static const char key[] = "alpha.jobset.sigs.k8s.io/exclusive-topology";
	struct object *metadata = object_get(template, STR("metadata"));
	const struct plan_str *label = r->accelerator ? &r->accelerator->slice : NULL;

	if (!plan_is_sliced(r) || !label || !label->set || annotates(&e->job->annotations, key) ||
		annotates(&r->annotations, key))
		return;
	object_append_word(e->arena, object_need_map(e->arena, metadata, STR("annotations"), r->slices_at), str_of(key),
		object_string(e->arena, label->value, label->from));
}

static struct object *replicated(struct emit *e, const struct plan_role *r, struct plan_set_job job)
{
	struct object *entry = object_map(e->arena, r->at), *template;

	PUT_STR(e->arena, entry, "name", emit_set_name(e->arena, e->job, job), r->at);
	PUT_INT(e->arena, entry, "replicas", plan_slices(r), plan_is_sliced(r) ? r->slices_at : r->at);
	dependencies_put(e, r, entry);
	template = PUT_MAP(e->arena, entry, "template", r->at);
	emit_role_metadata(e, r, template);
	slices_apart(e, r, template);
	emit_job_spec(e, r, PUT_MAP(e->arena, template, "spec", r->at));
	return entry;
}

static void role_put(struct emit *e, unsigned role, struct object *list)
{
	const struct plan_role *r = &e->job->roles[role];

	e->first = 0;
	if (!r->unrolled) {
		object_add(e->arena, list, replicated(e, r, (struct plan_set_job){ role, -1 }));
		return;
	}
	for (e->first = 0; e->first < r->max; e->first++) {
		const struct object *entry = replicated(e, r, (struct plan_set_job){ role, e->first });
		object_add(e->arena, list, object_from_data(e->arena, object_to_data(e->arena, entry, e->first)));
	}
}

static bool may_come(const struct plan_job *j, const struct plan_condition *c, const bool *there)
{
	if (!c)
		return true;
	if (condition_joins(c))
		return may_come(j, c->left, there) && may_come(j, c->right, there);
	return there[c->role] || !j->roles[c->role].max;
}

/*
 * Writes the roles in the job's order, except that a role comes before those that wait for it, as the controller
 * demands.
 */
static void roles_put(struct emit *e, struct object *spec)
{
	const struct plan_job *j = e->job;
	struct object *list = PUT_LIST(e->arena, spec, "replicatedJobs", j->name_at);
	bool *there = ARENA_ARRAY(e->arena, bool, j->nroles), more = true;

	while (more) {
		more = false;
		for (unsigned i = 0; i < j->nroles && !more; i++) {
			if (there[i] || !j->roles[i].max || !may_come(j, j->roles[i].start_after, there))
				continue;
			role_put(e, i, list);
			there[i] = more = true;
		}
	}
}

/* ---- settings of the whole set ---- */

static void network_put(struct emit *e, struct object *spec)
{
	struct span from = e->job->name_at;
	struct object *network = PUT_MAP(e->arena, spec, "network", from);

	PUT_BOOL(e->arena, network, "enableDNSHostnames", e->job->hosts == HOSTS_SUBDOMAIN, from);
	if (e->job->hosts == HOSTS_SUBDOMAIN)
		PUT_BOOL(e->arena, network, "publishNotReadyAddresses", true, from);
}

/* Writes the success policy; without one, all Jobs must complete. */
static void success_put(struct emit *e, struct object *spec)
{
	const struct plan_job *j = e->job;
	struct plan_set_success success;

	if (!j->success || !plan_set_success(e->arena, j, &success))
		return;                 /* reported already */
	if (success.n == plan_job_objects(j) && (!success.any || success.n == 1))
		return;
	struct span from = j->success->from;
	struct object *policy = PUT_MAP(e->arena, spec, "successPolicy", from), *list;
	PUT_STR(e->arena, policy, "operator", success.any ? STR("Any") : STR("All"), from);
	list = PUT_LIST(e->arena, policy, "targetReplicatedJobs", from);
	for (size_t i = 0; i < success.n; i++)
		object_add(e->arena, list, object_string(e->arena, emit_set_name(e->arena, j, success.at[i]), from));
}

bool emit_set_blocks(const struct plan *plan)
{
	unsigned version = plan->addons[ADDON_JOBSET].version;

	return !version || version >= ADDON_VERSION(0, 7);
}

/* Writes the failure policy. A restart leaves nothing of the last attempt; a timeout ends all attempts. */
static void failure_put(struct emit *e, struct object *spec)
{
	const struct plan_job *j = e->job;
	struct span from = j->restarts.from;

	if (!j->restarts.set || !j->restarts.value)
		return;
	struct object *policy = PUT_MAP(e->arena, spec, "failurePolicy", from), *rule;
	PUT_INT(e->arena, policy, "maxRestarts", j->restarts.value, from);
	if (emit_set_blocks(e->plan))
		PUT_STR(e->arena, policy, "restartStrategy", STR("BlockingRecreate"), from);
	if (!j->timeout.set)
		return;
	rule = object_add_map(e->arena, PUT_LIST(e->arena, policy, "rules", j->timeout.from), j->timeout.from);
	PUT_STR(e->arena, rule, "name", STR("timeout"), j->timeout.from);
	PUT_STR(e->arena, rule, "action", STR("FailJobSet"), j->timeout.from);
	object_add(e->arena, PUT_LIST(e->arena, rule, "onJobFailureReasons", j->timeout.from),
		object_string(e->arena, STR("DeadlineExceeded"), j->timeout.from));
}

void emit_set(struct emit *e, struct object *spec)
{
	roles_put(e, spec);
	network_put(e, spec);
	success_put(e, spec);
	failure_put(e, spec);
}

static struct object *jobset_make(struct emit *e, const struct manifest *m)
{
	const struct plan_job *j = e->job;
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from);
	bool suspend = (j->suspend.set && j->suspend.value) || emit_kueue(j);

	emit_set(e, spec);
	PUT_BOOL(e->arena, spec, "suspend", suspend, emit_kueue(j) ? j->gang.from : j->suspend.from);
	if (emit_managed_by(j).n)
		PUT_STR(e->arena, spec, "managedBy", emit_managed_by(j), j->name_at);
	if (j->ttl.set)
		PUT_INT(e->arena, spec, "ttlSecondsAfterFinished", emit_seconds(&j->ttl), j->ttl.from);
	return o;
}

bool each_of_jobset(struct visiting *v, const struct plan_job *j)
{
	struct manifest m = each_manifest(NULL, "jobset.x-k8s.io/v1alpha2", "JobSet", j->name, jobset_make);

	m.from = j->name_at;
	m.whole = m.queued = true;
	return each_services(v, j) && each_config_maps(v, j) && each_secrets(v, j) && each_claims(v, j) &&
		each_gang(v, j) && each_needed(v, j, true) && each_one(v, &m) && each_last(v, j);
}
