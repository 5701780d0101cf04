/*
 * replica_pod.c - see replica_pod.h. The pod of a replica needs one list. Only a replica without a pod needs the
 * watches of the run, which say why there is none.
 */
#include "runtime/cluster/replica_pod.h"

#include "runtime/run/cells.h"
#include "runtime/status/look.h"

/* The fields of a pod that are read here: the index of a replica may be in any label, or in an annotation. */
static const char *const pod_keep[] = { "metadata.name", "metadata.namespace", "metadata.uid",
	"metadata.resourceVersion", "metadata.creationTimestamp", "metadata.deletionTimestamp", "metadata.labels",
	"metadata.ownerReferences", "metadata.annotations.[batch.kubernetes.io/job-completion-index]", "status.phase",
	"spec.containers.name", "spec.containers.stdin", "spec.containers.tty", NULL };

/* Is pod A a better choice than B? A pod that is being deleted is used if there is no other, and then the newest. */
static bool is_better(const struct member *a, const struct member *b)
{
	if (!b || a->deleting != b->deleting)
		return !b || !a->deleting;
	return str_cmp(status_text(a->object, "metadata.creationTimestamp"),
		status_text(b->object, "metadata.creationTimestamp")) >= 0;
}

/* The best of the pods of one index. */
static const struct member *best_pod(const struct members *same, bool starting)
{
	const struct member *best = NULL;

	for (size_t i = 0; same && i < same->n; i++) {
		const struct member *m = &same->at[i];
		struct str phase = status_text(m->object, "status.phase");
		if ((str_is(phase, "Running") || (starting && str_is(phase, "Pending"))) && is_better(m, best))
			best = m;
	}
	return best;
}

/* Sorts pods by their index, so that each replica is found without going through all of them. */
static void sort_by_index(struct arena *a, const struct members *all, struct map *ret)
{
	for (size_t i = 0; i < all->n; i++) {
		struct str index = status_pod_index(all->at[i].object);
		struct members *same = map_get(ret, index);
		if (!same) {
			same = ARENA_NEW(a, struct members);
			*same = (struct members){ 0 };
			map_put(ret, a, index, same);
		}
		ARENA_PUSH(a, same->at, same->n, all->at[i]);
	}
}

void replica_pod_say_none(struct session *s, struct run_watch *w, struct str role, int64_t index)
{
	const struct run_role *r = run_find_role(&w->state, role);
	struct str cause = r && index < r->max ? r->at[index].cause : STR("");

	if (!cause.n)
		cause = r && r->cause.n ? r->cause : w->state.cause;
	session_say(s, "%.*s/%lld of run '%.*s' does not run now%s%.*s; 'trainc why %.*s' says more", STR_ARG(role),
		(long long)index, STR_ARG(w->name), cause.n ? ": " : "", STR_ARG(cause), STR_ARG(w->name));
}

void replica_say_no_role(struct session *s, const struct run_watch *w, struct str role)
{
	const struct plan_job *j = &cluster_watch_of(w)->plan;
	struct str *roles = ARENA_ARRAY(s->arena, struct str, j->nroles);

	for (size_t i = 0; i < j->nroles; i++)
		roles[i] = j->roles[i].name;
	session_say(s, "%.*s", STR_ARG(run_lacks_role(s->arena, w->name, role, roles, j->nroles)));
}

static bool has_replica(struct session *s, const struct run_watch *w, const struct plan_role *r, struct str role,
	int64_t index)
{
	if (!r)
		replica_say_no_role(s, w, role);
	else if (index >= r->max)
		session_say(s, "role '%.*s' has replicas 0 to %lld, not %lld", STR_ARG(role), (long long)r->max - 1,
			(long long)index);
	return r && index < r->max;
}

bool replica_pods_list(struct session *s, struct run_watch *w, const struct plan_role *r, struct replica_pods *ret,
	int *ret_status)
{
	const struct cluster_watch *c = cluster_watch_of(w);
	struct member_query q = { .resource = *resource_known(STR(""), STR("Pod")), .ns = c->ns, .keep = pod_keep,
		.selector = str_printf(s->arena, "trainc.dev/job=%.*s,trainc.dev/role=%.*s", STR_ARG(w->name),
			STR_ARG(r->label)) };

	struct members all = members_list(&c->cluster->client, s->arena, &q, 1);

	*ret = (struct replica_pods){ .role = r, .ns = c->ns };
	sort_by_index(s->arena, &all, &ret->by_index);
	if (all.failed)
		*ret_status = cluster_say(c->cluster, all.failed);
	return !all.failed;
}

bool replica_pods_pick(struct arena *a, const struct replica_pods *pods, int64_t index, bool starting,
	struct replica_pod *ret)
{
	const struct member *best = best_pod(map_get(&pods->by_index, str_int(a, index)), starting);

	if (!best)
		return false;
	*ret = (struct replica_pod){ .role = pods->role->name, .index = index, .plan = pods->role, .ns = pods->ns,
		.name = best->name, .uid = best->uid, .object = best->object, .deleting = best->deleting,
		.owned = status_controller(best->object) };
	return true;
}

bool replica_pod_find(struct session *s, struct run_watch *w, struct str role, int64_t index, bool starting,
	struct replica_pod *ret, int *ret_status)
{
	const struct cluster_watch *c = cluster_watch_of(w);
	const struct plan_role *r = run_plan_role(&c->plan, role);
	struct replica_pods pods;

	*ret_status = STATUS_USAGE;
	if (!has_replica(s, w, r, role, index) || !replica_pods_list(s, w, r, &pods, ret_status))
		return false;
	if (replica_pods_pick(s->arena, &pods, index, starting, ret)) {
		ret->role = role;
		return true;
	}
	if (cluster_watch_start(c->cluster, ret_status)) {
		*ret_status = STATUS_CONFLICT;
		replica_pod_say_none(s, w, role, index);
	}
	return false;
}
