/*
 * rules_raw.c - reports raw fields: all of them with --no-raw, otherwise those that would keep a pod from reaching its
 * peers (TJ0908).
 */
#include "eval/internal.h"
#include "lower/lower_rules.h"

static void refuse_raw_field(struct job *j, const char *what, struct span at)
{
	bool own = in_user_text(j->ev, at);
	struct diag *d = diag_report(job_diags(j), TJ0901, own ? at : j->plan->name_at, "'%s' is refused by %s", what,
		j->options->no_raw ? "--no-raw" : "the project: 'raw = false'");
	if (!own)
		diag_note(job_diags(j), d, at, "the framework has it here");
	diag_help(job_diags(j), d, j->options->no_raw ? "use the typed fields, or compile without --no-raw" :
		"use the typed fields, or change it in project.tj");
}

static void refuse_raw(struct job *j, const char *what, const struct data *raw)
{
	if (raw)
		refuse_raw_field(j, what, raw->from);
}

static void refuse_role(struct job *j, const struct plan_role *r)
{
	refuse_raw(j, "raw pod", r->raw_pod);
	refuse_raw(j, "raw job", r->raw_job);
	refuse_raw(j, "raw container", r->main.raw);
	for (size_t i = 0; i < r->nsidecars; i++)
		refuse_raw(j, "raw container", r->sidecars[i].raw);
	for (size_t i = 0; i < r->ninits; i++)
		refuse_raw(j, "raw container", r->inits[i].raw);
}

static void refuse_all(struct job *j)
{
	const struct plan_job *p = j->plan;
	refuse_raw(j, "raw service", p->raw_service);
	for (size_t i = 0; i < p->nroles; i++)
		refuse_role(j, &p->roles[i]);
	for (size_t i = 0; i < p->nobjects; i++)
		refuse_raw_field(j, "object", p->objects[i].name_at);
}

/*
 * Reports network settings of a pod: the host's resolver does not know Services, unless dnsPolicy "None" sets another
 * resolver.
 */
static void host_network(struct job *j, const struct plan_role *r)
{
	const struct data *host = data_get(r->raw_pod, STR("hostNetwork")),
		*dns = data_get(r->raw_pod, STR("dnsPolicy"));
	bool field = r->host_network.value, raw = host && host->kind == DATA_BOOL && host->u.boolean;

	if (field ? !dns : !raw)
		return;                 /* with the field, the compiler sets the resolver */
	if (dns && (dns->kind != DATA_STRING || str_is(dns->u.string, "ClusterFirstWithHostNet") ||
		str_is(dns->u.string, "None")))
		return;
	struct diag *d = diag_report(job_diags(j), TJ0908, field ? dns->from : host->from,
		"%s without ClusterFirstWithHostNet cannot resolve peers", field ? "host_network" : "hostNetwork");
	if (field)
		diag_note(job_diags(j), d, r->host_network.from, "decided here");
	diag_help(job_diags(j), d, field ? "remove 'dnsPolicy': the resolver follows 'host_network'" :
		"write host_network = true in the role instead: the resolver follows");
}

void rules_raw(struct job *j)
{
	if (j->options->no_raw || j->ev->program->project.no_raw)
		refuse_all(j);
	for (size_t i = 0; i < j->plan->nroles; i++)
		if (j->plan->roles[i].max)
			host_network(j, &j->plan->roles[i]);
}
