/*
 * lws.c - the target that writes a LeaderWorkerSet for each cell (leaderworkerset.x-k8s.io/v1 as of version 0.9), and
 * Jobs for the job's own roles. Its controller makes the pods of copy c, which it calls a group: the leader J-C-c, and
 * the others J-C-c-k from k = 1 on. It also makes their headless Service J-C, and sets three variables. It restarts a
 * group as a whole, any number of times.
 */
#include "emit/each.h"
#include "emit/emit_check.h"

#define EXCLUSIVE "leaderworkerset.sigs.k8s.io/exclusive-topology"

enum { LEADER_ADDRESS, GROUP_SIZE, WORKER_INDEX, GROUP_VARIABLES };
static const char *const variables[] = { [LEADER_ADDRESS] = "LWS_LEADER_ADDRESS", [GROUP_SIZE] = "LWS_GROUP_SIZE",
	[WORKER_INDEX] = "LWS_WORKER_INDEX" };

const char *emit_group_variable(size_t i) { return i < GROUP_VARIABLES ? variables[i] : NULL; }

size_t emit_group_roles(const struct plan_job *j, const struct plan_cell *c, const struct plan_role **roles, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (r->copy || !r->max || !r->cell.n || !str_eq(r->cell, c->name))
			continue;
		if (found < n)
			roles[found] = r;
		found++;
	}
	return found;
}

bool emit_group_exclusive(const struct plan_job *j, const struct plan_role *r)
{
	const struct plan_cell *c = plan_cell_of(j, r);

	if (!c || !r->in_group || !c->apart_key.n || emit_place_keeper(j, r) != PLACE_BY_PODS)
		return false;
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *other = &j->roles[i];
		if (str_eq(other->cell, r->cell) && other->copy == r->copy && other->max &&
		    (other->place.kind != PLACE_NEAR || other->place.nsegments ||
		     !str_eq(emit_place_key(&other->place), c->apart_key)))
			return false;
	}
	return true;
}

/* ---- the object ---- */

static bool is_set_by_controller(struct str name)
{
	for (size_t i = 0; i < GROUP_VARIABLES; i++)
		if (str_is(name, variables[i]))
			return true;
	return false;
}

/* Removes the variables that the controller sets: it would replace them. */
static void leave_variables(struct plan_container *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nenv; i++)
		if (!is_set_by_controller(c->env[i].name))
			((struct plan_env *)c->env)[n++] = c->env[i];
	c->nenv = n;
}

/* Makes the role that stands for FIRST in all copies, without what the controller adds; NULL after a conflict. */
static struct plan_role *template_role(struct arena *a, const struct plan_job *j, const struct plan_role *first)
{
	struct plan_role *r = ARENA_NEW(a, struct plan_role);
	struct group_conflict why;

	if (!emit_group_role(a, j, first, r, &why))
		return NULL;
	leave_variables(&r->main);
	for (size_t i = 0; i < r->ninits; i++)
		leave_variables(&r->inits[i]);
	for (size_t i = 0; i < r->nsidecars; i++)
		leave_variables(&r->sidecars[i]);
	return r;
}

static void template_put(struct emit *e, const struct plan_role *r, const char *key, struct object *group)
{
	struct object *holder = object_map(e->arena, r->at);

	e->first = 0;
	emit_pod_template(e, r, holder);
	object_append(e->arena, group, str_of(key), object_get(holder, STR("template")));
}

static void annotate_exclusive(struct emit *e, const struct plan_cell *c, struct object *o)
{
	struct object *map = object_need_map(e->arena, emit_metadata(o), STR("annotations"), c->apart.from);

	object_put(e->arena, map, STR(EXCLUSIVE), object_string(e->arena, c->apart_key, c->apart.from));
}

static struct object *set_make(struct emit *e, const struct manifest *m)
{
	const struct plan_role *roles[2] = { NULL, NULL };
	const struct plan_cell *c = m->group.cell;
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from), *group;
	size_t n = emit_group_roles(e->job, c, roles, 2);
	int64_t size = roles[0]->max + (n > 1 ? roles[1]->max : 0);
	const struct plan_role *leader = template_role(e->arena, e->job, roles[0]);
	const struct plan_role *worker = n > 1 ? template_role(e->arena, e->job, roles[1]) : leader;

	object_append(e->arena, object_get(emit_metadata(o), STR("labels")), LABEL_CELL,
		object_string(e->arena, plan_label(e->arena, c->name), m->from));
	if (emit_group_exclusive(e->job, roles[0]))
		annotate_exclusive(e, c, o);
	PUT_INT(e->arena, spec, "replicas", c->max, c->copies_at);
	group = PUT_MAP(e->arena, spec, "leaderWorkerTemplate", m->from);
	PUT_INT(e->arena, group, "size", size, roles[n - 1]->replicas_at);
	PUT_STR(e->arena, group, "restartPolicy", c->restarts ? STR("RecreateGroupOnPodRestart") : STR("None"),
		c->restarts_at);
	if (leader && n > 1)
		template_put(e, leader, "leaderTemplate", group);
	if (worker)
		template_put(e, worker, "workerTemplate", group);
	emit_claim_templates(e, roles[0], group);
	if (n > 1 && roles[1]->start_after)
		PUT_STR(e->arena, spec, "startupPolicy", STR("LeaderReady"), roles[1]->start_after->from);
	return o;
}

/* Visits the objects of a cell: the files of its roles, and the set. */
static bool each_group(struct visiting *v, const struct plan_job *j, const struct plan_cell *c)
{
	const struct plan_role *roles[2] = { NULL, NULL };
	size_t n = emit_group_roles(j, c, roles, 2);
	struct arena own = { 0 };       /* separate, because the arena of objects is emptied after each object */
	bool more = true;

	for (size_t i = 0; i < n && i < 2 && more; i++) {
		const struct plan_role *r = roles[i]->nfiles ? template_role(&own, j, roles[i]) : NULL;
		more = !r || each_config_maps_of(v, r);
	}
	arena_release(&own);
	if (!n || !more)
		return more;
	const struct workload *w = workload_row(WORKLOAD_GROUP);
	struct manifest m = each_manifest(NULL, w->api_version, w->kind, plan_group_name(v->e->arena, roles[0]),
		set_make);
	m.from = c->at;
	m.group.cell = c;
	m.whole = m.queued = true;
	return each_one(v, &m);
}

bool each_of_lws(struct visiting *v, const struct plan_job *j)
{
	bool more = each_services(v, j) && each_config_maps(v, j) && each_secrets(v, j) && each_claims(v, j) &&
		each_gang(v, j) && each_needed(v, j, true);

	for (size_t i = 0; i < j->ncells && more; i++)
		more = each_group(v, j, &j->cells[i]);
	return more && each_workloads(v, j, false) && each_workloads(v, j, true) && each_last(v, j);
}
