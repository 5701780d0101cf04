/*
 * trainer.c - the target that writes a TrainJob and the runtime that it refers to (trainer.kubeflow.org/v1alpha1 as of
 * version 2.0), for jobs of one role. The runtime has no framework policy, because the trainer would put its own
 * variables into the pods, while the environment must be what the program declares. The trainer makes a JobSet from the
 * runtime's template.
 */
#include "emit/each.h"
#include "emit/emit_check.h"

/* ---- which jobs the target can express ---- */

static const struct plan_role *only_role(const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].max && !j->roles[i].aux)
			return &j->roles[i];
	return NULL;
}

static void check_trainer_roles(struct checking *c, const struct plan_job *j)
{
	const struct plan_role *first = only_role(j);
	struct diag *d;

	for (size_t i = 0; first && i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max || r == first)
			continue;
		d = diag_report(c->diags, TJ0819, check_place(c, r->at, j->name_at, j->name_at), r->aux ?
			"a TrainJob has one role, and nothing beside it: '%.*s' has no place" :
			"a TrainJob has one role: '%.*s', and cannot hold '%.*s'",
			STR_ARG(r->aux ? r->name : first->name), STR_ARG(r->name));
		diag_help(c->diags, d, "use the target 'jobset', which has a place for each role");
		return;
	}
}

static bool makes(const struct plan_container *c, struct span because)
{
	for (size_t i = 0; i < c->nmounts; i++)
		if (c->mounts[i].volume->keep && c->mounts[i].volume->from.start == because.start)
			return true;
	return false;
}

/* Is the role unrolled because of a claim that each replica keeps? */
static bool keeps_claim(const struct plan_role *r)
{
	bool found = makes(&r->main, r->unrolled_because);

	for (size_t i = 0; i < r->ninits; i++)
		found = found || makes(&r->inits[i], r->unrolled_because);
	for (size_t i = 0; i < r->nsidecars; i++)
		found = found || makes(&r->sidecars[i], r->unrolled_because);
	return found;
}

static void unrolled(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	if (!r->unrolled || r->max < 2)
		return;
	struct diag *d = diag_report(c->diags, TJ0819, check_place(c, r->unrolled_because, r->at, j->name_at),
		"the nodes of a TrainJob have one template, and the replicas of role '%.*s' differ", STR_ARG(r->name));
	diag_help(c->diags, d, keeps_claim(r) ? "without 'keep = true' each pod gets a claim that is deleted with "
		"it; the "
		"target 'jobset' has a place for both" : plan_role_differs(r) ?
		"let all replicas request the same amounts, or use the target 'jobset'" :
		"let the program compute it from pod.index, or use the target 'jobset'");
}

static void life(struct checking *c, const struct plan_job *j)
{
	static const char ours[] = "trainer.kubeflow.org/trainjob-controller", queue[] = "kueue.x-k8s.io/multikueue";
	struct str manager = emit_managed_by(j);
	struct diag *d;

	if (j->ttl.set) {
		d = diag_report(c->diags, TJ0818, j->ttl.from,
			"a TrainJob has no place for 'ttl': it stays until somebody deletes it");
		diag_help(c->diags, d, "remove 'ttl', or use the target 'jobset'");
	}
	if (manager.n && !str_is(manager, ours) && !str_is(manager, queue)) {
		d = diag_report(c->diags, TJ0818, j->name_at, "a TrainJob cannot be managed by '%.*s'",
			STR_ARG(manager));
		diag_help(c->diags, d, "use \"%s\", or leave 'managed_by' out", queue);
	}
}

void target_check_trainer(struct checking *c, const struct plan_job *j)
{
	const struct plan_role *r = only_role(j);
	size_t errors = c->diags->errors;

	check_trainer_roles(c, j);
	if (c->diags->errors != errors || !r)
		/* the user first has to change the roles, so further reports would be premature */
		return;
	unrolled(c, j, r);
	life(c, j);
	target_check_set(c, j, "TrainJob");
}

/* ---- the runtime ---- */

/* Writes labels and annotations of the object, which the trainer copies to the JobSet. */
static void metadata_put(struct emit *e, const struct object *o, struct object *template)
{
	static const char *const copied[] = { "labels", "annotations" };
	struct object *metadata = PUT_MAP(e->arena, template, "metadata", e->job->name_at);

	for (size_t i = 0; i < 2; i++) {
		struct object *map = object_get(emit_metadata(o), str_of(copied[i]));
		if (map)
			object_append(e->arena, metadata, str_of(copied[i]), map);
	}
}

/* Writes the label by which the trainer finds the Job that runs its nodes. */
static void mark(struct emit *e, struct object *spec)
{
	struct object *list = object_get(spec, STR("replicatedJobs"));
	struct object *template = list->u.list.n ? object_get(list->u.list.at[0], STR("template")) : NULL;

	if (template)
		object_put(e->arena, object_get(object_get(template, STR("metadata")), STR("labels")),
			STR("trainer.kubeflow.org/trainjob-ancestor-step"),
			object_string(e->arena, STR("trainer"), e->job->name_at));
}

static struct object *runtime_make(struct emit *e, const struct manifest *m)
{
	const struct plan_role *r = only_role(e->job);
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from), *template, *set;

	PUT_INT(e->arena, PUT_MAP(e->arena, spec, "mlPolicy", m->from), "numNodes", r ? r->max : 1,
		r ? r->replicas_at : m->from);
	template = PUT_MAP(e->arena, spec, "template", m->from);
	metadata_put(e, o, template);
	set = PUT_MAP(e->arena, template, "spec", m->from);
	emit_set(e, set);
	mark(e, set);
	return o;
}

static struct object *trainjob_make(struct emit *e, const struct manifest *m)
{
	const struct plan_job *j = e->job;
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from),
		*ref = PUT_MAP(e->arena, spec, "runtimeRef", m->from);

	PUT_STR(e->arena, ref, "apiGroup", STR("trainer.kubeflow.org"), m->from);
	PUT_STR(e->arena, ref, "kind", STR("TrainingRuntime"), m->from);
	PUT_STR(e->arena, ref, "name", j->name, m->from);
	PUT_BOOL(e->arena, spec, "suspend", (j->suspend.set && j->suspend.value) || emit_kueue(j),
		emit_kueue(j) ? j->gang.from : j->suspend.from);
	if (emit_managed_by(j).n)
		PUT_STR(e->arena, spec, "managedBy", emit_managed_by(j), j->name_at);
	return o;
}

/* Visits the manifests. The runtime comes first, because a TrainJob without it is refused. */
bool each_of_trainer(struct visiting *v, const struct plan_job *j)
{
	static const char version[] = "trainer.kubeflow.org/v1alpha1";
	struct manifest runtime = each_manifest(NULL, version, "TrainingRuntime", j->name, runtime_make);
	struct manifest job = each_manifest(NULL, version, "TrainJob", j->name, trainjob_make);

	runtime.from = job.from = j->name_at;
	runtime.whole = job.queued = true;
	return each_services(v, j) && each_config_maps(v, j) && each_secrets(v, j) && each_claims(v, j) &&
		each_gang(v, j) && each_needed(v, j, true) && each_one(v, &runtime) && each_one(v, &job) &&
		each_last(v, j);
}
