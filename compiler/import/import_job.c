/*
 * import_job.c - makes the parts that all kinds of jobs have: metadata, the block `job`, its roles.
 */
#include "import/import_role.h"
#include "import/trial.h"

#include "base/quantity.h"

#define QUEUE_LABEL "kueue.x-k8s.io/queue-name"

/* Names the job after the prefix from which the API server would make a name; false if there is none. */
static bool name_of_prefix(struct import_manifest *m)
{
	const struct data *prefix = member(m->metadata, "generateName");
	struct str name = member_text(m->metadata, "generateName");

	while (name.n && (name.p[name.n - 1] == '-' || name.p[name.n - 1] == '.'))
		name.n--;
	if (!name.n)
		return false;
	m->name = name;
	m->name_at = prefix->from;
	struct diag *d = diag_report(m->im->diags, TJ1111, prefix->from, "'generateName' gives each object a new name; "
		"the job is named '%.*s' here", STR_ARG(name));
	diag_help(m->im->diags, d, "'trainc apply --run-id ID' gives each run its own names");
	return true;
}

bool manifest_open(struct import *im, const struct import_kind *k, const struct data *object, const char *type,
	bool any_case, struct import_manifest *ret)
{
	const struct data *fitted = import_fit(im, object, type, any_case);

	if (!fitted)
		return false;
	*ret = (struct import_manifest){ .im = im, .object = fitted, .kind = str_of(k->kind),
		.at = data_get(object, STR("kind"))->from, .metadata = member(fitted, "metadata"),
		.spec = member(fitted, "spec") };
	ret->name = member_text(ret->metadata, "name");
	ret->ns = member_text(ret->metadata, "namespace");
	ret->name_at = ret->name.n ? member(ret->metadata, "name")->from : ret->metadata ? ret->metadata->from
		: ret->at;
	if (ret->name.n || name_of_prefix(ret))
		return true;
	struct diag *d = diag_report(im->diags, TJ1105, ret->name_at, "this %s has no name", k->kind);
	diag_help(im->diags, d, "set 'metadata.name'");
	return false;
}

/* ---- metadata ---- */

/* Is it metadata that tools of the cluster wrote, or that trainc wrote into objects of other targets? */
static bool is_job_noise(struct str key)
{
	return member_is_record(key) || str_is(key, "kubectl.kubernetes.io/last-applied-configuration") ||
		str_is(key, "app.kubernetes.io/managed-by") || str_is(key, "app.kubernetes.io/name") ||
		str_is(key, "batch.kubernetes.io/job-tracking") ||
		str_is(key, "batch.kubernetes.io/cronjob-scheduled-timestamp");
}

bool job_keeps_pair(struct import *im, const struct data_member *pair, bool ours)
{
	if (is_job_noise(pair->key) && (ours || !str_starts(pair->key, STR("app."))))
		return false;
	if (!member_is_manager(pair->key))
		return true;
	import_left_out(im, pair->key_at, pair->key, "trainc writes its own name there");
	return false;
}

static bool has_own_label(const struct data *metadata)
{
	return str_is(member_text(member(metadata, "labels"), "app.kubernetes.io/managed-by"), "trainc");
}

static void read_job_pairs(struct import_manifest *m, struct lines *job, const char *field)
{
	struct arena *a = m->im->arena;
	const struct data *map = member(m->metadata, field);
	bool ours = has_own_label(m->metadata);
	struct lines *to = NULL;

	for (size_t i = 0; i < data_count(map); i++) {
		const struct data_member *pair = &map->u.map.at[i];
		if (str_is(pair->key, QUEUE_LABEL) || !job_keeps_pair(m->im, pair, ours))
			continue;
		if (!to)
			to = lines_block(a, job, str_of(field), member_at(m->metadata, field));
		struct line *line = lines_set(a, to, key_text(a, pair->key), expr_string(a, pair->value->u.string),
			pair->key_at);
		import_comments(m->im, line, member_span(pair));
	}
}

/* Reports finalizers and owner references, which a program cannot express. */
static void other_metadata(struct import_manifest *m)
{
	static const char *const others[] = { "finalizers", "ownerReferences" };

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (data_count(member(m->metadata, others[i])))
			import_left_out(m->im, member_at(m->metadata, others[i]), str_of(others[i]),
				"objects of a program have no owner and are deleted at once");
}

static void metadata(struct import_manifest *m, struct lines *job)
{
	struct arena *a = m->im->arena;
	const struct data *queue = data_get(member(m->metadata, "labels"), STR(QUEUE_LABEL));

	if (m->ns.n) {
		struct span at = span_join(member_at(m->metadata, "namespace"), member(m->metadata, "namespace")->from);
		import_comments(m->im, lines_set(a, job, STR("namespace"), expr_string(a, m->ns), at), at);
	}
	if (queue && queue->kind == DATA_STRING)
		lines_set(a, job, STR("queue"), expr_string(a, queue->u.string), queue->from);
	read_job_pairs(m, job, "labels");
	read_job_pairs(m, job, "annotations");
	other_metadata(m);
}

struct lines *job_new(struct import_manifest *m, struct imported *job, const struct expr *framework)
{
	struct arena *a = m->im->arena;
	struct lines top = { 0 };
	struct str title = expr_flat(a, expr_string(a, m->name));

	job->name = m->name;
	job->ns = m->ns;
	job->labels = member(m->metadata, "labels");
	job->annotations = member(m->metadata, "annotations");
	job->queued = data_get(job->labels, STR(QUEUE_LABEL)) && places_known(a, job->annotations, m->spec);
	job->name_at = m->name_at;
	struct str key = str_cat(a, STR("job "), title, framework ? STR(": ") : STR(""));
	if (framework)
		key = str_cat(a, key, expr_flat(a, framework), STR(""));
	struct lines *body = lines_extend(a, &top, key, m->name_at);
	job->job = top.at[0];
	metadata(m, body);
	return body;
}

void job_finish(struct import_manifest *m, struct imported *job, struct lines *body, const struct job_role *roles,
	size_t n)
{
	struct arena *a = m->im->arena;
	struct lines **bodies = ARENA_ARRAY(a, struct lines *, n);

	bool aux = false;       /* such a role has some fields of the job, but not all */

	for (size_t i = 0; i < n; i++) {
		bodies[i] = &roles[i].line->value->items;
		aux = aux || str_starts(roles[i].line->key, STR("aux "));
	}
	/* this must precede roles_lift(), which moves lines to the job together with their comments */
	for (size_t i = 0; m->im->comments.n && i < n; i++)
		comments_settle(a, &m->im->comments, roles[i].place, roles[i].line);
	roles_lift(m->im, aux ? NULL : body, bodies, n);
	for (size_t i = 0; i < n; i++)
		lines_push(a, body, roles[i].line);
	lines_sort(body);
	if (m->im->comments.n)
		comments_settle(a, &m->im->comments, m->object->from, job->job);
}

void job_seconds(struct import *im, struct lines *to, const char *field, const struct data *of, const char *key)
{
	const struct data *d = member(of, key);

	if (!d)
		return;
	struct quantity q = { .nano = (int128)d->u.integer * QUANTITY_UNIT };
	struct str text = d->u.integer > 0 ? duration_text(im->arena, q)
		: str_printf(im->arena, "%llds", (long long)d->u.integer);
	struct span at = span_join(member_at(of, key), d->from);
	import_comments(im, lines_set(im->arena, to, str_of(field), expr_text(im->arena, text), at), at);
}

void job_suspend(struct import *im, struct lines *to, const struct data *of)
{
	struct span at = member_at(of, "suspend");

	if (!member_bool(of, "suspend", false) || lines_find(to, STR("queue")))
		return;
	import_comments(im, lines_set(im->arena, to, STR("suspend"), expr_text(im->arena, STR("true")), at), at);
}

/* ---- names of variables that the framework sets ---- */

static void add_names(struct import *im, struct map *to, const struct plan_role *r, const struct plan_container *c)
{
	for (size_t i = 0; i < c->nenv; i++) {
		if (!c->env[i].framework)
			continue;
		struct str container = plan_label(im->arena, c->name);
		map_put(to, im->arena, str_printf(im->arena, "%.*s/%.*s/%.*s", STR_ARG(plan_role_inner(r)),
			STR_ARG(container), STR_ARG(c->env[i].name)), to);
	}
}

void job_framework_names(struct import *im, struct imported *const *jobs, size_t n)
{
	struct buf text = { 0 };
	struct map sets = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct map *set = ARENA_NEW(im->arena, struct map);
		jobs[i]->set = set;
		map_put(&sets, im->arena, jobs[i]->name, set);
	}
	import_text(im, (const struct imported *const *)jobs, n, &text, NULL);
	struct trainc *c = trial_run(buf_text(&text), (struct str){ 0 });
	for (size_t i = 0; i < c->plan.njobs; i++) {
		struct map *set = map_get(&sets, c->plan.jobs[i].name);
		for (size_t k = 0; k < c->plan.jobs[i].nroles && set; k++) {
			const struct plan_role *r = &c->plan.jobs[i].roles[k];
			add_names(im, set, r, &r->main);
			for (size_t s = 0; s < r->nsidecars; s++)
				add_names(im, set, r, &r->sidecars[s]);
		}
	}
	trial_release(c);
	buf_release(&text);
}
