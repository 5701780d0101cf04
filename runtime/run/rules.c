/* rules.c - the rules about replicas, roles and jobs, as pure functions. */
#include "runtime/run/rules.h"

struct tally {
	size_t started, ready, succeeded, active;
};

static struct tally tally(const struct role_states *s)
{
	struct tally t = { 0 };
	for (size_t i = 0; i < s->n; i++) {
		enum replica_state state = s->at[i];
		bool runs = replica_runs(state);
		t.active += runs;
		t.succeeded += state == REPLICA_SUCCEEDED;
		/* a replica that has succeeded counts as started and ready */
		t.ready += state == REPLICA_READY || state == REPLICA_SUCCEEDED;
		t.started += runs || state == REPLICA_SUCCEEDED;
	}
	return t;
}

static bool done_holds(const struct plan_role *r, const struct role_states *s, int64_t index)
{
	if (index >= 0)
		return (size_t)index < s->n && s->at[index] == REPLICA_SUCCEEDED;
	struct tally t = tally(s);
	if (index == CONDITION_ANY)
		return t.succeeded > 0;
	if (r->elastic)
		return t.succeeded >= (size_t)r->min && t.active == 0;
	return t.succeeded == (size_t)r->max;
}

/* How many of the conditions in the list C hold? */
static int64_t count_holding(const struct plan_job *j, const struct plan_condition *c, const struct role_states *roles)
{
	if (c->kind == CONDITION_LIST)
		return count_holding(j, c->left, roles) + count_holding(j, c->right, roles);
	return condition_holds(j, c, roles);
}

bool condition_holds(const struct plan_job *j, const struct plan_condition *c, const struct role_states *roles)
{
	if (c->kind == CONDITION_AND)
		return condition_holds(j, c->left, roles) && condition_holds(j, c->right, roles);
	if (c->kind == CONDITION_OR)
		return condition_holds(j, c->left, roles) || condition_holds(j, c->right, roles);
	if (c->kind == CONDITION_LEAST)
		return count_holding(j, c->left, roles) + count_holding(j, c->right, roles) >= c->index;
	const struct plan_role *r = &j->roles[c->role];
	const struct role_states *s = &roles[c->role];
	if (c->kind == CONDITION_GONE)
		return s->gone;
	if (r->max == 0)
		return false;
	if (c->kind == CONDITION_DONE)
		return done_holds(r, s, c->index);
	struct tally t = tally(s);
	return (c->kind == CONDITION_READY ? t.ready : t.started) >= (c->index == CONDITION_ANY ? 1 : (size_t)r->min);
}

enum attempt_verdict attempt_judge(const struct plan_role *r, int exit_code, bool disrupted, int64_t attempts)
{
	if (disrupted)
		return ATTEMPT_AGAIN_FREE;
	if (plan_role_restarts(r))
		return ATTEMPT_AGAIN_FREE;      /* the container is restarted in place, and such restarts are not
						 * counted */
	if (r->retry_on.set && exit_code >= 0 && !plan_codes_has(&r->retry_on, exit_code))
		return ATTEMPT_FAILED;
	return r->retries.set && attempts < r->retries.value ? ATTEMPT_AGAIN : ATTEMPT_FAILED;
}

enum failure_effect failure_judge(const struct plan_role *r, bool again)
{
	struct str word = r->on_failed_pod.value;

	if (str_is(word, "ignore"))
		return FAILURE_PASSES;
	if (str_is(word, "restart"))
		return FAILURE_RESTARTS;
	if (str_is(word, "fail") || !again)
		return FAILURE_ENDS;
	return str_is(word, "replace") ? FAILURE_PASSES : FAILURE_RESTARTS;
}

int64_t role_spare_replicas(const struct plan_role *r)
{
	if (str_is(r->on_failed_pod.value, "ignore"))
		return r->max;
	return r->elastic ? r->max - r->min : 0;
}

int64_t cell_spare_copies(const struct plan_cell *c, int64_t wanted)
{
	return c && wanted > c->min ? wanted - c->min : 0;
}

bool role_required(const struct plan_job *j, const struct plan_role *r)
{
	if (!r->aux)
		return true;
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].max && !j->roles[i].aux)
			return false;
	return true;
}

bool role_matters(const struct plan_job *j, unsigned role)
{
	if (role_required(j, &j->roles[role]) || (j->success && plan_condition_reads(j->success, role)))
		return true;
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].start_after && plan_condition_reads(j->roles[i].start_after, role))
			return true;
	return false;
}

bool role_begins_again(const struct plan_role *r)
{
	return plan_role_restarts(r) || (r->retries.set && r->retries.value > 0);
}

int64_t attempt_delay(int64_t first, int64_t series)
{
	int64_t delay = first, most = ATTEMPT_DELAY_MOST_SECONDS * INT64_C(1000000000);

	while (--series > 0 && delay < most)
		delay *= 2;
	return delay < most ? delay : most;
}

bool clean_takes(const struct plan_job *j, bool active)
{
	if (str_is(j->clean.value, "none"))
		return false;
	return active || str_is(j->clean.value, "all");
}

int64_t job_deadline(const struct plan_job *j, int64_t begin)
{
	int128 at = (int128)begin + j->timeout.value.nano;

	return j->timeout.set && at < RULES_NEVER ? (int64_t)at : RULES_NEVER;
}

bool job_past_limit(const struct plan_job *j, int64_t restarts)
{
	const struct data *limit = j->arguments ? data_get(j->arguments, STR("backoff_limit")) : NULL;

	return limit && limit->kind == DATA_INT && restarts > 0 && restarts >= limit->u.integer;
}
