/*
 * volcano.c - reads Jobs of batch.volcano.sh/v1alpha1: each task is a role. A framework of the library sets in the
 * pods what Volcano's plugins set. It is the framework of PyTorch or TensorFlow if the tasks have the names of its
 * roles; otherwise it is std.volcano, which has the plugins as arguments.
 */
#include "import/import_set.h"

#include "kube/limits.h"

enum { MOST_ATTEMPTS = 3 };             /* default of maxRetry, which counts the first attempt too */

struct volcano {
	struct set set;
	const struct data *plugins;
	struct buf success;
};

static const struct data *tasks_of(const struct data *spec) { return member(spec, "tasks"); }

static struct str task_name(struct import *im, const struct data *spec, size_t i)
{
	struct str name = member_text(tasks_of(spec)->u.list.at[i], "name");

	return name.n ? name : str_printf(im->arena, "default%zu", i);
}

/* ---- rules ---- */

static const char *const actions[] = {
	"AbortJob", "RestartJob", "RestartTask", "RestartPod", "TerminateJob", "CompleteJob", "ResumeJob", "SyncJob",
	"EnqueueJob", "RestartPartition", NULL
};

static bool is_one_of(const char *const *words, struct str s)
{
	while (*words && !str_is(s, *words))
		words++;
	return *words != NULL;
}

static bool has_event(const struct data *p, struct str event);

static bool same_event(const struct data *a, const struct data *b)
{
	const struct data *events = member(a, "events");
	struct str one = member_text(a, "event");

	if (one.n && !str_is(one, "*") && has_event(b, one) && !has_event(b, STR("*")))
		return true;
	for (size_t i = 0; i < data_count(events); i++)
		if (has_event(b, events->u.list.at[i]->u.string))
			return true;
	return one.n && str_is(one, "*") && has_event(b, STR("*"));
}

static void policies_rule(struct import *im, const struct data *policies)
{
	for (size_t i = 0; i < data_count(policies); i++) {
		const struct data *p = policies->u.list.at[i], *code = member(p, "exitCode");
		bool event = member_text(p, "event").n || data_count(member(p, "events"));
		if (event && code)
			diag_report(im->diags, TJ1108, p->from, "a policy has an event or an exit code, not both");
		else if (!event && !code)
			diag_report(im->diags, TJ1108, p->from, "this policy has neither an event nor an exit code");
		if (code && code->u.integer == 0)
			diag_report(im->diags, TJ1108, code->from, "0 is not the exit code of a failure");
		for (size_t k = 0; k < i; k++)
			if (event && same_event(p, policies->u.list.at[k]))
				diag_note(im->diags,
					diag_report(im->diags, TJ1108, p->from, "two policies are for one event"),
					policies->u.list.at[k]->from, "the other one");
		if (!is_one_of(actions, member_text(p, "action")))
			diag_report(im->diags, TJ1108, p->from, "unknown action '%.*s'",
				STR_ARG(member_text(p, "action")));
	}
}

static void task_rule(const struct import_manifest *m, size_t i)
{
	struct import *im = m->im;
	const struct data *task = tasks_of(m->spec)->u.list.at[i], *replicas = member(task, "replicas"),
		*least = member(task, "minAvailable");
	struct str name = task_name(im, m->spec, i);

	if (!kube_dns_label(str_cat(im->arena, STR("a"), name, STR(""))))
		diag_report(im->diags, TJ1106, task->from, "no task can be called '%.*s'", STR_ARG(name));
	replica_count_rule(im, replicas, name);
	if (least && least->u.integer > member_int(task, "replicas", 0))
		diag_report(im->diags, TJ1106, least->from, "'minAvailable' of '%.*s' is more than its replicas",
			STR_ARG(name));
	for (size_t k = 0; k < i; k++) {
		if (!str_eq(task_name(im, m->spec, k), name))
			continue;
		struct diag *d = diag_report(im->diags, TJ1106, task->from, "two tasks are named '%.*s'",
			STR_ARG(name));
		diag_note(im->diags, d, tasks_of(m->spec)->u.list.at[k]->from, "the other one");
		break;
	}
	policies_rule(im, member(task, "policies"));
}

static void volumes_rule(struct import *im, const struct data *volumes)
{
	struct map paths = { 0 };

	for (size_t i = 0; i < data_count(volumes); i++) {
		const struct data *v = volumes->u.list.at[i];
		if (map_put(&paths, im->arena, member_text(v, "mountPath"), im))
			diag_report(im->diags, TJ1108, v->from, "two volumes are mounted at '%.*s'",
				STR_ARG(member_text(v, "mountPath")));
		if (member(v, "volumeClaim") && member_text(v, "volumeClaimName").n)
			diag_report(im->diags, TJ1108, v->from,
				"a volume has a 'volumeClaim' or the name of one, not both");
		else if (!member(v, "volumeClaim") && !member_text(v, "volumeClaimName").n)
			diag_report(im->diags, TJ1108, v->from, "this volume has no claim");
	}
}

static bool check_volcano(const struct import_manifest *m)
{
	struct import *im = m->im;
	const struct data *tasks = tasks_of(m->spec), *least = member(m->spec, "minAvailable");
	size_t errors = im->diags->errors + im->diags->muted_errors;
	int64_t total = 0;

	if (!data_count(tasks))
		diag_report(im->diags, TJ1106, m->at, "this Job has no tasks");
	for (size_t i = 0; i < data_count(tasks); i++) {
		task_rule(m, i);
		/* numbers out of range have already been reported */
		total += member_int(tasks->u.list.at[i], "replicas", 0) & INT32_MAX;
	}
	if (least && (least->u.integer < 0 || least->u.integer > total))
		diag_report(im->diags, TJ1106, least->from,
			"'minAvailable' is more than the %lld replicas of all tasks", (long long)total);
	policies_rule(im, member(m->spec, "policies"));
	volumes_rule(im, member(m->spec, "volumes"));
	return im->diags->errors + im->diags->muted_errors == errors;
}

/* ---- roles ---- */

static const struct pod_label labels[] = { { "volcano.sh/job-name", LABEL_OF_JOB },
	{ "volcano.sh/task-spec", LABEL_OF_ROLE }, { NULL, LABEL_KEPT } };

static void read_tasks(struct volcano *v)
{
	struct set *s = &v->set;
	struct import *im = s->m.im;
	const struct data *tasks = tasks_of(s->m.spec);

	s->n = data_count(tasks);
	s->roles = ARENA_ARRAY(im->arena, struct set_role, s->n);
	for (size_t i = 0; i < s->n; i++) {
		const struct data *task = tasks->u.list.at[i], *replicas = member(task, "replicas");
		struct set_role *r = &s->roles[i];
		*r = (struct set_role){ .name = task_name(im, s->m.spec, i), .template = member(task, "template"),
			.place = task->from, .jobs = 1 };
		r->per = member_int(task, "replicas", 0);
		r->count_at = replicas ? span_join(member_at(task, "replicas"), replicas->from) : (struct span){ 0, 0 };
		r->fields[0] = (struct role_field){ "metadata.annotations['volcano.sh/task-index']", STR("pod.index"),
			NULL };
		r->fields[1] = (struct role_field){ "metadata.labels['volcano.sh/task-index']", STR("pod.index"),
			NULL };
		r->fields[2] = (struct role_field){ "metadata.annotations['volcano.sh/task-spec']",
			str_printf(im->arena, "\"%.*s\"", STR_ARG(r->name)), NULL };
		r->fields[3] = (struct role_field){ "metadata.labels['volcano.sh/task-spec']", r->fields[2].code,
			NULL };
	}
	set_words(s);
	s->job->labels_of = labels;
	for (size_t i = 0; i < s->n; i++)
		set_hosts(s, &s->roles[i], str_printf(im->arena, "%.*s-%.*s-", STR_ARG(s->m.name),
			STR_ARG(s->roles[i].name)), POD_PLAIN, s->m.name);
}

/* Did trainc write the Job? Then the least number of pods of a task is the program's. */
static bool is_own_volcano(const struct volcano *v)
{
	const struct data *own = member(v->set.m.metadata, "labels");

	return str_is(member_text(own, "app.kubernetes.io/managed-by"), "trainc") &&
		member_text(own, "trainc.dev/job").n;
}

/* Writes the least number of pods: none of an auxiliary role, and less than all of an elastic one. */
static void read_least(struct volcano *v, struct set_role *r, const struct data *task)
{
	struct arena *a = v->set.m.im->arena;
	int64_t least = member_int(task, "minAvailable", r->per);
	struct line *replicas = lines_find(r->body, STR("replicas"));

	if (least == r->per || !is_own_volcano(v))
		return;
	if (!least && !data_count(member(task, "policies")))
		r->line->key = str_cat(a, STR("aux "), r->word, STR(""));
	else if (replicas)
		replicas->value = expr_text(a, str_printf(a, "%lld:%lld", (long long)least, (long long)r->per));
	else
		lines_set(a, r->body, STR("replicas"), expr_text(a, str_printf(a, "%lld:%lld", (long long)least,
			(long long)r->per)), r->count_at);
}

/* ---- plugins ---- */

/* Returns the value of --NAME=VALUE in a plugin's arguments. */
static struct str plugin_argument(const struct data *plugin, const char *name, const char *fallback)
{
	for (size_t i = 0; i < data_count(plugin); i++) {
		struct str s = plugin->u.list.at[i]->kind == DATA_STRING ? plugin->u.list.at[i]->u.string : STR("");
		while (s.n && *s.p == '-')
			s = (struct str){ s.p + 1, s.n - 1 };
		if (str_starts(s, str_of(name)) && s.n > strlen(name) && s.p[strlen(name)] == '=')
			return (struct str){ s.p + strlen(name) + 1, s.n - strlen(name) - 1 };
	}
	return str_of(fallback);
}

/* Adds an argument of the library's framework from the plugin of that name, with its comments. */
static void plugin(struct volcano *v, struct expr *call, const char *name, struct expr *value, const char *plugin)
{
	struct import *im = v->set.m.im;
	const struct data *d = member(v->plugins, plugin);
	struct line *line = lines_set(im->arena, &call->items, str_of(name), value, member_at(v->plugins, plugin));

	if (d)
		import_comments(im, line, span_join(line->from, d->from));
}

/*
 * Passes the framework the names of tasks whose roles have other names; a difference between '-' and '_' does not
 * count.
 */
static void task_names(struct volcano *v, struct expr *call)
{
	const struct set *s = &v->set;
	struct arena *a = s->m.im->arena;
	struct expr *names = expr_new(a, EXPR_BODY);

	for (size_t i = 0; i < s->n; i++)
		if (!str_eq(word_text(a, s->roles[i].name), s->roles[i].word))
			lines_set(a, &names->items, key_text(a, s->roles[i].word), expr_string(a, s->roles[i].name),
				s->roles[i].place);
	if (names->items.n)
		lines_set(a, &call->items, STR("names"), names, s->m.at);
}

/* Does the plugin only name the hosts of the pods, as in what trainc writes? Then no variable has their names. */
static bool names_hosts_only(const struct volcano *v)
{
	return is_own_volcano(v) && !member(v->plugins, "mpi") &&
		str_is(plugin_argument(member(v->plugins, "svc"), "inject-hosts-env", ""), "false");
}

/* Makes the call of the library's framework with these plugins; NULL if the job has no such plugin. */
static struct expr *plugins_framework(struct volcano *v)
{
	struct arena *a = v->set.m.im->arena;
	struct expr *call = expr_call(a, STR("volcano.plugins"));
	const struct data *mpi = member(v->plugins, "mpi"), *ssh = member(v->plugins, "ssh");

	if (mpi || (member(v->plugins, "svc") && !names_hosts_only(v)))
		plugin(v, call, "svc", expr_text(a, STR("true")), member(v->plugins, "svc") ? "svc" : "mpi");
	if (member(v->plugins, "env"))
		plugin(v, call, "index", expr_text(a, STR("true")), "env");
	if (mpi || ssh)
		plugin(v, call, "ssh", expr_string(a, plugin_argument(ssh, "ssh-key-file-path", "/root/.ssh")),
			ssh ? "ssh" : "mpi");
	if (mpi) {
		struct str task = plugin_argument(mpi, "worker", "worker");
		const struct set_role *worker = set_find(&v->set, task);
		plugin(v, call, "mpi", expr_string(a, worker ? worker->word : task), "mpi");
	}
	if (!call->items.n)
		return NULL;
	task_names(v, call);
	job_use(v->set.m.im, v->set.job, STR("volcano"));
	return call;
}

/* Are the roles of the set those of a framework? Then the framework is used in place of the plugin. */
static bool roles_are(const struct set *s, const char *a, const char *b, const char *c, const char *d)
{
	const char *words[] = { a, b, c, d };

	for (size_t i = 0; i < s->n; i++) {
		bool known = false;
		for (size_t k = 0; k < 4; k++)
			known = known || (words[k] && str_is(s->roles[i].word, words[k]));
		if (!known)
			return false;
	}
	return true;
}

static struct expr *standard(struct volcano *v, const char *module, const char *name, struct str port,
	const char *usual)
{
	struct arena *a = v->set.m.im->arena;
	struct expr *call = expr_call(a, str_printf(a, "%s.%s", module, name));

	v->set.all_replicas = true;
	job_use(v->set.m.im, v->set.job, str_of(module));
	if (!str_is(port, usual))
		lines_set(a, &call->items, STR("port"), expr_text(a, port), v->set.m.at);
	return call;
}

static struct expr *standard_framework(struct volcano *v)
{
	struct set *s = &v->set;
	const struct data *torch = member(v->plugins, "pytorch"), *tensorflow = member(v->plugins, "tensorflow");

	if (torch && str_is(plugin_argument(torch, "master", "master"), "master") &&
	    str_is(plugin_argument(torch, "worker", "worker"), "worker") &&
	    roles_are(s, "master", "worker", NULL, NULL)) {
		s->no_shm = true;
		return standard(v, "pytorch", "env", plugin_argument(torch, "port", "23456"), "29500");
	}
	if (tensorflow && roles_are(s, "ps", "worker", "chief", "evaluator"))
		return standard(v, "tensorflow", "cluster_spec", plugin_argument(tensorflow, "port", "2222"), "2222");
	return NULL;
}

/* Makes the call of the job's framework; NULL if the job needs no framework. */
static struct expr *volcano_framework(struct volcano *v)
{
	struct import *im = v->set.m.im;
	struct expr *call = standard_framework(v);

	for (size_t i = 0; i < data_count(v->plugins); i++) {
		const struct data_member *m = &v->plugins->u.map.at[i];
		static const char *const known[] = { "svc", "env", "ssh", "mpi", NULL };
		if (call && is_one_of(known, m->key) && !str_is(m->key, "svc"))
			import_left_out(im, m->key_at, m->key,
				"the framework of the job says what its replicas know of each other");
		else if (!call && !is_one_of(known, m->key))
			import_left_out(im, m->key_at, m->key,
				"no framework of the library fits the tasks: write in the program what the plugin "
				"does");
	}
	return call ? call : plugins_framework(v);
}

/* ---- policies ---- */

static bool has_event(const struct data *p, struct str event)
{
	const struct data *events = member(p, "events");

	if (str_eq(member_text(p, "event"), event) || str_is(member_text(p, "event"), "*"))
		return true;
	for (size_t i = 0; i < data_count(events); i++)
		if (str_eq(events->u.list.at[i]->u.string, event) || str_is(events->u.list.at[i]->u.string, "*"))
			return true;
	return false;
}

static void put_volcano_int(struct import *im, struct lines *to, const char *field, int64_t n, struct span at)
{
	if (n > 0 && !lines_find(to, str_of(field)))
		import_comments(im, lines_set(im->arena, to, str_of(field), expr_int(im->arena, n), at), at);
}

/* Reads the number of retries. A pod that restarts in place never fails, so retries would never be counted. */
static bool read_task_retries(struct volcano *v, struct set_role *only, int64_t most, struct span at)
{
	bool any = false;

	for (size_t i = 0; i < v->set.n; i++) {
		struct set_role *r = &v->set.roles[i];
		if ((only && r != only) || lines_find(r->body, STR("restart")))
			continue;
		put_volcano_int(v->set.m.im, r->body, "retries", most, at);
		any = true;
	}
	return any;
}

/* Reads the part of a policy that is about failed pods; evicted pods are always replaced. */
static bool failure_policy(struct volcano *v, const struct data *p, struct set_role *r)
{
	struct str action = member_text(p, "action");
	int64_t attempts = member_int(v->set.m.spec, "maxRetry", 0), most = (attempts ? attempts : MOST_ATTEMPTS) - 1;
	bool failed = has_event(p, STR("PodFailed")) || has_event(p, STR("TaskFailed"));

	if (str_is(action, "AbortJob") || str_is(action, "TerminateJob"))
		return failed;          /* the policy requests what already happens by default */
	if (!failed)
		return str_is(action, "RestartPod");
	if (str_is(action, "RestartPod"))
		return read_task_retries(v, r, most, p->from);
	if (!str_is(action, "RestartJob"))
		return false;
	put_volcano_int(v->set.m.im, v->set.body, "restarts", most, p->from);
	return true;
}

/* Reads one policy: a policy of a role, or of the job if R is NULL. */
static bool policy(struct volcano *v, const struct data *p, struct set_role *r)
{
	bool every = has_event(p, STR("*")), failed = has_event(p, STR("PodFailed")) ||
		has_event(p, STR("PodEvicted")) || has_event(p, STR("TaskFailed"));

	if (member(p, "timeout") || member(p, "exitCode"))
		return false;
	if (str_is(member_text(p, "action"), "CompleteJob") && has_event(p, STR("TaskCompleted")) && r) {
		set_condition(&v->success, "done", r, false, "or");
		return true;
	}
	if (!failed || (!every && (has_event(p, STR("Unknown")) || has_event(p, STR("PodPending")))))
		return false;
	return failure_policy(v, p, r);
}

static void policies(struct volcano *v, const struct data *list, struct set_role *r)
{
	for (size_t i = 0; i < data_count(list); i++)
		if (!policy(v, list->u.list.at[i], r))
			import_left_out(v->set.m.im, list->u.list.at[i]->from,
				member_text(list->u.list.at[i], "action"),
				"'restarts', 'success' and 'timeout' of the job and 'retries' and 'retry_on' of its "
				"roles say what happens");
}

/* ---- fields ---- */

/* Reads the volumes that are mounted in all pods; a claim that the job itself makes becomes an object of the job. */
static void read_volcano_volumes(struct volcano *v)
{
	struct set *s = &v->set;
	struct import *im = s->m.im;
	struct arena *a = im->arena;
	const struct data *list = member(s->m.spec, "volumes");

	for (size_t i = 0; i < data_count(list); i++) {
		const struct data *d = list->u.list.at[i];
		struct str name = member_text(d, "volumeClaimName");
		if (!name.n)
			name = str_printf(a, "%.*s-volume-%zu", STR_ARG(s->m.name), i);
		struct expr *call = expr_call(a, STR("pvc"));
		lines_add(a, &call->items, expr_string(a, name), d->from);
		struct line *line = lines_set(a, lines_block(a, s->body, STR("mounts"), d->from),
			key_text(a, member_text(d, "mountPath")), call, d->from);
		if (member(d, "volumeClaim")) {
			struct lines *object = lines_extend(a, s->body, str_printf(a, "object volume_%zu", i), d->from);
			lines_set(a, object, STR("apiVersion"), expr_string(a, STR("v1")), d->from);
			lines_set(a, object, STR("kind"), expr_string(a, STR("PersistentVolumeClaim")), d->from);
			lines_set(a, lines_extend(a, object, STR("metadata"), d->from), STR("name"),
				expr_string(a, name), d->from);
			raw_member(im, object, STR("spec"), member(d, "volumeClaim"), d->from);
			object->at[object->n - 1]->form = LINE_EXTEND;
		}
		import_comments(im, line, d->from);
	}
}

static void read_volcano_text(struct volcano *v, const char *field, const char *key, const char *usual)
{
	struct import *im = v->set.m.im;
	const struct data *d = member(v->set.m.spec, key);

	if (!d || !d->u.string.n || str_is(d->u.string, usual))
		return;
	struct span at = span_join(member_at(v->set.m.spec, key), d->from);
	import_comments(im, lines_set(im->arena, v->set.body, str_of(field), expr_string(im->arena, d->u.string), at),
		at);
}

/* Reads the gang: by default all pods start together; `minAvailable` may allow fewer. */
static void gang(struct volcano *v)
{
	struct set *s = &v->set;
	struct import *im = s->m.im;
	const struct data *least = member(s->m.spec, "minAvailable");
	struct str scheduler = member_text(s->m.spec, "schedulerName"), queue = member_text(s->m.spec, "queue");
	bool own = is_own_volcano(v);   /* without a gang, trainc writes 1 pod and Volcano's scheduler */
	int64_t total = 0, pods = 0;

	for (size_t i = 0; i < s->n; i++)
		pods += s->roles[i].per;
	for (size_t i = 0; i < s->n; i++)
		total += own ? member_int(tasks_of(s->m.spec)->u.list.at[i], "minAvailable", s->roles[i].per) :
			s->roles[i].per;
	if (!scheduler.n)
		scheduler = STR("volcano");
	if (least && least->u.integer <= 1 && (total > 1 || (own && pods == 1)) && !queue.n) {
		if (!own || !str_is(scheduler, "volcano"))
			lines_set(im->arena, s->body, STR("scheduler"), expr_string(im->arena, scheduler), least->from);
		return;
	}
	if (least && least->u.integer < total && total > 1)
		import_left_out(im, member_at(s->m.spec, "minAvailable"), STR("minAvailable"),
			"all replicas start together or none does");
	if (!str_is(scheduler, "volcano")) {
		read_volcano_text(v, "scheduler", "schedulerName", "");
		if (queue.n && !str_is(queue, "default"))
			import_left_out(im, member_at(s->m.spec, "queue"), STR("queue"),
				"it is one of Volcano's gangs, which another scheduler does not know");
		return;
	}
	lines_set(im->arena, s->body, STR("gang"), expr_string(im->arena, STR("volcano")),
		least ? member_at(s->m.spec, "minAvailable") : s->m.at);
	struct line *kueue = lines_take(s->body, STR("queue"));
	s->job->queued = false;
	if (kueue)
		import_left_out(im, kueue->from, STR("kueue.x-k8s.io/queue-name"),
			"the gang waits in a queue of Volcano");
	read_volcano_text(v, "queue", "queue", "default");
}

/*
 * Does the job ask for pods close together, at any level? This becomes `pack`, if a gang of Volcano starts the job.
 * Other settings stay unread: mode "hard" limits the tier, a number, and a manifest does not show which level of the
 * cluster has that tier.
 */
static bool packs(struct volcano *v)
{
	struct set *s = &v->set;
	const struct data *topology = member(s->m.spec, "networkTopology");
	bool soft = topology && topology->u.map.n == 1 && str_is(member_text(topology, "mode"), "soft");

	if (!soft || !lines_find(s->body, STR("gang")))
		return false;
	struct span at = span_join(member_at(s->m.spec, "networkTopology"), topology->from);
	import_comments(s->m.im, lines_set(s->m.im->arena, s->body, STR("place"),
		expr_text(s->m.im->arena, STR("pack")), at), at);
	return true;
}

static void report_volcano_rest(struct volcano *v)
{
	static const char *const known[] = {
		"tasks", "minAvailable", "schedulerName", "queue", "plugins", "policies", "maxRetry",
		"priorityClassName", "ttlSecondsAfterFinished", "volumes", NULL
	};
	static const char *const of_task[] = { "name", "replicas", "template", "policies", "dependsOn", NULL };
	struct import *im = v->set.m.im;
	const struct data *spec = v->set.m.spec, *tasks = tasks_of(spec);
	bool packed = packs(v), own = is_own_volcano(v);

	for (size_t i = 0; i < data_count(spec); i++)
		if (!is_one_of(known, spec->u.map.at[i].key) &&
			!(packed && str_is(spec->u.map.at[i].key, "networkTopology")))
			import_left_out(im, spec->u.map.at[i].key_at, spec->u.map.at[i].key,
				"a program cannot express it");
	for (size_t i = 0; i < data_count(tasks); i++) {
		const struct data *task = tasks->u.list.at[i];
		for (size_t k = 0; k < task->u.map.n; k++) {
			const struct data_member *m = &task->u.map.at[k];
			bool all = str_is(m->key, "minAvailable") &&
				(own || m->value->u.integer == v->set.roles[i].per);
			if (!is_one_of(of_task, m->key) && !all)
				import_left_out(im, m->key_at, m->key, "a program cannot express it");
		}
	}
}

static void read_volcano_fields(struct volcano *v)
{
	struct set *s = &v->set;

	gang(v);
	read_volcano_text(v, "priority", "priorityClassName", "");
	job_seconds(s->m.im, s->body, "ttl", s->m.spec, "ttlSecondsAfterFinished");
	read_volcano_volumes(v);
	report_volcano_rest(v);
}

/* ---- bodies ---- */

static void read_depends_on(struct volcano *v, const struct data *task, struct set_role *r)
{
	struct import *im = v->set.m.im;
	const struct data *depends = member(task, "dependsOn"), *names = member(depends, "name");
	bool any = str_is(member_text(depends, "iteration"), "any");
	struct buf out = { 0 };

	for (size_t i = 0; i < data_count(names); i++) {
		const struct data *d = names->u.list.at[i];
		const struct set_role *other = set_find(&v->set, d->u.string);
		if (other)
			set_condition(&out, "ready", other, false, any ? "or" : "and");
		else
			diag_report(im->diags, TJ1106, d->from, "unknown task '%.*s'", STR_ARG(d->u.string));
	}
	if (out.n)
		import_comments(im, lines_set(im->arena, r->body, STR("start_after"),
			expr_text(im->arena, str_copy(im->arena, buf_text(&out))), depends->from), depends->from);
	buf_release(&out);
}

static bool bodies(struct volcano *v)
{
	struct set *s = &v->set;
	const struct data *tasks = tasks_of(s->m.spec);
	bool ok = true;

	for (size_t i = 0; i < s->n; i++) {
		ok = set_role_open(s, &s->roles[i]) && ok;
		/* the scheduler is set for the whole job */
		lines_drop(s->m.im->arena, s->roles[i].line, STR("scheduler"));
		read_least(v, &s->roles[i], tasks->u.list.at[i]);
		read_depends_on(v, tasks->u.list.at[i], &s->roles[i]);
		policies(v, member(tasks->u.list.at[i], "policies"), &s->roles[i]);
	}
	policies(v, member(s->m.spec, "policies"), NULL);
	return ok;
}

/*
 * Writes the success rule: the job succeeds when the tasks with a completion policy do. Without such tasks it
 * succeeds when all tasks do, which is the default.
 */
static void success(struct volcano *v)
{
	struct set *s = &v->set;
	struct arena *a = s->m.im->arena;

	if (v->success.n)
		lines_set(a, s->body, STR("success"), expr_text(a, str_copy(a, buf_text(&v->success))), s->m.at);
	buf_release(&v->success);
}

static bool read_volcano(struct import *im, const struct import_kind *k, const struct data *object,
	struct imported *job)
{
	struct volcano v = { .set.job = job };
	size_t errors = im->diags->errors;

	if (!manifest_open(im, k, object, "batch.volcano.sh.v1alpha1.Job", false, &v.set.m) ||
	    im->diags->errors != errors || !check_volcano(&v.set.m))
		return false;
	v.plugins = member(v.set.m.spec, "plugins");
	read_tasks(&v);
	struct expr *call = volcano_framework(&v);
	v.set.body = job_new(&v.set.m, job, call);
	read_volcano_fields(&v);
	if (!bodies(&v)) {
		buf_release(&v.success);
		return false;
	}
	success(&v);
	set_finish(&v.set);
	return true;
}

const struct import_kind volcano_kinds[] = {
	{ "Job", "batch.volcano.sh/v1alpha1", read_volcano, false, IMPORT_JOB },
	{ 0 }
};
