/*
 * gang_group.c - makes the objects that say how many pods start together: PodGroups of Volcano and of coscheduling,
 * Workloads and PodGroups of Kubernetes itself.
 *
 * minMember, minResources and the rest follow the training operator: a framework's argument `scheduling` wins, then
 * the roles are counted; resources are the containers' requests, or their limits where there is no request; init
 * containers do not count unless they keep running.
 */
#include "emit/each.h"

/*
 * Returns how many pods of the role are among the first *LEFT pods of the gang, and subtracts them from *LEFT.
 * Without `min_available`, returns the number that the gang needs of the role.
 */
static int64_t counted_pods(const struct plan_job *j, struct emit_group g, const struct plan_role *r, int64_t *left)
{
	int64_t n = r->max < *left ? r->max : *left;

	if (!emit_gang_in(j, g, r))
		return 0;
	if (g.cell || !emit_gang_setting(j, "min_available"))
		return emit_gang_needs(j, g, r);
	*left -= n;
	return n;
}

/* ---- resources ---- */

struct sums {
	struct object *map;             /* resource -> quantity: amounts of one resource are added up */
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

/*
 * Adds an amount. If the sum would exceed the range of quantities, it does not change: no scheduler could use such a
 * sum.
 */
static void add_sum(struct sums *s, struct str name, const struct object *amount, int64_t times)
{
	struct object *known = object_get(s->map, name);
	struct quantity one, all, before;

	if (!quantity_of(s->e->arena, amount, &one) || !quantity_mul(one, times, &all))
		return;
	if (!known)
		object_append(s->e->arena, s->map, name,
			object_string(s->e->arena, quantity_text(s->e->arena, all), amount->from));
	else if (quantity_of(s->e->arena, known, &before) && quantity_add(before, all, &all))
		known->u.string = quantity_text(s->e->arena, all);
}

/* Adds resources. If a resource has only a limit, the limit counts as its request, as for the API server. */
static void add_pod_resources(struct sums *s, const struct object *resources, int64_t times)
{
	const struct object *requests = object_get(resources, STR("requests")),
		*limits = object_get(resources, STR("limits"));

	for (size_t i = 0; requests && requests->kind == OBJECT_MAP && i < requests->u.map.n; i++)
		add_sum(s, requests->u.map.at[i].key, requests->u.map.at[i].value, times);
	for (size_t i = 0; limits && limits->kind == OBJECT_MAP && i < limits->u.map.n; i++)
		if (!requests || !object_get(requests, limits->u.map.at[i].key))
			add_sum(s, limits->u.map.at[i].key, limits->u.map.at[i].value, times);
}

static void add_containers(struct sums *s, const struct object *list, bool inits, int64_t times)
{
	for (size_t i = 0; list && i < list->u.list.n; i++) {
		const struct object *c = list->u.list.at[i], *resources = object_get(c, STR("resources"));
		if (inits && !object_get(c, STR("restartPolicy")))
			continue;       /* an init container without a restart policy ends before the others start */
		if (resources)
			add_pod_resources(s, resources, times);
	}
}

/* Makes a pod of replica I that has only the parts that decide its resources. */
static struct object *bare_pod(struct emit *e, const struct plan_role *r, int64_t i)
{
	struct plan_role bare = *r;
	struct object *pod = object_map(e->arena, r->at);
	struct emit quiet = *e;

	quiet.diags = NULL;
	quiet.first = i;
	bare.main.nenv = bare.main.command.n = bare.main.args.n = 0;
	bare.sidecars = ARENA_ARRAY(e->arena, struct plan_container, r->nsidecars);
	for (size_t k = 0; k < r->nsidecars; k++) {
		bare.sidecars[k] = r->sidecars[k];
		bare.sidecars[k].nenv = bare.sidecars[k].command.n = bare.sidecars[k].args.n = 0;
	}
	emit_pod_spec(&quiet, &bare, pod);
	if (r->raw_pod)
		raw_merge(&quiet, RAW_POD, pod, r->raw_pod);
	return pod;
}

/* Adds the first N pods of a role. */
static void add_first_pods(struct sums *s, const struct plan_role *r, int64_t n)
{
	for (int64_t i = 0; i < n; i = plan_next_kind(r, i)) {
		struct object *pod = bare_pod(s->e, r, i);
		int64_t times = plan_kind_size(r, i, n);
		add_containers(s, object_get(pod, STR("containers")), false, times);
		add_containers(s, object_get(pod, STR("initContainers")), true, times);
	}
}

static void emit_min_resources(struct emit *e, struct emit_group g, struct object *spec)
{
	const struct plan_job *j = e->job;
	const struct data *given = g.cell ? NULL : emit_gang_setting(j, "min_resources");
	struct sums s = { object_map(e->arena, emit_gang_place(j)), e };
	int64_t left = emit_gang_least(j, g);

	if (given) {
		object_append_word(e->arena, spec, STR("minResources"), object_from_data(e->arena, given));
		return;
	}
	for (size_t i = 0; i < j->nroles; i++)
		add_first_pods(&s, &j->roles[i], counted_pods(j, g, &j->roles[i], &left));
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

/*
 * If the sizes of roles can change, writes a minimum for each role: a single number would not say which roles it
 * counts. Copies of cells are counted by subgroups.
 */
static void task_minima(struct emit *e, struct emit_group g, struct object *spec)
{
	const struct plan_job *j = e->job;
	bool several = false, elastic = false;
	const struct plan_role *seen = NULL;
	struct object *map = object_map(e->arena, emit_gang_place(j));

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!emit_gang_in(j, g, r) || (!g.cell && r->cell.n))
			continue;
		several = several || seen;
		elastic = elastic || r->min != r->max;
		seen = r;
		object_append(e->arena, map, r->label, object_integer(e->arena, r->min, r->replicas_at));
	}
	if (several && elastic && !emit_gang_setting(j, "min_available"))
		object_append_word(e->arena, spec, STR("minTaskMember"), map);
}

static void volcano_spec(struct emit *e, struct emit_group g, struct object *spec)
{
	const struct plan_job *j = e->job;

	task_minima(e, g, spec);
	if (emit_gang_setting(j, "queue"))
		setting_put(e, spec, "queue", "queue");
	else
		PUT_STR(e->arena, spec, "queue", j->queue.set ? j->queue.value : STR("default"), j->queue.from);
	if (emit_gang_setting(j, "priority"))
		setting_put(e, spec, "priorityClassName", "priority");
	else if (j->priority.set)
		PUT_STR(e->arena, spec, "priorityClassName", j->priority.value, j->priority.from);
	emit_min_resources(e, g, spec);
}

/* ---- where Volcano runs the group, and its subgroups ---- */

static void topology_put(struct emit *e, struct object *to, bool hard, int64_t tier, struct span from)
{
	struct object *topology = PUT_MAP(e->arena, to, "networkTopology", from);

	PUT_STR(e->arena, topology, "mode", hard ? STR("hard") : STR("soft"), from);
	if (hard)
		PUT_INT(e->arena, topology, "highestTierAllowed", tier, from);
}

static struct object *policy_add(struct emit *e, struct object *spec, struct span from)
{
	return object_add_map(e->arena, object_need_list(e->arena, spec, STR("subGroupPolicy"), from), from);
}

/* The copies of a cell that start together: each is a subgroup, and as many as the cell needs are enough. */
static void copies_put(struct emit *e, const struct plan_cell *c, struct object *spec)
{
	const struct plan_role *first = NULL;
	struct span from = span_known(c->starts.from) ? c->starts.from : c->at;
	int64_t pods = 0;

	for (size_t i = 0; i < e->job->nroles; i++) {
		const struct plan_role *r = &e->job->roles[i];
		if (!emit_gang_member(r) || r->copy || !str_eq(r->cell, c->name))
			continue;
		pods += r->min;
		first = !first && r->place.kind != PLACE_ANYWHERE && r->place.kind != PLACE_EACH ? r : first;
	}
	if (!pods)
		return;
	struct object *o = policy_add(e, spec, from), *labels;
	PUT_STR(e->arena, o, "name", plan_label(e->arena, c->name), from);
	labels = PUT_MAP(e->arena, PUT_MAP(e->arena, o, "labelSelector", from), "matchLabels", from);
	object_append(e->arena, labels, LABEL_JOB, object_string(e->arena, e->job->name, from));
	object_append(e->arena, labels, LABEL_CELL, object_string(e->arena, plan_label(e->arena, c->name), from));
	object_add(e->arena, PUT_LIST(e->arena, o, "matchLabelKeys", from),
		object_string(e->arena, LABEL_COPY, from));
	PUT_INT(e->arena, o, "subGroupSize", pods, from);
	PUT_INT(e->arena, o, "minSubGroups", c->min, c->copies_at);
	if (first)
		topology_put(e, o, first->place.kind == PLACE_NEAR, first->place.tier, first->place.from);
}

void emit_gang_topology(struct emit *e, struct emit_group g, struct object *spec)
{
	const struct plan_role *whole = emit_place_first(e->job, g, PLACE_BY_VOLCANO);

	if (whole)
		topology_put(e, spec, whole->place.kind == PLACE_NEAR, whole->place.tier, whole->place.from);
}

static void place_put(struct emit *e, struct emit_group g, struct object *spec)
{
	emit_gang_topology(e, g, spec);
	for (size_t i = 0; !g.cell && i < e->job->ncells; i++)
		if (plan_cell_together(&e->job->cells[i]))
			copies_put(e, &e->job->cells[i], spec);
	for (size_t i = 0; i < e->job->nroles; i++) {
		const struct plan_role *r = &e->job->roles[i];
		const struct plan_segment *s = r->place.segments;
		if (!emit_gang_in(e->job, g, r) || !emit_place_labels(e->job, r))
			continue;
		struct object *o = policy_add(e, spec, s->from);
		PUT_STR(e->arena, o, "name", r->label, s->from);
		emit_selector(e, r, PUT_MAP(e->arena, o, "labelSelector", s->from), STR("matchLabels"));
		object_add(e->arena, PUT_LIST(e->arena, o, "matchLabelKeys", s->from),
			object_string(e->arena, LABEL_SEGMENT, s->from));
		PUT_INT(e->arena, o, "subGroupSize", s->size, s->from);
		topology_put(e, o, true, s->tier, s->from);
	}
}

static struct object *group_make(struct emit *e, const struct manifest *m)
{
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from);
	int64_t least = emit_gang_least(e->job, m->group);

	if (least)
		PUT_INT(e->arena, spec, "minMember", least, m->from);
	if (emit_gang(e->job) == GANG_VOLCANO) {
		volcano_spec(e, m->group, spec);
		place_put(e, m->group, spec);
	} else {
		emit_min_resources(e, m->group, spec);
		setting_put(e, spec, "scheduleTimeoutSeconds", "timeout_s");
	}
	return o;
}

static void native_policy(struct emit *e, const struct emit_native_gang *n, struct emit_group g, struct object *o)
{
	struct span from = emit_gang_place(e->job);
	struct object *gang = PUT_MAP(e->arena, object_put_map(e->arena, o, str_of(n->policy), from), "gang", from);
	int64_t least = emit_gang_least(e->job, g);

	PUT_INT(e->arena, gang, "minCount", least ? least : 1, from);
	emit_place_group(e, g, o);
	if (n->priority && e->job->priority.set)
		PUT_STR(e->arena, o, "priorityClassName", e->job->priority.value, e->job->priority.from);
}

static struct object *workload_make(struct emit *e, const struct manifest *m)
{
	const struct emit_native_gang *n = emit_native_gang(e->plan);
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from);
	struct object *list = object_put_list(e->arena, spec, str_of(n->groups), m->from);
	struct emit_group g = { 0 };

	for (size_t i = 0; i <= e->job->ncells; i++) {
		g.cell = i ? &e->job->cells[i - 1] : NULL;
		if ((i && plan_cell_together(g.cell)) || !emit_gang_pods(e->job, g))
			continue;
		struct object *group = object_add_map(e->arena, list, m->from);
		PUT_STR(e->arena, group, "name", emit_gang_template(e->arena, g), m->from);
		native_policy(e, n, g, group);
	}
	return o;
}

static struct object *native_group_make(struct emit *e, const struct manifest *m)
{
	const struct emit_native_gang *n = emit_native_gang(e->plan);
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from), *ref;

	if (n->priority) {
		ref = PUT_MAP(e->arena, spec, "workloadRef", m->from);
		PUT_STR(e->arena, ref, "workloadName", e->job->name, m->from);
		PUT_STR(e->arena, ref, "templateName", emit_gang_template(e->arena, m->group), m->from);
	} else {
		ref = PUT_MAP(e->arena, PUT_MAP(e->arena, spec, "podGroupTemplateRef", m->from), "workload", m->from);
		PUT_STR(e->arena, ref, "workloadName", e->job->name, m->from);
		PUT_STR(e->arena, ref, "podGroupTemplateName", emit_gang_template(e->arena, m->group), m->from);
	}
	native_policy(e, n, m->group, spec);
	return o;
}

static bool each_object(struct visiting *v, const struct plan_job *j, struct emit_group g, const char *api_version,
	const char *kind, struct object *(*make)(struct emit *e, const struct manifest *m))
{
	struct manifest m = each_manifest(NULL, api_version, kind, emit_gang_name(v->e->arena, j, g), make);

	m.group = g;
	m.from = emit_gang_place(j);
	return each_one(v, &m);
}

/* Visits an object for each gang of the job: that of its own roles, and those of copies that start by themselves. */
static bool each_group(struct visiting *v, const struct plan_job *j, const char *api_version, const char *kind,
	struct object *(*make)(struct emit *e, const struct manifest *m))
{
	struct emit_group g = { 0 };

	if (emit_gang_pods(j, g) && !each_object(v, j, g, api_version, kind, make))
		return false;
	for (size_t i = 0; i < j->ncells; i++) {
		g.cell = &j->cells[i];
		g.copy = 0;
		if (plan_cell_together(g.cell) || !emit_gang_pods(j, g) || emit_gang_left(j, g))
			continue;
		for (; g.copy < g.cell->max; g.copy++)
			if (!each_object(v, j, g, api_version, kind, make))
				return false;
	}
	return true;
}

bool each_gang(struct visiting *v, const struct plan_job *j)
{
	const struct emit_native_gang *n = emit_native_gang(v->e->plan);
	struct emit_group whole = { 0 };

	if (!emit_gang_any(j))
		return true;
	switch (emit_gang(j)) {
	case GANG_VOLCANO:
		return each_group(v, j, "scheduling.volcano.sh/v1beta1", "PodGroup", group_make);
	case GANG_COSCHEDULING:
		return each_group(v, j, "scheduling.x-k8s.io/v1alpha1", "PodGroup", group_make);
	case GANG_NATIVE:
		return each_object(v, j, whole, n->api_version, "Workload", workload_make) &&
			(!n->group_object || each_group(v, j, n->api_version, "PodGroup", native_group_make));
	case GANG_NONE:
	case GANG_KUEUE:
		break;
	}
	return true;
}
