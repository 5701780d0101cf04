/*
 * api_object.c - rules of the API server about objects that a program adds itself.
 */
#include "verify/api_rules.h"

static const struct data *template_spec(const struct data *d) { return api_member(api_member(d, "template"), "spec"); }

/* Checks what only a Job with indexes has, and what such a Job needs. */
static void job_indexes(struct api_check *k, const struct data *d)
{
	static const char *const only[] = { "backoffLimitPerIndex", "maxFailedIndexes" };
	const bool indexed = str_is(api_text(d, "completionMode"), "Indexed");

	for (size_t i = 0; !indexed && i < sizeof only / sizeof *only; i++)
		if (api_has(d, only[i]))
			api_refuse(k, data_get(d, str_of(only[i])), "add completionMode = \"Indexed\", or remove it",
				"'%s' needs completionMode 'Indexed'", only[i]);
	if (indexed && !api_has(d, "completions") && api_has(d, "parallelism"))
		api_missing(k, data_get(d, STR("completionMode")), "add the number of indexes: completions = 4",
			"a Job with completionMode 'Indexed' and 'parallelism' needs 'completions'");
	if (indexed && api_has(d, "maxFailedIndexes") && !api_has(d, "backoffLimitPerIndex"))
		api_missing(k, data_get(d, STR("maxFailedIndexes")), "add backoffLimitPerIndex = 0",
			"'maxFailedIndexes' needs 'backoffLimitPerIndex'");
}

void api_job_spec(struct api_check *k, const struct data *d)
{
	const struct data *pod = template_spec(d);
	struct str policy = pod ? api_text(pod, "restartPolicy") : STR("");

	if (pod && !str_is(policy, "Never") && !str_is(policy, "OnFailure"))
		api_refuse(k, policy.n ? data_get(pod, STR("restartPolicy")) : pod, "write restartPolicy = \"Never\"",
			policy.n ? "the pods of a Job cannot have restartPolicy '%.*s'"
			: "the pods of a Job need a restartPolicy%.*s", STR_ARG(policy));
	job_indexes(k, d);
	if (api_has(d, "podFailurePolicy") && str_is(policy, "OnFailure"))
		api_refuse(k, data_get(pod, STR("restartPolicy")), "write restartPolicy = \"Never\"",
			"a Job with a podFailurePolicy cannot have restartPolicy 'OnFailure'");
}

void api_exit_codes(struct api_check *k, const struct data *d)
{
	const struct data *values = data_get(d, STR("values"));
	const bool in = str_is(api_text(d, "operator"), "In");
	int64_t last = 0;

	if (!values || values->kind != DATA_LIST)
		return;
	if (!values->u.list.n)
		api_missing(k, values, "write the exit codes, such as [42]", "'values' needs an exit code");
	if (values->u.list.n > 255)
		api_refuse(k, values, "write at most 255 exit codes", "'values' has %zu exit codes", values->u.list.n);
	for (size_t i = 0; i < values->u.list.n; i++) {
		const struct data *code = values->u.list.at[i];
		if (code->kind != DATA_INT)
			continue;
		if (in && !code->u.integer)
			api_refuse(k, code, "remove it: 0 is success",
				"with the operator In, 0 cannot be among the exit codes");
		else if (i && code->u.integer <= last)
			api_refuse(k, code, "write each code once, in ascending order",
				"the exit code %lld comes after %lld", (long long)code->u.integer, (long long)last);
		last = code->u.integer;
	}
}

/* In a Deployment or an object of a similar kind: does the selector match the pods of the template? */
void api_set_spec(struct api_check *k, const struct data *d)
{
	const struct data *wanted = api_member(api_member(d, "selector"), "matchLabels");
	const struct data *labels = api_member(api_member(api_member(d, "template"), "metadata"), "labels"),
		*pod = template_spec(d);
	struct str policy = pod ? api_text(pod, "restartPolicy") : STR("");

	k->templates = data_get(d, STR("volumeClaimTemplates"));
	if (api_member(d, "selector") && !api_has(api_member(d, "selector"), "matchExpressions") && !(wanted &&
		wanted->u.map.n))
		api_refuse(k, data_get(d, STR("selector")),
			"write selector { matchLabels { app = \"x\" } }, and give the template that label",
			"an empty selector selects nothing");
	for (size_t i = 0; wanted && api_member(d, "template") && i < wanted->u.map.n; i++) {
		const struct data_member *m = &wanted->u.map.at[i];
		const struct data *label = labels ? data_get(labels, m->key) : NULL;
		if (m->value->kind != DATA_STRING ||
		    (label && label->kind == DATA_STRING && str_eq(label->u.string, m->value->u.string)))
			continue;
		api_refuse(k, m->value, "give the template that label, or select another one",
			"the selector wants '%.*s' = '%.*s', which the template's labels lack",
			STR_ARG(check_short(k->c->arena, m->key)),
			STR_ARG(check_short(k->c->arena, m->value->u.string)));
	}
	if (policy.n && !str_is(policy, "Always"))
		api_refuse(k, data_get(pod, STR("restartPolicy")), "remove it, or use a Job",
			"these pods can only have restartPolicy 'Always', not '%.*s'", STR_ARG(policy));
}

void api_service_spec(struct api_check *k, const struct data *d)
{
	const struct data *ports = data_get(d, STR("ports"));
	bool none = !ports || ports->kind != DATA_LIST || !ports->u.list.n;
	struct str type = api_text(d, "type"), address = api_text(d, "clusterIP");
	bool headless = str_is(address, "None"), outside = str_is(type, "LoadBalancer") || str_is(type, "NodePort");

	if (none && !headless && !str_is(type, "ExternalName"))
		api_missing(k, d, "add ports = [{ port = 80 }], or clusterIP = \"None\"", "a Service needs 'ports'");
	if (headless && outside)
		api_refuse(k, data_get(d, STR("type")), "for users write the field 'service' of a role",
			"a headless Service cannot have the type '%.*s'", STR_ARG(type));
	if (address.n && !headless && !api_is_address(address))
		api_refuse(k, data_get(d, STR("clusterIP")),
			"write None, an IP address, or nothing for an address that the cluster chooses",
			"'clusterIP' cannot be '%.*s'", STR_ARG(check_short(k->c->arena, address)));
	if (str_is(type, "ExternalName") && !api_text(d, "externalName").n)
		api_missing(k, d, "add externalName = \"example.com\"",
			"a Service of the type 'ExternalName' needs 'externalName'");
	if (api_text(d, "externalTrafficPolicy").n && !outside)
		api_refuse(k, data_get(d, STR("externalTrafficPolicy")), "remove it, or write type = \"LoadBalancer\"",
			"'externalTrafficPolicy' is for Services of the types 'NodePort' and 'LoadBalancer'");
	for (size_t i = 0; !none && !outside && i < ports->u.list.n; i++)
		if (ports->u.list.at[i]->kind == DATA_MAP && api_has(ports->u.list.at[i], "nodePort"))
			api_refuse(k, data_get(ports->u.list.at[i], STR("nodePort")),
				"remove it, or write type = \"NodePort\"",
				"'nodePort' is for Services of the types 'NodePort' and 'LoadBalancer'");
	for (size_t i = 0; !none && ports->u.list.n > 1 && i < ports->u.list.n; i++)
		if (ports->u.list.at[i]->kind == DATA_MAP && !api_text(ports->u.list.at[i], "name").n)
			api_missing(k, ports->u.list.at[i], "add 'name'",
				"each of several ports of a Service needs a name");
}

void api_claim(struct api_check *k, const struct data *d)
{
	if (!api_has(d, "spec"))
		api_missing(k, d,
			"add spec { accessModes = [\"ReadWriteOnce\"], resources { requests { storage = 10Gi } } }",
			"a PersistentVolumeClaim needs 'spec'");
}
