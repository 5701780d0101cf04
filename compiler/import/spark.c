/*
 * spark.c - reads SparkApplications of sparkoperator.k8s.io/v1beta2: a driver and its executors. On Kubernetes the
 * driver creates the pods of its executors itself, which no program can express: all pods of a program are known. So
 * the program uses the library's standalone cluster: one worker for each executor, of the same size, and a driver that
 * spark-submit starts in client mode.
 */
#include "import/import_tree.h"
#include "import/spark.h"

/* ---- the command line of the driver ---- */

struct submit {
	struct spark *s;
	const struct data *words;
};

static void word_add(struct submit *c, struct str text, struct span at)
{
	struct arena *a = spark_arena(c->s);

	c->words = tree_append(a, c->words, tree_one(a, tree_text(a, text, at)));
}

static void option_add(struct submit *c, const char *option, struct str value, struct span at)
{
	if (!value.n)
		return;
	word_add(c, str_of(option), at);
	word_add(c, value, at);
}

/*
 * Returns why a setting is left out: it configures Spark's use of Kubernetes, or the framework writes it. Returns an
 * empty text for a setting that becomes a volume of the pods, and NULL for one that is kept.
 */
static const char *not_carried(struct str key)
{
	static const char *const own[] = { "spark.master", "spark.submit.deployMode", "spark.driver.host",
		"spark.driver.bindAddress", "spark.driver.port", "spark.driver.blockManager.port" };

	if (str_starts(key, STR("spark.kubernetes.")))
		return spark_conf_is_volume(key) ? "" : "it is a setting of Spark's cluster manager in Kubernetes; the "
			"program runs a standalone cluster";
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (str_is(key, own[i]))
			return "the framework sets it";
	return NULL;
}

static void settings_add(struct submit *c, const char *field, const char *prefix)
{
	struct import *im = c->s->set.m.im;
	const struct data *map = member(c->s->set.m.spec, field);

	for (size_t i = 0; i < data_count(map); i++) {
		const struct data_member *m = &map->u.map.at[i];
		const char *why = *prefix ? NULL : not_carried(m->key);
		if (why && *why)
			import_left_out(im, m->key_at, m->key, why);
		else if (!why)
			option_add(c, "--conf", str_printf(im->arena, "%s%.*s=%.*s", prefix, STR_ARG(m->key),
				STR_ARG(m->value->u.string)), m->key_at);
	}
}

static void files_add(struct submit *c)
{
	static const char *const options[][2] = { { "jars", "--jars" }, { "files", "--files" },
		{ "pyFiles", "--py-files" }, { "archives", "--archives" }, { "packages", "--packages" },
		{ "excludePackages", "--exclude-packages" }, { "repositories", "--repositories" } };
	const struct data *deps = member(c->s->set.m.spec, "deps");

	for (size_t i = 0; i < data_count(deps); i++) {
		const struct data_member *m = &deps->u.map.at[i];
		struct buf all = { 0 };
		size_t k = 0;
		while (k < 7 && !str_is(m->key, options[k][0]))
			k++;
		for (size_t n = 0; k < 7 && n < data_count(m->value); n++)
			buf_printf(&all, "%s%.*s", n ? "," : "", STR_ARG(m->value->u.list.at[n]->u.string));
		if (k < 7)
			option_add(c, options[k][1], str_copy(spark_arena(c->s), buf_text(&all)), m->key_at);
		else
			import_left_out(c->s->set.m.im, m->key_at, m->key, "spark-submit has no such option");
		buf_release(&all);
	}
}

static const struct data *submit_command(struct spark *s)
{
	struct submit c = { s, NULL };
	struct arena *a = spark_arena(s);
	const struct data *spec = s->set.m.spec, *arguments = member(spec, "arguments");
	int64_t cores = member_int(s->executor, "cores", 1), n = member_int(s->executor, "instances", 1);
	struct span at = s->set.m.at;

	word_add(&c, STR("/opt/spark/bin/spark-submit"), at);
	option_add(&c, "--name", s->set.m.name, s->set.m.name_at);
	option_add(&c, "--class", member_text(spec, "mainClass"), member_at(spec, "mainClass"));
	option_add(&c, "--driver-memory", str_printf(a, "%lldm", (long long)spark_memory(s, s->driver)), at);
	option_add(&c, "--driver-java-options", member_text(s->driver, "javaOptions"), at);
	option_add(&c, "--executor-memory", str_printf(a, "%lldm", (long long)spark_memory(s, s->executor)), at);
	option_add(&c, "--executor-cores", str_int(a, cores), at);
	option_add(&c, "--total-executor-cores", str_int(a, cores * n), at);
	if (member_text(s->executor, "javaOptions").n)
		option_add(&c, "--conf", str_cat(a, STR("spark.executor.extraJavaOptions="),
			member_text(s->executor, "javaOptions"), STR("")), at);
	option_add(&c, "--proxy-user", member_text(spec, "proxyUser"), at);
	files_add(&c);
	settings_add(&c, "sparkConf", "");
	settings_add(&c, "hadoopConf", "spark.hadoop.");
	word_add(&c, member_text(spec, "mainApplicationFile"), member_at(spec, "mainApplicationFile"));
	c.words = tree_append(a, c.words, arguments);
	return c.words;
}

/* ---- roles ---- */

/* Makes the template of the master, which only assigns work and is no pod in the manifest. */
static const struct data *master_template(struct spark *s)
{
	struct arena *a = spark_arena(s);
	static const char *const same[] = { "securityContext", "podSecurityContext" };
	const struct data *spec = s->set.m.spec, *side = tree_with(a, NULL, "memory",
		tree_text(a, STR("1g"), s->set.m.at), s->set.m.at);

	for (size_t i = 0; i < 2; i++)          /* the image is that of the driver, and so is its user */
		if (member(s->driver, same[i]))
			side = tree_with(a, side, same[i], member(s->driver, same[i]), member_at(s->driver, same[i]));
	const struct data *template = spark_template(s, side, "spark-master", NULL);
	const struct data *account = member(s->driver, "serviceAccount");

	diag_help(s->set.m.im->diags, diag_report(s->set.m.im->diags, TJ1111, s->set.m.at,
		"the driver does not make its executors itself; the program has a master and workers of a standalone "
		"cluster"), "the containers of workers have 512 MiB more than their executors, for Spark's own process "
			"beside them; 'spark.standalone' in docs/frameworks.md has the rest");
	return account ? tree_with(a, template, "spec", tree_with(a, member(template, "spec"), "serviceAccountName",
		account, member_at(s->driver, "serviceAccount")), spec->from) : template;
}

static void role_put(struct spark *s, const char *word, const struct data *template, struct span place, int64_t n)
{
	struct set_role *r = &s->set.roles[s->set.n++];

	*r = (struct set_role){ .name = str_of(word), .word = str_of(word), .template = template, .place = place,
		.count_at = place, .jobs = 1, .per = n };
}

static const struct pod_label labels[] = { { "sparkoperator.k8s.io/app-name", LABEL_OF_JOB }, { NULL, LABEL_KEPT } };

static void roles_of_spark(struct spark *s)
{
	int64_t n = member_int(s->executor, "instances", 1);

	s->set.job->labels_of = labels;
	s->set.roles = ARENA_ARRAY(spark_arena(s), struct set_role, 3);
	role_put(s, "master", master_template(s), (struct span){ s->set.m.spec->from.end, s->set.m.spec->from.end }, 1);
	role_put(s, "worker", spark_template(s, s->executor, "spark-kubernetes-executor", NULL), s->executor->from, n);
	if (member(s->executor, "instances"))
		s->set.roles[1].count_at = span_join(member_at(s->executor, "instances"),
			member(s->executor, "instances")->from);
	role_put(s, "driver", spark_template(s, s->driver, "spark-kubernetes-driver", submit_command(s)),
		s->driver->from, 1);
}

/* ---- the job ---- */

static struct expr *standalone(struct spark *s)
{
	struct arena *a = spark_arena(s);
	struct expr *call = expr_call(a, STR("spark.standalone"));

	job_use(s->set.m.im, s->set.job, STR("spark"));
	lines_set(a, &call->items, STR("cores"), expr_int(a, member_int(s->executor, "cores", 1)), s->executor->from);
	lines_set(a, &call->items, STR("worker_memory"), expr_text(a, str_printf(a, "%lldMi",
		(long long)spark_memory(s, s->executor))), s->executor->from);
	return call;
}

/* Reads how often Spark runs a failed application again. */
static void runs_again(struct spark *s)
{
	struct import *im = s->set.m.im;
	const struct data *policy = member(s->set.m.spec, "restartPolicy"), *n = member(policy, "onFailureRetries");
	struct str type = member_text(policy, "type");

	if (str_is(type, "OnFailure") && n && n->u.integer > 0)
		import_comments(im, lines_set(im->arena, s->set.body, STR("restarts"),
			expr_int(im->arena, n->u.integer),
			member_at(policy, "onFailureRetries")), policy->from);
	if (str_is(type, "Always"))
		import_left_out(im, member(policy, "type")->from, type, "a job that has succeeded is not run again");
	for (size_t i = 0; i < data_count(policy); i++) {
		const struct data_member *m = &policy->u.map.at[i];
		bool counted = str_is(m->key, "onFailureRetries") && str_is(type, "OnFailure");
		if (!str_is(m->key, "type") && !counted)
			import_left_out(im, m->key_at, m->key, "'restarts' of the job says how often it is retried");
	}
}

/* Writes the scheduler. Volcano starts all pods together, so it becomes a gang; any other scheduler is reported. */
static void scheduler_fields(struct spark *s)
{
	struct import *im = s->set.m.im;
	struct arena *a = im->arena;
	const struct data *spec = s->set.m.spec, *options = member(spec, "batchSchedulerOptions");
	struct str name = member_text(spec, "batchScheduler"), queue = member_text(options, "queue"),
		priority = member_text(options, "priorityClassName");
	bool volcano = str_is(name, "volcano");

	if (volcano)
		lines_set(a, s->set.body, STR("gang"), expr_string(a, name), member_at(spec, "batchScheduler"));
	else if (name.n)
		import_left_out(im, member_at(spec, "batchScheduler"), name,
			"the job's 'scheduler' and 'gang' select it");
	if (volcano && queue.n)
		lines_set(a, s->set.body, STR("queue"), expr_string(a, queue), member_at(options, "queue"));
	if (priority.n)
		lines_set(a, s->set.body, STR("priority"), expr_string(a, priority),
			member_at(options, "priorityClassName"));
	for (size_t i = 0; i < data_count(options); i++) {
		const struct data_member *m = &options->u.map.at[i];
		if (!str_is(m->key, "priorityClassName") && !(volcano && str_is(m->key, "queue")))
			import_left_out(im, m->key_at, m->key, "a program cannot express it");
	}
}

static void left_of_spec(struct spark *s)
{
	static const char *const known[] = { "arguments", "batchScheduler", "batchSchedulerOptions", "deps", "driver",
		"executor", "hadoopConf", "image", "imagePullPolicy", "imagePullSecrets", "mainApplicationFile",
		"mainClass", "memoryOverheadFactor", "mode", "nodeSelector", "proxyUser", "restartPolicy", "sparkConf",
		"sparkVersion", "suspend", "timeToLiveSeconds", "type", "volumes", NULL };
	struct import *im = s->set.m.im;
	const struct data *spec = s->set.m.spec, *mode = member(spec, "mode"), *volumes = member(spec, "volumes");

	for (size_t i = 0; i < data_count(volumes); i++) {
		struct str name = member_text(volumes->u.list.at[i], "name");
		if (!spark_mounts(s->driver, name) && !spark_mounts(s->executor, name))
			import_left_out(im, volumes->u.list.at[i]->from, name, "no container mounts it");
	}
	for (size_t i = 0; i < data_count(spec); i++) {
		const struct data_member *m = &spec->u.map.at[i];
		size_t k = 0;
		while (known[k] && !str_is(m->key, known[k]))
			k++;
		if (!known[k])
			import_left_out(im, m->key_at, m->key, "a program cannot express it");
	}
	if (mode && !str_is(mode->u.string, "cluster"))
		import_left_out(im, member_at(spec, "mode"), STR("mode"), "the driver runs in a pod of its own");
}

static bool spark_rules(struct spark *s)
{
	struct import *im = s->set.m.im;
	size_t errors = im->diags->errors + im->diags->muted_errors;
	const struct data *n = member(s->executor, "instances"), *cores = member(s->executor, "cores");

	if (!s->driver || !s->executor)
		diag_report(im->diags, TJ1106, s->set.m.at, "a SparkApplication needs 'driver' and 'executor'");
	if (!member_text(s->set.m.spec, "mainApplicationFile").n)
		diag_report(im->diags, TJ1106, s->set.m.at, "a SparkApplication needs its 'mainApplicationFile'");
	if (n && n->u.integer < 1)
		diag_report(im->diags, TJ1106, n->from, "'executor' cannot have %lld instances",
			(long long)n->u.integer);
	if (cores && cores->u.integer < 1)
		diag_report(im->diags, TJ1108, cores->from, "an executor cannot have %lld cores",
			(long long)cores->u.integer);
	return im->diags->errors + im->diags->muted_errors == errors;
}

static bool read_spark(struct import *im, const struct import_kind *k, const struct data *object, struct imported *job)
{
	struct spark s = { .set.job = job };
	struct set *set = &s.set;
	size_t errors = im->diags->errors;
	bool ok = true;

	if (!manifest_open(im, k, object, "sparkoperator.k8s.io.v1beta2.SparkApplication", false, &set->m) ||
	    im->diags->errors != errors)
		return false;
	s.driver = member(set->m.spec, "driver");
	s.executor = member(set->m.spec, "executor");
	if (!spark_rules(&s))
		return false;
	roles_of_spark(&s);
	set->all_replicas = true;
	set->body = job_new(&set->m, job, standalone(&s));
	job_seconds(im, set->body, "ttl", set->m.spec, "timeToLiveSeconds");
	job_suspend(im, set->body, set->m.spec);
	runs_again(&s);
	scheduler_fields(&s);
	left_of_spec(&s);
	for (size_t i = 0; i < set->n; i++)
		ok = set_role_open(set, &set->roles[i]) && ok;
	for (size_t i = 0; ok && i < set->n; i += 2)            /* the master and the driver always have one replica */
		lines_drop(im->arena, set->roles[i].line, STR("replicas"));
	for (size_t i = 0; ok && i < set->n; i++)
		lines_drop(im->arena, set->roles[i].line, STR("restart"));
	if (ok)
		set_finish(set);
	return ok && im->diags->errors == errors;
}

const struct import_kind spark_kinds[] = { { "SparkApplication", "sparkoperator.k8s.io/v1beta2", read_spark, false,
	IMPORT_JOB }, { 0 } };
