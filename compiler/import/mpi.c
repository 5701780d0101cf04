/*
 * mpi.c - MPIJobs of kubeflow.org/v2beta1: a launcher that reaches its workers by ssh.
 *
 * What their operator does is what the library's frameworks do, when root logs in
 * and workers only serve; everything else, such as a server with settings of its
 * own in the image, keeps the operator's variables in a declared framework.
 */
#include "import/set.h"
#include "import/tree.h"

#include "base/quantity.h"
#include "kube/limits.h"

#define INDEX_LABEL "metadata.labels['training.kubeflow.org/replica-index']"
#define ROOT_PATH "/root/.ssh"

struct implementation {
	const char *word;               /* in the manifest */
	const char *framework;          /* of the library */
	const char *line;               /* of the host file, of the host h */
	const char *hosts, *args, *slots;       /* variables; slots may be NULL */
	bool fqdn;
};

static const struct implementation implementations[] = {
	{ "OpenMPI", "openmpi", "${h} slots=%lld", "OMPI_MCA_orte_default_hostfile", "OMPI_MCA_plm_rsh_args", "OMPI_MCA_orte_set_default_slots", true },
	{ "Intel", "intel", "${h}:%lld", "I_MPI_HYDRA_HOST_FILE", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", "I_MPI_PERHOST", false },
	{ "MPICH", "mpich", "${h}:%lld", "HYDRA_HOST_FILE", "HYDRA_LAUNCH_EXTRA_ARGS", NULL, false },
};

struct mpi {
	struct set set;
	const struct data *policy;      /* runPolicy, or NULL */
	const struct implementation *with;
	const struct data *launcher, *worker;   /* their specs; worker may be NULL */
	struct str path;                /* of the keys */
	int64_t slots;
	struct line *framework;         /* declared, or NULL */
};

static struct arena *arena(const struct mpi *j) { return j->set.m.im->arena; }
static struct diags *ds(const struct mpi *j) { return j->set.m.im->diags; }

/* ---- what the operator refuses ---- */

static void help_words(struct mpi *j, const struct data *d, const char *what, const char *words)
{
	diag_help(ds(j), diag_report(ds(j), TJ1108, d->from, "'%.*s' is no %s", STR_ARG(d->u.string), what), "it is %s", words);
}

static void check_restart(struct mpi *j, const struct data *role)
{
	const struct data *d = member(role, "restartPolicy");

	if (d && d->u.string.n && !str_is(d->u.string, "Never") && !str_is(d->u.string, "OnFailure"))
		help_words(j, d, "restart policy of an MPIJob", "Never or OnFailure");
}

static void check_roles(struct mpi *j)
{
	const struct data *roles = member(j->set.m.spec, "mpiReplicaSpecs"), *one = member(j->launcher, "replicas"), *n = member(j->worker, "replicas");

	if (!j->launcher) {
		struct diag *d = diag_report(ds(j), TJ1106, roles ? roles->from : j->set.m.at, "an MPIJob needs the role 'Launcher'");
		diag_help(ds(j), d, "it runs mpirun, which starts processes on the workers");
	}
	if (one && one->u.integer != 1)
		diag_report(ds(j), TJ1106, one->from, "an MPIJob has one launcher, not %lld", (long long)one->u.integer);
	if (j->worker && !n)
		diag_report(ds(j), TJ1106, j->worker->from, "'Worker' needs 'replicas': without the field the operator makes none");
	if (n && n->u.integer < 1)
		diag_report(ds(j), TJ1106, n->from, "'Worker' cannot have %lld replicas", (long long)n->u.integer);
	for (size_t i = 0; i < data_count(roles); i++) {
		const struct data_member *m = &roles->u.map.at[i];
		if (!str_is(m->key, "Launcher") && !str_is(m->key, "Worker"))
			import_left_out(j->set.m.im, m->key_at, m->key, "an MPIJob has the roles Launcher and Worker");
	}
	check_restart(j, j->launcher);
	check_restart(j, j->worker);
}

/* The longest name of a pod is a host name. */
static void check_name(struct mpi *j)
{
	int64_t n = member_int(j->worker, "replicas", 1);
	struct str last = str_printf(arena(j), "%.*s-worker-%lld", STR_ARG(j->set.m.name), (long long)(n > 0 ? n - 1 : 0));
	bool ok = kube_dns_label(last) && last.n <= LIMIT_LABEL && !(last.p[0] >= '0' && last.p[0] <= '9');

	if (ok)
		return;
	struct diag *d = diag_report(ds(j), TJ1105, j->set.m.name_at, "'%.*s' cannot be the name of an MPIJob", STR_ARG(j->set.m.name));
	diag_help(ds(j), d, "pods are named like '%.*s': at most 63 lower case letters, digits and '-', beginning with a letter", STR_ARG(last));
}

static bool check(struct mpi *j)
{
	static const char *const clean[] = { "", "None", "Running", "All" };
	const struct data *spec = j->set.m.spec, *implementation = member(spec, "mpiImplementation"), *policy = member(j->policy, "cleanPodPolicy");
	const struct data *slots = member(spec, "slotsPerWorker");
	size_t errors = ds(j)->errors + ds(j)->muted_errors;
	bool known = !policy;

	check_name(j);
	check_roles(j);
	if (!j->with)
		help_words(j, implementation, "implementation of MPI that the operator knows", "OpenMPI, Intel or MPICH");
	for (size_t i = 0; policy && i < sizeof clean / sizeof *clean; i++)
		known = known || str_is(policy->u.string, clean[i]);
	if (!known)
		help_words(j, policy, "policy for pods at the end", "None, Running or All");
	if (slots && slots->u.integer < 0)
		diag_report(ds(j), TJ1108, slots->from, "a worker cannot have %lld slots", (long long)slots->u.integer);
	return ds(j)->errors + ds(j)->muted_errors == errors;
}

/* ---- which framework ---- */

static const struct data *first_container(const struct data *role)
{
	const struct data *list = member(member(member(role, "template"), "spec"), "containers");

	return data_count(list) ? list->u.list.at[0] : NULL;
}

static bool has_texts(const struct data *container) { return data_count(member(container, "command")) || data_count(member(container, "args")); }

/* Devices of a worker; 0 without. */
static int64_t devices(const struct mpi *j)
{
	const struct data *limits = member(member(first_container(j->worker), "resources"), "limits");

	for (size_t i = 0; i < data_count(limits); i++) {
		const struct data_member *m = &limits->u.map.at[i];
		struct quantity q;
		if (memchr(m->key.p, '/', m->key.n) && m->value->kind == DATA_INT)
			return m->value->u.integer;
		if (memchr(m->key.p, '/', m->key.n) && m->value->kind == DATA_STRING && quantity_parse_full(m->value->u.string, &q) == QUANTITY_OK)
			return (int64_t)(q.nano / QUANTITY_UNIT);
	}
	return 0;
}

/* Root's keys, servers that only serve, one slot for each device where there are devices. */
static bool is_usual(const struct mpi *j)
{
	int64_t n = devices(j);

	return j->worker && str_is(j->path, ROOT_PATH) && !has_texts(first_container(j->worker)) && !member_bool(j->set.m.spec, "runLauncherAsWorker", false) &&
		j->slots > 0 && (!n || n == j->slots);
}

static struct expr *library(struct mpi *j)
{
	struct expr *call = expr_call(arena(j), str_printf(arena(j), "mpi.%s", j->with->framework));

	job_use(j->set.m.im, j->set.job, STR("mpi"));
	if (!devices(j) && j->slots != 1)
		lines_set(arena(j), &call->items, STR("slots"), expr_int(arena(j), j->slots), member_at(j->set.m.spec, "slotsPerWorker"));
	return call;
}

/* ---- the declared framework ---- */

static void put(struct mpi *j, struct lines *to, const char *name, struct expr *value)
{
	lines_set(arena(j), to, str_of(name), value, j->set.m.at);
}

static void declare_launcher(struct mpi *j, struct lines *role, const struct set_role *worker)
{
	struct arena *a = arena(j);
	bool both = member_bool(j->set.m.spec, "runLauncherAsWorker", false);
	const char *hosts = !worker ? both ? "launcher.hosts" : "[]" : both ? "flatten([launcher.hosts, worker.hosts])" : "worker.hosts";
	struct lines *files = lines_block(a, role, STR("files"), j->set.m.at), *env = lines_block(a, role, STR("env"), j->set.m.at);
	struct str line = str_printf(a, j->with->line, (long long)j->slots);

	put(j, files, "\"/etc/mpi/hostfile\"", expr_text(a, str_printf(a, "lines([\"%.*s\" for h in %s])", STR_ARG(line), hosts)));
	put(j, env, "K_MPI_JOB_ROLE", expr_string(a, STR("launcher")));
	put(j, env, j->with->hosts, expr_string(a, STR("/etc/mpi/hostfile")));
	put(j, env, j->with->args, expr_string(a, STR("-o ConnectionAttempts=10")));
	if (j->with->fqdn)
		put(j, env, "OMPI_MCA_orte_keep_fqdn_hostnames", expr_string(a, STR("true")));
	if (j->with->slots)
		put(j, env, j->with->slots, expr_int(a, j->slots));
	if (worker && !both)
		put(j, role, "start_after", expr_text(a, STR("ready(worker)")));
}

static void declare_worker(struct mpi *j, struct lines *role)
{
	struct arena *a = arena(j);

	put(j, lines_block(a, role, STR("env"), j->set.m.at), "K_MPI_JOB_ROLE", expr_string(a, STR("worker")));
	if (!has_texts(first_container(j->worker)))
		put(j, role, "command", expr_text(a, STR("[\"/usr/sbin/sshd\", \"-De\"]")));
	put(j, role, "endless", expr_text(a, STR("true")));
}

/* Root's keys are made for the job; others belong to what the image says about them. */
static void declare_keys(struct mpi *j, struct lines *body)
{
	struct arena *a = arena(j);
	struct str name = str_cat(a, j->set.m.name, STR("-ssh"), STR(""));
	struct lines *mounts = lines_block(a, body, STR("mounts"), j->set.m.at);
	bool root = str_is(j->path, ROOT_PATH);

	lines_set(a, mounts, key_text(a, j->path), expr_text(a, root ? STR("generated(\"ssh-keypair\")") : str_printf(a, "secret_files(\"%.*s\")", STR_ARG(name))),
		j->set.m.at);
	if (root)
		return;
	struct diag *d = diag_report(ds(j), TJ1124, member(j->set.m.spec, "sshAuthMountPath")->from, "the keys in '%.*s' are to be in the Secret '%.*s'",
		STR_ARG(j->path), STR_ARG(name));
	diag_help(ds(j), d, "the operator makes it for each job; make it once: ssh-keygen -N '' -f id_rsa, then kubectl create secret generic %.*s "
		"--from-file=id_rsa --from-file=id_rsa.pub --from-file=authorized_keys=id_rsa.pub", STR_ARG(name));
}

static void declare(struct mpi *j)
{
	struct arena *a = arena(j);
	struct set_role *worker = set_find(&j->set, STR("worker"));

	j->framework = framework_new(&j->set, "What the operator of MPIJobs sets.");
	struct lines *body = &j->framework->value->items;
	declare_launcher(j, lines_block(a, body, STR("role launcher"), j->set.roles[0].place), worker);
	if (worker)
		declare_worker(j, lines_block(a, body, STR("role worker"), worker->place));
	declare_keys(j, body);
	put(j, body, "success", expr_text(a, STR("done(launcher)")));
}

/* ---- the job ---- */

/* The replica's restart policy counts, not the pod's. */
static const struct data *template_of(struct mpi *j, const struct data *role, const char *usual)
{
	struct arena *a = arena(j);
	const struct data *template = member(role, "template"), *pod = member(template, "spec"), *policy = member(role, "restartPolicy");

	if (!policy || !policy->u.string.n)
		policy = tree_text(a, str_of(usual), role->from);
	if (member(pod, "restartPolicy"))
		import_left_out(j->set.m.im, member_at(pod, "restartPolicy"), STR("restartPolicy"), "the role's own restart policy counts");
	if (pod)
		template = tree_with(a, template, "spec", tree_with(a, pod, "restartPolicy", policy, member_at(role, "restartPolicy")), pod->from);
	return template;
}

static void role_of(struct mpi *j, const char *name, const char *key, const struct data *role, const char *usual, int64_t n)
{
	struct set_role *r = &j->set.roles[j->set.n++];
	const struct data *roles = member(j->set.m.spec, "mpiReplicaSpecs"), *count = member(role, "replicas");

	*r = (struct set_role){ .name = str_of(name), .word = str_of(name), .template = template_of(j, role, usual), .place = span_join(member_at(roles, key), role->from),
		.count_at = count ? span_join(member_at(role, "replicas"), count->from) : role->from, .jobs = 1, .per = n, .kind = { .index = INDEX_LABEL } };
}

static void roles_of(struct mpi *j)
{
	struct set *s = &j->set;

	s->roles = ARENA_ARRAY(arena(j), struct set_role, 2);
	role_of(j, "launcher", "Launcher", j->launcher, "OnFailure", 1);
	if (!j->worker)
		return;
	role_of(j, "worker", "Worker", j->worker, "Never", member_int(j->worker, "replicas", 1));
	set_hosts(s, &s->roles[1], str_cat(arena(j), s->m.name, STR("-worker-"), STR("")), false, s->m.name);
}

/* The launcher is a Job: attempts are counted as its are, with its default. */
static void attempts(struct mpi *j, struct set_role *r)
{
	const struct data *limit = member(j->policy, "backoffLimit"), *batch = tree_with(arena(j), NULL, "template", r->template, r->place);

	if (limit)
		batch = tree_with(arena(j), batch, "backoffLimit", limit, member_at(j->policy, "backoffLimit"));
	if (batch_read(j->set.m.im, batch, r->body))
		lines_take(r->body, STR("restart"));
}

/* Without a word the operator leaves its workers as they are. */
static void clean(struct mpi *j)
{
	const struct data *d = member(j->policy, "cleanPodPolicy");
	const char *word = !d || str_is(d->u.string, "None") ? "none" : str_is(d->u.string, "All") ? "all" : NULL;
	struct span at = d ? span_join(member_at(j->policy, "cleanPodPolicy"), d->from) : j->set.m.at;

	if (!word)
		return;
	struct line *line = lines_set(arena(j), j->set.body, STR("clean"), expr_string(arena(j), str_of(word)), at);
	if (d)
		import_comments(j->set.m.im, line, at);
}

static void fields(struct mpi *j)
{
	struct import *im = j->set.m.im;

	job_seconds(im, j->set.body, "timeout", j->policy, "activeDeadlineSeconds");
	job_seconds(im, j->set.body, "ttl", j->policy, "ttlSecondsAfterFinished");
	clean(j);
	job_suspend(im, j->set.body, j->policy);
	if (data_count(member(j->policy, "schedulingPolicy")))
		import_left_out(im, member_at(j->policy, "schedulingPolicy"), STR("schedulingPolicy"),
			"which scheduler starts pods together is an option of the operator; 'gang' of the job says it here");
	if (member(j->policy, "managedBy"))
		import_left_out(im, member_at(j->policy, "managedBy"), STR("managedBy"), "a program is run by whoever applies it");
}

/* Variables of the operator that entry points of images look at; the library's frameworks have none of their own. */
static void role_variable(struct mpi *j, struct set_role *r)
{
	struct lines *env = lines_block(arena(j), r->body, STR("env"), r->place);

	if (!lines_find(env, STR("K_MPI_JOB_ROLE")))
		lines_set(arena(j), env, STR("K_MPI_JOB_ROLE"), expr_string(arena(j), r->word), r->place);
}

static bool write(struct mpi *j)
{
	struct set *s = &j->set;
	bool usual = is_usual(j), ok = true;

	roles_of(j);
	if (!usual)
		declare(j);
	s->body = job_new(&s->m, s->job, usual ? library(j) : NULL);
	fields(j);
	for (size_t i = 0; i < s->n; i++) {
		if (!set_role_open(s, &s->roles[i]))
			ok = false;
		else if (usual && !j->with->fqdn)
			role_variable(j, &s->roles[i]);
	}
	if (!ok)
		return false;
	attempts(j, &s->roles[0]);
	if (j->framework)
		s->job->job->key = str_cat(arena(j), s->job->job->key, STR(": "), framework_done(s, j->framework, "mpi_operator"));
	set_finish(s);
	return true;
}

static bool read(struct import *im, const struct import_kind *k, const struct data *object, struct imported *job)
{
	struct mpi j = { .set.job = job };
	size_t errors = im->diags->errors;

	if (!manifest_open(im, k, object, "kubeflow.org.v2beta1.MPIJob", false, &j.set.m) || im->diags->errors != errors)
		return false;
	const struct data *spec = j.set.m.spec, *roles = member(spec, "mpiReplicaSpecs");
	struct str implementation = member_text(spec, "mpiImplementation");

	for (size_t i = 0; i < sizeof implementations / sizeof *implementations; i++)
		if (str_is(implementation, implementations[i].word) || (!implementation.n && i == 0))
			j.with = &implementations[i];
	j.policy = member(spec, "runPolicy");
	j.launcher = member(roles, "Launcher");
	j.worker = member(roles, "Worker");
	j.slots = member_int(spec, "slotsPerWorker", 1);
	j.path = member_text(spec, "sshAuthMountPath");
	if (!j.path.n)
		j.path = STR(ROOT_PATH);
	return check(&j) && write(&j);
}

const struct import_kind mpi_kinds[] = { { "MPIJob", "kubeflow.org/v2beta1", read, false }, { 0 } };
