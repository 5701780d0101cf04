/* status_object.c - judges an object other than a pod or Job. See docs/status.md. */
#include "runtime/status/status_object.h"

static struct object_view view(enum run_phase phase, struct str cause)
{
	return (struct object_view){ .phase = phase, .cause = cause };
}

static struct str condition_text(struct arena *a, const struct data *c)
{
	return text_cause(a, status_text(c, "reason"), status_text(c, "message"));
}

static struct str event_text(struct arena *a, const struct event *e)
{
	return e ? text_cause(a, e->reason, e->message) : STR("");
}

/* ---- ready endpoints of a Service ---- */

struct endpoints {
	int64_t ready, n;
};

static struct str service_key(struct arena *a, const struct data *o, struct str name)
{
	return str_cat(a, status_text(o, "metadata.namespace"), STR("/"), name);
}

void looked_up_slice(struct looked_up *l, struct arena *a, const struct data *slice)
{
	struct str key = service_key(a, slice, status_label(slice, "kubernetes.io/service-name"));
	const struct data *list = status_list(slice, "endpoints");
	struct endpoints *e = map_get(&l->endpoints, key);

	if (!e)
		map_put(&l->endpoints, a, key, e = ARENA_NEW(a, struct endpoints));
	e->n += (int64_t)list->u.list.n;
	for (size_t i = 0; i < list->u.list.n; i++) {
		const struct data *ready = status_path(list->u.list.at[i], "conditions.ready");
		/* a missing value counts as ready, as the API defines it */
		e->ready += !ready || ready->kind != DATA_BOOL || ready->u.boolean;
	}
}

static struct object_view service(struct arena *a, const struct data *o, const struct looked_up *looked_up)
{
	const struct endpoints *e = map_get(&looked_up->endpoints, service_key(a, o, status_text(o, "metadata.name")));

	return view(RUN_RUNNING, e ? str_printf(a, "%lld/%lld endpoints ready", (long long)e->ready, (long long)e->n) :
		STR(""));
}

/* ---- claims ---- */

static bool binds_late(const struct data *claim, const struct looked_up *looked_up, const struct events *events)
{
	static const char *const waits[] = { "WaitForFirstConsumer", NULL };
	const struct data *known = map_get(&looked_up->classes, status_text(claim, "spec.storageClassName"));

	if (known)
		return str_is(status_text(known, "volumeBindingMode"), "WaitForFirstConsumer");
	return events_newest(events, STR("PersistentVolumeClaim"), status_text(claim, "metadata.name"), waits) != NULL;
}

static struct object_view claim(struct arena *a, const struct data *o, const struct looked_up *looked_up, bool pods,
	const struct events *events)
{
	struct str phase = status_text(o, "status.phase");
	struct object_view v;

	if (str_is(phase, "Bound"))
		return view(RUN_RUNNING, STR(""));
	if (str_is(phase, "Lost"))
		v = view(RUN_FAILED, STR("its volume is lost"));
	else if (!pods && binds_late(o, looked_up, events))
		return view(RUN_RUNNING, STR("waits for the first pod, as its storage class says"));
	else {
		const struct event *e = events_newest(events, STR("PersistentVolumeClaim"),
			status_text(o, "metadata.name"), NULL);
		v = view(RUN_PENDING, e ? event_text(a, e) : STR("waits for a volume"));
	}
	v.holds = true;
	return v;
}

/* ---- controllers of pods that do not end ---- */

static struct object_view counted(struct arena *a, int64_t want, int64_t have, bool settled, const char *what)
{
	if (have >= want && settled)
		return view(RUN_RUNNING, STR(""));
	return view(RUN_STARTING, str_printf(a, "%lld/%lld %s", (long long)have, (long long)want,
		have >= want ? "updated" : what));
}

static struct object_view deployment(struct arena *a, const struct data *o)
{
	const struct data *c = status_condition_is(o, "Progressing", "False");
	int64_t want = status_number(o, "spec.replicas", 1), updated = status_number(o, "status.updatedReplicas", 0);

	if (str_is(status_text(c, "reason"), "ProgressDeadlineExceeded"))
		return view(RUN_FAILED, condition_text(a, c));
	return counted(a, want, status_number(o, "status.availableReplicas", 0),
		updated == want && status_number(o, "status.replicas", 0) == want, "available");
}

static struct object_view others_like_it(struct arena *a, const struct data *o, struct str kind)
{
	bool daemon = str_is(kind, "DaemonSet"), set = str_is(kind, "StatefulSet");
	int64_t want = daemon ? status_number(o, "status.desiredNumberScheduled", 0) :
		status_number(o, "spec.replicas", 1);
	int64_t have = daemon ? status_number(o, "status.numberAvailable", 0) :
		status_number(o, set ? "status.readyReplicas" : "status.availableReplicas", 0);
	int64_t updated = daemon ? status_number(o, "status.updatedNumberScheduled", 0) :
		status_number(o, "status.updatedReplicas", 0);
	bool by_hand = str_is(status_text(o, "spec.updateStrategy.type"), "OnDelete");
	bool settled = !(daemon || set) || updated >= want ||
		(set && str_eq(status_text(o, "status.currentRevision"), status_text(o, "status.updateRevision")));
	struct object_view v = counted(a, want, have, settled || by_hand, daemon ? "available" : "ready");

	if (by_hand && !settled && v.phase == RUN_RUNNING)
		v.cause = str_printf(a, "%lld/%lld updated; the others will be when they are "
			"deleted", (long long)updated,
			(long long)want);
	return v;
}

/* ---- objects that admit pods together ---- */

static struct object_view gate(enum run_phase phase, struct str cause)
{
	return (struct object_view){ .phase = phase, .cause = cause, .holds = phase != RUN_RUNNING };
}

/*
 * Removes the parts of a Kueue message that only machines need: uids in parentheses, and the paths of queues in their
 * cohorts.
 */
static struct str kueue_words(struct arena *a, struct str text)
{
	static const char uids[] = " (UID: ", paths[] = "; preemptor path: ";
	const char *end = memmem(text.p, text.n, paths, sizeof paths - 1);
	struct str s = end ? (struct str){ text.p, (size_t)(end - text.p) } : text;
	const char *from = memmem(s.p, s.n, uids, sizeof uids - 1);
	const char *to = from ? memchr(from, ')', (size_t)(s.p + s.n - from)) : NULL;

	if (!to)
		return text_line(a, s);
	struct str head = { s.p, (size_t)(from - s.p) }, tail = { to + 1, (size_t)(s.p + s.n - to - 1) };
	return text_line(a, str_cat(a, head, tail, STR("")));
}

/* Why Kueue has evicted O, and what O has been waiting for since the eviction. */
static struct str evicted_cause(struct arena *a, const struct data *evicted, const struct data *reserved)
{
	struct str why = status_text(evicted, "message"),
		now = reserved ? status_text(reserved, "message") : STR("");
	struct str cause = text_cause(a, STR("evicted"), kueue_words(a, why));

	return !now.n || str_eq(now, why) ? cause : str_cat(a, cause, STR("; now "), kueue_words(a, now));
}

static struct object_view workload(struct arena *a, const struct data *o)
{
	const struct data *evicted = status_condition_true(o, "Evicted"), *active = status_path(o, "spec.active"),
		*c = status_condition(o, "QuotaReserved");
	bool held = active && active->kind == DATA_BOOL && !active->u.boolean;

	if (!str_starts(status_text(o, "apiVersion"), STR("kueue.")))
		return view(RUN_RUNNING, STR(""));
	if (status_condition_true(o, "Finished") || (status_condition_true(o, "Admitted") && !held))
		return view(RUN_RUNNING, STR(""));
	if (held)
		return gate(RUN_SUSPENDED, evicted ? kueue_words(a, status_text(evicted, "message")) :
			STR("it is not active"));
	if (evicted && !status_condition_true(o, "QuotaReserved"))
		return gate(RUN_QUEUED, evicted_cause(a, evicted, c));
	if (status_condition_true(o, "QuotaReserved"))
		return gate(RUN_QUEUED, STR("has quota; its admission checks are not done yet"));
	return gate(RUN_QUEUED, c ? kueue_words(a, status_text(c, "message")) : STR("not admitted yet"));
}

static struct object_view pod_group(struct arena *a, const struct data *o)
{
	static const char *const running[] = { "Running", "Scheduled", "Finished", "Completed", NULL };
	struct str api = status_text(o, "apiVersion"), phase = status_text(o, "status.phase");
	const struct data *c = status_condition_true(o, "Unschedulable"),
		*first = status_condition(o, "PodGroupInitiallyScheduled");

	if (first)
		return str_is(status_text(first, "status"), "True") ? view(RUN_RUNNING, STR("")) :
			gate(RUN_PENDING, condition_text(a, first));
	if (text_among(phase, running))
		return view(RUN_RUNNING, STR(""));
	if (str_is(phase, "Failed"))
		return gate(RUN_STALLED, c ? condition_text(a, c) : STR("it was not scheduled in time"));
	if (str_is(phase, "Unknown"))
		return gate(RUN_UNKNOWN, c ? condition_text(a, c) :
			STR("some of its pods run, others cannot be scheduled"));
	bool queued = text_holds(api, "volcano") && str_is(phase, "Pending");
	return gate(queued ? RUN_QUEUED : RUN_PENDING, c ? condition_text(a, c) :
		queued ? STR("waits in its queue") : STR("not all pods of the group fit yet"));
}

/* ---- definitions of kinds, and conditions of unknown kinds ---- */

static struct object_view definition(struct arena *a, const struct data *o)
{
	const struct data *c = status_condition_is(o, "NamesAccepted", "False");

	if (c)
		return view(RUN_FAILED, condition_text(a, c));
	return view(status_condition_true(o, "Established") ? RUN_RUNNING : RUN_PENDING, STR(""));
}

static struct object_view unknown(struct arena *a, const struct data *o)
{
	const struct data *c = status_condition_true(o, "Stalled"), *ready = status_condition(o, "Ready");

	if (c)
		return view(RUN_FAILED, condition_text(a, c));
	if ((c = status_condition_true(o, "Reconciling")))
		return view(RUN_PENDING, condition_text(a, c));
	if (ready)
		return str_is(status_text(ready, "status"), "True") ? view(RUN_RUNNING, STR("")) :
			view(RUN_PENDING, condition_text(a, ready));
	if (!status_list(o, "status.conditions")->u.list.n && status_number(o, "status.observedGeneration", -1) < 0)
		return view(RUN_UNKNOWN, STR("it reports no state"));
	return view(RUN_RUNNING, STR(""));
}

/* ---- entry point ---- */

/* Kinds without a state: such an object is fine as soon as it exists. */
static const char *const plain[] = { "ConfigMap", "Secret", "ServiceAccount", "Role", "RoleBinding", "ClusterRole",
	"ClusterRoleBinding",
	"NetworkPolicy", "EndpointSlice", "Endpoints", "StorageClass", "PriorityClass", "RuntimeClass", "Namespace",
	"Node", "Queue", NULL };
static const char *const judged[] = { "Service", "PersistentVolumeClaim", "Deployment", "StatefulSet", "DaemonSet",
	"ReplicaSet",
	"CustomResourceDefinition", "PodGroup", "Workload", "HorizontalPodAutoscaler", "PodDisruptionBudget", NULL };

bool object_is_part(const struct data *o)
{
	return text_among(status_text(o, "kind"), plain) || text_among(status_text(o, "kind"), judged);
}

/*
 * Judges an object that is being deleted, or whose controller has not seen the last change yet; false for other
 * objects.
 */
static bool outdated(struct arena *a, const struct data *o, struct object_view *ret)
{
	int64_t generation = status_number(o, "metadata.generation", 0);

	if (status_text(o, "metadata.deletionTimestamp").n) {
		*ret = view(RUN_TERMINATING, status_deletion(a, o));
		return true;
	}
	if (status_number(o, "status.observedGeneration", generation) >= generation)
		return false;
	*ret = view(RUN_PENDING, str_printf(a, "its controller has not seen generation %lld", (long long)generation));
	return true;
}

struct object_view object_judge(struct arena *a, const struct data *o, const struct looked_up *looked_up, bool pods,
	const struct events *events)
{
	struct str kind = status_text(o, "kind");
	struct object_view v;

	if (outdated(a, o, &v))
		return v;
	if (text_among(kind, plain))
		return view(RUN_RUNNING, STR(""));
	if (str_is(kind, "Service"))
		return service(a, o, looked_up);
	if (str_is(kind, "PersistentVolumeClaim"))
		return claim(a, o, looked_up, pods, events);
	if (str_is(kind, "Deployment"))
		return deployment(a, o);
	if (str_is(kind, "StatefulSet") || str_is(kind, "DaemonSet") || str_is(kind, "ReplicaSet"))
		return others_like_it(a, o, kind);
	if (str_is(kind, "CustomResourceDefinition"))
		return definition(a, o);
	if (str_is(kind, "PodGroup"))
		return pod_group(a, o);
	return str_is(kind, "Workload") ? workload(a, o) : unknown(a, o);
}

/* ---- Jobs of Volcano ---- */

/* How often the Job has begun again: the first attempt is one of those that `maxRetry` allows. */
static struct str attempts_of(struct arena *a, const struct data *o)
{
	int64_t n = status_number(o, "status.retryCount", 0), most = status_number(o, "spec.maxRetry", 0) - 1;

	return n && most >= n ? str_printf(a, "%lld of %lld restarts", (long long)n, (long long)most) : STR("");
}

static struct whole_view tasks_judge(struct arena *a, const struct data *o)
{
	static const struct {
		const char *phase;
		enum run_phase means;
		bool decided;
	} phases[] = { { "Pending", RUN_PENDING, false }, { "Running", RUN_RUNNING, false },
		{ "Restarting", RUN_DEGRADED, false }, { "Completing", RUN_RUNNING, false },
		{ "Completed", RUN_SUCCEEDED, true }, { "Terminating", RUN_RUNNING, false },
		{ "Terminated", RUN_FAILED, true }, { "Failed", RUN_FAILED, true }, { "Aborting", RUN_SUSPENDED, true },
		{ "Aborted", RUN_SUSPENDED, true } };
	struct str phase = status_text(o, "status.state.phase");
	struct whole_view v = { .phase = RUN_PENDING,
		.cause = text_cause(a, status_text(o, "status.state.reason"), status_text(o, "status.state.message")) };

	if (status_text(o, "metadata.deletionTimestamp").n)
		return (struct whole_view){ .phase = RUN_TERMINATING, .decided = true, .cause = status_deletion(a, o) };
	for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
		if (str_is(phase, phases[i].phase)) {
			v.phase = phases[i].means;
			v.decided = phases[i].decided;
		}
	v.restarting = v.phase == RUN_DEGRADED;
	v.running = v.phase == RUN_RUNNING;
	v.since = status_time(o, "status.state.lastTransitionTime");
	if (!v.cause.n)
		v.cause = !v.decided ? attempts_of(a, o) : v.phase == RUN_SUCCEEDED ? STR("") :
			str_printf(a, RUN_KEPT "%.*s", STR_ARG(phase));
	return v;
}

/* ---- JobSets and TrainJobs ---- */

static struct str restarts_of(struct arena *a, const struct data *o)
{
	int64_t n = status_number(o, "status.restarts", 0),
		most = status_number(o, "spec.failurePolicy.maxRestarts", -1);

	return !n ? STR("") : most < 0 ? str_printf(a, "%lld restart%s", (long long)n, n == 1 ? "" : "s") :
		str_printf(a, "%lld of %lld restarts", (long long)n, (long long)most);
}

struct whole_view whole_judge(struct arena *a, const struct data *o)
{
	static const struct {
		const char *type;
		enum run_phase phase;
	} finals[] = { { "Failed", RUN_FAILED }, { "Succeeded", RUN_SUCCEEDED }, { "Completed", RUN_SUCCEEDED },
		{ "Complete", RUN_SUCCEEDED },
		{ "Suspended", RUN_SUSPENDED } };
	struct whole_view v = { .phase = RUN_PENDING, .cause = restarts_of(a, o) };
	struct object_view old;
	const struct data *c;

	if (str_starts(status_text(o, "apiVersion"), STR("batch.volcano.sh/")))
		return tasks_judge(a, o);
	for (size_t i = 0; i < sizeof finals / sizeof *finals; i++)
		if ((c = status_condition_true(o, finals[i].type))) {
			bool queued = finals[i].phase == RUN_SUSPENDED &&
				status_label(o, "kueue.x-k8s.io/queue-name").n;
			return (struct whole_view){ .phase = queued ? RUN_QUEUED : finals[i].phase, .decided = true,
				.cause = condition_text(a, c),
				.since = status_time(c, "lastTransitionTime") };
		}
	if (outdated(a, o, &old)) {
		v.phase = old.phase;
		v.cause = old.cause;
		v.decided = old.phase == RUN_TERMINATING;
		return v;
	}
	v.restarting = (c = status_condition_true(o, "Restarting")) != NULL;
	if (!c)
		v.running = (c = status_condition_true(o, "Running")) != NULL;
	v.phase = v.restarting ? RUN_DEGRADED : v.running ? RUN_RUNNING : RUN_PENDING;
	v.since = status_time(c, "lastTransitionTime");
	if (v.restarting)
		v.cause = condition_text(a, c);
	return v;
}
