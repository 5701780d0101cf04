/*
 * emit_pod.c - makes the pod template of a role.
 */
#include "emit/emit_build.h"

#define ZONE_LABEL "topology.kubernetes.io/zone"

struct emit_taint emit_taint_of(struct str text)
{
	struct emit_taint t = { .key = text };
	const char *colon = text.n ? memrchr(text.p, ':', text.n) : NULL;

	if (colon) {
		t.key.n = (size_t)(colon - text.p);
		t.effect = (struct str){ colon + 1, text.n - t.key.n - 1 };
	}
	const char *equals = t.key.n ? memchr(t.key.p, '=', t.key.n) : NULL;
	if (equals) {
		t.value = (struct str){ equals + 1, t.key.n - (size_t)(equals - t.key.p) - 1 };
		t.key.n = (size_t)(equals - t.key.p);
	}
	return t;
}

static void emit_toleration(struct emit *e, struct str taint, struct span from, struct object *list)
{
	struct object *o = object_add_map(e->arena, list, from);
	struct emit_taint t = emit_taint_of(taint);

	PUT_STR(e->arena, o, "key", t.key, from);
	PUT_STR(e->arena, o, "operator", t.value.p ? STR("Equal") : STR("Exists"), from);
	if (t.value.p)
		PUT_STR(e->arena, o, "value", t.value, from);
	if (t.effect.n)
		PUT_STR(e->arena, o, "effect", t.effect, from);
}

static bool tolerated(const struct plan_str *list, size_t n, struct str taint)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(list[i].value, taint))
			return true;
	return false;
}

static void tolerations(struct emit *e, const struct plan_role *r, struct object *pod)
{
	const struct plan_accelerator *acc = r->accelerator;
	size_t n = acc ? acc->ntolerate : 0;

	if (!n && !r->ntolerate)
		return;
	struct object *list = PUT_LIST(e->arena, pod, "tolerations", r->at);
	for (size_t i = 0; i < n; i++)
		emit_toleration(e, acc->tolerate[i].value, acc->from, list);
	for (size_t i = 0; i < r->ntolerate; i++)
		if (!tolerated(n ? acc->tolerate : NULL, n, r->tolerate[i].value))
			emit_toleration(e, r->tolerate[i].value, r->tolerate[i].from, list);
}

static void node_selector(struct emit *e, const struct plan_role *r, struct object *pod)
{
	if (!r->node.n && !(r->accelerator && r->accelerator->node.n) && r->nzones != 1)
		return;
	struct object *map = PUT_MAP(e->arena, pod, "nodeSelector", r->at);
	if (r->accelerator)
		emit_pairs(e->arena, map, &r->accelerator->node, r->accelerator->from);
	emit_pairs(e->arena, map, &r->node, (struct span){ 0 });
	if (r->nzones == 1)
		PUT_STR(e->arena, map, ZONE_LABEL, r->zones[0].value, r->zones[0].from);
}

/* Writes that OPERATOR holds for a label and the VALUES. */
static void label_expression(struct emit *e, const char *operator, struct str key, const struct plan_str *values,
	size_t n, struct span from, struct object *list)
{
	struct object *o = object_add_map(e->arena, list, from);

	PUT_STR(e->arena, o, "key", key, from);
	PUT_STR(e->arena, o, "operator", str_of(operator), from);
	struct object *in = n ? PUT_LIST(e->arena, o, "values", from) : NULL;
	for (size_t i = 0; i < n; i++)
		object_add(e->arena, in, object_string(e->arena, values[i].value, values[i].from));
}

/* Writes `node_in` and `avoid`, which hold in every term. */
static void label_choices(struct emit *e, const struct plan_role *r, struct object *list)
{
	for (size_t i = 0; i < r->nnode_in; i++) {
		const struct plan_choice *c = &r->node_in[i];
		label_expression(e, c->nvalues ? "In" : "Exists", c->key, c->values, c->nvalues, c->from, list);
	}
	for (size_t i = 0; i < r->navoid; i++) {
		const struct plan_choice *c = &r->avoid[i];
		label_expression(e, c->nvalues ? "NotIn" : "DoesNotExist", c->key, c->values, c->nvalues, c->from,
			list);
	}
}

/* Has the role itself chosen one value of the label? Then its node selector says it. */
static bool chosen_by_role(const struct plan_role *r, const struct plan_choice *c)
{
	for (size_t i = 0; i < r->node.n; i++)
		if (str_eq(r->node.at[i].key, c->key))
			return true;
	return false;
}

/* The number of labels of the accelerator that a node affinity has to say. */
static size_t open_choices(const struct plan_role *r)
{
	const struct plan_accelerator *acc = r->accelerator;
	size_t n = 0;

	for (size_t i = 0; acc && i < acc->nchoices; i++)
		n += acc->choices[acc->nchoices - 1].way || !chosen_by_role(r, &acc->choices[i]);
	return n;
}

/*
 * Writes several zones, `node_in`, `avoid`, and labels of the accelerator of which a node has some. A node selector has
 * only one value for a label, and all of its labels must hold, so they become a node affinity. Each way to find the
 * accelerator is a term.
 */
static void node_affinity(struct emit *e, const struct plan_role *r, struct object *pod)
{
	const struct plan_accelerator *acc = r->accelerator;
	struct object *affinity = object_get(pod, STR("affinity")), *terms;
	size_t n = open_choices(r) ? acc->nchoices : 0, i = 0;
	bool one_way = n && !acc->choices[n - 1].way;
	struct arena *a = e->arena;

	if (r->nzones < 2 && !n && !r->nnode_in && !r->navoid)
		return;
	struct span from = n ? acc->from : r->nzones > 1 ? r->zones[0].from : r->nnode_in ? r->node_in[0].from :
		r->avoid[0].from;
	if (!affinity)
		affinity = PUT_MAP(a, pod, "affinity", from);
	terms = PUT_LIST(a, PUT_MAP(a, PUT_MAP(a, affinity, "nodeAffinity", from),
		"requiredDuringSchedulingIgnoredDuringExecution", from), "nodeSelectorTerms", from);
	do {
		struct object *list = PUT_LIST(a, object_add_map(a, terms, from), "matchExpressions", from);
		int64_t way = n ? acc->choices[i].way : 0;
		for (; i < n && acc->choices[i].way == way; i++)
			if (!one_way || !chosen_by_role(r, &acc->choices[i]))
				label_expression(e, "In", acc->choices[i].key, acc->choices[i].values,
					acc->choices[i].nvalues, acc->from, list);
		if (r->nzones > 1)
			label_expression(e, "In", STR(ZONE_LABEL), r->zones, r->nzones, r->zones[0].from, list);
		label_choices(e, r, list);
	} while (i < n);
}

/* Puts each replica on a host of its own, or spreads replicas over zones as evenly as possible. */
static void spread(struct emit *e, const struct plan_role *r, struct object *pod)
{
	struct arena *a = e->arena;
	struct span from = r->spread.from;
	struct object *o;

	if (!r->spread.set)
		return;
	if (str_is(r->spread.value, "host")) {
		struct object *anti = PUT_MAP(a, PUT_MAP(a, pod, "affinity", from), "podAntiAffinity", from);
		o = object_add_map(a, PUT_LIST(a, anti, "requiredDuringSchedulingIgnoredDuringExecution", from), from);
		PUT_STR(a, o, "topologyKey", STR("kubernetes.io/hostname"), from);
	} else if (str_is(r->spread.value, "zone")) {
		o = object_add_map(a, PUT_LIST(a, pod, "topologySpreadConstraints", from), from);
		PUT_INT(a, o, "maxSkew", 1, from);
		PUT_STR(a, o, "topologyKey", STR(ZONE_LABEL), from);
		PUT_STR(a, o, "whenUnsatisfiable", STR("ScheduleAnyway"), from);
	} else
		return;
	emit_selector(e, r, PUT_MAP(a, o, "labelSelector", from), STR("matchLabels"));
	if (r->in_group)
		emit_match_copy(e, o, "matchLabelKeys", from);
}

static void placement(struct emit *e, const struct plan_role *r, struct object *pod)
{
	const struct plan_job *j = e->job;

	if (r->service_account.set)
		PUT_STR(e->arena, pod, "serviceAccountName", r->service_account.value, r->service_account.from);
	if (r->automount.set)
		PUT_BOOL(e->arena, pod, "automountServiceAccountToken", r->automount.value, r->automount.from);
	if (r->runtime_class.set)
		PUT_STR(e->arena, pod, "runtimeClassName", r->runtime_class.value, r->runtime_class.from);
	if (j->scheduler.set)
		PUT_STR(e->arena, pod, "schedulerName", j->scheduler.value, j->scheduler.from);
	emit_gang_pod(e, r, pod);
	if (j->priority.set)
		PUT_STR(e->arena, pod, "priorityClassName", j->priority.value, j->priority.from);
	if (r->grace.set)
		PUT_INT(e->arena, pod, "terminationGracePeriodSeconds", emit_seconds(&r->grace), r->grace.from);
	node_selector(e, r, pod);
	spread(e, r, pod);
	node_affinity(e, r, pod);
	emit_place_pod(e, r, pod);
	emit_apart_pod(e, r, pod);
	tolerations(e, r, pod);
}

static void pull_secrets(struct emit *e, const struct plan_role *r, struct object *pod)
{
	if (!r->npull_secrets)
		return;
	struct object *list = PUT_LIST(e->arena, pod, "imagePullSecrets", r->pull_secrets[0].from);
	for (size_t i = 0; i < r->npull_secrets; i++)
		PUT_STR(e->arena, object_add_map(e->arena, list, r->pull_secrets[i].from), "name",
			r->pull_secrets[i].value,
			r->pull_secrets[i].from);
}

/* Can sidecars be native? In bare pods they are ordinary containers, because nothing would wait for native ones. */
static bool native_sidecars(const struct emit *e)
{
	return kube_has(e->plan->kubernetes, KUBE_NATIVE_SIDECAR) && !plan_each_replica(e->job);
}

static void emit_containers(struct emit *e, const struct plan_role *r, struct object *pod)
{
	bool native = native_sidecars(e);
	struct object *list;

	if (r->ninits || (native && r->nsidecars)) {
		list = PUT_LIST(e->arena, pod, "initContainers", r->at);
		for (size_t i = 0; i < r->ninits; i++)
			emit_container(e, r, &r->inits[i], CONTAINER_OTHER, list);
		for (size_t i = 0; native && i < r->nsidecars; i++)
			emit_container(e, r, &r->sidecars[i], CONTAINER_NATIVE_SIDECAR, list);
	}
	list = PUT_LIST(e->arena, pod, "containers", r->at);
	emit_container(e, r, &r->main, CONTAINER_MAIN, list);
	for (size_t i = 0; !native && i < r->nsidecars; i++)
		emit_container(e, r, &r->sidecars[i], CONTAINER_OTHER, list);
}

static void restart_policy(struct emit *e, const struct plan_role *r, struct object *pod)
{
	const char *most = plan_workload(e->job, r)->always;
	bool always = r->restart.set && str_is(r->restart.value, "always");

	if (most)
		PUT_STR(e->arena, pod, "restartPolicy",
			!plan_role_restarts(r) ? STR("Never") : always ? str_of(most) : STR("OnFailure"),
			r->restart.from);
}

/*
 * Sets the host name and the subdomain by which the job's Service finds the pod. A pod with a Service of its own does
 * not need them.
 */
static void host_name(struct emit *e, const struct plan_role *r, struct object *pod)
{
	bool own = plan_each_replica(e->job) && e->job->hosts != HOSTS_SUBDOMAIN && plan_role_is_numbered(e->job, r);

	/* the controller of a set, or of tasks, sets both fields */
	if (own || r->in_set || r->in_group || e->job->workload == WORKLOAD_TASK)
		return;
	if (emit_literal_index(e->job, r))
		object_append(e->arena, pod, STR("hostname"), r->one_name ? object_string(e->arena, r->object, r->at)
		                                                          :
			emit_indexed(e->arena, r->object, "-", r->at));
	PUT_STR(e->arena, pod, "subdomain", e->job->name, e->job->name_at);
}

static void claims_of(struct emit *e, const struct plan_pairs *claims, const char *key, struct object *list)
{
	for (size_t i = 0; i < claims->n; i++) {
		const struct plan_pair *p = &claims->at[i];
		struct object *o = object_add_map(e->arena, list, p->key_at);
		PUT_STR(e->arena, o, "name", p->key, p->key_at);
		object_put(e->arena, o, str_of(key), object_string(e->arena, p->value, p->from));
	}
}

/* Writes claims of devices. Kubernetes makes a claim for every pod from each template; shared claims exist already. */
static void device_claims(struct emit *e, const struct plan_role *r, struct object *pod)
{
	const struct plan_pairs *first = r->claims.n ? &r->claims : &r->shared_claims;

	if (!first->n)
		return;
	struct object *list = PUT_LIST(e->arena, pod, "resourceClaims", first->at[0].key_at);
	claims_of(e, &r->claims, "resourceClaimTemplateName", list);
	claims_of(e, &r->shared_claims, "resourceClaimName", list);
}

/* Writes what the pods share with their node. With its network, their resolver must be told to know Services. */
static void host_shares(struct emit *e, const struct plan_role *r, struct object *pod)
{
	if (r->host_network.value) {
		PUT_BOOL(e->arena, pod, "hostNetwork", true, r->host_network.from);
		if (!data_get(r->raw_pod, STR("dnsPolicy")))
			PUT_STR(e->arena, pod, "dnsPolicy", STR("ClusterFirstWithHostNet"), r->host_network.from);
	}
	if (r->host_ipc.value)
		PUT_BOOL(e->arena, pod, "hostIPC", true, r->host_ipc.from);
}

void emit_pod_spec(struct emit *e, const struct plan_role *r, struct object *pod)
{
	e->role = r;
	e->volumes = emit_volumes_of(e->arena, r);
	restart_policy(e, r, pod);
	host_name(e, r, pod);
	/* `raw pod` can switch them on for programs that read the variables of Services */
	if (!data_get(r->raw_pod, STR("enableServiceLinks")))
		PUT_BOOL(e->arena, pod, "enableServiceLinks", false, r->at);
	host_shares(e, r, pod);
	placement(e, r, pod);
	pull_secrets(e, r, pod);
	emit_pod_security(e, r, pod);
	device_claims(e, r, pod);
	emit_containers(e, r, pod);
	emit_volume_list(e, r, e->volumes, pod);
}

void emit_pod_template(struct emit *e, const struct plan_role *r, struct object *spec)
{
	struct object *template = PUT_MAP(e->arena, spec, "template", r->at), *pod;

	emit_pod_metadata(e, r, template);
	pod = PUT_MAP(e->arena, template, "spec", r->at);
	emit_pod_spec(e, r, pod);
	if (r->raw_pod)
		raw_merge(e, RAW_POD, pod, r->raw_pod);
	emit_check_security(e, r, pod);
}

/* ---- replicas that are bare pods ---- */

/* Adds a scheduling gate to a pod that has to wait: its fields cannot be added after it was created. */
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

struct object *emit_pod_make(struct emit *e, const struct manifest *m)
{
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", m->from);

	emit_pod_spec(e, m->role, spec);
	gate(e, m->role, spec);
	if (m->role->raw_pod)
		raw_merge(e, RAW_POD, spec, m->role->raw_pod);
	emit_check_security(e, m->role, spec);
	return o;
}
