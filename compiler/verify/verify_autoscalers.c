/*
 * verify_autoscalers.c - reports autoscalers of objects whose size cannot be changed, because they have no scale
 * subresource. Jobs and JobSets have no scale subresource.
 */
#include "verify/verify.h"

struct looking {
	struct str kind, name;          /* the object that the autoscaler refers to */
	const struct plan_job *job;
	bool found, sized;
};

static bool look_at_object(struct emit *e, const struct manifest *m, void *context)
{
	struct looking *l = context;

	if (e->job != l->job || m->object || !str_is(l->kind, m->kind) || !str_eq(l->name, m->name))
		return true;
	l->found = true;
	const struct workload *w = workload_named(l->kind);
	l->sized = (w && (w->traits & WORKLOAD_SIZED)) || (m->whole && !e->job->roles[0].in_set);
	return false;
}

static void report_autoscaler(struct checking *c, const struct plan_job *j, const struct plan_object *o,
	const struct looking *l)
{
	const struct data *metrics = data_get(data_get(o->data, STR("spec")), STR("metrics"));
	struct span at = check_place(c, metrics ? metrics->from : o->name_at, o->name_at, j->name_at);
	struct diag *d = diag_report(c->diags, TJ0820, at, l->found ?
		"an autoscaler cannot change %.*s '%.*s': such objects have no size" :
		"an autoscaler would change %.*s '%.*s', which the target '%.*s' does not write", STR_ARG(l->kind),
		STR_ARG(l->name),
		STR_ARG(c->plan->target.n ? c->plan->target : STR("jobs")));

	diag_help(c->diags, d, l->found ? "remove it; 'trainc scale' changes the size of a role with replicas = LO:HI "
		"in the target 'jobs'" :
		"use the target whose controller has it, or leave the metrics out");
}

void check_autoscalers(struct checking *c, const struct plan_job *j)
{
	struct emit e = { .plan = c->plan };

	for (size_t i = 0; i < j->nobjects; i++) {
		const struct plan_object *o = &j->objects[i];
		const struct data *ref = data_get(data_get(o->data, STR("spec")), STR("scaleTargetRef"));
		struct looking l = { .kind = emit_data_text(ref, "kind"), .name = emit_data_text(ref, "name"),
			.job = j };
		if (!str_is(emit_data_text(o->data, "kind"), "HorizontalPodAutoscaler") || !l.kind.n)
			continue;
		if (o->framework && (emit_target_traits(c->plan->target) & TARGET_OPERATOR))
			continue;       /* the operator itself creates the object that is scaled */
		emit_each(&e, look_at_object, &l);
		if (l.found ? !l.sized : o->framework)
			report_autoscaler(c, j, o, &l);
	}
}
