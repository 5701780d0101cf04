/*
 * target.c - has the table of targets, and functions that read it. To add a target, write its file (the function that
 * visits its manifests, and one that reports what it cannot express) and add its row here.
 */
#include "emit/each.h"
#include "emit/emit_check.h"

static const struct target {
	const char *name;
	unsigned traits;
	enum workload_id role;          /* what a role becomes, unless plan_workload() chooses another kind */
	void (*check)(struct checking *c, const struct plan_job *j);    /* reports what the target cannot express */
	bool (*visit)(struct visiting *v, const struct plan_job *j);
} targets[] = {
	{ "jobs", TARGET_ROLE_JOBS, WORKLOAD_JOB, NULL, each_of_jobs },
	{ "pods", 0, WORKLOAD_POD, NULL, each_of_pods },
	{ "kubeflow", TARGET_CONTROLLER | TARGET_OPERATOR, WORKLOAD_JOB, target_check_kubeflow, each_of_kubeflow },
	{ "jobset", TARGET_CONTROLLER | TARGET_SET | TARGET_SLICES, WORKLOAD_JOB, target_check_jobset, each_of_jobset },
	{ "trainer", TARGET_CONTROLLER | TARGET_SET | TARGET_STAYS, WORKLOAD_JOB, target_check_trainer,
		each_of_trainer },
	{ "lws", TARGET_ROLE_JOBS | TARGET_GROUPS | TARGET_STAYS, WORKLOAD_JOB, target_check_lws, each_of_lws },
	{ "volcano", TARGET_CONTROLLER | TARGET_TASKS, WORKLOAD_JOB, target_check_volcano, each_of_volcano },
};
enum { TARGETS = sizeof(targets) / sizeof(*targets) };

static const struct target *find_target(struct str name)
{
	for (size_t i = 0; i < TARGETS; i++)
		if (str_is(name, targets[i].name))
			return &targets[i];
	return name.n ? NULL : &targets[0];
}

bool emit_target_known(struct str name) { return find_target(name) != NULL; }

const char *emit_target_name(size_t i) { return i < TARGETS ? targets[i].name : NULL; }

/*
 * Reports slices, because only a set of Jobs has a Job for each slice; a single Job numbers its pods in one sequence.
 */
static void refuse_slices(struct checking *c, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max || !plan_is_sliced(r))
			continue;
		struct diag *d = diag_report(c->diags, TJ0818, check_place(c, r->slices_at, r->at, j->name_at),
			"the target '%.*s' has no place for the %lld slices of '%.*s'", STR_ARG(c->plan->target),
			(long long)r->slices, STR_ARG(r->name));
		diag_help(c->diags, d, "write target = \"jobset\" in the project, or compile with --target jobset: it "
			"makes a Job of each slice");
	}
}

/* Does the job have cells that T cannot express? If T makes one object, each copy needs Jobs of its own in it. */
static bool lacks_cells(const struct target *t, const struct plan_job *j)
{
	return j->ncells && t->traits & TARGET_CONTROLLER && !(t->traits & TARGET_SLICES);
}

static void refuse_cells(struct checking *c, const struct plan_job *j)
{
	for (size_t i = 0; i < j->ncells; i++) {
		struct diag *d = diag_report(c->diags, TJ0818, check_place(c, j->cells[i].at, j->name_at, j->name_at),
			"the target '%.*s' has no place for cell '%.*s'", STR_ARG(c->plan->target),
			STR_ARG(j->cells[i].name));
		diag_help(c->diags, d, "compile with --target jobs, jobset or pods; or with lws, if its copies "
			"never end");
	}
}

/* Reports restarts of single copies where no attendant creates the objects of a copy again. */
static void refuse_copy_restarts(struct checking *c, const struct plan_job *j)
{
	for (size_t i = 0; i < j->ncells; i++) {
		const struct plan_cell *cell = &j->cells[i];
		struct span at = check_place(c, cell->restarts_at, cell->at, j->name_at);
		if (cell->restarts > 0) {
			struct diag *d = diag_report(c->diags, TJ0818, at,
				"the target '%.*s' does not restart a single copy of '%.*s'",
				STR_ARG(c->plan->target), STR_ARG(cell->name));
			diag_help(c->diags, d, "compile with --target jobs, or remove it and set 'restarts' in the "
				"job: then a failure restarts everything");
		} else if (cell->restarts < 0) {
			struct diag *d = diag_report(c->diags, TJ0810, at, "a copy of '%.*s' that fails is not "
				"restarted: it fails the job", STR_ARG(cell->name));
			diag_help(c->diags, d, "write 'restarts = 0' in the cell if that is meant; 'restarts' of the "
				"job restarts everything");
		}
	}
}

bool target_takes(const struct checking *c, const struct plan_job *j, const char *target)
{
	struct arena arena = { 0 };
	struct diags scratch = { .arena = &arena, .sources = c->diags->sources };
	struct plan plan = *c->plan;
	struct checking one = *c;
	const struct target *t = find_target(str_of(target));

	plan.target = str_of(target);
	one.plan = &plan;
	one.diags = &scratch;
	one.arena = &arena;
	if (t && t->check)
		t->check(&one, j);
	bool ok = t && !lacks_cells(t, j) && !scratch.errors;
	arena_release(&arena);
	return ok;
}

bool target_check(struct checking *c)
{
	const struct target *target = find_target(c->plan->target);
	size_t errors = c->diags->errors;

	for (size_t i = 0; target && i < c->plan->njobs; i++) {
		if (!(target->traits & TARGET_SLICES))
			refuse_slices(c, &c->plan->jobs[i]);
		if (lacks_cells(target, &c->plan->jobs[i]))
			refuse_cells(c, &c->plan->jobs[i]);
		else if (target->check)
			target->check(c, &c->plan->jobs[i]);
		if (!c->plan->here && !(target->traits & TARGET_ROLE_JOBS) && !lacks_cells(target, &c->plan->jobs[i]))
			refuse_copy_restarts(c, &c->plan->jobs[i]);
	}
	return c->diags->errors == errors;
}

unsigned emit_target_traits(struct str name)
{
	const struct target *t = find_target(name);

	return t ? t->traits : 0;
}

enum workload_id emit_target_workload(struct str name)
{
	const struct target *t = find_target(name);

	return t ? t->role : WORKLOAD_JOB;
}

struct str emit_target_workloads(struct arena *a, struct str name)
{
	enum workload_id role = emit_target_workload(name);
	struct str rest = STR("job,deployment");        /* kinds that some roles become in every target */

	return role == WORKLOAD_JOB ? rest : str_cat(a, str_of(workload_row(role)->argument), STR(","), rest);
}

bool emit_each(struct emit *e, bool (*visit)(struct emit *e, const struct manifest *m, void *context), void *context)
{
	struct arena arena = { 0 };
	struct visiting v = { e, visit, context };
	const struct target *target = find_target(e->plan->target);
	struct arena *before = e->arena;
	bool more = true;

	e->arena = &arena;
	for (size_t i = 0; i < e->plan->njobs && more; i++) {
		e->job = &e->plan->jobs[i];
		more = each_namespaces(&v, e->job) && each_code(&v, e->job) &&
			(target ? target->visit(&v, e->job) : each_of_jobs(&v, e->job));
	}
	e->arena = before;
	arena_release(&arena);
	return more;
}
