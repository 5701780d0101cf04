/*
 * gang.c - pods that start together or not at all, whoever sees to that.
 *
 * A gang is the pods of all roles that are not auxiliary.  Kueue admits an
 * object as a whole, or a group of pods that name each other; the schedulers of
 * Volcano, of coscheduling and of Kubernetes itself want an object that says how
 * many pods the gang needs, and pods that point to it.
 *
 * minMember, minResources and the rest follow the training operator: a
 * framework's argument `scheduling` wins, then the roles are counted; resources
 * are what the containers request (their limits where they request nothing),
 * init containers left out unless they go on beside the others.
 */
#include "emit/each.h"

#define GROUP STR("gang")               /* inside the object of the job's name */

static const struct {
	const char *name, *scheduler;   /* in the program; its scheduler where the program names none */
} gangs[] = {
	[GANG_NONE] = { "none", NULL },
	[GANG_KUEUE] = { "kueue", NULL },
	[GANG_VOLCANO] = { "volcano", "volcano" },
	[GANG_COSCHEDULING] = { "coscheduling", "scheduler-plugins-scheduler" },
	[GANG_NATIVE] = { "native", NULL },
};

enum gang emit_gang(const struct plan_job *j)
{
	for (size_t i = 0; i < sizeof(gangs) / sizeof(*gangs); i++)
		if (str_is(j->gang.value, gangs[i].name))
			return (enum gang)i;
	return GANG_NONE;
}

bool emit_kueue(const struct plan_job *j) { return emit_gang(j) == GANG_KUEUE; }

struct span emit_gang_place(const struct plan_job *j)
{
	return span_known(j->gang.from) ? j->gang.from : j->name_at;
}

/* ---- who belongs to it ---- */

static bool member(const struct plan_role *r) { return !r->aux && r->max; }

const struct data *emit_gang_setting(const struct plan_job *j, const char *name)
{
	const struct data *d = data_get(data_get(j->arguments, STR("scheduling")), str_of(name));

	return d && d->kind != DATA_NULL ? d : NULL;
}

int64_t emit_gang_pods(const struct plan_job *j)
{
	int64_t n = 0;

	for (size_t i = 0; i < j->nroles; i++)
		if (member(&j->roles[i]))
			n += j->roles[i].max;
	return n;
}

int64_t emit_gang_least(const struct plan_job *j)
{
	const struct data *wanted = emit_gang_setting(j, "min_available");
	int64_t n = 0;

	if (wanted && wanted->kind == DATA_INT)
		return wanted->u.integer;
	for (size_t i = 0; i < j->nroles; i++)
		if (member(&j->roles[i]))
			n += j->roles[i].min;
	return n;
}

/* How many pods of a role are among the first `*left`; without a number from the framework each role has its own. */
static int64_t counted(const struct plan_job *j, const struct plan_role *r, int64_t *left)
{
	int64_t n = r->max < *left ? r->max : *left;

	if (!emit_gang_setting(j, "min_available"))
		return r->min;
	*left -= n;
	return n;
}

/* ---- resources ---- */

struct sums {
	struct object *map;             /* the quantities of a resource are added up in its text */
	struct emit *e;
};

static bool quantity_of(struct arena *a, const struct object *o, struct quantity *ret)
{
	switch (o->kind) {
	case OBJECT_STRING: return quantity_parse_full(o->u.string, ret) == QUANTITY_OK;
	case OBJECT_INT: return quantity_parse_full(str_int(a, o->u.integer), ret) == QUANTITY_OK;
	case OBJECT_FLOAT: return quantity_parse_full(str_printf(a, "%.9f", o->u.number), ret) == QUANTITY_OK;
	default: return false;
	}
}

/* What is beyond all quantities says nothing to a scheduler: the sum before it stays. */
static void add(struct sums *s, struct str name, const struct object *amount, int64_t times)
{
	struct object *known = object_get(s->map, name);
	struct quantity one, all, before;

	if (!quantity_of(s->e->arena, amount, &one) || !quantity_mul(one, times, &all))
		return;
	if (!known)
		object_append(s->e->arena, s->map, name, object_string(s->e->arena, quantity_text(s->e->arena, all), amount->from));
	else if (quantity_of(s->e->arena, known, &before) && quantity_add(before, all, &all))
		known->u.string = quantity_text(s->e->arena, all);
}

static void add_containers(struct sums *s, const struct object *list, bool inits, int64_t times)
{
	for (size_t i = 0; list && i < list->u.list.n; i++) {
		const struct object *c = list->u.list.at[i], *resources = object_get(c, STR("resources"));
		const struct object *amounts = resources ? object_get(resources, STR("requests")) : NULL;
		if (inits && !object_get(c, STR("restartPolicy")))
			continue;       /* it ends before the others start */
		if (!amounts && resources)
			amounts = object_get(resources, STR("limits"));
		for (size_t k = 0; amounts && amounts->kind == OBJECT_MAP && k < amounts->u.map.n; k++)
			add(s, amounts->u.map.at[k].key, amounts->u.map.at[k].value, times);
	}
}

/* The pod as far as its resources go. */
static struct object *bare_pod(struct emit *e, const struct plan_role *r)
{
	struct plan_role bare = *r;
	struct object *pod = object_map(e->arena, r->at);
	struct emit quiet = *e;

	quiet.diags = NULL;
	quiet.first = 0;
	bare.main.nenv = bare.main.command.n = bare.main.args.n = 0;
	bare.sidecars = ARENA_ARRAY(e->arena, struct plan_container, r->nsidecars);
	for (size_t i = 0; i < r->nsidecars; i++) {
		bare.sidecars[i] = r->sidecars[i];
		bare.sidecars[i].nenv = bare.sidecars[i].command.n = bare.sidecars[i].args.n = 0;
	}
	emit_pod_spec(&quiet, &bare, pod);
	if (r->raw_pod)
		raw_merge(&quiet, RAW_POD, pod, r->raw_pod);
	return pod;
}

static void resources(struct emit *e, struct object *spec)
{
	const struct plan_job *j = e->job;
	const struct data *given = emit_gang_setting(j, "min_resources");
	struct sums s = { object_map(e->arena, emit_gang_place(j)), e };
	int64_t left = emit_gang_least(j);

	if (given) {
		object_append_word(e->arena, spec, STR("minResources"), object_from_data(e->arena, given));
		return;
	}
	for (size_t i = 0; i < j->nroles; i++) {
		int64_t n = member(&j->roles[i]) ? counted(j, &j->roles[i], &left) : 0;
		if (!n)
			continue;
		struct object *pod = bare_pod(e, &j->roles[i]);
		add_containers(&s, object_get(pod, STR("containers")), false, n);
		add_containers(&s, object_get(pod, STR("initContainers")), true, n);
	}
	if (s.map->u.map.n)
		object_append_word(e->arena, spec, STR("minResources"), s.map);
}

/* ---- the objects ---- */

static void setting_put(struct emit *e, struct object *spec, const char *key, const char *name)
{
	const struct data *d = emit_gang_setting(e->job, name);

	if (d)
		object_append(e->arena, spec, str_of(key), object_from_data(e->arena, d));
}

/* One number does not say which: with roles of changing size, each has a minimum of its own. */
static void task_minima(struct emit *e, struct object *spec)
{
	const struct plan_job *j = e->job;
	bool several = false, elastic = false;
	const struct plan_role *seen = NULL;
	struct object *map = object_map(e->arena, emit_gang_place(j));

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!member(r))
			continue;
		several = several || seen;
		elastic = elastic || r->min != r->max;
		seen = r;
		object_append(e->arena, map, r->label, object_integer(e->arena, r->min, r->replicas_at));
	}
	if (several && elastic && !emit_gang_setting(j, "min_available"))
		object_append_word(e->arena, spec, STR("minTaskMember"), map);
}

static void volcano_spec(struct emit *e, struct object *spec)
{
	const struct plan_job *j = e->job;

	task_minima(e, spec);
	if (emit_gang_setting(j, "queue"))
		setting_put(e, spec, "queue", "queue");
	else
		PUT_STR(e->arena, spec, "queue", j->queue.set ? j->queue.value : STR("default"), j->queue.from);
	if (emit_gang_setting(j, "priority"))
		setting_put(e, spec, "priorityClassName", "priority");
	else if (j->priority.set)
		PUT_STR(e->arena, spec, "priorityClassName", j->priority.value, j->priority.from);
	resources(e, spec);
}

static struct object *group_make(struct emit *e, const struct manifest *m)
{
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from);
	int64_t least = emit_gang_least(e->job);

	if (least)
		PUT_INT(e->arena, spec, "minMember", least, m->from);
	if (emit_gang(e->job) == GANG_VOLCANO) {
		volcano_spec(e, spec);
	} else {
		resources(e, spec);
		setting_put(e, spec, "scheduleTimeoutSeconds", "timeout_s");
	}
	return o;
}

/* The API of Kubernetes' own gangs, which changed its form twice. */
static const struct native {
	unsigned from;                  /* minor version */
	const char *api_version, *groups, *policy;
	bool group_object;              /* the group is an object beside the Workload */
	bool priority;                  /* the group has one, without a feature gate */
} natives[] = {
	{ 37, "scheduling.k8s.io/v1beta1", "podGroupTemplates", "schedulingPolicy", true, true },
	{ 36, "scheduling.k8s.io/v1alpha2", "podGroupTemplates", "schedulingPolicy", true, false },
	{ 0, "scheduling.k8s.io/v1alpha1", "podGroups", "policy", false, false },
};

static const struct native *native_of(const struct plan *plan)
{
	const struct native *n = natives;

	while (plan->kubernetes < n->from)
		n++;
	return n;
}

static void native_policy(struct emit *e, const struct native *n, struct object *o)
{
	struct span from = emit_gang_place(e->job);
	struct object *gang = PUT_MAP(e->arena, object_put_map(e->arena, o, str_of(n->policy), from), "gang", from);
	int64_t least = emit_gang_least(e->job);

	PUT_INT(e->arena, gang, "minCount", least ? least : 1, from);
	if (n->priority && e->job->priority.set)
		PUT_STR(e->arena, o, "priorityClassName", e->job->priority.value, e->job->priority.from);
}

static struct object *workload_make(struct emit *e, const struct manifest *m)
{
	const struct native *n = native_of(e->plan);
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from);
	struct object *group = object_add_map(e->arena, object_put_list(e->arena, spec, str_of(n->groups), m->from), m->from);

	PUT_STR(e->arena, group, "name", GROUP, m->from);
	native_policy(e, n, group);
	return o;
}

static struct object *native_group_make(struct emit *e, const struct manifest *m)
{
	const struct native *n = native_of(e->plan);
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from), *ref;

	if (n->priority) {
		ref = PUT_MAP(e->arena, spec, "workloadRef", m->from);
		PUT_STR(e->arena, ref, "workloadName", e->job->name, m->from);
		PUT_STR(e->arena, ref, "templateName", GROUP, m->from);
	} else {
		ref = PUT_MAP(e->arena, PUT_MAP(e->arena, spec, "podGroupTemplateRef", m->from), "workload", m->from);
		PUT_STR(e->arena, ref, "workloadName", e->job->name, m->from);
		PUT_STR(e->arena, ref, "podGroupTemplateName", GROUP, m->from);
	}
	native_policy(e, n, spec);
	return o;
}

static bool each_group(struct visiting *v, const struct plan_job *j, const char *api_version, const char *kind,
	struct object *(*make)(struct emit *e, const struct manifest *m))
{
	struct manifest m = each_manifest(NULL, api_version, kind, j->name, make);

	m.from = emit_gang_place(j);
	return each_one(v, &m);
}

bool each_gang(struct visiting *v, const struct plan_job *j)
{
	const struct native *n = native_of(v->e->plan);

	if (!emit_gang_pods(j))
		return true;
	switch (emit_gang(j)) {
	case GANG_VOLCANO:
		return each_group(v, j, "scheduling.volcano.sh/v1beta1", "PodGroup", group_make);
	case GANG_COSCHEDULING:
		return each_group(v, j, "scheduling.x-k8s.io/v1alpha1", "PodGroup", group_make);
	case GANG_NATIVE:
		return each_group(v, j, n->api_version, "Workload", workload_make) &&
			(!n->group_object || each_group(v, j, n->api_version, "PodGroup", native_group_make));
	case GANG_NONE:
	case GANG_KUEUE:
		break;
	}
	return true;
}

/* ---- what joins them ---- */

static const struct mark {
	enum gang gang;
	const char *map, *key;
} marks[] = {
	{ GANG_KUEUE, "labels", "kueue.x-k8s.io/queue-name" },
	{ GANG_KUEUE, "labels", "kueue.x-k8s.io/pod-group-name" },
	{ GANG_KUEUE, "annotations", "kueue.x-k8s.io/pod-group-total-count" },
	{ GANG_VOLCANO, "annotations", "scheduling.k8s.io/group-name" },
	{ GANG_VOLCANO, "annotations", "volcano.sh/task-spec" },
	{ GANG_COSCHEDULING, "labels", "scheduling.x-k8s.io/pod-group" },
};
enum { MARK_QUEUE, MARK_KUEUE_GROUP, MARK_KUEUE_COUNT, MARK_VOLCANO_GROUP, MARK_VOLCANO_TASK, MARK_COSCHEDULING_GROUP, MARKS };

bool emit_gang_owns(const struct plan_job *j, struct str key)
{
	for (size_t i = 0; i < MARKS; i++)
		if (emit_gang(j) == marks[i].gang && str_is(key, marks[i].key))
			return i != MARK_QUEUE || j->queue.set;
	return false;
}

static void mark_put(struct emit *e, struct object *metadata, unsigned mark, struct str value, struct span from)
{
	struct object *map = object_get(metadata, str_of(marks[mark].map));

	if (!map)
		map = object_put_map(e->arena, metadata, str_of(marks[mark].map), from);
	object_put(e->arena, map, str_of(marks[mark].key), object_string(e->arena, value, from));
}

static bool labelled(const struct plan_pairs *labels)
{
	for (size_t i = 0; i < labels->n; i++)
		if (str_is(labels->at[i].key, marks[MARK_QUEUE].key))
			return true;
	return false;
}

bool emit_gang_queued(const struct plan_job *j)
{
	bool queued = j->queue.set || labelled(&j->labels);

	for (size_t i = 0; i < j->nroles; i++)
		queued = queued || labelled(&j->roles[i].labels);
	return queued;
}

void emit_gang_queue(struct emit *e, struct object *metadata)
{
	const struct plan_job *j = e->job;

	if (emit_kueue(j) && j->queue.set)
		mark_put(e, metadata, MARK_QUEUE, j->queue.value, j->queue.from);
}

bool emit_gang_grouped(const struct plan_job *j, const struct plan_role *r)
{
	return j->each_replica && member(r) && !r->replica.job;
}

/* Kueue waits until that many pods are there: what is a Job does not join them. */
static int64_t grouped_pods(const struct plan_job *j)
{
	int64_t n = 0;

	for (size_t i = 0; i < j->nroles; i++)
		if (emit_gang_grouped(j, &j->roles[i]))
			n += j->roles[i].max;
	return n;
}

/* Pods that no other object stands for are admitted as a group. */
static void kueue_pod(struct emit *e, const struct plan_role *r, struct object *metadata)
{
	const struct plan_job *j = e->job;

	if (!j->each_replica || r->replica.job || plan_role_is_deployment(r))
		return;
	emit_gang_queue(e, metadata);
	if (!emit_gang_grouped(j, r))
		return;
	mark_put(e, metadata, MARK_KUEUE_GROUP, j->name, emit_gang_place(j));
	mark_put(e, metadata, MARK_KUEUE_COUNT, str_int(e->arena, grouped_pods(j)), emit_gang_place(j));
}

void emit_gang_pod_metadata(struct emit *e, const struct plan_role *r, struct object *metadata)
{
	const struct plan_job *j = e->job;
	struct span from = emit_gang_place(j);
	enum gang gang = emit_gang(j);

	if (gang == GANG_KUEUE)
		kueue_pod(e, r, metadata);
	if (!member(r))
		return;
	if (gang == GANG_VOLCANO) {
		mark_put(e, metadata, MARK_VOLCANO_GROUP, j->name, from);
		mark_put(e, metadata, MARK_VOLCANO_TASK, r->label, from);
	} else if (gang == GANG_COSCHEDULING) {
		mark_put(e, metadata, MARK_COSCHEDULING_GROUP, j->name, from);
	}
}

void emit_gang_pod(struct emit *e, const struct plan_role *r, struct object *pod)
{
	const struct plan_job *j = e->job;
	struct span from = emit_gang_place(j);
	const char *scheduler = gangs[emit_gang(j)].scheduler;
	struct object *o;

	if (!member(r))
		return;
	if (scheduler && !j->scheduler.set && !data_get(r->raw_pod, STR("schedulerName")))
		PUT_STR(e->arena, pod, "schedulerName", str_of(scheduler), from);
	if (emit_gang(j) != GANG_NATIVE)
		return;
	if (native_of(e->plan)->group_object) {
		PUT_STR(e->arena, PUT_MAP(e->arena, pod, "schedulingGroup", from), "podGroupName", j->name, from);
		return;
	}
	o = PUT_MAP(e->arena, pod, "workloadRef", from);
	PUT_STR(e->arena, o, "name", j->name, from);
	PUT_STR(e->arena, o, "podGroup", GROUP, from);
}
