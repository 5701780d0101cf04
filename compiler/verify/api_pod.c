/*
 * api_pod.c - rules of the API server about pods, their containers and volumes.
 */
#include "verify/api_rules.h"

#include "base/quantity.h"
#include "kube/limits.h"

static const struct data *member_list(const struct data *map, const char *key)
{
	const struct data *d = map && map->kind == DATA_MAP ? data_get(map, str_of(key)) : NULL;
	return d && d->kind == DATA_LIST ? d : NULL;
}

static struct map names_in(struct api_check *k, const struct data *list)
{
	struct map names = { 0 };
	for (size_t i = 0; list && i < list->u.list.n; i++)
		if (list->u.list.at[i]->kind == DATA_MAP)
			map_put_const(&names, k->c->arena, api_text(list->u.list.at[i], "name"), list);
	return names;
}

/* Adds the volumes that a StatefulSet gives its pods, one for each template of a claim. */
static void claimed_names(struct api_check *k)
{
	const struct data *list = k->templates && k->templates->kind == DATA_LIST ? k->templates : NULL;
	for (size_t i = 0; list && i < list->u.list.n; i++) {
		const struct data *meta = list->u.list.at[i]->kind == DATA_MAP ? data_get(list->u.list.at[i],
			STR("metadata")) : NULL;
		if (meta && meta->kind == DATA_MAP)
			map_put_const(&k->volumes, k->c->arena, api_text(meta, "name"), meta);
	}
}

/* Collects the names of a pod's volumes and claims, to which its containers may refer; this is done once per pod. */
static void pod_names(struct api_check *k)
{
	if (k->named_of == k->pod)
		return;
	k->named_of = k->pod;
	k->volumes = names_in(k, member_list(k->pod, "volumes"));
	claimed_names(k);
	k->claims = names_in(k, member_list(k->pod, "resourceClaims"));
}

static bool is_true(const struct data *map, const char *key)
{
	const struct data *d = data_get(map, str_of(key));
	return d && d->kind == DATA_BOOL && d->u.boolean;
}

/* Reports names that occur twice. All containers of a pod share one set of names; volumes have another one. */
static void names_once(struct api_check *k, const struct data *d, const char *const *lists, const char *what)
{
	struct map seen = { 0 };

	for (size_t l = 0; lists[l]; l++) {
		const struct data *list = member_list(d, lists[l]);
		for (size_t i = 0; list && i < list->u.list.n; i++) {
			const struct data *one = list->u.list.at[i];
			struct str name = one->kind == DATA_MAP ? api_text(one, "name") : STR("");
			if (name.n && map_get(&seen, name))
				api_refuse(k, one, "give one of them another name",
					"the pod has two %s named '%.*s'", what,
					STR_ARG(check_short(k->c->arena, name)));
			map_put_const(&seen, k->c->arena, name, one);
		}
	}
}

/* Checks init containers. One that ends before the others start cannot have readiness probes. */
static void init_containers(struct api_check *k, const struct data *d)
{
	static const char *const lasting[] = { "readinessProbe", "livenessProbe", "startupProbe", "lifecycle", NULL };
	const struct data *list = member_list(d, "initContainers");

	for (size_t i = 0; list && i < list->u.list.n; i++)
		for (size_t f = 0; list->u.list.at[i]->kind == DATA_MAP && lasting[f]; f++)
			if (api_has(list->u.list.at[i], lasting[f]) && !str_is(api_text(list->u.list.at[i],
				"restartPolicy"), "Always"))
				api_refuse(k, data_get(list->u.list.at[i], str_of(lasting[f])),
					"remove it, or write restartPolicy = \"Always\", which makes the container a "
					"sidecar", "an init container has no '%s'", lasting[f]);
}

/*
 * A pod with users of its own cannot use namespaces of the node. From 1.35 on, a server may have the feature that
 * permits the network.
 */
static void user_namespace(struct api_check *k, const struct data *d)
{
	enum { NETWORK_POSSIBLE = 35 };
	static const char *const shared[] = { "hostPID", "hostIPC", "hostNetwork" };
	const struct data *users = data_get(d, STR("hostUsers"));
	size_t n = k->c->plan->kubernetes < NETWORK_POSSIBLE ? 3 : 2;

	for (size_t i = 0; users && users->kind == DATA_BOOL && !users->u.boolean && i < n; i++)
		if (is_true(d, shared[i]))
			api_refuse(k, users, "remove one of the two", "'hostUsers = false' excludes '%s'", shared[i]);
}

/* Pairs of fields of a pod that exclude each other. */
static void excluded(struct api_check *k, const struct data *d)
{
	const struct data *containers = member_list(d, "containers"),
		*servers = member_list(data_get(d, STR("dnsConfig")), "nameservers");

	user_namespace(k, d);
	if (is_true(d, "hostPID") && is_true(d, "shareProcessNamespace"))
		api_refuse(k, data_get(d, STR("shareProcessNamespace")), "remove one of the two",
			"'hostPID' and 'shareProcessNamespace' exclude each other");
	if (servers && servers->u.list.n > 3)
		api_refuse(k, servers, "write at most 3", "'nameservers' has %zu addresses", servers->u.list.n);
	for (size_t i = 0; is_true(d, "hostNetwork") && containers && i < containers->u.list.n; i++) {
		const struct data *ports = member_list(containers->u.list.at[i], "ports");
		for (size_t p = 0; ports && p < ports->u.list.n; p++) {
			const struct data *inner = data_get(ports->u.list.at[p], STR("containerPort")),
				*outer = data_get(ports->u.list.at[p], STR("hostPort"));
			if (inner && outer && inner->kind == DATA_INT && outer->kind == DATA_INT &&
				outer->u.integer && inner->u.integer != outer->u.integer)
				api_refuse(k, outer, "remove it: the container has the ports of the node",
					"on the network of the node, port %lld of the container cannot be %lld of it",
					(long long)inner->u.integer, (long long)outer->u.integer);
		}
	}
}

void api_pod_spec(struct api_check *k, const struct data *d)
{
	static const char *const containers[] = { "initContainers", "containers", "ephemeralContainers", NULL },
		*const volumes[] = { "volumes", NULL };

	const struct data *selector = data_get(d, STR("nodeSelector"));
	const char *why;

	if (!member_list(d, "containers") || !member_list(d, "containers")->u.list.n)
		api_missing(k, d, "add containers = [{ name = \"main\", image = \"IMAGE\" }]",
			"a pod needs a container");
	names_once(k, d, containers, "containers");
	names_once(k, d, volumes, "volumes");
	init_containers(k, d);
	excluded(k, d);
	if (str_is(api_text(d, "dnsPolicy"), "None") &&
		!api_has(data_get(d, STR("dnsConfig")) ? data_get(d, STR("dnsConfig")) : d, "nameservers"))
		api_missing(k, data_get(d, STR("dnsPolicy")), "add dnsConfig { nameservers = [\"10.0.0.10\"] }",
			"dnsPolicy 'None' needs 'dnsConfig' with 'nameservers'");
	for (size_t i = 0; selector && selector->kind == DATA_MAP && i < selector->u.map.n; i++) {
		const struct data_member *m = &selector->u.map.at[i];
		if (m->key.n && !kube_label_key(m->key, &why))
			api_refuse(k, m->value, "write the key of a label, such as example.com/pool",
				"no node has a label '%.*s'",
				STR_ARG(check_short(k->c->arena, m->key)));
		if (m->value->kind == DATA_STRING && !kube_label_value(m->value->u.string, &why))
			api_refuse(k, m->value, "a label's value has up to 63 letters, digits, '-', '_' and '.'",
				"no node has the label '%.*s' = '%.*s'",
				STR_ARG(check_short(k->c->arena, m->key)),
				STR_ARG(check_short(k->c->arena, m->value->u.string)));
	}
}

static void mounts(struct api_check *k, const struct data *d, const char *field, const char *path)
{
	const struct data *list = member_list(d, field);
	struct map seen = { 0 };

	for (size_t i = 0; list && k->pod && i < list->u.list.n; i++) {
		const struct data *m = list->u.list.at[i];
		struct str name = m->kind == DATA_MAP ? api_text(m, "name") : STR("");
		struct str at = m->kind == DATA_MAP ? api_text(m, path) : STR("");
		if (at.n && map_get(&seen, at))
			api_refuse(k, m, "remove one of them", "two volumes are mounted at '%.*s'",
				STR_ARG(check_short(k->c->arena, at)));
		if (at.n)
			map_put_const(&seen, k->c->arena, at, m);
		if (name.n && !map_get(&k->volumes, name))
			api_refuse(k, m, "declare it: raw pod { volumes = [{ name = ..., emptyDir = {} }] }",
				"the pod has no volume '%.*s'", STR_ARG(name));
	}
}

static void ports_once(struct api_check *k, const struct data *d)
{
	const struct data *list = member_list(d, "ports");
	struct map seen = { 0 };

	for (size_t i = 0; list && i < list->u.list.n; i++) {
		struct str name = list->u.list.at[i]->kind == DATA_MAP ? api_text(list->u.list.at[i], "name") : STR("");
		if (name.n && map_get(&seen, name))
			api_refuse(k, list->u.list.at[i], "give one of them another name",
				"the container has two ports named '%.*s'", STR_ARG(name));
		if (name.n)
			map_put_const(&seen, k->c->arena, name, list);
	}
}

void api_container(struct api_check *k, const struct data *d)
{
	const struct data *lasting[] = { data_get(d, STR("livenessProbe")), data_get(d, STR("startupProbe")) };
	const struct data *ready = data_get(d, STR("readinessProbe"));
	struct str name = api_text(d, "name");

	if (!api_text(d, "image").n)
		api_missing(k, d, "add 'image'", "container '%.*s' needs 'image'", STR_ARG(name));
	pod_names(k);
	mounts(k, d, "volumeMounts", "mountPath");
	mounts(k, d, "volumeDevices", "devicePath");
	ports_once(k, d);
	if (ready && ready->kind == DATA_MAP && api_has(ready, "terminationGracePeriodSeconds"))
		api_refuse(k, data_get(ready, STR("terminationGracePeriodSeconds")),
			"remove it: the kubelet does not stop a container that is not ready",
			"a readiness probe has no 'terminationGracePeriodSeconds'");
	for (int i = 0; i < 2; i++) {
		const struct data *n = lasting[i] && lasting[i]->kind == DATA_MAP ?
			data_get(lasting[i], STR("successThreshold")) : NULL;
		if (n && n->kind == DATA_INT && n->u.integer > 1)
			api_refuse(k, n, "remove it", "'successThreshold' of this probe is %lld, and must be 1",
				(long long)n->u.integer);
	}
	const struct data *resources = data_get(d, STR("resources")), *claims = member_list(resources, "claims");
	for (size_t i = 0; claims && k->pod && i < claims->u.list.n; i++) {
		struct str claim = claims->u.list.at[i]->kind == DATA_MAP ? api_text(claims->u.list.at[i], "name") :
			STR("");
		if (claim.n && !map_get(&k->claims, claim))
			api_refuse(k, claims->u.list.at[i],
				"declare it in the role: device_claims { NAME = \"TEMPLATE\" }, or raw pod { "
				"resourceClaims = [{ name = ..., resourceClaimName = ... }] }",
				"the pod has no resource claim '%.*s'", STR_ARG(claim));
	}
}

static const char *const ways[] = { "httpGet", "tcpSocket", "exec", "grpc" };

static size_t handlers(const struct data *d)
{
	size_t n = 0;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		n += api_has(d, ways[i]);
	return n;
}

void api_exec(struct api_check *k, const struct data *d)
{
	const struct data *command = member_list(d, "command");
	if (!command || !command->u.list.n)
		api_missing(k, d, "add command = [\"PROGRAM\"]", "'exec' needs 'command'");
}

/* Checks a seccomp or AppArmor profile. */
void api_profile(struct api_check *k, const struct data *d)
{
	bool local = str_is(api_text(d, "type"), "Localhost");
	if (local && !api_text(d, "localhostProfile").n)
		api_missing(k, d, "add 'localhostProfile'",
			"a profile of the type 'Localhost' needs 'localhostProfile'");
	if (!local && api_has(d, "localhostProfile"))
		api_refuse(k, data_get(d, STR("localhostProfile")), "write type = \"Localhost\", or remove it",
			"'localhostProfile' needs the type 'Localhost'");
}

void api_pod_claim(struct api_check *k, const struct data *d)
{
	if (api_has(d, "resourceClaimName") + api_has(d, "resourceClaimTemplateName") != 1)
		api_refuse(k, d, "write one of resourceClaimName and resourceClaimTemplateName",
			"a resource claim of a pod has one source");
}

void api_env_from(struct api_check *k, const struct data *d)
{
	if (api_has(d, "configMapRef") + api_has(d, "secretRef") != 1)
		api_refuse(k, d, "write one of configMapRef and secretRef", "an entry of 'envFrom' has one source");
}

/* Checks a variable whose value is an amount of the container's resources. */
void api_amount_ref(struct api_check *k, const struct data *d)
{
	static const char *const names[] = { "cpu", "memory", "ephemeral-storage", NULL };
	struct str resource = api_text(d, "resource"), rest = resource;

	if (str_starts(rest, STR("limits.")))
		rest = (struct str){ rest.p + 7, rest.n - 7 };
	else if (str_starts(rest, STR("requests.")))
		rest = (struct str){ rest.p + 9, rest.n - 9 };
	for (size_t i = 0; names[i]; i++)
		if (rest.n != resource.n && (str_is(rest, names[i]) || str_starts(rest, STR("hugepages-"))))
			return;
	if (resource.n)
		api_refuse(k, data_get(d, STR("resource")),
			"write limits or requests, a point and cpu, memory or ephemeral-storage",
			"'resource' cannot be '%.*s'", STR_ARG(check_short(k->c->arena, resource)));
}

void api_probe(struct api_check *k, const struct data *d)
{
	if (handlers(d) != 1)
		api_refuse(k, d, "write one of httpGet, tcpSocket, exec and grpc",
			handlers(d) ? "a probe has one kind of check, not several" :
			"a probe needs a check");
}

void api_handler(struct api_check *k, const struct data *d)
{
	if (handlers(d) + api_has(d, "sleep") != 1)
		api_refuse(k, d, "write one of exec, httpGet and sleep", "a handler does one thing");
}

void api_sleep(struct api_check *k, const struct data *d)
{
	const struct data *seconds = data_get(d, STR("seconds")),
		*grace = k->pod ? data_get(k->pod, STR("terminationGracePeriodSeconds")) : NULL;
	int64_t most = grace && grace->kind == DATA_INT ? grace->u.integer : 30;

	if (seconds && seconds->kind == DATA_INT && (seconds->u.integer < 0 || seconds->u.integer > most))
		api_refuse(k, seconds, "sleep for less time, or give the pod more: 'grace', or "
			"terminationGracePeriodSeconds of a pod in an object",
			"'sleep' takes %lld s, and the pod has %lld s to end", (long long)seconds->u.integer,
			(long long)most);
}

void api_toleration(struct api_check *k, const struct data *d)
{
	struct str op = api_text(d, "operator");
	if (str_is(op, "Exists") && api_text(d, "value").n)
		api_refuse(k, data_get(d, STR("value")), "remove 'value', or write operator = \"Equal\"",
			"a toleration with operator 'Exists' has no value");
	if (!api_text(d, "key").n && !str_is(op, "Exists"))
		api_refuse(k, d, "write operator = \"Exists\", which tolerates every taint, or a key",
			"a toleration without a key needs operator 'Exists'");
	if (api_has(d, "tolerationSeconds") && !str_is(api_text(d, "effect"), "NoExecute"))
		api_refuse(k, data_get(d, STR("tolerationSeconds")), "write effect = \"NoExecute\", or remove it",
			"'tolerationSeconds' needs the effect 'NoExecute'");
}

/*
 * Is it a valid name of a variable? Before 1.32 a name consists of letters, digits, '_', '-' and '.'; since then any
 * printable text without '=' is valid.
 */
static bool env_name(struct str name, unsigned minor)
{
	for (size_t i = 0; i < name.n; i++) {
		unsigned char ch = (unsigned char)name.p[i];
		bool letter = (ch | 32) >= 'a' && (ch | 32) <= 'z', digit = ch >= '0' && ch <= '9';
		if (minor >= 32 ? ch < 0x20 || ch > 0x7e || ch == '=' :
			!letter && ch != '_' && ch != '-' && ch != '.' && !(digit && i))
			return false;
	}
	return name.n > 0;
}

void api_env_var(struct api_check *k, const struct data *d)
{
	const struct data *name = data_get(d, STR("name"));
	if (name && name->kind == DATA_STRING && !env_name(name->u.string, k->c->plan->kubernetes))
		api_refuse(k, name, "use letters, digits and '_'", "a variable cannot be named '%.*s'",
			STR_ARG(check_short(k->c->arena, name->u.string)));
	if (api_text(d, "value").n && api_has(d, "valueFrom"))
		api_refuse(k, d, "remove one of the two", "variable '%.*s' has both 'value' and 'valueFrom'",
			STR_ARG(api_text(d, "name")));
}

static bool field_known(struct str path)
{
	static const char *const paths[] = {
		"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
		"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs", "metadata.labels",
		"metadata.annotations", NULL
	};
	if (str_starts(path, STR("metadata.labels['")) || str_starts(path, STR("metadata.annotations['")))
		return str_ends(path, STR("']"));
	for (size_t i = 0; paths[i]; i++)
		if (str_is(path, paths[i]))
			return i < 9;
	return false;
}

void api_env_source(struct api_check *k, const struct data *d)
{
	static const char *const not[] = { NULL };
	const struct data *ref = data_get(d, STR("fieldRef"));
	const struct data *path = ref && ref->kind == DATA_MAP ? data_get(ref, STR("fieldPath")) : NULL;
	if (api_chosen(d, not) != 1)
		api_refuse(k, d, "write one of fieldRef, resourceFieldRef, configMapKeyRef and secretKeyRef",
			"'valueFrom' has one source");
	if (path && path->kind == DATA_STRING && !field_known(path->u.string))
		api_refuse(k, path, "the paths are metadata.name, metadata.namespace, metadata.uid, "
			"metadata.labels['KEY'], metadata.annotations['KEY'], "
			"spec.nodeName, spec.serviceAccountName, status.hostIP, status.hostIPs, status.podIP and "
				"status.podIPs",
			"a variable cannot have the field '%.*s' of the pod",
			STR_ARG(check_short(k->c->arena, path->u.string)));
}

void api_security(struct api_check *k, const struct data *d)
{
	const struct data *escalation = data_get(d, STR("allowPrivilegeEscalation"));

	if (!is_true(d, "privileged") || !escalation || escalation->kind != DATA_BOOL || escalation->u.boolean)
		return;
	struct diag *g = diag_report(k->c->diags, TJ0904, api_place(k, escalation),
		"a privileged container always may gain privileges, so this cannot be false");
	diag_note(k->c->diags, g, data_get(d, STR("privileged"))->from, "the container is privileged here");
	diag_help(k->c->diags, g, "remove one of the two");
}

/*
 * Is it a valid name of a resource? Names of Kubernetes' own resources have no domain; those of device plugins have
 * one.
 */
static bool is_resource(struct str name)
{
	return memchr(name.p, '/', name.n) || str_is(name, "cpu") || str_is(name, "memory") ||
		str_is(name, "ephemeral-storage") ||
	       str_starts(name, STR("hugepages-"));
}

/* Is the amount of huge pages a whole number of pages? */
static bool in_pages(struct str name, struct quantity q)
{
	const struct str prefix = STR("hugepages-");
	struct quantity page;

	if (!str_starts(name, prefix))
		return true;
	struct str size = { name.p + prefix.n, name.n - prefix.n };
	return quantity_parse_full(size, &page) != QUANTITY_OK || page.nano <= 0 || q.nano % page.nano == 0;
}

/* Reads the amount in D, which is a number or a text. */
static bool quantity_in(const struct data *d, struct quantity *ret)
{
	if (d && d->kind == DATA_INT)
		*ret = (struct quantity){ .nano = (int128)d->u.integer * QUANTITY_UNIT };
	return d && (d->kind == DATA_INT || (d->kind == DATA_STRING && quantity_parse_full(d->u.string,
		ret) == QUANTITY_OK));
}

static struct str quantity_shown(struct api_check *k, const struct data *d, struct quantity q)
{
	return d->kind == DATA_STRING ? d->u.string : quantity_text(k->c->arena, q);
}

static void amounts(struct api_check *k, const struct data *map)
{
	struct quantity q;

	for (size_t i = 0; map && map->kind == DATA_MAP && i < map->u.map.n; i++) {
		const struct data_member *m = &map->u.map.at[i];
		bool parsed = quantity_in(m->value, &q);
		if (m->key.n && !is_resource(m->key))
			api_refuse(k, m->value, "write it as DOMAIN/NAME, such as \"example.com/gpu\"",
				"resource '%.*s' has no domain",
				STR_ARG(check_short(k->c->arena, m->key)));
		if (kube_device_resource(m->key) && parsed && q.nano % QUANTITY_UNIT)
			api_refuse(k, m->value, "write a whole number",
				"'%.*s' is counted in whole numbers, and this is %.*s",
				STR_ARG(check_short(k->c->arena, m->key)), STR_ARG(quantity_shown(k, m->value, q)));
		if (parsed && !in_pages(m->key, q))
			api_refuse(k, m->value, "write a multiple of the size of a page",
				"'%.*s' is not made of whole pages of '%.*s'",
				STR_ARG(quantity_shown(k, m->value, q)), STR_ARG(check_short(k->c->arena, m->key)));
		if (parsed && q.nano < 0)
			api_refuse(k, m->value, "write 0 or more", "'%.*s' is negative",
				STR_ARG(check_short(k->c->arena, m->key)));
	}
}

static bool requests_resource(const struct data *map, const char *prefix)
{
	for (size_t i = 0; map && map->kind == DATA_MAP && i < map->u.map.n; i++)
		if (str_starts(map->u.map.at[i].key, str_of(prefix)))
			return true;
	return false;
}

static void request_above_limit(struct api_check *k, const struct data *limits, const struct data *requests)
{
	struct quantity limit, request;

	for (size_t i = 0; limits && limits->kind == DATA_MAP && requests && requests->kind == DATA_MAP &&
		i < requests->u.map.n; i++) {
		struct str name = requests->u.map.at[i].key;
		const struct data *r = requests->u.map.at[i].value, *l = data_get(limits, name);
		if (!quantity_in(l, &limit) || !quantity_in(r, &request) || request.nano == limit.nano)
			continue;
		if (request.nano > limit.nano || kube_device_resource(name) || str_starts(name, STR("hugepages-")))
			api_refuse(k, r, request.nano > limit.nano ?
				"raise the limit, or request less" : "write the same number",
				request.nano > limit.nano ? "the request of '%.*s' is %.*s, above its limit of %.*s" :
				"the request of '%.*s' is %.*s, and its limit %.*s: they must be equal",
					STR_ARG(check_short(k->c->arena, name)),
				STR_ARG(quantity_shown(k, r, request)), STR_ARG(quantity_shown(k, l, limit)));
	}
}

void api_resources(struct api_check *k, const struct data *d)
{
	const struct data *limits = data_get(d, STR("limits")), *requests = data_get(d, STR("requests"));
	bool huge = requests_resource(limits, "hugepages-") || requests_resource(requests, "hugepages-");
	bool usual = requests_resource(limits, "cpu") || requests_resource(requests, "cpu") ||
		requests_resource(limits, "memory") || requests_resource(requests, "memory");

	amounts(k, limits);
	amounts(k, requests);
	request_above_limit(k, limits, requests);
	if (huge && !usual)
		api_refuse(k, limits ? limits : requests, "set cpu or memory of the container",
			"huge pages need cpu or memory beside them");
}
