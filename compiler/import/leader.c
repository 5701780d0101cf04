/*
 * leader.c - reads LeaderWorkerSets of leaderworkerset.x-k8s.io/v1: groups of a leader and its workers, which become
 * two roles.
 */
#include "import/import_set.h"
#include "import/import_tree.h"

static const struct data *leader_template(const struct data *group, bool leader)
{
	const struct data *own = leader ? member(group, "leaderTemplate") : NULL;

	return own ? own : member(group, "workerTemplate");
}

/* Adds the claims of `volumeClaimTemplates` to a pod template, as claims of each pod. */
static const struct data *with_claims(struct arena *a, const struct data *template, const struct data *claims)
{
	const struct data *pod = member(template, "spec"), *volumes = member(pod, "volumes");

	for (size_t i = 0; i < data_count(claims); i++) {
		const struct data *claim = claims->u.list.at[i], *spec = member(claim, "spec"),
			*name = member(member(claim, "metadata"), "name");
		if (!name || !spec)
			continue;
		const struct data *of = tree_with(a, NULL, "volumeClaimTemplate",
			tree_with(a, NULL, "spec", spec, claim->from), claim->from);
		const struct data *v = tree_with(a, NULL, "name", name, claim->from);
		v = tree_with(a, v, "ephemeral", of, claim->from);
		volumes = tree_append(a, volumes, tree_one(a, v));
	}
	return tree_with(a, template, "spec", tree_with(a, pod, "volumes", volumes, claims->from), template->from);
}

static void say_claims(struct set *s, const struct data *group)
{
	if (!member(group, "volumeClaimTemplates"))
		return;
	struct diag *d = diag_report(s->m.im->diags, TJ1111, member_at(group, "volumeClaimTemplates"),
		"the claims of 'volumeClaimTemplates' stay when a pod ends; those of the program are deleted with it");
	diag_help(s->m.im->diags, d, "own_claim(..., keep = true) keeps one for each replica");
}

static const struct pod_label labels[] = { { "leaderworkerset.sigs.k8s.io/name", LABEL_OF_JOB }, { NULL, LABEL_KEPT } };

/*
 * The labels of the controller that a variable or a path may refer to, in a role that consists of groups with N pods
 * each.
 */
static void leader_pod_fields(struct set *s, struct set_role *r, bool leader, int64_t n)
{
	struct arena *a = s->m.im->arena;
	struct str place = leader ? STR("0") : n == 1 ? STR("1") : str_printf(a, "pod.index %% %lld + 1", (long long)n);
	struct str group = leader || n == 1 ? STR("pod.index") : str_printf(a, "pod.index // %lld", (long long)n);

	r->fields[0] = (struct role_field){ "metadata.labels['leaderworkerset.sigs.k8s.io/worker-index']", place,
		NULL };
	r->fields[1] = (struct role_field){ "metadata.labels['leaderworkerset.sigs.k8s.io/group-index']", group, NULL };
	r->fields[2] = (struct role_field){ "metadata.labels['leaderworkerset.sigs.k8s.io/name']",
		str_printf(a, "\"%.*s\"", STR_ARG(s->m.name)), NULL };
}

static void read_leader_role(struct set *s, const struct data *group, const char *word, bool leader, int64_t n)
{
	const struct data *template = leader_template(group, leader), *claims = member(group, "volumeClaimTemplates");
	struct set_role *r = &s->roles[s->n++];

	if (claims)
		template = with_claims(s->m.im->arena, template, claims);
	*r = (struct set_role){ .name = str_of(word), .template = template, .place = template->from,
		.count_at = member_at(s->m.spec, "replicas"), .jobs = 1, .per = n };
	leader_pod_fields(s, r, leader, member_int(group, "size", 1) - 1);
}

/* Reports what neither the framework nor the fields of a job can express. */
static void report_leader_rest(struct set *s, const struct data *map, const char *const *known)
{
	for (size_t i = 0; i < data_count(map); i++) {
		const struct data_member *m = &map->u.map.at[i];
		size_t k = 0;
		while (known[k] && !str_is(m->key, known[k]))
			k++;
		if (!known[k])
			import_left_out(s->m.im, m->key_at, m->key, "a program cannot express it");
	}
}

static struct expr *leader_framework(struct set *s, int64_t size)
{
	struct arena *a = s->m.im->arena;
	struct expr *call = expr_call(a, STR("lws.groups"));

	job_use(s->m.im, s->job, STR("lws"));
	if (size != 1)
		lines_set(a, &call->items, STR("size"), expr_int(a, size), s->m.at);
	return call;
}

static void say_restarts(struct set *s, const struct data *group, int64_t groups)
{
	if (str_is(member_text(group, "restartPolicy"), "None") || s->n < 2)
		return;
	struct diag *d = diag_report(s->m.im->diags, TJ1111, member_at(group, "restartPolicy"),
		"the whole group restarts when one of its pods restarts; in the program only that pod restarts");
	diag_help(s->m.im->diags, d, groups == 1 ?
		"'restarts = 3' in the job restarts all of it when a pod fails: drop 'restart' of its roles" :
		"a job for each group, with 'restarts = 3' and without 'restart' of its roles, restarts that group "
		"alone");
}

static bool write_leader(struct set *s, const struct data *group)
{
	static const char *const known[] = { "replicas", "leaderWorkerTemplate", "startupPolicy", "rolloutStrategy",
		NULL };
	static const char *const of_group[] = { "size", "leaderTemplate", "workerTemplate", "restartPolicy",
		"volumeClaimTemplates", "persistentVolumeClaimRetentionPolicy", NULL };
	int64_t groups = member_int(s->m.spec, "replicas", 1), size = member_int(group, "size", 1);
	bool ok = true;

	s->roles = ARENA_ARRAY(s->m.im->arena, struct set_role, 2);
	read_leader_role(s, group, "leader", true, groups);
	if (size > 1)
		read_leader_role(s, group, "worker", false, groups * (size - 1));
	set_words(s);
	s->job->labels_of = labels;
	set_hosts(s, &s->roles[0], str_cat(s->m.im->arena, s->m.name, STR("-"), STR("")), POD_PLAIN, s->m.name);
	s->body = job_new(&s->m, s->job, leader_framework(s, size));
	report_leader_rest(s, s->m.spec, known);
	report_leader_rest(s, group, of_group);
	say_claims(s, group);
	for (size_t i = 0; i < s->n; i++)
		ok = set_role_open(s, &s->roles[i]) && ok;
	if (!ok)
		return false;
	if (s->n > 1) {
		/* the framework computes the number of workers from the size of a group */
		lines_drop(s->m.im->arena, s->roles[1].line, STR("replicas"));
		if (str_is(member_text(s->m.spec, "startupPolicy"), "LeaderReady"))
			lines_set(s->m.im->arena, s->roles[1].body, STR("start_after"),
				expr_text(s->m.im->arena, STR("ready(leader)")), member_at(s->m.spec, "startupPolicy"));
	}
	say_restarts(s, group, groups);
	set_finish(s);
	return true;
}

static bool read_leader(struct import *im, const struct import_kind *k, const struct data *object, struct imported *job)
{
	struct set s = { .job = job };
	size_t errors = im->diags->errors;

	if (!manifest_open(im, k, object, "leaderworkerset.x-k8s.io.v1.LeaderWorkerSet", false, &s.m) ||
	    im->diags->errors != errors)
		return false;
	const struct data *group = member(s.m.spec, "leaderWorkerTemplate"), *n = member(s.m.spec, "replicas"),
		*size = member(group, "size");

	if (!member(group, "workerTemplate")) {
		diag_report(im->diags, TJ1106, s.m.at, "this LeaderWorkerSet has no workerTemplate");
		return false;
	}
	if (!replica_count_rule(im, n, STR("leader")) || !replica_count_rule(im, size, STR("worker")))
		return false;
	if ((n && !n->u.integer) || (size && !size->u.integer) ||
	    (n && size && n->u.integer * size->u.integer > INT32_MAX)) {
		diag_report(im->diags, TJ1106, n ? n->from : size->from,
			"this LeaderWorkerSet cannot have %lld groups of %lld pods",
			(long long)(n ? n->u.integer : 1), (long long)(size ? size->u.integer : 1));
		return false;
	}
	return write_leader(&s, group);
}

const struct import_kind leader_kinds[] = { { "LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", read_leader, false,
	IMPORT_JOB }, { 0 } };
