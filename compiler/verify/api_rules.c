/*
 * api_rules.c - the walk over a finished object, and the rules about one field.
 *
 * A rule names a type of the schema and a field.  Rules about a whole map, such
 * as "exactly one source", are functions.
 */
#include "verify/api_rules.h"

#include <stdarg.h>
#include <stdio.h>

#include "diag/suggest.h"
#include "kube/limits.h"

enum { INT32 = 2147483647 };

/* The words that a field allows, separated by blanks. */
static const struct {
	const char *type, *field, *words;
} words_of[] = {
	{ "core.v1.Toleration", "effect", "NoSchedule PreferNoSchedule NoExecute" },
	{ "core.v1.Toleration", "operator", "Exists Equal Lt Gt" },
	{ "core.v1.PodSpec", "dnsPolicy", "ClusterFirst ClusterFirstWithHostNet Default None" },
	{ "core.v1.PodSpec", "preemptionPolicy", "PreemptLowerPriority Never" },
	{ "core.v1.PodSpec", "restartPolicy", "Always OnFailure Never" },
	{ "core.v1.PodOS", "name", "linux windows" },
	{ "core.v1.Container", "imagePullPolicy", "Always IfNotPresent Never" },
	{ "core.v1.Container", "terminationMessagePolicy", "File FallbackToLogsOnError" },
	{ "core.v1.ContainerPort", "protocol", "TCP UDP SCTP" },
	{ "core.v1.ServicePort", "protocol", "TCP UDP SCTP" },
	{ "core.v1.SecurityContext", "procMount", "Default Unmasked" },
	{ "core.v1.SeccompProfile", "type", "RuntimeDefault Unconfined Localhost" },
	{ "core.v1.HTTPGetAction", "scheme", "HTTP HTTPS" },
	{ "core.v1.TopologySpreadConstraint", "whenUnsatisfiable", "DoNotSchedule ScheduleAnyway" },
	{ "core.v1.VolumeMount", "mountPropagation", "None HostToContainer Bidirectional" },
	{ "core.v1.NodeSelectorRequirement", "operator", "In NotIn Exists DoesNotExist Gt Lt" },
	{ "meta.v1.LabelSelectorRequirement", "operator", "In NotIn Exists DoesNotExist" },
	{ "core.v1.ServiceSpec", "sessionAffinity", "None ClientIP" },
	{ "core.v1.ServiceSpec", "type", "ClusterIP NodePort LoadBalancer ExternalName" },
	{ "core.v1.ServiceSpec", "ipFamilyPolicy", "SingleStack PreferDualStack RequireDualStack" },
	{ "core.v1.ServiceSpec", "externalTrafficPolicy", "Cluster Local" },
	{ "core.v1.ServiceSpec", "internalTrafficPolicy", "Cluster Local" },
	{ "core.v1.PersistentVolumeClaimSpec", "accessModes", "ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod" },
	{ "core.v1.PersistentVolumeClaimSpec", "volumeMode", "Filesystem Block" },
	{ "batch.v1.JobSpec", "completionMode", "Indexed NonIndexed" },
	{ "batch.v1.JobSpec", "podReplacementPolicy", "Failed TerminatingOrFailed" },
	{ "batch.v1.CronJobSpec", "concurrencyPolicy", "Allow Forbid Replace" },
	{ "apps.v1.DeploymentStrategy", "type", "Recreate RollingUpdate" },
};

/* The range of numbers that a field allows. */
static const struct {
	const char *type, *field;
	int64_t lo, hi;
} ranges[] = {
	{ "core.v1.Probe", "periodSeconds", 0, INT32 }, { "core.v1.Probe", "timeoutSeconds", 0, INT32 },
	{ "core.v1.Probe", "initialDelaySeconds", 0, INT32 }, { "core.v1.Probe", "failureThreshold", 0, INT32 },
	{ "core.v1.Probe", "successThreshold", 0, INT32 },
	{ "core.v1.PodSpec", "activeDeadlineSeconds", 1, INT32 }, { "core.v1.PodSpec", "terminationGracePeriodSeconds", 0, INT64_MAX },
	{ "core.v1.SecurityContext", "runAsUser", 0, INT32 }, { "core.v1.SecurityContext", "runAsGroup", 0, INT32 },
	{ "core.v1.PodSecurityContext", "runAsUser", 0, INT32 }, { "core.v1.PodSecurityContext", "runAsGroup", 0, INT32 },
	{ "core.v1.PodSecurityContext", "fsGroup", 0, INT32 }, { "core.v1.PodSecurityContext", "supplementalGroups", 0, INT32 },
	{ "core.v1.TopologySpreadConstraint", "maxSkew", 1, INT32 }, { "core.v1.PreferredSchedulingTerm", "weight", 1, 100 },
	{ "core.v1.WeightedPodAffinityTerm", "weight", 1, 100 }, { "core.v1.ContainerPort", "containerPort", 1, 65535 },
	{ "core.v1.ContainerPort", "hostPort", 0, 65535 }, { "core.v1.ServicePort", "port", 1, 65535 },
	{ "core.v1.ServicePort", "nodePort", 0, 65535 }, { "core.v1.SecretVolumeSource", "defaultMode", 0, 511 },
	{ "core.v1.ConfigMapVolumeSource", "defaultMode", 0, 511 }, { "core.v1.ProjectedVolumeSource", "defaultMode", 0, 511 },
	{ "core.v1.KeyToPath", "mode", 0, 511 }, { "batch.v1.JobSpec", "parallelism", 0, INT32 }, { "batch.v1.JobSpec", "completions", 0, INT32 },
	{ "batch.v1.JobSpec", "activeDeadlineSeconds", 0, INT64_MAX }, { "batch.v1.JobSpec", "backoffLimit", 0, INT32 },
	{ "batch.v1.JobSpec", "ttlSecondsAfterFinished", 0, INT32 }, { "apps.v1.DeploymentSpec", "replicas", 0, INT32 },
};

/* Fields of 64 bits; all other whole numbers of the built-in groups have 32. */
static const char *const wide[] = {
	"activeDeadlineSeconds", "terminationGracePeriodSeconds", "tolerationSeconds", "expirationSeconds", "startingDeadlineSeconds", "runAsUser",
	"runAsGroup", "fsGroup", "supplementalGroups", "generation", "observedGeneration", "deletionGracePeriodSeconds", NULL
};

/* Names of other objects, and other texts with a fixed form. */
enum format { FORMAT_OBJECT, FORMAT_PORT, FORMAT_LABEL_KEY, FORMAT_DOMAIN_PATH, FORMAT_LABEL };
static const struct {
	const char *type, *field;
	enum format format;
} formats[] = {
	{ "core.v1.ConfigMapEnvSource", "name", FORMAT_OBJECT }, { "core.v1.SecretEnvSource", "name", FORMAT_OBJECT },
	{ "core.v1.LocalObjectReference", "name", FORMAT_OBJECT }, { "core.v1.PodSpec", "serviceAccountName", FORMAT_OBJECT },
	{ "core.v1.PodSpec", "priorityClassName", FORMAT_OBJECT }, { "core.v1.PodSpec", "runtimeClassName", FORMAT_OBJECT },
	{ "core.v1.ContainerPort", "name", FORMAT_PORT }, { "core.v1.Container", "name", FORMAT_LABEL }, { "core.v1.Volume", "name", FORMAT_LABEL },
	{ "core.v1.TopologySpreadConstraint", "topologyKey", FORMAT_LABEL_KEY }, { "batch.v1.JobSpec", "managedBy", FORMAT_DOMAIN_PATH },
};

static const struct {
	const char *type;
	void (*rule)(struct api_check *k, const struct data *d);
} maps[] = {
	{ "core.v1.Container", api_container }, { "core.v1.Volume", api_volume }, { "core.v1.Probe", api_probe },
	{ "core.v1.LifecycleHandler", api_handler }, { "core.v1.Toleration", api_toleration }, { "core.v1.EnvVar", api_env_var },
	{ "core.v1.EnvVarSource", api_env_source }, { "core.v1.SecurityContext", api_security }, { "core.v1.ResourceRequirements", api_resources },
	{ "batch.v1.JobSpec", api_job_spec }, { "apps.v1.DeploymentSpec", api_set_spec }, { "apps.v1.StatefulSetSpec", api_set_spec },
	{ "apps.v1.DaemonSetSpec", api_set_spec }, { "apps.v1.ReplicaSetSpec", api_set_spec }, { "core.v1.ServiceSpec", api_service_spec },
	{ "core.v1.PersistentVolumeClaim", api_claim }, { "core.v1.PersistentVolumeClaimSpec", api_claim_spec }, { "core.v1.Secret", api_secret },
	{ "core.v1.Namespace", api_namespace },
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- reports ---- */

struct span api_place(const struct api_check *k, const struct data *d)
{
	return check_place(k->c, d ? d->from : k->at, k->at, k->at);
}

static void report(struct api_check *k, enum diag_code code, const struct data *d, const char *help, const char *format,
	va_list list)
{
	char text[256];

	vsnprintf(text, sizeof text, format, list);
	struct diag *g = diag_report(k->c->diags, code, api_place(k, d), "%s", text);
	if (help)
		diag_help(k->c->diags, g, "%s", help);
}

void api_refuse(struct api_check *k, const struct data *d, const char *help, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	report(k, TJ0904, d, help, format, list);
	va_end(list);
}

void api_missing(struct api_check *k, const struct data *d, const char *help, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	report(k, TJ0907, d, help, format, list);
	va_end(list);
}

struct str api_text(const struct data *map, const char *key)
{
	const struct data *d = data_get(map, str_of(key));
	return d && d->kind == DATA_STRING ? d->u.string : STR("");
}

bool api_has(const struct data *map, const char *key)
{
	const struct data *d = data_get(map, str_of(key));
	return d && d->kind != DATA_NULL;
}

/* ---- one field ---- */

static void check_word(struct api_check *k, const char *field, const char *words, const struct data *d)
{
	struct suggest s;

	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++)
		check_word(k, field, words, d->u.list.at[i]);
	if (d->kind != DATA_STRING)
		return;
	suggest_init(&s, k->c->arena, d->u.string);
	for (const char *w = words, *end; *w; w = end + (*end == ' ')) {
		end = w + strcspn(w, " ");
		if (str_eq((struct str){ w, (size_t)(end - w) }, d->u.string))
			return;
		suggest_add(&s, (struct str){ w, (size_t)(end - w) });
	}
	struct str help = suggest_or_list(&s, "it is one of");
	api_refuse(k, d, help.n ? str_printf(k->c->arena, "%.*s", STR_ARG(help)).p : NULL, "'%s' cannot be '%.*s'",
		field, STR_ARG(check_short(k->c->arena, d->u.string)));
}

static void check_range(struct api_check *k, const char *field, int64_t lo, int64_t hi, const struct data *d)
{
	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++)
		check_range(k, field, lo, hi, d->u.list.at[i]);
	if (d->kind != DATA_INT || (d->u.integer >= lo && d->u.integer <= hi))
		return;
	struct str help = hi == INT64_MAX ? str_printf(k->c->arena, "write a number of at least %lld", (long long)lo) :
		str_printf(k->c->arena, "write a number from %lld to %lld", (long long)lo, (long long)hi);
	api_refuse(k, d, help.p, "'%s' is %lld", field, (long long)d->u.integer);
}

static bool domain_path(struct str s)
{
	const char *slash = memchr(s.p, '/', s.n);
	size_t n = slash ? (size_t)(slash - s.p) : 0;
	return n && n + 1 < s.n && kube_object_name((struct str){ s.p, n });
}

static void check_format(struct api_check *k, const char *field, enum format format, const struct data *d)
{
	const char *why = NULL;

	if (d->kind != DATA_STRING || (!d->u.string.n && format != FORMAT_LABEL))
		return;
	bool ok = format == FORMAT_OBJECT ? kube_object_name(d->u.string) : format == FORMAT_PORT
		? kube_port_name(d->u.string, &why) :
		format == FORMAT_LABEL_KEY ? kube_label_key(d->u.string, &why) : format == FORMAT_DOMAIN_PATH
			? domain_path(d->u.string) :
		kube_dns_label(d->u.string) && d->u.string.n <= LIMIT_LABEL;
	const char *help = format == FORMAT_PORT
		? "use up to 15 lower case letters, digits and '-', at least one of them a letter" :
		format == FORMAT_DOMAIN_PATH ? "write a domain and a path: example.com/controller" :
		format == FORMAT_LABEL_KEY ? "write the key of a node label, such as topology.kubernetes.io/zone" :
		"use lower case letters, digits and '-', with a letter or digit at both ends";
	if (!ok)
		api_refuse(k, d, help, "'%s' cannot be '%.*s'", field, STR_ARG(check_short(k->c->arena, d->u.string)));
}

static void check_field(struct api_check *k, struct str type, struct str field, const struct data *d)
{
	for (size_t i = 0; i < COUNT(words_of); i++)
		if (str_is(field, words_of[i].field) && str_is(type, words_of[i].type))
			check_word(k, words_of[i].field, words_of[i].words, d);
	bool bounded = false;
	for (size_t i = 0; i < COUNT(ranges); i++)
		if (str_is(field, ranges[i].field) && str_is(type, ranges[i].type)) {
			check_range(k, ranges[i].field, ranges[i].lo, ranges[i].hi, d);
			bounded = true;
		}
	for (size_t i = 0; i < COUNT(formats); i++)
		if (str_is(field, formats[i].field) && str_is(type, formats[i].type))
			check_format(k, formats[i].field, formats[i].format, d);
	for (size_t i = 0; wide[i]; i++)
		bounded = bounded || str_is(field, wide[i]);
	bool ours = str_starts(type, STR("core.v1.")) || str_starts(type, STR("batch.v1.")) ||
		str_starts(type, STR("apps.v1."));
	if (!bounded && ours && d->kind == DATA_INT)
		check_range(k, str_printf(k->c->arena, "%.*s", STR_ARG(field)).p, -(int64_t)INT32 - 1, INT32, d);
}

/* ---- the walk ---- */

static void walk_map(struct api_check *k, const struct schema_type *t, const struct data *d);

static void walk(struct api_check *k, const struct schema_ref *r, const struct data *d)
{
	const struct schema *s = &schema_builtin;
	struct span outer = k->at;

	k->at = api_place(k, d);
	if (r->word == SCHEMA_OBJECT && d->kind == DATA_MAP)
		walk_map(k, &s->types[r->of], d);
	for (size_t i = 0; r->word == SCHEMA_LIST && d->kind == DATA_LIST && i < d->u.list.n; i++)
		walk(k, &s->refs[r->of], d->u.list.at[i]);
	for (size_t i = 0; r->word == SCHEMA_MAP && d->kind == DATA_MAP && i < d->u.map.n; i++)
		walk(k, &s->refs[r->of], d->u.map.at[i].value);
	k->at = outer;
}

/* What the schema requires; a raw block that is merged by a key may leave it out. */
static void required(struct api_check *k, const struct schema_type *t, struct str type, const struct data *d)
{
	const struct schema *s = &schema_builtin;
	const char *dot = memrchr(type.p, '.', type.n);

	for (size_t i = t->first; i < t->first + t->n; i++) {
		const struct schema_field *f = &s->fields[i];
		if (!f->required || !schema_in(f->versions, k->c->plan->kubernetes) ||
		    data_get(d, schema_text(s, f->name)))
			continue;
		struct str name = schema_text(s, f->name), help = str_printf(k->c->arena, "add '%.*s'", STR_ARG(name));
		api_missing(k, d, help.p, "%s needs '%.*s'", dot ? dot + 1 : type.p, STR_ARG(name));
	}
}

static void walk_map(struct api_check *k, const struct schema_type *t, const struct data *d)
{
	const struct schema *s = &schema_builtin;
	struct str type = schema_text(s, t->name);
	const struct data *outer = k->pod;

	if (str_is(type, "core.v1.PodSpec")) {
		k->pod = d;
		api_pod_spec(k, d);
	}
	required(k, t, type, d);
	for (size_t i = 0; i < COUNT(maps); i++)
		if (str_is(type, maps[i].type))
			maps[i].rule(k, d);
	for (size_t i = 0; i < d->u.map.n; i++) {
		const struct data_member *m = &d->u.map.at[i];
		const struct schema_field *f = schema_find_field(s, t, m->key, k->c->plan->kubernetes);
		if (!f)
			continue;
		check_field(k, type, m->key, m->value);
		walk(k, &s->refs[f->ref], m->value);
	}
	k->pod = outer;
}

void api_check(struct checking *c, const struct schema_type *t, const struct data *object, struct span at)
{
	struct api_check k = { .c = c, .at = at };

	if (t && object->kind == DATA_MAP)
		walk_map(&k, t, object);
}
