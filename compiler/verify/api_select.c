/*
 * api_select.c - rules of the API server about selectors of nodes, of pods by their labels, and of cluster roles.
 */
#include "verify/api_rules.h"

#include "kube/limits.h"

static size_t entries_in(const struct data *map, const char *key)
{
	const struct data *d = data_get(map, str_of(key));

	return d && d->kind == DATA_LIST ? d->u.list.n : 0;
}

/* Checks the values that an operator of a selector needs. */
void api_requirement(struct api_check *k, const struct data *d)
{
	struct str op = api_text(d, "operator");
	size_t n = entries_in(d, "values");

	if ((str_is(op, "In") || str_is(op, "NotIn")) && !n)
		api_missing(k, d, "add values = [\"VALUE\"]", "operator '%.*s' needs 'values'", STR_ARG(op));
	if ((str_is(op, "Gt") || str_is(op, "Lt")) && n != 1)
		api_refuse(k, d, "write one value", "operator '%.*s' compares with one value", STR_ARG(op));
	if ((str_is(op, "Exists") || str_is(op, "DoesNotExist")) && n)
		api_refuse(k, data_get(d, STR("values")), "remove 'values', or write operator = \"In\"",
			"operator '%.*s' has no values", STR_ARG(op));
}

void api_node_selector(struct api_check *k, const struct data *d)
{
	if (!entries_in(d, "nodeSelectorTerms"))
		api_missing(k, d,
			"add nodeSelectorTerms = [{ matchExpressions = [{ key = \"zone\", operator = \"Exists\" }] }]",
			"a selector of nodes needs a term");
}

void api_spread(struct api_check *k, const struct data *d)
{
	if (api_has(d, "minDomains") && str_is(api_text(d, "whenUnsatisfiable"), "ScheduleAnyway"))
		api_refuse(k, data_get(d, STR("minDomains")),
			"write whenUnsatisfiable = \"DoNotSchedule\", or remove it",
			"'minDomains' needs whenUnsatisfiable 'DoNotSchedule'");
}

void api_policy_rule(struct api_check *k, const struct data *d)
{
	if (!entries_in(d, "verbs"))
		api_missing(k, d, "add verbs = [\"get\", \"list\"]", "a rule needs a verb");
	if (entries_in(d, "resources") && !entries_in(d, "apiGroups"))
		api_missing(k, d, "add apiGroups = [\"\"], which is the group of pods and Services",
			"a rule about resources needs 'apiGroups'");
}
