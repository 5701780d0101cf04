/*
 * jobs.c - decides the start order and the ends of roles that are Jobs.
 */
#include "runtime/decide/jobs.h"

#include "runtime/run/cells.h"
#include "runtime/run/rules.h"
#include "runtime/status/look.h"
#include "runtime/status/status_job.h"

struct jobs_seen {
	const struct data *object;
	unsigned role;
	bool suspended, over, marked;
	bool away;                      /* its copy has gone, because the run has been scaled down */
	bool deployment;
};

struct jobs_look {
	struct arena *arena;
	const struct plan_job *job;
	struct jobs_seen *at;
	size_t n;
};

static bool role_named(const struct plan_job *j, struct str label, unsigned *ret)
{
	for (size_t i = 0; label.n && i < j->nroles; i++)
		if (str_eq(j->roles[i].label, label)) {
			*ret = (unsigned)i;
			return true;
		}
	return false;
}

/* Is the Job over? A Job ends on its own if it has a verdict, or if all its pods have succeeded. */
static bool is_over(const struct data *job)
{
	static const char *const ends[] = { "Complete", "Failed", "SuccessCriteriaMet", "FailureTarget" };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (status_condition_true(job, ends[i]))
			return true;
	return status_number(job, "status.succeeded", 0) >= status_number(job, "spec.completions", 1);
}

/* The Jobs and Deployments of the run that are not being deleted. */
static struct jobs_look look(struct arena *a, const struct plan_job *j, const struct status_objects *objects)
{
	struct jobs_look l = { .arena = a, .job = j };

	for (size_t i = 0; i < objects->n; i++) {
		const struct data *o = objects->at[i];
		struct jobs_seen s = { .object = o };
		struct str kind = status_text(o, "kind");
		bool ours = (str_is(kind, "Job") || str_is(kind, "Deployment")) &&
			str_eq(status_label(o, "trainc.dev/job"), j->name) &&
			role_named(j, status_label(o, "trainc.dev/role"), &s.role);
		if (!ours || status_text(o, "metadata.deletionTimestamp").n)
			continue;
		s.deployment = str_is(kind, "Deployment");
		s.suspended = status_true(o, "spec.suspend");
		s.away = status_annotation(o, SCALED_ANNOTATION).n > 0;
		s.over = !s.deployment && is_over(o);
		s.marked = status_annotation(o, ENDED_ANNOTATION).n > 0;
		ARENA_PUSH(a, l.at, l.n, s);
	}
	return l;
}

/*
 * Is the whole run suspended? It is if a suspended Job belongs to a role that waits for no other role, or if a
 * suspended Job has one of the two annotations of status/status_job.h: the Job had started before, or `trainc suspend`
 * suspended it. Each annotation is set in the same patch that changes `suspend`. So no Job is resumed before all Jobs
 * of a run are suspended, or when the only Jobs left belong to roles that had to wait. `suspend` of
 * the program no longer counts when a Job of a role that waits for no other role has been resumed.
 */
static bool is_held(const struct jobs_look *l)
{
	bool resumed = false;

	for (size_t i = 0; i < l->n; i++) {
		const struct jobs_seen *s = &l->at[i];
		bool first = !l->job->roles[s->role].start_after;
		if (s->suspended && !s->over && !s->away && (first || job_is_held(s->object)))
			return true;
		resumed = resumed || (first && !s->deployment && !s->away);
	}
	return l->job->suspend.set && l->job->suspend.value && !resumed;
}

static void add_action(struct jobs_decision *d, struct arena *a, enum jobs_what what, const struct jobs_look *l,
	const struct jobs_seen *s)
{
	struct jobs_action x = { what, s->deployment, status_text(s->object, "metadata.name"), status_text(s->object,
		"metadata.uid"), l->job->roles[s->role].name };

	ARENA_PUSH(a, d->at, d->n, x);
}

/* Have all replicas of a role succeeded?  The pods show their success before the Job does. */
static bool has_succeeded(const struct run_state *state, unsigned role)
{
	const struct run_role *r = role < state->nroles ? &state->roles[role] : NULL;

	for (int64_t i = 0; r && i < r->desired && i < r->max; i++)
		if (r->at[i].state != REPLICA_SUCCEEDED)
			return false;
	return r && r->desired > 0;
}

static bool is_decided(const struct run_state *s)
{
	return s->phase == RUN_SUCCEEDED || s->phase == RUN_COMPLETING || s->phase == RUN_FAILED ||
		s->phase == RUN_FAILING;
}

/* Is the Job of a copy that is lost? */
static bool is_lost(const struct run_state *state, const struct jobs_seen *s)
{
	return s->role < state->nroles && state->roles[s->role].lost;
}

/*
 * Adds the ends of all roles if DECIDED, else only of copies that must go and of the marked Jobs: their mark shows a
 * verdict that the objects may no longer show. A single end needs no mark. A Deployment has no mark, since no verdict
 * depends on its pods; it ends with the first marked Job.
 */
static void end_jobs(struct jobs_decision *d, struct arena *a, const struct jobs_look *l,
	const struct run_state *state, bool decided)
{
	size_t ends = 0, marked = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct jobs_seen *s = &l->at[i];
		ends += !s->over && !has_succeeded(state, s->role);
		marked += s->marked && !s->over;
	}
	for (size_t i = 0; decided && ends > 1 && i < l->n; i++) {
		const struct jobs_seen *s = &l->at[i];
		if (!s->over && !s->marked && !s->deployment && !has_succeeded(state, s->role))
			add_action(d, a, JOBS_MARK, l, s);
	}
	for (size_t i = 0; i < l->n; i++) {
		const struct jobs_seen *s = &l->at[i];
		bool shown = decided ? !has_succeeded(state, s->role) : s->marked || (s->deployment && marked);
		if (!s->over && (shown || is_lost(state, s)))
			add_action(d, a, JOBS_END, l, s);
	}
}

struct jobs_decision decide_jobs(struct arena *a, const struct plan_job *j, const struct run_state *state,
	const struct status_objects *objects)
{
	struct jobs_look l = look(a, j, objects);
	struct jobs_decision d = { 0 };
	bool decided = is_decided(state), whole = state->restart_due && !state->restart_copy.n;

	if (j->controller || plan_each_replica(j) || (objects->restart.going && !objects->restart.copy.n))
		return d;                       /* during a restart, all Jobs are about to be replaced */
	if (decided ? !str_is(j->clean.value, "none") : true)
		end_jobs(&d, a, &l, state, decided && !whole);
	if (d.n || decided || whole || is_held(&l))
		return d;
	const struct role_states *roles = NULL; /* made for the first Job that waits */
	for (size_t i = 0; i < l.n; i++) {
		const struct jobs_seen *s = &l.at[i];
		const struct plan_condition *after = j->roles[s->role].start_after;
		bool waits = !s->over && !s->away && !has_succeeded(state, s->role) && s->suspended && after;
		if (waits && !roles)
			roles = run_role_states(a, j, state);
		if (waits && condition_holds(j, after, roles))
			add_action(&d, a, JOBS_RELEASE, &l, s);
	}
	return d;
}

enum jobs_stage jobs_stage_of(const struct jobs_action *x)
{
	return x->what == JOBS_MARK ? JOBS_STAGE_MARK : x->deployment ? JOBS_STAGE_DEPLOYMENT : JOBS_STAGE_JOB;
}

/* The time at which a Job that is over has ended; 0: unknown. */
static int64_t job_end_time(const struct data *job)
{
	static const char *const ends[] = { "Complete", "Failed" };
	int64_t end = status_time(job, "status.completionTime");

	for (size_t i = 0; i < sizeof ends / sizeof *ends && !end; i++)
		end = status_time(status_condition_true(job, ends[i]), "lastTransitionTime");
	return end;
}

struct jobs_census jobs_census(struct arena *a, const struct plan_job *j, const struct run_state *state,
	const struct status_objects *objects)
{
	struct jobs_look l = look(a, j, objects);
	struct jobs_census c = { .n = l.n };

	for (size_t i = 0; i < l.n; i++) {
		int64_t end = l.at[i].over ? job_end_time(l.at[i].object) : 0;
		c.over += l.at[i].over;
		c.ending += !l.at[i].over && !l.at[i].deployment && has_succeeded(state, l.at[i].role);
		c.marked += l.at[i].marked && !l.at[i].over;
		c.end = end > c.end ? end : c.end;
	}
	return c;
}
