/* apply_vouch.c - lets the Jobs and Deployments of a run vouch for its record. */
#include "runtime/cluster/apply.h"
#include "runtime/cluster/vouch.h"
#include "runtime/status/look.h"

/*
 * Do objects of this kind vouch for the record of the run? Only Jobs have attendants, and only Jobs and Deployments are
 * started and ended by them.
 */
static bool is_voucher(const struct applying *p, const struct wanted *w)
{
	return !p->job->controller && !plan_each_replica(p->job) && ((str_is(w->resource.kind, "Job") &&
		str_is(w->resource.group, "batch")) || (str_is(w->resource.kind, "Deployment") &&
		str_is(w->resource.group, "apps")));
}

/* The digest of the record as this apply writes it; empty if the record does not exist yet. */
static struct str wanted_record_digest(const struct applying *p)
{
	struct parent record = { .uid = p->now.uid.n ? p->now.uid : p->before.uid, .ns = p->ns, .run = p->job->name,
		.plan = p->plan, .restart.most = apply_restarts(p) };

	record.jobs_digest = p->jobs_digest;
	return vouch_digest(p->arena, &record);
}

bool apply_is_vouched(const struct applying *p, const struct wanted *w, const struct member *m)
{
	return !is_voucher(p, w) || vouch_by(m->object, wanted_record_digest(p));
}

bool apply_record_fits(const struct applying *p)
{
	const struct parent *before = &p->before;
	bool stored = !before->jobs.n || str_eq(vouch_jobs_digest(p->arena, before->jobs), before->jobs_digest);

	return !p->forgot && stored && str_eq(vouch_digest(p->arena, before), wanted_record_digest(p));
}

void apply_vouch(struct applying *p)
{
	struct str digest = wanted_record_digest(p);

	for (size_t i = 0; digest.n && i < p->wanted.n; i++)
		if (p->wanted.at[i].stale && is_voucher(p, &p->wanted.at[i]))
			wanted_annotate(p->arena, p->wanted.at[i].tree, STR(VOUCH_ANNOTATION), digest);
}

void apply_forget_restart(struct applying *p)
{
	struct parent *before = &p->before;

	if (!before->restart.going || members_find(&p->members, resource_known(STR("batch"), STR("Job")), p->ns,
		voucher_name(p->arena, p->job->name)))
		return;
	p->forgot = true;
	before->restart.going = false;
	before->nreplaced = before->nearlier = 0;
}
