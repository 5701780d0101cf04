/*
 * decide_limits.c - answers single questions about a job: is it suspended, does another controller look after it, how
 * often has it restarted, and when is it removed?
 */
#include "runtime/decide/decide.h"

/* The argument NAME of the framework, or NULL. The names that are used here mean the same in every framework. */
static const struct data *argument(const struct plan_job *j, struct str name)
{
	return j->arguments ? data_get(j->arguments, name) : NULL;
}

bool decide_elsewhere(const struct decide_job *job)
{
	const struct data *by = argument(job->plan, STR("managed_by"));

	return by && by->kind == DATA_STRING && !str_eq(by->u.string, job->controller);
}

bool decide_suspended(const struct plan_job *j) { return j->suspend.set && j->suspend.value; }

int64_t decide_spent(const struct plan_job *j, const struct decide_record *r)
{
	int64_t spent = r->spent;

	for (size_t k = 0; k < j->nroles && k < r->nroles; k++)
		for (int64_t i = 0; i < r->roles[k].n && role_begins_again(&j->roles[k]); i++)
			spent += r->roles[k].at[i].restarts;
	return spent;
}

int64_t decide_removal(const struct plan_job *j, int64_t end)
{
	int128 at = (int128)end + j->ttl.value.nano;

	return j->ttl.set && at < RULES_NEVER ? (int64_t)at : RULES_NEVER;
}
