/*
 * kubeflow.c - the target that writes the custom resource of the training operator, with every default filled in, for
 * clusters in which that operator runs. The resource contains only what the program sets; the operator itself adds
 * its own variables, init containers and volumes to the pods.
 */
#include "emit/each.h"
#include "emit/emit_check.h"

enum { ROLES = 6 };

static const struct kind {
	const char *framework, *kind, *roles_key;
	const char *roles[ROLES][2];    /* name in the program, and name in the resource */
} kinds[] = {
	{ "tfjob", "TFJob", "tfReplicaSpecs",
	  { { "chief", "Chief" }, { "master", "Master" }, { "ps", "PS" }, { "worker", "Worker" },
		{ "evaluator", "Evaluator" } } },
	{ "pytorchjob", "PyTorchJob", "pytorchReplicaSpecs", { { "master", "Master" }, { "worker", "Worker" } } },
	{ "mxjob", "MXJob", "mxReplicaSpecs",
	  { { "scheduler", "Scheduler" }, { "server", "Server" }, { "worker", "Worker" },
		{ "tunertracker", "TunerTracker" },
	    { "tunerserver", "TunerServer" }, { "tuner", "Tuner" } } },
	{ "xgboostjob", "XGBoostJob", "xgbReplicaSpecs", { { "master", "Master" }, { "worker", "Worker" } } },
	{ "paddlejob", "PaddleJob", "paddleReplicaSpecs", { { "master", "Master" }, { "worker", "Worker" } } },
	{ "mpijob", "MPIJob", "mpiReplicaSpecs", { { "launcher", "Launcher" }, { "worker", "Worker" } } },
	{ "jaxjob", "JAXJob", "jaxReplicaSpecs", { { "worker", "Worker" } } },
};

/* Returns the kind of resource for the job, which depends on its innermost framework; NULL if no kind matches. */
static const struct kind *find_kind(const struct plan_job *j)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (str_is(j->base, kinds[i].framework))
			return &kinds[i];
	return NULL;
}

static bool is_mpi(const struct kind *k) { return str_is(str_of(k->kind), "MPIJob"); }
static const struct data *framework_argument(const struct plan_job *j, const char *name)
{
	return data_get(j->arguments, str_of(name));
}

/* ---- checks of what the resource cannot express ---- */

static void no_place(struct checking *c, struct span at, const char *what, const char *why, const char *help)
{
	struct diag *d = diag_report(c->diags, TJ0818, at, "the target 'kubeflow' has no place for %s: %s", what, why);

	diag_help(c->diags, d, "%s", help);
}

static const char one_template[] = "all replicas of a role have one template";
static const char computed_there[] = "let the program compute it from pod.index, or use the target 'pods'";

/* Reports arguments that differ between replicas, at the expressions that compute them. */
static void check_words(struct checking *c, const struct plan_role *r, const struct plan_texts *words)
{
	struct span because = r->unrolled_because, list = words->from;
	bool within = because.start >= list.start && because.end <= list.end;

	if (words->per_replica)
		no_place(c, check_place(c, within ? because : list, r->at, r->at),
			"words that are computed for each replica", one_template, computed_there);
}

static void check_container(struct checking *c, const struct plan_role *r, const struct plan_container *pc)
{
	for (size_t i = 0; i < pc->nenv; i++)
		if (pc->env[i].per_replica && !pc->env[i].framework)
			no_place(c, pc->env[i].from, "a text that is computed for each replica", one_template,
				computed_there);
	check_words(c, r, &pc->command);
	check_words(c, r, &pc->args);
	if (pc->per_replica && plan_kind_size(r, 0, r->max) < r->max)
		no_place(c, check_place(c, r->unrolled_because, pc->name_at, r->at),
			"amounts that differ between replicas", one_template,
			"give replicas that ask for other amounts a role of their own, or use the target 'pods'");
	for (size_t i = 0; i < pc->nmounts && r->max > 1; i++)
		if (pc->mounts[i].volume->keep)
			no_place(c, pc->mounts[i].volume->from, "a claim that each replica keeps", one_template,
				"without 'keep = true' each pod gets a claim that is deleted with it; the target "
				"'pods' has "
				"a place for both");
}

/* Does the operator itself add this init container? */
static bool is_added(const struct plan_container *init)
{
	return str_is(init->name, "init_pytorch") || str_is(init->name, "kubectl_delivery");
}

static void check_template(struct checking *c, const struct plan_role *r)
{
	check_container(c, r, &r->main);
	for (size_t i = 0; i < r->nsidecars; i++)
		check_container(c, r, &r->sidecars[i]);
	for (size_t i = 0; i < r->ninits; i++)
		if (!is_added(&r->inits[i]))
			check_container(c, r, &r->inits[i]);
}

/* Checks the success policy: only a TFJob has one. */
static void success_check(struct checking *c, const struct kind *k, const struct plan_job *j)
{
	const struct data *success = framework_argument(j, "success_policy");

	if (!success || success->kind != DATA_STRING || !success->u.string.n || str_is(str_of(k->kind), "TFJob"))
		return;
	struct diag *d = diag_report(c->diags, TJ0818, j->name_at,
		"%s %s of the training operator has no 'success_policy'",
		strchr("MX", *k->kind) ? "an" : "a", k->kind);
	diag_help(c->diags, d, "remove it, or use the target 'pods'");
}

/*
 * Checks `place`, `spread` and the start order: they select pods by trainc's labels, which the operator's pods do not
 * have.
 */
static void check_order(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	if (r->place.kind != PLACE_ANYWHERE && !emit_place_annotates(j, r))
		no_place(c, check_place(c, r->place.from, r->at, r->at), "'place'",
			"it selects pods by labels of trainc, which the operator's pods do not have",
			"add a queue, so that Kueue places the pods, or use the target 'jobset' or 'jobs'");
	if (r->spread.set && !str_is(r->spread.value, "none"))
		no_place(c, r->spread.from, "'spread'",
			"it selects pods by labels of trainc, which the operator's pods do not have",
			"write the affinity in 'raw pod' by 'training.kubeflow.org/job-name', or use the target 'pods' "
			"or 'jobs'");
	if (r->start_after)
		no_place(c, r->start_after->from, "'start_after'", "the operator starts all replicas at once",
			"let the program wait for its peers, or use the target 'jobset', which starts roles in order");
	if (r->elastic)
		no_place(c, r->replicas_at, "replicas that are a range",
			"set the framework's argument 'elastic' instead",
			"write a number, and 'elastic' where the framework has it");
}

static bool signals_only(const struct plan_codes *c)
{
	int64_t lo, hi = -1;

	return plan_codes_next(c, &lo, &hi) && lo == 128 && hi == 255;
}

static void check_again(struct checking *c, const struct plan_role *r)
{
	if (r->retry_on.set && !signals_only(&r->retry_on))
		no_place(c, r->retry_on.from, "these exit codes", "the operator retries exit codes 128 to 255",
			"write retry_on = 128..255, or use the target 'jobs'");
	else if (!r->retry_on.set && !plan_role_restarts(r) && r->retries.set && r->retries.value)
		no_place(c, check_place(c, r->retries.from, r->at, r->at), "'retries'",
			"the operator does not count the attempts of a replica",
			"write restart = \"on-failure\", or retry_on = 128..255, or use the target 'jobs'");
	if (r->raw_job)
		no_place(c, r->raw_job->from, "'raw job'", "the operator makes pods, not Jobs",
			"remove it, or use the target 'jobs'");
}

static void check_role(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	if (!r->max) {
		struct span at = check_place(c, r->replicas_at, r->at, (struct span){ 0 });
		if (r->unknown || !span_known(at) || source_at(c->diags->sources, at.start)->library ||
			at.start == j->name_at.start)
			return;
		struct diag *d = diag_report(c->diags, TJ0821, at,
			"role '%.*s' has no replicas and is left out of the resource", STR_ARG(r->name));
		diag_help(c->diags, d, "remove the role, or give it a replica");
		return;
	}
	if (r->aux) {
		no_place(c, r->at, "an aux role", "the operator runs the roles of its kinds",
			"run it as a separate job or as a sidecar, or use the target 'jobset'");
		return;
	}
	check_template(c, r);
	check_order(c, j, r);
	check_again(c, r);
}

static void check_job(struct checking *c, const struct plan_job *j)
{
	if (j->restarts.set && j->restarts.value)
		no_place(c, check_place(c, j->restarts.from, j->name_at, j->name_at), "'restarts'",
			"the operator does not restart a whole job",
			"remove it, or use the target 'jobset'");
	if (j->raw_service)
		no_place(c, j->raw_service->from, "'raw service'", "the operator makes the Services",
			"remove it, or use the target 'pods'");
	if (j->success_written && j->success && !source_at(c->diags->sources, j->success->from.start)->library)
		no_place(c, j->success->from, "'success'", "the operator decides by its own rules",
			"remove it, or use the target 'jobs'");
}

void target_check_kubeflow(struct checking *c, const struct plan_job *j)
{
	if (!find_kind(j)) {
		struct diag *d = j->framework.n ?
			diag_report(c->diags, TJ0819, j->name_at, "the training operator has no kind for '%.*s'",
			STR_ARG(j->framework)) :
			diag_report(c->diags, TJ0819, j->name_at,
				"the training operator has no kind for a job without framework");
		diag_help(c->diags, d, "the frameworks of std.kubeflow have one");
		return;
	}
	success_check(c, find_kind(j), j);
	check_job(c, j);
	for (size_t k = 0; k < j->nroles; k++)
		check_role(c, j, &j->roles[k]);
}

/* ---- writing the pod template ---- */

static bool of_accelerator(const struct plan_accelerator *acc, const struct plan_env *env)
{
	for (size_t i = 0; acc && i < acc->env.n; i++)
		if (str_eq(acc->env.at[i].key, env->name) && acc->env.at[i].from.start == env->from.start)
			return true;
	return false;
}

/* Writes the variables of the program and its accelerator; the operator adds all others. */
static void own_env(struct emit *e, const struct plan_role *r, struct plan_container *c)
{
	struct plan_env *own = ARENA_ARRAY(e->arena, struct plan_env, c->nenv);
	size_t n = 0;

	for (size_t i = 0; i < c->nenv; i++)
		if (!c->env[i].framework || of_accelerator(r->accelerator, &c->env[i]))
			own[n++] = c->env[i];
	c->env = own;
	c->nenv = n;
}

static bool words_are(const struct plan_texts *t, const char *word)
{
	return t->n == 1 && t->at[0].n == 1 && t->at[0].at[0].kind == PIECE_TEXT && str_is(t->at[0].at[0].u.text, word);
}

static struct plan_role own_role(struct emit *e, const struct kind *k, const struct plan_role *r)
{
	struct plan_role own = *r;
	struct str account = str_printf(e->arena, "%.*s-launcher", STR_ARG(e->job->name));

	own.unrolled = false;
	own_env(e, r, &own.main);
	own.sidecars = ARENA_ARRAY(e->arena, struct plan_container, r->nsidecars);
	for (size_t i = 0; i < r->nsidecars; i++) {
		own.sidecars[i] = r->sidecars[i];
		own_env(e, r, &own.sidecars[i]);
	}
	own.inits = ARENA_ARRAY(e->arena, struct plan_container, r->ninits);
	own.ninits = 0;
	for (size_t i = 0; i < r->ninits; i++)
		if (!is_added(&r->inits[i]))
			own.inits[own.ninits++] = r->inits[i];
	if (is_mpi(k) && str_eq(own.service_account.value, account))
		own.service_account.set = false;
	if (is_mpi(k) && words_are(&own.main.command, "sleep") && words_are(&own.main.args, "365d"))
		own.main.command.n = own.main.args.n = 0;
	if (r->grace.value.nano == 30 * QUANTITY_UNIT)
		own.grace.set = false;
	return own;
}

static void drop_member(struct object *map, const char *key)
{
	size_t n = 0;

	for (size_t i = 0; i < map->u.map.n; i++)
		if (!str_is(map->u.map.at[i].key, key))
			map->u.map.at[n++] = map->u.map.at[i];
	map->u.map.n = n;
}

static bool name_starts(const struct object *o, const char *prefix)
{
	const struct object *name = object_get(o, STR("name"));

	return name && name->kind == OBJECT_STRING && str_starts(name->u.string, str_of(prefix));
}

/* Removes from a list the elements that the operator adds itself; a list that becomes empty is removed. */
static void drop_elements(struct object *map, const char *key, const char *prefix)
{
	struct object *list = object_get(map, str_of(key));
	size_t n = 0;

	if (!list || list->kind != OBJECT_LIST)
		return;
	for (size_t i = 0; i < list->u.list.n; i++)
		if (!name_starts(list->u.list.at[i], prefix))
			list->u.list.at[n++] = list->u.list.at[i];
	list->u.list.n = n;
	if (!n)
		drop_member(map, key);
}

static void each_container(struct object *pod, const char *key)
{
	struct object *list = object_get(pod, str_of(key));

	for (size_t i = 0; list && i < list->u.list.n; i++) {
		drop_member(list->u.list.at[i], "terminationMessagePolicy");
		drop_elements(list->u.list.at[i], "volumeMounts", "mpi-job-");
	}
}

static void template_put(struct emit *e, const struct kind *k, const struct plan_role *r, struct object *spec)
{
	static const char *const ours[] = { "restartPolicy", "subdomain", "hostname", "enableServiceLinks" };
	struct object *template = PUT_MAP(e->arena, spec, "template", r->at);
	struct object *labels = object_map(e->arena, r->at), *annotations = object_map(e->arena, r->at),
		*metadata = NULL;
	struct plan_role own = own_role(e, k, r);

	emit_code_label(e, r, labels);
	emit_pairs(e->arena, labels, &e->job->labels, (struct span){ 0 });
	emit_pairs(e->arena, labels, &r->labels, (struct span){ 0 });
	emit_pairs(e->arena, annotations, &e->job->annotations, (struct span){ 0 });
	emit_pairs(e->arena, annotations, &r->annotations, (struct span){ 0 });
	if (emit_place_annotates(e->job, r))
		emit_place_annotations(e, r, annotations);
	if (labels->u.map.n || annotations->u.map.n)
		metadata = PUT_MAP(e->arena, template, "metadata", r->at);
	if (labels->u.map.n)
		object_append(e->arena, metadata, STR("labels"), labels);
	if (annotations->u.map.n)
		object_append(e->arena, metadata, STR("annotations"), annotations);
	struct object *pod = PUT_MAP(e->arena, template, "spec", r->at);
	emit_pod_spec(e, &own, pod);
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		drop_member(pod, ours[i]);
	if (own.raw_pod)
		raw_merge(e, RAW_POD, pod, own.raw_pod);
	emit_check_security(e, &own, pod);
	drop_elements(pod, "volumes", "mpi-job-");
	each_container(pod, "initContainers");
	each_container(pod, "containers");
}

/* ---- the spec ---- */

static const char *restart_text(const struct plan_role *r)
{
	if (r->retry_on.set)
		return "ExitCode";
	if (r->restart.set && str_is(r->restart.value, "always"))
		return "Always";
	return r->restart.set && str_is(r->restart.value, "on-failure") ? "OnFailure" : "Never";
}

static struct str role_key(const struct kind *k, const struct plan_role *r)
{
	for (size_t i = 0; i < ROLES && k->roles[i][0]; i++)
		if (str_is(r->name, k->roles[i][0]))
			return str_of(k->roles[i][1]);
	return r->name;
}

static void roles_put(struct emit *e, const struct kind *k, struct object *spec)
{
	const struct plan_job *j = e->job;
	struct object *map = object_map(e->arena, j->name_at);

	object_append(e->arena, spec, str_of(k->roles_key), map);
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (r->aux || !r->max)
			continue;
		struct object *role = object_map(e->arena, r->at);
		object_append(e->arena, map, role_key(k, r), role);
		PUT_INT(e->arena, role, "replicas", r->max, r->replicas_at);
		PUT_STR(e->arena, role, "restartPolicy", str_of(restart_text(r)), r->restart.from);
		template_put(e, k, r, role);
	}
}

/* Writes an argument under the name that it has in the resource. */
static void argument_put(struct emit *e, struct object *map, const char *key, const struct data *d)
{
	if (d && d->kind != DATA_NULL)
		object_append(e->arena, map, str_of(key), object_from_data(e->arena, d));
}

static struct str clean_text(const struct plan_job *j)
{
	return str_is(j->clean.value, "none") ? STR("None") : str_is(j->clean.value, "all") ? STR("All") :
		STR("Running");
}

/* Writes a setting of the argument `scheduling`, or else the job's own setting for its gang. */
static void scheduling_word(struct emit *e, struct object *o, const char *key, const char *name,
	const struct plan_str *of_job)
{
	const struct data *d = emit_gang_setting(e->job, name);

	if (d)
		argument_put(e, o, key, d);
	else if (of_job->set && emit_gang(e->job) == GANG_VOLCANO)
		object_append_word(e->arena, o, str_of(key), object_string(e->arena, of_job->value, of_job->from));
}

static void scheduling_put(struct emit *e, const struct data *d, struct object *policy)
{
	bool given = d && d->kind == DATA_MAP;
	struct object *o = object_map(e->arena, given ? d->from : emit_gang_place(e->job));

	argument_put(e, o, "minAvailable", emit_gang_setting(e->job, "min_available"));
	scheduling_word(e, o, "queue", "queue", &e->job->queue);
	argument_put(e, o, "minResources", emit_gang_setting(e->job, "min_resources"));
	scheduling_word(e, o, "priorityClass", "priority", &e->job->priority);
	argument_put(e, o, "scheduleTimeoutSeconds", emit_gang_setting(e->job, "timeout_s"));
	if (given || o->u.map.n)
		object_append_word(e->arena, policy, STR("schedulingPolicy"), o);
}

static void policy_put(struct emit *e, struct object *spec)
{
	const struct plan_job *j = e->job;
	struct object *policy = PUT_MAP(e->arena, spec, "runPolicy", j->name_at);

	PUT_STR(e->arena, policy, "cleanPodPolicy", clean_text(j), j->clean.from);
	if (j->ttl.set)
		PUT_INT(e->arena, policy, "ttlSecondsAfterFinished", emit_seconds(&j->ttl), j->ttl.from);
	if (j->timeout.set)
		PUT_INT(e->arena, policy, "activeDeadlineSeconds", emit_seconds(&j->timeout), j->timeout.from);
	argument_put(e, policy, "backoffLimit", framework_argument(j, "backoff_limit"));
	scheduling_put(e, framework_argument(j, "scheduling"), policy);
	PUT_BOOL(e->arena, policy, "suspend", (j->suspend.set && j->suspend.value) || emit_kueue(j), j->suspend.from);
	argument_put(e, policy, "managedBy", framework_argument(j, "managed_by"));
}

/* Writes bounds. A single bound counts for both; without bounds, both are the number of replicas. */
static void bounds_put(struct emit *e, const struct data *elastic, struct object *o)
{
	const struct data *min = data_get(elastic, STR("min")), *max = data_get(elastic, STR("max"));
	int64_t replicas = 1;

	for (size_t i = 0; i < e->job->nroles; i++)
		if (str_is(e->job->roles[i].name, "worker"))
			replicas = e->job->roles[i].max;
	min = min && min->kind == DATA_INT ? min : NULL;
	max = max && max->kind == DATA_INT ? max : NULL;
	PUT_INT(e->arena, o, "minReplicas", min ? min->u.integer : max ? max->u.integer : replicas, elastic->from);
	PUT_INT(e->arena, o, "maxReplicas", max ? max->u.integer : min ? min->u.integer : replicas, elastic->from);
}

static void elastic_put(struct emit *e, const struct kind *k, struct object *spec)
{
	static const char *const names[][2] = {
		{ "backend", "rdzvBackend" }, { "host", "rdzvHost" }, { "port", "rdzvPort" }, { "id", "rdzvId" },
	};
	const struct data *d = framework_argument(e->job, "elastic"), *conf = data_get(d, STR("conf")),
		*standalone = data_get(d, STR("standalone"));

	if (!d || d->kind != DATA_MAP)
		return;
	struct object *o = PUT_MAP(e->arena, spec, "elasticPolicy", d->from);
	bounds_put(e, d, o);
	for (size_t i = 0; i < 4 && str_is(str_of(k->kind), "PyTorchJob"); i++)
		argument_put(e, o, names[i][1], data_get(d, str_of(names[i][0])));
	if (conf && conf->kind == DATA_LIST && conf->u.list.n)
		argument_put(e, o, "rdzvConf", conf);
	argument_put(e, o, "maxRestarts", data_get(d, STR("max_restarts")));
	if (standalone && standalone->kind == DATA_BOOL && standalone->u.boolean)
		argument_put(e, o, "standalone", standalone);
	argument_put(e, o, "nProcPerNode", data_get(d, STR("nproc")));
	argument_put(e, o, "metrics", data_get(d, STR("metrics")));
}

static void kind_put(struct emit *e, const struct kind *k, struct object *spec)
{
	const struct plan_job *j = e->job;
	struct str kind = str_of(k->kind);
	const struct data *nproc = framework_argument(j, "nproc_per_node"),
		*success = framework_argument(j, "success_policy");
	const struct data *deprecated = data_get(framework_argument(j, "elastic"), STR("nproc"));

	if (str_is(kind, "TFJob")) {
		bool all = success && success->kind == DATA_STRING;
		PUT_STR(e->arena, spec, "successPolicy", all ? success->u.string : STR(""), j->name_at);
		argument_put(e, spec, "enableDynamicWorker", framework_argument(j, "dynamic_worker"));
	}
	if (str_is(kind, "PyTorchJob") && nproc && nproc->kind == DATA_STRING)
		argument_put(e, spec, "nprocPerNode", nproc);
	else if (str_is(kind, "PyTorchJob") && !(deprecated && deprecated->kind == DATA_INT))
		PUT_STR(e->arena, spec, "nprocPerNode", STR("auto"), j->name_at);
	argument_put(e, spec, "jobMode", framework_argument(j, "job_mode"));
	if (is_mpi(k)) {
		argument_put(e, spec, "slotsPerWorker", framework_argument(j, "slots_per_worker"));
		argument_put(e, spec, "mainContainer", framework_argument(j, "main_container"));
		PUT_STR(e->arena, spec, "cleanPodPolicy", clean_text(j), j->clean.from);
	}
	elastic_put(e, k, spec);
}

static struct object *job_make(struct emit *e, const struct manifest *m)
{
	const struct plan_job *whole = e->job;
	const struct kind *k = find_kind(whole);
	struct plan_job each = *whole;

	each.workload = WORKLOAD_OPERATED;
	e->job = &each;
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from);
	kind_put(e, k, spec);
	policy_put(e, spec);
	/* the operator itself makes the group of a scheduler, and the pods that join it; Kueue reads the templates */
	if (!emit_kueue(e->job))
		each.gang.value = STR("none");
	roles_put(e, k, spec);
	e->job = whole;
	return o;
}

/* ---- Services for users ---- */

/* Makes a Service that selects pods by the operator's labels. */
static struct object *service_make(struct emit *e, const struct manifest *m)
{
	struct object *o = emit_role_service_make(e, m),
		*selector = object_get(object_get(o, STR("spec")), STR("selector"));

	selector->u.map.n = 0;
	object_put(e->arena, selector, STR("training.kubeflow.org/job-name"),
		object_string(e->arena, e->job->name, e->job->name_at));
	object_put(e->arena, selector, STR("training.kubeflow.org/replica-type"),
		object_string(e->arena, m->role->label, m->role->at));
	return o;
}

static bool each_service(struct visiting *v, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		struct manifest m = each_manifest(r, "v1", "Service", r->object, service_make);
		if (r->max && !r->aux && r->service.set && !str_is(r->service.value, "none") && !each_one(v, &m))
			return false;
	}
	return true;
}

bool each_of_kubeflow(struct visiting *v, const struct plan_job *j)
{
	const struct kind *k = find_kind(j);

	if (!k)
		return true;            /* reported already */
	struct manifest m = each_manifest(NULL, "kubeflow.org/v1", k->kind, j->name, job_make);
	m.from = j->name_at;
	m.whole = m.queued = true;
	return each_service(v, j) && each_config_maps(v, j) && each_secrets(v, j) && each_claims(v, j) &&
		each_needed(v, j, false) && each_one(v, &m) && each_last(v, j);
}
