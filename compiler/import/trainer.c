/*
 * trainer.c - TrainJobs of trainer.kubeflow.org/v1alpha1 with the runtime that
 * they refer to.
 *
 * The runtime's JobSet is completed as the controller does it, and read as one;
 * what its policy sets in the pods is a framework.
 */
#include "import/jobset.h"
#include "import/tree.h"

#include <strings.h>

#include "base/quantity.h"

#define STEP "trainer.kubeflow.org/trainjob-ancestor-step"

struct runtime {
	struct str kind, name, ns;
	struct span at;                 /* of the kind */
	struct span whole;
	const struct data *spec;        /* fitted */
	struct comments comments;
	bool used;
};

struct train {
	struct set set;
	const struct data *trainer;     /* of the job, or NULL */
	const struct data *policy;      /* mlPolicy, or NULL */
	const struct data *spec;        /* of the JobSet, completed */
	struct line *framework;
};

static struct arena *arena(const struct train *t) { return t->set.m.im->arena; }

/* ---- runtimes ---- */

static bool read_runtime(struct import *im, const struct import_kind *k, const struct data *object, struct imported *job)
{
	struct runtime *r = ARENA_NEW(im->arena, struct runtime);
	struct manifest m;
	size_t errors = im->diags->errors;

	(void)job;
	if (!manifest_open(im, k, object, str_is(str_of(k->kind), "TrainingRuntime") ? "trainer.kubeflow.org.v1alpha1.TrainingRuntime"
			: "trainer.kubeflow.org.v1alpha1.ClusterTrainingRuntime", false, &m) || im->diags->errors != errors)
		return false;
	*r = (struct runtime){ .kind = m.kind, .name = m.name, .ns = m.ns, .at = m.at, .whole = object->from, .spec = m.spec, .comments = im->comments };
	ARENA_PUSH(im->arena, im->runtimes, im->nruntimes, r);
	return false;
}

static struct runtime *find_runtime(struct import *im, const struct manifest *m)
{
	const struct data *ref = member(m->spec, "runtimeRef");
	struct str name = member_text(ref, "name"), kind = member_text(ref, "kind");

	if (!kind.n)
		kind = STR("ClusterTrainingRuntime");
	for (size_t i = 0; i < im->nruntimes; i++) {
		struct runtime *r = im->runtimes[i];
		if (str_eq(r->name, name) && str_eq(r->kind, kind) && (str_is(kind, "ClusterTrainingRuntime") || str_eq(r->ns, m->ns)))
			return r;
	}
	struct diag *d = diag_report(im->diags, TJ1121, ref ? ref->from : m->at, "the %.*s '%.*s' is not among what is imported", STR_ARG(kind), STR_ARG(name));
	diag_help(im->diags, d, "it says what runs: save it with 'kubectl get %.*s %.*s -o yaml' and import both files in one command", STR_ARG(kind), STR_ARG(name));
	return NULL;
}

void runtimes_finish(struct import *im)
{
	for (size_t i = 0; i < im->nruntimes; i++) {
		const struct runtime *r = im->runtimes[i];
		if (r->used || !diags_ok(im->diags))
			continue;
		if (im->njobs)
			import_left_out(im, r->at, str_printf(im->arena, "%.*s %.*s", STR_ARG(r->kind), STR_ARG(r->name)), "no TrainJob that is imported refers to it");
		else
			diag_help(im->diags, diag_report(im->diags, TJ1102, r->at, "a %.*s by itself is not a job", STR_ARG(r->kind)),
				"import it together with a TrainJob that refers to it");
	}
}

/* ---- the JobSet, completed ---- */

static struct str step_of(const struct data *job)
{
	return member_text(member(member(member(job, "template"), "metadata"), "labels"), STEP);
}

/* Change the container of that name; the others stay. */
struct change {
	struct train *t;
	const struct data *(*apply)(struct change *c, const struct data *container);
	const struct data *with;
};

static const struct data *change_container(struct change *c, const struct data *pod, const char *list, struct str name)
{
	const struct data *all = member(pod, list);
	struct arena *a = arena(c->t);
	struct data *changed = NULL;

	for (size_t i = 0; i < data_count(all); i++) {
		if (!str_eq(member_text(all->u.list.at[i], "name"), name))
			continue;
		if (!changed)
			changed = tree_copy(a, all);
		changed->u.list.at[i] = (struct data *)c->apply(c, all->u.list.at[i]);
	}
	return changed ? tree_with(a, pod, list, changed, member_at(pod, list)) : pod;
}

static const struct data *pod_of(const struct data *job) { return member(member(member(member(job, "template"), "spec"), "template"), "spec"); }

static const struct data *with_pod(struct train *t, const struct data *job, const struct data *pod)
{
	struct arena *a = arena(t);
	const struct data *outer = member(job, "template"), *batch = member(outer, "spec"), *template = member(batch, "template");

	template = tree_with(a, template, "spec", pod, job->from);
	batch = tree_with(a, batch, "template", template, job->from);
	return tree_with(a, job, "template", tree_with(a, outer, "spec", batch, job->from), job->from);
}

static const struct data *with_count(struct train *t, const struct data *job, int64_t n, struct span at)
{
	struct arena *a = arena(t);
	const struct data *outer = member(job, "template"), *batch = member(outer, "spec"), *count = tree_int(a, n, at);

	batch = tree_with(a, tree_with(a, batch, "parallelism", count, at), "completions", count, at);
	return tree_with(a, tree_with(a, job, "template", tree_with(a, outer, "spec", batch, at), at), "replicas", tree_int(a, 1, at), at);
}

static const struct data *apply_trainer(struct change *c, const struct data *container)
{
	static const char *const keys[] = { "image", "command", "args" };
	struct arena *a = arena(c->t);
	const struct data *resources = member(c->with, "resourcesPerNode"), *env = member(c->with, "env");

	for (size_t i = 0; i < 3; i++)
		if (member(c->with, keys[i]))
			container = tree_with(a, container, keys[i], member(c->with, keys[i]), member_at(c->with, keys[i]));
	if (member(resources, "limits") || member(resources, "requests"))
		container = tree_with(a, container, "resources", resources, member_at(c->with, "resourcesPerNode"));
	if (data_count(env))
		container = tree_with(a, container, "env", tree_upsert(a, member(container, "env"), env), member_at(c->with, "env"));
	return container;
}

static const struct data *apply_initializer(struct change *c, const struct data *container)
{
	struct arena *a = arena(c->t);
	const struct data *uri = member(c->with, "storageUri"), *env = member(container, "env"), *secret = member(c->with, "secretRef");

	if (uri) {
		const struct data *entry = tree_with(a, tree_with(a, NULL, "name", tree_text(a, STR("STORAGE_URI"), uri->from), uri->from), "value", uri, uri->from);
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
	struct arena *a = arena(c->t);

	for (size_t i = 0; i < 2; i++)
		if (data_count(member(c->with, keys[i])))
			container = tree_with(a, container, keys[i], tree_upsert(a, member(container, keys[i]), member(c->with, keys[i])), c->with->from);
	return container;
}

static const struct data *override_containers(struct train *t, const struct data *pod, const struct data *override, const char *list)
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
	struct arena *a = arena(t);
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

static bool targets(const struct data *override, struct str job)
{
	const struct data *list = member(override, "targetJobs");

	for (size_t i = 0; i < data_count(list); i++)
		if (str_eq(member_text(list->u.list.at[i], "name"), job))
			return true;
	return false;
}

/* ---- patches of the runtime ---- */

/* A container, patched: lists of what has names are joined, every other field is the patch's. */
static const struct data *apply_patch(struct change *c, const struct data *container)
{
	struct arena *a = arena(c->t);

	for (size_t i = 0; i < data_count(c->with); i++) {
		const struct data_member *m = &c->with->u.map.at[i];
		bool joined = str_is(m->key, "env") || str_is(m->key, "volumeMounts");
		const char *key = str_copy(a, m->key).p;
		if (!str_is(m->key, "name"))
			container = tree_with(a, container, key, joined ? tree_upsert(a, member(container, key), m->value) : m->value, m->key_at);
	}
	return container;
}

static const struct data *patch_containers(struct train *t, const struct data *pod, const struct data_member *m)
{
	struct arena *a = arena(t);
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
	struct arena *a = arena(t);

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

/* Labels and annotations of the pod template, with those of a patch. */
static const struct data *patch_metadata(struct train *t, const struct data *job, const struct data *patch)
{
	static const char *const keys[] = { "labels", "annotations" };
	struct arena *a = arena(t);
	const struct data *outer = member(job, "template"), *batch = member(outer, "spec"), *template = member(batch, "template"), *metadata = member(template, "metadata");

	for (size_t i = 0; i < 2; i++)
		if (data_count(member(patch, keys[i])))
			metadata = tree_with(a, metadata, keys[i], tree_merge(a, member(metadata, keys[i]), member(patch, keys[i])), patch->from);
	if (!metadata || metadata == member(template, "metadata"))
		return job;
	template = tree_with(a, template, "metadata", metadata, patch->from);
	return tree_with(a, job, "template", tree_with(a, outer, "spec", tree_with(a, batch, "template", template, job->from), job->from), job->from);
}

/* The replicatedJob JOB with what the patches of the TrainJob say about it. */
static const struct data *patched(struct train *t, const struct data *job)
{
	const struct data *patches = member(t->set.m.spec, "runtimePatches");

	for (size_t i = 0; i < data_count(patches); i++) {
		const struct data *spec = member(member(member(patches->u.list.at[i], "trainingRuntimeSpec"), "template"), "spec"), *jobs = member(spec, "replicatedJobs");
		for (size_t k = 0; k < data_count(jobs); k++) {
			const struct data *patch = jobs->u.list.at[k], *template = member(member(member(patch, "template"), "spec"), "template");
			if (!str_eq(member_text(patch, "name"), member_text(job, "name")))
				continue;
			job = patch_metadata(t, job, member(template, "metadata"));
			if (pod_of(job) && member(template, "spec"))
				job = with_pod(t, job, patch_pod(t, pod_of(job), member(template, "spec")));
		}
	}
	return job;
}

/* How many pods: of the step that trains, or of the nodes of an MPI job. */
static const struct data *count(struct train *t, const struct data *job)
{
	const struct data *mpi = member(t->policy, "mpi"), *nodes = member(t->trainer, "numNodes");
	const struct data *batch = member(member(job, "template"), "spec");
	bool trains = str_is(step_of(job), "trainer");
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

/* Nodes that the launcher is one of have its resources and its variables. */
static const struct data *node_like_trainer(struct train *t, const struct data *pod)
{
	static const char *const keys[] = { "resourcesPerNode", "env" };
	struct change c = { t, apply_trainer, NULL };

	for (size_t i = 0; i < 2; i++)
		if (member(t->trainer, keys[i]))
			c.with = tree_with(arena(t), c.with, keys[i], member(t->trainer, keys[i]), member_at(t->trainer, keys[i]));
	return c.with ? change_container(&c, pod, "containers", STR("node")) : pod;
}

static const struct data *complete(struct train *t, const struct data *job)
{
	const struct data *initializer = member(t->set.m.spec, "initializer"), *overrides = member(t->set.m.spec, "podSpecOverrides");
	struct str step = step_of(job);
	const struct data *pod = pod_of(job);
	struct change c = { t, apply_trainer, t->trainer };

	if (!pod)
		return job;
	if (str_is(step, "trainer") && t->trainer)
		pod = change_container(&c, pod, "containers", STR("node"));
	else if (t->trainer && str_is(member_text(job, "name"), "node") && member_bool(member(t->policy, "mpi"), "runLauncherAsNode", false))
		pod = node_like_trainer(t, pod);
	c.apply = apply_initializer;
	c.with = member(initializer, str_is(step, "dataset-initializer") ? "dataset" : "model");
	if (c.with && str_ends(step, STR("-initializer")))
		pod = change_container(&c, pod, "containers", step);
	for (size_t i = 0; i < data_count(overrides); i++)
		if (targets(overrides->u.list.at[i], member_text(job, "name")))
			pod = override_pod(t, pod, overrides->u.list.at[i]);
	return count(t, with_pod(t, job, pod));
}

static void complete_all(struct train *t, const struct runtime *r)
{
	struct arena *a = arena(t);
	const struct data *jobs;

	t->spec = member(member(r->spec, "template"), "spec");
	jobs = member(t->spec, "replicatedJobs");
	struct data *completed = jobs ? tree_copy(a, jobs) : NULL;
	for (size_t i = 0; i < data_count(completed); i++)
		completed->u.list.at[i] = (struct data *)complete(t, patched(t, completed->u.list.at[i]));
	if (completed)
		t->spec = tree_with(a, t->spec, "replicatedJobs", completed, member_at(t->spec, "replicatedJobs"));
	if (member(t->set.m.spec, "suspend"))
		t->spec = tree_with(a, t->spec, "suspend", member(t->set.m.spec, "suspend"), member_at(t->set.m.spec, "suspend"));
}

/* What the controller refuses beside the rules of JobSets. */
static bool check(struct train *t)
{
	struct import *im = t->set.m.im;
	const struct data *overrides = member(t->set.m.spec, "podSpecOverrides"), *jobs = member(t->spec, "replicatedJobs");
	const struct data *initializer = member(t->set.m.spec, "initializer");
	size_t errors = im->diags->errors + im->diags->muted_errors;

	for (size_t i = 0; i < data_count(overrides); i++) {
		const struct data *list = member(overrides->u.list.at[i], "targetJobs");
		for (size_t k = 0; k < data_count(list); k++) {
			bool there = false;
			for (size_t n = 0; n < data_count(jobs); n++)
				there = there || str_eq(member_text(jobs->u.list.at[n], "name"), member_text(list->u.list.at[k], "name"));
			if (!there)
				diag_report(im->diags, TJ1106, list->u.list.at[k]->from, "the runtime has no job '%.*s'", STR_ARG(member_text(list->u.list.at[k], "name")));
		}
	}
	for (size_t i = 0; i < data_count(initializer); i++) {
		struct str step = str_cat(im->arena, initializer->u.map.at[i].key, STR("-initializer"), STR(""));
		bool there = false;
		for (size_t n = 0; n < data_count(jobs); n++)
			there = there || str_eq(step_of(jobs->u.list.at[n]), step);
		if (!there)
			diag_report(im->diags, TJ1106, initializer->u.map.at[i].key_at, "the runtime has no step '%.*s'", STR_ARG(step));
	}
	return jobset_check(&t->set.m, t->spec) && im->diags->errors + im->diags->muted_errors == errors;
}

/* ---- frameworks ---- */

static struct set_role *trains(struct train *t)
{
	const struct data *jobs = member(t->spec, "replicatedJobs");

	for (size_t i = 0; i < t->set.n; i++)
		if (str_is(step_of(jobs->u.list.at[i]), "trainer"))
			return &t->set.roles[i];
	return NULL;
}

static bool says_gpu(struct str resource)
{
	for (size_t i = 0; i + 3 <= resource.n; i++)
		if (!strncasecmp(resource.p + i, "gpu", 3))
			return true;
	return false;
}

static bool has_gpu(const struct data *amounts)
{
	for (size_t i = 0; i < data_count(amounts); i++)
		if (says_gpu(amounts->u.map.at[i].key))
			return true;
	return false;
}

/* One for each CPU, of a part of one too. */
static struct str by_cpu(struct train *t, const struct data *amounts)
{
	const struct data *cpu = member(amounts, "cpu");
	struct str text = cpu && cpu->kind == DATA_INT ? str_int(arena(t), cpu->u.integer) : member_text(amounts, "cpu");
	struct quantity q;
	int128 n = text.n && quantity_parse_full(text, &q) == QUANTITY_OK ? (q.nano + QUANTITY_UNIT - 1) / QUANTITY_UNIT : 0;

	return n < 1 ? STR("1") : str_int(arena(t), n < INT32_MAX ? (int64_t)n : INT32_MAX);
}

/*
 * "2" of `numProcPerNode: auto` with two CPUs and no device; empty: one for each device.  The controller looks at the
 * limits; only where it can do nothing with these, at the requests.
 */
static struct str processes(struct train *t, const struct data *policy)
{
	const struct data *n = member(t->trainer, "numProcPerNode"), *resources = member(t->trainer, "resourcesPerNode");
	static const char *const which[] = { "limits", "requests" };

	if (!n)
		n = member(policy, "numProcPerNode");
	if (n && n->kind == DATA_INT)
		return str_int(arena(t), n->u.integer);
	bool cpus = n && str_is(n->u.string, "cpu"), automatic = !n || str_is(n->u.string, "auto");
	for (size_t i = 0; i < 2; i++) {
		const struct data *of = member(resources, which[i]);
		if ((cpus && member(of, "cpu")) || (automatic && of && !has_gpu(of)))
			return by_cpu(t, of);
	}
	return cpus && resources ? STR("1") : STR("");
}

static void put(struct train *t, struct lines *to, const char *name, struct str code)
{
	lines_set(arena(t), to, str_of(name), expr_text(arena(t), code), t->set.m.at);
}

static struct lines *role_of(struct train *t, const struct set_role *r)
{
	if (!t->framework)
		t->framework = framework_new(&t->set, "What the runtime of the TrainJob sets.");
	return lines_block(arena(t), &t->framework->value->items, str_cat(arena(t), STR("role "), r->word, STR("")), r->place);
}

/* Is the number of processes that of the devices?  The framework of the library knows no other one beside devices. */
static bool devices_are(struct train *t, const struct set_role *r, struct str processes)
{
	const struct data *containers = member(member(r->template, "spec"), "containers");

	for (size_t i = 0; i < data_count(containers) && processes.n; i++) {
		const struct data *limits = member(member(containers->u.list.at[i], "resources"), "limits");
		for (size_t k = 0; k < data_count(limits); k++) {
			const struct data_member *m = &limits->u.map.at[k];
			if (memchr(m->key.p, '/', m->key.n) && !str_eq(amount_literal(arena(t), m->value, false), processes))
				return false;
		}
	}
	return true;
}

/* The framework of the library when there is nothing but the nodes, else the same variables in a declaration. */
static struct expr *torch(struct train *t, const struct data *policy)
{
	struct arena *a = arena(t);
	struct set_role *r = trains(t);
	struct str n = processes(t, policy);
	struct expr *call = expr_call(a, STR("pytorch.torchrun"));

	if (!r)
		return NULL;
	if (t->set.n == 1 && devices_are(t, r, n)) {
		r->word = STR("worker");
		for (size_t i = 0; i < t->set.job->hosts.n; i++)
			((struct host_name *)t->set.job->hosts.entries[i].value)->word = r->word;
		job_use(t->set.m.im, t->set.job, STR("pytorch"));
		if (n.n)
			lines_set(a, &call->items, STR("nproc"), expr_text(a, n), t->set.m.at);
		return call;
	}
	struct lines *env = lines_block(a, role_of(t, r), STR("env"), r->place);
	put(t, env, "PET_NNODES", str_cat(a, r->word, STR(".replicas"), STR("")));
	put(t, env, "PET_NPROC_PER_NODE", n.n ? n : str_cat(a, STR("max("), r->word, STR(".devices, 1)")));
	put(t, env, "PET_NODE_RANK", STR("pod.index"));
	put(t, env, "PET_MASTER_ADDR", str_cat(a, r->word, STR(".host(0)"), STR("")));
	put(t, env, "PET_MASTER_PORT", STR("29500"));
	return NULL;
}

/* What JAX reads about the other processes. */
static void jax(struct train *t)
{
	struct arena *a = arena(t);
	struct set_role *r = trains(t);

	if (!r)
		return;
	struct lines *env = lines_block(a, role_of(t, r), STR("env"), r->place);
	put(t, env, "JAX_NUM_PROCESSES", str_cat(a, r->word, STR(".replicas"), STR("")));
	put(t, env, "JAX_PROCESS_ID", STR("pod.index"));
	put(t, env, "JAX_COORDINATOR_ADDRESS", str_printf(a, "\"${%.*s.host(0)}:29500\"", STR_ARG(r->word)));
}

/* What XGBoost's collective reads; its workers are one for each device, or one. */
static void xgboost(struct train *t)
{
	struct arena *a = arena(t);
	struct set_role *r = trains(t);

	if (!r)
		return;
	struct lines *env = lines_block(a, role_of(t, r), STR("env"), r->place);
	put(t, env, "DMLC_TRACKER_URI", str_cat(a, r->word, STR(".host(0)"), STR("")));
	put(t, env, "DMLC_TRACKER_PORT", STR("29500"));
	put(t, env, "DMLC_TASK_ID", STR("pod.index"));
	put(t, env, "DMLC_NUM_WORKER", str_printf(a, "%.*s.replicas * max(%.*s.devices, 1)", STR_ARG(r->word), STR_ARG(r->word)));
}

/* Processes of a node: one says as many as it has devices. */
static int64_t mpi_slots(struct train *t, const struct data *policy)
{
	const struct data *n = member(t->trainer, "numProcPerNode"), *resources = member(t->trainer, "resourcesPerNode");
	int64_t slots = n && n->kind == DATA_INT ? n->u.integer : member_int(policy, "numProcPerNode", 1);
	static const char *const which[] = { "limits", "requests" };

	for (size_t i = 0; !n && slots == 1 && i < 2; i++) {
		const struct data *of = member(resources, which[i]);
		for (size_t k = 0; k < data_count(of); k++)
			if (says_gpu(of->u.map.at[k].key) && of->u.map.at[k].value->kind == DATA_INT && of->u.map.at[k].value->u.integer > 1)
				return of->u.map.at[k].value->u.integer;
	}
	return slots;
}

static void mpi(struct train *t, const struct data *policy)
{
	struct arena *a = arena(t);
	struct set_role *launcher = set_find(&t->set, STR("launcher")), *node = set_find(&t->set, STR("node"));
	const struct data *path = member(policy, "sshAuthMountPath");
	int64_t slots = mpi_slots(t, policy);

	if (!launcher)
		return;
	struct lines *role = role_of(t, launcher), *files = lines_block(a, role, STR("files"), launcher->place), *env = lines_block(a, role, STR("env"), launcher->place);
	struct str hosts = node ? str_cat(a, node->word, STR(".hosts"), STR("")) : STR("[]");
	if (member_bool(policy, "runLauncherAsNode", false))
		hosts = node ? str_printf(a, "flatten([%.*s.hosts, %.*s])", STR_ARG(launcher->word), STR_ARG(hosts)) : str_cat(a, launcher->word, STR(".hosts"), STR(""));
	lines_set(a, files, STR("\"/etc/mpi/hostfile\""), expr_text(a, str_printf(a, "lines([\"${h} slots=%lld\" for h in %.*s])", (long long)slots, STR_ARG(hosts))),
		launcher->place);
	lines_set(a, env, STR("OMPI_MCA_orte_default_hostfile"), expr_string(a, STR("/etc/mpi/hostfile")), launcher->place);
	lines_set(a, env, STR("OMPI_MCA_orte_keep_fqdn_hostnames"), expr_string(a, STR("true")), launcher->place);
	lines_set(a, env, STR("OMPI_MCA_orte_set_default_slots"), expr_int(a, slots), launcher->place);
	lines_set(a, env, STR("OMPI_MCA_plm_rsh_args"), expr_string(a, STR("-o ConnectionAttempts=10")), launcher->place);
	lines_set(a, lines_block(a, &t->framework->value->items, STR("mounts"), launcher->place),
		key_text(a, path && path->u.string.n ? path->u.string : STR("/root/.ssh")), expr_text(a, STR("generated(\"ssh-keypair\")")), launcher->place);
}

/* ---- the job ---- */

static void pairs(struct train *t, const struct data *of, const char *key)
{
	struct arena *a = arena(t);
	const struct data *map = member(of, key);

	for (size_t i = 0; i < data_count(map); i++) {
		const struct data_member *m = &map->u.map.at[i];
		struct lines *to = lines_block(a, t->set.body, str_of(key), m->key_at);
		struct str name = key_text(a, m->key);
		if (!lines_find(to, name))
			import_comments(t->set.m.im, lines_set(a, to, name, expr_string(a, m->value->u.string), m->key_at), member_span(m));
	}
}

static void gang_fields(struct train *t, const struct data_member *plugin)
{
	struct import *im = t->set.m.im;
	struct line *line = lines_set(im->arena, t->set.body, STR("gang"), expr_string(im->arena, plugin->key), plugin->key_at);

	for (size_t i = 0; i < data_count(plugin->value); i++)
		import_left_out(im, plugin->value->u.map.at[i].key_at, plugin->value->u.map.at[i].key, "the program has no words for it");
	import_comments(im, line, member_span(plugin));
}

static void job_fields(struct train *t, const struct runtime *r)
{
	struct import *im = t->set.m.im;
	const struct data *spec = t->set.m.spec, *metadata = member(member(r->spec, "template"), "metadata"), *gang = member(r->spec, "podGroupPolicy");

	pairs(t, spec, "labels");
	pairs(t, spec, "annotations");
	pairs(t, metadata, "labels");
	pairs(t, metadata, "annotations");
	if (gang && gang->u.map.n)
		gang_fields(t, &gang->u.map.at[0]);
	job_seconds(im, t->set.body, "timeout", spec, "activeDeadlineSeconds");
	if (member(t->policy, "flux"))
		import_left_out(im, member_at(t->policy, "flux"), STR("flux"), "the controller puts a program of its own in front of the command; start the processes by std.mpi");
	if (member(spec, "managedBy"))
		import_left_out(im, member_at(spec, "managedBy"), STR("managedBy"), "a program is run by whoever applies it");
	if (member(member(t->policy, "torch"), "elasticPolicy"))
		import_left_out(im, member_at(member(t->policy, "torch"), "elasticPolicy"), STR("elasticPolicy"), "the controller does not look at it");
	jobset_fields(&t->set, t->spec);
}

/* Comments of the runtime are the job's as well. */
static void join_comments(struct import *im, const struct runtime *r)
{
	struct comments all = { ARENA_ARRAY(im->arena, struct comment, im->comments.n + r->comments.n), im->comments.n + r->comments.n };
	const struct comments *first = &r->comments, *last = &im->comments;

	if (!r->comments.n)
		return;
	if (im->comments.n && im->comments.at[0].anchor.start < r->comments.at[0].anchor.start) {
		first = &im->comments;
		last = &r->comments;
	}
	memcpy(all.at, first->at, first->n * sizeof *all.at);
	if (last->n)
		memcpy(all.at + first->n, last->at, last->n * sizeof *all.at);
	im->comments = all;
}

static bool write(struct train *t, const struct runtime *r)
{
	struct set *s = &t->set;
	struct import *im = s->m.im;
	const struct data *of_torch = member(t->policy, "torch"), *of_mpi = member(t->policy, "mpi");
	struct expr *call = NULL;

	jobset_roles(s, t->spec);
	if (of_torch)
		call = torch(t, of_torch);
	else if (of_mpi)
		mpi(t, of_mpi);
	else if (member(t->policy, "jax"))
		jax(t);
	else if (member(t->policy, "xgboost"))
		xgboost(t);
	s->body = job_new(&s->m, s->job, call);
	job_fields(t, r);
	struct str success = jobset_success(s, t->spec);
	struct lines *to = t->framework ? &t->framework->value->items : s->body;
	if (success.n)
		lines_set(im->arena, to, STR("success"), expr_text(im->arena, success), s->m.at);
	if (!jobset_bodies(s, t->spec))
		return false;
	if (t->framework)
		s->job->job->key = str_cat(im->arena, s->job->job->key, STR(": "), framework_done(s, t->framework, "trainer"));
	set_finish(s);
	if (im->comments.n)             /* those of the runtime that nobody took; set_finish() looks at the TrainJob's */
		comments_settle(im->arena, &im->comments, r->whole, s->job->job);
	return true;
}

static bool read(struct import *im, const struct import_kind *k, const struct data *object, struct imported *job)
{
	struct train t = { .set.job = job };
	size_t errors = im->diags->errors;

	if (!manifest_open(im, k, object, "trainer.kubeflow.org.v1alpha1.TrainJob", false, &t.set.m) || im->diags->errors != errors)
		return false;
	struct runtime *r = find_runtime(im, &t.set.m);
	if (!r)
		return false;
	r->used = true;
	t.trainer = member(t.set.m.spec, "trainer");
	t.policy = member(r->spec, "mlPolicy");
	complete_all(&t, r);
	if (!check(&t))
		return false;
	join_comments(im, r);
	return write(&t, r);
}

const struct import_kind trainer_kinds[] = {
	{ "TrainJob", "trainer.kubeflow.org/v1alpha1", read, true },
	{ "TrainingRuntime", "trainer.kubeflow.org/v1alpha1", read_runtime, false },
	{ "ClusterTrainingRuntime", "trainer.kubeflow.org/v1alpha1", read_runtime, false }, { 0 }
};
