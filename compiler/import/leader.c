/*
 * leader.c - reads LeaderWorkerSets of leaderworkerset.x-k8s.io/v1: groups of a leader and its workers, which become
 * the copies of a cell.
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

#define GROUP_CELL STR("serve")
#define EXCLUSIVE STR("leaderworkerset.sigs.k8s.io/exclusive-topology")

/* The labels and annotations of the controller that a variable or a path may refer to. */
static void leader_pod_fields(struct set *s, struct set_role *r, bool leader, int64_t size)
{
	struct arena *a = s->m.im->arena;

	r->fields[0] = (struct role_field){ "metadata.labels['leaderworkerset.sigs.k8s.io/worker-index']",
		leader ? STR("0") : STR("pod.rank"), NULL };
	r->fields[1] = (struct role_field){ "metadata.labels['leaderworkerset.sigs.k8s.io/group-index']",
		STR("pod.copy"), NULL };
	r->fields[2] = (struct role_field){ "metadata.labels['leaderworkerset.sigs.k8s.io/name']",
		str_printf(a, "\"%.*s\"", STR_ARG(s->m.name)), NULL };
	r->fields[3] = (struct role_field){ "metadata.annotations['leaderworkerset.sigs.k8s.io/size']",
		str_printf(a, "%lld", (long long)size), NULL };
}

static void read_leader_role(struct set *s, const struct data *group, const char *word, int64_t n)
{
	bool leader = *word == 'l';
	const struct data *template = leader_template(group, leader), *claims = member(group, "volumeClaimTemplates");
	struct set_role *r = &s->roles[s->n++];

	if (claims)
		template = with_claims(s->m.im->arena, template, claims);
	*r = (struct set_role){ .name = str_of(word), .template = template, .place = template->from,
		.count_at = member_at(s->m.spec, "replicas"), .jobs = 1, .per = n };
	leader_pod_fields(s, r, leader, member_int(group, "size", 1));
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
			import_left_out(s->m.im, m->key_at, m->key, str_is(m->key, "subGroupPolicy") ?
				"a group of a program has no groups in it" : "a program cannot express it");
	}
}

/* Reports the parts of an update in steps, since an ordinary apply replaces what has changed at once. */
static void report_rollout(struct set *s)
{
	const struct data *strategy = member(s->m.spec, "rolloutStrategy"),
		*rolling = member(strategy, "rollingUpdateConfiguration");

	for (size_t i = 0; i < data_count(rolling); i++)
		import_left_out(s->m.im, rolling->u.map.at[i].key_at, rolling->u.map.at[i].key,
			"'trainc apply' replaces the copies that have changed, all at once");
}

/* Are all pods of a group alike, and none of them first? Then they are one role. */
static bool is_one_role(const struct set *s, const struct data *group)
{
	return member_int(group, "size", 1) > 1 && !member(group, "leaderTemplate") &&
		!str_is(member_text(s->m.spec, "startupPolicy"), "LeaderReady");
}

/* Notes the names of the pods: NAME-g leads group g, and NAME-g-i is its pod i. */
static void leader_hosts(struct set *s, struct str cell, int64_t groups, int64_t size)
{
	struct arena *a = s->m.im->arena;
	struct host_name *h = ARENA_NEW(a, struct host_name);

	*h = (struct host_name){ .word = s->roles[0].word, .rest = s->roles[s->n - 1].word, .form = POD_OF_COPY,
		.jobs = groups, .per = size, .cell = cell };
	s->job->subdomain = s->m.name;
	map_put(&s->job->hosts, a, str_cat(a, s->m.name, STR("-"), STR("")), h);
}

/* Converts the annotation by which each group has a domain of its own, or reports its level. */
static void put_exclusive(struct set *s, struct lines *cell)
{
	const struct data *label = data_get(member(s->m.metadata, "annotations"), EXCLUSIVE);

	if (set_exclusive(s, EXCLUSIVE, cell, s->roles[0].line) || label->kind != DATA_STRING)
		return;
	struct diag *d = diag_report(s->m.im->diags, TJ1111, label->from,
		"a place in the program names a level of the project's topology, and '%.*s' is in none",
		STR_ARG(label->u.string));
	diag_help(s->m.im->diags, d, "list it in project.tj, 'topology = [\"%.*s\"]', and write "
		"'place = near(\"%.*s\")' and 'apart = \"%.*s\"' in the cell", STR_ARG(label->u.string),
		STR_ARG(label->u.string), STR_ARG(label->u.string));
}

/*
 * The name of the cell. An object that trainc wrote is called JOB-CELL: its job gets its own name again, unless other
 * objects are of that job, too.
 */
static struct str cell_name(struct set *s, struct str *ret_job)
{
	const struct data *own = member(s->m.metadata, "labels");
	struct str job = member_text(own, "trainc.dev/job"), cell = member_text(own, "trainc.dev/cell");
	struct str name = str_printf(s->m.im->arena, "%.*s-%.*s", STR_ARG(job), STR_ARG(cell));

	*ret_job = s->m.name;
	if (!job.n || !cell.n || !str_eq(name, s->m.name) || map_get(&s->m.im->later_jobs, job) != (void *)1)
		return GROUP_CELL;
	for (size_t i = 0; i < s->m.im->njobs; i++)
		if (str_eq(s->m.im->jobs[i]->name, job))
			return GROUP_CELL;
	*ret_job = job;
	return cell;
}

/* Writes the cell whose copies are the groups, and moves the roles into it. */
static void put_group_cell(struct set *s, struct str name, const struct data *group, int64_t groups, int64_t size)
{
	struct arena *a = s->m.im->arena;
	static const char *const inner[] = { "command", "args", "env", "files" };
	struct expr *call = expr_call(a, STR("lws.group"));
	bool none = str_is(member_text(group, "restartPolicy"), "None");

	job_use(s->m.im, s->job, STR("lws"));
	if (size != 1)
		lines_set(a, &call->items, STR("size"), expr_int(a, size), s->m.at);
	struct lines *cell = lines_extend(a, s->body, str_printf(a, "cell %.*s: %.*s", STR_ARG(name),
		STR_ARG(expr_flat(a, call))), s->m.name_at);
	if (groups != 1)
		import_comments(s->m.im, lines_set(a, cell, STR("copies"), expr_int(a, groups),
			member_at(s->m.spec, "replicas")), member_at(s->m.spec, "replicas"));
	if (none)
		lines_set(a, cell, STR("restarts"), expr_int(a, 0), member_at(group, "restartPolicy"));
	put_exclusive(s, cell);
	/* what names a role of the own copy is known in the cell only */
	for (size_t i = 0; s->job->own_hosts && i < sizeof inner / sizeof *inner; i++)
		if (lines_find(s->body, str_of(inner[i])))
			lines_push(a, cell, lines_take(s->body, str_of(inner[i])));
	if (str_is(s->roles[0].word, "worker")) {
		struct lines *leader = lines_extend(a, cell, STR("role leader"), s->m.name_at);
		lines_set(a, leader, STR("replicas"), expr_int(a, 0), s->m.name_at);
	}
	for (size_t i = 0; i < s->n; i++)
		lines_push(a, cell, lines_take(s->body, s->roles[i].line->key));
}

static void say_restarts(struct set *s, const struct data *group)
{
	if (!str_is(member_text(group, "restartPolicy"), "RecreateGroupAfterStart"))
		return;
	diag_report(s->m.im->diags, TJ1111, member_at(group, "restartPolicy"),
		"before all its pods have started, too, a failed pod restarts its whole copy");
}

static bool write_leader(struct set *s, const struct data *group)
{
	static const char *const known[] = { "replicas", "leaderWorkerTemplate", "startupPolicy", "rolloutStrategy",
		NULL };
	static const char *const of_group[] = { "size", "leaderTemplate", "workerTemplate", "restartPolicy",
		"volumeClaimTemplates", "persistentVolumeClaimRetentionPolicy", NULL };
	int64_t groups = member_int(s->m.spec, "replicas", 1), size = member_int(group, "size", 1);
	struct arena *a = s->m.im->arena;
	struct str name;
	bool ok = true, one = is_one_role(s, group);

	s->roles = ARENA_ARRAY(a, struct set_role, 2);
	s->recreated = !str_is(member_text(group, "restartPolicy"), "None");
	if (!one)
		read_leader_role(s, group, "leader", 1);
	if (size > 1)
		read_leader_role(s, group, "worker", one ? size : size - 1);
	set_words(s);
	s->job->labels_of = labels;
	struct str cell = cell_name(s, &name);
	leader_hosts(s, cell, groups, size);
	s->m.name = name;
	s->body = job_new(&s->m, s->job, NULL);
	lines_set(a, s->body, STR("success"), expr_text(a, STR("none")), s->m.name_at);
	report_leader_rest(s, s->m.spec, known);
	report_leader_rest(s, group, of_group);
	report_rollout(s);
	say_claims(s, group);
	for (size_t i = 0; i < s->n; i++)
		ok = set_role_open(s, &s->roles[i]) && ok;
	if (!ok)
		return false;
	/* the framework computes the number of workers from the size of a group */
	lines_drop(a, s->roles[s->n - 1].line, STR("replicas"));
	if (s->n > 1 && str_is(member_text(s->m.spec, "startupPolicy"), "LeaderReady"))
		lines_set(a, s->roles[1].body, STR("start_after"), expr_text(a, STR("ready(leader)")),
			member_at(s->m.spec, "startupPolicy"));
	say_restarts(s, group);
	set_finish(s);
	put_group_cell(s, cell, group, groups, size);
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

const struct import_kind leader_kinds[] = { { "LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", read_leader, true,
	IMPORT_JOB }, { 0 } };
