/*
 * import_trainer.c - reads TrainJobs of trainer.kubeflow.org/v1alpha1 with the runtime that they refer to. The
 * runtime's JobSet is completed (trainer_runtime.c) and then read like any other; the variables that its policy sets in
 * the pods become a framework.
 */
#include "import/import_tree.h"
#include "import/trainer_runtime.h"

#include <strings.h>

#include "base/quantity.h"

/* ---- frameworks ---- */

static struct set_role *trains(struct train *t)
{
	const struct data *jobs = member(t->spec, "replicatedJobs");

	for (size_t i = 0; i < t->set.n; i++)
		if (str_is(trainer_step(jobs->u.list.at[i]), "trainer"))
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

/* The number of processes that CPUs give: one for each CPU, where a fraction counts as a whole one. */
static struct str by_cpu(struct train *t, const struct data *amounts)
{
	const struct data *cpu = member(amounts, "cpu");
	struct str text = cpu && cpu->kind == DATA_INT ? str_int(train_arena(t), cpu->u.integer)
		: member_text(amounts, "cpu");
	struct quantity q;
	int128 n = text.n && quantity_parse_full(text, &q) == QUANTITY_OK ? (q.nano + QUANTITY_UNIT - 1) / QUANTITY_UNIT
		: 0;

	return n < 1 ? STR("1") : str_int(train_arena(t), n < INT32_MAX ? (int64_t)n : INT32_MAX);
}

/*
 * Returns the number of processes for `numProcPerNode: auto`, such as "2" for two CPUs and no device; an empty text
 * stands for one process per device. The controller reads the limits, and the requests only if the container has no
 * limits.
 */
static struct str processes(struct train *t, const struct data *policy)
{
	const struct data *n = member(t->trainer, "numProcPerNode"),
		*resources = member(t->trainer, "resourcesPerNode");
	static const char *const which[] = { "limits", "requests" };

	if (!n)
		n = member(policy, "numProcPerNode");
	if (n && n->kind == DATA_INT)
		return str_int(train_arena(t), n->u.integer);
	bool cpus = n && str_is(n->u.string, "cpu"), automatic = !n || str_is(n->u.string, "auto");
	for (size_t i = 0; i < 2; i++) {
		const struct data *of = member(resources, which[i]);
		if ((cpus && member(of, "cpu")) || (automatic && of && !has_gpu(of)))
			return by_cpu(t, of);
	}
	return cpus && resources ? STR("1") : STR("");
}

static void put_train_field(struct train *t, struct lines *to, const char *name, struct str code)
{
	lines_set(train_arena(t), to, str_of(name), expr_text(train_arena(t), code), t->set.m.at);
}

static struct lines *train_role(struct train *t, const struct set_role *r)
{
	if (!t->framework)
		t->framework = framework_new(&t->set, "What the runtime of the TrainJob sets.");
	return lines_block(train_arena(t), &t->framework->value->items,
		str_cat(train_arena(t), STR("role "), r->word, STR("")), r->place);
}

/* Is PROCESSES the number of devices? In pods with devices, the library's framework supports no other number. */
static bool devices_are(struct train *t, const struct set_role *r, struct str processes)
{
	const struct data *containers = member(member(r->template, "spec"), "containers");

	for (size_t i = 0; i < data_count(containers) && processes.n; i++) {
		const struct data *limits = member(member(containers->u.list.at[i], "resources"), "limits");
		for (size_t k = 0; k < data_count(limits); k++) {
			const struct data_member *m = &limits->u.map.at[k];
			if (memchr(m->key.p, '/', m->key.n) &&
			    !str_eq(amount_literal(train_arena(t), m->value, false), processes))
				return false;
		}
	}
	return true;
}

/*
 * Calls the library's framework when only the number of nodes is set; otherwise declares one with the same variables.
 */
static struct expr *torch(struct train *t, const struct data *policy)
{
	struct arena *a = train_arena(t);
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
		t->set.no_shm = true;
		if (n.n)
			lines_set(a, &call->items, STR("nproc"), expr_text(a, n), t->set.m.at);
		return call;
	}
	struct lines *env = lines_block(a, train_role(t, r), STR("env"), r->place);
	put_train_field(t, env, "PET_NNODES", str_cat(a, r->word, STR(".replicas"), STR("")));
	put_train_field(t, env, "PET_NPROC_PER_NODE", n.n ? n : str_cat(a, STR("max("), r->word, STR(".devices, 1)")));
	put_train_field(t, env, "PET_NODE_RANK", STR("pod.index"));
	put_train_field(t, env, "PET_MASTER_ADDR", str_cat(a, r->word, STR(".host(0)"), STR("")));
	put_train_field(t, env, "PET_MASTER_PORT", STR("29500"));
	return NULL;
}

/* Declares the variables by which JAX finds the other processes. */
static void jax(struct train *t)
{
	struct arena *a = train_arena(t);
	struct set_role *r = trains(t);

	if (!r)
		return;
	struct lines *env = lines_block(a, train_role(t, r), STR("env"), r->place);
	put_train_field(t, env, "JAX_NUM_PROCESSES", str_cat(a, r->word, STR(".replicas"), STR("")));
	put_train_field(t, env, "JAX_PROCESS_ID", STR("pod.index"));
	put_train_field(t, env, "JAX_COORDINATOR_ADDRESS",
		str_printf(a, "\"${%.*s.host(0)}:29500\"", STR_ARG(r->word)));
}

/*
 * Declares the variables of XGBoost's collective. A pod has a worker for each device, or a single one without
 * devices.
 */
static void xgboost(struct train *t)
{
	struct arena *a = train_arena(t);
	struct set_role *r = trains(t);

	if (!r)
		return;
	struct lines *env = lines_block(a, train_role(t, r), STR("env"), r->place);
	put_train_field(t, env, "DMLC_TRACKER_URI", str_cat(a, r->word, STR(".host(0)"), STR("")));
	put_train_field(t, env, "DMLC_TRACKER_PORT", STR("29500"));
	put_train_field(t, env, "DMLC_TASK_ID", STR("pod.index"));
	put_train_field(t, env, "DMLC_NUM_WORKER",
		str_printf(a, "%.*s.replicas * max(%.*s.devices, 1)", STR_ARG(r->word), STR_ARG(r->word)));
}

/* Returns the number of processes per node. In pods with devices, 1 stands for one process per device. */
static int64_t mpi_slots(struct train *t, const struct data *policy)
{
	const struct data *n = member(t->trainer, "numProcPerNode"),
		*resources = member(t->trainer, "resourcesPerNode");
	int64_t slots = n && n->kind == DATA_INT ? n->u.integer : member_int(policy, "numProcPerNode", 1);
	static const char *const which[] = { "limits", "requests" };

	for (size_t i = 0; !n && slots == 1 && i < 2; i++) {
		const struct data *of = member(resources, which[i]);
		for (size_t k = 0; k < data_count(of); k++)
			if (says_gpu(of->u.map.at[k].key) && of->u.map.at[k].value->kind == DATA_INT &&
			    of->u.map.at[k].value->u.integer > 1)
				return of->u.map.at[k].value->u.integer;
	}
	return slots;
}

static void mpi(struct train *t, const struct data *policy)
{
	struct arena *a = train_arena(t);
	struct set_role *launcher = set_find(&t->set, STR("launcher")), *node = set_find(&t->set, STR("node"));
	const struct data *path = member(policy, "sshAuthMountPath");
	int64_t slots = mpi_slots(t, policy);

	if (!launcher)
		return;
	struct lines *role = train_role(t, launcher), *files = lines_block(a, role, STR("files"), launcher->place),
		*env = lines_block(a, role, STR("env"), launcher->place);
	struct str hosts = node ? str_cat(a, node->word, STR(".hosts"), STR("")) : STR("[]");
	if (member_bool(policy, "runLauncherAsNode", false))
		hosts = node ? str_printf(a, "flatten([%.*s.hosts, %.*s])", STR_ARG(launcher->word), STR_ARG(hosts))
			: str_cat(a, launcher->word, STR(".hosts"), STR(""));
	lines_set(a, files, STR("\"/etc/mpi/hostfile\""), expr_text(a,
		str_printf(a, "lines([\"${h} slots=%lld\" for h in %.*s])", (long long)slots, STR_ARG(hosts))),
		launcher->place);
	lines_set(a, env, STR("OMPI_MCA_orte_default_hostfile"), expr_string(a, STR("/etc/mpi/hostfile")),
		launcher->place);
	lines_set(a, env, STR("OMPI_MCA_orte_keep_fqdn_hostnames"), expr_string(a, STR("true")), launcher->place);
	lines_set(a, env, STR("OMPI_MCA_orte_set_default_slots"), expr_int(a, slots), launcher->place);
	lines_set(a, env, STR("OMPI_MCA_plm_rsh_args"), expr_string(a, STR("-o ConnectionAttempts=10")),
		launcher->place);
	lines_set(a, lines_block(a, &t->framework->value->items, STR("mounts"), launcher->place),
		key_text(a, path && path->u.string.n ? path->u.string : STR("/root/.ssh")),
		expr_text(a, STR("generated(\"ssh-keypair\")")), launcher->place);
}

/* ---- the job ---- */

static void read_train_pairs(struct train *t, const struct data *of, const char *key)
{
	struct arena *a = train_arena(t);
	const struct data *map = member(of, key);

	for (size_t i = 0; i < data_count(map); i++) {
		const struct data_member *m = &map->u.map.at[i];
		if (!job_keeps_pair(t->set.m.im, m, str_is(member_text(map, "app.kubernetes.io/managed-by"), "trainc")))
			continue;
		struct lines *to = lines_block(a, t->set.body, str_of(key), m->key_at);
		struct str name = key_text(a, m->key);
		if (!lines_find(to, name))
			import_comments(t->set.m.im,
				lines_set(a, to, name, expr_string(a, m->value->u.string), m->key_at), member_span(m));
	}
}

static void gang_fields(struct train *t, const struct data_member *plugin)
{
	struct import *im = t->set.m.im;
	struct line *line = lines_set(im->arena, t->set.body, STR("gang"), expr_string(im->arena, plugin->key),
		plugin->key_at);

	for (size_t i = 0; i < data_count(plugin->value); i++)
		import_left_out(im, plugin->value->u.map.at[i].key_at, plugin->value->u.map.at[i].key,
			"a program cannot express it");
	import_comments(im, line, member_span(plugin));
}

static void read_train_fields(struct train *t, const struct runtime *r)
{
	struct import *im = t->set.m.im;
	const struct data *spec = t->set.m.spec, *metadata = member(member(r->spec, "template"), "metadata"),
		*gang = member(r->spec, "podGroupPolicy");

	read_train_pairs(t, spec, "labels");
	read_train_pairs(t, spec, "annotations");
	read_train_pairs(t, metadata, "labels");
	read_train_pairs(t, metadata, "annotations");
	if (gang && gang->u.map.n)
		gang_fields(t, &gang->u.map.at[0]);
	job_seconds(im, t->set.body, "timeout", spec, "activeDeadlineSeconds");
	if (member(t->policy, "flux"))
		import_left_out(im, member_at(t->policy, "flux"), STR("flux"),
			"the controller puts a program of its own in front of the command; start the processes by "
			"std.mpi");
	if (member(spec, "managedBy"))
		import_left_out(im, member_at(spec, "managedBy"), STR("managedBy"),
			"no other controller runs the objects of a program");
	if (member(member(t->policy, "torch"), "elasticPolicy"))
		import_left_out(im, member_at(member(t->policy, "torch"), "elasticPolicy"), STR("elasticPolicy"),
			"the controller ignores it");
	jobset_fields(&t->set, t->spec);
}

/* Adds the comments of the runtime to those of the job. */
static void join_comments(struct import *im, const struct runtime *r)
{
	struct comments all = { .n = im->comments.n + r->comments.n };

	all.at = ARENA_ARRAY(im->arena, struct import_comment, all.n);
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

static bool write_train(struct train *t, const struct runtime *r)
{
	struct set *s = &t->set;
	struct import *im = s->m.im;
	const struct data *of_torch = member(t->policy, "torch"), *of_mpi = member(t->policy, "mpi");
	struct expr *call = NULL;

	s->job->target = "jobset";
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
	read_train_fields(t, r);
	struct str success = jobset_success(s, t->spec);
	struct lines *to = t->framework ? &t->framework->value->items : s->body;
	if (success.n)
		lines_set(im->arena, to, STR("success"), expr_text(im->arena, success), s->m.at);
	if (!jobset_bodies(s, t->spec))
		return false;
	if (t->framework)
		s->job->job->key = str_cat(im->arena, s->job->job->key, STR(": "),
			framework_done(s, t->framework, "trainer"));
	set_finish(s);
	/* comments of the runtime that no line took; set_finish() handles the comments of the TrainJob */
	if (im->comments.n)
		comments_settle(im->arena, &im->comments, r->whole, s->job->job);
	return true;
}

static bool read_train(struct import *im, const struct import_kind *k, const struct data *object, struct imported *job)
{
	struct train t = { .set.job = job };
	size_t errors = im->diags->errors;

	if (!manifest_open(im, k, object, "trainer.kubeflow.org.v1alpha1.TrainJob", false, &t.set.m) ||
	    im->diags->errors != errors)
		return false;
	struct runtime *r = trainer_find_runtime(im, &t.set.m);
	if (!r)
		return false;
	r->used = true;
	t.trainer = member(t.set.m.spec, "trainer");
	t.policy = member(r->spec, "mlPolicy");
	trainer_complete(&t, r);
	if (!trainer_check(&t))
		return false;
	join_comments(im, r);
	return write_train(&t, r);
}

const struct import_kind trainer_kinds[] = {
	{ "TrainJob", "trainer.kubeflow.org/v1alpha1", read_train, true, IMPORT_JOB },
	{ "TrainingRuntime", "trainer.kubeflow.org/v1alpha1", trainer_read_runtime, false, IMPORT_BESIDE },
	{ "ClusterTrainingRuntime", "trainer.kubeflow.org/v1alpha1", trainer_read_runtime, false, IMPORT_BESIDE },
	{ 0 }
};
