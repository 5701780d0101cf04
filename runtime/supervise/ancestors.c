/* ancestors.c - writes and reads phases, states and counts as JSON, and determines how the containers of Jobs ended. */
#include "runtime/supervise/ancestors.h"

#include "runtime/status/look.h"

/* The last part of the reason in the condition of a resource that does not compile. */
#define REFUSED "FailedValidation"

/* ---- writing ---- */

static void put_word(struct buf *b, const struct custom_kind *k, const char *name, struct str word)
{
	buf_printf(b, "\"%s\":", name);
	if (word.n || k->says_empty)
		buf_json(b, word);
	else
		buf_z(b, "null");               /* this makes a merge patch remove the field */
}

static const char *state_of_role(int64_t running, int64_t succeeded, int64_t failed)
{
	return failed ? "Failed" : running ? "Running" : succeeded ? "Succeeded" : "Unknown";
}

static void put_role_states(struct buf *b, const struct custom_kind *k, struct str name, int64_t n,
	const struct decide_count *c)
{
	int64_t failed = c->failed < n ? c->failed : n,
		succeeded = c->succeeded < n - failed ? c->succeeded : n - failed, running = n - failed - succeeded;
	struct { const char *word; int64_t n; } each[] = {
		{ "Failed", failed }, { "Running", running }, { "Succeeded", succeeded } };
	const char *comma = "";

	buf_printf(b, "{\"%s\":", k->status_key);
	buf_json(b, name);
	buf_printf(b, ",\"state\":\"%s\",\"ReplicasStates\":{", state_of_role(running, succeeded, failed));
	for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
		if (!each[i].n)
			continue;
		buf_printf(b, "%s\"%s\":%lld", comma, each[i].word, (long long)each[i].n);
		comma = ",";
	}
	buf_z(b, "}}");
}

static void put_all_states(struct buf *b, struct arena *a, const struct custom_kind *k, const struct plan_job *j,
	const struct decide_count *counts)
{
	const char *comma = "";

	for (size_t i = 0; i < j->nroles; i++) {
		if (!j->roles[i].max)
			continue;
		buf_z(b, comma);
		comma = ",";
		put_role_states(b, k, custom_role(a, k, j->roles[i].label), j->roles[i].max, &counts[i]);
	}
}

static const struct job_condition *refusal_among(const struct job_conditions *c)
{
	const struct job_condition *failed = conditions_find(c, JOB_FAILED);

	return failed && str_ends(failed->reason, STR(REFUSED)) ? failed : NULL;
}

static const char *phase_of(const struct job_conditions *c)
{
	bool ran = conditions_find(c, JOB_RUNNING) || conditions_find(c, JOB_RESTARTING);

	return refusal_among(c) ? "Failed" : conditions_finished(c) ? "Done" : ran ? "Running" : c->n ? "Creating" : "";
}

struct str ancestor_status(struct arena *a, const struct custom_kind *k, const struct plan_job *j,
	const struct decide_record *r, const struct decide_count *counts)
{
	const struct job_conditions *c = &r->conditions;
	struct str phase = str_of(phase_of(c));
	struct buf b = { 0 };

	buf_char(&b, '{');
	put_word(&b, k, "phase", phase);
	buf_char(&b, ',');
	put_word(&b, k, "reason", refusal_among(c) ? refusal_among(c)->message : STR(""));
	buf_z(&b, ",\"controlPaused\":false,");
	if (k->says_empty)
		buf_z(&b, "\"conditions\":[],");
	put_word(&b, k, "state", conditions_hold(c, JOB_SUCCEEDED) ? STR("Succeeded") : conditions_hold(c, JOB_FAILED)
		? STR("Failed") : str_is(phase, "Running") ? STR("Running") : STR(""));
	buf_z(&b, ",\"replicaStatuses\":[");
	if (counts && r->begin)
		put_all_states(&b, a, k, j, counts);
	buf_z(&b, "]}");
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/* ---- reading ---- */

static void add_condition(struct arena *a, const struct custom_kind *k, struct decide_record *r,
	enum job_condition_type type, const char *word, struct str message)
{
	struct job_condition c = { .type = type, .holds = true, .message = message, .updated = r->begin,
		.changed = r->begin, .reason = str_cat(a, str_of(k->kind), str_of(word), STR("")) };

	conditions_set(a, &r->conditions, &c);
}

bool ancestor_was_refused(const struct data *object) { return str_is(status_text(object, "status.phase"), "Failed"); }

void ancestor_record(struct arena *a, const struct custom_kind *k, const struct data *object, struct decide_record *r)
{
	struct str phase = status_text(object, "status.phase"), state = status_text(object, "status.state");
	bool done = str_is(phase, "Done"), ran = done || str_is(phase, "Running");

	r->conditions = (struct job_conditions){ 0 };
	r->begin = status_time(object, "metadata.creationTimestamp");   /* the status contains no times */
	r->end = done ? r->begin : 0;
	if (phase.n)
		add_condition(a, k, r, JOB_CREATED, "Created", STR(""));
	if (ran)
		add_condition(a, k, r, JOB_RUNNING, "Running", STR(""));
	if (done && str_is(state, "Succeeded"))
		add_condition(a, k, r, JOB_SUCCEEDED, "Succeeded", STR(""));
	else if (done)
		add_condition(a, k, r, JOB_FAILED, "Failed", STR(""));
	else if (ancestor_was_refused(object))
		add_condition(a, k, r, JOB_FAILED, REFUSED, status_text(object, "status.reason"));
	if (!phase.n)
		r->begin = 0;
}

struct decide_count *ancestor_counts(struct arena *a, const struct custom_kind *k, const struct data *object,
	const struct plan_job *j)
{
	const struct data *list = status_list(object, "status.replicaStatuses");
	struct decide_count *counts = list->u.list.n ? ARENA_ARRAY(a, struct decide_count, j->nroles) : NULL;

	for (size_t i = 0; i < list->u.list.n; i++)
		for (size_t n = 0; n < j->nroles; n++) {
			const struct data *one = list->u.list.at[i];
			if (str_eq(status_text(one, k->status_key), custom_role(a, k, j->roles[n].label)))
				counts[n] = (struct decide_count){
					.succeeded = status_number(one, "ReplicasStates.Succeeded", 0),
					.failed = status_number(one, "ReplicasStates.Failed", 0) };
		}
	return counts;
}

/* ---- how containers ended ---- */

/* The last end of the main container of a pod, even if the container runs again; NULL: the container has not ended. */
static const struct data *last_end(const struct data *pod, struct str main)
{
	const struct data *list = status_list(pod, "status.containerStatuses"), *end;

	for (size_t i = 0; i < list->u.list.n; i++) {
		const struct data *c = list->u.list.at[i];
		if (!str_eq(status_text(c, "name"), main))
			continue;
		end = status_path(c, "lastState.terminated");
		return end ? end : status_path(c, "state.terminated");
	}
	return NULL;
}

/* Is the failure final, so that a restart would not help? */
static bool is_for_good(const struct custom_kind *k, const struct data *end)
{
	int64_t code = status_number(end, "exitCode", 0);

	return str_is(status_text(end, "reason"), "OOMKilled") || (k->codes_decide && code >= 1 && code <= 127);
}

/* The newest pod of the Job with the uid UID; NULL: the Job has no pod. */
static const struct data *newest_pod(const struct status_objects *objects, struct str uid)
{
	const struct data *newest = NULL;

	for (size_t i = 0; i < objects->n; i++) {
		const struct data *o = objects->at[i], *owners = status_list(o, "metadata.ownerReferences");
		if (!str_is(status_text(o, "kind"), "Pod") || !owners->u.list.n ||
		    !str_eq(status_text(owners->u.list.at[0], "uid"), uid))
			continue;
		if (!newest || status_time(o, "status.startTime") > status_time(newest, "status.startTime"))
			newest = o;
	}
	return newest;
}

/* Makes room in R for the replicas of the plan. */
static void widen(struct arena *a, const struct plan_job *j, struct decide_record *r)
{
	struct decide_role *roles = ARENA_ARRAY(a, struct decide_role, j->nroles);

	for (size_t k = 0; k < j->nroles; k++) {
		const struct decide_role *was = k < r->nroles ? &r->roles[k] : &(struct decide_role){ 0 };
		int64_t n = j->roles[k].max > was->n ? j->roles[k].max : was->n;
		roles[k] = (struct decide_role){ .at = ARENA_ARRAY(a, struct decide_replica, (size_t)n), .n = n,
			.released = was->released };
		for (int64_t i = 0; i < was->n; i++)
			roles[k].at[i] = was->at[i];
	}
	r->roles = roles;
	r->nroles = j->nroles;
}

int64_t *ancestor_ends(struct arena *a, const struct custom_kind *k, const struct plan_job *j,
	const struct status_objects *objects, struct seen_list *seen, struct decide_record *before)
{
	int64_t *others = ARENA_ARRAY(a, int64_t, j->nroles);

	widen(a, j, before);
	for (size_t i = 0; i < seen->n; i++) {
		struct seen *s = &seen->at[i];
		if (s->role == NO_ROLE || s->owner != OWNER_THIS || !str_is(s->kind, "Job") ||
		    s->phase == SEEN_SUCCEEDED || s->index >= before->roles[s->role].n)
			continue;
		const struct plan_role *role = &j->roles[s->role];
		const struct data *pod = newest_pod(objects, s->uid),
			*end = pod ? last_end(pod, plan_label(a, role->main.name)) : NULL;
		if (!end || !is_for_good(k, end))
			continue;
		if (failure_judge(role, false) == FAILURE_PASSES) {
			others[s->role]++;
			continue;
		}
		s->exit_code = (int)status_number(end, "exitCode", -1);
		before->roles[s->role].at[s->index].failed = true;
	}
	return others;
}
