/*
 * deploy.c - writes the definitions of the kinds and the objects that the controller needs to run, from the files of
 * the directory manifest/. It chooses files, joins the rules of roles, and fills in names and arguments.
 */
#include "runtime/supervise/deploy.h"

#include "base/version.h"
#include "import/custom.h"
#include "kube/crd_write.h"
#include "kube/kube_version.h"
#include "runtime/supervise/deploy_options.h"
#include "runtime/supervise/manifest.h"
#include "runtime/supervise/manifest_file.h"
#include "runtime/supervise/supervise_kinds.h"

struct deploying {
	const struct controller *control;
	struct session *session;
	struct arena *arena;
	struct manifest_out to;
	struct deploy_options options;
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

static struct object *new_text(struct deploying *d, struct str s)
{
	return object_string(d->arena, s, (struct span){ 0 });
}

static void set_text(struct deploying *d, struct object *map, const char *key, struct str value)
{
	object_put(d->arena, map, str_of(key), new_text(d, value));
}

static void set_number(struct deploying *d, struct object *map, const char *key, int64_t value)
{
	object_put(d->arena, map, str_of(key), object_integer(d->arena, value, (struct span){ 0 }));
}

/*
 * Replaces the default name of the installation in all texts of a tree, also at their beginnings ("NAME-edit"), except
 * in the label that names the program. Adds the version beside the label that names the installation.
 */
static void fill_names(struct deploying *d, struct object *o)
{
	static const struct str name = { MANIFEST_NAME, sizeof MANIFEST_NAME - 1 };

	if (o->kind == OBJECT_STRING && str_starts(o->u.string, name)) {
		struct str rest = { o->u.string.p + name.n, o->u.string.n - name.n };
		if (!rest.n || rest.p[0] == '-')
			o->u.string = str_cat(d->arena, d->options.name, rest, STR(""));
	}
	for (size_t i = 0; o->kind == OBJECT_LIST && i < o->u.list.n; i++)
		fill_names(d, o->u.list.at[i]);
	for (size_t i = 0; o->kind == OBJECT_MAP && i < o->u.map.n; i++) {
		struct object_field *f = &o->u.map.at[i];
		if (!str_is(f->key, "app.kubernetes.io/name"))
			fill_names(d, f->value);
		if (str_is(f->key, "labels") && object_get(f->value, STR("app.kubernetes.io/instance")))
			set_text(d, f->value, "app.kubernetes.io/version", STR(TRAINC_VERSION));
	}
}

/* Reads the file NAME, with the names of this installation. */
static struct object *read_manifest(struct deploying *d, const char *name)
{
	struct object *o = manifest_file_read(d->arena, name);

	fill_names(d, o);
	return o;
}

/* Writes the file NAME with no other changes. */
static void put_manifest(struct deploying *d, const char *name) { manifest_put_object(&d->to, read_manifest(d, name)); }

/* ---- permissions ---- */

/* Is RULE about resources of a group that has kinds of custom resources? Then its resources are filtered. */
static bool is_about_kinds(const struct object *rule)
{
	const struct custom_kind *k;

	for (size_t i = 0; (k = custom_kind_among(i, true, true)); i++)
		if (str_is(object_get(rule, STR("apiGroups"))->u.list.at[0]->u.string, k->group))
			return true;
	return false;
}

/* Removes the kinds that the controller does not look after from a rule. Returns false if nothing remains. */
static bool keep_kinds(struct deploying *d, struct object *rule)
{
	struct object *resources = object_get(rule, STR("resources"));
	struct str group = object_get(rule, STR("apiGroups"))->u.list.at[0]->u.string;
	size_t kept = 0;

	if (!is_about_kinds(rule))
		return true;
	for (size_t i = 0; i < resources->u.list.n; i++) {
		struct str name = resources->u.list.at[i]->u.string;
		const char *slash = memchr(name.p, '/', name.n);
		if (kinds_have(d->control, group, (struct str){ name.p, slash ? (size_t)(slash - name.p) : name.n }))
			resources->u.list.at[kept++] = resources->u.list.at[i];
	}
	resources->u.list.n = kept;
	return kept > 0;
}

/* Adds the rules FROM to ROLE, as far as they are about kinds that the controller looks after. */
static void join_rules(struct deploying *d, struct object *role, const struct object *from)
{
	struct object *rules = object_get(role, STR("rules"));

	if (!rules)
		rules = PUT_LIST(d->arena, role, "rules", (struct span){ 0 });
	for (size_t i = 0; i < from->u.list.n; i++)
		if (keep_kinds(d, from->u.list.at[i]))
			object_add(d->arena, rules, from->u.list.at[i]);
}

static void add_rules_file(struct deploying *d, struct object *role, const char *file)
{
	join_rules(d, role, object_get(read_manifest(d, file), STR("rules")));
}

/* Adds the rules for the objects that the controller manages. */
static void add_managed_rules(struct deploying *d, struct object *role)
{
	struct str gang = option_value(d->session->options, OPTION_GANG);
	const struct custom_kind *k;

	add_rules_file(d, role, "rules-runs");
	if (d->control->operators)
		add_rules_file(d, role, "rules-kinds");
	for (size_t at = 0; (k = kinds_next(d->control, &at));) {
		struct str file = str_cat(d->arena, STR("rules-"), str_lower(d->arena, str_of(k->kind)), STR(""));
		if (!k->status_key && manifest_file_exists(file.p))
			add_rules_file(d, role, file.p);
	}
	if (d->control->ancestors)
		add_rules_file(d, role, "rules-ancestors");
	if (gang.n && !str_is(gang, "none"))
		add_rules_file(d, role, str_cat(d->arena, STR("rules-"), gang, STR("")).p);
}

/* Writes a file of permissions in one namespace: that of the controller's jobs or, without one, of its Lease. */
static void put_local(struct deploying *d, struct object *o)
{
	if (d->ns.n)
		set_text(d, object_get(o, STR("metadata")), "namespace", d->ns);
	manifest_put_object(&d->to, o);
}

/*
 * Writes the roles and their bindings. A controller of all namespaces gets permissions for all of them, except that the
 * role for the Lease is limited to the controller's namespace. A controller of one namespace gets all permissions
 * there.
 */
static void put_permissions(struct deploying *d)
{
	struct object *role, *local = read_manifest(d, "role-local");

	if (d->ns.n) {
		add_managed_rules(d, local);
	} else {
		role = read_manifest(d, "role");
		add_managed_rules(d, role);
		if (d->control->selector.n)
			add_rules_file(d, role, "rules-namespaces");
		manifest_put_object(&d->to, role);
		put_manifest(d, "binding");
	}
	add_rules_file(d, local, "rules-lease");
	put_local(d, local);
	put_local(d, read_manifest(d, "binding-local"));
}

/* Writes the roles of users, which Kubernetes adds to its own. */
static void put_users(struct deploying *d)
{
	static const char *const files[] = { "users-admin", "users-edit", "users-view" };
	size_t at = 0;

	if (!kinds_next(d->control, &at))
		return;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct object *role = read_manifest(d, files[i]), *rules = object_get(role, STR("rules"));
		object_put(d->arena, role, STR("rules"), object_list(d->arena, (struct span){ 0 }));
		join_rules(d, role, rules);
		manifest_put_object(&d->to, role);
	}
}

/* ---- the workload ---- */

struct argument_list {
	struct deploying *deploying;
	struct object *list;
};

static void add_argument(void *to, struct str text)
{
	struct argument_list *a = to;

	object_add(a->deploying->arena, a->list, new_text(a->deploying, text));
}

static void add_arguments(struct deploying *d, struct object *list)
{
	struct argument_list to = { d, list };

	deploy_options_carry(d->session, add_argument, &to);
	add_argument(&to, str_printf(d->arena, "--listen=:%u", d->options.listen));
	add_argument(&to, str_printf(d->arena, "--probes=:%u", d->options.probes));
	add_argument(&to, str_cat(d->arena, STR("--lease="), d->options.lease, STR("")));
	if (d->ns.n)
		add_argument(&to, str_cat(d->arena, STR("--namespace="), d->ns, STR("")));
	if (d->control->shard.total > 1) {
		add_argument(&to, str_printf(d->arena, "--total-shards=%u", d->control->shard.total));
		add_argument(&to, STR("--shard=$(POD_NAME)"));
	}
}

static void fill_container(struct deploying *d, struct object *container)
{
	struct object *ports = object_get(container, STR("ports"));

	set_text(d, container, "image", d->options.image);
	if (option_given(d->session->options, OPTION_MEMORY))
		set_text(d, manifest_path(container, "resources.limits"), "memory",
			option_value(d->session->options, OPTION_MEMORY));
	add_arguments(d, object_get(container, STR("args")));
	if (d->control->shard.total == 1)
		manifest_drop(container, STR("env"));
	set_number(d, ports->u.list.at[0], "containerPort", d->options.listen);
	set_number(d, ports->u.list.at[1], "containerPort", d->options.probes);
}

/* Writes a Deployment or, with shards, a StatefulSet. */
static void put_workload(struct deploying *d)
{
	struct object *o = read_manifest(d, "deployment"), *template = manifest_path(o, "spec.template");
	struct object *pod = object_get(template, STR("spec"));
	unsigned replicas = d->options.replicas;

	fill_container(d, object_get(pod, STR("containers"))->u.list.at[0]);
	if (d->options.priority.n)
		set_text(d, pod, "priorityClassName", d->options.priority);
	if (d->control->shard.total > 1) {
		o = read_manifest(d, "statefulset");
		object_append(d->arena, object_get(o, STR("spec")), STR("template"), template);
		replicas = d->control->shard.total;
	}
	set_number(d, object_get(o, STR("spec")), "replicas", replicas);
	manifest_put_object(&d->to, o);
}

/* ---- connections ---- */

static void put_service(struct deploying *d)
{
	struct object *o = read_manifest(d, "service");

	set_number(d, manifest_path(o, "spec.ports")->u.list.at[0], "port", d->options.listen);
	manifest_put_object(&d->to, o);
	if (d->options.monitor)
		put_manifest(d, d->options.monitor);
}

/* Writes the policy with a copy of its one peer for each namespace of --metrics-from. */
static void put_network_policy(struct deploying *d)
{
	struct object *o = read_manifest(d, "networkpolicy"), *peers = object_list(d->arena, (struct span){ 0 });

	for (size_t i = 0; i < d->options.nmetrics_from; i++) {
		struct object *copy = manifest_path(read_manifest(d, "networkpolicy"), "spec.ingress");
		struct object *peer = object_get(copy->u.list.at[0], STR("from"))->u.list.at[0];
		set_text(d, manifest_path(peer, "namespaceSelector.matchLabels"), "kubernetes.io/metadata.name",
			d->options.metrics_from[i]);
		object_add(d->arena, peers, peer);
	}
	if (peers->u.list.n)
		object_put(d->arena, manifest_path(o, "spec.ingress")->u.list.at[0], STR("from"), peers);
	manifest_put_object(&d->to, o);
}

int deploy_write(const struct controller *c)
{
	struct deploying d = { .control = c, .session = c->session, .arena = c->session->arena, .ns = c->ns };
	const struct custom_kind *k;

	if (!deploy_options_read(c->session, &d.options))
		return STATUS_USAGE;
	manifest_begin(&d.to, c->session);
	for (size_t at = 0; (k = kinds_next(c, &at));)
		put_definition(&d, k);
	put_manifest(&d, "namespace");
	put_manifest(&d, "account");
	put_permissions(&d);
	put_users(&d);
	put_workload(&d);
	put_manifest(&d, "disruptionbudget");
	put_service(&d);
	put_network_policy(&d);
	if (!d.ns.n) {                  /* an installation for one namespace has no say about the others */
		put_manifest(&d, "records-policy");
		put_manifest(&d, "records-policy-binding");
	}
	manifest_end(&d.to);
	return STATUS_DONE;
}
