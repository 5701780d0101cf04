/* job_status.c - writes conditions, times and counts as JSON, and reads them. */
#include "runtime/supervise/job_status.h"

#include "base/words.h"
#include "data/data_read.h"
#include "runtime/status/look.h"
#include "runtime/supervise/ancestors.h"

/* ---- reading ---- */

static struct job_conditions read_conditions(struct arena *a, const struct data *object)
{
	const struct data *list = status_list(object, "status.conditions");
	struct job_conditions c = { 0 };
	struct job_condition one;

	for (size_t i = 0; i < list->u.list.n; i++)
		if (condition_read(list->u.list.at[i], &one))
			ARENA_PUSH(a, c.at, c.n, one);
	return c;
}

struct decide_record job_record(struct arena *a, const struct custom_kind *k, const struct data *object,
	const struct plan_job *j)
{
	struct str kept = status_annotation(object, RECORD_ANNOTATION);
	struct source source = { .text = kept, .base = 1 };
	struct data_error error;
	struct data *d;
	struct decide_record r = { 0 };

	if (!kept.n || !data_read_json(a, &source, &d, &error) || !decide_record_read(a, d, j, &r))
		r = (struct decide_record){ 0 };
	if (k->status_key) {
		ancestor_record(a, k, object, &r);
		return r;
	}
	r.conditions = read_conditions(a, object);
	r.begin = status_time(object, "status.startTime");
	r.end = status_time(object, "status.completionTime");
	return r;
}

struct decide_count *job_counts(struct arena *a, const struct custom_kind *k, const struct data *object,
	const struct plan_job *j)
{
	const struct data *roles = status_path(object, "status.replicaStatuses");
	struct decide_count *counts = roles ? ARENA_ARRAY(a, struct decide_count, j->nroles) : NULL;

	if (k->status_key)
		return ancestor_counts(a, k, object, j);
	for (size_t i = 0; counts && i < j->nroles; i++) {
		const struct data *role = data_get(roles, custom_role(a, k, j->roles[i].label));
		if (role)
			counts[i] = (struct decide_count){ .active = status_number(role, "active", 0),
				.succeeded = status_number(role, "succeeded", 0),
				.failed = status_number(role, "failed", 0) };
	}
	return counts;
}

/* ---- facts that must be stored ---- */

static const struct seen *seen_at(const struct seen_list *seen, size_t role, int64_t index)
{
	for (size_t i = 0; i < seen->n; i++)
		if (seen->at[i].role == (int)role && seen->at[i].index == index && seen->at[i].owner == OWNER_THIS &&
		    !str_is(seen->at[i].kind, "Service"))
			return &seen->at[i];
	return NULL;
}

static bool is_deleted(const struct decision *d, const struct seen *s)
{
	for (size_t i = 0; i < d->nactions; i++)
		if (d->actions[i].what == DECIDE_DELETE && str_eq(d->actions[i].uid, s->uid))
			return true;
	return s->deleting;
}

/* Removes from the record the facts that the existing object of an attempt shows: its restarts and its end. */
static void forget_told(struct decide_replica *r, const struct seen *s)
{
	if (str_eq(r->uid, s->uid) && !r->doomed.n)
		r->restarts = 0;
	r->succeeded = r->succeeded && s->phase != SEEN_SUCCEEDED;
	r->failed = r->failed && s->phase != SEEN_FAILED;
}

static bool role_says(const struct decide_role *r)
{
	bool says = r->released;

	for (int64_t i = 0; i < r->n && !says; i++) {
		const struct decide_replica *one = &r->at[i];
		says = one->restarts || one->failures || one->series || one->again || one->doomed.n || one->succeeded ||
			one->failed;
	}
	return says;
}

struct str job_durable(struct arena *a, const struct decision *d, const struct plan_job *j,
	const struct seen_list *seen)
{
	struct decide_record r = d->record;
	bool says = r.spent || r.begun_anew || r.cut_short;
	struct buf b = { 0 };

	if (conditions_finished(&r.conditions))         /* the status of a job that has finished shows everything
							 * except `cut_short` */
		return r.cut_short ? STR("{\"schemaVersion\":1,\"cutShort\":true,\"roles\":{}}") : STR("");
	r.conditions = (struct job_conditions){ 0 };
	r.begin = r.end = 0;
	r.roles = ARENA_ARRAY(a, struct decide_role, r.nroles);
	for (size_t k = 0; k < r.nroles; k++) {
		struct decide_role *role = &r.roles[k];
		*role = d->record.roles[k];
		role->released = role->released && j->roles[k].start_after;
		role->at = ARENA_ARRAY(a, struct decide_replica, (size_t)role->n);
		for (int64_t i = 0; i < role->n; i++) {
			role->at[i] = d->record.roles[k].at[i];
			const struct decide_replica *one = &role->at[i];
			bool plain = !one->restarts && !one->succeeded && !one->failed;
			const struct seen *s = plain ? NULL : seen_at(seen, k, i);
			if (s && !is_deleted(d, s))
				forget_told(&role->at[i], s);
		}
		says = says || role_says(role);
	}
	if (!says)
		return STR("");
	decide_record_print(&r, j, &b);
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/* ---- refused jobs ---- */

#define REFUSED "FailedValidation"

struct decide_record job_refused(struct arena *a, const struct custom_kind *k, struct str name, struct str fault,
	int64_t now)
{
	struct decide_record r = { .end = now };
	struct str kind = str_of(k->kind);
	struct job_condition created = { .type = JOB_CREATED, .holds = true,
		.reason = str_cat(a, kind, STR("Created"), STR("")),
		.message = str_printf(a, "%s %.*s is created.", k->kind, STR_ARG(name)), .updated = now,
		.changed = now };
	struct job_condition failed = { .type = JOB_FAILED, .holds = true,
		.reason = str_cat(a, kind, STR(REFUSED), STR("")),
		.message = str_printf(a, "%s %.*s is not valid: %.*s", k->kind, STR_ARG(name), STR_ARG(fault)),
		.updated = now, .changed = now };

	conditions_set(a, &r.conditions, &created);
	conditions_set(a, &r.conditions, &failed);
	return r;
}

bool job_was_refused(const struct custom_kind *k, const struct data *object)
{
	const struct data *list = status_list(object, "status.conditions");
	struct str reason = list->u.list.n ? status_text(list->u.list.at[list->u.list.n - 1], "reason") : STR("");

	if (k->status_key)
		return ancestor_was_refused(object);
	return str_starts(reason, str_of(k->kind)) && str_ends(reason, STR(REFUSED));
}

/* ---- writing ---- */

static void put_status_moment(struct buf *b, const char *name, int64_t ns)
{
	buf_printf(b, "\"%s\":", name);
	if (ns) {
		buf_char(b, '"');
		put_time(b, ns, 0);
		buf_char(b, '"');
	} else {
		buf_z(b, "null");
	}
}

static void put_status_conditions(struct buf *b, const struct job_conditions *c)
{
	buf_z(b, "\"conditions\":[");
	for (size_t i = 0; i < c->n; i++) {
		buf_printf(b, "%s{\"type\":\"%s\",\"status\":\"%s\",\"reason\":", i ? "," : "",
			condition_word(c->at[i].type), c->at[i].holds ? "True" : "False");
		buf_json(b, c->at[i].reason);
		buf_z(b, ",\"message\":");
		buf_json(b, c->at[i].message);
		buf_char(b, ',');
		put_status_moment(b, "lastUpdateTime", c->at[i].updated);
		buf_char(b, ',');
		put_status_moment(b, "lastTransitionTime", c->at[i].changed);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

/* Appends a count. A status leaves out zeros, so a patch has to remove them explicitly. */
static void put_status_count(struct buf *b, const char *name, int64_t n)
{
	buf_printf(b, "\"%s\":", name);
	if (n)
		buf_int(b, n);
	else
		buf_z(b, "null");
}

/*
 * Appends the selector of a role's pods:
 * "training.kubeflow.org/job-name=bert,training.kubeflow.org/operator-name=jaxjob-controller,...".
 */
static void put_selector(struct buf *b, struct arena *a, const struct custom_kind *k, const struct plan_job *j,
	const struct plan_role *r)
{
	struct str kind = str_lower(a, str_of(k->kind));

	buf_z(b, ",\"selector\":");
	buf_json(b, str_printf(a,
		"training.kubeflow.org/job-name=%.*s,training.kubeflow.org/operator-name=%.*s-controller,"
		"training.kubeflow.org/replica-type=%.*s", STR_ARG(j->name), STR_ARG(kind), STR_ARG(r->label)));
}

static void put_counts(struct buf *b, struct arena *a, const struct custom_kind *k, const struct plan_job *j,
	const struct decide_count *counts, bool succeeded)
{
	const char *comma = "";

	buf_z(b, ",\"replicaStatuses\":{");
	for (size_t i = 0; i < j->nroles; i++) {
		const struct decide_count *c = &counts[i];
		buf_z(b, comma);
		comma = ",";
		buf_json(b, custom_role(a, k, j->roles[i].label));
		if (!j->roles[i].max) {         /* the job does not have the role now; an earlier generation may have
						 * had it */
			buf_z(b, ":null");
			continue;
		}
		buf_z(b, ":{");
		put_status_count(b, "active", succeeded ? 0 : c->active);
		buf_char(b, ',');
		put_status_count(b, "succeeded", c->succeeded + (succeeded ? c->active : 0));
		buf_char(b, ',');
		put_status_count(b, "failed", c->failed);
		if (k->selects)
			put_selector(b, a, k, j, &j->roles[i]);
		buf_char(b, '}');
	}
	buf_char(b, '}');
}

struct str job_status(struct arena *a, const struct custom_kind *k, const struct plan_job *j,
	const struct decide_record *r, const struct decide_count *counts)
{
	struct buf b = { 0 };

	if (k->status_key)
		return ancestor_status(a, k, j, r, counts);
	buf_char(&b, '{');
	put_status_conditions(&b, &r->conditions);
	if (counts && r->begin)
		put_counts(&b, a, k, j, counts, conditions_hold(&r->conditions, JOB_SUCCEEDED));
	buf_char(&b, ',');
	put_status_moment(&b, "startTime", r->begin);
	buf_char(&b, ',');
	put_status_moment(&b, "completionTime", r->end);
	buf_char(&b, '}');
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}
