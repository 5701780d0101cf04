/*
 * set_check.c - reports what a set of Jobs (jobset.c) cannot express, with the reason: the set's controller would
 * silently do something else.
 */
#include "emit/each.h"
#include "emit/emit_check.h"

/* ---- roles ---- */

static void check_set_elastic(struct checking *c, const struct plan_job *j, const struct plan_role *r, const char *set)
{
	if (!r->elastic)
		return;
	struct diag *d = diag_report(c->diags, TJ0818, check_place(c, r->replicas_at, r->at, j->name_at),
		"a %s keeps its size: role '%.*s' cannot have %lld:%lld replicas", set, STR_ARG(r->name),
		(long long)r->min, (long long)r->max);
	diag_help(c->diags, d, "write replicas = %lld, or use the target 'jobs', where 'trainc scale' changes the size",
		(long long)r->max);
}

/* Reports elastic copies: a set keeps its size, and fails with any of its Jobs. */
static void check_set_cells(struct checking *c, const struct plan_job *j, const char *set)
{
	for (size_t i = 0; i < j->ncells; i++) {
		const struct plan_cell *cell = &j->cells[i];
		if (cell->min == cell->max)
			continue;
		struct diag *d = diag_report(c->diags, TJ0818, check_place(c, cell->copies_at, cell->at, j->name_at),
			"a %s fails with any of its Jobs: cell '%.*s' cannot have %lld:%lld copies", set,
			STR_ARG(cell->name), (long long)cell->min, (long long)cell->max);
		diag_help(c->diags, d, "write copies = %lld, or use the target 'jobs'", (long long)cell->max);
	}
}

/* Checks slices: host names in a slice have two numbers, and only the Service of the set has such names. */
static void slices(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	if (!plan_is_sliced(r) || j->hosts == HOSTS_SUBDOMAIN)
		return;
	struct diag *d = diag_report(c->diags, TJ0818, check_place(c, r->slices_at, r->at, j->name_at),
		"a Service of each replica has no place for the %lld slices of '%.*s'", (long long)r->slices,
		STR_ARG(r->name));
	diag_help(c->diags, d, "remove 'hosts' from the project or the framework, or remove 'slices'");
}

/* The end of a help text: suggests the target 'jobs', unless a role has slices, which only sets of Jobs support. */
static const char *or_jobs(const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (plan_is_sliced(&j->roles[i]))
			return "";
	return "; or use the target 'jobs'";
}

/* Checks aux roles: a set fails as soon as one of its Jobs fails, but an aux role must not fail the job. */
static void aux(struct checking *c, const struct plan_role *r, const char *set)
{
	if (!r->aux || plan_role_restarts(r))
		return;
	struct diag *d = diag_report(c->diags, TJ0818, check_place(c, r->restart.from, r->at, r->at),
		"a %s fails with any of its Jobs, so aux '%.*s' could fail the job", set, STR_ARG(r->name));
	diag_help(c->diags, d, "write restart = \"on-failure\" in it, or use the target 'jobs'");
}

static void overruled(struct checking *c, const struct data *raw, const char *const *keys, const char *set)
{
	for (; *keys; keys++) {
		const struct data *value = data_get(raw, str_of(*keys));
		if (!value)
			continue;
		struct diag *d = diag_report(c->diags, TJ0818, value->from, "the %s's controller sets '%s' itself", set,
			*keys);
		diag_help(c->diags, d, "remove it");
	}
}

static void check_set_raw(struct checking *c, const struct plan_role *r, const char *set)
{
	static const char *const of_job[] = { "suspend", "ttlSecondsAfterFinished", "managedBy", NULL },
		*const of_pod[] = { "hostname", "subdomain", NULL };

	overruled(c, r->raw_job, of_job, set);
	overruled(c, r->raw_pod, of_pod, set);
}

/* ---- start order ---- */

static bool has_readiness(const struct plan_role *r)
{
	for (size_t i = 0; i < r->nsidecars; i++)
		if (data_get(r->sidecars[i].raw, STR("readinessProbe")))
			return true;
	return data_get(r->main.raw, STR("readinessProbe")) != NULL;
}

/*
 * Returns the role of a started() condition that has a readiness probe: a set can only wait until the pods of the
 * role are ready, which is later than their start.
 */
static const struct plan_role *ready_is_later(const struct plan_job *j, const struct plan_condition *c)
{
	const struct plan_role *r;

	if (!condition_joins(c))
		return c->kind == CONDITION_STARTED && has_readiness(&j->roles[c->role]) ? &j->roles[c->role] : NULL;
	r = ready_is_later(j, c->left);
	return r ? r : ready_is_later(j, c->right);
}

static void check_set_start(struct checking *c, const struct plan_job *j, const struct plan_role *r, const char *set)
{
	struct set_dependencies ds = emit_set_dependencies(c->arena, j, r);
	struct diag *d;

	if (!r->start_after)
		return;
	struct span at = check_place(c, r->start_after->from, r->at, j->name_at);
	const struct plan_role *probed = ready_is_later(j, r->start_after);
	if (ds.because) {
		struct str text = plan_condition_text(c->arena, j, ds.because);
		d = diag_report(c->diags, TJ0818, at, "a %s cannot wait for '%.*s'", set, STR_ARG(text));
		if (condition_joins(ds.because))
			diag_help(c->diags, d, "wait for whole roles or cells, joined by 'and'%s", or_jobs(j));
		else
			diag_help(c->diags, d, "wait for the whole role with '%s(%.*s)'%s",
				ds.because->kind == CONDITION_READY ?
				"ready" : ds.because->kind == CONDITION_STARTED ? "started" : "done",
				STR_ARG(j->roles[ds.because->role].name),
				*or_jobs(j) ? ", or use the target 'jobs'" : "");
	} else if (ds.n > SET_DEPENDENCIES) {
		d = diag_report(c->diags, TJ0818, at, "role '%.*s' waits for %zu Jobs; in a %s for at most %d",
			STR_ARG(r->name), ds.n, set, SET_DEPENDENCIES);
		diag_help(c->diags, d, "wait for fewer roles: a role that waits for others covers them too");
	} else if (probed) {
		d = diag_report(c->diags, TJ0818, at,
			"a %s waits until pods are ready, and role '%.*s' has a readiness probe", set,
			STR_ARG(probed->name));
		diag_help(c->diags, d, "write 'ready(%.*s)', or remove the probe", STR_ARG(probed->name));
	}
}

/* ---- the end ---- */

static void success(struct checking *c, const struct plan_job *j, const char *set)
{
	struct plan_set_success found;

	if (!j->success || plan_set_success(c->arena, j, &found))
		return;
	struct str text = plan_condition_text(c->arena, j, j->success);
	struct diag *d = diag_report(c->diags, TJ0818, check_place(c, j->success->from, j->name_at, j->name_at),
		"a %s cannot express 'success = %.*s'", set, STR_ARG(text));
	diag_note(c->diags, d, (struct span){ 0 },
		"it succeeds when all of certain roles are done, or any of them, or certain replicas of one role");
	diag_help(c->diags, d, "name whole roles, joined only by 'and' or only by 'or'%s", or_jobs(j));
}

static void check_set_clean(struct checking *c, const struct plan_job *j, const char *set)
{
	bool none = str_is(j->clean.value, "none");
	struct diag *d;

	if (!none && !str_is(j->clean.value, "all"))
		return;
	struct span at = check_place(c, j->clean.from, j->name_at, j->name_at);
	if (none) {
		d = diag_report(c->diags, TJ0818, at, "a %s stops what still runs, so it cannot have clean = \"none\"",
			set);
		if (at.start != j->clean.from.start)
			diag_note(c->diags, d, j->clean.from, "the framework's rule");
		diag_help(c->diags, d, "write clean = \"running\", or use the target 'jobs'");
		return;
	}
	d = diag_report(c->diags, TJ0818, at, "a %s keeps the pods that have ended, so it cannot have clean = \"all\"",
		set);
	diag_help(c->diags, d, str_is(c->plan->target, "jobset") ?
		"write clean = \"running\"; 'ttl' removes everything some time after the end" :
		"write clean = \"running\", or use the target 'jobs'");
}

static void timeout(struct checking *c, const struct plan_job *j, const char *set)
{
	if (!j->timeout.set || !j->restarts.set || !j->restarts.value)
		return;
	struct diag *d = diag_report(c->diags, TJ0810, check_place(c, j->timeout.from, j->name_at, j->name_at),
		"a %s restarts the clock of 'timeout' after each of %lld restarts", set, (long long)j->restarts.value);
	diag_help(c->diags, d,
		"set a time that fits one attempt, or use the target 'jobs', where 'timeout' covers all of them");
}

/* ---- names ---- */

static void same_names(struct checking *c, const struct plan_job *j)
{
	struct map names = { 0 };

	for (unsigned i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		for (int64_t k = 0; k < (r->unrolled ? r->max : r->max > 0); k++) {
			struct str name = emit_set_name(c->arena, j, (struct plan_set_job){ i, r->unrolled ? k : -1 });
			const struct plan_role *other = map_get(&names, name);
			if (!other) {
				map_put(&names, c->arena, name, (void *)(uintptr_t)r);
				continue;
			}
			struct diag *d = diag_report(c->diags, TJ0811, check_place(c, r->at, j->name_at, j->name_at),
				"roles '%.*s' and '%.*s' both have a replicated Job '%.*s'", STR_ARG(other->name),
				STR_ARG(r->name), STR_ARG(name));
			diag_help(c->diags, d, "give one of them another name");
			return;
		}
	}
}

void target_check_set(struct checking *c, const struct plan_job *j, const char *set)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max)
			continue;
		check_set_elastic(c, j, r, set);
		slices(c, j, r);
		aux(c, r, set);
		check_set_raw(c, r, set);
		check_set_start(c, j, r, set);
	}
	check_set_cells(c, j, set);
	success(c, j, set);
	check_set_clean(c, j, set);
	timeout(c, j, set);
	same_names(c, j);
}

/* Checks `managed_by`: the operator that it names only runs its own kinds of jobs. */
static void manager(struct checking *c, const struct plan_job *j)
{
	struct str by = emit_managed_by(j);

	if (!str_starts(by, STR("kubeflow.org/")))
		return;
	struct diag *d = diag_report(c->diags, TJ0818, j->name_at,
		"'%.*s' does not run JobSets, so nothing would run this one", STR_ARG(by));
	diag_help(c->diags, d, "leave 'managed_by' out, or use the target 'kubeflow'");
}

void target_check_jobset(struct checking *c, const struct plan_job *j)
{
	target_check_set(c, j, "JobSet");
	manager(c, j);
}
