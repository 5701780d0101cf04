/*
 * deploy.c - writes the definitions of the kinds and the objects that the controller needs to run, from the files of
 * the directory manifest/. It chooses files, joins the rules of roles, and fills in names and arguments.
 */
#include "runtime/supervise/deploy.h"

#include "base/version.h"
#include "import/custom.h"
#include "kube/crd_write.h"
#include "kube/version.h"
#include "runtime/supervise/manifest.h"
#include "runtime/supervise/manifest_file.h"

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

/* ---- the embedded manifests ---- */

/* Writes the file NAME as it is. */
static void put_manifest(struct deploying *d, const char *name)
{
	manifest_put_object(&d->to, manifest_file_read(d->session->arena, name));
}

/* ---- permissions ---- */

static void add_rules(struct deploying *d, struct object *role, const char *file)
{
	struct arena *a = d->session->arena;
	struct object *rules = object_get(role, STR("rules"));
	const struct object *more = object_get(manifest_file_read(a, file), STR("rules"));

	if (!rules)
		rules = PUT_LIST(a, role, "rules", (struct span){ 0 });
	for (size_t i = 0; i < more->u.list.n; i++)
		object_add(a, rules, more->u.list.at[i]);
}

/* Adds the rules for the objects that the controller manages. */
static void add_managed_rules(struct deploying *d, struct object *role)
{
	struct str gang = option_value(d->session->options, OPTION_GANG);

	add_rules(d, role, "rules-runs");
	if (d->control->operators) {
		add_rules(d, role, "rules-kinds");
		add_rules(d, role, "rules-mpi");
	}
	if (d->control->ancestors)
		add_rules(d, role, "rules-ancestors");
	if (gang.n && !str_is(gang, "none"))
		add_rules(d, role, str_cat(d->session->arena, STR("rules-"), gang, STR("")).p);
}

/* Writes a file of permissions in one namespace: that of the controller's jobs or, without one, of its Lease. */
static void put_local(struct deploying *d, struct object *o)
{
	if (d->ns.n)
		object_put(d->session->arena, object_get(o, STR("metadata")), STR("namespace"),
			object_string(d->session->arena, d->ns, (struct span){ 0 }));
	manifest_put_object(&d->to, o);
}

/*
 * Writes the roles and their bindings. A controller of all namespaces gets permissions for all of them, except that the
 * role for the Lease is limited to the controller's namespace. A controller of one namespace gets all permissions
 * there.
 */
static void put_permissions(struct deploying *d)
{
	struct arena *a = d->session->arena;
	struct object *role, *local = manifest_file_read(a, "role-local");

	if (d->ns.n) {
		add_managed_rules(d, local);
	} else {
		role = manifest_file_read(a, "role");
		add_managed_rules(d, role);
		manifest_put_object(&d->to, role);
		put_manifest(d, "binding");
	}
	add_rules(d, local, "rules-lease");
	put_local(d, local);
	put_local(d, manifest_file_read(a, "binding-local"));
}

/* ---- the workload ---- */

static void add_argument(struct deploying *d, struct object *args, struct str text)
{
	object_add(d->session->arena, args, object_string(d->session->arena, text, (struct span){ 0 }));
}

/* Passes an option on to the process in the cluster, if it is given here. */
static void pass_option(struct deploying *d, struct object *args, enum option o)
{
	struct str value = option_value(d->session->options, o);

	if (value.n)
		add_argument(d, args,
			str_printf(d->session->arena, "--%s=%.*s", option_row(o)->word, STR_ARG(value)));
}

static void add_arguments(struct deploying *d, struct object *args)
{
	struct arena *a = d->session->arena;

	if (d->control->operators)
		add_argument(d, args, STR("--kubeflow"));
	if (d->control->ancestors)
		add_argument(d, args, STR("--ancestors"));
	add_argument(d, args, STR("--listen=:8081"));
	add_argument(d, args, STR("--lease=" MANIFEST_NAME));
	if (d->ns.n)
		add_argument(d, args, str_cat(a, STR("--namespace="), d->ns, STR("")));
	pass_option(d, args, OPTION_OPERATOR);
	pass_option(d, args, OPTION_GANG);
	pass_option(d, args, OPTION_INIT_IMAGE);
	pass_option(d, args, OPTION_DELIVERY_IMAGE);
	if (d->control->shard.total > 1) {
		add_argument(d, args, str_printf(a, "--total-shards=%u", d->control->shard.total));
		add_argument(d, args, STR("--shard=$(POD_NAME)"));
	}
}

/* Writes a Deployment of one process or, with shards, a StatefulSet. */
static void put_workload(struct deploying *d)
{
	struct arena *a = d->session->arena;
	struct str image = option_value(d->session->options, OPTION_IMAGE);
	struct object *o = manifest_file_read(a, "deployment"), *set = manifest_file_read(a, "statefulset");
	struct object *template = manifest_path(o, "spec.template");
	struct object *container = manifest_path(template, "spec.containers")->u.list.at[0];

	object_put(a, container, STR("image"),
		object_string(a, image.n ? image : STR("trainc:" TRAINC_VERSION), (struct span){ 0 }));
	add_arguments(d, object_get(container, STR("args")));
	if (d->control->shard.total > 1) {
		struct object *spec = object_get(set, STR("spec"));
		object_put(a, spec, STR("replicas"), object_integer(a, d->control->shard.total, (struct span){ 0 }));
		object_append(a, spec, STR("template"), template);
		o = set;
	} else {
		manifest_drop(container, STR("env"));
	}
	manifest_put_object(&d->to, o);
}

int deploy_write(const struct controller *c)
{
	struct deploying d = { .control = c, .session = c->session, .ns = c->ns };
	const struct custom_kind *k;

	manifest_begin(&d.to, c->session);
	for (size_t i = 0; (k = custom_kind_among(i, c->operators, c->ancestors)); i++)
		put_definition(&d, k);
	put_manifest(&d, "namespace");
	put_manifest(&d, "account");
	put_permissions(&d);
	put_workload(&d);
	put_manifest(&d, "service");
	if (str_is(option_value(c->session->options, OPTION_MANIFEST), "monitor"))
		put_manifest(&d, "podmonitor");
	manifest_end(&d.to);
	return STATUS_DONE;
}
