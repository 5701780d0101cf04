/*
 * apply_look.c - finds the existing objects of a program's runs. A single run is found by its name, and its members by
 * its id. Many runs are found with one list for each kind in their namespace; labels say which object belongs to which
 * run.
 */
#include "base/words.h"
#include "data/data_read.h"
#include "runtime/cluster/apply.h"
#include "runtime/cluster/tree_diff.h"
#include "runtime/command/runs.h"
#include "runtime/run/plan_record.h"
#include "runtime/status/look.h"
#include "runtime/status/status.h"

enum { ALONE_MOST = 4 };        /* up to this number, runs are read one by one */

/*
 * Makes a plan from the run's record. So the plan belongs to the program that was applied, even if the program has
 * changed since.
 */
static bool recorded_plan(struct applying *p, struct plan_job *ret)
{
	struct source source = { .text = p->before.plan, .base = 1 };
	struct data_error error;
	struct data *d;
	struct str why;

	return data_read_json(p->arena, &source, &d, &error) && plan_record_read(p->arena, d, ret, &why);
}

static void leave_apply(struct applying *p, struct fleet *f, int status)
{
	p->status = runs_worse(p->status, status);
	p->going = false;
	f->going--;
}

/* Reads the parent of each run; a run whose parent cannot be used is not applied. */
static void look_at_parents(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		int status;
		if (!p->going)
			continue;
		if (!cluster_parent(p->cluster, p->job->name, p->ns, &p->before, &status)) {
			leave_apply(p, f, status);
		} else if (p->before.there && p->session->number) {
			p->session->taken = true;       /* its number was free when it was chosen */
			leave_apply(p, f, STATUS_CONFLICT);
		} else if (p->before.deleting) {
			session_say(p->session, "run '%.*s' is being deleted; wait until it is gone",
				STR_ARG(p->job->name));
			leave_apply(p, f, STATUS_CONFLICT);
		} else if (apply_is_busy(p)) {
			leave_apply(p, f, STATUS_CONFLICT);
		}
	}
}

/* Does the state of a run depend on objects of this kind? A watch of the run covers the same kinds. */
static bool has_state(const struct resource *r)
{
	return cluster_watches_kind(r) || str_is(r->kind, "Job") || str_is(r->kind, "Pod");
}

/*
 * If the pods of run P could not be read but are needed, gives up P and returns true. The first such run reports the
 * reason (SAID). A user who may not list pods can apply nevertheless: the Jobs are enough to tell whether a run has
 * ended. The state that is shown (p->seen) needs the pods.
 */
static bool lacks_pods(struct applying *p, struct fleet *f, const struct members *pods, bool *said)
{
	bool interrupted = p->cluster->interrupted;

	if (!pods->failed || !(p->seen || interrupted))
		return false;
	if (!*said)
		cluster_say(p->cluster, pods->failed);
	*said = true;
	leave_apply(p, f, interrupted ? cluster_interrupted(p->cluster) : pods->failed->status);
	return true;
}

/* Determines the state of a run before anything is changed. */
static void judge_before(struct applying *p, const struct members *pods)
{
	struct status_objects objects = { 0 };
	struct plan_job *plan = ARENA_NEW(p->arena, struct plan_job);

	if (!recorded_plan(p, plan))
		return;
	for (size_t i = 0; i < p->members.n; i++)
		if (has_state(&p->members.at[i].resource))
			ARENA_PUSH(p->arena, objects.at, objects.n, p->members.at[i].object);
	for (size_t i = 0; i < pods->n; i++)
		ARENA_PUSH(p->arena, objects.at, objects.n, pods->at[i].object);
	objects.restart = p->before.restart;
	p->state = status_of(p->arena, plan, &objects,
		clock_real() + transport_clock_offset(p->cluster->client.transport));
}

static struct member_query pods_of(const struct applying *p, struct str selector)
{
	return (struct member_query){ .resource = *resource_known(STR(""), STR("Pod")), .ns = p->ns,
		.selector = selector };
}

/* ---- changes by others ---- */

/* Does a queue that starts the pods write this field, so that they run on the nodes that the queue has chosen? */
static bool is_of_queue(const struct data *object, struct str path)
{
	static const char *const placed[] = { "template.spec.tolerations", "template.spec.nodeSelector",
		"template.spec.affinity", "template.spec.schedulingGates" };

	for (size_t i = 0; i < sizeof placed / sizeof *placed; i++)
		if (text_holds(path, placed[i]))
			return status_label(object, "kueue.x-k8s.io/queue-name").n > 0;
	return false;
}

/*
 * Fields that the server, a queue or a command of trainc changes later: `apply` keeps what it finds. The server moves
 * `stringData`, and lists leave out the kind.
 */
static bool is_kept_live(const struct data *object, struct str path)
{
	return str_is(path, "spec.suspend") || str_is(path, "kind") || str_is(path, "apiVersion") ||
		str_starts(path, STR("stringData")) || is_of_queue(object, path);
}

bool apply_is_size(struct str path)
{
	return str_is(path, "spec.parallelism") || str_is(path, "spec.completions") || str_is(path, "spec.replicas");
}

/* The first field of the existing object M that differs from the program; one other than the size, if possible. */
static struct str drift_of(const struct applying *p, const struct member *m)
{
	struct str size = STR("");

	for (size_t i = 0; i < p->wanted.n; i++) {
		const struct wanted *w = &p->wanted.at[i];
		if (!str_eq(w->from->name, m->name) || !str_eq(w->resource.kind, m->resource.kind) ||
			!str_eq(w->resource.group, m->resource.group) || !str_eq(w->ns, m->ns) ||
			w->from->generated.n)
			continue;
		struct tree_differences all = tree_diff(p->arena, w->tree, m->object);
		for (size_t k = 0; k < all.n; k++) {
			if (is_kept_live(m->object, all.at[k].path))
				continue;
			if (!apply_is_size(all.at[k].path))
				return all.at[k].path;
			size = all.at[k].path;
		}
	}
	return size;
}

static struct str compare_alone(void *to, const struct member *m) { return drift_of(to, m); }

/* TO: the runs by the label of their objects. */
static struct str compare_together(void *to, const struct member *m)
{
	const struct applying *p = map_get(to, status_label(m->object, APPLYSET_PART_OF));

	return p ? drift_of(p, m) : STR("");
}

/* Reads the members and pods of one run: one list for each kind, and one for the pods. */
static void look_alone(struct applying *p, struct fleet *f)
{
	struct cluster *k = p->cluster;
	bool said = false;
	struct member_query q = pods_of(p, str_cat(p->arena, STR("trainc.dev/job="), p->job->name, STR("")));

	p->members = members_compared(&k->client, p->arena, &p->before, compare_alone, p);
	if (p->members.failed) {
		leave_apply(p, f, cluster_say(k, p->members.failed));
		return;
	}
	struct members pods = members_list(&k->client, p->arena, &q, 1);
	if (!lacks_pods(p, f, &pods, &said))
		judge_before(p, &pods);
}

/* ---- many runs ---- */

/* Finds all kinds of the runs in namespace NS; false: some of the runs' objects are in other namespaces. */
static bool queries_of(struct fleet *f, struct str ns, struct map *ids, struct member_query **ret, size_t *n)
{
	struct arena *a = f->at->arena;

	for (size_t i = 0; i < f->n; i++) {
		const struct applying *p = &f->at[i];
		if (!p->going || !p->before.there || !str_eq(p->ns, ns))
			continue;
		for (size_t x = 0; x < p->before.napplied; x++)
			if (p->before.applied[x].ns.n && !str_eq(p->before.applied[x].ns, ns))
				return false;
		map_put(ids, a, p->id, (void *)(uintptr_t)p);
		for (size_t x = 0; x < p->before.nkinds; x++) {
			struct member_query q = { .resource = p->before.kinds[x], .ns = ns,
				.selector = STR(APPLYSET_PART_OF), .compare = compare_together, .to = ids };
			bool known = false;
			for (size_t m = 0; m < *n && !known; m++)
				known = str_eq((*ret)[m].resource.kind, q.resource.kind) &&
					str_eq((*ret)[m].resource.group, q.resource.group);
			if (!known)
				ARENA_PUSH(a, *ret, *n, q);
		}
	}
	return true;
}

/* Sorts objects by the value of a label, so that each run finds its own without going through all of them. */
static void sort_by_label(struct arena *a, const struct members *all, const char *label, struct map *ret)
{
	for (size_t i = 0; i < all->n; i++) {
		struct str key = status_label(all->at[i].object, label);
		struct members *own = map_get(ret, key);
		if (!own) {
			own = ARENA_NEW(a, struct members);
			map_put(ret, a, key, own);
		}
		ARENA_PUSH(a, own->at, own->n, all->at[i]);
	}
}

/* Reads the runs of one namespace, with one list for each kind. */
static void look_together(struct fleet *f, struct str ns)
{
	struct cluster *k = f->at->cluster;
	struct arena *a = f->at->arena;
	struct member_query *queries = NULL, pods = { .resource = *resource_known(STR(""), STR("Pod")), .ns = ns,
		.selector = STR("trainc.dev/job") };
	struct members every = { 0 };
	struct map members = { 0 }, runs = { 0 }, ids = { 0 };
	bool said = false;
	size_t n = 0;

	bool together = queries_of(f, ns, &ids, &queries, &n);
	if (together && n) {
		struct members all = members_list(&k->client, a, queries, n);
		every = members_list(&k->client, a, &pods, 1);
		together = !all.failed;
		sort_by_label(a, &all, APPLYSET_PART_OF, &members);
		sort_by_label(a, &every, "trainc.dev/job", &runs);
	}
	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		static const struct members none = { 0 };
		if (!p->going || !p->before.there || p->looked || !str_eq(p->ns, ns))
			continue;
		p->looked = true;
		if (!together) {
			look_alone(p, f);
			continue;
		}
		const struct members *own = map_get(&members, p->id), *mine = map_get(&runs, p->job->name);
		p->members = own ? *own : none;
		if (!lacks_pods(p, f, &every, &said))
			judge_before(p, mine ? mine : &none);
	}
}

/* Reads the members and pods of the runs whose parents exist. */
static void look_at_runs(struct fleet *f, bool many)
{
	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		if (!p->going || !p->before.there || p->looked)
			continue;
		if (many)
			look_together(f, p->ns);
		else
			look_alone(p, f);
	}
}

void apply_look_at(struct fleet *f)
{
	bool many = f->going > ALONE_MOST;

	for (size_t i = 0; i < f->n && many; i++)
		if (f->at[i].going && !cluster_list_parents(f->at[i].cluster, f->at[i].ns))
			many = false;
	look_at_parents(f);
	look_at_runs(f, many);
}

void apply_look_again(struct fleet *f)
{
	f->going = 0;
	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		p->going = p->seen = p->mode == APPLY_REAL && p->wait && p->now.there;
		p->looked = false;
		f->going += p->going;
		if (!p->going)
			continue;
		p->before = p->now;
		p->state = (struct run_state){ .name = p->job->name, .ns = p->ns, .phase = RUN_UNKNOWN,
			.cause = STR("its state could not be read") };
	}
	look_at_runs(f, f->going > ALONE_MOST);
}
