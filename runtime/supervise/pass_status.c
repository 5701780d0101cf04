/*
 * pass_status.c - writes the status of the resource: at once if a condition is new; if only counts are new, together
 * with later changes.
 */
#include "runtime/supervise/pass_internal.h"

#include "base/words.h"
#include "runtime/supervise/owned.h"

/*
 * How long a status waits if only its counts have changed, or only the condition Created is new: as long as
 * STATUS_REQUESTS requests take, but at least STATUS_WAIT and at most STATUS_WAIT_MOST.
 */
#define STATUS_WAIT NS_PER_SECOND
#define STATUS_WAIT_MOST (5 * NS_PER_SECOND)
#define STATUS_REQUESTS 16
/* The longest time that the condition Created waits while pods of other jobs are created. */
#define STATUS_YIELD_MOST (30 * NS_PER_SECOND)

static void told(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;
	struct pass *p = s->pass;

	pass_note_time(s);
	if (transport_ok(r)) {
		p->job->write_by = 0;
		p->job->written = true;
	} else if (r->code != 404) {
		pass_give_up(p, r);
	}
	pass_answered(p);
}

/* Has the pass changed nothing but counts? A job that is being deleted has no plan, and its phase changes. */
static bool is_about_counts(const struct pass *p)
{
	const struct job_conditions *now = &p->d.record.conditions, *was = &p->before;
	bool same = p->plan && now->n == was->n;

	for (size_t i = 0; i < now->n && same; i++)
		same = now->at[i].type == was->at[i].type && now->at[i].holds == was->at[i].holds &&
			str_eq(now->at[i].reason, was->at[i].reason);
	return same;
}

/*
 * For how many nanoseconds may the status wait for a later pass? Counts change with every pod, and a job that was just
 * created runs a moment later: one write covers all changes until then. On a slow server, statuses wait longer, even
 * the first status with the condition Running, so that the requests that create pods come first.
 */
static int64_t status_wait(const struct pass *p)
{
	const struct job_conditions *c = &p->d.record.conditions;
	int64_t wait = STATUS_REQUESTS * p->job->control->request_time;
	bool young = !p->job->kind->status_key && p->plan;

	if (conditions_finished(c))             /* a verdict whose write has failed is not new in this pass */
		return 0;
	wait = wait < STATUS_WAIT ? STATUS_WAIT : wait < STATUS_WAIT_MOST ? wait : STATUS_WAIT_MOST;
	if (is_about_counts(p) || (young && c->n == 1 && c->at[0].type == JOB_CREATED))
		return wait;
	return young && c->n == 2 && c->at[1].type == JOB_RUNNING && p->before.n <= 1 ? wait - STATUS_WAIT : 0;
}

/*
 * While pods of other jobs are created, a status that adds only the condition Created waits. Those pods come first, and
 * if the job's own pods start to run meanwhile, one write reports both conditions.
 */
static bool status_yields(const struct pass *p, int64_t now)
{
	const struct job_conditions *c = &p->d.record.conditions;

	return c->n == 1 && c->at[0].type == JOB_CREATED && now - p->job->wait_began < STATUS_YIELD_MOST &&
		now - p->job->control->created_at < STATUS_WAIT;
}

/* May the status be written by a later pass? */
static bool status_can_wait(struct pass *p)
{
	struct supervised *j = p->job;
	int64_t now = loop_now(j->control->client.loop), wait = status_wait(p);

	if (p->step != STEP_STATUS || p->d.remove || j->refused || !wait)
		return false;
	if (!j->write_by) {
		j->wait_began = now;
		j->write_by = now + wait;
	}
	if (j->write_by <= now && status_yields(p, now))
		j->write_by = now + STATUS_WAIT_MOST;
	if (j->write_by <= now)
		return false;
	int64_t at = controller_now(j->control) + j->write_by - now;
	p->d.again = p->d.again < at ? p->d.again : at;
	return true;
}

bool pass_status(struct pass *p)
{
	struct pass_request *s;

	if (p->next++ || !p->status.n || p->job->written || status_can_wait(p))
		return false;
	s = pass_request_new(p);
	s->request = resource_patch(&p->arena, p->job, "status",
		str_printf(&p->arena, "{\"metadata\":{\"uid\":\"%.*s\"},\"status\":%.*s}",
		STR_ARG(p->job->uid), STR_ARG(p->status)));
	pass_send(p, s, CALL_REPEAT, told);
	return true;
}

bool pass_verdict(struct pass *p)
{
	for (size_t i = 0; i < p->d.nactions; i++)
		if (p->d.actions[i].what == DECIDE_DELETE)
			return pass_status(p);
	return false;
}
