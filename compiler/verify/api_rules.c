/*
 * api_rules.c - walks over a finished object and applies the rules. Rules about one field are rows of api_fields.c.
 * Rules about a whole map, such as "exactly one source", are functions, and `maps` says for which types.
 */
#include "verify/api_rules.h"

static const struct {
	const char *type;
	void (*rule)(struct api_check *k, const struct data *d);
} maps[] = {
	{ "core.v1.Container", api_container }, { "core.v1.Volume", api_volume }, { "core.v1.Probe", api_probe },
	{ "core.v1.LifecycleHandler", api_handler }, { "core.v1.Toleration", api_toleration },
	{ "core.v1.EnvVar", api_env_var }, { "core.v1.EnvVarSource", api_env_source },
	{ "core.v1.SecurityContext", api_security }, { "core.v1.ResourceRequirements", api_resources },
	{ "batch.v1.JobSpec", api_job_spec }, { "apps.v1.DeploymentSpec", api_set_spec },
	{ "apps.v1.StatefulSetSpec", api_set_spec }, { "apps.v1.DaemonSetSpec", api_set_spec },
	{ "apps.v1.ReplicaSetSpec", api_set_spec }, { "core.v1.ServiceSpec", api_service_spec },
	{ "core.v1.PersistentVolumeClaim", api_claim }, { "core.v1.PersistentVolumeClaimSpec", api_claim_spec },
	{ "core.v1.Secret", api_secret }, { "batch.v1.CronJobSpec", api_cron_spec }, { "core.v1.ExecAction", api_exec },
	{ "core.v1.SeccompProfile",
		api_profile }, { "core.v1.AppArmorProfile", api_profile },
	{ "core.v1.PodResourceClaim", api_pod_claim }, { "core.v1.EnvFromSource", api_env_from },
	{ "core.v1.ResourceFieldSelector", api_amount_ref },
	{ "core.v1.EmptyDirVolumeSource", api_empty_dir }, { "core.v1.DownwardAPIVolumeFile", api_downward_file },
	{ "core.v1.PersistentVolumeSpec", api_volume_spec }, { "core.v1.NodeSelector", api_node_selector },
	{ "core.v1.NodeSelectorRequirement", api_requirement }, { "meta.v1.LabelSelectorRequirement", api_requirement },
	{ "core.v1.TopologySpreadConstraint", api_spread }, { "rbac.v1.PolicyRule", api_policy_rule },
	{ "core.v1.ConfigMap", api_config }, { "core.v1.ResourceFieldSelector", api_divisor },
	{ "core.v1.ResourceQuotaSpec", api_quota_spec },
	{ "core.v1.ScopedResourceSelectorRequirement", api_scope }, { "core.v1.LimitRangeSpec", api_limit_spec },
	{ "core.v1.LimitRangeItem", api_limit_item }, { "meta.v1.ObjectMeta", api_owners },
	{ "networking.v1.IngressSpec", api_ingress_spec }, { "networking.v1.HTTPIngressPath", api_ingress_path },
	{ "networking.v1.IngressBackend", api_ingress_backend }, { "policy.v1.PodDisruptionBudgetSpec",
		api_budget_spec },
	{ "networking.v1.NetworkPolicyPort", api_network_port }, { "networking.v1.IPBlock", api_network_block },
	{ "networking.v1.NetworkPolicyPeer", api_network_peer }, { "autoscaling.v2.MetricSpec", api_metric },
	{ "batch.v1.PodFailurePolicyOnExitCodesRequirement", api_exit_codes }, { "core.v1.SleepAction", api_sleep },
	{ "autoscaling.v2.HorizontalPodAutoscalerSpec", api_scaler_spec }, { "apps.v1.DeploymentStrategy",
		api_strategy },
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- the walk ---- */

static void walk_map(struct api_check *k, const struct schema_type *t, const struct data *d);

static bool is_same_span(struct span a, struct span b) { return a.start == b.start && a.end == b.end; }

static void walk_object(struct api_check *k, const struct schema_ref *r, const struct data *d)
{
	const struct schema *s = &schema_builtin;
	struct span outer = k->at;

	if (!is_same_span(d->from, outer))
		k->at = api_place(k, d);
	if (r->word == SCHEMA_OBJECT && d->kind == DATA_MAP)
		walk_map(k, &s->types[r->of], d);
	for (size_t i = 0; r->word == SCHEMA_LIST && d->kind == DATA_LIST && i < d->u.list.n; i++)
		walk_object(k, &s->refs[r->of], d->u.list.at[i]);
	for (size_t i = 0; r->word == SCHEMA_MAP && d->kind == DATA_MAP && i < d->u.map.n; i++)
		walk_object(k, &s->refs[r->of], d->u.map.at[i].value);
	k->at = outer;
}

/*
 * What is known about a type in the plan's version. It is collected once per check, because the same few types occur
 * again and again.
 */
struct api_type {
	struct str name;
	struct map fields;              /* name -> struct checked_field, for the fields that have been looked up */
	const struct schema_field **required;
	size_t nrequired;
	const size_t *maps;             /* positions in the table `maps` of the rules for this type */
	size_t nmaps;
};

struct checked_field {
	const struct schema_field *field;
	const struct api_row *rows;     /* the rules about the field */
};

static struct api_type *type_new(struct checking *c, const struct schema_type *of)
{
	const struct schema *s = &schema_builtin;
	struct api_type *t = ARENA_NEW(c->arena, struct api_type);
	size_t *found = NULL;

	t->name = schema_text(s, of->name);
	for (size_t i = of->first; i < of->first + of->n; i++)
		if (s->fields[i].required && schema_in(s->fields[i].versions, c->plan->kubernetes))
			ARENA_PUSH(c->arena, t->required, t->nrequired, &s->fields[i]);
	for (size_t i = 0; i < COUNT(maps); i++)
		if (str_is(t->name, maps[i].type))
			ARENA_PUSH(c->arena, found, t->nmaps, i);
	t->maps = found;
	return t;
}

static struct api_type *type_rules(struct checking *c, const struct schema_type *t)
{
	size_t at = (size_t)(t - schema_builtin.types);

	if (!c->api_types)
		c->api_types = ARENA_ARRAY(c->arena, struct api_type *, schema_builtin.ntypes);
	if (!c->api_types[at])
		c->api_types[at] = type_new(c, t);
	return c->api_types[at];
}

/*
 * Returns the field of that name in the plan's version, or NULL. Only existing fields are cached, because other names
 * can be any text.
 */
static const struct checked_field *type_field(struct checking *c, struct api_type *rules, const struct schema_type *t,
	struct str name)
{
	struct checked_field *known = map_get(&rules->fields, name);
	const struct schema_field *f = known ? NULL : schema_find_field(&schema_builtin, t, name, c->plan->kubernetes);

	if (f) {
		struct str word = schema_text(&schema_builtin, f->name);
		known = ARENA_NEW(c->arena, struct checked_field);
		*known = (struct checked_field){ f, api_rows(c->arena, rules->name, word) };
		map_put(&rules->fields, c->arena, word, known);
	}
	return known;
}

/*
 * Reports missing fields that the schema requires. The schema check of raw blocks cannot do so if a block is merged
 * into an object, which may have them.
 */
static void required(struct api_check *k, const struct api_type *t, const struct data *d)
{
	const char *dot = memrchr(t->name.p, '.', t->name.n);

	for (size_t i = 0; i < t->nrequired; i++) {
		struct str name = schema_text(&schema_builtin, t->required[i]->name);
		if (data_get(d, name))
			continue;
		struct str help = str_printf(k->c->arena, "add '%.*s'", STR_ARG(name));
		api_missing(k, d, help.p, "%s needs '%.*s'", dot ? dot + 1 : t->name.p, STR_ARG(name));
	}
}

static void walk_map(struct api_check *k, const struct schema_type *t, const struct data *d)
{
	struct api_type *rules = type_rules(k->c, t);
	const struct data *outer = k->pod;

	if (str_is(rules->name, "core.v1.PodSpec")) {
		k->pod = d;
		api_pod_spec(k, d);
	}
	required(k, rules, d);
	for (size_t i = 0; i < rules->nmaps; i++)
		maps[rules->maps[i]].rule(k, d);
	for (size_t i = 0; i < d->u.map.n; i++) {
		const struct data_member *m = &d->u.map.at[i];
		const struct checked_field *known = type_field(k->c, rules, t, m->key);
		if (!known)
			continue;
		api_field(k, known->rows, rules->name, m->key, m->value);
		walk_object(k, &schema_builtin.refs[known->field->ref], m->value);
	}
	k->pod = outer;
}

void api_check(struct checking *c, const struct schema_type *t, const struct data *object, struct span at)
{
	struct api_check k = { .c = c, .at = at };

	if (t && object->kind == DATA_MAP)
		walk_map(&k, t, object);
}
