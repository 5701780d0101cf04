/*
 * gang.c - pods that start together or not at all: which pods belong to a gang, and how they are marked. A gang
 * consists of the pods of all roles that are not auxiliary; each copy of a cell is a gang by itself, unless its copies
 * start together with the job's own roles. Kueue admits an object as a whole, or a group of pods
 * that have the same group name. The schedulers of Volcano, of coscheduling and of Kubernetes itself need an object
 * that says how many pods the gang has, and pods that refer to it.
 */
#include "emit/each.h"

static const struct {
	/* the name in the program, and the scheduler that it uses by default */
	const char *name, *scheduler;
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

/* ---- which pods belong to a gang ---- */

bool emit_gang_member(const struct plan_role *r) { return !r->aux && r->max; }

const struct data *emit_gang_setting(const struct plan_job *j, const char *name)
{
	const struct data *d = data_get(data_get(j->arguments, STR("scheduling")), str_of(name));

	return d && d->kind != DATA_NULL ? d : NULL;
}

bool emit_gang_any(const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (emit_gang_member(&j->roles[i]))
			return true;
	return false;
}

struct emit_group emit_gang_group(const struct plan_job *j, const struct plan_role *r)
{
	const struct plan_cell *c = plan_cell_of(j, r);

	return c && !plan_cell_together(c) ? (struct emit_group){ c, r->copy } : (struct emit_group){ 0 };
}

bool emit_gang_in(const struct plan_job *j, struct emit_group g, const struct plan_role *r)
{
	if (!emit_gang_member(r))
		return false;
	return g.cell ? r->copy == g.copy && str_eq(r->cell, g.cell->name) : !emit_gang_group(j, r).cell;
}

struct str emit_gang_name(struct arena *a, const struct plan_job *j, struct emit_group g)
{
	if (!g.cell)
		return j->name;
	struct str label = plan_label(a, g.cell->name);
	return str_printf(a, "%.*s-%.*s-%lld", STR_ARG(j->name), STR_ARG(label), (long long)g.copy);
}

/* Does the controller of the one object for the whole job make the gang's object and mark its pods? */
static bool left_to_tasks(const struct plan_job *j) { return j->workload == WORKLOAD_TASK; }

bool emit_gang_left(const struct plan_job *j, struct emit_group g)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].in_group && emit_gang_in(j, g, &j->roles[i]))
			return true;
	return false;
}

int64_t emit_gang_pods(const struct plan_job *j, struct emit_group g)
{
	int64_t n = 0;

	for (size_t i = 0; i < j->nroles; i++)
		if (emit_gang_in(j, g, &j->roles[i]))
			n += j->roles[i].max;
	return n;
}

int64_t emit_gang_needs(const struct plan_job *j, struct emit_group g, const struct plan_role *r)
{
	const struct plan_cell *c = g.cell ? NULL : plan_cell_of(j, r);

	return !emit_gang_in(j, g, r) || (c && r->copy >= c->min) ? 0 : r->min;
}

int64_t emit_gang_least(const struct plan_job *j, struct emit_group g)
{
	const struct data *wanted = g.cell ? NULL : emit_gang_setting(j, "min_available");
	int64_t n = 0;

	if (wanted && wanted->kind == DATA_INT)
		return wanted->u.integer;
	for (size_t i = 0; i < j->nroles; i++)
		n += emit_gang_needs(j, g, &j->roles[i]);
	return n;
}

/* The versions of the API, newest first. */
static const struct emit_native_gang natives[] = {
	{ 37, "scheduling.k8s.io/v1beta1", "podGroupTemplates", "schedulingPolicy", true, true },
	{ 36, "scheduling.k8s.io/v1alpha2", "podGroupTemplates", "schedulingPolicy", true, false },
	{ 0, "scheduling.k8s.io/v1alpha1", "podGroups", "policy", false, false },
};

struct str emit_gang_template(struct arena *a, struct emit_group g)
{
	return g.cell ? plan_label(a, g.cell->name) : STR("gang");
}

const struct emit_native_gang *emit_native_gang(const struct plan *plan)
{
	const struct emit_native_gang *n = natives;

	while (plan->kubernetes < n->from)
		n++;
	return n;
}

/* ---- what marks the members of a gang ---- */

static const struct mark {
	enum gang gang;
	const char *map, *key;
} marks[] = {
	{ GANG_KUEUE, "labels", "kueue.x-k8s.io/queue-name" },
	{ GANG_KUEUE, "labels", "kueue.x-k8s.io/pod-group-name" },
	{ GANG_KUEUE, "annotations", "kueue.x-k8s.io/pod-group-total-count" },
	{ GANG_KUEUE, "annotations", "kueue.x-k8s.io/job-min-parallelism" },
	{ GANG_KUEUE, "annotations", "kueue.x-k8s.io/job-completions-equal-parallelism" },
	{ GANG_VOLCANO, "annotations", "scheduling.k8s.io/group-name" },
	{ GANG_VOLCANO, "annotations", "volcano.sh/task-spec" },
	{ GANG_COSCHEDULING, "labels", "scheduling.x-k8s.io/pod-group" },
};
enum { MARK_QUEUE, MARK_KUEUE_GROUP, MARK_KUEUE_COUNT, MARK_KUEUE_LEAST, MARK_KUEUE_SIZE, MARK_VOLCANO_GROUP,
	MARK_VOLCANO_TASK, MARK_COSCHEDULING_GROUP, MARKS };

static void mark_put(struct emit *e, struct object *metadata, unsigned mark, struct str value, struct span from)
{
	struct object *map = object_need_map(e->arena, metadata, str_of(marks[mark].map), from);

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

/* ---- elastic roles in a queue ---- */

const struct plan_pair *emit_gang_resizable(const struct plan_job *j, const struct plan_role *r)
{
	const struct plan_pairs *all[] = { &r->annotations, &j->annotations };

	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < all[i]->n; k++)
			if (str_is(all[i]->at[k].key, "kueue.x-k8s.io/elastic-job"))
				return str_is(all[i]->at[k].value, "true") ? &all[i]->at[k] : NULL;
	return NULL;
}

/* Does an autoscaler of the framework change the size of the role? */
static bool autoscaled(const struct plan_job *j)
{
	for (size_t i = 0; i < j->nobjects; i++) {
		const struct data *kind = data_get(j->objects[i].data, STR("kind"));
		if (kind && kind->kind == DATA_STRING && str_is(kind->u.string, "HorizontalPodAutoscaler"))
			return true;
	}
	return false;
}

/*
 * Kueue refuses a minimum of 0, and a minimum of a Job that may be resized while it runs. Roles in segments are left
 * out, because Kueue may choose a size that is not a multiple of a segment.
 */
bool emit_gang_shrinks(const struct plan_job *j, const struct plan_role *r)
{
	return emit_kueue(j) && r->elastic && r->min < r->max && r->max > 1 && r->segment <= 1 && !r->unrolled &&
		!r->in_set && plan_workload(j, r)->id == WORKLOAD_JOB && !emit_gang_resizable(j, r) && !autoscaled(j);
}

/* Is the size of any role left to Kueue? */
static bool shrinks(const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (emit_gang_shrinks(j, &j->roles[i]))
			return true;
	return false;
}

bool emit_gang_owns(const struct plan_job *j, struct str key)
{
	for (size_t i = 0; i < MARKS; i++)
		if (emit_gang(j) == marks[i].gang && str_is(key, marks[i].key))
			return i == MARK_QUEUE ? j->queue.set :
				(i != MARK_KUEUE_LEAST && i != MARK_KUEUE_SIZE) || shrinks(j);
	return false;
}

void emit_gang_size(struct emit *e, const struct plan_role *r, struct object *metadata)
{
	if (!emit_gang_shrinks(e->job, r))
		return;
	mark_put(e, metadata, MARK_KUEUE_LEAST, str_int(e->arena, r->min ? r->min : 1), r->replicas_at);
	mark_put(e, metadata, MARK_KUEUE_SIZE, STR("true"), r->replicas_at);
}

bool emit_gang_grouped(const struct plan_job *j, const struct plan_role *r)
{
	return emit_gang_member(r) && (plan_workload(j, r)->traits & WORKLOAD_BARE);
}

/*
 * Returns the number of pods for which Kueue waits. Pods of a Job are not counted, because Kueue admits the Job
 * itself.
 */
static int64_t grouped_pods(const struct plan_job *j, struct emit_group g)
{
	int64_t n = 0;

	for (size_t i = 0; i < j->nroles; i++)
		if (emit_gang_grouped(j, &j->roles[i]) && emit_gang_in(j, g, &j->roles[i]))
			n += j->roles[i].max;
	return n;
}

/* Adds those pods to Kueue's group that no other object represents. */
static void kueue_pod(struct emit *e, const struct plan_role *r, struct object *metadata)
{
	const struct plan_job *j = e->job;

	if (!(plan_workload(j, r)->traits & WORKLOAD_BARE))
		return;
	emit_gang_queue(e, metadata);
	if (!emit_gang_grouped(j, r))
		return;
	struct emit_group g = emit_gang_group(j, r);
	mark_put(e, metadata, MARK_KUEUE_GROUP, emit_gang_name(e->arena, j, g), emit_gang_place(j));
	mark_put(e, metadata, MARK_KUEUE_COUNT, str_int(e->arena, grouped_pods(j, g)), emit_gang_place(j));
}

void emit_gang_pod_metadata(struct emit *e, const struct plan_role *r, struct object *metadata)
{
	const struct plan_job *j = e->job;
	struct span from = emit_gang_place(j);
	enum gang gang = emit_gang(j);

	if (gang == GANG_KUEUE)
		kueue_pod(e, r, metadata);
	if (!emit_gang_member(r) || r->in_group || left_to_tasks(j))
		return;
	struct str name = emit_gang_name(e->arena, j, emit_gang_group(j, r));
	if (gang == GANG_VOLCANO) {
		mark_put(e, metadata, MARK_VOLCANO_GROUP, name, from);
		mark_put(e, metadata, MARK_VOLCANO_TASK, r->label, from);
	} else if (gang == GANG_COSCHEDULING) {
		mark_put(e, metadata, MARK_COSCHEDULING_GROUP, name, from);
	}
}

void emit_gang_pod(struct emit *e, const struct plan_role *r, struct object *pod)
{
	const struct plan_job *j = e->job;
	struct span from = emit_gang_place(j);
	const char *scheduler = gangs[emit_gang(j)].scheduler;
	struct object *o;

	if (!emit_gang_member(r) || left_to_tasks(j))
		return;
	if (scheduler && !j->scheduler.set && !data_get(r->raw_pod, STR("schedulerName")))
		PUT_STR(e->arena, pod, "schedulerName", str_of(scheduler), from);
	if (emit_gang(j) != GANG_NATIVE)
		return;
	struct emit_group g = emit_gang_group(j, r);
	if (emit_native_gang(e->plan)->group_object) {
		o = PUT_MAP(e->arena, pod, "schedulingGroup", from);
		PUT_STR(e->arena, o, "podGroupName", emit_gang_name(e->arena, j, g), from);
		return;
	}
	o = PUT_MAP(e->arena, pod, "workloadRef", from);
	PUT_STR(e->arena, o, "name", j->name, from);
	PUT_STR(e->arena, o, "podGroup", emit_gang_template(e->arena, g), from);
	if (g.cell)
		PUT_STR(e->arena, o, "podGroupReplicaKey", str_int(e->arena, g.copy), from);
}
