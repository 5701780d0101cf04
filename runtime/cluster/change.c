/*
 * change.c - changes the size of a role or of a cell, and suspends and resumes runs. The patches contain only the
 * fields that change.
 */
#include <stdlib.h>

#include "runtime/cluster/cluster_watch.h"
#include "runtime/cluster/vouch.h"
#include "runtime/command/runs.h"
#include "runtime/run/cells.h"
#include "runtime/status/attempts.h"
#include "runtime/status/look.h"
#include "runtime/status/status_job.h"

#define MANAGER_SCALE "trainc-scale"
#define MANAGER_SUSPEND "trainc-suspend"

/* Builds a merge patch of one object, sent under the name of one of our field managers. */
static struct transport_request patch(struct cluster *k, const struct resource *r, struct str ns, struct str name,
	const char *manager, struct str body)
{
	struct transport_pair *query = ARENA_ARRAY(k->arena, struct transport_pair, 1);

	query[0] = (struct transport_pair){ STR("fieldManager"), str_of(manager) };
	return (struct transport_request){ .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE,
		.path = resource_path(k->arena, r, ns, name),
		.content_type = STR("application/merge-patch+json"), .query = query, .nquery = 1, .body = body };
}

/* Sends the patches in B; reports each one that fails. */
static bool changed_all(struct cluster *k, struct batch *b, int *ret_status)
{
	batch_wait(b);
	*ret_status = STATUS_DONE;
	for (size_t i = 0; i < b->n; i++)
		if (b->answers[i]->class != CALL_DONE)
			*ret_status = runs_worse(*ret_status, cluster_say(k, b->answers[i]));
	if (k->signal)
		*ret_status = cluster_interrupted(k);
	return *ret_status == STATUS_DONE;
}

/* ---- scale: a role ---- */

static bool refuse_change(struct cluster *k, struct str sentence, int *ret_status)
{
	session_say(k->session, "%.*s", STR_ARG(sentence));
	*ret_status = STATUS_REFUSED;
	return false;
}

/* Are the Jobs of the run about to be replaced, so that no change to them would last? Reports it if so. */
static bool is_restarting(struct cluster *k, const struct cluster_watch *c, int *ret_status)
{
	bool whole_due = c->watch->state.restart_due && !c->watch->state.restart_copy.n;

	if (!whole_due && !c->parent.restart.going)
		return false;
	session_say(k->session, "run '%.*s' is being restarted; repeat this when it runs again",
		STR_ARG(c->watch->name));
	*ret_status = STATUS_CONFLICT;
	return true;
}

/* Has the run ended? Reports it if so. */
static bool has_ended_already(struct cluster *k, const struct run_watch *w, int *ret_status)
{
	if (!run_phase_final(w->state.phase) || w->state.phase == RUN_UNKNOWN)
		return false;
	session_say(k->session, "run '%.*s' has ended: %s", STR_ARG(w->name), run_phase_word(w->state.phase));
	*ret_status = STATUS_CONFLICT;
	return true;
}

/* Reports a Job that does not vouch for the record, which has the limits of sizes. */
static bool refuse_unvouched(struct cluster *k, struct str job, struct str run, int *ret_status)
{
	return refuse_change(k, str_printf(k->arena, "Job '%.*s' does not vouch for the record of run '%.*s': "
		"somebody may have changed the record, and 'trainc apply' with the program restores it", STR_ARG(job),
		STR_ARG(run)), ret_status);
}

static bool may_scale(struct cluster *k, const struct cluster_watch *c, const struct plan_role *r, int64_t n,
	int *ret_status)
{
	if (has_ended_already(k, c->watch, ret_status) || is_restarting(k, c, ret_status))
		return false;
	if (!r->elastic)
		return refuse_change(k, str_printf(k->arena,
			"role '%.*s' always has %lld replica%s; write 'replicas = 1:%lld' to make it elastic",
			STR_ARG(r->name), (long long)r->max, r->max == 1 ? "" : "s", (long long)r->max), ret_status);
	if (n < r->min || n > r->max)
		return refuse_change(k, str_printf(k->arena, "role '%.*s' has between %lld and %lld replicas, not %lld",
			STR_ARG(r->name), (long long)r->min,
			(long long)r->max, (long long)n), ret_status);
	if (r->segment > 1 && n % r->segment)
		return refuse_change(k, str_printf(k->arena,
			"role '%.*s' is placed in segments of %lld replicas, which do not divide %lld: scale to %lld",
			STR_ARG(r->name), (long long)r->segment, (long long)n,
			(long long)(n - n % r->segment >= r->min ? n - n % r->segment : r->min)), ret_status);
	if (c->plan.controller || r->unrolled || r->in_set)
		return refuse_change(k, str_printf(k->arena,
			"role '%.*s' is not one Job of its own; change 'replicas' in the program and apply it",
			STR_ARG(r->name)), ret_status);
	return true;
}

/*
 * May the size of a live Job change? A Job that Kueue may start with fewer pods keeps its size while it runs: Kueue's
 * webhook refuses another one.
 */
static bool may_resize(struct cluster *k, const struct run_watch *w, const struct plan_role *r,
	const struct data *live, int64_t n, int *ret_status)
{
	const struct data *suspended = status_path(live, "spec.suspend");
	int64_t size = status_number(live, "spec.parallelism", 1);

	if (!status_annotation(live, "kueue.x-k8s.io/job-min-parallelism").n || size == n ||
		(suspended && suspended->kind == DATA_BOOL && suspended->u.boolean))
		return true;
	return refuse_change(k, str_printf(k->arena,
		"Kueue has started role '%.*s' with %lld replica%s, and keeps that number while they run; "
		"'trainc suspend %.*s', scale and 'trainc resume %.*s' start it again with another",
		STR_ARG(r->name), (long long)size, size == 1 ? "" : "s", STR_ARG(w->name), STR_ARG(w->name)),
		ret_status);
}

static bool scale_role(struct session *s, struct run_watch *w, struct str role, struct str number, int *ret_status)
{
	struct cluster *k = cluster_of(s);
	const struct cluster_watch *c = cluster_watch_of(w);
	const struct plan_role *r = plan_find_role(&c->plan, role);
	const struct resource *job = resource_known(STR("batch"), STR("Job"));
	int64_t n = strtoll(number.p, NULL, 10);

	*ret_status = STATUS_USAGE;
	if (!r || !may_scale(k, c, r, n, ret_status))
		return false;
	struct answer *live = request_get(&k->client, k->arena, resource_path(k->arena, job, c->ns, r->object));
	if (live->class != CALL_DONE) {
		*ret_status = cluster_say(k, live);
		return false;
	}
	if (c->parent.there && !vouch_by(live->data, vouch_digest(k->arena, &c->parent)))
		return refuse_unvouched(k, r->object, w->name, ret_status);
	struct str uid = status_text(live->data, "metadata.uid");
	if (!may_resize(k, w, r, live->data, n, ret_status))
		return false;
	/*
	 * maxFailedIndexes is the number of replicas that may fail without preventing success; the API server requires
	 * all three fields in one request
	 */
	bool counted = live->data && status_path(live->data, "spec.maxFailedIndexes");
	struct str body = counted ? str_printf(k->arena,
		"{\"metadata\":{\"uid\":\"%.*s\"},\"spec\":{\"parallelism\":%lld,\"completions\":%lld,"
		"\"maxFailedIndexes\":%lld}}", STR_ARG(uid), (long long)n, (long long)n, (long long)(n - r->min))
		: str_printf(k->arena, "{\"metadata\":{\"uid\":\"%.*s\"},\"spec\":{\"parallelism\":%lld,"
		"\"completions\":%lld}}", STR_ARG(uid), (long long)n, (long long)n);
	struct transport_request q = patch(k, job, c->ns, r->object, MANAGER_SCALE, body);
	struct answer *x = request_send(&k->client, k->arena, &q, CALL_REPEAT);
	*ret_status = x->class == CALL_DONE ? STATUS_DONE : cluster_say(k, x);
	return x->class == CALL_DONE;
}

/* ---- suspend and resume ---- */

/* The highest attempt number of any replica of an object. */
static int64_t attempts_so_far(const struct cluster_watch *c, const struct member *m)
{
	struct str role = status_label(m->object, "trainc.dev/role");
	int64_t most = attempts_noted(m->object);       /* a suspended object has no pods to count, so its stored number
							 * is the minimum */

	for (size_t i = 0; i < c->plan.nroles && i < c->watch->state.nroles; i++) {
		const struct run_role *r = &c->watch->state.roles[i];
		for (int64_t k = 0; str_eq(c->plan.roles[i].label, role) && k < r->max; k++)
			most = r->at[k].attempts > most ? r->at[k].attempts : most;
	}
	return most;
}

/*
 * The patch that suspends or resumes an object; empty for an object that cannot be suspended. Suspending a Job deletes
 * its pods, so the number of the pods' attempts is stored in the Job. A Job that is resumed while it waits for another
 * role stays suspended and loses both annotations of job.h. A Job whose turn has come gets the annotation that it was
 * started.
 */
static struct str suspend_body(const struct cluster_watch *c, const struct member *m, bool suspend, bool waits)
{
	struct arena *a = c->cluster->arena;
	const char *word = suspend ? "true" : "false";
	bool job = str_is(m->resource.kind, "Job") && status_path(m->object, "spec.suspend");
	bool starts = !suspend && status_annotation(m->object, "trainc.dev/start-after").n;
	int64_t attempts = suspend && job ? attempts_so_far(c, m) : 0;
	struct str number = attempts ? str_printf(a, ",\"" ATTEMPTS_ANNOTATION "\":\"%lld\"", (long long)attempts)
		: STR("");

	if (job && waits)
		return STR("{\"metadata\":{\"annotations\":{\"" SUSPENDED_ANNOTATION "\":null,\"" STARTED_ANNOTATION
			"\":null}}}");
	if (job)
		return str_printf(a, "{\"metadata\":{\"annotations\":{\"" SUSPENDED_ANNOTATION "\":%s%.*s%s}},"
			"\"spec\":{\"suspend\":%s}}", suspend ? "\"true\"" : "null", STR_ARG(number), starts
			? ",\"" STARTED_ANNOTATION "\":\"true\"" : "", word);
	if (waits)
		return STR("");
	if (status_path(m->object, "spec.suspend"))
		return str_printf(a, "{\"spec\":{\"suspend\":%s}}", word);
	return status_path(m->object, "spec.runPolicy.suspend") ? str_printf(a,
		"{\"spec\":{\"runPolicy\":{\"suspend\":%s}}}", word) : STR("");
}

/*
 * Does the role wait for another role? Then its Job stays suspended until the command that attends the run resumes it.
 */
static bool waits(const struct cluster_watch *c, const struct member *m)
{
	struct str role = status_label(m->object, "trainc.dev/role");
	const struct role_states *states = run_role_states(c->cluster->arena, &c->plan, &c->watch->state);

	for (size_t i = 0; i < c->plan.nroles; i++)
		if (str_eq(c->plan.roles[i].label, role) && c->plan.roles[i].start_after)
			return !condition_holds(&c->plan, c->plan.roles[i].start_after, states);
	return false;
}

/* Is O owned by one of the objects? */
static bool owned_by(const struct data *o, const struct members *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (status_owned_by(o, all->at[i].uid))
			return true;
	return false;
}

/*
 * Adds the patches for a run in a Kueue queue. Kueue itself controls `suspend` of the Jobs, so the patches set `active`
 * of their Workloads, which is the field for users.
 */
static bool add_workloads(struct cluster *k, const struct cluster_watch *c, const struct members *all, bool suspend,
	struct batch *b, int *ret_status)
{
	static const char *const keep[] = { "metadata.name", "metadata.namespace", "metadata.uid",
		"metadata.ownerReferences", NULL };
	const struct resource *r = discovery_any(&k->discovery, STR("kueue.x-k8s.io"), STR("Workload"));
	struct member_query query = { .ns = c->ns, .keep = keep };
	struct members found = { 0 };

	if (r) {
		query.resource = *r;
		found = members_list(&k->client, k->arena, &query, 1);
	}
	size_t before = b->n;
	if (found.failed) {
		*ret_status = cluster_say(k, found.failed);
		return false;
	}
	for (size_t i = 0; i < found.n; i++) {
		const struct member *m = &found.at[i];
		if (!owned_by(m->object, all))
			continue;
		struct transport_request q = patch(k, r, m->ns, m->name, MANAGER_SUSPEND,
			suspend ? STR("{\"spec\":{\"active\":false}}") : STR("{\"spec\":{\"active\":true}}"));
		batch_add(b, &q, CALL_REPEAT);
	}
	if (b->n > before)
		return true;
	return refuse_change(k, str_printf(k->arena, "Kueue decides when run '%.*s' runs, and has not seen it yet: no "
		"Workload is of its objects; is Kueue's controller there?", STR_ARG(c->watch->name)), ret_status);
}

static bool add_objects(struct cluster *k, const struct cluster_watch *c, const struct members *all, bool suspend,
	struct batch *b, int *ret_status)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct member *m = &all->at[i];
		struct str body = suspend_body(c, m, suspend, !suspend && waits(c, m));
		if (!body.n)
			continue;
		struct transport_request q = patch(k, &m->resource, m->ns, m->name, MANAGER_SUSPEND, body);
		batch_add(b, &q, CALL_REPEAT);
	}
	return b->n || refuse_change(k, str_printf(k->arena, "nothing of run '%.*s' can be %s by trainc: use the "
		"tools of the controller that runs it", STR_ARG(c->watch->name), suspend ? "suspended" : "resumed"),
		ret_status);
}

/* The members without Jobs of copies that are not wanted, whatever the run does. */
static struct members wanted_members(struct cluster *k, const struct members *all)
{
	struct members some = { 0 };

	for (size_t i = 0; i < all->n; i++)
		if (!status_annotation(all->at[i].object, SCALED_ANNOTATION).n)
			ARENA_PUSH(k->arena, some.at, some.n, all->at[i]);
	return some;
}

/*
 * Can the members be suspended? Kueue ends the pods of a group that is held, and keeps them until others take their
 * place; those would have the same names.
 */
static bool may_suspend(struct cluster *k, const struct cluster_watch *c, const struct members *all, int *ret_status)
{
	for (size_t i = 0; str_is(c->plan.gang.value, "kueue") && i < all->n; i++)
		if (str_is(all->at[i].resource.kind, "Pod"))
			return refuse_change(k, str_printf(k->arena, "pods in a queue of Kueue cannot be suspended: "
				"delete run '%.*s', and apply it again later, or use the target 'jobs' or 'jobset'",
				STR_ARG(c->watch->name)), ret_status);
	return true;
}

static bool suspend_run(struct session *s, struct run_watch *w, bool suspend, int *ret_status)
{
	struct cluster *k = cluster_of(s);
	const struct cluster_watch *c = cluster_watch_of(w);
	struct batch b = batch_new(&k->client, k->arena);

	if (run_watch_over(w)) {
		session_say(s, "run '%.*s' has ended: %s", STR_ARG(w->name), run_phase_word(w->state.phase));
		*ret_status = STATUS_CONFLICT;
		return false;
	}
	if (is_restarting(k, c, ret_status))
		return false;
	struct members all = members_of(&k->client, k->arena, &c->parent);
	if (all.failed) {
		*ret_status = cluster_say(k, all.failed);
		return false;
	}
	struct members some = wanted_members(k, &all);
	if (suspend && !may_suspend(k, c, &all, ret_status))
		return false;
	if (!(str_is(c->plan.gang.value, "kueue") ? add_workloads : add_objects)(k, c, &some, suspend, &b, ret_status))
		return false;
	return changed_all(k, &b, ret_status);
}

/* ---- scale: the copies of a cell ---- */

/* Is the member a Job of CELL? Sets the number of its copy. */
static bool is_job_of_cell(struct cluster *k, const struct member *m, struct str cell, int64_t *ret_copy)
{
	struct str copy = status_label(m->object, "trainc.dev/copy");

	return str_is(m->resource.kind, "Job") && str_number(copy, 9, ret_copy) &&
		str_eq(status_label(m->object, "trainc.dev/cell"), plan_label(k->arena, cell));
}

/*
 * The patch of a Job, whose copy the run should have (WANTED) or not. The Job of a copy that is not wanted is
 * suspended, which ends its pods. A Job that comes back while it waits for another role stays suspended.
 */
static struct str copy_body(const struct cluster_watch *c, const struct member *m, bool wanted)
{
	bool queued = str_is(c->plan.gang.value, "kueue");      /* then Kueue sets `suspend`: see add_workloads() */
	struct arena *a = c->cluster->arena;
	struct str starts = status_annotation(m->object, "trainc.dev/start-after").n ?
		STR(",\"" STARTED_ANNOTATION "\":\"true\"") : STR("");
	int64_t attempts = attempts_so_far(c, m);
	struct str number = attempts ? str_printf(a, ",\"" ATTEMPTS_ANNOTATION "\":\"%lld\"", (long long)attempts)
		: STR("");

	if (!wanted)
		return str_printf(a, "{\"metadata\":{\"uid\":\"%.*s\",\"annotations\":{\"" SCALED_ANNOTATION
			"\":\"true\",\"" STARTED_ANNOTATION "\":null%.*s}}%s}", STR_ARG(m->uid), STR_ARG(number),
			queued ? "" : ",\"spec\":{\"suspend\":true}");
	bool stays = queued || waits(c, m);
	return str_printf(a, "{\"metadata\":{\"uid\":\"%.*s\",\"annotations\":{\"" SCALED_ANNOTATION
		"\":null%.*s}}%s}", STR_ARG(m->uid), STR_ARG(stays ? STR("") : starts),
		stays ? "" : ",\"spec\":{\"suspend\":false}");
}

static bool may_scale_cell(struct cluster *k, const struct cluster_watch *c, const struct run_cell *cell, int64_t n,
	int *ret_status)
{
	if (has_ended_already(k, c->watch, ret_status) || is_restarting(k, c, ret_status))
		return false;
	struct str refusal = run_cell_refusal(k->arena, cell, n);
	if (refusal.n)
		return refuse_change(k, refusal, ret_status);
	if (c->plan.controller || plan_each_replica(&c->plan))
		return refuse_change(k, str_printf(k->arena, "the copies of cell '%.*s' have no Jobs of their own; "
			"change 'copies' in the program and apply it", STR_ARG(cell->name)), ret_status);
	if (c->watch->state.phase == RUN_SUSPENDED)
		return refuse_change(k, str_printf(k->arena, "run '%.*s' is suspended; resume it first",
			STR_ARG(c->watch->name)), ret_status);
	return true;
}

/* Adds the patches of Jobs whose copies the run should have (WANTED) or not, those of Kueue first: it may refuse. */
static bool add_copies(struct cluster *k, const struct cluster_watch *c, const struct members *jobs, bool wanted,
	struct batch *b, int *ret_status)
{
	if (jobs->n && str_is(c->plan.gang.value, "kueue") && !add_workloads(k, c, jobs, !wanted, b, ret_status))
		return false;
	for (size_t i = 0; i < jobs->n; i++) {
		const struct member *m = &jobs->at[i];
		struct transport_request q = patch(k, &m->resource, m->ns, m->name, MANAGER_SCALE,
			copy_body(c, m, wanted));
		batch_add(b, &q, CALL_REPEAT);
	}
	return true;
}

/* Is the member the object of all copies of CELL? */
static bool is_set_of_cell(struct cluster *k, const struct member *m, struct str cell)
{
	const struct workload *w = workload_named(m->resource.kind);

	return w && w->id == WORKLOAD_GROUP &&
		str_eq(status_label(m->object, "trainc.dev/cell"), plan_label(k->arena, cell));
}

/* Adds the patch of the object that holds all copies of a cell. */
static void add_size(struct cluster *k, const struct member *m, int64_t n, struct batch *b)
{
	struct str body = str_printf(k->arena, "{\"metadata\":{\"uid\":\"%.*s\"},\"spec\":{\"replicas\":%lld}}",
		STR_ARG(m->uid), (long long)n);
	struct transport_request q = patch(k, &m->resource, m->ns, m->name, MANAGER_SCALE, body);

	batch_add(b, &q, CALL_REPEAT);
}

static bool scale_cell(struct session *s, struct run_watch *w, const struct run_cell *cell, int64_t n, int *ret_status)
{
	struct cluster *k = cluster_of(s);
	const struct cluster_watch *c = cluster_watch_of(w);
	struct batch b = batch_new(&k->client, k->arena);
	struct str digest = vouch_digest(k->arena, &c->parent);
	struct members come = { 0 }, go = { 0 };
	int64_t copy;

	if (!may_scale_cell(k, c, cell, n, ret_status))
		return false;
	struct members all = members_of(&k->client, k->arena, &c->parent);
	if (all.failed) {
		*ret_status = cluster_say(k, all.failed);
		return false;
	}
	for (size_t i = 0; i < all.n; i++) {
		const struct member *m = &all.at[i];
		if (is_set_of_cell(k, m, cell->name))
			add_size(k, m, n, &b);
		if (!is_job_of_cell(k, m, cell->name, &copy) ||
		    (status_annotation(m->object, SCALED_ANNOTATION).n > 0) == (copy >= n))
			continue;
		if (c->parent.there && !vouch_by(m->object, digest))
			return refuse_unvouched(k, m->name, w->name, ret_status);
		struct members *to = copy < n ? &come : &go;
		ARENA_PUSH(k->arena, to->at, to->n, *m);
	}
	if (!add_copies(k, c, &come, true, &b, ret_status) || !add_copies(k, c, &go, false, &b, ret_status))
		return false;
	return changed_all(k, &b, ret_status);
}

/* ---- entry points, which handle signals and --timeout ---- */

bool cluster_suspend(struct session *s, struct run_watch *w, bool suspend, int *ret_status)
{
	/* other commands follow their runs, and handle signals themselves */
	bool listen = s->options->command == COMMAND_SUSPEND || s->options->command == COMMAND_RESUME;

	if (listen)
		cluster_listen(cluster_of(s), true);
	bool ok = suspend_run(s, w, suspend, ret_status);
	if (listen)
		cluster_listen(cluster_of(s), false);
	return ok;
}

bool cluster_scale(struct session *s, struct run_watch *w, struct str role, struct str number, int *ret_status)
{
	cluster_listen(cluster_of(s), true);
	const struct run_cell *cell = run_find_cell(&w->state, role);
	bool ok = cell ? scale_cell(s, w, cell, strtoll(number.p, NULL, 10), ret_status) :
		scale_role(s, w, role, number, ret_status);
	cluster_listen(cluster_of(s), false);
	return ok;
}
