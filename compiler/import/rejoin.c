/*
 * rejoin.c - a role whose replicas differ is a replicatedJob for each replica in a JobSet that trainc compiled. The
 * labels `trainc.dev/role` and `trainc.dev/index` of its Jobs say which; here they become one replicatedJob again.
 */
#include "import/compiled.h"
#include "import/import_tree.h"

struct rejoining {
	struct import *im;
	struct map roles;               /* name of a replicatedJob -> name of its role, a struct str */
	const struct data *jobs;
};

static const struct data *labels_of(const struct data *job)
{
	return member(member(member(job, "template"), "metadata"), "labels");
}

/* The role of a replicatedJob that is one replica of it; empty for others. */
static struct str labelled_role(const struct data *job)
{
	const struct data *labels = labels_of(job);

	return member_text(labels, "trainc.dev/index").n && member_int(job, "replicas", 1) == 1 ?
		member_text(labels, "trainc.dev/role") : (struct str){ 0 };
}

static bool is_index(const struct data_member *m, const struct data *of)
{
	(void)of;
	return str_is(m->key, "trainc.dev/index");
}

/* Returns a map with TRAIL, a path of keys, without the label of the index at its end. */
static const struct data *without_index(struct arena *a, const struct data *map, const char *const *trail)
{
	const struct data *inner = *trail ? member(map, *trail) : NULL;

	if (!*trail)
		return tree_without(a, map, is_index, NULL);
	return inner ? tree_with(a, map, *trail, without_index(a, inner, trail + 1), member_at(map, *trail)) : map;
}

static const struct data *template_of(struct arena *a, const struct data *job)
{
	static const char *const of_job[] = { "metadata", "labels", NULL },
		*const of_pods[] = { "spec", "template", "metadata", "labels", NULL };

	return without_index(a, without_index(a, member(job, "template"), of_job), of_pods);
}

/* Joins the replicas of a role, the first of which is the replicatedJob at FIRST. */
static const struct data *join_role(struct rejoining *r, size_t first, struct str role)
{
	struct arena *a = r->im->arena;
	const struct data *job = r->jobs->u.list.at[first], *lost;
	const struct data **templates = ARENA_ARRAY(a, const struct data *, r->jobs->u.list.n - first);
	size_t n = 0;

	for (size_t i = first; i < r->jobs->u.list.n && str_eq(labelled_role(r->jobs->u.list.at[i]), role); i++) {
		struct str *name = ARENA_NEW(a, struct str);
		*name = role;
		map_put(&r->roles, a, member_text(r->jobs->u.list.at[i], "name"), name);
		templates[n++] = template_of(a, r->jobs->u.list.at[i]);
	}
	job = tree_with(a, job, "template", replicas_join(a, templates, n, &lost), member_at(job, "template"));
	if (lost)
		replicas_differ(r->im, lost, role);
	job = tree_with(a, job, "replicas", tree_int(a, (int64_t)n, job->from), member_at(job, "replicas"));
	job = tree_with(a, job, REJOINED, tree_int(a, 1, job->from), job->from);
	return tree_with(a, job, "name", tree_text(a, role, member(job, "name")->from), member_at(job, "name"));
}

/* Returns a list of names, or of maps with a `name`, with those of the roles instead, each once. */
static const struct data *renamed(struct rejoining *r, const struct data *list)
{
	struct arena *a = r->im->arena;
	const struct data *ret = NULL;
	struct map seen = { 0 };

	for (size_t i = 0; i < data_count(list); i++) {
		const struct data *d = list->u.list.at[i];
		struct str name = d->kind == DATA_STRING ? d->u.string : member_text(d, "name");
		const struct str *role = map_get(&r->roles, name);
		if (map_put(&seen, a, role ? *role : name, r))
			continue;
		if (role && d->kind == DATA_STRING)
			d = tree_text(a, *role, d->from);
		else if (role)
			d = tree_with(a, d, "name", tree_text(a, *role, d->from), member_at(d, "name"));
		ret = tree_append(a, ret, tree_one(a, d));
	}
	return ret;
}

/* Leaves out the marks of a gang and other parts of a role's pods that the compiler writes by itself. */
static const struct data *plain_job(struct arena *a, const struct data *job, struct str *ret_gang)
{
	const struct data *template = member(job, "template"), *spec = member(template, "spec"),
		*pods = member(spec, "template");
	struct str gang = compiled_gang(member(pods, "metadata"));

	if (!gang.n)
		return job;
	*ret_gang = gang;
	pods = compiled_template(a, member(pods, "metadata"), member(pods, "spec"));
	spec = tree_with(a, spec, "template", pods, member_at(spec, "template"));
	template = tree_with(a, template, "spec", spec, member_at(template, "spec"));
	return tree_with(a, job, "template", template, member_at(job, "template"));
}

const struct data *rejoin_jobs(struct import *im, const struct data *metadata, const struct data *spec,
	struct str *ret_gang)
{
	struct rejoining r = { .im = im, .jobs = member(spec, "replicatedJobs") };
	const struct data *policy = member(spec, "successPolicy"), *names = member(policy, "targetReplicatedJobs"),
		*jobs = NULL;
	struct arena *a = im->arena;

	*ret_gang = (struct str){ 0 };
	if (!str_is(member_text(member(metadata, "labels"), "app.kubernetes.io/managed-by"), "trainc"))
		return spec;
	for (size_t i = 0; i < data_count(r.jobs); i++) {
		const struct data *job = r.jobs->u.list.at[i], *depends = member(job, "dependsOn");
		struct str role = labelled_role(job);
		if (role.n && map_get(&r.roles, member_text(job, "name")))
			continue;
		if (role.n)
			job = join_role(&r, i, role);
		job = plain_job(a, job, ret_gang);
		if (depends)
			job = tree_with(a, job, "dependsOn", renamed(&r, depends), member_at(job, "dependsOn"));
		jobs = tree_append(a, jobs, tree_one(a, job));
	}
	if (names) {
		policy = tree_with(a, policy, "targetReplicatedJobs", renamed(&r, names),
			member_at(policy, "targetReplicatedJobs"));
		spec = tree_with(a, spec, "successPolicy", policy, member_at(spec, "successPolicy"));
	}
	return tree_with(a, spec, "replicatedJobs", jobs, member_at(spec, "replicatedJobs"));
}
