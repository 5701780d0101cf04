/* status.c - pods and Jobs to roles, roles to the state of the run. */
#include "runtime/status/status.h"

#include "base/map.h"

const char *cluster_state_word(enum cluster_state s)
{
	static const char *const words[] = {
		[CLUSTER_FAILED] = "Failed", [CLUSTER_FAILING] = "Failing", [CLUSTER_STALLED] = "Stalled", [CLUSTER_UNKNOWN] = "Unknown",
		[CLUSTER_DEGRADED] = "Degraded", [CLUSTER_QUEUED] = "Queued", [CLUSTER_PENDING] = "Pending", [CLUSTER_STARTING] = "Starting",
		[CLUSTER_RUNNING] = "Running", [CLUSTER_COMPLETING] = "Completing", [CLUSTER_SUCCEEDED] = "Succeeded",
		[CLUSTER_SUSPENDED] = "Suspended", [CLUSTER_TERMINATING] = "Terminating", [CLUSTER_ABSENT] = "Absent",
	};

	return words[s];
}

void status_add(struct arena *a, struct status_objects *o, const struct data *document)
{
	const struct data *items = document->kind == DATA_MAP ? data_get(document, STR("items")) : NULL;

	if (items && items->kind == DATA_LIST && str_ends(status_text(document, "kind"), STR("List"))) {
		for (size_t i = 0; i < items->u.list.n; i++)
			ARENA_PUSH(a, o->at, o->n, (const struct data *)items->u.list.at[i]);
		return;
	}
	if (document->kind == DATA_MAP)
		ARENA_PUSH(a, o->at, o->n, document);
}

struct gathering {
	struct arena *arena;
	struct status *s;
	struct map names;               /* of pods and Jobs -> role and index */
	int64_t now;
	bool seen, suspended, queued, deleting;
	const struct data *failed_job, *failing_job, *complete_job, *completing_job;
};

struct replica_key {
	struct status_role *role;
	int64_t index;
};

/* ---- whose object is it? ---- */

static void name_replicas(struct gathering *g)
{
	for (size_t i = 0; i < g->s->job->nroles; i++) {
		const struct plan_role *r = &g->s->job->roles[i];
		for (int64_t k = 0; k < r->max; k++) {
			struct buf name = { 0 };
			struct replica_key *key = ARENA_NEW(g->arena, struct replica_key);
			*key = (struct replica_key){ &g->s->roles[i], k };
			plan_replica_name(r, k, &name);
			map_put(&g->names, g->arena, str_copy(g->arena, buf_text(&name)), key);
			buf_release(&name);
		}
	}
}

/* By name; the Job controller appends a random part of its own. */
static struct replica_key *named(const struct gathering *g, struct str name)
{
	struct replica_key *key = map_get(&g->names, name);
	const char *dash = key || !name.n ? NULL : memrchr(name.p, '-', name.n);

	return dash ? map_get(&g->names, (struct str){ name.p, (size_t)(dash - name.p) }) : key;
}

static bool belongs(const struct gathering *g, const struct data *o)
{
	struct str ns = status_text(o, "metadata.namespace");
	const struct data *labels = status_path(o, "metadata.labels");
	const struct data *job = labels && labels->kind == DATA_MAP ? data_get(labels, STR("trainc.dev/job")) : NULL;

	return (!ns.n || str_eq(ns, plan_namespace(g->s->job)) || !g->s->job->ns.set) &&
		(!job || (job->kind == DATA_STRING && str_eq(job->u.string, g->s->job->name)));
}

/* ---- pods ---- */

static void first_failure(struct gathering *g, const struct replica_key *key, const struct pod_view *v)
{
	struct status_failure *f = &g->s->failure;
	bool stopped = v->deleting && (v->exit_code == 143 || v->exit_code == 137);

	if (v->exit_code <= 0 || stopped)
		return;
	bool earlier = !f->known || v->finished < f->time ||
		(v->finished == f->time && ((f->signal && !v->signal) || (!f->signal == !v->signal && key->index < f->index)));
	if (earlier)
		*f = (struct status_failure){ true, key->role->role, key->index, v->finished, v->exit_code, v->signal, v->cause, v->log };
}

static void worse(struct status_role *r, enum cluster_state state, struct str cause)
{
	if (state < r->state || (state == r->state && !r->cause.n)) {
		r->state = state;
		r->cause = cause;
	}
}

static void pod(struct gathering *g, const struct data *o)
{
	struct replica_key *key = named(g, status_text(o, "metadata.name"));

	if (!key || !belongs(g, o))
		return;
	struct status_role *r = key->role;
	struct pod_view v = pod_judge(g->arena, o, r->role->main.name, g->now);
	g->seen = true;
	r->active += v.running;
	r->ready += v.running && v.ready;
	r->succeeded += v.succeeded;
	r->failed += v.failed;
	r->restarts += v.restarts;
	enum replica_state *at = &r->at[key->index];
	*at = v.succeeded ? REPLICA_SUCCEEDED : v.failed ? REPLICA_FAILED : v.running ? v.ready ? REPLICA_READY : REPLICA_STARTED : *at;
	/* No code: evicted, or another container failed; that may be tried again (operator-semantics.md, section 7). */
	if (v.failed && v.exit_code > 0)
		r->retryable = r->retryable && attempt_judge(r->role, v.exit_code, false, 0) != ATTEMPT_FAILED;
	if (v.state != CLUSTER_SUCCEEDED)
		worse(r, v.failed && v.state == CLUSTER_RUNNING ? CLUSTER_TERMINATING : v.state, v.cause);
	if (v.failed)
		first_failure(g, key, &v);
}

/* ---- Jobs: S-10 to S-15 ---- */

static struct status_role *role_of_job(struct gathering *g, const struct data *o)
{
	struct str name = status_text(o, "metadata.name");
	struct replica_key *key = map_get(&g->names, name);

	for (size_t i = 0; i < g->s->job->nroles; i++)
		if (str_eq(g->s->job->roles[i].object, name))
			return &g->s->roles[i];
	return key ? key->role : NULL;
}

static struct str condition_cause(struct arena *a, const struct data *c)
{
	struct str reason = status_text(c, "reason"), message = status_text(c, "message");

	return str_printf(a, "%.*s%s%.*s", STR_ARG(reason), message.n ? ": " : "", STR_ARG(message));
}

static void job(struct gathering *g, const struct data *o)
{
	struct status_role *r = role_of_job(g, o);
	const struct data *suspend = status_path(o, "spec.suspend"), *labels = status_path(o, "metadata.labels"), *c;

	if (!r || !belongs(g, o))
		return;
	g->seen = true;
	g->deleting = g->deleting || status_text(o, "metadata.deletionTimestamp").n;
	if ((c = status_condition_true(o, "Failed")))
		g->failed_job = c;
	else if ((c = status_condition_true(o, "FailureTarget")))
		g->failing_job = c;
	else if ((c = status_condition_true(o, "Complete")))
		g->complete_job = c;
	else if ((c = status_condition_true(o, "SuccessCriteriaMet")))
		g->completing_job = c;
	else if (suspend && suspend->kind == DATA_BOOL && suspend->u.boolean) {
		g->suspended = true;
		g->queued = g->queued || (labels && labels->kind == DATA_MAP && data_get(labels, STR("kueue.x-k8s.io/queue-name")));
	}
	if (status_condition_true(o, "Complete")) {     /* its pods may be gone already */
		r->succeeded = r->succeeded > status_number(o, "status.succeeded", 0) ? r->succeeded : status_number(o, "status.succeeded", 0);
		for (int64_t i = 0; i < r->role->max; i++)
			if (str_eq(status_text(o, "metadata.name"), r->role->object))
				r->at[i] = REPLICA_SUCCEEDED;
	}
}

/* ---- the run ---- */

static bool asks(const struct status *s, const struct plan_condition *c)
{
	struct role_states *states = NULL;
	struct arena scratch = { 0 };
	bool holds = false;

	if (c) {
		states = ARENA_ARRAY(&scratch, struct role_states, s->job->nroles);
		for (size_t i = 0; i < s->job->nroles; i++)
			states[i] = (struct role_states){ s->roles[i].at, (size_t)s->job->roles[i].max };
		holds = condition_holds(s->job, c, states);
	}
	arena_release(&scratch);
	return holds;
}

static bool any_active(const struct status *s)
{
	for (size_t i = 0; i < s->job->nroles; i++)
		if (s->roles[i].active)
			return true;
	return false;
}

/* Roles that failed for good, and those that begin again. */
static void failures(const struct status *s, bool running, bool *ret_final, bool *ret_again)
{
	for (size_t i = 0; i < s->job->nroles; i++) {
		const struct status_role *r = &s->roles[i];
		bool in_place = r->role->restart.set && !str_is(r->role->restart.value, "never");
		if (r->failed <= role_spare_replicas(r->role) || r->role->aux)
			continue;
		bool may = in_place || (r->role->has_retry_on && r->retryable);
		enum failure_effect effect = failure_judge(r->role, may);
		*ret_again = *ret_again || effect == FAILURE_RESTARTS || (effect == FAILURE_PASSES && may && !running);
		*ret_final = *ret_final || effect == FAILURE_ENDS;
	}
}

static void add_condition(struct status *s, const char *type) { s->conditions[s->nconditions++] = type; }

static void conclude(struct gathering *g)
{
	struct status *s = g->s;
	bool success = asks(s, s->job->success), final = g->failed_job || g->failing_job, again = false;
	bool running = s->job->running ? asks(s, s->job->running) : any_active(s);

	if (!success)
		failures(s, running, &final, &again);
	add_condition(s, "Created");
	if (g->suspended && !success && !final)
		add_condition(s, "Suspended");
	else if (success)
		add_condition(s, "Succeeded");
	else if (final)
		add_condition(s, "Failed");
	else if (again)
		add_condition(s, "Restarting");
	else if (running)
		add_condition(s, "Running");
	s->state = success ? any_active(s) ? CLUSTER_COMPLETING : CLUSTER_SUCCEEDED :
		final ? any_active(s) || g->failing_job ? CLUSTER_FAILING : CLUSTER_FAILED :
		g->deleting ? CLUSTER_TERMINATING : g->suspended ? g->queued ? CLUSTER_QUEUED : CLUSTER_SUSPENDED :
		again ? CLUSTER_DEGRADED : CLUSTER_RUNNING;
	const struct data *verdict = g->failed_job ? g->failed_job : g->failing_job;
	if (verdict)
		s->cause = condition_cause(g->arena, verdict);
	else if (success)
		s->cause = plan_condition_text(g->arena, s->job, s->job->success);
}

/* What has not come so far yet holds the run back: the worst role decides. */
static void hold_back(struct status *s, struct arena *a)
{
	int64_t ready = 0, desired = 0;

	for (size_t i = 0; i < s->job->nroles; i++) {
		struct status_role *r = &s->roles[i];
		if (r->role->aux || !r->desired)
			continue;
		ready += r->ready + r->succeeded;
		desired += r->desired;
		if (s->state == CLUSTER_RUNNING && r->state < CLUSTER_RUNNING) {
			s->state = r->state == CLUSTER_FAILED ? CLUSTER_DEGRADED : r->state;
			s->cause = r->cause;
		}
	}
	if (s->state == CLUSTER_RUNNING && ready < desired)
		s->state = CLUSTER_STARTING;
	if (s->state == CLUSTER_STARTING && !s->cause.n)
		s->cause = str_printf(a, "%lld/%lld ready", (long long)ready, (long long)desired);
}

static void role_ends(struct status_role *r)
{
	if (r->state == CLUSTER_ABSENT)
		r->state = r->desired && r->succeeded >= r->desired ? CLUSTER_SUCCEEDED : CLUSTER_PENDING;
}

struct status status_of(struct arena *a, const struct plan_job *j, const struct status_objects *o, int64_t now)
{
	struct status s = { .job = j, .roles = ARENA_ARRAY(a, struct status_role, j->nroles) };
	struct gathering g = { .arena = a, .s = &s, .now = now };

	for (size_t i = 0; i < j->nroles; i++)
		s.roles[i] = (struct status_role){ .role = &j->roles[i], .desired = j->roles[i].max, .state = CLUSTER_ABSENT, .retryable = true,
			.at = ARENA_ARRAY(a, enum replica_state, (size_t)j->roles[i].max) };
	name_replicas(&g);
	for (size_t i = 0; i < o->n; i++) {
		struct str kind = status_text(o->at[i], "kind");
		if (str_is(kind, "Pod"))
			pod(&g, o->at[i]);
		else if (str_is(kind, "Job"))
			job(&g, o->at[i]);
	}
	if (!g.seen) {
		s.state = CLUSTER_ABSENT;
		s.cause = STR("none of its objects are there");
		return s;
	}
	for (size_t i = 0; i < j->nroles; i++)
		role_ends(&s.roles[i]);
	conclude(&g);
	hold_back(&s, a);
	return s;
}
