/*
 * pass_decide.c - decides what a pass does: reads the resource's record, passes the existing objects to decide(), and
 * reports new conditions. A resource that does not compile is refused.
 */
#include "runtime/supervise/pass_internal.h"

#include "data/data_read.h"
#include "runtime/status/look.h"
#include "runtime/supervise/ancestors.h"
#include "runtime/supervise/event.h"
#include "runtime/supervise/job_status.h"
#include "runtime/supervise/log.h"
#include "runtime/supervise/tenant.h"

/* ---- known facts ---- */

/*
 * Adds the framework's shared objects of PLAN to the seen objects as objects of this job: a step of the pass creates
 * them, so decide() must not request them.
 */
static void see_shared(struct pass *p, const struct plan_job *plan)
{
	for (size_t i = 0; i < plan->nobjects; i++) {
		const struct data *o = plan->objects[i].data;
		struct seen s = { .kind = status_text(o, "kind"), .name = status_text(o, "metadata.name"),
			.owner = OWNER_THIS, .role = NO_ROLE };
		if (plan->objects[i].framework)
			ARENA_PUSH(&p->arena, p->seen.at, p->seen.n, s);
	}
}

/*
 * The size of each role: the `replicas` of the role in the resource, or the plan's maximum if the resource lacks the
 * role.
 */
static int64_t *sizes_of(struct pass *p, const struct plan_job *plan)
{
	const struct data *roles = data_get(data_get(p->resource, STR("spec")), str_of(p->job->kind->roles_key));
	int64_t *sizes = ARENA_ARRAY(&p->arena, int64_t, plan->nroles);

	for (size_t k = 0; k < plan->nroles; k++) {
		sizes[k] = plan->roles[k].max;
		const struct data *role = data_get(roles, custom_role(&p->arena, p->job->kind, plan->roles[k].label));
		if (role)
			sizes[k] = status_number(role, "replicas", 1);
	}
	return sizes;
}

static struct decide_record record_before(struct pass *p, const struct plan_job *plan)
{
	struct supervised *j = p->job;
	struct source source = { .base = 1 };
	struct data_error error;
	struct decide_record r = { 0 };
	struct data *d;

	if (j->record) {
		source.text = str_copy(&p->arena, str_of(j->record));
		if (data_read_json(&p->arena, &source, &d, &error) && decide_record_read(&p->arena, d, plan, &r))
			return r;
	}
	if (job_was_refused(j->kind, p->resource))      /* the job was refused earlier, and has been corrected */
		return (struct decide_record){ 0 };
	r = job_record(&p->arena, j->kind, p->resource, plan);
	supervised_want(j, job_status(&p->arena, j->kind, plan, &r, job_counts(&p->arena, j->kind, p->resource, plan)));
	j->written = true;
	j->durable = supervised_keep_filled(j->durable, status_annotation(p->resource, RECORD_ANNOTATION));
	return r;
}

static void remember(struct pass *p, const struct plan_job *plan)
{
	struct buf b = { 0 };

	decide_record_print(&p->d.record, plan, &b);
	p->job->record = supervised_keep_filled(p->job->record, buf_text(&b));
	buf_release(&b);
}

/* ---- reports ---- */

/* Reports a new condition: writes an Event and a log line, and counts it. */
static void tell(struct pass *p, const struct job_condition *now)
{
	struct metrics *m = &p->job->control->metrics;
	const struct job_condition *was = conditions_find(&p->before, now->type);
	bool same = was && was->holds == now->holds && str_eq(was->reason, now->reason);

	if (same || now->type == JOB_CREATED || (now->type == JOB_RUNNING && !now->holds))
		return;
	m->succeeded += now->type == JOB_SUCCEEDED;
	m->failed += now->type == JOB_FAILED;
	m->restarted += now->type == JOB_RESTARTING;
	log_line("info", p->job->label, "%.*s", STR_ARG(now->message));
	if (now->type != JOB_RUNNING)
		event_write(p->job, EVENT_ONE, now->type == JOB_RESTARTING || p->job->refused ? "Warning" : "Normal",
			now->reason, now->message);
}

static void tell_all(struct pass *p)
{
	for (size_t i = 0; i < p->d.record.conditions.n; i++)
		tell(p, &p->d.record.conditions.at[i]);
}

/* Did the earlier record already contain the end of the pod S? */
static bool end_is_known(const struct decide_record *before, const struct seen *s)
{
	const struct decide_role *role = before->nroles > (size_t)s->role ? &before->roles[s->role] : NULL;

	if (!role || s->index >= role->n)
		return false;
	const struct decide_replica *r = &role->at[s->index];
	return r->succeeded || r->failed || str_eq(r->doomed, s->uid);
}

/*
 * Logs how pods failed, because this information is lost when the pods are deleted. An exit code of 0 is not logged:
 * the counts show it.
 */
static void tell_ends(struct pass *p, const struct decide_record *before)
{
	for (size_t i = 0; i < p->seen.n; i++) {
		const struct seen *s = &p->seen.at[i];
		bool over = s->phase == SEEN_SUCCEEDED || s->phase == SEEN_FAILED;
		if (s->role != NO_ROLE && s->owner == OWNER_THIS && over && s->exit_code > 0 &&
		    str_is(s->kind, "Pod") && !end_is_known(before, s))
			event_write(p->job, EVENT_MANY, "Normal", STR("ExitedWithCode"),
				str_printf(&p->arena, "Pod: %.*s.%.*s exited with code %d", STR_ARG(p->job->ns),
				STR_ARG(s->name), s->exit_code));
	}
}

void pass_refuse(struct pass *p)
{
	struct supervised *j = p->job;
	struct str fault = p->plan->fault;

	p->step = STEP_STATUS;
	p->d.again = RULES_NEVER;
	if (!j->refused) {
		j->control->metrics.refused++;
		j->tenant->refused++;
	}
	if (store_has(&j->control->store, j->ns, j->name)) {
		/* the job continues with the plan of the earlier generation */
		if (!j->refused)
			event_write(j, EVENT_ONE, "Warning",
				str_cat(&p->arena, str_of(j->kind->kind), STR("FailedValidation"), STR("")), fault);
		j->refused = true;
		log_line("warning", j->label, "the changed resource is not valid: %.*s", STR_ARG(fault));
		return;
	}
	struct decide_record before = job_record(&p->arena, j->kind, p->resource, &(struct plan_job){ 0 });
	if (!j->refused && !conditions_finished(&before.conditions)) {
		j->refused = true;
		p->before = before.conditions;
		p->d.record = job_refused(&p->arena, j->kind, j->name, fault, controller_now(j->control));
		supervised_want(j, job_status(&p->arena, j->kind, NULL, &p->d.record, NULL));
		tell_all(p);
	}
	p->status = str_of(j->refused && j->wanted ? j->wanted : "");
	j->refused = true;
}

/* The context of look_at_one(), which sees the objects of a job one by one. */
struct looking {
	struct pass *pass;
	const struct decide_job *job;
};

static void look_at_one(void *to, const struct data *object)
{
	struct looking *l = to;

	decide_see_object(&l->pass->arena, l->job, object, &l->pass->seen);
}

/*
 * Notes the state of the job's objects. If the job is of an ancestor's kind, RET gets all its objects, because the pods
 * show how the Jobs ended.
 */
static void look_at_objects(struct pass *p, const struct decide_job *job, struct status_objects *ret)
{
	const struct supervised *j = p->job;

	if (j->kind->status_key) {
		store_objects(&j->control->store, &p->arena, j->ns, j->name, ret);
		p->seen = decide_see(&p->arena, job, ret);
	} else {
		store_each(&j->control->store, j->ns, j->name, look_at_one, &(struct looking){ p, job });
	}
}

/* Reports an object of another owner that has a name and the labels of an object of the job. */
static void tell_conflict(struct pass *p)
{
	const struct seen *s = p->d.conflict;

	log_line("warning", p->job->label, "%.*s '%.*s' belongs to something else; nothing is made until it is gone",
		STR_ARG(s->kind), STR_ARG(s->name));
	event_write_once(p->job, EVENT_MANY, "Warning", STR("ErrResourceExists"),
		str_printf(&p->arena, "Resource \"%.*s\" of %.*s already exists and is not managed by %s",
		STR_ARG(s->name), STR_ARG(s->kind), p->job->kind->kind), s->uid);
}

/*
 * Writes an Event for each warning of the conversion, which `trainc import` shows, too. Each Event exists once, also
 * when a controller starts again.
 */
static void tell_warnings(struct pass *p)
{
	const struct custom_plan *plan = p->plan;
	struct buf all = { 0 };

	for (size_t i = 0; i < plan->nwarnings; i++)
		buf_printf(&all, "%.*s\n", STR_ARG(plan->warnings[i]));
	if (!str_eq(str_of(p->job->warnings ? p->job->warnings : ""), buf_text(&all))) {
		for (size_t i = 0; i < plan->nwarnings; i++)
			event_write_once(p->job, EVENT_MANY, "Warning", STR("Converted"), plan->warnings[i],
				plan->warnings[i]);
		p->job->warnings = supervised_keep_filled(p->job->warnings, buf_text(&all));
	}
	buf_release(&all);
}

void pass_decide(struct pass *p)
{
	struct supervised *j = p->job;
	const struct plan_job *plan = p->plan->job;
	struct decide_job job = { .plan = plan, .kind = str_of(j->kind->kind), .uid = j->uid,
		.controller = STR(CONTROLLER), .sizes = sizes_of(p, plan) };
	struct status_objects objects = { 0 };

	j->refused = false;
	look_at_objects(p, &job, &objects);
	see_shared(p, plan);
	struct decide_record before = record_before(p, plan);
	p->before = before.conditions;
	p->was_finished = conditions_finished(&before.conditions);
	if (!p->was_finished)
		tell_ends(p, &before);
	int64_t *others = j->kind->status_key
		? ancestor_ends(&p->arena, j->kind, plan, &objects, &p->seen, &before) : NULL;
	p->d = decide(&p->arena, &job, &before, &p->seen, controller_now(j->control));
	for (size_t k = 0; others && k < plan->nroles; k++)
		p->d.roles[k].failed += others[k];
	if (p->d.elsewhere) {
		p->step = STEP_END;
		return;
	}
	if (!p->was_finished)
		tell_warnings(p);
	if (p->d.conflict)
		tell_conflict(p);
	remember(p, plan);
	p->durable = p->was_finished ? str_of(j->durable ? j->durable : "")
		: job_durable(&p->arena, &p->d, plan, &p->seen);
	tell_all(p);
	if (!p->was_finished)           /* the status of a job that has finished does not change */
		supervised_want(j, job_status(&p->arena, j->kind, plan, &p->d.record, p->d.roles));
	p->status = str_of(j->wanted ? j->wanted : "");
}
