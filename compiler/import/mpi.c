/*
 * mpi.c - reads MPIJobs of kubeflow.org/v2beta1: a launcher that reaches its workers by ssh. The library's framework
 * mpi.operator sets in the pods what the operator of MPIJobs sets; its arguments correspond to fields of the MPIJob.
 */
#include "import/import_set.h"
#include "import/import_tree.h"

#include "kube/limits.h"

#define INDEX_LABEL "metadata.labels['training.kubeflow.org/replica-index']"
#define ROOT_PATH "/root/.ssh"

struct implementation {
	const char *word;               /* name of the implementation in the manifest; the first row is the default */
	const char *argument;           /* argument of the framework */
};

static const struct implementation implementations[] = { { "OpenMPI", "openmpi" }, { "Intel", "intel" },
	{ "MPICH", "mpich" } };

struct mpi {
	struct set set;
	const struct data *policy;      /* runPolicy, or NULL */
	const struct implementation *with;
	const struct data *launcher, *worker;   /* specs of the two roles; worker may be NULL */
};

static struct arena *mpi_arena(const struct mpi *j) { return j->set.m.im->arena; }
static struct diags *mpi_diags(const struct mpi *j) { return j->set.m.im->diags; }

/* ---- checks of the operator ---- */

static void help_words(struct mpi *j, const struct data *d, const char *what, const char *words)
{
	diag_help(mpi_diags(j), diag_report(mpi_diags(j), TJ1108, d->from, "'%.*s' is not a valid %s",
		STR_ARG(d->u.string), what), "use %s", words);
}

static void check_restart(struct mpi *j, const struct data *role)
{
	const struct data *d = member(role, "restartPolicy");

	if (d && d->u.string.n && !str_is(d->u.string, "Never") && !str_is(d->u.string, "OnFailure"))
		help_words(j, d, "restart policy of an MPIJob", "Never or OnFailure");
}

static void check_roles(struct mpi *j)
{
	const struct data *roles = member(j->set.m.spec, "mpiReplicaSpecs"), *one = member(j->launcher, "replicas"),
		*n = member(j->worker, "replicas");

	if (!roles && import_misspelt_roles(&j->set.m))
		return;
	if (!j->launcher) {
		struct diag *d = diag_report(mpi_diags(j), TJ1106, roles ? roles->from : j->set.m.at,
			"an MPIJob needs the role 'Launcher'");
		diag_help(mpi_diags(j), d, "it runs mpirun, which starts processes on the workers");
	}
	if (one && one->u.integer != 1)
		diag_report(mpi_diags(j), TJ1106, one->from, "an MPIJob has one launcher, not %lld",
			(long long)one->u.integer);
	if (j->worker && !n)
		diag_report(mpi_diags(j), TJ1106, j->worker->from,
			"'Worker' needs 'replicas': without the field the operator makes none");
	if (n && n->u.integer < 1)
		diag_report(mpi_diags(j), TJ1106, n->from, "'Worker' cannot have %lld replicas",
			(long long)n->u.integer);
	for (size_t i = 0; i < data_count(roles); i++) {
		const struct data_member *m = &roles->u.map.at[i];
		if (!str_is(m->key, "Launcher") && !str_is(m->key, "Worker"))
			import_left_out(j->set.m.im, m->key_at, m->key, "an MPIJob has the roles Launcher and Worker");
	}
	check_restart(j, j->launcher);
	check_restart(j, j->worker);
}

/* Checks the name of the job: its longest pod name must be valid as a host name. */
static void check_name(struct mpi *j)
{
	int64_t n = member_int(j->worker, "replicas", 1);
	struct str last = str_printf(mpi_arena(j), "%.*s-worker-%lld", STR_ARG(j->set.m.name),
		(long long)(n > 0 ? n - 1 : 0));
	bool ok = kube_dns_label(last) && last.n <= LIMIT_LABEL && !(last.p[0] >= '0' && last.p[0] <= '9');

	if (ok)
		return;
	struct diag *d = diag_report(mpi_diags(j), TJ1105, j->set.m.name_at, "'%.*s' cannot be the name of an MPIJob",
		STR_ARG(j->set.m.name));
	diag_help(mpi_diags(j), d,
		"pods are named like '%.*s': at most 63 lower case letters, digits and '-', beginning with a letter",
		STR_ARG(last));
}

static bool check_mpi(struct mpi *j)
{
	static const char *const clean[] = { "", "None", "Running", "All" };
	const struct data *spec = j->set.m.spec, *implementation = member(spec, "mpiImplementation"),
		*policy = member(j->policy, "cleanPodPolicy");
	const struct data *slots = member(spec, "slotsPerWorker");
	size_t errors = mpi_diags(j)->errors + mpi_diags(j)->muted_errors;
	bool known = !policy;

	check_name(j);
	check_roles(j);
	if (!j->with)
		help_words(j, implementation, "MPI implementation", "OpenMPI, Intel or MPICH");
	for (size_t i = 0; policy && i < sizeof clean / sizeof *clean; i++)
		known = known || str_is(policy->u.string, clean[i]);
	if (!known)
		help_words(j, policy, "policy for pods at the end", "None, Running or All");
	if (slots && slots->u.integer < 0)
		diag_report(mpi_diags(j), TJ1108, slots->from, "a worker cannot have %lld slots",
			(long long)slots->u.integer);
	return mpi_diags(j)->errors + mpi_diags(j)->muted_errors == errors;
}

/* ---- the framework ---- */

static const struct data *first_container(const struct data *role)
{
	const struct data *list = member(member(member(role, "template"), "spec"), "containers");

	return data_count(list) ? list->u.list.at[0] : NULL;
}

static void mpi_argument(struct mpi *j, struct expr *call, const char *name, struct expr *value, const char *key)
{
	const struct data *d = member(j->set.m.spec, key);
	struct line *line = lines_set(mpi_arena(j), &call->items, str_of(name), value, member_at(j->set.m.spec, key));

	if (d && d->kind != DATA_MAP)
		import_comments(j->set.m.im, line, span_join(line->from, d->from));
}

/*
 * Sets the argument for ssh keys. The job generates keys for root; for other users the image determines where the
 * keys are.
 */
static void keys_argument(struct mpi *j, struct expr *call)
{
	struct str path = member_text(j->set.m.spec, "sshAuthMountPath"),
		name = str_cat(mpi_arena(j), j->set.m.name, STR("-ssh"), STR(""));

	if (!path.n || str_is(path, ROOT_PATH))
		return;
	mpi_argument(j, call, "ssh_path", expr_string(mpi_arena(j), path), "sshAuthMountPath");
	mpi_argument(j, call, "ssh_secret", expr_string(mpi_arena(j), name), "sshAuthMountPath");
	struct diag *d = diag_report(mpi_diags(j), TJ1124, member(j->set.m.spec, "sshAuthMountPath")->from,
		"the program takes the keys in '%.*s' from the Secret '%.*s'", STR_ARG(path), STR_ARG(name));
	diag_help(mpi_diags(j), d, "the operator creates it for each job; create it once yourself: "
		"ssh-keygen -N '' -f id_rsa, then "
		"kubectl create secret generic %.*s "
		"--from-file=id_rsa --from-file=id_rsa.pub --from-file=authorized_keys=id_rsa.pub", STR_ARG(name));
}

/* Makes the call of the library's framework, with the arguments that differ from its defaults. */
static struct expr *mpi_framework(struct mpi *j)
{
	struct arena *a = mpi_arena(j);
	struct expr *call = expr_call(a, STR("mpi.operator"));
	const struct data *server = first_container(j->worker);
	int64_t slots = member_int(j->set.m.spec, "slotsPerWorker", 1);

	job_use(j->set.m.im, j->set.job, STR("mpi"));
	if (j->with != implementations)
		mpi_argument(j, call, "implementation", expr_string(a, str_of(j->with->argument)), "mpiImplementation");
	if (slots != 1)
		mpi_argument(j, call, "slots", expr_int(a, slots), "slotsPerWorker");
	if (member_bool(j->set.m.spec, "runLauncherAsWorker", false))
		mpi_argument(j, call, "launcher_works", expr_text(a, STR("true")), "runLauncherAsWorker");
	if (str_is(member_text(j->set.m.spec, "launcherCreationPolicy"), "WaitForWorkersReady"))
		mpi_argument(j, call, "wait", expr_text(a, STR("true")), "launcherCreationPolicy");
	if (!data_count(member(server, "command")) && data_count(member(server, "args")))
		mpi_argument(j, call, "own_server", expr_text(a, STR("true")), "mpiReplicaSpecs");
	keys_argument(j, call);
	return call;
}

/* ---- the job ---- */

/*
 * Makes the pod template. The restart policy of the replica counts, not the one in its template; USUAL is the
 * default.
 */
static const struct data *mpi_template(struct mpi *j, const struct data *role, const char *usual)
{
	struct arena *a = mpi_arena(j);
	const struct data *template = member(role, "template"), *pod = member(template, "spec"),
		*policy = member(role, "restartPolicy");
	/* the end of the role, so that a default does not take comments of the author */
	struct span at = { role->from.end, role->from.end };

	if (!policy || !policy->u.string.n)
		policy = tree_text(a, str_of(usual), at);
	else
		at = member_at(role, "restartPolicy");
	if (member(pod, "restartPolicy"))
		import_left_out(j->set.m.im, member_at(pod, "restartPolicy"), STR("restartPolicy"),
			"the role's own restart policy counts");
	if (member_bool(pod, "hostNetwork", false))
		pod = tree_with(a, pod, "dnsPolicy", tree_text(a, STR("ClusterFirstWithHostNet"), pod->from),
			member_at(pod, "hostNetwork"));
	if (pod)
		template = tree_with(a, template, "spec",
			tree_with(a, pod, "restartPolicy", policy, at), pod->from);
	return template;
}

static void read_mpi_role(struct mpi *j, const char *name, const char *key, const struct data *role, const char *usual,
	int64_t n)
{
	struct set_role *r = &j->set.roles[j->set.n++];
	const struct data *roles = member(j->set.m.spec, "mpiReplicaSpecs"), *count = member(role, "replicas");

	*r = (struct set_role){ .name = str_of(name), .word = str_of(name), .template = mpi_template(j, role, usual),
		.place = span_join(member_at(roles, key), role->from),
		.count_at = count ? span_join(member_at(role, "replicas"), count->from) : role->from, .jobs = 1,
		.per = n, .kind = { .index = INDEX_LABEL } };
}

/* Labels of the operator that the framework also writes. */
static const struct pod_label labels[] = {
	{ "training.kubeflow.org/operator-name", LABEL_KEPT }, { "training.kubeflow.org/job-name", LABEL_KEPT },
	{ "training.kubeflow.org/job-role", LABEL_KEPT }, { NULL, LABEL_KEPT }
};

static void roles_of(struct mpi *j)
{
	struct set *s = &j->set;

	s->job->labels_of = labels;
	s->roles = ARENA_ARRAY(mpi_arena(j), struct set_role, 2);
	read_mpi_role(j, "launcher", "Launcher", j->launcher, "OnFailure", 1);
	if (!j->worker)
		return;
	read_mpi_role(j, "worker", "Worker", j->worker, "Never", member_int(j->worker, "replicas", 1));
	set_hosts(s, &s->roles[1], str_cat(mpi_arena(j), s->m.name, STR("-worker-"), STR("")), POD_PLAIN, s->m.name);
}

/*
 * Reads the number of attempts of the launcher. The launcher is a Job, so attempts are counted and default as in a
 * Job.
 */
static void attempts(struct mpi *j, struct set_role *r)
{
	const struct data *limit = member(j->policy, "backoffLimit"),
		*batch = tree_with(mpi_arena(j), NULL, "template", r->template, r->place);

	if (limit)
		batch = tree_with(mpi_arena(j), batch, "backoffLimit", limit, member_at(j->policy, "backoffLimit"));
	if (batch_read(j->set.m.im, batch, r->body))
		lines_drop(mpi_arena(j), r->line, STR("restart"));
}

/* Reads cleanPodPolicy. Without it, the framework and the operator both leave the workers as they are. */
static void read_clean_policy(struct mpi *j)
{
	const struct data *d = member(j->policy, "cleanPodPolicy");
	struct str word = !d ? STR("") : str_is(d->u.string, "All") ? STR("all") : str_is(d->u.string, "Running")
		? STR("running") : STR("");
	struct span at = member_at(j->policy, "cleanPodPolicy");

	if (word.n)
		import_comments(j->set.m.im,
			lines_set(mpi_arena(j), j->set.body, STR("clean"), expr_string(mpi_arena(j), word), at),
			span_join(at, d->from));
}

static void read_mpi_fields(struct mpi *j)
{
	struct import *im = j->set.m.im;

	job_seconds(im, j->set.body, "timeout", j->policy, "activeDeadlineSeconds");
	job_seconds(im, j->set.body, "ttl", j->policy, "ttlSecondsAfterFinished");
	read_clean_policy(j);
	job_suspend(im, j->set.body, j->policy);
	if (data_count(member(j->policy, "schedulingPolicy")))
		import_left_out(im, member_at(j->policy, "schedulingPolicy"), STR("schedulingPolicy"),
			"the operator has an option for the scheduler that starts pods together; in a program, "
			"'gang' of the job selects it");
	if (member(j->policy, "managedBy"))
		import_left_out(im, member_at(j->policy, "managedBy"), STR("managedBy"),
			"no other controller runs the objects of a program");
}

static bool write_mpi(struct mpi *j)
{
	struct set *s = &j->set;
	bool ok = true;

	roles_of(j);
	s->body = job_new(&s->m, s->job, mpi_framework(j));
	read_mpi_fields(j);
	for (size_t i = 0; i < s->n; i++)
		ok = set_role_open(s, &s->roles[i]) && ok;
	if (!ok)
		return false;
	attempts(j, &s->roles[0]);
	set_finish(s);
	return true;
}

static bool read_mpi(struct import *im, const struct import_kind *k, const struct data *object, struct imported *job)
{
	struct mpi j = { .set.job = job };
	size_t errors = im->diags->errors;

	if (!manifest_open(im, k, object, "kubeflow.org.v2beta1.MPIJob", false, &j.set.m) ||
	    im->diags->errors != errors)
		return false;
	const struct data *spec = j.set.m.spec, *roles = member(spec, "mpiReplicaSpecs");
	struct str implementation = member_text(spec, "mpiImplementation");

	for (size_t i = 0; i < sizeof implementations / sizeof *implementations; i++)
		if (str_is(implementation, implementations[i].word) || (!implementation.n && i == 0))
			j.with = &implementations[i];
	j.policy = member(spec, "runPolicy");
	j.launcher = member(roles, "Launcher");
	j.worker = member(roles, "Worker");
	return check_mpi(&j) && write_mpi(&j);
}

const struct import_kind mpi_kinds[] = { { "MPIJob", "kubeflow.org/v2beta1", read_mpi, false, IMPORT_JOB }, { 0 } };
