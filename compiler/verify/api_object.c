/*
 * api_object.c - rules of the API server about objects that a program adds.
 */
#include "verify/api_rules.h"

static const struct data *member(const struct data *d, const char *key)
{
	const struct data *m = d && d->kind == DATA_MAP ? data_get(d, str_of(key)) : NULL;
	return m && m->kind == DATA_MAP ? m : NULL;
}

static const struct data *template_spec(const struct data *d) { return member(member(d, "template"), "spec"); }

void api_job_spec(struct api_check *k, const struct data *d)
{
	const struct data *pod = template_spec(d);
	struct str policy = pod ? api_text(pod, "restartPolicy") : STR("");

	if (pod && !str_is(policy, "Never") && !str_is(policy, "OnFailure"))
		api_refuse(k, policy.n ? data_get(pod, STR("restartPolicy")) : pod, "write restartPolicy = \"Never\"",
			policy.n ? "the pods of a Job cannot have restartPolicy '%.*s'"
			: "the pods of a Job need a restartPolicy%.*s", STR_ARG(policy));
}

/* Of a Deployment and the like: does the selector match the pods of the template? */
void api_set_spec(struct api_check *k, const struct data *d)
{
	const struct data *wanted = member(member(d, "selector"), "matchLabels");
	const struct data *labels = member(member(member(d, "template"), "metadata"), "labels"),
		*pod = template_spec(d);
	struct str policy = pod ? api_text(pod, "restartPolicy") : STR("");

	for (size_t i = 0; wanted && member(d, "template") && i < wanted->u.map.n; i++) {
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
	bool headless = str_is(address, "None");

	if (none && !headless && !str_is(type, "ExternalName"))
		api_missing(k, d, "add ports = [{ port = 80 }], or clusterIP = \"None\"", "a Service needs 'ports'");
	if (headless && (str_is(type, "LoadBalancer") || str_is(type, "NodePort")))
		api_refuse(k, data_get(d, STR("type")), "for users write the field 'service' of a role",
			"a headless Service cannot have the type '%.*s'", STR_ARG(type));
	for (size_t i = 0; !none && ports->u.list.n > 1 && i < ports->u.list.n; i++)
		if (ports->u.list.at[i]->kind == DATA_MAP && !api_text(ports->u.list.at[i], "name").n)
			api_missing(k, ports->u.list.at[i], "add 'name'",
				"each of several ports of a Service needs a name");
}

void api_claim(struct api_check *k, const struct data *d)
{
	if (!api_has(d, "spec"))
		api_missing(k, d, "add spec { accessModes = [\"ReadWriteOnce\"], resources { requests { storage = 10Gi } } }", "a PersistentVolumeClaim needs 'spec'");
}

void api_claim_spec(struct api_check *k, const struct data *d)
{
	const struct data *modes = data_get(d, STR("accessModes")),
		*requests = member(member(d, "resources"), "requests");

	if (!modes || modes->kind != DATA_LIST || !modes->u.list.n)
		api_missing(k, d, "add accessModes = [\"ReadWriteOnce\"]", "a claim needs 'accessModes'");
	if (!requests || !api_has(requests, "storage"))
		api_missing(k, d, "add resources { requests { storage = 10Gi } }", "a claim needs a size");
}

/* Standard base64 with its padding; line ends are allowed. */
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

void api_secret(struct api_check *k, const struct data *d)
{
	const struct data *data = member(d, "data");

	for (size_t i = 0; data && i < data->u.map.n; i++) {
		const struct data_member *m = &data->u.map.at[i];
		if (m->value->kind == DATA_STRING && !base64(m->value->u.string))
			api_refuse(k, m->value, "write plain text under 'stringData'",
				"'%.*s' in 'data' of a Secret is not base64",
				STR_ARG(check_short(k->c->arena, m->key)));
	}
}

void api_namespace(struct api_check *k, const struct data *d)
{
	const struct data *metadata = member(d, "metadata");

	if (metadata && api_text(metadata, "namespace").n)
		api_refuse(k, data_get(metadata, STR("namespace")), "remove it", "a Namespace is in no namespace");
}
