/* tenant_metrics.c - a table of the values of a tenant, and the sums of those that have no name in the metrics. */
#include "runtime/supervise/tenant_metrics.h"

struct tenant_values {
	struct str ns;                  /* empty: all namespaces that are not named */
	double at[7];
};

struct tenant_page {
	struct tenant_values at[TENANTS_NAMED + 1];
	size_t n;                       /* number of rows after the first one, which is the sum */
};

static const struct tenant_row {
	const char *name, *help;
	bool gauge;
} tenant_rows[] = {
	{ "trainc_namespace_jobs", "jobs and runs that are known", true },
	{ "trainc_namespace_held", "jobs that wait until there is room for them", true },
	{ "trainc_namespace_kept_bytes", "bytes of the budget in use", true },
	{ "trainc_namespace_waiting", "passes that wait for their turn", true },
	{ "trainc_namespace_refused", "jobs that were refused", false },
	{ "trainc_namespace_passes", "passes that were started", false },
	{ "trainc_namespace_wait_seconds", "time for which these passes waited for their turn", false },
};

static void add_tenant(struct tenant_page *page, const struct tenant *t)
{
	struct tenant_values *v = &page->at[t->named && page->n < TENANTS_NAMED ? ++page->n : 0];
	const double values[] = { (double)t->jobs, (double)t->nheld, (double)t->kept, (double)t->lane.depth,
		(double)t->refused, (double)t->lane.started, (double)t->lane.waited / 1e9 };

	v->ns = v == page->at ? STR("") : t->ns;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		v->at[i] += values[i];
}

void tenant_metrics_page(struct controller *c, struct buf *out)
{
	struct tenant_page page = { 0 };

	for (size_t i = 0; i < c->tenants.slots; i++)
		for (const struct tenant *t = c->tenants.at[i]; t; t = t->next)
			add_tenant(&page, t);
	for (size_t k = 0; k < sizeof tenant_rows / sizeof *tenant_rows; k++) {
		const struct tenant_row *r = &tenant_rows[k];
		buf_printf(out, "# TYPE %s %s\n# HELP %s %s\n", r->name, r->gauge ? "gauge" : "counter", r->name,
			r->help);
		for (size_t i = 0; i <= page.n; i++)
			buf_printf(out, "%s%s{namespace=\"%.*s\"} %.10g\n", r->name, r->gauge ? "" : "_total",
				STR_ARG(page.at[i].ns), page.at[i].at[k]);
	}
	buf_printf(out, "# TYPE trainc_budget_bytes gauge\n# HELP trainc_budget_bytes bytes that may be kept of jobs\n"
		"trainc_budget_bytes %zu\n", c->budget);
}
