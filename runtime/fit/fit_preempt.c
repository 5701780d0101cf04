/* fit_preempt.c - priorities of pods, and which pods of lower priority the scheduler may end to make room for a job. */
#include "runtime/fit/fit.h"

#include "runtime/status/look.h"

enum { NAMED_VICTIMS = 3 };             /* maximum number of pods that the answer names */

/* The priority of pods with this specification; false: its class is not known, or its pods never displace others. */
static bool priority_of(const struct fit_cluster *c, const struct data *spec, int64_t *ret)
{
	struct str name = status_text(spec, "priorityClassName"), policy = status_text(spec, "preemptionPolicy");

	*ret = 0;
	for (size_t i = 0; i < c->priorities.n; i++) {
		const struct data *o = c->priorities.at[i];
		if (name.n ? !str_eq(status_text(o, "metadata.name"), name) : !status_true(o, "globalDefault"))
			continue;
		*ret = status_number(o, "value", 0);
		policy = policy.n ? policy : status_text(o, "preemptionPolicy");
		return !str_is(policy, "Never");
	}
	return !name.n && !str_is(policy, "Never");
}

/* Is there a class of priority that the job names and that was not read? */
static bool is_class_unknown(const struct fit_cluster *c, const struct fit_job *job)
{
	for (size_t i = 0; i < job->n; i++) {
		struct str name = status_text(job->shapes[i].spec, "priorityClassName");
		bool known = !name.n;
		for (size_t k = 0; k < c->priorities.n && !known; k++)
			known = str_eq(status_text(c->priorities.at[k], "metadata.name"), name);
		if (!known)
			return true;
	}
	return false;
}

enum fit_priority fit_begin_preemption(struct fit_cluster *c, const struct fit_job *job)
{
	int64_t least = INT64_MAX;
	bool any = false;

	if (is_class_unknown(c, job))
		return FIT_LOWER_UNKNOWN;
	for (size_t i = 0; i < job->n; i++) {
		int64_t priority;
		if (!priority_of(c, job->shapes[i].spec, &priority))
			return FIT_LOWER_NONE;
		least = priority < least ? priority : least;
	}
	for (size_t i = 0; i < c->npods; i++) {
		struct fit_pod *p = &c->pods[i];
		p->lower = p->priority < least;
		any = any || p->lower;
		for (size_t k = 0; p->lower && k < c->resources.n; k++) {
			c->nodes[p->node].used[k] -= p->need[k];
			c->nodes[p->node].lower[k] += p->need[k];
		}
	}
	return any ? FIT_LOWER_SOME : FIT_LOWER_NONE;
}

void fit_end_preemption(struct fit_cluster *c)
{
	for (size_t i = 0; i < c->npods; i++) {
		struct fit_pod *p = &c->pods[i];
		for (size_t k = 0; p->lower && k < c->resources.n; k++)
			c->nodes[p->node].used[k] += p->need[k];
		p->lower = false;
	}
	for (size_t i = 0; i < c->nnodes; i++) {
		memset(c->nodes[i].lower, 0, sizeof c->nodes[i].lower);
		c->nodes[i].taken = false;
	}
}

void fit_put_victims(const struct fit_cluster *c, struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < c->npods; i++) {
		const struct fit_pod *p = &c->pods[i];
		if (!p->lower || !c->nodes[p->node].taken)
			continue;
		if (n++ < NAMED_VICTIMS)
			buf_printf(out, "%s%.*s/%.*s", n > 1 ? ", " : "",
				STR_ARG(text_line(c->arena, p->ns)), STR_ARG(text_line(c->arena, p->name)));
	}
	if (n > NAMED_VICTIMS)
		buf_printf(out, " and %zu more", n - NAMED_VICTIMS);
}
