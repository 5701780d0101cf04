/*
 * verify_raw.c - checks raw blocks and extra objects against the schemas of the target's version of Kubernetes: it
 * reports, at the source position, what the API server would refuse or silently drop.
 */
#include "verify/verify.h"

#include "diag/suggest.h"
#include "kube/schema_check.h"

static void verify_raw_map(struct checking *c, const char *type, const struct data *map)
{
	struct schema_checking s = { &schema_builtin, c->plan->kubernetes, c->diags, c->arena };

	if (map)
		schema_check(&s, schema_find_type(&schema_builtin, str_of(type)), map, false);
}

static void verify_raw_role(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	verify_raw_map(c, "core.v1.PodSpec", r->raw_pod);
	const char *spec = plan_workload(j, r)->spec;

	/* if roles are pods, job_of_pods() reports the whole `raw job` */
	verify_raw_map(c, spec ? spec : workload_row(WORKLOAD_JOB)->spec, r->raw_job);
	verify_raw_map(c, "core.v1.Container", r->main.raw);
	for (size_t i = 0; i < r->nsidecars; i++)
		verify_raw_map(c, "core.v1.Container", r->sidecars[i].raw);
	for (size_t i = 0; i < r->ninits; i++)
		verify_raw_map(c, "core.v1.Container", r->inits[i].raw);
}

/* ---- the user's own objects ---- */

static bool has_text(struct checking *c, const struct plan_object *o, const char *key)
{
	const struct data *value = data_get(o->data, str_of(key));
	struct diag *d;

	if (value && value->kind == DATA_STRING && value->u.string.n)
		return true;
	if (value)
		d = diag_report(c->diags, TJ0904, value->from, "'%s' of an object is text", key);
	else
		d = diag_report(c->diags, TJ0907, o->name_at, "object '%.*s' needs '%s'", STR_ARG(o->name), key);
	diag_help(c->diags, d, "write %s = \"%s\", for example", key, str_is(str_of(key), "kind") ? "ConfigMap" : "v1");
	return false;
}

/* Adds a help that lists the kinds with that name or similar names in the target's version. */
static void kinds_like(struct checking *c, struct diag *d, struct str kind)
{
	const struct schema *s = &schema_builtin;
	struct suggest near;
	struct buf same = { 0 };

	suggest_init(&near, c->arena, kind);
	for (size_t i = 0; i < s->nkinds; i++) {
		if (!schema_in(s->kinds[i].versions, c->plan->kubernetes))
			continue;
		suggest_add(&near, schema_text(s, s->kinds[i].kind));
		if (str_eq(schema_text(s, s->kinds[i].kind), kind))
			buf_printf(&same, "%s%s", same.n ? ", " : "", s->text + s->kinds[i].api_version);
	}
	struct str sentence = suggest_sentence(&near);
	if (same.n)
		diag_help(c->diags, d, "Kubernetes 1.%u has %.*s in %.*s", c->plan->kubernetes, STR_ARG(kind),
			STR_ARG(buf_text(&same)));
	else if (sentence.n)
		diag_help(c->diags, d, "%.*s", STR_ARG(sentence));
	else
		diag_help(c->diags, d, "give the project its definition: trainc vendor crd FILE");
	buf_release(&same);
}

static void object(struct checking *c, const struct plan_object *o)
{
	const struct schema *s = &schema_builtin;
	bool version = has_text(c, o, "apiVersion"), named = has_text(c, o, "kind");
	struct diag *d;

	if (!version || !named)
		return;
	const struct data *api_version = data_get(o->data, STR("apiVersion")), *kind = data_get(o->data, STR("kind"));
	const struct schema_kind *known = schema_find_kind(s, api_version->u.string, kind->u.string);
	if (!known && c->options->kinds) {
		s = c->options->kinds;
		known = schema_find_kind(s, api_version->u.string, kind->u.string);
	}
	struct schema_checking checking = { s, c->plan->kubernetes, c->diags, c->arena };
	if (!known) {
		d = diag_report(c->diags, TJ0906, kind->from, "no schema for '%.*s %.*s'",
			STR_ARG(api_version->u.string), STR_ARG(kind->u.string));
		kinds_like(c, d, kind->u.string);
	} else if (!schema_in(known->versions, c->plan->kubernetes)) {
		struct buf versions = { 0 };
		schema_versions_text(known->versions, &versions);
		d = diag_report(c->diags, TJ0905, api_version->from, "'%.*s %.*s' is not in Kubernetes 1.%u",
			STR_ARG(api_version->u.string), STR_ARG(kind->u.string), c->plan->kubernetes);
		diag_note(c->diags, d, (struct span){ 0 }, "Kubernetes %.*s has it", STR_ARG(buf_text(&versions)));
		kinds_like(c, d, kind->u.string);
		buf_release(&versions);
	} else {
		schema_check(&checking, &s->types[known->type], o->data, true);
	}
}

/* Reports a Service of the job that has an address of its own: only a headless Service gives each replica a name. */
static void service_type(struct checking *c, const struct plan_job *j)
{
	const struct data *type = j->raw_service ? data_get(j->raw_service, STR("type")) : NULL;

	if (!type || type->kind != DATA_STRING || str_is(type->u.string, "ClusterIP"))
		return;
	struct diag *d = diag_report(c->diags, TJ0904, type->from,
		"a Service without a cluster IP cannot be of type \"%.*s\"", STR_ARG(type->u.string));
	diag_help(c->diags, d, "the job's Service is headless; add another one: object web { apiVersion = \"v1\", kind "
		"= \"Service\", spec { ... } }");
}

/* Reports `raw job` when roles are bare pods: there is no Job for these fields. */
static void job_of_pods(struct checking *c, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max || !r->raw_job || r->replica.job || !plan_each_replica(j))
			continue;
		struct diag *d = diag_report(c->diags, TJ0818, r->raw_job->from,
			"'raw job' has no place in the target 'pods': role '%.*s' becomes pods without a Job",
			STR_ARG(r->name));
		diag_help(c->diags, d, "remove it, or use the target 'jobs'");
	}
}

void check_raw(struct checking *c, const struct plan_job *j)
{
	verify_raw_map(c, "core.v1.ServiceSpec", j->raw_service);
	service_type(c, j);
	job_of_pods(c, j);
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].max)
			verify_raw_role(c, j, &j->roles[i]);
	for (size_t i = 0; i < j->nobjects; i++) {
		object(c, &j->objects[i]);
		check_metadata(c, j, &j->objects[i]);
	}
}
