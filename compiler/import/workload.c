/*
 * workload.c - pods and Jobs of Kubernetes itself: one of them is single.task,
 * several replicas are a role of a job without framework.
 */
#include "import/role.h"

#include "base/quantity.h"

#define JOB_INDEX "metadata.annotations['batch.kubernetes.io/job-completion-index']"

static const struct role_kind pod_kind = { NULL, NULL, NULL, 0, NULL, false, false };
static const struct role_kind job_kind = { NULL, NULL, NULL, 0, JOB_INDEX, false, false };

struct workload {
	struct manifest m;
	struct imported *job;
	const struct role_kind *kind;
	const struct data *template;    /* what has the pod's metadata and spec */
	int64_t replicas;
};

static void seconds(struct workload *w, struct lines *to, const char *field, const struct data *of, const char *key)
{
	const struct data *d = member(of, key);

	if (!d || d->u.integer < 0)
		return;
	struct quantity q = { .nano = (int128)d->u.integer * QUANTITY_UNIT };
	struct str text = d->u.integer ? duration_text(w->m.im->arena, q) : STR("0s");
	struct span at = span_join(member_at(of, key), d->from);
	import_comments(w->m.im, lines_set(w->m.im->arena, to, str_of(field), expr_text(w->m.im->arena, text), at), at);
}

/* A container without an image, or none at all: nothing that could run. */
static bool can_run(struct workload *w)
{
	const struct data *containers = member(member(w->template, "spec"), "containers");

	for (size_t i = 0; i < data_count(containers); i++)
		if (!member_text(containers->u.list.at[i], "image").n)
			diag_report(w->m.im->diags, TJ1107, containers->u.list.at[i]->from, "this container has no image");
	if (!data_count(containers))
		diag_report(w->m.im->diags, TJ1107, w->m.at, "this %.*s has no containers", STR_ARG(w->m.kind));
	return data_count(containers) > 0;
}

/* A role that always restarts never ends; a job does. */
static void restart(struct workload *w, struct lines *role)
{
	struct import *im = w->m.im;
	struct line *line = lines_find(role, STR("restart"));
	struct span at = line ? line->from : w->m.at;

	if (line && str_is(line->value->pieces[0].text, "never"))
		lines_take(role, line->key);    /* the default */
	if (line && !str_is(line->value->pieces[0].text, "always"))
		return;
	if (line) {
		line->value = expr_string(im->arena, STR("on-failure"));
	} else {
		lines_set(im->arena, role, STR("restart"), expr_string(im->arena, STR("on-failure")), at);
		lines_sort(role);
	}
	diag_report(im->diags, TJ1111, at, "a pod that always restarts never ends; the program says restart = \"on-failure\"");
}

static bool finish(struct workload *w, struct lines *body, const char *word)
{
	struct import *im = w->m.im;
	struct lines top = { 0 };
	struct role_reading r = { .im = im, .job = w->job, .kind = w->kind, .word = str_of(word), .replicas = w->replicas };

	r.role = lines_extend(im->arena, &top, str_cat(im->arena, STR("role "), r.word, STR("")), w->m.object->from);
	if (w->replicas != 1)
		lines_set(im->arena, r.role, STR("replicas"), expr_int(im->arena, w->replicas), w->m.at);
	if (!role_read(&r, w->template))
		return false;
	restart(w, r.role);
	struct job_role role = { top.at[0], w->template->from };
	job_finish(&w->m, w->job, body, &role, 1);
	return true;
}

static struct lines *open(struct workload *w)
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
	struct workload w = { .job = job, .kind = &pod_kind, .replicas = 1 };
	size_t errors = im->diags->errors;
	struct data *bare = ARENA_NEW(im->arena, struct data);
	struct data_member *spec = ARENA_NEW(im->arena, struct data_member);

	if (!manifest_open(im, k, object, "core.v1.Pod", false, &w.m))
		return false;
	/* labels and annotations are those of the job */
	*spec = (struct data_member){ STR("spec"), member_at(w.m.object, "spec"), (struct data *)w.m.spec };
	*bare = (struct data){ .kind = DATA_MAP, .from = w.m.object->from, .u.map = { spec, w.m.spec ? 1 : 0 } };
	w.template = bare;
	if (!can_run(&w) || im->diags->errors != errors)
		return false;
	return finish(&w, open(&w), "task");
}

/* Fields of a Job that the program has no words for. */
static void job_rest(struct workload *w)
{
	static const char *const known[] = {
		"template", "completions", "parallelism", "completionMode", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished", "suspend",
		"selector", "manualSelector",
	};

	for (size_t i = 0; i < data_count(w->m.spec); i++) {
		const struct data_member *m = &w->m.spec->u.map.at[i];
		bool said = false;
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			said = said || str_is(m->key, known[k]);
		if (!said)
			import_left_out(w->m.im, m->key_at, m->key, "the program has fields of its own for when a job ends and what is tried again");
	}
}

/* Attempts of the whole Job become attempts of its replica; the kubelet's restarts are not counted. */
static void retries(struct workload *w, struct lines *body)
{
	struct import *im = w->m.im;
	const struct data *limit = member(w->m.spec, "backoffLimit");
	bool in_place = str_is(member_text(member(w->template, "spec"), "restartPolicy"), "OnFailure");
	int64_t n = limit ? limit->u.integer : 6;

	if (in_place && limit)
		import_left_out(im, member_at(w->m.spec, "backoffLimit"), STR("backoffLimit"), "restarts in place are not counted");
	else if (!in_place && n > 0)
		lines_set(im->arena, body, STR("retries"), expr_int(im->arena, n), member_at(w->m.spec, "backoffLimit"));
}

static bool read_job(struct import *im, const struct import_kind *k, const struct data *object, struct imported *job)
{
	struct workload w = { .job = job, .kind = &job_kind };
	size_t errors = im->diags->errors;

	if (!manifest_open(im, k, object, "batch.v1.Job", false, &w.m))
		return false;
	w.template = member(w.m.spec, "template");
	w.replicas = member_int(w.m.spec, "completions", member_int(w.m.spec, "parallelism", 1));
	if (!can_run(&w) || im->diags->errors != errors)
		return false;
	if (w.replicas > 1 && !str_is(member_text(w.m.spec, "completionMode"), "Indexed"))
		diag_report(im->diags, TJ1111, w.m.at, "the pods of this Job are alike; the program gives each of them an index");
	int64_t at_once = member_int(w.m.spec, "parallelism", 1);
	if (at_once < w.replicas)
		import_left_out(im, member_at(w.m.spec, "parallelism"), STR("parallelism"), "all replicas of a role run at the same time");
	struct lines *body = open(&w);
	retries(&w, body);
	seconds(&w, body, "timeout", w.m.spec, "activeDeadlineSeconds");
	seconds(&w, body, "ttl", w.m.spec, "ttlSecondsAfterFinished");
	if (member_bool(w.m.spec, "suspend", false) && !lines_find(body, STR("queue")))
		lines_set(im->arena, body, STR("suspend"), expr_text(im->arena, STR("true")), member_at(w.m.spec, "suspend"));
	job_rest(&w);
	return finish(&w, body, w.replicas == 1 ? "task" : "main");
}

const struct import_kind workload_kinds[] = { { "Pod", "v1", read_pod }, { "Job", "batch/v1", read_job }, { 0 } };
