/*
 * fit_quota.c - checks the ResourceQuotas of the namespace.
 */
#include "runtime/fit/fit.h"
#include "runtime/status/look.h"

/* The amount that the job adds to the entry KEY of a quota; -1: the entry counts something else. */
static int64_t asks_for(const struct fit_cluster *c, const struct fit_job *job, struct str key, size_t *ret_resource)
{
	bool limits = str_starts(key, STR("limits."));
	struct str name = limits ? (struct str){ key.p + 7, key.n - 7 } : str_starts(key, STR("requests."))
		? (struct str){ key.p + 9, key.n - 9 } : key;
	int64_t sum = 0;

	if (str_is(key, "count/pods"))
		name = STR("pods");
	for (size_t k = 0; k < c->resources.n; k++) {
		if (!str_eq(c->resources.at[k], name))
			continue;
		*ret_resource = k;
		for (size_t i = 0; i < job->n; i++)
			sum += job->shapes[i].count * (limits ? job->shapes[i].limit[k] : job->shapes[i].need[k]);
		return sum;
	}
	return -1;
}

/*
 * Does the quota have a scope? Such a quota counts only some pods: those of a priority class, for example, or those
 * with a deadline.
 */
static bool is_scoped(const struct data *quota)
{
	return status_list(quota, "spec.scopes")->u.list.n || status_path(quota, "spec.scopeSelector");
}

static bool judge_quota(const struct fit_cluster *c, const struct fit_job *job, const struct data *quota, bool empty,
	struct buf *why)
{
	const struct data *hard = status_path(quota, "spec.hard"), *used = status_path(quota, "status.used");
	bool ok = true;

	for (size_t i = 0; hard && hard->kind == DATA_MAP && i < hard->u.map.n; i++) {
		struct str key = hard->u.map.at[i].key;
		size_t k = FIT_PODS;
		int64_t asks = asks_for(c, job, key, &k), most = fit_amount(hard->u.map.at[i].value, k == FIT_CPU);
		int64_t taken = empty || !used ? 0 : fit_amount(data_get(used, key), k == FIT_CPU);
		if (asks <= 0 || asks + taken <= most)
			continue;
		buf_printf(why, "%squota '%.*s' has ", why->n ? "; " : "",
			STR_ARG(status_text(quota, "metadata.name")));
		fit_put_amount(&c->resources, k, most - taken > 0 ? most - taken : 0, why);
		buf_printf(why, "%s for %.*s, the job asks for ", empty ? "" : " left", STR_ARG(key));
		fit_put_amount(&c->resources, k, asks, why);
		ok = false;
	}
	return ok;
}

bool fit_quota(const struct fit_cluster *c, const struct fit_job *job, bool empty, struct buf *why)
{
	bool ok = true;

	for (size_t i = 0; i < c->quotas.n; i++)
		if (str_eq(status_text(c->quotas.at[i], "metadata.namespace"), job->ns) && !is_scoped(c->quotas.at[i]))
			ok = judge_quota(c, job, c->quotas.at[i], empty, why) && ok;
	return ok;
}
