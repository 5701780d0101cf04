/* gather.c - assigns pods and Jobs by their labels and owners. */
#include "runtime/status/gather.h"

#include "base/words.h"

#include <stdlib.h>

struct replica_key {
	struct gathered_part *part;
	int64_t index;
};

/* ---- which object belongs to whom ---- */

static bool belongs(const struct gathering *g, const struct data *o)
{
	struct str ns = status_text(o, "metadata.namespace"), job = status_label(o, "trainc.dev/job");

	return (!ns.n || str_eq(ns, plan_namespace(g->job)) || !g->job->ns.set) &&
		(!job.n || str_eq(job, g->job->name));
}

static struct gathered_part *labelled(const struct gathering *g, const struct data *o)
{
	struct str role = status_label(o, "trainc.dev/role");

	for (size_t i = 0; role.n && status_label(o, "trainc.dev/job").n && i < g->job->nroles; i++)
		if (str_eq(g->job->roles[i].label, role))
			return &g->parts[i];
	return NULL;
}

/*
 * The role of a pod or Job that the controller of the run's JobSet created, found by that controller's labels. If the
 * run has only one role, the name of the set of Jobs does not matter.
 */
static struct gathered_part *of_set(const struct gathering *g, const struct data *o)
{
	struct str name = status_label(o, "jobset.sigs.k8s.io/replicatedjob-name");
	struct gathered_part *only = NULL;
	size_t n = 0;

	if (!str_eq(status_label(o, "jobset.sigs.k8s.io/jobset-name"), g->job->name))
		return NULL;
	for (size_t i = 0; i < g->job->nroles; i++) {
		if (str_eq(g->job->roles[i].label, name))
			return &g->parts[i];
		if (g->job->roles[i].max && !g->job->roles[i].aux && !n++)
			only = &g->parts[i];
	}
	return n == 1 ? only : NULL;
}

/* The first replica of the slice that a pod or Job belongs to, from the label that the JobSet's controller writes. */
static int64_t first_of_slice(const struct plan_role *r, const struct data *o)
{
	int64_t slice = 0;

	if (plan_is_sliced(r))
		str_number(status_label(o, "jobset.sigs.k8s.io/job-index"), 9, &slice);
	return slice * plan_slice_size(r);
}

/* The replica at a place of the plan; an empty key for NULL. */
static struct replica_key key_of(struct gathering *g, const struct replica_place *p)
{
	return p ? (struct replica_key){ &g->parts[p->role], p->index } : (struct replica_key){ 0 };
}

/* Finds the replica of an object by the object's labels, otherwise by its name. */
static bool replica_of(struct gathering *g, const struct data *o, struct replica_key *ret)
{
	struct gathered_part *part = labelled(g, o);

	*ret = (struct replica_key){ .part = part ? part : of_set(g, o) };
	if (ret->part && str_number(status_pod_index(o), 9, &ret->index))
		ret->index += first_of_slice(ret->part->plan, o);
	else
		*ret = key_of(g, replica_names_of_pod(&g->names, status_text(o, "metadata.name")));
	return ret->part && ret->index < ret->part->plan->max;
}

/* ---- pods ---- */

/*
 * Compares the records of two failed pods: 1 if A reported its error first, -1 if B reported first, 0 if the records do
 * not decide. The record of a process that failed only because it lost another process comes last. The times of
 * containers are in whole seconds, so within a second a pod with a record comes first.
 */
static int told_before(const struct pod_view *a, const struct pod_view *b)
{
	const struct last_words *x = &a->words, *y = &b->words;
	int64_t from = (x->time ? x->time : a->finished) / NS_PER_SECOND;
	int64_t to = (y->time ? y->time : b->finished) / NS_PER_SECOND;

	if (x->follows != y->follows)
		return y->follows ? 1 : -1;
	if ((!x->time && !y->time) || (from == to && x->time == y->time))
		return 0;
	if (from != to)
		return from < to ? 1 : -1;
	if (!x->time || !y->time)
		return x->time ? 1 : -1;
	return x->time < y->time ? 1 : -1;
}

/*
 * Is failure A the cause rather than B? The order of precedence is: the earliest record, the earliest end, an end
 * without a signal (a signal often follows another failure), the lowest rank. A failure after which the replica
 * restarts comes last.
 */
static bool blames(const struct failing *a, const struct failing *b)
{
	if (a->view.again != b->view.again)
		return b->view.again;
	if (told_before(&a->view, &b->view))
		return told_before(&a->view, &b->view) > 0;
	if (a->view.finished != b->view.finished)
		return a->view.finished < b->view.finished;
	if (!a->view.signal != !b->view.signal)
		return b->view.signal;
	if (a->part != b->part)
		return a->part < b->part;
	return a->index != b->index ? a->index < b->index :
		str_cmp(a->pod->name, b->pod->name) < 0;
}

const struct failing *gathered_failure(const struct gathering *g, const struct gathered_part *part)
{
	const struct failing *first = NULL;

	for (size_t i = 0; i < g->nfailing; i++) {
		struct failing *f = &g->failing[i];
		f->view.again = f->view.again || f->part->at[f->index].pod != f->pod;
		if ((!part || f->part == part) && (!first || blames(f, first)))
			first = f;
	}
	return first;
}

struct str failing_words(struct arena *a, const struct failing *f)
{
	const struct pod_view *v = &f->view;
	struct str how = v->again || !v->cause.n ? v->why : v->cause;
	bool coded = v->exit_code < 0 || text_holds(how, "exit code") || text_holds(how, "killed by");

	how = coded ? how : str_printf(a, "%.*s (exit code %d)", STR_ARG(how), v->exit_code);
	how = v->words.time ? text_cause(a, how, v->words.text) : how;
	return str_printf(a, "%.*s %lld: %.*s", STR_ARG(f->part->plan->name), (long long)f->index, STR_ARG(how));
}

/* Notes which pods wait for claims of their own that report a problem. The claim of such a pod is called POD-VOLUME. */
static void note_claims(struct gathering *g)
{
	for (size_t i = 0; i < g->events.n; i++) {
		const struct event *e = g->events.all[i];
		if (!e->warning || !str_is(e->kind, "PersistentVolumeClaim"))
			continue;
		for (size_t k = 1; k < e->name.n; k++) {
			struct str pod = { e->name.p, k };
			if (e->name.p[k] == '-' && !map_get(&g->claims, pod))
				map_put_const(&g->claims, g->arena, pod, e);
		}
	}
}

/* The cause of pod NAME. The scheduler only says that a claim has no volume; the claim says why. */
static struct str cause_of(const struct gathering *g, const struct pod_view *v, struct str name)
{
	const struct event *e = v->node.n || !text_holds(v->cause, "PersistentVolumeClaim") ? NULL :
		map_get(&g->claims, name);

	return e ? text_cause(g->arena, v->reason, e->message) : v->cause;
}

/* Is P the later of two pods of a replica? */
static bool later(const struct gathered_pod *p, const struct gathered_pod *other)
{
	return p->made != other->made ? p->made > other->made : str_cmp(p->name, other->name) > 0;
}

/* Keeps the newest warning about an object of the run. */
static void note_warning(struct gathering *g, const struct data *o)
{
	const struct event *e = events_newest(&g->events, status_text(o, "kind"), status_text(o, "metadata.name"),
		NULL);

	if (e)
		ARENA_PUSH(g->arena, g->warnings, g->nwarnings, e);
}

/*
 * Adds a pod to the pods of its replica. Most replicas have a single pod, so more room is allocated only for the second
 * pod.
 */
static void note_life(struct gathering *g, struct gathered_replica *r, const struct attempts_pod *life)
{
	struct attempts_pod *first = r->pods;

	if (!r->npods) {
		r->pods = ARENA_NEW(g->arena, struct attempts_pod);
		r->pods[r->npods++] = *life;
		return;
	}
	if (r->npods == 1) {
		r->npods = 0;
		ARENA_PUSH(g->arena, r->pods, r->npods, *first);
	}
	ARENA_PUSH(g->arena, r->pods, r->npods, *life);
}

/* Judges a pod, and keeps no reference to the pod's tree. */
static void pod(void *to, const struct data *o)
{
	struct gathering *g = to;
	struct replica_key key;

	if (!belongs(g, o) || !replica_of(g, o, &key))
		return;
	struct gathered_pod *now = ARENA_NEW(g->arena, struct gathered_pod);
	*now = (struct gathered_pod){ str_copy(g->arena, status_text(o, "metadata.name")),
		status_time(o, "metadata.creationTimestamp") };
	struct gathered_replica *r = &key.part->at[key.index];
	struct pod_view v = pod_judge(g->arena, o, plan_label(g->arena, key.part->plan->main.name), &g->events, g->now),
		old = r->view;
	v.cause = cause_of(g, &v, now->name);
	const struct data *down = map_get(&g->nodes, v.node);
	if (down && v.running && !v.deleting) {         /* the last report of the pod's node may be outdated */
		v.phase = RUN_UNKNOWN;
		v.reason = STR("NodeNotReady");
		v.cause = str_printf(g->arena, "node %.*s is not ready", STR_ARG(v.node));
	}
	bool newest = !r->pod || later(now, r->pod);
	if (r->pod) {
		const struct pod_view *before = newest ? &old : &v;
		r->failures += before->failed && !before->disrupted;
		r->restarts += before->restarts;
		if (before->finished > (newest ? v : old).restarted && before->failed)
			(newest ? &v : &old)->restarted = before->finished;
	}
	bool told = v.words.time && !v.words.follows;
	bool stopped = v.deleting && (v.exit_code == 143 || v.exit_code == 137) && !told;
	bool matters = role_required(g->job, key.part->plan) && failure_judge(key.part->plan, false) != FAILURE_PASSES;
	if ((v.failed || (v.again && v.exit_code > 0)) && !stopped && matters) {
		struct failing f = { key.part, key.index, now, v };
		ARENA_PUSH(g->arena, g->failing, g->nfailing, f);
	}
	if (v.begin && (!r->first || v.begin < r->first))
		r->first = v.begin;
	pod_spans(g->arena, o, plan_label(g->arena, key.part->plan->main.name), &r->spans, &r->nspans);
	struct attempts_pod life = { now->made, 1 + v.own_restarts, now->name, attempts_lives(o),
		!v.deleting && !v.succeeded && !v.failed };
	note_life(g, r, &life);
	r->view = newest ? v : old;
	r->pod = newest ? now : r->pod;
	g->npods++;
	note_warning(g, o);
}

/* ---- Jobs ---- */

/* Marks replica INDEX of the Job as succeeded.  The context is the first replica that the Job represents. */
static void done(void *context, int64_t index) { ((struct gathered_replica *)context)[index].done = true; }
static void lost(void *context, int64_t index) { ((struct gathered_replica *)context)[index].lost = true; }

/* Is NAME the Job of the role? The Job is called J-R or, in a JobSet, J-R-0, or J-R-N for slice N. */
static bool is_job_of(const struct plan_role *r, struct str name)
{
	if (!r->in_set)
		return str_eq(name, r->object);
	int64_t slice = 0;
	if (r->unrolled || name.n < r->object.n + 2 || !str_starts(name, r->object) || name.p[r->object.n] != '-')
		return false;
	return str_number((struct str){ name.p + r->object.n + 1, name.n - r->object.n - 1 }, 9, &slice) &&
		slice < plan_slices(r);
}

/*
 * The replica that the Job NAME represents. Such a Job has the name of the replica's pod; in a JobSet, the name of the
 * pod without the last number.
 */
static struct replica_key replica_of_job(struct gathering *g, struct str name)
{
	struct replica_key key = key_of(g, replica_names_find(&g->names, name));

	if (key.part)
		return key;
	key = key_of(g, replica_names_find(&g->names, str_cat(g->arena, name, STR("-"), STR("0"))));
	return key.part && key.part->plan->in_set && key.part->plan->unrolled ? key : (struct replica_key){ 0 };
}

/*
 * Does the Job have several pods, so that it does not represent a single replica? The name does not decide: a Job of a
 * JobSet may have a name that a replica could have.
 */
static bool part_of_many(const struct data *job)
{
	return status_number(job, "spec.completions", 1) > 1 || status_number(job, "spec.parallelism", 1) > 1;
}

/* Assigns a Job to its role, or to its replica. */
static void job(struct gathering *g, const struct data *o)
{
	struct str name = status_text(o, "metadata.name");
	struct gathered_part *part = labelled(g, o);
	struct replica_key key = { 0 };

	if (!part_of_many(o))
		key = replica_of_job(g, name);
	part = part ? part : of_set(g, o);
	for (size_t i = 0; !part && i < g->job->nroles; i++)
		if (is_job_of(&g->job->roles[i], name))
			part = &g->parts[i];
	if (!part)
		part = key.part;
	if (!part || !belongs(g, o))
		return;
	note_warning(g, o);
	int64_t from = key.part ? key.index : first_of_slice(part->plan, o);
	int64_t n = key.part ? 1 : plan_slice_size(part->plan);
	if (from + n > part->plan->max)
		return;                 /* the Job belongs to a slice that the program no longer has */
	struct part_job mine = { o, key.part ? key.index : -1, from, from + n };
	ARENA_PUSH(g->arena, part->jobs, part->njobs, mine);
	attempts_before_add(&part->before, o);
}

/* Marks the replicas that a Job of PART reports as succeeded or failed for good. */
static void mark_replicas(struct gathered_part *part, const struct part_job *j)
{
	const struct data *o = j->object;
	int64_t n = j->to - j->from;
	bool complete = status_condition_true(o, "Complete") != NULL,
		failed = status_condition_true(o, "Failed") != NULL;

	if (j->index >= 0) {
		part->at[j->index].done = complete;
		part->at[j->index].lost = failed;
		return;
	}
	job_indexes(status_text(o, "status.completedIndexes"), n, done, &part->at[j->from]);
	job_indexes(status_text(o, "status.failedIndexes"), n, lost, &part->at[j->from]);
	/* the pods may be gone, but the Job has met its own success rule */
	for (int64_t i = j->from; complete && i < j->to; i++)
		part->at[i].done = true;
	if (part->plan->elastic)
		part->desired = status_number(o, "spec.parallelism", part->desired);
	if (part->desired > part->plan->max || part->desired < 0)
		part->desired = part->plan->max;
}

/* Compares two Jobs by name; Jobs of the same name keep the order in which they were listed. */
static int jobs_by_name(const void *one, const void *other)
{
	const struct data *a = ((const struct part_job *)one)->object, *b = ((const struct part_job *)other)->object;
	int order = str_cmp(status_text(a, "metadata.name"), status_text(b, "metadata.name"));

	return order ? order : (a->from.start > b->from.start) - (a->from.start < b->from.start);
}

/*
 * Orders the Jobs of a part by name, so that the order of the objects does not matter when two Jobs report the same
 * replica.
 */
static void mark_jobs(struct gathered_part *part)
{
	if (part->njobs > 1)
		qsort(part->jobs, part->njobs, sizeof *part->jobs, jobs_by_name);
	for (size_t i = 0; i < part->njobs; i++)
		mark_replicas(part, &part->jobs[i]);
}

/* ---- others ---- */

static bool owned(const struct gathering *g, const struct data *o)
{
	const struct data *list = status_list(o, "metadata.ownerReferences");

	for (size_t i = 0; i < list->u.list.n; i++) {
		struct str name = status_text(list->u.list.at[i], "name");
		if (str_eq(name, g->job->name))
			return true;
		for (size_t k = 0; k < g->job->nroles; k++)
			if (str_eq(name, g->job->roles[k].object))
				return true;
	}
	return false;
}

static bool claimed(const struct gathering *g, struct str name)
{
	for (size_t i = 0; i < g->job->nroles; i++) {
		const struct plan_container *c = &g->job->roles[i].main;
		for (size_t k = 0; k < c->nmounts; k++)
			if (c->mounts[k].volume->kind == VOLUME_PVC && str_eq(c->mounts[k].volume->name, name))
				return true;
	}
	return false;
}

static bool is_of_run(const struct gathering *g, const struct data *o)
{
	struct str name = status_text(o, "metadata.name");

	if (str_is(status_text(o, "kind"), "PersistentVolumeClaim") && claimed(g, name))
		return true;
	return status_label(o, "trainc.dev/job").n || str_eq(name, g->job->name) || owned(g, o);
}

/*
 * Does A take precedence over B? Of two objects that represent the run, the object without an owner takes precedence.
 */
static bool above(const struct data *a, const struct data *b)
{
	size_t owners = status_list(a, "metadata.ownerReferences")->u.list.n,
		others = status_list(b, "metadata.ownerReferences")->u.list.n;

	return !owners != !others ? !owners : str_cmp(status_text(a, "kind"), status_text(b, "kind")) > 0;
}

static void other(struct gathering *g, const struct data *o)
{
	if (!belongs(g, o) || !is_of_run(g, o))
		return;
	note_warning(g, o);
	if (!object_is_part(o) && str_eq(status_text(o, "metadata.name"), g->job->name))
		g->whole = g->whole && above(g->whole, o) ? g->whole : o;
	else
		ARENA_PUSH(g->arena, g->others, g->nothers, o);
}

/* ---- entry point ---- */

static bool is_batch_job(const struct data *o)
{
	return str_is(status_text(o, "kind"), "Job") &&
		(!status_text(o, "apiVersion").n || str_starts(status_text(o, "apiVersion"), STR("batch/")));
}

/* Is the kind irrelevant to the run? Objects of such a kind are only looked up, or they are not objects at all. */
static bool is_noise(struct str kind)
{
	return !kind.n || str_is(kind, "Event") || str_is(kind, "Node") || str_is(kind, "EndpointSlice") ||
		str_is(kind, "StorageClass");
}

static void take_event(void *to, const struct data *o) { events_add(to, o); }

static void sort_objects(struct gathering *g)
{
	for (size_t i = 0; i < g->all->n; i++) {
		const struct data *o = g->all->at[i];
		struct str kind = status_text(o, "kind");
		if (str_is(kind, "EndpointSlice"))
			looked_up_slice(&g->looked_up, g->arena, o);
		else if (str_is(kind, "StorageClass"))
			map_put(&g->looked_up.classes, g->arena, status_text(o, "metadata.name"), (void *)(uintptr_t)o);
		else if (str_is(kind, "Event"))
			events_add(&g->events, o);
		else if (str_is(kind, "Node") && status_condition(o, "Ready") && !status_condition_true(o, "Ready"))
			map_put(&g->nodes, g->arena, status_text(o, "metadata.name"),
				(void *)(uintptr_t)status_condition(o, "Ready"));
	}
	if (g->all->many)
		g->all->many(g->all->from, "Event", take_event, &g->events);
	events_sort(&g->events);
	note_claims(g);
	for (size_t i = 0; i < g->all->n; i++) {
		const struct data *o = g->all->at[i];
		struct str kind = status_text(o, "kind");
		if (str_is(kind, "Pod"))
			pod(g, o);
		else if (is_batch_job(o))
			job(g, o);
		else if (!is_noise(kind))
			other(g, o);
	}
	if (g->all->many)
		g->all->many(g->all->from, "Pod", pod, g);
	for (size_t i = 0; i < g->job->nroles; i++)
		mark_jobs(&g->parts[i]);
}

int64_t gathered_copies(const struct gathering *g, const struct plan_cell *c)
{
	int64_t n = c->max;

	for (size_t i = 0; i < g->job->nroles; i++) {
		const struct gathered_part *p = &g->parts[i];
		for (size_t k = 0; k < p->njobs && str_eq(p->plan->cell, c->name); k++)
			if (p->plan->copy < n && status_annotation(p->jobs[k].object, SCALED_ANNOTATION).n)
				n = p->plan->copy;
	}
	for (size_t i = 0; i < g->nothers; i++) {       /* one object may hold all copies */
		const struct workload *w = workload_named(status_text(g->others[i], "kind"));
		if (w && w->id == WORKLOAD_GROUP &&
		    str_eq(status_label(g->others[i], "trainc.dev/cell"), plan_label(g->arena, c->name)))
			n = status_number(g->others[i], "spec.replicas", n);
	}
	return n < c->min ? c->min : n > c->max ? c->max : n;
}

/* Marks the roles of copies that the run should not have. */
static void mark_unwanted(struct gathering *g)
{
	for (size_t i = 0; i < g->job->ncells; i++) {
		const struct plan_cell *c = &g->job->cells[i];
		int64_t n = c->min < c->max ? gathered_copies(g, c) : c->max;
		for (size_t k = 0; k < g->job->nroles && n < c->max; k++) {
			struct gathered_part *p = &g->parts[k];
			if (p->plan->copy < n || !str_eq(p->plan->cell, c->name))
				continue;
			p->unwanted = true;
			p->desired = 0;
		}
	}
}

struct gathering gather_objects(struct arena *a, const struct plan_job *j, const struct status_objects *o, int64_t now)
{
	struct gathering g = { .arena = a, .job = j, .now = now, .all = o, .events = { .arena = a },
		.names = { .arena = a, .job = j },
		.parts = ARENA_ARRAY(a, struct gathered_part, j->nroles) };

	for (size_t i = 0; i < j->nroles; i++)
		g.parts[i] = (struct gathered_part){ .plan = &j->roles[i], .desired = j->roles[i].max,
			.at = ARENA_ARRAY(a, struct gathered_replica, (size_t)j->roles[i].max),
			.states = ARENA_ARRAY(a, enum replica_state, (size_t)j->roles[i].max),
			.judged = ARENA_ARRAY(a, enum replica_state, (size_t)j->roles[i].max) };
	sort_objects(&g);
	mark_unwanted(&g);
	return g;
}

bool gathered_any(const struct gathering *g)
{
	for (size_t i = 0; i < g->job->nroles; i++)
		if (g->parts[i].njobs)
			return true;
	return g->npods || g->whole;
}
