/*
 * fit_pod.c - reads the requests of the pods of a job.
 */
#include "runtime/fit/fit.h"

#include "kube/workload.h"
#include "runtime/status/look.h"

/* Adds the requests of one container; a resource with a limit and no request counts with its limit. */
static void add_requests(struct fit_resources *r, const struct data *container, int64_t *need, int64_t *limit)
{
	const struct data *requests = status_path(container, "resources.requests"),
		*limits = status_path(container, "resources.limits");

	for (size_t i = 0; limits && limits->kind == DATA_MAP && i < limits->u.map.n; i++) {
		size_t k = fit_resource(r, limits->u.map.at[i].key);
		int64_t n = fit_amount(limits->u.map.at[i].value, k == FIT_CPU);
		if (k == FIT_RESOURCES)
			continue;
		limit[k] += n;
		if (!requests || !data_get(requests, limits->u.map.at[i].key))
			need[k] += n;
	}
	for (size_t i = 0; requests && requests->kind == DATA_MAP && i < requests->u.map.n; i++) {
		size_t k = fit_resource(r, requests->u.map.at[i].key);
		if (k < FIT_RESOURCES)
			need[k] += fit_amount(requests->u.map.at[i].value, k == FIT_CPU);
	}
}

static void raise_to(int64_t *to, const int64_t *base, const int64_t *more)
{
	for (size_t i = 0; i < FIT_RESOURCES; i++)
		to[i] = to[i] > base[i] + more[i] ? to[i] : base[i] + more[i];
}

/*
 * Adds up the needs of a pod. Containers and sidecars run together; before that, each init container runs with the
 * sidecars that were started before it.
 */
void fit_pod_needs(struct fit_resources *r, const struct data *spec, int64_t *need, int64_t *limit)
{
	const struct data *containers = status_list(spec, "containers"), *inits = status_list(spec, "initContainers");
	int64_t sidecars[FIT_RESOURCES] = { 0 }, sidecar_limits[FIT_RESOURCES] = { 0 }, most[FIT_RESOURCES] = { 0 },
		most_limits[FIT_RESOURCES] = { 0 };

	for (size_t i = 0; i < containers->u.list.n; i++)
		add_requests(r, containers->u.list.at[i], need, limit);
	for (size_t i = 0; i < inits->u.list.n; i++) {
		int64_t own[FIT_RESOURCES] = { 0 }, own_limits[FIT_RESOURCES] = { 0 };
		const struct data *c = inits->u.list.at[i];
		bool stays = str_is(status_text(c, "restartPolicy"), "Always");
		add_requests(r, c, stays ? sidecars : own, stays ? sidecar_limits : own_limits);
		raise_to(most, sidecars, own);
		raise_to(most_limits, sidecar_limits, own_limits);
	}
	static const int64_t none[FIT_RESOURCES] = { 0 };
	for (size_t i = 0; i < FIT_RESOURCES; i++) {
		need[i] += sidecars[i];
		limit[i] += sidecar_limits[i];
	}
	raise_to(need, most, none);
	raise_to(limit, most_limits, none);
	const struct data *overhead = status_path(spec, "overhead");
	for (size_t i = 0; overhead && overhead->kind == DATA_MAP && i < overhead->u.map.n; i++) {
		size_t k = fit_resource(r, overhead->u.map.at[i].key);
		if (k < FIT_RESOURCES)
			need[k] += fit_amount(overhead->u.map.at[i].value, k == FIT_CPU);
	}
	need[FIT_PODS] = 1;
}


/* The number in an annotation; 0 if the text is not a number. */
static int64_t segment_size(struct str text)
{
	int64_t n;

	return str_number(text, 9, &n) ? n : 0;
}

static void add_shape(struct arena *a, struct fit_resources *r, const struct data *pod, struct str name, int64_t count,
	struct fit_job *job)
{
	struct fit_shape s = { .role = status_label(pod, "trainc.dev/role"), .count = count,
		.spec = status_path(pod, "spec"), .labels = status_path(pod, "metadata.labels"),
		.topology = status_annotation(pod, "kueue.x-k8s.io/podset-required-topology"),
		.group = status_annotation(pod, "kueue.x-k8s.io/podset-group-name") };
	const struct data *term = s.spec ? fit_own_term(s.spec, s.labels) : NULL;

	s.level = s.topology.n ? s.topology : status_annotation(pod, "kueue.x-k8s.io/podset-preferred-topology");
	s.topological = s.level.n || status_annotation(pod, "kueue.x-k8s.io/podset-unconstrained-topology").n;
	if (term && !s.topology.n) {
		s.topology = status_text(term, "topologyKey");
		s.with = status_path(term, "labelSelector");
	}

	s.slice = status_annotation(pod, "kueue.x-k8s.io/podset-slice-required-topology");
	s.size = s.slice.n ? segment_size(status_annotation(pod, "kueue.x-k8s.io/podset-slice-size")) : 0;
	if (!s.spec || count <= 0)
		return;
	if (!s.role.n)
		s.role = name;
	fit_pod_needs(r, s.spec, s.need, s.limit);
	/* a role that has one object for each replica is one shape */
	for (size_t i = 0; i < job->n; i++)
		if (str_eq(job->shapes[i].role, s.role) && !memcmp(job->shapes[i].need, s.need, sizeof s.need)) {
			job->shapes[i].count += count;
			return;
		}
	ARENA_PUSH(a, job->shapes, job->n, s);
}

static int64_t size_of_job(const struct data *spec)
{
	int64_t parallel = status_number(spec, "parallelism", 1),
		completions = status_number(spec, "completions", parallel);

	return completions < parallel ? completions : parallel;
}

/* Adds the pods of a Job, and the least number with which Kueue may start it, from an annotation. */
static void add_sized_job(struct arena *a, struct fit_resources *r, const struct data *object, struct str name,
	struct fit_job *job)
{
	const struct data *spec = status_path(object, "spec"), *template = spec ? status_path(spec, "template") : NULL;
	struct str least = status_annotation(object, "kueue.x-k8s.io/job-min-parallelism");
	size_t before = job->n;

	add_shape(a, r, template, name, size_of_job(spec), job);
	if (job->n > before)
		job->shapes[before].least = segment_size(least);
}

static void add_set(struct arena *a, struct fit_resources *r, const struct data *list, int64_t nodes,
	struct fit_job *job)
{
	for (size_t i = 0; i < list->u.list.n; i++) {
		const struct data *one = list->u.list.at[i], *spec = status_path(one, "template.spec");
		int64_t size = spec && status_path(spec, "parallelism") ? size_of_job(spec) : nodes;
		if (spec)
			add_shape(a, r, status_path(spec, "template"), status_text(one, "name"),
				status_number(one, "replicas", 1) * size, job);
	}
}

/* Adds the pods of a set of groups: in each group one of the leader's template, if there is one, and the rest. */
static void add_groups(struct arena *a, struct fit_resources *r, const struct data *spec, struct str name,
	struct fit_job *job)
{
	const struct data *leader = status_path(spec, "leaderWorkerTemplate.leaderTemplate"),
		*worker = status_path(spec, "leaderWorkerTemplate.workerTemplate");
	int64_t groups = status_number(spec, "replicas", 1), size = status_number(spec, "leaderWorkerTemplate.size", 1);

	if (leader)
		add_shape(a, r, leader, name, groups, job);
	if (size > (leader != NULL))
		add_shape(a, r, worker, name, groups * (size - (leader != NULL)), job);
}

/* Adds the pods of a Job of Volcano, from its list of tasks. */
static void add_tasks(struct arena *a, struct fit_resources *r, const struct data *list, struct fit_job *job)
{
	for (size_t i = 0; i < list->u.list.n; i++)
		add_shape(a, r, status_path(list->u.list.at[i], "template"), status_text(list->u.list.at[i], "name"),
			status_number(list->u.list.at[i], "replicas", 1), job);
}

/* Adds the pods of an operator's resource, from the map of roles in "FRAMEWORKReplicaSpecs". */
static bool add_operator(struct arena *a, struct fit_resources *r, const struct data *spec, struct fit_job *job)
{
	for (size_t i = 0; spec && spec->kind == DATA_MAP && i < spec->u.map.n; i++) {
		const struct data *roles = spec->u.map.at[i].value;
		if (!str_ends(spec->u.map.at[i].key, STR("ReplicaSpecs")) || roles->kind != DATA_MAP)
			continue;
		for (size_t k = 0; k < roles->u.map.n; k++)
			add_shape(a, r, status_path(roles->u.map.at[k].value, "template"), roles->u.map.at[k].key,
				status_number(roles->u.map.at[k].value, "replicas", 1), job);
		return true;
	}
	return false;
}

void fit_add_object(struct arena *a, struct fit_resources *r, const struct data *object, struct fit_job *job)
{
	struct str kind = status_text(object, "kind"), name = status_text(object, "metadata.name"),
		queue = status_label(object, "kueue.x-k8s.io/queue-name");
	const struct data *spec = status_path(object, "spec");
	const struct workload *w = workload_named(kind);

	if (queue.n)
		job->queue = queue;
	if (str_is(kind, "Job") && str_starts(status_text(object, "apiVersion"), STR("batch.volcano.sh/")))
		add_tasks(a, r, status_list(spec, "tasks"), job);
	else if (str_is(kind, "Job"))
		add_sized_job(a, r, object, name, job);
	else if (str_is(kind, "Pod"))
		add_shape(a, r, object, name, 1, job);
	else if (w && (w->traits & WORKLOAD_REPLICAS))
		add_shape(a, r, status_path(spec, "template"), name, status_number(spec, "replicas", 1), job);
	else if (str_is(kind, "LeaderWorkerSet"))
		add_groups(a, r, spec, name, job);
	else if (str_is(kind, "JobSet"))
		add_set(a, r, status_list(spec, "replicatedJobs"), 1, job);
	else if (str_is(kind, "TrainingRuntime"))
		add_set(a, r, status_list(spec, "template.spec.replicatedJobs"),
			status_number(spec, "mlPolicy.numNodes", 1), job);
	else if (!add_operator(a, r, spec, job) &&
		(str_ends(kind, STR("Cluster")) || (str_ends(kind, STR("Job")) && !str_is(kind, "TrainJob"))))
		job->unknown = kind;
}
