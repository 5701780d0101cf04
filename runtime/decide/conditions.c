/* conditions.c - decides which conditions exclude each other, and in which order they are listed. */
#include "runtime/decide/conditions.h"

#include "runtime/status/look.h"

const char *condition_word(enum job_condition_type t)
{
	static const char *const words[] = {
		[JOB_CREATED] = "Created", [JOB_RUNNING] = "Running", [JOB_RESTARTING] = "Restarting",
			[JOB_SUSPENDED] = "Suspended",
		[JOB_SUCCEEDED] = "Succeeded", [JOB_FAILED] = "Failed",
	};

	return words[t];
}

bool condition_read(const struct data *d, struct job_condition *ret)
{
	for (unsigned t = JOB_CREATED; t <= JOB_FAILED; t++)
		if (str_is(status_text(d, "type"), condition_word(t))) {
			*ret = (struct job_condition){ .type = t, .holds = str_is(status_text(d, "status"), "True"),
				.reason = status_text(d, "reason"),
				.message = status_text(d, "message"), .updated = status_time(d, "lastUpdateTime"),
				.changed = status_time(d, "lastTransitionTime") };
			return true;
		}
	return false;
}

const struct job_condition *conditions_find(const struct job_conditions *c, enum job_condition_type t)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].type == t)
			return &c->at[i];
	return NULL;
}

bool conditions_hold(const struct job_conditions *c, enum job_condition_type t)
{
	const struct job_condition *found = conditions_find(c, t);

	return found && found->holds;
}

bool conditions_finished(const struct job_conditions *c)
{
	return conditions_hold(c, JOB_SUCCEEDED) || conditions_hold(c, JOB_FAILED);
}

/* Does the new condition remove another condition from the list? */
static bool displaces(const struct job_condition *set, const struct job_condition *other)
{
	if (other->type == set->type)
		return true;
	if (!set->holds)
		return false;
	if (other->type == JOB_RESTARTING)
		return set->type != JOB_CREATED;
	return other->type == JOB_RUNNING && set->type == JOB_RESTARTING;
}

static bool ends_running(enum job_condition_type t)
{
	return t == JOB_SUCCEEDED || t == JOB_FAILED || t == JOB_SUSPENDED;
}

static struct job_condition stopped(const struct job_condition *running, const struct job_condition *set)
{
	struct job_condition c = *running;

	c.holds = false;
	c.updated = c.changed = set->updated;
	if (set->type == JOB_SUSPENDED) {
		c.reason = set->reason;
		c.message = set->message;
	}
	return c;
}

void conditions_set(struct arena *a, struct job_conditions *c, const struct job_condition *set)
{
	const struct job_condition *before = conditions_find(c, set->type);
	struct job_conditions now = { .at = ARENA_ARRAY(a, struct job_condition, c->n + 1) };
	struct job_condition last = *set;

	if (conditions_finished(c) || (before && before->holds == set->holds && str_eq(before->reason, set->reason)))
		return;
	if (before && before->holds == set->holds)
		last.changed = before->changed;
	for (size_t i = 0; i < c->n; i++) {
		const struct job_condition *other = &c->at[i];
		if (displaces(set, other))
			continue;
		bool ends = other->type == JOB_RUNNING && other->holds && set->holds && ends_running(set->type);
		now.at[now.n++] = ends ? stopped(other, set) : *other;
	}
	now.at[now.n++] = last;
	*c = now;
}
