/* see.c - finds the objects of a cluster that concern a job, and reads their state. */
#include "runtime/decide/decide.h"

struct looking {
	struct arena *arena;
	const struct decide_job *job;
};

/* ---- names ---- */

struct str decide_kind(const struct plan_job *j, const struct plan_role *r)
{
	return str_of(plan_workload(j, r)->kind);
}

/* Does one object without an index represent the whole role? */
static bool is_single(const struct plan_job *j, const struct plan_role *r)
{
	return r->one_name || !plan_role_is_numbered(j, r);
}

struct str decide_name(struct arena *a, const struct plan_job *j, const struct plan_role *r, int64_t i)
{
	return is_single(j, r) ? r->object : str_cat(a, r->object, STR("-"), str_int(a, i));
}

/* The index after the role's name in the name of an object of ours; -1 if the name has no index. */
static int64_t index_after(const struct plan_role *r, struct str name)
{
	struct str digits = { name.p + r->object.n + 1, name.n - r->object.n - 1 };
	int64_t index = 0;

	if (name.n < r->object.n + 2 || !str_starts(name, r->object) || name.p[r->object.n] != '-' ||
	    (digits.p[0] == '0' && digits.n > 1))
		return -1;
	for (size_t i = 0; i < digits.n; i++) {
		if (digits.p[i] < '0' || digits.p[i] > '9')
			return -1;
		index = index * 10 + (digits.p[i] - '0');
		if (index >= DECIDE_INDEXES)
			return -1;
	}
	return index;
}

/*
 * Can an object of this kind be a replica of the role? The replicas of a role that the job no longer has may have been
 * Pods or Jobs.
 */
static bool is_replica_kind(const struct plan_job *j, const struct plan_role *r, struct str kind)
{
	return str_eq(kind, decide_kind(j, r)) || (!r->max && (str_is(kind, "Pod") || str_is(kind, "Job")));
}

static bool names_replica(const struct plan_job *j, struct seen *s)
{
	bool service = str_is(s->kind, "Service");

	for (size_t k = 0; k < j->nroles; k++) {
		const struct plan_role *r = &j->roles[k];
		if (!r->object.n || !(service ? plan_role_is_served(j, r) : is_replica_kind(j, r, s->kind)))
			continue;
		int64_t index = is_single(j, r) ? str_eq(s->name, r->object) ? 0 : -1 : index_after(r, s->name);
		if (index < 0)
			continue;
		s->role = (int)k;
		s->index = index;
		return true;
	}
	return false;
}

static bool names_object(const struct plan_job *j, const struct seen *s)
{
	for (size_t i = 0; i < j->nobjects; i++) {
		const struct data *o = j->objects[i].data;
		if (j->objects[i].framework && str_eq(s->kind, status_text(o, "kind")) &&
		    str_eq(s->name, status_text(o, "metadata.name")))
			return true;
	}
	return false;
}

/* ---- labels ---- */

/* Computes the value of a label for replica i; false when the replica does not have the label. */
static bool label_text(struct arena *a, const struct plan_job *j, const struct plan_role *r,
	const struct plan_replica_label *l, int64_t i, struct str *ret)
{
	const struct text *t = l->per_replica ? i < r->max ? &l->per_replica[i] : &(struct text){ .at = &piece_absent }
		: &l->text;
	struct buf out = { 0 };

	if (text_is_absent(t))
		return false;
	bool whole = plan_text(j, r, i, t, &placement_cluster, NULL, &out);
	*ret = buf_take(&out, a);
	buf_release(&out);
	return whole;
}

static bool has_label(const struct data *object, struct str key, struct str value)
{
	const struct data *found = data_get(status_path(object, "metadata.labels"), key);

	return found && found->kind == DATA_STRING && str_eq(found->u.string, value);
}

/* Does the object have our own label, or those labels of the framework that select pods? */
static bool is_labelled(struct looking *l, const struct data *object, const struct seen *s)
{
	const struct plan_job *j = l->job->plan;
	struct str value;

	if (!has_label(object, STR("trainc.dev/job"), j->name))
		return false;
	for (size_t i = 0; s->role != NO_ROLE && i < j->roles[s->role].replica.nlabels; i++) {
		const struct plan_replica_label *label = &j->roles[s->role].replica.labels[i];
		bool asks = label->selects && label_text(l->arena, j, &j->roles[s->role], label, s->index, &value);
		if (asks && !has_label(object, label->key, value))
			return false;
	}
	return true;
}

static bool has_pair(const struct plan_pairs *pairs, struct str key, struct str value)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (str_eq(pairs->at[i].key, key))
			return str_eq(pairs->at[i].value, value);
	return false;
}

/* The labels that select replica i. */
static struct plan_pairs selecting(struct arena *a, const struct plan_job *j, const struct plan_role *r, int64_t i)
{
	struct plan_pairs pairs = { 0 };

	for (size_t k = 0; k < r->replica.nlabels; k++) {
		const struct plan_replica_label *l = &r->replica.labels[k];
		struct plan_pair pair = { .key = l->key, .from = l->from, .key_at = l->key_at };
		if (l->selects && label_text(a, j, r, l, i, &pair.value))
			ARENA_PUSH(a, pairs.at, pairs.n, pair);
	}
	return pairs;
}

struct plan_pairs decide_selector(struct arena *a, const struct plan_job *j)
{
	struct plan_pairs common = { 0 };
	bool first = true;

	for (size_t k = 0; k < j->nroles; k++)
		for (int64_t i = 0; i < j->roles[k].max; i++) {
			struct plan_pairs own = selecting(a, j, &j->roles[k], i);
			size_t kept = 0;
			if (first)
				common = own;
			for (size_t n = 0; n < common.n; n++)
				if (has_pair(&own, common.at[n].key, common.at[n].value))
					common.at[kept++] = common.at[n];
			common.n = kept;
			first = false;
		}
	return common;
}

/* ---- ownership ---- */

static enum seen_owner owner_of(struct looking *l, const struct data *object, const struct seen *s)
{
	const struct data *controller = status_controller(object);
	struct str uid = l->job->uid;

	if (controller)
		return uid.n && str_eq(status_text(controller, "uid"), uid) ? OWNER_THIS : OWNER_OTHER;
	if (!is_labelled(l, object, s))
		return OWNER_OTHER;
	return uid.n ? OWNER_NONE : OWNER_THIS;
}

/* ---- the state of an object ---- */

static int64_t within(int64_t n, int64_t lo, int64_t hi) { return n < lo ? lo : n > hi ? hi : n; }

static void containers(struct seen *s, const struct data *pod, struct str main)
{
	static const char *const lists[] = { "status.initContainerStatuses", "status.containerStatuses" };

	for (size_t k = 0; k < 2; k++) {
		const struct data *list = status_list(pod, lists[k]);
		for (size_t i = 0; i < list->u.list.n; i++) {
			const struct data *c = list->u.list.at[i];
			s->restarts += within(status_number(c, "restartCount", 0), 0, INT32_MAX);
			if (k == 0 || !str_eq(status_text(c, "name"), main))
				continue;
			/* on some systems exit codes exceed 255: they count as 255 */
			s->exit_code = (int)within(status_number(c, "state.terminated.exitCode", -1), -1, 255);
			s->end = status_time(c, "state.terminated.finishedAt");
		}
	}
}

static void pod_says(struct looking *l, struct seen *s, const struct data *pod)
{
	struct str phase = status_text(pod, "status.phase"), reason = status_text(pod, "status.reason");

	s->phase = str_is(phase, "Running") ? SEEN_RUNNING : str_is(phase, "Succeeded") ? SEEN_SUCCEEDED :
		str_is(phase, "Failed") ? SEEN_FAILED : SEEN_PENDING;
	s->ready = status_condition_true(pod, "Ready") != NULL;
	s->disrupted = status_condition_true(pod, "DisruptionTarget") || str_is(reason, "Evicted") ||
		str_is(reason, "NodeLost") || str_is(reason, "Preempted") || str_is(reason, "Shutdown");
	s->begin = status_time(pod, "status.startTime");
	containers(s, pod, plan_label(l->arena, l->job->plan->roles[s->role].main.name));
}

static void job_says(struct seen *s, const struct data *job)
{
	s->ready = status_number(job, "status.ready", 0) > 0;
	s->phase = status_condition_true(job, "Complete") ? SEEN_SUCCEEDED : status_condition_true(job, "Failed")
		? SEEN_FAILED :
		status_number(job, "status.active", 0) > 0 ? SEEN_RUNNING : SEEN_PENDING;
	s->restarts = within(status_number(job, "status.failed", 0), 0, INT32_MAX);
	s->begin = status_time(job, "status.startTime");
}

static void deployment_says(struct seen *s, const struct data *deployment)
{
	s->ready = status_number(deployment, "status.readyReplicas", 0);
	s->phase = s->ready ? SEEN_RUNNING : SEEN_PENDING;
}

static void read_state(struct looking *l, struct seen *s, const struct data *o)
{
	const struct workload *w = workload_named(s->kind);

	switch (w ? w->id : WORKLOAD_FOREIGN) { /* the state of a Service does not matter */
	case WORKLOAD_POD: pod_says(l, s, o); break;
	case WORKLOAD_JOB: job_says(s, o); break;
	case WORKLOAD_DEPLOYMENT: deployment_says(s, o); break;
	case WORKLOAD_OPERATED: case WORKLOAD_GROUP: case WORKLOAD_TASK: /* the controller of the object decides */
	case WORKLOAD_FOREIGN: break;
	}
}

void decide_see_object(struct arena *a, const struct decide_job *job, const struct data *o, struct seen_list *list)
{
	struct looking l = { a, job };
	struct str ns = status_text(o, "metadata.namespace");
	bool far = ns.n && job->plan->ns.set && !str_eq(ns, job->plan->ns.value);
	struct seen s = { .kind = status_text(o, "kind"), .name = status_text(o, "metadata.name"),
		.uid = status_text(o, "metadata.uid"), .role = NO_ROLE, .exit_code = -1 };

	if (far || (!names_replica(job->plan, &s) && !names_object(job->plan, &s)))
		return;
	s.owner = owner_of(&l, o, &s);
	s.deleting = status_text(o, "metadata.deletionTimestamp").n > 0;
	if (s.role != NO_ROLE)                  /* for other objects only their existence matters */
		read_state(&l, &s, o);
	s.kind = str_copy(a, s.kind);
	s.name = str_copy(a, s.name);
	s.uid = str_copy(a, s.uid);
	ARENA_PUSH(a, list->at, list->n, s);
}

struct seen_list decide_see(struct arena *a, const struct decide_job *job, const struct status_objects *objects)
{
	struct seen_list list = { 0 };

	for (size_t i = 0; i < objects->n; i++)
		decide_see_object(a, job, objects->at[i], &list);
	return list;
}
