/*
 * api_pod.c - rules of the API server about pods, their containers and volumes.
 */
#include "verify/api_rules.h"

#include "base/quantity.h"
#include "kube/limits.h"

static const struct data *list_of(const struct data *map, const char *key)
{
	const struct data *d = map ? data_get(map, str_of(key)) : NULL;
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

/* What containers of the pod may name; read once, however many they are. */
static void pod_names(struct api_check *k)
{
	if (k->named_of == k->pod)
		return;
	k->named_of = k->pod;
	k->volumes = names_in(k, list_of(k->pod, "volumes"));
	k->claims = names_in(k, list_of(k->pod, "resourceClaims"));
}

static bool is_true(const struct data *map, const char *key)
{
	const struct data *d = data_get(map, str_of(key));
	return d && d->kind == DATA_BOOL && d->u.boolean;
}

void api_pod_spec(struct api_check *k, const struct data *d)
{
	const struct data *selector = data_get(d, STR("nodeSelector"));
	const char *why;

	if (str_is(api_text(d, "dnsPolicy"), "None") && !api_has(data_get(d, STR("dnsConfig")) ? data_get(d, STR("dnsConfig")) : d, "nameservers"))
		api_missing(k, data_get(d, STR("dnsPolicy")), "add dnsConfig { nameservers = [\"10.0.0.10\"] }", "dnsPolicy 'None' needs 'dnsConfig' with 'nameservers'");
	for (size_t i = 0; selector && selector->kind == DATA_MAP && i < selector->u.map.n; i++) {
		const struct data_member *m = &selector->u.map.at[i];
		if (m->value->kind == DATA_STRING && !kube_label_value(m->value->u.string, &why))
			api_refuse(k, m->value, "a label's value has up to 63 letters, digits, '-', '_' and '.'", "no node has the label '%.*s' = '%.*s'",
				STR_ARG(check_short(k->c->arena, m->key)), STR_ARG(check_short(k->c->arena, m->value->u.string)));
	}
}

static void mounts(struct api_check *k, const struct data *d)
{
	const struct data *list = list_of(d, "volumeMounts");

	for (size_t i = 0; list && k->pod && i < list->u.list.n; i++) {
		const struct data *m = list->u.list.at[i];
		struct str name = m->kind == DATA_MAP ? api_text(m, "name") : STR("");
		if (name.n && !map_get(&k->volumes, name))
			api_refuse(k, m, "declare it: raw pod { volumes = [{ name = ..., emptyDir = {} }] }", "the pod has no volume '%.*s'", STR_ARG(name));
	}
}

void api_container(struct api_check *k, const struct data *d)
{
	const struct data *lasting[] = { data_get(d, STR("livenessProbe")), data_get(d, STR("startupProbe")) };
	struct str name = api_text(d, "name");

	if (!api_text(d, "image").n)
		api_missing(k, d, "add 'image'", "container '%.*s' needs 'image'", STR_ARG(name));
	pod_names(k);
	mounts(k, d);
	for (int i = 0; i < 2; i++) {
		const struct data *n = lasting[i] && lasting[i]->kind == DATA_MAP ? data_get(lasting[i], STR("successThreshold")) : NULL;
		if (n && n->kind == DATA_INT && n->u.integer > 1)
			api_refuse(k, n, "remove it", "'successThreshold' of this probe is %lld, and must be 1", (long long)n->u.integer);
	}
	const struct data *resources = data_get(d, STR("resources")), *claims = list_of(resources, "claims");
	for (size_t i = 0; claims && k->pod && i < claims->u.list.n; i++) {
		struct str claim = claims->u.list.at[i]->kind == DATA_MAP ? api_text(claims->u.list.at[i], "name") : STR("");
		if (claim.n && !map_get(&k->claims, claim))
			api_refuse(k, claims->u.list.at[i],
				"declare it in the role: device_claims { NAME = \"TEMPLATE\" }, or raw pod { resourceClaims = [{ name = ..., resourceClaimName = ... }] }",
				"the pod has no resource claim '%.*s'", STR_ARG(claim));
	}
}

/* How many members of a map have a value, not counting the keys in NOT. */
static size_t chosen(const struct data *d, const char *const *not)
{
	size_t n = 0;
	for (size_t i = 0; i < d->u.map.n; i++) {
		bool counts = d->u.map.at[i].value->kind != DATA_NULL;
		for (size_t k = 0; not[k]; k++)
			counts = counts && !str_is(d->u.map.at[i].key, not[k]);
		n += counts;
	}
	return n;
}

void api_volume(struct api_check *k, const struct data *d)
{
	static const char *const not[] = { "name", NULL };
	size_t n = chosen(d, not);
	if (n != 1)
		api_refuse(k, d, "write one source, for example emptyDir = {}", n ? "volume '%.*s' has %zu sources" : "volume '%.*s' has no source%.0zu",
			STR_ARG(api_text(d, "name")), n);
}

static const char *const ways[] = { "httpGet", "tcpSocket", "exec", "grpc" };

static size_t handlers(const struct data *d)
{
	size_t n = 0;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		n += api_has(d, ways[i]);
	return n;
}

void api_probe(struct api_check *k, const struct data *d)
{
	if (handlers(d) != 1)
		api_refuse(k, d, "write one of httpGet, tcpSocket, exec and grpc", handlers(d) ? "a probe asks in one way, not in several" :
			"a probe needs a way to ask");
}

void api_handler(struct api_check *k, const struct data *d)
{
	if (handlers(d) + api_has(d, "sleep") != 1)
		api_refuse(k, d, "write one of exec, httpGet and sleep", "a handler does one thing");
}

void api_toleration(struct api_check *k, const struct data *d)
{
	struct str op = api_text(d, "operator");
	if (str_is(op, "Exists") && api_text(d, "value").n)
		api_refuse(k, data_get(d, STR("value")), "remove 'value', or write operator = \"Equal\"", "a toleration with operator 'Exists' has no value");
	if (!api_text(d, "key").n && !str_is(op, "Exists"))
		api_refuse(k, d, "write operator = \"Exists\", which tolerates every taint, or a key", "a toleration without a key needs operator 'Exists'");
	if (api_has(d, "tolerationSeconds") && !str_is(api_text(d, "effect"), "NoExecute"))
		api_refuse(k, data_get(d, STR("tolerationSeconds")), "write effect = \"NoExecute\", or remove it", "'tolerationSeconds' needs the effect 'NoExecute'");
}

/* Before 1.32 a name is an identifier with '-' and '.'; since then it is any printable text without '='. */
static bool env_name(struct str name, unsigned minor)
{
	for (size_t i = 0; i < name.n; i++) {
		unsigned char ch = (unsigned char)name.p[i];
		bool letter = (ch | 32) >= 'a' && (ch | 32) <= 'z', digit = ch >= '0' && ch <= '9';
		if (minor >= 32 ? ch < 0x20 || ch > 0x7e || ch == '=' : !letter && ch != '_' && ch != '-' && ch != '.' && !(digit && i))
			return false;
	}
	return name.n > 0;
}

void api_env_var(struct api_check *k, const struct data *d)
{
	const struct data *name = data_get(d, STR("name"));
	if (name && name->kind == DATA_STRING && !env_name(name->u.string, k->c->plan->kubernetes))
		api_refuse(k, name, "use letters, digits and '_'", "a variable cannot be named '%.*s'", STR_ARG(check_short(k->c->arena, name->u.string)));
	if (api_text(d, "value").n && api_has(d, "valueFrom"))
		api_refuse(k, d, "remove one of the two", "variable '%.*s' has both 'value' and 'valueFrom'", STR_ARG(api_text(d, "name")));
}

static bool field_known(struct str path)
{
	static const char *const paths[] = {
		"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs",
		"status.podIP", "status.podIPs", "metadata.labels", "metadata.annotations", NULL
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
	if (chosen(d, not) != 1)
		api_refuse(k, d, "write one of fieldRef, resourceFieldRef, configMapKeyRef and secretKeyRef", "'valueFrom' has one source");
	if (path && path->kind == DATA_STRING && !field_known(path->u.string))
		api_refuse(k, path, "the paths are metadata.name, metadata.namespace, metadata.uid, metadata.labels['KEY'], metadata.annotations['KEY'], "
			"spec.nodeName, spec.serviceAccountName, status.hostIP, status.hostIPs, status.podIP and status.podIPs",
			"a variable cannot have the field '%.*s' of the pod", STR_ARG(check_short(k->c->arena, path->u.string)));
}

void api_security(struct api_check *k, const struct data *d)
{
	const struct data *escalation = data_get(d, STR("allowPrivilegeEscalation"));
	if (is_true(d, "privileged") && escalation && escalation->kind == DATA_BOOL && !escalation->u.boolean)
		api_refuse(k, escalation, "remove one of the two", "'allowPrivilegeEscalation' cannot be false for a privileged container");
}

/* Resources of device plugins are counted in whole numbers. */
static bool is_extended(struct str name)
{
	const char *slash = memchr(name.p, '/', name.n);
	struct str domain = { name.p, slash ? (size_t)(slash - name.p) : 0 };
	return domain.n && !str_ends(domain, STR("kubernetes.io"));
}

/* Resources that Kubernetes itself counts have no domain; those of device plugins have one. */
static bool is_resource(struct str name)
{
	return memchr(name.p, '/', name.n) || str_is(name, "cpu") || str_is(name, "memory") || str_is(name, "ephemeral-storage") ||
	       str_starts(name, STR("hugepages-"));
}

/* Huge pages come whole. */
static bool in_pages(struct str name, struct quantity q)
{
	const struct str prefix = STR("hugepages-");
	struct quantity page;

	if (!str_starts(name, prefix))
		return true;
	struct str size = { name.p + prefix.n, name.n - prefix.n };
	return quantity_parse_full(size, &page) != QUANTITY_OK || page.nano <= 0 || q.nano % page.nano == 0;
}

static void amounts(struct api_check *k, const struct data *map)
{
	struct quantity q;

	for (size_t i = 0; map && map->kind == DATA_MAP && i < map->u.map.n; i++) {
		const struct data_member *m = &map->u.map.at[i];
		bool parsed = m->value->kind == DATA_STRING && quantity_parse_full(m->value->u.string, &q) == QUANTITY_OK;
		if (m->key.n && !is_resource(m->key))
			api_refuse(k, m->value, "write it as DOMAIN/NAME, such as \"example.com/gpu\"", "resource '%.*s' has no domain",
				STR_ARG(check_short(k->c->arena, m->key)));
		if (is_extended(m->key) && parsed && q.nano % QUANTITY_UNIT)
			api_refuse(k, m->value, "write a whole number", "'%.*s' is counted in whole numbers, and this is %.*s",
				STR_ARG(check_short(k->c->arena, m->key)), STR_ARG(m->value->u.string));
		if (parsed && !in_pages(m->key, q))
			api_refuse(k, m->value, "write a multiple of the size of a page", "'%.*s' is not made of whole pages of '%.*s'",
				STR_ARG(m->value->u.string), STR_ARG(check_short(k->c->arena, m->key)));
		if (parsed && q.nano < 0)
			api_refuse(k, m->value, "write 0 or more", "'%.*s' is negative", STR_ARG(check_short(k->c->arena, m->key)));
	}
}

static bool asks_for(const struct data *map, const char *prefix)
{
	for (size_t i = 0; map && map->kind == DATA_MAP && i < map->u.map.n; i++)
		if (str_starts(map->u.map.at[i].key, str_of(prefix)))
			return true;
	return false;
}

void api_resources(struct api_check *k, const struct data *d)
{
	const struct data *limits = data_get(d, STR("limits")), *requests = data_get(d, STR("requests"));
	bool huge = asks_for(limits, "hugepages-") || asks_for(requests, "hugepages-");
	bool usual = asks_for(limits, "cpu") || asks_for(requests, "cpu") || asks_for(limits, "memory") || asks_for(requests, "memory");

	amounts(k, limits);
	amounts(k, requests);
	if (huge && !usual)
		api_refuse(k, limits ? limits : requests, "set cpu or memory of the container", "huge pages need cpu or memory beside them");
}
