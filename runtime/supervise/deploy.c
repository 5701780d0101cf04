/*
 * deploy.c - writes the definitions of the kinds and the objects that the controller needs to run: Namespace,
 * ServiceAccount, permissions, Deployment or StatefulSet, Service. The permissions are exactly those that the requests
 * of this directory need. The process has no capabilities and a read-only file system.
 */
#include "runtime/supervise/deploy.h"

#include "base/version.h"
#include "import/custom.h"
#include "kube/crd_write.h"
#include "kube/version.h"
#include "runtime/supervise/manifest.h"

#define NAME MANIFEST_NAME
#define LABELS MANIFEST_LABELS
#define SYSTEM_NAMESPACE "trainc-system"

struct deploying {
	const struct controller *control;
	struct session *session;
	struct manifest_out to;
	struct str ns;                  /* the only namespace whose jobs the controller supervises; empty: all
					 * namespaces */
};

/* ---- definitions ---- */

static void put_scale(struct buf *b, const struct custom_kind *k)
{
	if (k->selects)
		buf_printf(b, ",\"scale\":{\"specReplicasPath\":\".spec.%s.Worker.replicas\","
			"\"statusReplicasPath\":\".status.replicaStatuses.Worker.active\","
			"\"labelSelectorPath\":\".status.replicaStatuses.Worker.selector\"}", k->roles_key);
}

static void put_definition(struct deploying *d, const struct custom_kind *k)
{
	const struct schema_type *type = schema_find_type(&schema_builtin, str_of(k->schema));
	struct arena a = { 0 };
	struct buf b = { 0 };

	manifest_head(&b, "apiextensions.k8s.io/v1", "CustomResourceDefinition",
		str_printf(&a, "%s.%s", k->plural, k->group).p,
		NULL);
	buf_printf(&b, ",\"spec\":{\"group\":\"%s\",\"scope\":\"Namespaced\",\"names\":{\"kind\":\"%s\","
		"\"listKind\":\"%sList\",\"plural\":\"%s\","
		"\"singular\":\"%.*s\"},\"versions\":[{\"name\":\"%s\",\"served\":true,\"storage\":true,"
			"\"additionalPrinterColumns\":["
		"{\"name\":\"State\",\"type\":\"string\",\"jsonPath\":\".status.%s\"},"
		"{\"name\":\"Age\",\"type\":\"date\",\"jsonPath\":\".metadata.creationTimestamp\"}],\"subresources\":{"
			"\"status\":{}",
		k->group, k->kind, k->kind, k->plural, STR_ARG(str_lower(&a, str_of(k->kind))), k->version,
		k->status_key ? "state" : "conditions[-1:].type");
	put_scale(&b, k);
	buf_z(&b, "},\"schema\":{\"openAPIV3Schema\":");
	crd_schema_write(&schema_builtin, type, KUBE_NEWEST, k->status_key != NULL, &b);
	buf_z(&b, "}}]}}");
	manifest_put(&d->to, &b);
	buf_release(&b);
	arena_release(&a);
}

/* ---- permissions ---- */

/*
 * Appends a rule for each API group of the kinds, each with a comma. The rule covers the resources or, if given, their
 * subresource SUBRESOURCE.
 */
static void put_kinds_rule(struct buf *b, bool ancestors, const char *subresource, const char *verbs)
{
	const struct custom_kind *k, *before = NULL;

	for (size_t i = 0; (k = custom_kind_among(i, !ancestors, ancestors)); i++) {
		bool same = before && str_is(str_of(k->group), before->group);
		if (before && !same)
			buf_printf(b, "],\"verbs\":[%s]},", verbs);
		if (same)
			buf_char(b, ',');
		else
			buf_printf(b, "{\"apiGroups\":[\"%s\"],\"resources\":[", k->group);
		buf_printf(b, "\"%s%s\"", k->plural, subresource);
		before = k;
	}
	buf_printf(b, "],\"verbs\":[%s]},", verbs);
}

/* Appends the permissions for runs of `trainc apply --controller`. */
static void put_run_rules(struct buf *b)
{
	buf_z(b, "{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"verbs\":[\"get\",\"list\",\"watch\","
			"\"patch\"]},"
		"{\"apiGroups\":[\"batch\"],\"resources\":[\"jobs\"],\"verbs\":[\"get\",\"list\",\"watch\","
			"\"create\",\"patch\",\"delete\"]},"
		"{\"apiGroups\":[\"apps\"],\"resources\":[\"deployments\"],\"verbs\":[\"list\",\"watch\",\"delete\"]},"
		"{\"apiGroups\":[\"\"],\"resources\":[\"pods\"],\"verbs\":[\"list\",\"watch\"]},"
		"{\"apiGroups\":[\"\"],\"resources\":[\"events\"],\"verbs\":[\"create\"]}");
}

static void put_operator_rules(struct buf *b)
{
	put_kinds_rule(b, false, "", "\"list\",\"watch\",\"patch\",\"delete\"");
	put_kinds_rule(b, false, "/status", "\"patch\"");
	put_kinds_rule(b, false, "/finalizers", "\"update\"");
	buf_z(b,
		/*
		 * the controller itself needs neither `get` on pods nor the next rule: it grants them to the launcher
		 * of an MPI job, and an account can only grant permissions that it has
		 */
		"{\"apiGroups\":[\"\"],\"resources\":[\"pods\"],\"verbs\":[\"get\",\"list\",\"watch\",\"create\","
			"\"patch\",\"delete\"]},"
		"{\"apiGroups\":[\"\"],\"resources\":[\"pods/exec\"],\"verbs\":[\"create\"]},"
		"{\"apiGroups\":[\"\"],\"resources\":[\"services\"],\"verbs\":[\"list\",\"watch\",\"create\",\"patch\","
			"\"delete\"]},"
		"{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\",\"serviceaccounts\"],\"verbs\":[\"get\","
			"\"create\"]},"
		"{\"apiGroups\":[\"rbac.authorization.k8s.io\"],\"resources\":[\"roles\",\"rolebindings\"],\"verbs\":["
			"\"get\",\"create\"]},"
		"{\"apiGroups\":[\"autoscaling\"],\"resources\":[\"horizontalpodautoscalers\"],"
		"\"verbs\":[\"get\",\"create\",\"patch\",\"delete\"]},"
		"{\"apiGroups\":[\"\"],\"resources\":[\"events\"],\"verbs\":[\"create\"]}");
}

/*
 * Appends the permissions for the kinds that preceded the training operator's kinds: each replica is a Job, and a job
 * also has a Deployment and a Service.
 */
static void put_ancestor_rules(struct buf *b)
{
	put_kinds_rule(b, true, "", "\"list\",\"watch\",\"patch\"");
	put_kinds_rule(b, true, "/status", "\"patch\"");
	put_kinds_rule(b, true, "/finalizers", "\"update\"");
	buf_z(b, "{\"apiGroups\":[\"batch\"],\"resources\":[\"jobs\"],\"verbs\":[\"list\",\"watch\",\"create\","
			"\"patch\",\"delete\"]},"
		"{\"apiGroups\":[\"apps\"],\"resources\":[\"deployments\"],\"verbs\":[\"get\",\"create\"]},"
		"{\"apiGroups\":[\"\"],\"resources\":[\"services\"],\"verbs\":[\"get\",\"list\",\"watch\","
			"\"create\",\"patch\",\"delete\"]},"
		"{\"apiGroups\":[\"\"],\"resources\":[\"pods\"],\"verbs\":[\"list\",\"watch\"]},"
		"{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"verbs\":[\"get\",\"create\"]},"
		"{\"apiGroups\":[\"\"],\"resources\":[\"events\"],\"verbs\":[\"create\"]}");
}

static void put_rules(struct deploying *d, struct buf *b, struct str gang, bool lease)
{
	const struct controller *c = d->control;

	buf_z(b, ",\"rules\":[");
	put_run_rules(b);
	buf_z(b, c->operators ? "," : "");
	if (c->operators)
		put_operator_rules(b);
	buf_z(b, c->ancestors ? "," : "");
	if (c->ancestors)
		put_ancestor_rules(b);
	if (gang.n && !str_is(gang, "none"))
		buf_printf(b, ",{\"apiGroups\":[\"%s\"],\"resources\":[\"podgroups\"],\"verbs\":[\"get\",\"create\","
			"\"delete\"]}",
			str_is(gang, "volcano") ? "scheduling.volcano.sh" : "scheduling.x-k8s.io");
	if (lease)
		buf_z(b, ",{\"apiGroups\":[\"coordination.k8s.io\"],\"resources\":[\"leases\"],\"verbs\":[\"get\","
			"\"create\",\"update\"]}");
	buf_z(b, "]}");
}

static void put_binding(struct deploying *d, const char *kind, const char *of, const char *ns)
{
	struct buf b = { 0 };

	manifest_head(&b, "rbac.authorization.k8s.io/v1", kind, NAME, ns);
	buf_printf(&b,
		",\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"%s\",\"name\":\"" NAME "\"},"
		"\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":\"" NAME "\",\"namespace\":\"" SYSTEM_NAMESPACE
			"\"}]}", of);
	manifest_put(&d->to, &b);
	buf_release(&b);
}

/*
 * Writes the roles and their bindings. A controller of all namespaces gets permissions for all of them, except that the
 * role for the Lease is limited to the controller's namespace. A controller of one namespace gets all permissions
 * there.
 */
static void put_permissions(struct deploying *d)
{
	struct str gang = option_value(d->session->options, OPTION_GANG);
	const char *ns = d->ns.n ? d->ns.p : SYSTEM_NAMESPACE;
	struct buf b = { 0 };

	if (!d->ns.n) {
		manifest_head(&b, "rbac.authorization.k8s.io/v1", "ClusterRole", NAME, NULL);
		put_rules(d, &b, gang, false);
		manifest_put(&d->to, &b);
		put_binding(d, "ClusterRoleBinding", "ClusterRole", NULL);
	}
	manifest_head(&b, "rbac.authorization.k8s.io/v1", "Role", NAME, ns);
	if (d->ns.n)
		put_rules(d, &b, gang, true);
	else
		buf_z(&b, ",\"rules\":[{\"apiGroups\":[\"coordination.k8s.io\"],\"resources\":[\"leases\"],"
			"\"verbs\":[\"get\",\"create\",\"update\"]}]}");
	manifest_put(&d->to, &b);
	put_binding(d, "RoleBinding", "Role", ns);
	buf_release(&b);
}

/* ---- the workload ---- */

/* Passes an option on to the process in the cluster, if it is given here. */
static void put_option(struct deploying *d, struct buf *b, enum option o)
{
	struct str value = option_value(d->session->options, o);

	if (!value.n)
		return;
	buf_char(b, ',');
	buf_json(b, str_printf(d->session->arena, "--%s=%.*s", option_row(o)->word, STR_ARG(value)));
}

static void put_arguments(struct deploying *d, struct buf *b)
{
	buf_z(b, "\"args\":[\"supervise\",");
	buf_z(b, d->control->operators ? "\"--kubeflow\"," : "");
	buf_z(b, d->control->ancestors ? "\"--ancestors\"," : "");
	buf_z(b, "\"--listen=:8081\",\"--lease=" NAME "\"");
	if (d->ns.n) {
		buf_char(b, ',');
		buf_json(b, str_cat(d->session->arena, STR("--namespace="), d->ns, STR("")));
	}
	put_option(d, b, OPTION_OPERATOR);
	put_option(d, b, OPTION_GANG);
	put_option(d, b, OPTION_INIT_IMAGE);
	put_option(d, b, OPTION_DELIVERY_IMAGE);
	if (d->control->shard.total > 1)
		buf_printf(b, ",\"--total-shards=%u\",\"--shard=$(POD_NAME)\"", d->control->shard.total);
	buf_char(b, ']');
	if (d->control->shard.total > 1)
		buf_z(b, ",\"env\":[{\"name\":\"POD_NAME\",\"valueFrom\":{\"fieldRef\":{"
			"\"fieldPath\":\"metadata.name\"}}}]");
}

/*
 * Writes a Deployment of one process or, with shards, a StatefulSet, whose pod names contain the numbers of the shards.
 * Applying the StatefulSet with another number of shards replaces its pods.
 */
static void put_workload(struct deploying *d)
{
	struct str image = option_value(d->session->options, OPTION_IMAGE);
	bool several = d->control->shard.total > 1;
	struct buf b = { 0 };

	manifest_head(&b, "apps/v1", several ? "StatefulSet" : "Deployment", NAME, SYSTEM_NAMESPACE);
	buf_printf(&b, ",\"spec\":{\"replicas\":%u,", d->control->shard.total);
	if (several)
		buf_z(&b, "\"serviceName\":\"" NAME "\",\"podManagementPolicy\":\"Parallel\",");
	buf_z(&b, "\"selector\":{\"matchLabels\":{\"app.kubernetes.io/name\":\"" NAME
		"\"}},\"template\":{\"metadata\":{\"labels\":"
		LABELS "},\"spec\":{\"serviceAccountName\":\"" NAME
			"\",\"terminationGracePeriodSeconds\":10,\"securityContext\":{\"runAsNonRoot\":true,"
		"\"runAsUser\":65532,\"runAsGroup\":65532,\"seccompProfile\":{\"type\":\"RuntimeDefault\"}},"
			"\"containers\":[{\"name\":\"supervise\",\"image\":");
	buf_json(&b, image.n ? image : STR("trainc:" TRAINC_VERSION));
	buf_char(&b, ',');
	put_arguments(d, &b);
	buf_z(&b, ",\"ports\":[{\"name\":\"http\",\"containerPort\":8081}],"
		"\"livenessProbe\":{\"httpGet\":{\"path\":\"/healthz\",\"port\":\"http\"},\"periodSeconds\":20,"
		"\"timeoutSeconds\":5},"
		"\"readinessProbe\":{\"httpGet\":{\"path\":\"/readyz\",\"port\":\"http\"},\"periodSeconds\":10,"
			"\"timeoutSeconds\":5},"
		"\"resources\":{\"requests\":{\"cpu\":\"20m\",\"memory\":\"32Mi\"},\"limits\":{\"memory\":\"64Mi\"}},"
		"\"securityContext\":{\"allowPrivilegeEscalation\":false,\"readOnlyRootFilesystem\":true,"
			"\"capabilities\":{\"drop\":[\"ALL\"]}}}]}}}}");
	manifest_put(&d->to, &b);
	buf_release(&b);
}

static void put_service(struct deploying *d)
{
	struct buf b = { 0 };

	manifest_head(&b, "v1", "Service", NAME, SYSTEM_NAMESPACE);
	buf_z(&b, ",\"spec\":{\"selector\":{\"app.kubernetes.io/name\":\"" NAME
		"\"},\"ports\":[{\"name\":\"http\",\"port\":8081,\"targetPort\":\"http\"}]}}");
	manifest_put(&d->to, &b);
	if (str_is(option_value(d->session->options, OPTION_MANIFEST), "monitor")) {
		manifest_head(&b, "monitoring.coreos.com/v1", "PodMonitor", NAME, SYSTEM_NAMESPACE);
		buf_z(&b, ",\"spec\":{\"selector\":{\"matchLabels\":{\"app.kubernetes.io/name\":\"" NAME
			"\"}},\"podMetricsEndpoints\":[{\"port\":\"http\"}]}}");
		manifest_put(&d->to, &b);
	}
	buf_release(&b);
}

int deploy_write(const struct controller *c)
{
	struct deploying d = { .control = c, .session = c->session, .ns = c->ns };
	const struct custom_kind *k;
	struct buf b = { 0 };

	manifest_begin(&d.to, c->session);
	for (size_t i = 0; (k = custom_kind_among(i, c->operators, c->ancestors)); i++)
		put_definition(&d, k);
	manifest_head(&b, "v1", "Namespace", SYSTEM_NAMESPACE, NULL);
	buf_char(&b, '}');
	manifest_put(&d.to, &b);
	manifest_head(&b, "v1", "ServiceAccount", NAME, SYSTEM_NAMESPACE);
	buf_char(&b, '}');
	manifest_put(&d.to, &b);
	buf_release(&b);
	put_permissions(&d);
	put_workload(&d);
	put_service(&d);
	manifest_end(&d.to);
	return STATUS_DONE;
}
