/*
 * verify.c - checks all objects before the first one is written.
 */
#include "verify/verify.h"

#include "kube/limits.h"

static struct str in_namespace(struct arena *a, const struct plan_job *j)
{
	return j->ns.set ? str_printf(a, " -n %.*s", STR_ARG(j->ns.value)) : STR("");
}

/* The kind of objects that run the pods of a job without a controller, for messages. */
static const char *plain_objects(const struct checking *c)
{
	unsigned traits = emit_target_traits(c->plan->target);

	return workload_row(emit_target_workload(c->plan->target))->traits & WORKLOAD_BARE ? "Pods" :
		traits & TARGET_ROLE_JOBS ? "Jobs" : "objects of this target";
}

static void end_help(struct checking *c, const struct plan_job *j, struct buf *out)
{
	buf_printf(out, "kubectl delete %.*s%.*s -l trainc.dev/job=%.*s",
		STR_ARG(emit_target_workloads(c->arena, c->plan->target)),
		STR_ARG(in_namespace(c->arena, j)), STR_ARG(j->name));
}

/* Adds the commands that start the roles with `start_after`: their Jobs are created suspended. */
static void start_help(struct checking *c, const struct plan_job *j, struct buf *out)
{
	for (size_t i = 0; i < j->nroles && (emit_target_traits(c->plan->target) & TARGET_ROLE_JOBS); i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->start_after || !r->max || r->unrolled || r->aux || r->copy || r->in_group)
			continue;
		struct str condition = plan_condition_text(c->arena, j, r->start_after);
		buf_printf(out, "\nstart role '%.*s' after %.*s%s:\n  kubectl patch job %.*s%.*s --type=merge -p "
			"'{\"spec\":{\"suspend\":false}}'",
			STR_ARG(r->name), STR_ARG(condition), r->cell.n ? ", and so in each copy" : "",
			STR_ARG(r->object), STR_ARG(in_namespace(c->arena, j)));
	}
}

/* Adds the commands that create the Secrets, for the user to copy. */
static void help_with_secrets(struct checking *c, const struct plan_job *j, const struct plan_volumes *made, bool more,
	struct buf *out)
{
	buf_z(out, "do this yourself:");
	for (size_t i = 0; i < made->n; i++) {
		struct str kind = made->at[i]->name, ns = in_namespace(c->arena, j);
		const char *recipe = emit_generated_recipe(kind);
		if (!recipe)
			continue;
		buf_printf(out, "\nmake the %.*s before 'kubectl apply', which keeps it:\n  %s\n", STR_ARG(kind),
			recipe);
		buf_printf(out, "  kubectl create secret generic %.*s%.*s --from-file=keys && rm -r keys",
			STR_ARG(emit_generated_name(c->arena, j, kind)), STR_ARG(ns));
	}
	if (more) {
		start_help(c, j, out);
		buf_z(out, "\nwhen the job has ended, '");
		end_help(c, j, out);
		buf_char(out, '\'');
	}
	if (!j->controller)
		buf_printf(out, "%s'trainc run' does all of it while it runs", more ? "; " : "\n");
}

/* Can the JobSet controller do what Jobs of roles leave to the user? */
static bool jobset_helps(struct checking *c, const struct plan_job *j)
{
	return emit_target_traits(c->plan->target) & TARGET_ROLE_JOBS && target_takes(c, j, "jobset");
}

static void brief_help(struct checking *c, const struct plan_job *j, const struct plan_volumes *made, struct diag *d)
{
	if (made->n)
		diag_help(c->diags, d, "start it with 'trainc run'; 'trainc explain TJ0817' says how kubectl does");
	else if (jobset_helps(c, j))
		diag_help(c->diags, d, "'trainc run', 'trainc apply --controller' and '--target jobset' can; for "
			"kubectl see 'trainc explain TJ0817'");
	else
		diag_help(c->diags, d, "'trainc run' and 'trainc apply --controller' can; for kubectl see 'trainc "
			"explain TJ0817'");
}

static void runtime_help(struct checking *c, const struct plan_job *j, const struct plan_volumes *made, bool more,
	struct diag *d)
{
	struct buf out = { 0 };

	if (made->n) {
		help_with_secrets(c, j, made, more, &out);
	} else {
		buf_z(&out, "do this yourself:");
		start_help(c, j, &out);
		buf_z(&out, "\nwhen the job has ended, '");
		end_help(c, j, &out);
		bool jobset = jobset_helps(c, j);
		if (jobset)
			buf_z(&out, "'; '--target jobset' leaves it to the JobSet controller");
		buf_z(&out, jobset ? ", " : "'; ");
		buf_z(&out, "'trainc run' does it while it runs, 'trainc apply --controller' leaves it to "
			"'trainc supervise'");
	}
	diag_help(c->diags, d, "%.*s", STR_ARG(buf_text(&out)));
	buf_release(&out);
}

/*
 * Warns that the job needs the runtime. The warning names the job and everything that the job needs; each command
 * reports only one.
 */
static void runtime_warning(struct checking *c)
{
	static const struct str marker = { "trainc run", 10 };

	for (size_t i = 0; i < c->plan->njobs && !map_get(c->seen, marker); i++) {
		const struct plan_job *j = &c->plan->jobs[i];
		struct plan_needs needs = plan_needs_runtime(c->diags->arena, j);
		if (!needs.n)
			continue;
		map_put(c->seen, c->seen_arena, marker, c->seen);
		struct plan_volumes made = plan_generated(c->arena, j);
		bool more = needs.n > made.n;
		struct diag *d = j->controller ?
			diag_report(c->diags, TJ0817, j->name_at,
			"the controller of target '%.*s' does not create everything that job '%.*s' needs",
				STR_ARG(c->plan->target), STR_ARG(j->name)) : !more ?
			diag_report(c->diags, TJ0817, j->name_at,
			"kubectl does not create everything that job '%.*s' needs", STR_ARG(j->name)) :
			diag_report(c->diags, TJ0817, j->name_at,
				"plain %s cannot run job '%.*s' to completion by themselves", plain_objects(c),
				STR_ARG(j->name));
		if (c->options->brief) {
			brief_help(c, j, &made, d);
			continue;
		}
		for (size_t k = 0; k < needs.n; k++)
			diag_note(c->diags, d, (struct span){ 0 }, "left to you: %.*s", STR_ARG(needs.at[k]));
		runtime_help(c, j, &made, more, d);
	}
}

bool emit_check(const struct emit_options *options, const struct plan *plan, struct diags *ds)
{
	struct arena arena = { 0 };
	struct map own = { 0 };
	size_t before = ds->errors;
	struct checking c = { .options = options, .plan = plan, .diags = ds, .arena = &arena, .before = before };

	c.seen = options->seen ? options->seen : &own;
	c.seen_arena = options->seen ? options->seen_arena : &arena;
	if (check_features(&c)) {
		for (size_t i = 0; i < plan->njobs; i++) {
			check_names(&c, &plan->jobs[i]);
			check_labels(&c, &plan->jobs[i]);
			check_references(&c, &plan->jobs[i]);
			check_raw(&c, &plan->jobs[i]);
			check_autoscalers(&c, &plan->jobs[i]);
			size_t errors = ds->errors;
			c.long_variable = 0;
			check_texts(&c, &plan->jobs[i]);
			c.too_long += ds->errors - errors;
		}
		check_identities(&c);
		check_objects(&c);
		check_addons(&c);
		if (options->runtime_warning)
			runtime_warning(&c);
	}
	arena_release(&arena);
	return ds->errors == before;
}
