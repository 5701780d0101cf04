/*
 * api_kinds.c - rules of the API server about other kinds of objects that pods need: access from outside, budgets,
 * sizes, and the data of ConfigMaps and Secrets.
 */
#include "verify/api_rules.h"

#include <stdio.h>

static int64_t whole_in(const struct data *d, const char *key, int64_t otherwise)
{
	const struct data *m = data_get(d, str_of(key));

	return m && m->kind == DATA_INT ? m->u.integer : otherwise;
}

void api_ingress_spec(struct api_check *k, const struct data *d)
{
	if (!api_has(d, "rules") && !api_has(d, "defaultBackend"))
		api_missing(k, d, "add rules = [{ http { paths = [...] } }]",
			"an Ingress needs 'rules' or 'defaultBackend'");
}

void api_ingress_path(struct api_check *k, const struct data *d)
{
	struct str path = api_text(d, "path");

	if (path.n && !str_starts(path, STR("/")))
		api_refuse(k, data_get(d, STR("path")), "write a path that begins with '/'", "'path' cannot be '%.*s'",
			STR_ARG(check_short(k->c->arena, path)));
}

void api_ingress_backend(struct api_check *k, const struct data *d)
{
	const struct data *service = api_member(d, "service"), *port = api_member(service, "port");

	if (api_has(d, "service") + api_has(d, "resource") != 1)
		api_refuse(k, d, "write service { name = \"NAME\", port { number = 80 } }",
			"a backend is either a 'service' or a 'resource'");
	else if (service && (!port || api_has(port, "name") + api_has(port, "number") != 1))
		api_missing(k, port ? port : service, "add port { number = 80 }",
			"the Service of a backend needs its port: a name or a number");
}

/* Checks a number or a percentage such as "50%". */
static void share(struct api_check *k, const struct data *d, const char *field)
{
	struct str s = api_text(d, field);
	bool good = s.n > 1 && s.p[s.n - 1] == '%';
	int value = 0;

	for (size_t i = 0; good && i + 1 < s.n; i++) {
		value = value * 10 + (s.p[i] - '0');
		good = s.p[i] >= '0' && s.p[i] <= '9' && value <= 100;
	}
	if (s.n && !good)
		api_refuse(k, data_get(d, str_of(field)), "write a number of pods, or a share in quotes: \"50%\"",
			"'%s' cannot be '%.*s'", field,
			STR_ARG(check_short(k->c->arena, s)));
}

void api_budget_spec(struct api_check *k, const struct data *d)
{
	share(k, d, "minAvailable");
	share(k, d, "maxUnavailable");
	if (api_has(d, "minAvailable") && api_has(d, "maxUnavailable"))
		api_refuse(k, data_get(d, STR("maxUnavailable")), "remove one of the two",
			"'minAvailable' and 'maxUnavailable' exclude each other");
}

void api_scaler_spec(struct api_check *k, const struct data *d)
{
	int64_t least = whole_in(d, "minReplicas", 1), most = whole_in(d, "maxReplicas", least);

	if (most < least)
		api_refuse(k, data_get(d, STR("maxReplicas")), "make it at least 'minReplicas'",
			"'maxReplicas' is %lld, and 'minReplicas' %lld",
			(long long)most, (long long)least);
}

void api_metric(struct api_check *k, const struct data *d)
{
	/* what `target` of each source needs: one of two members, or a single one */
	static const struct { const char *type, *source, *either, *or; bool both; } sources[] = {
		{ "Resource", "resource", "averageUtilization", "averageValue", false },
		{ "ContainerResource", "containerResource", "averageUtilization", "averageValue", false },
		{ "Pods", "pods", "averageValue", NULL, true },
		{ "Object", "object", "value", "averageValue", true },
		{ "External", "external", "value", "averageValue", false },
	};

	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		const char *either = sources[i].either, *or = sources[i].or;
		const struct data *source = api_member(d, sources[i].source), *target = api_member(source, "target");
		if (str_is(api_text(d, "type"), sources[i].type) && !source)
			api_missing(k, data_get(d, STR("type")), str_printf(k->c->arena, "add %s { ... }",
				sources[i].source).p, "a metric of the type %s needs '%s'", sources[i].type,
				sources[i].source);
		if (!target)
			continue;
		bool one = api_has(target, either), other = or && api_has(target, or);
		if (!one && !other)
			api_missing(k, target, str_printf(k->c->arena, "add %s", str_is(str_of(either),
				"averageUtilization") ? "averageUtilization = 80, in percent of the request" :
				str_is(str_of(either), "value") ? "value = 100" : "averageValue = 100").p,
				or ? "the target of '%s' needs '%s' or '%s'" : "the target of '%s' needs '%s'",
				sources[i].source, either, or ? or : "");
		else if (one && other && !sources[i].both)
			api_refuse(k, data_get(target, str_of(or)), "remove one of the two",
				"'%s' and '%s' exclude each other", either, or);
	}
}

void api_strategy(struct api_check *k, const struct data *d)
{
	if (str_is(api_text(d, "type"), "Recreate") && api_has(d, "rollingUpdate"))
		api_refuse(k, data_get(d, STR("rollingUpdate")), "remove it, or write type = \"RollingUpdate\"",
			"the strategy 'Recreate' has no 'rollingUpdate'");
}

/* Is the text standard base64 with its padding? Line ends are allowed. */
static bool base64(struct str s)
{
	size_t n = 0, padding = 0;

	for (size_t i = 0; i < s.n; i++) {
		char ch = s.p[i];
		bool digit = (ch >= 'A' && ch <= 'Z') || (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') ||
			ch == '+' || ch == '/';
		if (ch == '\n' || ch == '\r')
			continue;
		if (!digit && ch != '=')
			return false;
		if (digit && padding)
			return false;
		padding += ch == '=';
		n++;
	}
	return n % 4 == 0 && padding <= 2;
}

static void encoded(struct api_check *k, const struct data *map, const char *kind, const char *field, const char *plain)
{
	char help[64];

	snprintf(help, sizeof help, "write plain text under '%s'", plain);
	for (size_t i = 0; map && i < map->u.map.n; i++) {
		const struct data_member *m = &map->u.map.at[i];
		if (m->value->kind == DATA_STRING && !base64(m->value->u.string))
			api_refuse(k, m->value, help, "'%.*s' in '%s' of a %s is not base64",
				STR_ARG(check_short(k->c->arena, m->key)), field, kind);
	}
}

void api_config(struct api_check *k, const struct data *d)
{
	const struct data *text = api_member(d, "data"), *bytes = api_member(d, "binaryData");

	encoded(k, bytes, "ConfigMap", "binaryData", "data");
	for (size_t i = 0; text && bytes && i < bytes->u.map.n; i++)
		if (data_get(text, bytes->u.map.at[i].key))
			api_refuse(k, bytes->u.map.at[i].value, "remove one of the two",
				"the key '%.*s' is in 'data' and in 'binaryData'",
				STR_ARG(check_short(k->c->arena, bytes->u.map.at[i].key)));
}

/* The keys that Secrets of a type must have. */
static const struct { const char *type, *key; } secret_keys[] = {
	{ "kubernetes.io/tls", "tls.crt" }, { "kubernetes.io/tls", "tls.key" }, { "kubernetes.io/dockerconfigjson",
		".dockerconfigjson" },
	{ "kubernetes.io/dockercfg", ".dockercfg" }, { "kubernetes.io/ssh-auth", "ssh-privatekey" },
};

static bool secret_has(const struct data *d, const char *key)
{
	const struct data *data = api_member(d, "data"), *text = api_member(d, "stringData");

	return (data && data_get(data, str_of(key))) || (text && data_get(text, str_of(key)));
}

/* Decodes S, which is valid base64. */
static struct str decoded(struct arena *a, struct str s)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *out = arena_alloc(a, s.n + 1);
	uint32_t bits = 0;
	size_t n = 0, have = 0;

	for (size_t i = 0; i < s.n; i++) {
		const char *digit = s.p[i] ? strchr(digits, s.p[i]) : NULL;
		if (!digit)
			continue;               /* padding and line ends */
		bits = bits << 6 | (uint32_t)(digit - digits);
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[n++] = (char)(bits >> have & 255);
		}
	}
	return (struct str){ out, n };
}

/* Checks that the credentials of a registry are JSON. If a key is in both maps, its value in stringData counts. */
static void credentials(struct api_check *k, const struct data *d, const char *key)
{
	const struct data *data = api_member(d, "data"), *text = api_member(d, "stringData");
	const struct data *plain = text ? data_get(text, str_of(key)) : NULL,
		*bytes = data ? data_get(data, str_of(key)) : NULL, *value = plain ? plain : bytes;

	if (!value || value->kind != DATA_STRING || (!plain && !base64(value->u.string)))
		return;
	if (!api_is_json_object(plain ? value->u.string : decoded(k->c->arena, value->u.string)))
		api_refuse(k, value, "write what 'docker login' or 'kubectl create secret docker-registry' writes: "
			"{\"auths\":{\"registry.example.com\":{\"auth\":\"...\"}}}",
			"the key '%s' must hold a JSON object", key);
}

void api_secret(struct api_check *k, const struct data *d)
{
	const struct data *data = api_member(d, "data");
	struct str type = api_text(d, "type");

	encoded(k, data, "Secret", "data", "stringData");
	if (str_is(type, "kubernetes.io/dockerconfigjson"))
		credentials(k, d, ".dockerconfigjson");
	if (str_is(type, "kubernetes.io/dockercfg"))
		credentials(k, d, ".dockercfg");
	if (str_is(type, "kubernetes.io/basic-auth") && !secret_has(d, "username") && !secret_has(d, "password"))
		api_missing(k, d, "add one of them, or remove 'type'",
			"a Secret of the type 'kubernetes.io/basic-auth' needs the key 'username' or 'password'");
	for (size_t i = 0; i < sizeof secret_keys / sizeof *secret_keys; i++) {
		if (str_is(type, secret_keys[i].type) && !secret_has(d, secret_keys[i].key))
			api_missing(k, d, "add it, or remove 'type'", "a Secret of the type '%s' needs the key '%s'",
				secret_keys[i].type, secret_keys[i].key);
	}
}
