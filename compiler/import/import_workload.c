/*
 * import_workload.c - reads pods and Jobs of Kubernetes itself: one pod becomes single.task, several become a role of a
 * job without a framework.
 */
#include "import/import_role.h"

#include "plan/plan.h"

#define JOB_INDEX "metadata.annotations['batch.kubernetes.io/job-completion-index']"

static const struct role_kind pod_kind = { NULL, NULL, NULL, 0, NULL, false };
static const struct role_kind job_kind = { NULL, NULL, NULL, 0, JOB_INDEX, false };

struct import_workload {
	struct import_manifest m;
	struct imported *job;
	const struct role_kind *kind;
	const struct data *template;    /* the map with the pod's metadata and spec */
	int64_t replicas;
	bool new_pods;                  /* each attempt runs in a new pod */
};

bool role_can_run(struct import *im, const struct data *template, struct span at)
{
	const struct data *containers = member(member(template, "spec"), "containers");
	bool ok = data_count(containers) > 0;

	for (size_t i = 0; i < data_count(containers); i++) {
		if (member_text(containers->u.list.at[i], "image").n)
			continue;
		diag_report(im->diags, TJ1107, containers->u.list.at[i]->from, "this container has no image");
		ok = false;
	}
	if (!data_count(containers))
		diag_report(im->diags, TJ1107, at, "this pod has no containers");
	return ok;
}

void role_restart(struct import *im, struct lines *role, bool in_place, struct span at)
{
	struct line *line = lines_find(role, STR("restart"));

	if (!line && in_place) {
		lines_set(im->arena, role, STR("restart"), expr_string(im->arena, STR("on-failure")), at);
		return;
	}
	if (line)
		at = line->from;
	if (line && str_is(line->value->pieces[0].text, "never") && !line->ncomments)
		lines_take(role, line->key);    /* "never" is the default, so it is left out without a report */
	if (line && !str_is(line->value->pieces[0].text, "always"))
		return;
	if (line) {
		line->value = expr_string(im->arena, STR("on-failure"));
	} else {
		lines_set(im->arena, role, STR("restart"), expr_string(im->arena, STR("on-failure")), at);
		lines_sort(role);
	}
	diag_report(im->diags, TJ1111, at,
		"a pod that always restarts never ends; the program says restart = \"on-failure\"");
}

static bool finish_workload(struct import_workload *w, struct lines *body, const char *word)
{
	struct import *im = w->m.im;
	struct lines top = { 0 };
	struct role_reading r = { .im = im, .job = w->job, .kind = w->kind, .word = str_of(word),
		.replicas = w->replicas };

	r.role = lines_extend(im->arena, &top, str_cat(im->arena, STR("role "), r.word, STR("")),
		w->m.spec ? w->m.spec->from : w->m.at);
	if (w->replicas != 1)
		lines_set(im->arena, r.role, STR("replicas"), expr_int(im->arena, w->replicas), w->m.at);
	if (!role_read(&r, w->template))
		return false;
	if (w->new_pods)
		lines_drop(im->arena, top.at[0], STR("restart"));
	else
		role_restart(im, r.role, false, w->m.at);
	struct job_role role = { top.at[0], w->template->from };
	job_finish(&w->m, w->job, body, &role, 1);
	return true;
}

static struct lines *open(struct import_workload *w)
{
	struct import *im = w->m.im;
	struct arena *a = im->arena;

	if (w->replicas != 1)
		return job_new(&w->m, w->job, NULL);
	job_use(im, w->job, STR("single"));
	return job_new(&w->m, w->job, expr_text(a, STR("single.task")));
}

static bool read_pod(struct import *im, const struct import_kind *k, const struct data *object, struct imported *job)
{
	struct import_workload w = { .job = job, .kind = &pod_kind, .replicas = 1 };
	size_t errors = im->diags->errors;
	struct data *bare = ARENA_NEW(im->arena, struct data);
	struct data_member *spec = ARENA_NEW(im->arena, struct data_member);

	if (!manifest_open(im, k, object, "core.v1.Pod", false, &w.m))
		return false;
	/* labels and annotations of the pod become those of the job */
	*spec = (struct data_member){ STR("spec"), member_at(w.m.object, "spec"), w.m.spec };
	*bare = (struct data){ .kind = DATA_MAP, .from = w.m.spec ? w.m.spec->from : w.m.object->from,
		.u.map = { spec, w.m.spec ? 1 : 0 } };
	w.template = bare;
	if (!role_can_run(im, w.template, w.m.at) || im->diags->errors != errors)
		return false;
	return finish_workload(&w, open(&w), "task");
}

/* ---- Jobs ---- */

/* Is it the rule for lost nodes? The compiler always writes this rule if nothing restarts in place. */
static bool ignores_disruptions(const struct data *policy)
{
	const struct data *rules = member(policy, "rules"), *rule = data_count(rules) == 1 ? rules->u.list.at[0] : NULL,
		*conditions = member(rule, "onPodConditions");

	return data_count(rule) == 2 && str_is(member_text(rule, "action"), "Ignore") && data_count(conditions) == 1 &&
		str_is(member_text(conditions->u.list.at[0], "type"), "DisruptionTarget");
}

/* Does a rule, as trainc writes it too, end the Job or the replica at exit codes, but not after the loss of a node? */
static bool reads_codes(const struct data *rule, bool final[256])
{
	const struct data *on = member(rule, "onExitCodes"), *values = member(on, "values"),
		*conditions = member(rule, "onPodConditions");
	bool in = str_is(member_text(on, "operator"), "In");

	if (!on)
		return str_is(member_text(rule, "action"), "Ignore") && data_count(conditions) == 1 &&
			str_is(member_text(conditions->u.list.at[0], "type"), "DisruptionTarget");
	if (!str_is(member_text(rule, "action"), "FailJob") && !str_is(member_text(rule, "action"), "FailIndex"))
		return false;
	for (int64_t code = 1; code < 256; code++) {
		bool named = false;
		for (size_t k = 0; k < data_count(values) && !named; k++)
			named = values->u.list.at[k]->u.integer == code;
		final[code] = final[code] || named == in;
	}
	return true;
}

/* Writes the exit codes that a policy does not treat as final as `retry_on`. Returns false for other policies. */
static bool write_retry_on(struct import *im, const struct data *policy, struct lines *to)
{
	const struct data *rules = member(policy, "rules");
	struct plan_codes *codes = ARENA_NEW(im->arena, struct plan_codes);
	bool final[256] = { true };

	for (size_t i = 0; i < data_count(rules); i++)
		if (!reads_codes(rules->u.list.at[i], final))
			return false;
	for (int64_t code = 1; code < 256; code++)
		if (!final[code])
			plan_codes_add(codes, code, code);
	if (!lines_find(to, STR("retries")))
		return true;            /* the first failure is final, whatever its code */
	struct str text = plan_codes_text(im->arena, codes, ", ");
	if (!text.n || str_is(text, "1..255"))
		return false;
	lines_set(im->arena, to, STR("retry_on"), expr_text(im->arena, str_cat(im->arena, STR("["), text, STR("]"))),
		policy->from);
	return true;
}

/* Reports fields of a Job that the program cannot express. */
static void batch_rest(struct import *im, const struct data *spec, struct lines *to)
{
	static const char *const known[] = {
		"template", "completions", "parallelism", "completionMode", "backoffLimit", "backoffLimitPerIndex",
		"activeDeadlineSeconds", "ttlSecondsAfterFinished", "suspend", "selector", "manualSelector",
	};
	const struct data *selector = member(spec, "selector");

	for (size_t i = 0; i < data_count(spec); i++) {
		const struct data_member *m = &spec->u.map.at[i];
		bool said = false;
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			said = said || str_is(m->key, known[k]);
		/* with a podFailurePolicy "Failed" is the only value, which the API server sets itself */
		said = said || (str_is(m->key, "podReplacementPolicy") && member(spec, "podFailurePolicy") &&
			str_is(member_text(spec, "podReplacementPolicy"), "Failed"));
		/* a replica that has failed for good ends the role anyway */
		said = said || (str_is(m->key, "maxFailedIndexes") && !member_int(spec, "maxFailedIndexes", 1));
		if (!said && str_is(m->key, "podFailurePolicy"))
			said = ignores_disruptions(m->value) || write_retry_on(im, m->value, to);
		if (!said)
			import_left_out(im, m->key_at, m->key,
				"the program has its own fields for the end of a job and for retries");
	}
	/* any selector that the API server wrote has already been removed: see import_live.c */
	if (selector)
		import_left_out(im, member_at(spec, "selector"), STR("selector"),
			"each Job selects its own pods by a label that the API server adds");
}

enum { USUAL_BACKOFF_LIMIT = 6 };       /* default of a Job's backoffLimit */

/*
 * Writes the attempts of the whole Job as retries of its replicas. A Job also counts restarts by the kubelet, while
 * the language counts new pods only. Returns true if the kubelet restarted the replicas: in the program they restart
 * in new pods.
 */
static bool write_backoff(struct import *im, const struct data *spec, struct lines *to)
{
	const struct data *each = member(spec, "backoffLimitPerIndex"),
		*limit = each ? each : member(spec, "backoffLimit");
	const char *key = each ? "backoffLimitPerIndex" : "backoffLimit";
	bool in_place = !str_is(member_text(member(member(spec, "template"), "spec"), "restartPolicy"), "Never");
	int64_t n = limit ? limit->u.integer : USUAL_BACKOFF_LIMIT;

	if (in_place && n >= INT32_MAX)
		return false;           /* unlimited */
	if (in_place && limit && n > 0)
		diag_report(im->diags, TJ1111, limit->from,
			"restarts in place are counted by Jobs alone; the program says retries = %lld, in new pods",
			(long long)n);
	int64_t replicas = member_int(spec, "completions", member_int(spec, "parallelism", 1));

	if (!each && limit && n > 0 && n != USUAL_BACKOFF_LIMIT && replicas > 1)
		diag_report(im->diags, TJ1111, limit->from,
			"'backoffLimit' counts the failures of all replicas together; the program gives each replica "
			"%lld retries", (long long)n);
	if (n > 0) {
		struct span at = limit ? span_join(member_at(spec, key), limit->from) : member_at(spec, key);
		struct line *line = lines_set(im->arena, to, STR("retries"), expr_int(im->arena, n), at);
		if (limit)
			import_comments(im, line, at);
	}
	return in_place;
}

bool replica_count_rule(struct import *im, const struct data *n, struct str name)
{
	if (!n || (n->u.integer >= 0 && n->u.integer <= INT32_MAX))
		return true;
	if (n->u.integer < 0)
		diag_report(im->diags, TJ1106, n->from, "'%.*s' cannot have a negative number of replicas",
			STR_ARG(name));
	else
		diag_report(im->diags, TJ1103, n->from, "'%.*s' cannot have %lld replicas", STR_ARG(name),
			(long long)n->u.integer);
	return false;
}

bool batch_rule(struct import *im, const struct data *spec, struct str name)
{
	bool ok = replica_count_rule(im, member(spec, "parallelism"), name);

	return replica_count_rule(im, member(spec, "completions"), name) && ok;
}

int64_t batch_replicas(struct import *im, const struct data *spec)
{
	int64_t at_once = member_int(spec, "parallelism", 1), n = member_int(spec, "completions", at_once);

	if (at_once < n)
		import_left_out(im, member_at(spec, "parallelism"), STR("parallelism"),
			"all replicas of a role run at the same time");
	return n;
}

bool batch_read(struct import *im, const struct data *spec, struct lines *to)
{
	bool in_place = write_backoff(im, spec, to);

	batch_rest(im, spec, to);
	return in_place;
}

/* Notes the hosts of an indexed Job with a subdomain: its pods have the host names JOB-I there. */
static void note_pod_hosts(struct import_workload *w)
{
	struct arena *a = w->m.im->arena;
	struct str subdomain = member_text(member(w->template, "spec"), "subdomain");
	struct host_name *h = ARENA_NEW(a, struct host_name);

	if (!subdomain.n || !str_is(member_text(w->m.spec, "completionMode"), "Indexed"))
		return;
	*h = (struct host_name){ .word = w->replicas == 1 ? STR("task") : STR("main"), .jobs = 1, .per = w->replicas };
	w->job->subdomain = subdomain;
	map_put(&w->job->hosts, a, str_cat(a, w->m.name, STR("-"), STR("")), h);
}

static const struct pod_label labels[] = {
	{ "job-name", LABEL_OF_JOB }, { "batch.kubernetes.io/job-name", LABEL_OF_JOB }, { NULL, LABEL_KEPT }
};

static bool read_batch_job(struct import *im, const struct import_kind *k, const struct data *object,
	struct imported *job)
{
	struct import_workload w = { .job = job, .kind = &job_kind };
	size_t errors = im->diags->errors;

	if (!manifest_open(im, k, object, "batch.v1.Job", false, &w.m))
		return false;
	w.template = member(w.m.spec, "template");
	if (!role_can_run(im, w.template, w.m.at) || !batch_rule(im, w.m.spec, w.m.name) || im->diags->errors != errors)
		return false;
	w.replicas = batch_replicas(im, w.m.spec);
	if (w.replicas > 1 && !str_is(member_text(w.m.spec, "completionMode"), "Indexed"))
		diag_report(im->diags, TJ1111, w.m.at,
			"the pods of this Job are alike; the program gives each of them an index");
	if (w.replicas > 1 && !member(w.m.spec, "completions"))
		diag_report(im->diags, TJ1111, member_at(w.m.spec, "parallelism"),
			"without 'completions' this Job is done when one of its pods has succeeded; the program waits "
			"for all of them");
	job->labels_of = labels;
	note_pod_hosts(&w);
	struct lines *body = open(&w);
	w.new_pods = batch_read(im, w.m.spec, body);
	job_seconds(im, body, "timeout", w.m.spec, "activeDeadlineSeconds");
	job_seconds(im, body, "ttl", w.m.spec, "ttlSecondsAfterFinished");
	job_suspend(im, body, w.m.spec);
	return finish_workload(&w, body, w.replicas == 1 ? "task" : "main");
}

const struct import_kind workload_kinds[] = {
	{ "Pod", "v1", read_pod, false, IMPORT_NAMED }, { "Job", "batch/v1", read_batch_job, false, IMPORT_JOB }, { 0 }
};
