/*
 * operator.c - reads jobs of the training operator as programs over std.kubeflow.
 */
#include "import/operator.h"

#include <strings.h>

#define INDEX_LABEL "metadata.labels['training.kubeflow.org/replica-index']"

static const struct operator_kind kinds[] = {
	{ "TFJob", "kubeflow.org.v1.TFJob", "tfjob", "tfReplicaSpecs", "Never", OPERATOR_OPEN | OPERATOR_CASES, 7, 9,
	  { { "Chief", "chief", -1 }, { "Master", "master", -1 }, { "PS", "ps", -1 }, { "Worker", "worker", -1 },
		{ "Evaluator", "evaluator", -1 } },
	  { "tensorflow", "tensorflow", "tfjob-port", 2222, INDEX_LABEL, true } },
	{ "PyTorchJob", "kubeflow.org.v1.PyTorchJob", "pytorchjob", "pytorchReplicaSpecs", "OnFailure", 0, 7, 9,
	  { { "Master", "master", -1 }, { "Worker", "worker", -1 } },
	  { "pytorch", "pytorch", "pytorchjob-port", 23456, INDEX_LABEL, true } },
	{ "MXJob", "kubeflow.org.v1.MXJob", "mxjob", "mxReplicaSpecs", "Never", OPERATOR_OPEN | OPERATOR_CASES, 7, 8,
	  { { "Scheduler", "scheduler", -1 }, { "Server", "server", -1 }, { "Worker", "worker", -1 },
		{ "TunerTracker", "tunertracker", -1 },
	    { "TunerServer", "tunerserver", -1 }, { "Tuner", "tuner", -1 } },
	  { "mxnet", "mxnet", "mxjob-port", 9091, INDEX_LABEL, true } },
	{ "XGBoostJob", "kubeflow.org.v1.XGBoostJob", "xgboostjob", "xgbReplicaSpecs", "Never", 0, 7, 9,
	  { { "Master", "master", 1 }, { "Worker", "worker", -1 } },
	  { "xgboost", "xgboost", "xgboostjob-port", 9999, INDEX_LABEL, true } },
	{ "MPIJob", "kubeflow.org.v1.MPIJob", "mpijob", "mpiReplicaSpecs", "Never", OPERATOR_NO_NAME_RULE, 7, 9,
	  { { "Launcher", "launcher", 1 }, { "Worker", "worker", 0 } },
	  { NULL, "mpi", NULL, 0, INDEX_LABEL, true } },
	{ "PaddleJob", "kubeflow.org.v1.PaddleJob", "paddlejob", "paddleReplicaSpecs", "OnFailure", 0, 7, 9,
	  { { "Master", "master", -1 }, { "Worker", "worker", -1 } },
	  { "paddle", "paddle", "master", 36543, INDEX_LABEL, true } },
	{ "JAXJob", "kubeflow.org.v1.JAXJob", "jaxjob", "jaxReplicaSpecs", "Never", 0, 9, 9,
	  { { "Worker", "worker", 1 } },
	  { "jax", "jax", "jaxjob-port", 6666, INDEX_LABEL, true } },
	{ 0 }
};

const struct operator_kind *operator_find(struct str kind)
{
	for (const struct operator_kind *k = kinds; k->kind; k++)
		if (str_is(kind, k->kind))
			return k;
	return NULL;
}

/* ---- arguments of the framework ---- */

struct operator_arguments {
	struct import *im;
	struct arena *arena;
	struct lines *to;
};

static struct line *operator_put(struct operator_arguments *args, const char *name, struct expr *value,
	const struct data *from)
{
	return lines_set(args->arena, args->to, str_of(name), value, from ? from->from : (struct span){ 0, 0 });
}

/* Adds an argument from the member KEY of MAP, with its comments. */
static void put_from(struct operator_arguments *args, const char *name, struct expr *value, const struct data *map,
	const char *key)
{
	const struct data *d = member(map, key);

	import_comments(args->im, operator_put(args, name, value, d), span_join(member_at(map, key), d->from));
}

static void operator_put_text(struct operator_arguments *args, const char *name, const struct data *map,
	const char *key)
{
	struct str text = member_text(map, key);

	if (text.n)
		put_from(args, name, expr_string(args->arena, text), map, key);
}

static void operator_put_int(struct operator_arguments *args, const char *name, const struct data *map, const char *key)
{
	const struct data *d = member(map, key);

	if (d)
		put_from(args, name, expr_int(args->arena, d->u.integer), map, key);
}

/* Starts a record; arguments added to RET become its fields. */
static struct expr *record(struct operator_arguments *args, struct operator_arguments *ret)
{
	struct expr *e = expr_new(args->arena, EXPR_BODY);

	*ret = (struct operator_arguments){ args->im, args->arena, &e->items };
	return e;
}

static void put_scheduling(struct operator_job *j, struct operator_arguments *args, const struct data *policy)
{
	struct operator_arguments in;
	struct expr *e = record(args, &in);
	const struct data *amounts = member(policy, "minResources");

	operator_put_int(&in, "min_available", policy, "minAvailable");
	operator_put_text(&in, "queue", policy, "queue");
	if (data_count(amounts)) {
		struct expr *map = expr_new(args->arena, EXPR_BODY);
		for (size_t i = 0; i < amounts->u.map.n; i++) {
			const struct data_member *m = &amounts->u.map.at[i];
			struct str text = m->value->kind == DATA_STRING ? m->value->u.string
				: source_text(j->m.im->sources, m->value->from);
			lines_set(args->arena, &map->items, key_text(args->arena, m->key),
				expr_string(args->arena, text), m->key_at);
		}
		put_from(&in, "min_resources", map, policy, "minResources");
	}
	operator_put_text(&in, "priority", policy, "priorityClass");
	operator_put_int(&in, "timeout_s", policy, "scheduleTimeoutSeconds");
	if (e->items.n)
		put_from(args, "scheduling", e, j->policy, "schedulingPolicy");
}

static void put_conf(struct operator_arguments *in, const struct data *policy)
{
	const struct data *conf = member(policy, "rdzvConf");
	struct expr *list = expr_new(in->arena, EXPR_LIST);

	for (size_t i = 0; i < data_count(conf); i++) {
		struct expr *pair = expr_new(in->arena, EXPR_BODY);
		struct operator_arguments of = { in->im, in->arena, &pair->items };
		operator_put(&of, "key", expr_string(in->arena, member_text(conf->u.list.at[i], "key")),
			conf->u.list.at[i]);
		operator_put(&of, "value", expr_string(in->arena, member_text(conf->u.list.at[i], "value")),
			conf->u.list.at[i]);
		lines_add(in->arena, &list->items, pair, conf->u.list.at[i]->from);
	}
	if (list->items.n)
		put_from(in, "conf", list, policy, "rdzvConf");
}

/*
 * Writes the bounds of an autoscaler as the operator completes them: a single bound counts as both bounds; without
 * bounds, both are the number of replicas.
 */
static void put_bounds(struct operator_job *j, struct operator_arguments *in, const struct data *policy)
{
	const struct data *min = member(policy, "minReplicas"), *max = member(policy, "maxReplicas");
	const struct data_member *worker = operator_member(j, "Worker");
	int64_t replicas = worker ? member_int(worker->value, "replicas", 1) : 1;

	if (min)
		operator_put_int(in, "min", policy, "minReplicas");
	else
		operator_put(in, "min", expr_int(in->arena, max ? max->u.integer : replicas), NULL);
	if (max)
		operator_put_int(in, "max", policy, "maxReplicas");
	else
		operator_put(in, "max", expr_int(in->arena, min ? min->u.integer : replicas), NULL);
}

static void put_elastic(struct operator_job *j, struct operator_arguments *args, const struct data *policy)
{
	struct operator_arguments in;
	struct expr *e = record(args, &in);
	const struct data *metrics = member(policy, "metrics");

	put_bounds(j, &in, policy);
	operator_put_text(&in, "backend", policy, "rdzvBackend");
	operator_put_text(&in, "host", policy, "rdzvHost");
	operator_put_int(&in, "port", policy, "rdzvPort");
	operator_put_text(&in, "id", policy, "rdzvId");
	put_conf(&in, policy);
	operator_put_int(&in, "max_restarts", policy, "maxRestarts");
	if (member_bool(policy, "standalone", false))
		put_from(&in, "standalone", expr_text(args->arena, STR("true")), policy, "standalone");
	operator_put_int(&in, "nproc", policy, "nProcPerNode");
	if (data_count(metrics))
		put_from(&in, "metrics", raw_expr(j->m.im, metrics), policy, "metrics");
	put_from(args, "elastic", e, j->m.spec, "elasticPolicy");
}

/* Reports a word that the operator does not know, and reads as another word. */
static void reads_otherwise(struct operator_job *j, const struct data *d, const char *as)
{
	diag_report(j->m.im->diags, TJ1111, d->from, "'%.*s' is unknown to the operator, which reads it as '%s'",
		STR_ARG(d->u.string), as);
}

static void kind_arguments(struct operator_job *j, struct operator_arguments *args)
{
	struct arena *a = args->arena;
	const struct data *spec = j->m.spec, *success = member(spec, "successPolicy"),
		*nproc = member(spec, "nprocPerNode");
	const struct data *elastic = member(spec, "elasticPolicy"), *mode = member(spec, "jobMode"),
		*slots = member(spec, "slotsPerWorker");

	if (success && str_is(success->u.string, "AllWorkers"))
		operator_put_text(args, "success_policy", spec, "successPolicy");
	else if (success && success->u.string.n)
		reads_otherwise(j, success, "");
	if (member_bool(spec, "enableDynamicWorker", false))
		put_from(args, "dynamic_worker", expr_text(a, STR("true")), spec, "enableDynamicWorker");
	if (nproc && !str_is(nproc->u.string, "auto"))
		operator_put_text(args, "nproc_per_node", spec, "nprocPerNode");
	if (elastic)
		put_elastic(j, args, elastic);
	if (mode && !str_is(mode->u.string, "MXTrain"))
		operator_put_text(args, "job_mode", spec, "jobMode");
	if (slots && slots->u.integer != 1)
		operator_put_int(args, "slots_per_worker", spec, "slotsPerWorker");
	operator_put_text(args, "main_container", spec, "mainContainer");
	if (j->alone)
		operator_put(args, "api", expr_string(a, str_of(j->alone)), NULL);
}

static bool is_gpu(struct str resource)
{
	return str_ends(resource, STR(".com/gpu")) || memmem(resource.p, resource.n, "gpu", 3);
}

/* Sets the argument that says whether the launcher has GPUs, if the role's own devices do not say the same. */
static void launcher_argument(struct operator_job *j, struct operator_arguments *args)
{
	const struct data_member *launcher = operator_member(j, "Launcher");
	const struct data *containers = launcher
		? member(member(member(launcher->value, "template"), "spec"), "containers") : NULL;
	bool gpu = false, typed = false;

	for (size_t i = 0; i < data_count(containers); i++) {
		const struct data *limits = member(member(containers->u.list.at[i], "resources"), "limits");
		for (size_t k = 0; k < data_count(limits); k++) {
			gpu = gpu || is_gpu(limits->u.map.at[k].key);
			typed = typed || (i == 0 && memchr(limits->u.map.at[k].key.p, '/', limits->u.map.at[k].key.n));
		}
	}
	if (gpu != typed)
		operator_put(args, "gpu_launcher", expr_text(args->arena, gpu ? STR("true") : STR("false")),
			containers);
}

/* Sets the image of the init container that the operator adds to pods of this kind, if an option names one. */
static void put_image(const struct operator_job *j, struct operator_arguments *args)
{
	const struct import_options *o = &j->m.im->options;

	if (str_is(j->m.kind, "PyTorchJob") && o->init_image.n)
		operator_put(args, "init_image", expr_string(args->arena, o->init_image), NULL);
	if (str_is(j->m.kind, "MPIJob") && o->delivery_image.n)
		operator_put(args, "delivery_image", expr_string(args->arena, o->delivery_image), NULL);
}

static struct expr *operator_framework(struct operator_job *j)
{
	struct arena *a = j->m.im->arena;
	struct expr *call = expr_call(a, str_printf(a, "kubeflow.%s", j->kind->framework));
	struct operator_arguments args = { j->m.im, a, &call->items };
	const struct data *policy = j->policy, *scheduling = member(policy, "schedulingPolicy");

	if (j->version < 9)
		operator_put(&args, "operator", expr_string(a, STR("1.7")), NULL);
	kind_arguments(j, &args);
	put_image(j, &args);
	if (str_is(j->m.kind, "MPIJob"))
		launcher_argument(j, &args);
	operator_put_int(&args, "backoff_limit", policy, "backoffLimit");
	if (member(policy, "managedBy") && (j->version < 9 || str_is(j->m.kind, "JAXJob")))
		import_left_out(j->m.im, member_at(policy, "managedBy"), STR("managedBy"),
			"the operator ignores it");
	else
		operator_put_text(&args, "managed_by", policy, "managedBy");
	if (scheduling)
		put_scheduling(j, &args, scheduling);
	return call;
}

/* ---- writing fields of the job ---- */

static struct line *operator_set(struct operator_job *j, struct lines *to, const char *field, struct expr *value,
	struct span at)
{
	struct line *line = lines_set(j->m.im->arena, to, str_of(field), value, at);

	import_comments(j->m.im, line, at);
	return line;
}

static void operator_clean(struct operator_job *j, struct lines *to)
{
	static const char *const words[][2] = { { "None", "none" }, { "Running", "running" }, { "All", "all" } };
	const struct data *of = member(j->policy, "cleanPodPolicy") ? j->policy : j->m.spec;
	const struct data *d = member(of, "cleanPodPolicy");
	const char *word = NULL, *usual = j->alone ? "all" : "none";

	if (!d || !d->u.string.n)
		return;
	for (size_t i = 0; i < 3; i++)
		if (str_is(d->u.string, words[i][0]))
			word = words[i][1];
	if (!word) {
		reads_otherwise(j, d, "All");
		word = "all";
	}
	if (!str_is(str_of(word), usual))
		operator_set(j, to, "clean", expr_string(j->m.im->arena, str_of(word)),
			span_join(member_at(of, "cleanPodPolicy"), d->from));
}

static void operator_job_fields(struct operator_job *j, struct lines *to)
{
	const struct data *policy = j->policy, *suspend = member(policy, "suspend");

	job_seconds(j->m.im, to, "timeout", policy, "activeDeadlineSeconds");
	job_seconds(j->m.im, to, "ttl", policy, "ttlSecondsAfterFinished");
	operator_clean(j, to);
	if (suspend && suspend->u.boolean && !lines_find(to, STR("queue")))     /* a queue suspends jobs itself */
		operator_set(j, to, "suspend", expr_text(j->m.im->arena, STR("true")),
			span_join(member_at(policy, "suspend"), suspend->from));
}

/* ---- roles ---- */

static void operator_restart(struct operator_job *j, struct lines *to, const struct data *spec)
{
	struct arena *a = j->m.im->arena;
	const struct data *d = member(spec, "restartPolicy");
	struct str policy = d ? d->u.string : STR("");
	bool by_code = str_is(policy, "ExitCode");

	if (!policy.n || str_is(policy, j->kind->restart))
		return;
	struct span at = span_join(member_at(spec, "restartPolicy"), d->from);
	if (by_code)
		policy = STR("Never");
	struct str word = restart_word(policy);
	if (word.n && !str_is(policy, j->kind->restart))
		operator_set(j, to, "restart", expr_string(a, word), at);
	if (by_code)
		operator_set(j, to, "retry_on", expr_text(a, STR("128..255")), at);
}

/*
 * The word of a role in the program. A role that is not in the operator's table keeps its own name, because the names
 * of its pods contain it.
 */
static struct str role_word(struct operator_job *j, const struct operator_role *known, struct str key)
{
	struct arena *a = j->m.im->arena;

	if (known)
		return str_of(known->word);
	return str_lower(a, word_text(a, key));
}

/* Reads the tuner's key, which is a field in v1beta1 and an annotation since then. */
static void tuner_key(struct operator_job *j, struct lines *to, const struct data *spec)
{
	const struct data *d = member(spec, "label");

	if (!d || !d->u.string.n)
		return;
	struct lines *annotations = lines_block(j->m.im->arena, to, STR("annotations"), d->from);
	operator_set(j, annotations, "\"tuner-server-key\"", expr_string(j->m.im->arena, d->u.string),
		span_join(member_at(spec, "label"), d->from));
}

/* Version 1.7 of the operator always gives the launcher a service account that it makes itself. */
static void own_account(struct operator_job *j, const struct operator_role *known, struct lines *to)
{
	bool launcher = known && str_is(str_of(known->key), "Launcher") && j->version == 7;
	struct line *line = launcher ? lines_take(to, STR("service_account")) : NULL;

	if (line)
		import_left_out(j->m.im, line->from, STR("serviceAccountName"),
			"version 1.7 of the operator gives the launcher a service account of its own");
}

static struct job_role operator_job_role(struct operator_job *j, struct imported *job,
	const struct operator_role *known, const struct data_member *m)
{
	struct import *im = j->m.im;
	struct lines top = { 0 };
	struct role_reading r = { .im = im, .job = job, .kind = &j->kind->role, .word = role_word(j, known, m->key) };
	const struct data *count = member(m->value, "replicas");

	r.role = lines_extend(im->arena, &top, str_cat(im->arena, STR("role "), r.word, STR("")), m->key_at);
	r.replicas = count ? count->u.integer : known && known->usual >= 0 ? known->usual : 1;
	if (!known || r.replicas != known->usual || !r.replicas) {
		struct span at = count ? span_join(member_at(m->value, "replicas"), count->from) : m->key_at;
		operator_set(j, r.role, "replicas", expr_int(im->arena, r.replicas), at);
	}
	operator_restart(j, r.role, m->value);
	role_read(&r, member(m->value, "template"));
	own_account(j, known, r.role);
	tuner_key(j, r.role, m->value);
	return (struct job_role){ top.at[0], member_span(m) };
}

/*
 * Labels of the operator's pods. Of trainc's targets, only the one that makes pods itself writes labels with the same
 * meaning.
 */
static const struct pod_label labels[] = {
	{ "training.kubeflow.org/job-name", LABEL_OF_JOB }, { "training.kubeflow.org/replica-type", LABEL_OF_ROLE },
	{ NULL, LABEL_KEPT }
};

/* Writes the roles in the framework's order, followed by other roles. */
static void operator_roles(struct operator_job *j, struct imported *job, struct lines *body)
{
	struct import *im = j->m.im;
	struct job_role *all = ARENA_ARRAY(im->arena, struct job_role, j->roles->u.map.n);
	size_t n = 0;

	for (size_t i = 0; i < j->roles->u.map.n; i++) {
		struct str key = j->roles->u.map.at[i].key, *word = ARENA_NEW(im->arena, struct str);
		*word = role_word(j, operator_role_of(j->kind, key), key);
		map_put(&im->words, im->arena, *word, im);
		map_put(&job->role_words, im->arena, str_lower(im->arena, key), word);
	}
	job->labels_of = labels;
	for (size_t i = 0; i < OPERATOR_ROLES && j->kind->roles[i].key; i++) {
		const struct data_member *m = operator_member(j, j->kind->roles[i].key);
		if (m)
			all[n++] = operator_job_role(j, job, &j->kind->roles[i], m);
	}
	for (size_t i = 0; i < j->roles->u.map.n; i++)
		if (!operator_role_of(j->kind, j->roles->u.map.at[i].key))
			all[n++] = operator_job_role(j, job, NULL, &j->roles->u.map.at[i]);
	job_finish(&j->m, job, body, all, n);
}

/* ---- the kinds ---- */

static bool has_kind(const struct import *im, const struct operator_kind *k, struct span at)
{
	unsigned wanted = im->options.operator_minor;

	if (!wanted || (k->from <= wanted && wanted <= k->to))
		return true;
	struct diag *d = diag_report(im->diags, TJ1113, at, "version 1.%u of the operator has no %s", wanted, k->kind);
	diag_help(im->diags, d, "%s: use --operator 1.%u", wanted < k->from ? "it came later" : "it was removed",
		wanted < k->from ? 9 : 7);
	return false;
}

/*
 * Determines the form of an MXJob. The older operator for MXNet alone had the same kind: in v1beta1, and in a v1
 * whose spec directly contains the policies. A v1 without any policy is read as a job of the training operator.
 */
static const char *operator_form(struct operator_job *j, const struct import_kind *row, const struct data *object)
{
	static const char *const policies[] = { "cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds",
		"backoffLimit" };
	const struct data *spec = member(object, "spec");

	if (str_is(str_of(row->api_version), "kubeflow.org/v1beta1")) {
		j->alone = "v1beta1";
		return "mxnet.v1beta1.MXJob";
	}
	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
		if (str_is(str_of(row->kind), "MXJob") && member(spec, policies[i]) && !member(spec, "runPolicy"))
			j->alone = "v1";
	return j->alone ? "mxnet.v1.MXJob" : j->kind->type;
}

static bool operator_read(struct import *im, const struct import_kind *row, const struct data *object,
	struct imported *job)
{
	struct operator_job j = { .kind = operator_find(str_of(row->kind)) };
	size_t errors = im->diags->errors;

	if (!has_kind(im, j.kind, data_get(object, STR("kind"))->from) ||
	    !manifest_open(im, row, object, operator_form(&j, row, object), false, &j.m))
		return false;
	j.roles = member(j.m.spec, j.kind->roles_key);
	j.policy = j.alone ? j.m.spec : member(j.m.spec, "runPolicy");
	j.version = im->options.operator_minor ? im->options.operator_minor : j.kind->to < 9 ? 7 : 9;
	if (!operator_check(&j) || im->diags->errors != errors)
		return false;
	job_use(im, job, STR("kubeflow"));
	struct lines *body = job_new(&j.m, job, operator_framework(&j));
	operator_job_fields(&j, body);
	operator_roles(&j, job, body);
	return true;
}

const struct import_kind operator_kinds[] = {
	{ "TFJob", "kubeflow.org/v1", operator_read, false, IMPORT_JOB },
	{ "PyTorchJob", "kubeflow.org/v1", operator_read, false, IMPORT_JOB },
	{ "MXJob", "kubeflow.org/v1", operator_read, false, IMPORT_JOB },
	{ "MXJob", "kubeflow.org/v1beta1", operator_read, false, IMPORT_JOB },
	{ "XGBoostJob", "kubeflow.org/v1", operator_read, false, IMPORT_JOB },
	{ "MPIJob", "kubeflow.org/v1", operator_read, false, IMPORT_JOB },
	{ "PaddleJob", "kubeflow.org/v1", operator_read, false, IMPORT_JOB },
	{ "JAXJob", "kubeflow.org/v1", operator_read, false, IMPORT_JOB }, { 0 }
};
