/*
 * fit_queue.c - checks the quota of a Kueue queue: each role gets the first flavor of its ClusterQueue that has room
 * for the whole role.
 */
#include "runtime/fit/fit.h"
#include "runtime/status/look.h"

struct quota_queue {
	struct fit_cluster *cluster;
	const struct fit_job *job;
	const struct data *object;      /* the object of the ClusterQueue */
	struct str cohort;
	bool empty;
	struct map assigned;            /* "FLAVOR RESOURCE" -> int64_t, the amount assigned to earlier roles */
};

static const struct data *find_queue(const struct status_objects *all, struct str name, struct str ns)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(status_text(all->at[i], "metadata.name"), name) &&
		    (!ns.n || str_eq(status_text(all->at[i], "metadata.namespace"), ns)))
			return all->at[i];
	return NULL;
}

static const struct data *named(const struct data *list, struct str name)
{
	for (size_t i = 0; i < list->u.list.n; i++)
		if (str_eq(status_text(list->u.list.at[i], "name"), name))
			return list->u.list.at[i];
	return NULL;
}

static int64_t amount_of(const struct data *d, const char *path, struct str resource)
{
	return d ? fit_amount(status_path(d, path), str_is(resource, "cpu")) : 0;
}

/* The quota of a ClusterQueue for a resource in a flavor, and how much of it is used. */
static int64_t nominal_of(const struct data *queue, struct str flavor, struct str resource)
{
	const struct data *groups = status_list(queue, "spec.resourceGroups");
	int64_t sum = 0;

	for (size_t i = 0; i < groups->u.list.n; i++) {
		const struct data *f = named(status_list(groups->u.list.at[i], "flavors"), flavor);
		sum += f ? amount_of(named(status_list(f, "resources"), resource), "nominalQuota", resource) : 0;
	}
	return sum;
}

static int64_t used_of(const struct data *queue, struct str flavor, struct str resource)
{
	const struct data *f = named(status_list(queue, "status.flavorsReservation"), flavor);

	return f ? amount_of(named(status_list(f, "resources"), resource), "total", resource) : 0;
}

static struct str cohort_of(const struct data *queue)
{
	struct str name = status_text(queue, "spec.cohortName");

	return name.n ? name : status_text(queue, "spec.cohort");
}

/* The amount left for this queue: the rest of its own quota, and the amount that it may borrow from its cohort. */
static int64_t left_of(const struct quota_queue *q, struct str flavor, const struct data *resource)
{
	const struct fit_cluster *c = q->cluster;
	struct str name = status_text(resource, "name");
	int64_t own = nominal_of(q->object, flavor, name) - (q->empty ? 0 : used_of(q->object, flavor, name)), sum = 0;
	const struct data *borrow = status_path(resource, "borrowingLimit");

	if (!q->cohort.n)
		return own;
	for (size_t i = 0; i < c->queues.n; i++)
		if (str_eq(cohort_of(c->queues.at[i]), q->cohort))
			sum += nominal_of(c->queues.at[i], flavor,
				name) - (q->empty ? 0 : used_of(c->queues.at[i], flavor, name));
	int64_t most = borrow ? own + fit_amount(borrow, str_is(name, "cpu")) : sum;
	return sum < most ? sum : most;
}

/*
 * Does the flavor agree with the node selector of the pods? A label that both of them specify must have the same value.
 */
static bool labels_agree(const struct fit_shape *s, const struct data *flavor)
{
	const struct data *labels = status_path(flavor, "spec.nodeLabels"), *own = status_path(s->spec, "nodeSelector");

	for (size_t i = 0; labels && own && labels->kind == DATA_MAP && i < labels->u.map.n; i++) {
		const struct data *want = data_get(own, labels->u.map.at[i].key), *have = labels->u.map.at[i].value;
		if (want && (want->kind != DATA_STRING || have->kind != DATA_STRING ||
		    !str_eq(want->u.string, have->u.string)))
			return false;
	}
	return true;
}

/* Does the topology have that level? A topology that was not read counts as having every level. */
static bool has_level(const struct quota_queue *q, struct str topology, struct str level)
{
	const struct data *found = find_queue(&q->cluster->topologies, topology, STR("")),
		*levels = found ? status_list(found, "spec.levels") : NULL;

	for (size_t i = 0; levels && i < levels->u.list.n; i++)
		if (str_eq(status_text(levels->u.list.at[i], "nodeLabel"), level))
			return true;
	return !levels;
}

/*
 * Why the pods of S cannot use the flavor: the end of a sentence that begins with the flavor. NULL: the pods can use
 * it.
 */
static const char *unsuited(const struct quota_queue *q, const struct fit_shape *s, const struct data *flavor)
{
	struct str topology = flavor ? status_text(flavor, "spec.topologyName") : STR("");

	if (!flavor)
		return "does not exist";
	if (s->topological && !topology.n)
		return "has no topology, which 'place' needs";
	if ((s->level.n && !has_level(q, topology, s->level)) || (s->slice.n && !has_level(q, topology, s->slice)))
		return "has no level in its topology for 'place'";
	if (!fit_tolerates(s->spec, flavor, status_list(flavor, "spec.nodeTaints")))
		return "has a taint that it does not tolerate";
	return labels_agree(s, flavor) ? NULL : "has other labels than it selects";
}

static int64_t *assigned_to(struct quota_queue *q, struct str flavor, struct str resource)
{
	struct arena *a = q->cluster->arena;
	struct str key = str_cat(a, flavor, STR(" "), resource);
	int64_t *n = map_get(&q->assigned, key);

	if (!n) {
		n = ARENA_NEW(a, int64_t);
		map_put(&q->assigned, a, key, n);
	}
	return n;
}

static int64_t asks_for(const struct quota_queue *q, const struct fit_shape *s, struct str resource)
{
	for (size_t k = 0; k < q->cluster->resources.n; k++)
		if (str_eq(q->cluster->resources.at[k], resource))
			return s->count * s->need[k];
	return 0;
}

/* Tries one flavor; on success its amounts are assigned. */
static bool assign(struct quota_queue *q, const struct fit_shape *s, const struct data *flavor, struct buf *why)
{
	const struct data *resources = status_list(flavor, "resources");
	struct str name = status_text(flavor, "name");

	for (size_t i = 0; i < resources->u.list.n; i++) {
		struct str resource = status_text(resources->u.list.at[i], "name");
		int64_t asks = asks_for(q, s, resource),
			left = left_of(q, name, resources->u.list.at[i]) - *assigned_to(q, name, resource);
		if (asks <= left)
			continue;
		size_t k = fit_resource(&q->cluster->resources, resource);
		buf_printf(why, "%squeue '%.*s' has ", why->n ? "; " : "", STR_ARG(q->job->queue));
		fit_put_amount(&q->cluster->resources, k, left > 0 ? left : 0, why);
		buf_printf(why, "%s in flavor '%.*s', %.*s asks for ", q->empty ? "" : " left", STR_ARG(name),
			STR_ARG(s->role));
		fit_put_amount(&q->cluster->resources, k, asks, why);
		return false;
	}
	for (size_t i = 0; i < resources->u.list.n; i++) {
		struct str resource = status_text(resources->u.list.at[i], "name");
		*assigned_to(q, name, resource) += asks_for(q, s, resource);
	}
	return true;
}

/* Does the resource group cover any resource that S requests? */
static bool concerns(const struct quota_queue *q, const struct fit_shape *s, const struct data *group)
{
	const struct data *covered = status_list(group, "coveredResources");

	for (size_t i = 0; i < covered->u.list.n; i++)
		if (covered->u.list.at[i]->kind == DATA_STRING && asks_for(q, s, covered->u.list.at[i]->u.string) > 0)
			return true;
	return false;
}

static bool assign_group(struct quota_queue *q, const struct fit_shape *s, const struct data *group,
	const struct data **ret, struct buf *why)
{
	const struct data *flavors = status_list(group, "flavors");
	struct str unfit = STR("");
	const char *reason = NULL;
	size_t before = why->n;

	for (size_t i = 0; i < flavors->u.list.n; i++) {
		const struct data *f = find_queue(&q->cluster->flavors, status_text(flavors->u.list.at[i], "name"),
			STR(""));
		const char *no = unsuited(q, s, f);
		if (no && !reason) {
			reason = no;
			unfit = status_text(flavors->u.list.at[i], "name");
		}
		if (no || !assign(q, s, flavors->u.list.at[i], why))
			continue;
		why->n = before;                /* the reasons from flavors tried before do not matter */
		if (status_path(f, "spec.nodeLabels") || status_path(f, "spec.tolerations"))
			*ret = f;
		return true;
	}
	if (why->n > before)
		return false;
	buf_printf(why, "%sno flavor of queue '%.*s' suits %.*s", why->n ? "; " : "", STR_ARG(q->job->queue),
		STR_ARG(s->role));
	if (reason)
		buf_printf(why, ": '%.*s' %s", STR_ARG(unfit), reason);
	return false;
}

/* Is the resource covered by a group? A resource that no group covers is never admitted. */
static bool is_covered(const struct quota_queue *q, const struct fit_shape *s, struct buf *why)
{
	const struct data *groups = status_list(q->object, "spec.resourceGroups");

	for (size_t k = 0; k < q->cluster->resources.n; k++) {
		bool covered = !s->need[k] || k == FIT_PODS;
		for (size_t i = 0; i < groups->u.list.n && !covered; i++) {
			const struct data *list = status_list(groups->u.list.at[i], "coveredResources");
			for (size_t n = 0; n < list->u.list.n && !covered; n++)
				covered = list->u.list.at[n]->kind == DATA_STRING &&
					str_eq(list->u.list.at[n]->u.string, q->cluster->resources.at[k]);
		}
		if (covered)
			continue;
		buf_printf(why, "%squeue '%.*s' has no quota for %.*s", why->n ? "; " : "", STR_ARG(q->job->queue),
			STR_ARG(q->cluster->resources.at[k]));
		return false;
	}
	return true;
}

/* Is the LocalQueue or the ClusterQueue stopped, or not open to this namespace? If so, WHY gets the reason. */
static bool is_closed(const struct quota_queue *q, const struct data *local, struct buf *why)
{
	const struct data *both[] = { local, q->object }, *selector = status_path(q->object, "spec.namespaceSelector");

	for (size_t i = 0; i < 2; i++) {
		struct str policy = status_text(both[i], "spec.stopPolicy");
		if (!policy.n || str_is(policy, "None"))
			continue;
		buf_printf(why, "%squeue '%.*s' is stopped (stopPolicy %.*s)", why->n ? "; " : "",
			STR_ARG(q->job->queue), STR_ARG(policy));
		return true;
	}
	if (selector && selector->kind == DATA_MAP)
		return false;                   /* labels of namespaces are not read */
	buf_printf(why, "%squeue '%.*s' takes no runs of namespace '%.*s': its ClusterQueue has no namespaceSelector",
		why->n ? "; " : "", STR_ARG(q->job->queue), STR_ARG(q->job->ns));
	return true;
}

bool fit_queue(struct fit_cluster *c, const struct fit_job *job, bool empty, const struct data **ret, struct buf *why)
{
	const struct data *local = job->queue.n ? find_queue(&c->local_queues, job->queue, job->ns) : NULL;
	struct quota_queue q = { .cluster = c, .job = job, .empty = empty };
	bool ok = true;

	if (!job->queue.n || (!local && !c->queues.n))
		return true;                    /* without objects of Kueue the queue cannot be judged */
	q.object = local ? find_queue(&c->queues, status_text(local, "spec.clusterQueue"), STR("")) : NULL;
	if (!q.object) {
		buf_printf(why, "%squeue '%.*s' does not exist in namespace '%.*s'", why->n ? "; " : "",
			STR_ARG(job->queue), STR_ARG(job->ns));
		return false;
	}
	if (is_closed(&q, local, why))
		return false;
	q.cohort = cohort_of(q.object);
	const struct data *groups = status_list(q.object, "spec.resourceGroups");
	for (size_t i = 0; i < job->n; i++) {
		ok = is_covered(&q, &job->shapes[i], why) && ok;
		for (size_t k = 0; k < groups->u.list.n && ok; k++)
			if (concerns(&q, &job->shapes[i], groups->u.list.at[k]))
				ok = assign_group(&q, &job->shapes[i], groups->u.list.at[k], &ret[i], why);
	}
	return ok;
}
