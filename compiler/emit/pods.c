/*
 * pods.c - the target that makes one pod for each replica, and one Service for
 * each pod: for clusters where something else than a Job controller looks after
 * them (our supervisor, or nobody).
 *
 * What the framework says in `replica { }` names and labels them; without it the
 * names and labels are our own.  A role may have a Job for each replica instead.
 */
#include "emit/each.h"

/* ---- what replicas have in common ---- */

static bool lacks(const struct plan_container *c, size_t env, int64_t i)
{
	return c->env[env].per_replica && text_is_absent(&c->env[env].per_replica[i]);
}

static bool env_alike(const struct plan_container *c, int64_t i, int64_t k)
{
	for (size_t e = 0; e < c->nenv; e++)
		if (lacks(c, e, i) != lacks(c, e, k))
			return false;
	return true;
}

static bool labels_alike(const struct plan_replica *p, int64_t i, int64_t k)
{
	for (size_t l = 0; l < p->nlabels; l++) {
		const struct text *each = p->labels[l].per_replica;
		if (each && text_is_absent(&each[i]) != text_is_absent(&each[k]))
			return false;
	}
	return true;
}

static bool alike(const struct plan_role *r, int64_t i, int64_t k)
{
	bool same = env_alike(&r->main, i, k) && labels_alike(&r->replica, i, k);

	for (size_t c = 0; c < r->nsidecars && same; c++)
		same = env_alike(&r->sidecars[c], i, k);
	for (size_t c = 0; c < r->ninits && same; c++)
		same = env_alike(&r->inits[c], i, k);
	return same;
}

int64_t emit_alike(const struct plan_role *r, int64_t first)
{
	int64_t end = first + 1;

	while (end < r->max && alike(r, first, end))
		end++;
	return end - first;
}

/* ---- labels ---- */

static struct object *label_text(struct arena *a, const struct text *t)
{
	struct object *o = object_string(a, STR(""), t->from);

	if (text_is_plain(t)) {
		o->u.string = t->n ? t->at[0].u.text : STR("");
		return o;
	}
	struct str *segments = ARENA_ARRAY(a, struct str, t->n);
	for (size_t i = 0; i < t->n; i++)
		segments[i] = t->at[i].kind == PIECE_TEXT ? t->at[i].u.text : (struct str){ NULL, 0 };
	o->kind = OBJECT_TEXT;
	o->u.text.at = segments;
	o->u.text.n = t->n;
	return o;
}

static struct object *label_make(const void *context, struct arena *a, int64_t index)
{
	const struct plan_replica_label *l = context;

	return label_text(a, &l->per_replica[index]);
}

void emit_replica_labels(struct emit *e, const struct plan_role *r, bool selecting, struct object *map)
{
	for (size_t i = 0; e->job->each_replica && i < r->replica.nlabels; i++) {
		const struct plan_replica_label *l = &r->replica.labels[i];
		struct object *value;
		if ((selecting && !l->selects) || (l->per_replica && text_is_absent(&l->per_replica[e->first])))
			continue;
		if (l->per_replica) {
			value = object_string(e->arena, STR(""), l->from);
			value->kind = OBJECT_MADE;
			value->u.made.make = label_make;
			value->u.made.context = l;
		} else {
			value = label_text(e->arena, &l->text);
		}
		object_put(e->arena, map, l->key, value);
	}
}

/* ---- pods ---- */

/* A pod is made whole or not at all: what has to wait is made, and held back from the scheduler. */
static void gate(struct emit *e, const struct plan_role *r, struct object *pod)
{
	const struct plan_job *j = e->job;
	bool suspended = j->suspend.set && j->suspend.value;

	if (!suspended && !r->start_after)
		return;
	struct span from = suspended ? j->suspend.from : r->start_after->from;
	PUT_STR(e->arena, object_add_map(e->arena, PUT_LIST(e->arena, pod, "schedulingGates", from), from), "name",
		suspended ? STR("trainc.dev/suspend") : STR("trainc.dev/start-after"), from);
}

static struct object *pod_make(struct emit *e, const struct manifest *m)
{
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from);

	emit_pod_spec(e, m->role, spec);
	gate(e, m->role, spec);
	if (m->role->raw_pod)
		raw_merge(e, RAW_POD, spec, m->role->raw_pod);
	return o;
}

static bool replicas(struct visiting *v, const struct plan_role *r)
{
	if (!r->max)
		return true;
	if (plan_role_is_deployment(r)) {
		struct manifest m = each_manifest(r, "apps/v1", "Deployment", r->object, emit_deployment_make);
		return each_one(v, &m);
	}
	return each_replica(v, r->replica.job ? each_manifest(r, "batch/v1", "Job", r->object, emit_job_make)
	                                      : each_manifest(r, "v1", "Pod", r->object, pod_make));
}

static bool roles(struct visiting *v, const struct plan_job *j, bool aux)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].aux == aux && !replicas(v, &j->roles[i]))
			return false;
	return true;
}

/* ---- services ---- */

static bool services(struct visiting *v, const struct plan_job *j)
{
	if (j->hosts == HOSTS_SUBDOMAIN && !each_job_service(v, j))
		return false;
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (r->max && plan_role_is_served(j, r) &&
		    !each_replica(v, each_manifest(r, "v1", "Service", r->object, emit_replica_service_make)))
			return false;
	}
	return each_user_services(v, j);
}

bool each_of_pods(struct visiting *v, const struct plan_job *j)
{
	return services(v, j) && each_config_maps(v, j) && each_secrets(v, j) && each_gang(v, j) && each_objects(v, j, true) &&
		roles(v, j, false) && roles(v, j, true) && each_objects(v, j, false);
}
