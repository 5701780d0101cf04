/*
 * api_fields.c - rules of the API server about single fields: words of enumerations, ranges of numbers and formats of
 * texts. A row names a type of the schema and a field of it. For a field that is a list, the rule applies to each
 * element. An empty word or name is not checked: the server replaces it by the default.
 */
#include "verify/api_rules.h"

#include "diag/suggest.h"
#include "kube/limits.h"

enum { INT32 = 2147483647 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

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
	{ "core.v1.PersistentVolumeClaimSpec", "accessModes",
		"ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod" },
	{ "core.v1.PersistentVolumeClaimSpec", "volumeMode", "Filesystem Block" },
	{ "batch.v1.JobSpec", "completionMode", "Indexed NonIndexed" },
	{ "batch.v1.JobSpec", "podReplacementPolicy", "Failed TerminatingOrFailed" },
	{ "batch.v1.CronJobSpec", "concurrencyPolicy", "Allow Forbid Replace" },
	{ "apps.v1.DeploymentStrategy", "type", "Recreate RollingUpdate" },
	{ "apps.v1.DaemonSetUpdateStrategy", "type", "RollingUpdate OnDelete" },
	{ "apps.v1.StatefulSetUpdateStrategy", "type", "RollingUpdate OnDelete" },
	{ "apps.v1.StatefulSetSpec", "podManagementPolicy", "OrderedReady Parallel" },
	{ "batch.v1.PodFailurePolicyRule", "action", "FailJob FailIndex Ignore Count" },
	{ "batch.v1.PodFailurePolicyOnExitCodesRequirement", "operator", "In NotIn" },
	{ "core.v1.PodSecurityContext", "fsGroupChangePolicy", "OnRootMismatch Always" },
	{ "core.v1.PodSecurityContext", "supplementalGroupsPolicy", "Merge Strict" },
	{ "core.v1.AppArmorProfile", "type", "RuntimeDefault Unconfined Localhost" },
	{ "core.v1.HostPathVolumeSource", "type",
		"Directory DirectoryOrCreate File FileOrCreate Socket CharDevice BlockDevice" },
	{ "core.v1.Container", "restartPolicy", "Always OnFailure Never" },
	{ "core.v1.ContainerResizePolicy", "resourceName", "cpu memory" },
	{ "core.v1.ContainerResizePolicy", "restartPolicy", "NotRequired RestartContainer" },
	{ "core.v1.VolumeMount", "recursiveReadOnly", "Disabled IfPossible Enabled" },
	{ "core.v1.ObjectFieldSelector", "apiVersion", "v1" },
	{ "core.v1.TopologySpreadConstraint", "nodeAffinityPolicy", "Honor Ignore" },
	{ "core.v1.TopologySpreadConstraint", "nodeTaintsPolicy", "Honor Ignore" },
	{ "core.v1.ServiceSpec", "ipFamilies", "IPv4 IPv6" },
	{ "core.v1.PersistentVolumeSpec", "accessModes", "ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod" },
	{ "core.v1.PersistentVolumeSpec", "volumeMode", "Filesystem Block" },
	{ "core.v1.PersistentVolumeSpec", "persistentVolumeReclaimPolicy", "Retain Delete Recycle" },
	{ "storage.v1.StorageClass", "reclaimPolicy", "Delete Retain" },
	{ "storage.v1.StorageClass", "volumeBindingMode", "Immediate WaitForFirstConsumer" },
	{ "scheduling.v1.PriorityClass", "preemptionPolicy", "PreemptLowerPriority Never" },
	{ "networking.v1.HTTPIngressPath", "pathType", "Prefix Exact ImplementationSpecific" },
	{ "networking.v1.NetworkPolicySpec", "policyTypes", "Ingress Egress" },
	{ "networking.v1.NetworkPolicyPort", "protocol", "TCP UDP SCTP" },
	{ "rbac.v1.RoleRef", "kind", "Role ClusterRole" },
	{ "rbac.v1.Subject", "kind", "ServiceAccount User Group" },
	{ "core.v1.ResourceQuotaSpec", "scopes", "Terminating NotTerminating BestEffort NotBestEffort PriorityClass "
		"CrossNamespacePodAffinity VolumeAttributesClass" },
	{ "core.v1.ScopedResourceSelectorRequirement", "scopeName", "Terminating NotTerminating BestEffort "
		"NotBestEffort PriorityClass CrossNamespacePodAffinity VolumeAttributesClass" },
	{ "core.v1.ScopedResourceSelectorRequirement", "operator", "In NotIn Exists DoesNotExist" },
	{ "policy.v1.PodDisruptionBudgetSpec", "unhealthyPodEvictionPolicy", "IfHealthyBudget AlwaysAllow" },
};

/* The range of numbers that a field allows. */
static const struct {
	const char *type, *field;
	int64_t lo, hi;
} ranges[] = {
	{ "core.v1.Probe", "periodSeconds", 0, INT32 }, { "core.v1.Probe", "timeoutSeconds", 0, INT32 },
	{ "core.v1.Probe", "initialDelaySeconds", 0, INT32 }, { "core.v1.Probe", "failureThreshold", 0, INT32 },
	{ "core.v1.Probe", "successThreshold", 0, INT32 },
	{ "core.v1.PodSpec", "activeDeadlineSeconds", 1, INT32 }, { "core.v1.PodSpec",
		"terminationGracePeriodSeconds", 0, INT64_MAX },
	{ "core.v1.SecurityContext", "runAsUser", 0, INT32 }, { "core.v1.SecurityContext", "runAsGroup", 0, INT32 },
	{ "core.v1.PodSecurityContext", "runAsUser", 0, INT32 }, { "core.v1.PodSecurityContext", "runAsGroup", 0,
		INT32 },
	{ "core.v1.PodSecurityContext", "fsGroup", 0, INT32 }, { "core.v1.PodSecurityContext", "supplementalGroups",
		0, INT32 },
	{ "core.v1.TopologySpreadConstraint", "maxSkew", 1, INT32 }, { "core.v1.PreferredSchedulingTerm", "weight",
		1, 100 },
	{ "core.v1.WeightedPodAffinityTerm", "weight", 1, 100 }, { "core.v1.ContainerPort", "containerPort", 1, 65535 },
	{ "core.v1.ContainerPort", "hostPort", 0, 65535 }, { "core.v1.ServicePort", "port", 1, 65535 },
	{ "core.v1.ServicePort", "nodePort", 0, 65535 }, { "core.v1.SecretVolumeSource", "defaultMode", 0, 511 },
	{ "core.v1.ConfigMapVolumeSource", "defaultMode", 0, 511 }, { "core.v1.ProjectedVolumeSource",
		"defaultMode", 0, 511 },
	{ "core.v1.KeyToPath", "mode", 0, 511 }, { "batch.v1.JobSpec", "parallelism", 0, INT32 },
	{ "batch.v1.JobSpec", "completions", 0, INT32 },
	{ "batch.v1.JobSpec", "activeDeadlineSeconds", 0, INT64_MAX }, { "batch.v1.JobSpec", "backoffLimit", 0, INT32 },
	{ "batch.v1.JobSpec", "ttlSecondsAfterFinished", 0, INT32 }, { "apps.v1.DeploymentSpec", "replicas", 0, INT32 },
	{ "apps.v1.StatefulSetSpec", "replicas", 0, INT32 }, { "apps.v1.ReplicaSetSpec", "replicas", 0, INT32 },
	{ "core.v1.HTTPGetAction", "port", 1, 65535 }, { "core.v1.TCPSocketAction", "port", 1, 65535 },
	{ "core.v1.GRPCAction", "port", 1, 65535 },
	{ "core.v1.TopologySpreadConstraint", "minDomains", 1, INT32 }, { "core.v1.DownwardAPIVolumeFile", "mode",
		0, 511 },
	{ "core.v1.DownwardAPIVolumeSource", "defaultMode", 0, 511 }, { "core.v1.ServiceAccountTokenProjection",
		"expirationSeconds", 600, 1LL << 32 },
	{ "autoscaling.v2.HorizontalPodAutoscalerSpec", "maxReplicas", 1, INT32 }, { "scheduling.v1.PriorityClass",
		"value", -(int64_t)INT32 - 1, 1000000000 },
	{ "networking.v1.ServiceBackendPort", "number", 1, 65535 },
};

/* Fields that are 64-bit integers; all other integers in the built-in groups have 32 bits. */
static const char *const wide[] = {
	"activeDeadlineSeconds", "terminationGracePeriodSeconds", "tolerationSeconds", "expirationSeconds",
		"startingDeadlineSeconds", "runAsUser",
	"runAsGroup", "fsGroup", "supplementalGroups", "generation", "observedGeneration",
		"deletionGracePeriodSeconds", NULL
};

/* Formats of texts: names of other objects, and others with a fixed form. */
enum format {
	FORMAT_OBJECT, FORMAT_PORT, FORMAT_PORT_OR_NUMBER, FORMAT_LABEL_KEY, FORMAT_DOMAIN_PATH, FORMAT_LABEL,
		FORMAT_ADDRESS, FORMAT_WITHIN,
	FORMAT_ABSOLUTE, FORMAT_DATA_KEY, FORMAT_GIVEN, FORMAT_LABEL_OR_NONE, FORMAT_SYSCTL,
	FORMAT_PREFIX, FORMAT_FINALIZER, FORMAT_HOST
};
static const struct {
	const char *type, *field;
	enum format format;
} formats[] = {
	{ "core.v1.ConfigMapEnvSource", "name", FORMAT_OBJECT }, { "core.v1.SecretEnvSource", "name", FORMAT_OBJECT },
	{ "core.v1.PodSpec", "serviceAccountName", FORMAT_OBJECT },
	{ "core.v1.PodSpec", "priorityClassName", FORMAT_OBJECT }, { "core.v1.PodSpec", "runtimeClassName",
		FORMAT_OBJECT },
	{ "core.v1.ContainerPort", "name", FORMAT_PORT }, { "core.v1.Container", "name", FORMAT_LABEL },
	{ "core.v1.Volume", "name", FORMAT_LABEL },
	{ "core.v1.TopologySpreadConstraint", "topologyKey", FORMAT_LABEL_KEY }, { "batch.v1.JobSpec", "managedBy",
		FORMAT_DOMAIN_PATH },
	{ "core.v1.PersistentVolumeClaimSpec", "storageClassName", FORMAT_OBJECT }, { "core.v1.HostAlias",
		"hostnames", FORMAT_OBJECT },
	{ "core.v1.HostAlias", "ip", FORMAT_ADDRESS }, { "core.v1.PodDNSConfig", "nameservers", FORMAT_ADDRESS },
	{ "core.v1.Toleration", "key", FORMAT_LABEL_KEY }, { "core.v1.PodReadinessGate", "conditionType",
		FORMAT_LABEL_KEY },
	{ "core.v1.PodReadinessGate", "conditionType", FORMAT_GIVEN }, { "core.v1.PodSchedulingGate", "name",
		FORMAT_GIVEN },
	{ "core.v1.Sysctl", "name", FORMAT_GIVEN }, { "networking.v1.IngressRule", "host", FORMAT_HOST },
	{ "core.v1.ServicePort", "targetPort", FORMAT_PORT_OR_NUMBER },
	{ "core.v1.PodSchedulingGate", "name", FORMAT_LABEL_KEY }, { "core.v1.PodAffinityTerm", "topologyKey",
		FORMAT_GIVEN },
	{ "core.v1.PodAffinityTerm", "topologyKey", FORMAT_LABEL_KEY }, { "core.v1.NodeSelectorRequirement", "key",
		FORMAT_LABEL_KEY },
	{ "meta.v1.LabelSelectorRequirement", "key", FORMAT_LABEL_KEY }, { "core.v1.KeyToPath", "path", FORMAT_WITHIN },
	{ "core.v1.DownwardAPIVolumeFile", "path", FORMAT_WITHIN }, { "core.v1.ServiceAccountTokenProjection",
		"path", FORMAT_WITHIN },
	{ "core.v1.NFSVolumeSource", "path", FORMAT_ABSOLUTE }, { "core.v1.NFSVolumeSource", "server", FORMAT_GIVEN },
	{ "core.v1.CSIVolumeSource", "driver", FORMAT_GIVEN }, { "core.v1.VolumeMount", "mountPath", FORMAT_GIVEN },
	{ "core.v1.VolumeMount", "subPath", FORMAT_WITHIN }, { "core.v1.SecretKeySelector", "key", FORMAT_DATA_KEY },
	{ "core.v1.ConfigMapKeySelector", "key", FORMAT_DATA_KEY }, { "core.v1.ServicePort", "name",
		FORMAT_LABEL_OR_NONE },
	{ "meta.v1.OwnerReference", "uid", FORMAT_GIVEN }, { "meta.v1.OwnerReference", "kind", FORMAT_GIVEN },
	{ "meta.v1.OwnerReference", "name", FORMAT_GIVEN },
	{ "core.v1.Sysctl", "name", FORMAT_SYSCTL }, { "core.v1.EnvFromSource", "prefix", FORMAT_PREFIX },
	{ "meta.v1.ObjectMeta", "finalizers", FORMAT_FINALIZER }, { "core.v1.HTTPGetAction", "port",
		FORMAT_PORT_OR_NUMBER }, { "core.v1.TCPSocketAction", "port", FORMAT_PORT_OR_NUMBER },
};

static void check_word(struct api_check *k, const char *field, const char *words, const struct data *d)
{
	struct suggest s;

	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++)
		check_word(k, field, words, d->u.list.at[i]);
	if (d->kind != DATA_STRING || !d->u.string.n)
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

/* Is the path relative, and does it contain no `..`? */
static bool stays_within(struct str s)
{
	for (size_t i = 0, start = 0; i <= s.n; i++) {
		if (i < s.n && s.p[i] != '/')
			continue;
		if (i - start == 2 && s.p[start] == '.' && s.p[start + 1] == '.')
			return false;
		start = i + 1;
	}
	return !str_starts(s, STR("/"));
}

static bool is_sysctl(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!((s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z') && !(s.p[i] >= '0' && s.p[i] <= '9') &&
			!strchr("._-/", s.p[i]))
			return false;
	return true;
}

static bool is_finalizer(struct str s)
{
	const char *why;

	return str_is(s, "kubernetes") || str_is(s, "orphan") || str_is(s, "foregroundDeletion") ||
	       (memchr(s.p, '/', s.n) && kube_label_key(s, &why));
}

static bool is_of(enum format format, struct str s)
{
	const char *why = NULL;

	switch (format) {
	case FORMAT_OBJECT: return kube_object_name(s);
	case FORMAT_PORT:
	case FORMAT_PORT_OR_NUMBER: return kube_port_name(s, &why);
	case FORMAT_LABEL_KEY: return kube_label_key(s, &why);
	case FORMAT_DOMAIN_PATH: return domain_path(s);
	case FORMAT_LABEL:
	case FORMAT_LABEL_OR_NONE: return kube_dns_label(s) && s.n <= LIMIT_LABEL;
	case FORMAT_ADDRESS: return api_is_address(s);
	case FORMAT_WITHIN: return stays_within(s);
	case FORMAT_ABSOLUTE: return str_starts(s, STR("/"));
	case FORMAT_DATA_KEY: return kube_data_key(s);
	case FORMAT_GIVEN: return s.n > 0;
	case FORMAT_SYSCTL: return is_sysctl(s);
	case FORMAT_PREFIX: return !memchr(s.p, '=', s.n);
	case FORMAT_HOST: return kube_object_name(str_starts(s, STR("*.")) ? (struct str){ s.p + 2, s.n - 2 } : s);
	case FORMAT_FINALIZER: return is_finalizer(s);
	}
	return true;
}

static const char *help_with(enum format format)
{
	static const char *const helps[] = {
		[FORMAT_PORT] = "use up to 15 lower case letters, digits and '-', at least one of them a letter",
		[FORMAT_PORT_OR_NUMBER] =
			"write the number of the port, or its name: up to 15 lower case letters, digits and '-'",
		[FORMAT_DOMAIN_PATH] = "write a domain and a path: example.com/controller",
		[FORMAT_LABEL_KEY] = ("use letters, digits, '-', '_' and '.', with a DNS name and '/' in front or "
			"without, such as topology.kubernetes.io/zone"),
		[FORMAT_ADDRESS] = "write an IP address, such as 10.0.0.10",
		[FORMAT_WITHIN] = "write a relative path without '..'",
		[FORMAT_ABSOLUTE] = "write a path that begins with '/'",
		[FORMAT_DATA_KEY] = "keys are letters, digits, '-', '_' and '.'",
		[FORMAT_GIVEN] = "write its value",
		[FORMAT_SYSCTL] = "write the name of a kernel parameter, such as net.core.somaxconn",
		[FORMAT_PREFIX] = "use letters, digits and '_'",
		[FORMAT_FINALIZER] = "write a domain and a name: example.com/cleanup",
	};

	if ((size_t)format < COUNT(helps) && helps[format])
		return helps[format];
	return "use lower case letters, digits and '-', with a letter or digit at both ends";
}

/* Does the server replace an empty text by the default? */
static bool may_be_empty(enum format format)
{
	return format != FORMAT_LABEL && format != FORMAT_GIVEN && format != FORMAT_DATA_KEY &&
		format != FORMAT_ABSOLUTE && format != FORMAT_PORT_OR_NUMBER &&
	       format != FORMAT_ADDRESS;
}

static void check_format(struct api_check *k, const char *field, enum format format, const struct data *d)
{
	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++)
		check_format(k, field, format, d->u.list.at[i]);
	if (d->kind != DATA_STRING || (!d->u.string.n && may_be_empty(format)) || is_of(format, d->u.string))
		return;
	api_refuse(k, d, help_with(format), "'%s' cannot be '%.*s'", field, STR_ARG(check_short(k->c->arena,
		d->u.string)));
}

/* ---- applying the rows of one type ---- */

static void words_row(struct api_check *k, size_t i, const struct data *d)
{
	check_word(k, words_of[i].field, words_of[i].words, d);
}

static void range_row(struct api_check *k, size_t i, const struct data *d)
{
	check_range(k, ranges[i].field, ranges[i].lo, ranges[i].hi, d);
}

static void format_row(struct api_check *k, size_t i, const struct data *d)
{
	check_format(k, formats[i].field, formats[i].format, d);
}

static struct api_row **add_row(struct arena *a, struct api_row **end,
	void (*check)(struct api_check *, size_t, const struct data *), size_t at)
{
	*end = ARENA_NEW(a, struct api_row);
	**end = (struct api_row){ .check = check, .at = at };
	return &(*end)->next;
}

struct api_row *api_rows(struct arena *a, struct str type, struct str field)
{
	struct api_row *rows = NULL, **end = &rows;

	for (size_t i = 0; i < COUNT(words_of); i++)
		if (str_is(type, words_of[i].type) && str_is(field, words_of[i].field))
			end = add_row(a, end, words_row, i);
	for (size_t i = 0; i < COUNT(ranges); i++)
		if (str_is(type, ranges[i].type) && str_is(field, ranges[i].field))
			end = add_row(a, end, range_row, i);
	for (size_t i = 0; i < COUNT(formats); i++)
		if (str_is(type, formats[i].type) && str_is(field, formats[i].field))
			end = add_row(a, end, format_row, i);
	return rows;
}

/* Checks an integer of the built-in groups: it must fit in 32 bits, unless a row or a list gives another range. */
static void check_int32(struct api_check *k, struct str type, struct str field, const struct data *d)
{
	if (!str_starts(type, STR("core.v1.")) && !str_starts(type, STR("batch.v1.")) &&
		!str_starts(type, STR("apps.v1.")))
		return;
	for (size_t i = 0; wide[i]; i++)
		if (str_is(field, wide[i]))
			return;
	check_range(k, str_printf(k->c->arena, "%.*s", STR_ARG(field)).p, -(int64_t)INT32 - 1, INT32, d);
}

void api_field(struct api_check *k, const struct api_row *rows, struct str type, struct str field,
	const struct data *d)
{
	bool bounded = false;

	for (const struct api_row *r = rows; r; r = r->next) {
		r->check(k, r->at, d);
		bounded = bounded || r->check == range_row;
	}
	if (!bounded && d->kind == DATA_INT)
		check_int32(k, type, field, d);
}
