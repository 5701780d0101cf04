/*
 * trainer_runtime.c - finds the runtime that a TrainJob refers to, and completes its JobSet for that job as the
 * controller does.
 */
#include "import/trainer_runtime.h"

#include "import/import_tree.h"

#define STEP "trainer.kubeflow.org/trainjob-ancestor-step"

/* ---- runtimes ---- */

bool trainer_read_runtime(struct import *im, const struct import_kind *k, const struct data *object,
	struct imported *job)
{
	struct runtime *r = ARENA_NEW(im->arena, struct runtime);
	struct import_manifest m;
	size_t errors = im->diags->errors;

	(void)job;
	if (!manifest_open(im, k, object, str_is(str_of(k->kind), "TrainingRuntime")
			? "trainer.kubeflow.org.v1alpha1.TrainingRuntime"
			: "trainer.kubeflow.org.v1alpha1.ClusterTrainingRuntime", false, &m) ||
			im->diags->errors != errors)
		return false;
	*r = (struct runtime){ .kind = m.kind, .name = m.name, .ns = m.ns, .at = m.at, .whole = object->from,
		.spec = m.spec, .comments = im->comments };
	ARENA_PUSH(im->arena, im->runtimes, im->nruntimes, r);
	return false;
}

struct runtime *trainer_find_runtime(struct import *im, const struct import_manifest *m)
{
	const struct data *ref = member(m->spec, "runtimeRef");
	struct str name = member_text(ref, "name"), kind = member_text(ref, "kind");

	if (!kind.n)
		kind = STR("ClusterTrainingRuntime");
	for (size_t i = 0; i < im->nruntimes; i++) {
		struct runtime *r = im->runtimes[i];
		if (str_eq(r->name, name) && str_eq(r->kind, kind) &&
		    (str_is(kind, "ClusterTrainingRuntime") || str_eq(r->ns, m->ns)))
			return r;
	}
	struct diag *d = diag_report(im->diags, TJ1121, ref ? ref->from : m->at,
		"the %.*s '%.*s' is not in the input", STR_ARG(kind), STR_ARG(name));
	diag_help(im->diags, d,
		"it defines what runs: save it with 'kubectl get %.*s %.*s -o yaml' and import both files in one "
		"command",
		STR_ARG(kind), STR_ARG(name));
	return NULL;
}

void runtimes_finish(struct import *im)
{
	for (size_t i = 0; i < im->nruntimes; i++) {
		const struct runtime *r = im->runtimes[i];
		if (r->used || !diags_ok(im->diags))
			continue;
		if (im->njobs)
			import_left_out(im, r->at, str_printf(im->arena, "%.*s %.*s", STR_ARG(r->kind),
				STR_ARG(r->name)), "no TrainJob that is imported refers to it");
		else
			diag_help(im->diags, diag_report(im->diags, TJ1102, r->at, "a %.*s by itself is not a job",
				STR_ARG(r->kind)), "import it together with a TrainJob that refers to it");
	}
}

/* ---- completing the JobSet ---- */

struct str trainer_step(const struct data *job)
{
	return member_text(member(member(member(job, "template"), "metadata"), "labels"), STEP);
}

/* Changes the container of that name; the others stay unchanged. */
struct change {
	struct train *t;
	const struct data *(*apply)(struct change *c, const struct data *container);
	const struct data *with;
};

static const struct data *change_container(struct change *c, const struct data *pod, const char *list, struct str name)
{
	const struct data *all = member(pod, list);
	struct arena *a = train_arena(c->t);
	struct data *changed = NULL;

	for (size_t i = 0; i < data_count(all); i++) {
		if (!str_eq(member_text(all->u.list.at[i], "name"), name))
			continue;
		if (!changed)
			changed = tree_copy(a, all);
		changed->u.list.at[i] = c->apply(c, all->u.list.at[i]);
	}
	return changed ? tree_with(a, pod, list, changed, member_at(pod, list)) : pod;
}

static const struct data *pod_of(const struct data *job)
{
	return member(member(member(member(job, "template"), "spec"), "template"), "spec");
}

static const struct data *with_pod(struct train *t, const struct data *job, const struct data *pod)
{
	struct arena *a = train_arena(t);
	const struct data *outer = member(job, "template"), *batch = member(outer, "spec"),
		*template = member(batch, "template");

	template = tree_with(a, template, "spec", pod, job->from);
	batch = tree_with(a, batch, "template", template, job->from);
	return tree_with(a, job, "template", tree_with(a, outer, "spec", batch, job->from), job->from);
}

static const struct data *with_count(struct train *t, const struct data *job, int64_t n, struct span at)
{
	struct arena *a = train_arena(t);
	const struct data *outer = member(job, "template"), *batch = member(outer, "spec"), *count = tree_int(a, n, at);

	batch = tree_with(a, tree_with(a, batch, "parallelism", count, at), "completions", count, at);
	return tree_with(a, tree_with(a, job, "template", tree_with(a, outer, "spec", batch, at), at), "replicas",
		tree_int(a, 1, at), at);
}

static const struct data *apply_trainer(struct change *c, const struct data *container)
{
	static const char *const keys[] = { "image", "command", "args" };
	struct arena *a = train_arena(c->t);
	const struct data *resources = member(c->with, "resourcesPerNode"), *env = member(c->with, "env");

	for (size_t i = 0; i < 3; i++)
		if (member(c->with, keys[i]))
			container = tree_with(a, container, keys[i], member(c->with, keys[i]),
				member_at(c->with, keys[i]));
	if (member(resources, "limits") || member(resources, "requests"))
		container = tree_with(a, container, "resources", resources, member_at(c->with, "resourcesPerNode"));
	if (data_count(env))
		container = tree_with(a, container, "env", tree_upsert(a, member(container, "env"), env),
			member_at(c->with, "env"));
	return container;
}

static const struct data *apply_initializer(struct change *c, const struct data *container)
{
	struct arena *a = train_arena(c->t);
	const struct data *uri = member(c->with, "storageUri"), *env = member(container, "env"),
		*secret = member(c->with, "secretRef");

	if (uri) {
		const struct data *entry = tree_with(a, tree_with(a, NULL, "name",
			tree_text(a, STR("STORAGE_URI"), uri->from), uri->from), "value", uri, uri->from);
		env = tree_upsert(a, env, tree_one(a, entry));
	}
	env = tree_upsert(a, env, member(c->with, "env"));
	if (env)
		container = tree_with(a, container, "env", env, c->with->from);
	if (secret) {
		const struct data *from = member(container, "envFrom");
		from = tree_append(a, from, tree_one(a, tree_with(a, NULL, "secretRef", secret, secret->from)));
		container = tree_with(a, container, "envFrom", from, secret->from);
	}
	return container;
}

static const struct data *apply_override(struct change *c, const struct data *container)
{
	static const char *const keys[] = { "env", "volumeMounts" };
	struct arena *a = train_arena(c->t);

	for (size_t i = 0; i < 2; i++)
		if (data_count(member(c->with, keys[i])))
			container = tree_with(a, container, keys[i],
				tree_upsert(a, member(container, keys[i]), member(c->with, keys[i])), c->with->from);
	return container;
}

static const struct data *override_containers(struct train *t, const struct data *pod, const struct data *override,
	const char *list)
{
	const struct data *all = member(override, list);

	for (size_t i = 0; i < data_count(all); i++) {
		struct change c = { t, apply_override, all->u.list.at[i] };
		pod = change_container(&c, pod, list, member_text(all->u.list.at[i], "name"));
	}
	return pod;
}

static const struct data *override_pod(struct train *t, const struct data *pod, const struct data *override)
{
	struct arena *a = train_arena(t);
	const struct data *node = member(override, "nodeSelector"), *account = member(override, "serviceAccountName");
	static const char *const lists[] = { "volumes", "tolerations", "schedulingGates" };

	if (account)
		pod = tree_with(a, pod, "serviceAccountName", account, account->from);
	if (data_count(node))
		pod = tree_with(a, pod, "nodeSelector", tree_merge(a, member(pod, "nodeSelector"), node), node->from);
	for (size_t i = 0; i < 3; i++) {
		const struct data *more = member(override, lists[i]), *list = member(pod, lists[i]);
		if (!data_count(more))
			continue;
		list = i == 0 ? tree_upsert(a, list, more) : tree_append(a, list, more);
		pod = tree_with(a, pod, lists[i], list, more->from);
	}
	return override_containers(t, override_containers(t, pod, override, "containers"), override, "initContainers");
}

/* ---- patches of the runtime ---- */

/* Applies a patch to a container: lists of named elements are joined; any other field is taken from the patch. */
static const struct data *apply_patch(struct change *c, const struct data *container)
{
	struct arena *a = train_arena(c->t);

	for (size_t i = 0; i < data_count(c->with); i++) {
		const struct data_member *m = &c->with->u.map.at[i];
		bool joined = str_is(m->key, "env") || str_is(m->key, "volumeMounts");
		const char *key = str_copy(a, m->key).p;
		if (!str_is(m->key, "name"))
			container = tree_with(a, container, key,
				joined ? tree_upsert(a, member(container, key), m->value) : m->value, m->key_at);
	}
	return container;
}

static const struct data *patch_containers(struct train *t, const struct data *pod, const struct data_member *m)
{
	struct arena *a = train_arena(t);
	const char *list = str_copy(a, m->key).p;

	for (size_t i = 0; i < data_count(m->value); i++) {
		const struct data *patch = m->value->u.list.at[i], *before = pod;
		struct change c = { t, apply_patch, patch };
		pod = change_container(&c, pod, list, member_text(patch, "name"));
		if (pod == before)
			pod = tree_with(a, pod, list, tree_append(a, member(pod, list), tree_one(a, patch)), m->key_at);
	}
	return pod;
}

static const struct data *patch_pod(struct train *t, const struct data *pod, const struct data *patch)
{
	struct arena *a = train_arena(t);

	for (size_t i = 0; i < data_count(patch); i++) {
		const struct data_member *m = &patch->u.map.at[i];
		const char *key = str_copy(a, m->key).p;
		const struct data *value = m->value;
		if (str_is(m->key, "containers") || str_is(m->key, "initContainers")) {
			pod = patch_containers(t, pod, m);
			continue;
		}
		if (str_is(m->key, "volumes") || str_is(m->key, "imagePullSecrets"))
			value = tree_upsert(a, member(pod, key), value);
		else if (str_is(m->key, "nodeSelector"))
			value = tree_merge(a, member(pod, key), value);
		pod = tree_with(a, pod, key, value, m->key_at);
	}
	return pod;
}

/* Merges the labels and annotations of a patch into those of the pod template. */
static const struct data *patch_metadata(struct train *t, const struct data *job, const struct data *patch)
{
	static const char *const keys[] = { "labels", "annotations" };
	struct arena *a = train_arena(t);
	const struct data *outer = member(job, "template"), *batch = member(outer, "spec"),
		*template = member(batch, "template"), *metadata = member(template, "metadata");

	for (size_t i = 0; i < 2; i++)
		if (data_count(member(patch, keys[i])))
			metadata = tree_with(a, metadata, keys[i],
				tree_merge(a, member(metadata, keys[i]), member(patch, keys[i])), patch->from);
	if (!metadata || metadata == member(template, "metadata"))
		return job;
	template = tree_with(a, template, "metadata", metadata, patch->from);
	return tree_with(a, job, "template", tree_with(a, outer, "spec",
		tree_with(a, batch, "template", template, job->from), job->from), job->from);
}

/* Applies the patches of the TrainJob for the replicatedJob JOB. */
static const struct data *patched(struct train *t, const struct data *job)
{
	const struct data *patches = member(t->set.m.spec, "runtimePatches");

	for (size_t i = 0; i < data_count(patches); i++) {
		const struct data *spec = member(member(member(patches->u.list.at[i], "trainingRuntimeSpec"),
			"template"), "spec"), *jobs = member(spec, "replicatedJobs");
		for (size_t k = 0; k < data_count(jobs); k++) {
			const struct data *patch = jobs->u.list.at[k],
				*template = member(member(member(patch, "template"), "spec"), "template");
			if (!str_eq(member_text(patch, "name"), member_text(job, "name")))
				continue;
			job = patch_metadata(t, job, member(template, "metadata"));
			if (pod_of(job) && member(template, "spec"))
				job = with_pod(t, job, patch_pod(t, pod_of(job), member(template, "spec")));
		}
	}
	return job;
}

/* Sets the number of pods of JOB: numNodes applies to the training step, or to the nodes of an MPI job. */
static const struct data *set_train_count(struct train *t, const struct data *job)
{
	const struct data *mpi = member(t->policy, "mpi"), *nodes = member(t->trainer, "numNodes");
	const struct data *batch = member(member(job, "template"), "spec");
	bool trains = str_is(trainer_step(job), "trainer");
	int64_t n = member_int(batch, "parallelism", 1);
	struct span at = member_at(batch, "parallelism");

	if (mpi && !str_is(member_text(job, "name"), "node"))
		return with_count(t, job, n, at);
	if (!mpi && !trains)
		return with_count(t, job, n, at);
	if (!nodes && trains)
		nodes = member(t->policy, "numNodes");
	if (nodes) {
		n = nodes->u.integer;
		at = nodes->from;
		if (mpi && member_bool(mpi, "runLauncherAsNode", false))
			n = n > 2 ? n - 1 : 1;
	}
	return with_count(t, job, n > 0 ? n : 1, at);
}

/* Gives the launcher the resources and variables of a node, if it counts as a node. */
static const struct data *node_like_trainer(struct train *t, const struct data *pod)
{
	static const char *const keys[] = { "resourcesPerNode", "env" };
	struct change c = { t, apply_trainer, NULL };

	for (size_t i = 0; i < 2; i++)
		if (member(t->trainer, keys[i]))
			c.with = tree_with(train_arena(t), c.with, keys[i], member(t->trainer, keys[i]),
				member_at(t->trainer, keys[i]));
	return c.with ? change_container(&c, pod, "containers", STR("node")) : pod;
}

static const struct data *complete(struct train *t, const struct data *job)
{
	const struct data *initializer = member(t->set.m.spec, "initializer"),
		*overrides = member(t->set.m.spec, "podSpecOverrides");
	struct str step = trainer_step(job);
	const struct data *pod = pod_of(job);
	struct change c = { t, apply_trainer, t->trainer };

	if (!pod)
		return job;
	if (str_is(step, "trainer") && t->trainer)
		pod = change_container(&c, pod, "containers", STR("node"));
	else if (t->trainer && str_is(member_text(job, "name"), "node") &&
		member_bool(member(t->policy, "mpi"), "runLauncherAsNode", false))
		pod = node_like_trainer(t, pod);
	c.apply = apply_initializer;
	c.with = member(initializer, str_is(step, "dataset-initializer") ? "dataset" : "model");
	if (c.with && str_ends(step, STR("-initializer")))
		pod = change_container(&c, pod, "containers", step);
	for (size_t i = 0; i < data_count(overrides); i++)
		if (member_among(member(overrides->u.list.at[i], "targetJobs"), "name", member_text(job, "name")))
			pod = override_pod(t, pod, overrides->u.list.at[i]);
	return set_train_count(t, with_pod(t, job, pod));
}

void trainer_complete(struct train *t, const struct runtime *r)
{
	struct arena *a = train_arena(t);
	const struct data *jobs;

	t->spec = member(member(r->spec, "template"), "spec");
	jobs = member(t->spec, "replicatedJobs");
	struct data *completed = jobs ? tree_copy(a, jobs) : NULL;
	for (size_t i = 0; i < data_count(completed); i++)
		completed->u.list.at[i] = complete(t, patched(t, completed->u.list.at[i]));
	if (completed)
		t->spec = tree_with(a, t->spec, "replicatedJobs", completed, member_at(t->spec, "replicatedJobs"));
	if (member(t->set.m.spec, "suspend"))
		t->spec = tree_with(a, t->spec, "suspend", member(t->set.m.spec, "suspend"),
			member_at(t->set.m.spec, "suspend"));
}

/* Reports what the trainer's controller refuses, beyond the rules of JobSets. */
bool trainer_check(struct train *t)
{
	struct import *im = t->set.m.im;
	const struct data *overrides = member(t->set.m.spec, "podSpecOverrides"),
		*jobs = member(t->spec, "replicatedJobs");
	const struct data *initializer = member(t->set.m.spec, "initializer");
	size_t errors = im->diags->errors + im->diags->muted_errors;

	for (size_t i = 0; i < data_count(overrides); i++) {
		const struct data *list = member(overrides->u.list.at[i], "targetJobs");
		for (size_t k = 0; k < data_count(list); k++) {
			struct str name = member_text(list->u.list.at[k], "name");
			if (!member_among(jobs, "name", name))
				diag_report(im->diags, TJ1106, list->u.list.at[k]->from,
					"the runtime has no job '%.*s'", STR_ARG(name));
		}
	}
	for (size_t i = 0; i < data_count(initializer); i++) {
		struct str step = str_cat(im->arena, initializer->u.map.at[i].key, STR("-initializer"), STR(""));
		bool there = false;
		for (size_t n = 0; n < data_count(jobs); n++)
			there = there || str_eq(trainer_step(jobs->u.list.at[n]), step);
		if (!there)
			diag_report(im->diags, TJ1106, initializer->u.map.at[i].key_at,
				"the runtime has no step '%.*s'", STR_ARG(step));
	}
	return jobset_check(&t->set.m, t->spec) && im->diags->errors + im->diags->muted_errors == errors;
}
