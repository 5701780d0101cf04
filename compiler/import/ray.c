/*
 * ray.c - reads RayJobs and RayClusters of ray.io/v1: a head, groups of workers, and the program that runs on the head.
 * The library's framework starts Ray: ray.cluster for one group of workers, ray.groups for several. Other settings in
 * rayStartParams become its options.
 */
#include "import/import_set.h"
#include "import/import_tree.h"

#include "base/quantity.h"
#include "data/data_read.h"

enum { GCS_PORT = 6379, DASHBOARD_PORT = 8265 };

struct ray {
	struct set set;
	const struct data *cluster;     /* spec of the RayCluster */
	const struct data *groups;
};

static struct arena *ray_arena(const struct ray *r) { return r->set.m.im->arena; }

/* ---- pods ---- */

/* Returns the ports of a container, except those that the framework declares itself. */
static const struct data *other_ports(struct ray *r, const struct data *ports)
{
	const struct data *ret = NULL;

	for (size_t i = 0; i < data_count(ports); i++) {
		int64_t n = member_int(ports->u.list.at[i], "containerPort", 0);
		if (n != GCS_PORT && n != DASHBOARD_PORT)
			ret = tree_append(ray_arena(r), ret, tree_one(ray_arena(r), ports->u.list.at[i]));
	}
	return ret;
}

/* Returns the members of MAP except KEY; an empty map when KEY is the only one. */
static const struct data *without(struct ray *r, const struct data *map, const char *key)
{
	struct data *none = ARENA_NEW(ray_arena(r), struct data);
	const struct data *ret = none;

	*none = (struct data){ .kind = DATA_MAP, .from = map->from };
	for (size_t i = 0; i < data_count(map); i++)
		if (!str_is(map->u.map.at[i].key, key))
			ret = tree_with(ray_arena(r), ret, str_copy(ray_arena(r), map->u.map.at[i].key).p,
				map->u.map.at[i].value, map->u.map.at[i].key_at);
	return ret;
}

/* Returns the pod template of a group, without the command and the ports that the framework sets. */
static const struct data *ray_template(struct ray *r, const struct data *group)
{
	static const char *const words[] = { "command", "args" };
	struct arena *a = ray_arena(r);
	const struct data *template = member(group, "template"), *pod = member(template, "spec"),
		*list = member(pod, "containers"), *ports;
	struct data *containers = data_count(list) ? tree_copy(a, list) : NULL;
	const struct data *main = containers ? containers->u.list.at[0] : NULL;

	if (!main)
		return template;
	for (size_t i = 0; i < 2; i++) {
		if (!data_count(member(main, words[i])))
			continue;
		import_left_out(r->set.m.im, member_at(main, words[i]), str_of(words[i]),
			"the framework starts Ray; 'args' of the head are its program");
		main = without(r, main, words[i]);
	}
	ports = member(main, "ports");
	if (ports) {
		const struct data *left = other_ports(r, ports);
		main = without(r, main, "ports");
		main = left ? tree_with(a, main, "ports", left, left->from) : main;
	}
	containers->u.list.at[0] = main;
	return tree_with(a, template, "spec", tree_with(a, pod, "containers", containers, list->from), template->from);
}

/* ---- the options of `ray start` ---- */

/* Is it an option of `ray start` that the framework sets, or that repeats a default? */
static bool is_known_option(const struct data_member *m, bool head)
{
	bool text = m->value->kind == DATA_STRING;

	if (str_is(m->key, "block") || str_is(m->key, "disable-usage-stats"))
		return true;
	if (!head || !text)
		return false;
	return (str_is(m->key, "dashboard-host") && str_is(m->value->u.string, "0.0.0.0")) ||
		(str_is(m->key, "port") && str_is(m->value->u.string, "6379")) ||
		(str_is(m->key, "dashboard-port") && str_is(m->value->u.string, "8265"));
}

/* Returns the other options of a group as a list of words; NULL if the group has no other options. */
static struct expr *options(struct ray *r, const struct data *group, bool head)
{
	struct arena *a = ray_arena(r);
	const struct data *params = member(group, "rayStartParams");
	struct expr *list = expr_new(a, EXPR_LIST);

	for (size_t i = 0; i < data_count(params); i++) {
		const struct data_member *m = &params->u.map.at[i];
		struct str value = m->value->kind == DATA_STRING ? m->value->u.string : STR("");
		if (is_known_option(m, head))
			continue;
		if (memchr(value.p ? value.p : "", ' ', value.n) || memchr(value.p ? value.p : "", '\'', value.n) ||
		    memchr(value.p ? value.p : "", '"', value.n)) {
			import_left_out(r->set.m.im, m->key_at, m->key,
				"it is not a single word of a command line: set it in the image, or in your own "
				"command");
			continue;
		}
		lines_add(a, &list->items, expr_string(a,
			str_printf(a, "--%.*s%s%.*s", STR_ARG(m->key), value.n ? "=" : "", STR_ARG(value))), m->key_at);
	}
	return list->items.n ? list : NULL;
}

static struct expr *ray_framework(struct ray *r)
{
	struct arena *a = ray_arena(r);
	struct expr *call = expr_call(a, data_count(r->groups) > 1 ? STR("ray.groups") : STR("ray.cluster"));
	struct expr *head = options(r, member(r->cluster, "headGroupSpec"), true), *first = NULL;

	job_use(r->set.m.im, r->set.job, STR("ray"));
	if (head)
		lines_set(a, &call->items, STR("head_options"), head, r->set.m.at);
	for (size_t i = 0; i < data_count(r->groups); i++) {
		const struct data *group = r->groups->u.list.at[i];
		struct expr *mine = options(r, group, false);
		if (i == 0)
			first = mine;
		else if (!mine != !first || (mine && !expr_same(mine, first)))
			import_left_out(r->set.m.im, member_at(group, "rayStartParams"), STR("rayStartParams"),
				"all groups are started with the options of the first one");
	}
	if (first)
		lines_set(a, &call->items, STR("worker_options"), first, r->set.m.at);
	return call;
}

/* ---- roles ---- */

static void read_ray_role(struct ray *r, const struct data *group, struct str name, int64_t jobs, int64_t per)
{
	struct set_role *role = &r->set.roles[r->set.n++];

	*role = (struct set_role){ .name = name, .template = ray_template(r, group), .place = group->from,
		.count_at = member_at(group, "replicas"), .jobs = jobs, .per = per };
}

static const struct pod_label labels[] = {
	{ "ray.io/cluster", LABEL_OF_JOB }, { "ray.io/group", LABEL_OF_ROLE }, { "ray.io/node-type", LABEL_OF_ROLE },
	{ NULL, LABEL_KEPT }
};

static void read_ray_roles(struct ray *r)
{
	struct set *s = &r->set;

	s->roles = ARENA_ARRAY(ray_arena(r), struct set_role, data_count(r->groups) + 1);
	read_ray_role(r, member(r->cluster, "headGroupSpec"), STR("head"), 1, 1);
	for (size_t i = 0; i < data_count(r->groups); i++) {
		const struct data *group = r->groups->u.list.at[i];
		struct str name = data_count(r->groups) == 1 ? STR("worker") : member_text(group, "groupName");
		read_ray_role(r, group, name, member_int(group, "replicas", member_int(group, "minReplicas", 0)),
			member_int(group, "numOfHosts", 1));
	}
	set_words(s);
	s->job->labels_of = labels;
	s->all_replicas = true;
}

/* Makes the group elastic when Ray's autoscaler may change its size between two bounds. */
static void make_group_elastic(struct ray *r, const struct data *group, struct set_role *role)
{
	struct import *im = r->set.m.im;
	int64_t least = member_int(group, "minReplicas", 0), most = member_int(group, "maxReplicas", 0);
	struct line *line = lines_find(role->body, STR("replicas"));

	if (!member_bool(r->cluster, "enableInTreeAutoscaling", false) || least >= most || most > INT32_MAX || !line ||
	    role->per != 1)
		return;
	line->value = expr_text(im->arena, str_printf(im->arena, "%lld:%lld", (long long)least, (long long)most));
	diag_report(im->diags, TJ1111, member_at(group, "maxReplicas"),
		"Ray's autoscaler changes the size of '%.*s'; the program starts with %lld and may be scaled down to "
		"%lld",
		STR_ARG(role->name), (long long)most, (long long)least);
}

/*
 * Sets the size of shared memory. The framework's default is 8 GiB. In a pod with less memory, shared memory is as
 * large as the pod's memory, as with the Ray operator.
 */
static void shared_memory(struct ray *r, struct set_role *role)
{
	const struct data *list = member(member(role->template, "spec"), "containers"),
		*resources = data_count(list) ? member(list->u.list.at[0], "resources") : NULL;
	const struct data *memory = member(member(resources, "limits"), "memory");
	struct str text = amount_literal(ray_arena(r),
		memory ? memory : member(member(resources, "requests"), "memory"), true);
	struct quantity has, usual;

	if (!text.n || lines_find(role->body, STR("shm")) || quantity_parse(text, &has) != QUANTITY_OK ||
	    quantity_parse(STR("8Gi"), &usual) != QUANTITY_OK)
		return;
	if (has.nano < usual.nano)
		lines_set(ray_arena(r), role->body, STR("shm"), expr_text(ray_arena(r), text), role->place);
}

static bool bodies(struct ray *r)
{
	struct set *s = &r->set;
	bool ok = true;

	for (size_t i = 0; i < s->n; i++) {
		const struct data *group = i ? r->groups->u.list.at[i - 1] : NULL;
		if (!set_role_open(s, &s->roles[i])) {
			ok = false;
			continue;
		}
		shared_memory(r, &s->roles[i]);
		if (group)
			make_group_elastic(r, group, &s->roles[i]);
		if (s->roles[i].per > 1)
			diag_report(s->m.im->diags, TJ1111, member_at(group, "numOfHosts"),
				"the groups of %lld hosts become one role of %lld replicas", (long long)s->roles[i].per,
				(long long)(s->roles[i].jobs * s->roles[i].per));
	}
	if (ok)
		/* the head is always a single replica */
		lines_drop(s->m.im->arena, s->roles[0].line, STR("replicas"));
	return ok;
}

/* ---- fields ---- */

/* Reports members of MAP that are not in KNOWN, a list that ends with NULL. */
static void report_ray_rest(struct ray *r, const struct data *map, const char *const *known, const char *why)
{
	for (size_t i = 0; i < data_count(map); i++) {
		const struct data_member *m = &map->u.map.at[i];
		size_t k = 0;
		while (known[k] && !str_is(m->key, known[k]))
			k++;
		if (!known[k])
			import_left_out(r->set.m.im, m->key_at, m->key, why);
	}
}

static void cluster_rest(struct ray *r)
{
	static const char *const cluster[] = { "headGroupSpec", "workerGroupSpecs", "rayVersion",
		"enableInTreeAutoscaling", "suspend", NULL };
	static const char *const head[] = { "template", "rayStartParams", "serviceType", NULL };
	static const char *const group[] = { "template", "rayStartParams", "groupName", "replicas", "minReplicas",
		"maxReplicas", "numOfHosts", NULL };
	const char *why = "a program cannot express it";

	report_ray_rest(r, r->cluster, cluster, why);
	report_ray_rest(r, member(r->cluster, "headGroupSpec"), head, why);
	for (size_t i = 0; i < data_count(r->groups); i++)
		report_ray_rest(r, r->groups->u.list.at[i], group, why);
}

/* Splits a command into words; NULL if the command needs a shell. */
static struct expr *command_words(struct arena *a, struct str text)
{
	struct expr *list = expr_new(a, EXPR_LIST);

	for (size_t i = 0; i < text.n; i++)
		if (strchr("|&;<>()$`\\\"'*?[]#~=%!{}\n", text.p[i]))
			return NULL;
	for (size_t i = 0; i < text.n;) {
		size_t from = i;
		while (i < text.n && text.p[i] != ' ')
			i++;
		if (i > from)
			lines_add(a, &list->items, expr_string(a, (struct str){ text.p + from, i - from }),
				(struct span){ 0, 0 });
		i++;
	}
	return list->items.n ? list : NULL;
}

/* Makes the entrypoint of a RayJob the command of the head. */
static void entrypoint(struct ray *r)
{
	struct arena *a = ray_arena(r);
	const struct data *d = member(r->set.m.spec, "entrypoint");
	struct expr *list = d ? command_words(a, d->u.string) : NULL;

	if (!d || !d->u.string.n) {
		struct diag *said = diag_report(r->set.m.im->diags, TJ1111, r->set.m.at, "this RayJob has no entry "
			"point: the program starts a cluster, in which nothing runs, and it never ends");
		diag_help(r->set.m.im->diags, said,
			"write what it runs as 'args' of 'head': args = [\"python\", \"train.py\"]");
		return;
	}
	if (!list) {
		list = expr_new(a, EXPR_LIST);
		lines_add(a, &list->items, expr_string(a, STR("sh")), d->from);
		lines_add(a, &list->items, expr_string(a, STR("-c")), d->from);
		lines_add(a, &list->items, expr_string(a, d->u.string), d->from);
	}
	/* a RayJob fails with its entry point; its pods restart by themselves only in a RayCluster */
	if (lines_find(r->set.roles[0].body, STR("restart")))
		lines_drop(a, r->set.roles[0].line, STR("restart"));
	struct span at = span_join(member_at(r->set.m.spec, "entrypoint"), d->from);
	import_comments(r->set.m.im, lines_set(a, r->set.roles[0].body, STR("args"), list, at), at);
}

/* Reads the text of runtimeEnvYAML; NULL if it is not a map of YAML. */
static const struct data *runtime_of(struct arena *a, const struct data *d)
{
	struct source *source = ARENA_NEW(a, struct source);

	*source = (struct source){ .name = STR("runtimeEnvYAML"), .text = str_copy(a, d->u.string),
		.base = d->from.start };
	struct data_reader *reader = data_reader_new(a, source);
	struct data_error error;
	struct data *ret;
	bool map = data_next(reader, &ret, &error) == DATA_DOCUMENT && ret->kind == DATA_MAP;

	data_reader_release(reader);
	return map ? ret : NULL;
}

/* Returns the text of a variable, as Ray sets it; p is NULL unless the value is a text or a whole number. */
static struct str variable_text(struct arena *a, const struct data *d)
{
	if (d->kind == DATA_STRING)
		return d->u.string;
	return d->kind == DATA_INT ? str_int(a, d->u.integer) : (struct str){ 0 };
}

/*
 * Reads what Ray installs and sets before the entry point runs. Variables become those of the job, because all
 * processes of Ray get them; packages and directories have to be in the image.
 */
static void runtime_env(struct ray *r)
{
	struct import *im = r->set.m.im;
	const struct data *text = member(r->set.m.spec, "runtimeEnvYAML"),
		*all = text ? runtime_of(im->arena, text) : NULL;
	struct span at = member_at(r->set.m.spec, "runtimeEnvYAML");

	if (text && !all)
		import_left_out(im, at, STR("runtimeEnvYAML"),
			"put packages and files into the image, and variables into 'env' of the job");
	for (size_t i = 0; i < data_count(all); i++) {
		const struct data_member *m = &all->u.map.at[i];
		if (!str_is(m->key, "env_vars") || m->value->kind != DATA_MAP) {
			import_left_out(im, at, str_cat(im->arena, m->key, STR(" of runtimeEnvYAML"), STR("")),
				"put packages and files into the image");
			continue;
		}
		for (size_t k = 0; k < data_count(m->value); k++) {
			const struct data_member *v = &m->value->u.map.at[k];
			struct str value = variable_text(im->arena, v->value);
			if (!value.p)
				import_left_out(im, at, v->key, "its value is neither a text nor a whole number");
			else
				lines_set(im->arena, lines_block(im->arena, r->set.body, STR("env"), at),
					key_text(im->arena, v->key), expr_string(im->arena, value), at);
		}
	}
}

static void read_ray_job_fields(struct ray *r)
{
	static const char *const known[] = {
		"entrypoint", "rayClusterSpec", "shutdownAfterJobFinishes", "ttlSecondsAfterFinished",
		"activeDeadlineSeconds", "backoffLimit", "suspend", "submissionMode", "jobId", "runtimeEnvYAML", NULL
	};
	struct import *im = r->set.m.im;
	const struct data *spec = r->set.m.spec, *limit = member(spec, "backoffLimit");

	job_seconds(im, r->set.body, "timeout", spec, "activeDeadlineSeconds");
	if (member_bool(spec, "shutdownAfterJobFinishes", false))
		job_seconds(im, r->set.body, "ttl", spec, "ttlSecondsAfterFinished");
	job_suspend(im, r->set.body, spec);
	if (limit && limit->u.integer > 0)
		lines_set(im->arena, r->set.body, STR("restarts"), expr_int(im->arena, limit->u.integer), limit->from);
	runtime_env(r);
	report_ray_rest(r, spec, known, "a program cannot express it");
}

/* ---- kinds ---- */

static bool write_ray(struct ray *r, bool is_job)
{
	struct set *s = &r->set;

	r->groups = member(r->cluster, "workerGroupSpecs");
	read_ray_roles(r);
	s->body = job_new(&s->m, s->job, ray_framework(r));
	if (is_job)
		read_ray_job_fields(r);
	else
		job_suspend(s->m.im, s->body, r->cluster);
	cluster_rest(r);
	if (!bodies(r))
		return false;
	if (is_job)
		entrypoint(r);
	set_finish(s);
	return true;
}

static bool read_ray_job(struct import *im, const struct import_kind *k, const struct data *object,
	struct imported *job)
{
	struct ray r = { .set.job = job };
	size_t errors = im->diags->errors;

	if (!manifest_open(im, k, object, "ray.io.v1.RayJob", false, &r.set.m) || im->diags->errors != errors)
		return false;
	r.cluster = member(r.set.m.spec, "rayClusterSpec");
	if (r.cluster && member(r.cluster, "headGroupSpec"))
		return write_ray(&r, true);
	struct diag *d = diag_report(im->diags, TJ1106, r.set.m.at, "this RayJob has no cluster of its own");
	diag_help(im->diags, d, "write its 'rayClusterSpec': a program starts the cluster that its job runs on");
	return false;
}

static bool read_cluster(struct import *im, const struct import_kind *k, const struct data *object,
	struct imported *job)
{
	struct ray r = { .set.job = job };
	size_t errors = im->diags->errors;

	if (!manifest_open(im, k, object, "ray.io.v1.RayCluster", false, &r.set.m) || im->diags->errors != errors)
		return false;
	r.cluster = r.set.m.spec;
	if (member(r.cluster, "headGroupSpec"))
		return write_ray(&r, false);
	diag_report(im->diags, TJ1106, r.set.m.at, "this RayCluster has no head");
	return false;
}

const struct import_kind ray_kinds[] = { { "RayJob", "ray.io/v1", read_ray_job, false, IMPORT_JOB },
	{ "RayCluster", "ray.io/v1", read_cluster, false, IMPORT_JOB }, { 0 } };
