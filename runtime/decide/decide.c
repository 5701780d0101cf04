/* decide.c - one pass: determines the state of the job, and what to do. */
#include "runtime/decide/decide_internal.h"
#include "runtime/run/judge.h"

#include "base/words.h"

/* ---- conditions ---- */

/* Sets a condition. SAID is the end of the message, after the kind and the name of the job; WORD gives the reason. */
static void set(struct decide_pass *p, enum job_condition_type type, bool holds, const char *word, struct str said)
{
	struct job_condition c = { .type = type, .holds = holds, .updated = p->now, .changed = p->now };

	c.reason = str_cat(p->arena, p->job->kind, str_of(word), STR(""));
	c.message = str_printf(p->arena, "%.*s %.*s %.*s", STR_ARG(p->job->kind), STR_ARG(p->plan->name),
		STR_ARG(said));
	conditions_set(p->arena, &p->out->record.conditions, &c);
}

/* The sentence for a failed replica: "worker-2 failed: exit code 1". */
static struct str blame(const struct decide_pass *p, const struct seen *s)
{
	const struct plan_role *r = &p->plan->roles[s->role];
	int signal = s->exit_code > 128 && s->exit_code < 128 + 65 ? s->exit_code - 128 : 0;
	struct str end = s->disrupted ? STR("its node was taken from it") : s->exit_code < 0
		? STR("its exit code is unknown")
		: end_words(p->arena, s->exit_code, signal);

	return str_printf(p->arena, "%.*s-%lld failed: %.*s", STR_ARG(r->name), (long long)s->index, STR_ARG(end));
}

/* ---- the record ---- */

/* Copies the previous record, which is not changed, and works on the copy. */
static void remember(struct decide_pass *p, const struct decide_record *before)
{
	struct decide_record *r = &p->out->record;

	*r = *before;
	r->nroles = p->plan->nroles;
	r->roles = ARENA_ARRAY(p->arena, struct decide_role, r->nroles);
	for (size_t k = 0; k < r->nroles; k++) {
		const struct decide_role *was = k < before->nroles ? &before->roles[k] : &(struct decide_role){ 0 };
		struct decide_role *is = &r->roles[k];
		int64_t n = p->plan->roles[k].max;
		*is = (struct decide_role){ .at = ARENA_ARRAY(p->arena, struct decide_replica, (size_t)n), .n = n,
			.released = was->released };
		for (int64_t i = 0; i < n && i < was->n; i++)
			is->at[i] = was->at[i];
	}
}

static void count(struct decide_pass *p)
{
	p->out->roles = ARENA_ARRAY(p->arena, struct decide_count, p->plan->nroles);
	for (size_t k = 0; k < p->plan->nroles; k++)
		for (int64_t i = 0; i < p->plan->roles[k].max; i++) {
			const struct decide_replica *r = &p->parts[k].replicas[i];
			const struct seen *s = p->parts[k].at[i];
			struct decide_count *c = &p->out->roles[k];
			c->succeeded += r->succeeded;
			c->failed += r->failed || (s && s->phase == SEEN_FAILED && !r->succeeded);
			if (is_current(r, s) && s->phase == SEEN_RUNNING && !s->deleting)
				c->active += plan_role_is_numbered(p->plan, p->parts[k].plan) ? 1 : s->ready;
		}
}

/* ---- ends ---- */

static void finished(struct decide_pass *p)
{
	struct decide_record *r = &p->out->record;

	if (!r->end)                    /* a record of an earlier version of trainc has no end time, but its final
					 * condition has a time */
		r->end = r->conditions.at[r->conditions.n - 1].changed;
	int64_t removal = decide_removal(p->plan, r->end);
	pass_clear(p, false);
	p->out->remove = p->now >= removal;
	if (!p->out->remove)
		pass_wake(p, removal);
}

static void end(struct decide_pass *p, bool success, struct str said)
{
	p->out->record.end = p->now;
	set(p, success ? JOB_SUCCEEDED : JOB_FAILED, true, success ? "Succeeded" : "Failed", said);
	finished(p);
}

static void cut_short(struct decide_pass *p, struct str said)
{
	p->out->record.cut_short = true;
	end(p, false, said);
}

/* ---- judgement ---- */

static bool is_any_active(const struct decide_pass *p)
{
	for (size_t k = 0; k < p->plan->nroles; k++)
		if (p->out->roles[k].active)
			return true;
	return false;
}

/* Collects the facts for the judge and returns its verdict; releases roles whose turn has come. */
static enum judge_what ask_judge(struct decide_pass *p)
{
	struct decide_record *r = &p->out->record;
	struct judge_facts f = { .job = p->plan, .roles = ARENA_ARRAY(p->arena, struct judge_role, p->plan->nroles),
		.seen = p->states, .begin = r->begin, .now = p->now, .spent = decide_spent(p->plan, r) };

	for (size_t k = 0; k < p->plan->nroles; k++) {
		const struct decide_part *part = &p->parts[k];
		bool *present = ARENA_ARRAY(p->arena, bool, (size_t)part->plan->max);
		for (int64_t i = 0; i < part->plan->max; i++)
			present[i] = is_current(&part->replicas[i], part->at[i]);
		f.roles[k] = (struct judge_role){ .states = part->states, .present = present, .desired = part->wanted,
			.released = r->roles[k].released };
	}
	enum judge_what what = judge(&f);
	for (size_t k = 0; k < p->plan->nroles; k++) {
		r->roles[k].released = f.roles[k].released;
		p->parts[k].spared = judge_spares(&f, k);
	}
	return what;
}

/* Restarts the whole job, if its limits permit that. */
static void failed(struct decide_pass *p)
{
	struct decide_record *r = &p->out->record;
	pass_blame(p);
	struct str cause = p->lost ? blame(p, p->lost) : STR("a replica failed, and is gone");

	if (!judge_begins_anew(p->plan, JUDGE_FAILED, r->begun_anew)) {
		end(p, false, str_cat(p->arena, STR("has failed because "), cause, STR("")));
		return;
	}
	r->begun_anew++;
	set(p, JOB_RESTARTING, true, "Restarting", str_cat(p->arena, STR("restarts because "), cause, STR("")));
	pass_begin_anew(p, true, p->now + attempt_delay(ATTEMPT_DELAY_SECONDS * NS_PER_SECOND, r->begun_anew));
	(void)ask_judge(p);             /* releases the roles that can start at once; the verdict is left to the next
					 * pass */
	pass_wake(p, job_deadline(p->plan, r->begin));
	pass_reconcile(p);
}

static void going(struct decide_pass *p)
{
	bool runs = p->plan->running ? condition_holds(p->plan, p->plan->running, p->states) : is_any_active(p);
	const struct seen *restarts = p->retried ? p->retried : runs ? NULL : p->replaced;

	if (restarts)
		set(p, JOB_RESTARTING, true, "Restarting",
			str_cat(p->arena, STR("is restarting because "), blame(p, restarts), STR("")));
	else if (runs)
		set(p, JOB_RUNNING, true, "Running", STR("is running."));
	pass_wake(p, job_deadline(p->plan, p->out->record.begin));
	pass_reconcile(p);
}

static void act(struct decide_pass *p)
{
	switch (ask_judge(p)) {
	case JUDGE_SUCCEEDED: end(p, true, STR("successfully completed.")); break;
	case JUDGE_FAILED: failed(p); break;
	case JUDGE_DEADLINE: cut_short(p, STR("has failed because it was active longer than its deadline")); break;
	case JUDGE_LIMIT: cut_short(p, STR("has failed because it reached its back-off limit")); break;
	case JUDGE_UNREACHABLE:
		end(p, false, str_printf(p->arena, "has failed because nothing runs any more, and %.*s does not hold",
			STR_ARG(plan_condition_text(p->arena, p->plan, p->plan->success))));
		break;
	case JUDGE_COPY:                /* not asked for: copies do not restart by themselves here */
	case JUDGE_IDLE:                /* a job without a success rule never ends on its own */
	case JUDGE_GOING: going(p); break;
	}
}

/* ---- suspending ---- */

static void suspend(struct decide_pass *p)
{
	pass_begin_anew(p, false, 0);
	p->out->record.spent = 0;
	set(p, JOB_SUSPENDED, true, "Suspended", STR("is suspended."));
	pass_clear(p, true);
	for (size_t k = 0; k < p->plan->nroles; k++)
		p->out->roles[k] = (struct decide_count){ 0 };
}

static void begin(struct decide_pass *p)
{
	if (conditions_hold(&p->out->record.conditions, JOB_SUSPENDED)) {
		set(p, JOB_SUSPENDED, false, "Resumed", STR("is resumed."));
		p->out->record.begin = 0;
	}
	if (!p->out->record.begin)
		p->out->record.begin = p->now;
}

struct decision decide(struct arena *a, const struct decide_job *job, const struct decide_record *before,
	const struct seen_list *seen, int64_t now)
{
	struct decision d = { .again = RULES_NEVER, .elsewhere = decide_elsewhere(job) };
	struct decide_pass p = { .arena = a, .job = job, .plan = job->plan, .seen = seen, .out = &d, .now = now };

	d.record = *before;
	if (d.elsewhere)
		return d;
	remember(&p, before);
	pass_index(&p);
	if (!before->conditions.n)
		set(&p, JOB_CREATED, true, "Created", STR("is created."));
	if (!conditions_finished(&d.record.conditions) && !decide_suspended(p.plan))
		begin(&p);
	pass_judge(&p);
	count(&p);
	if (conditions_finished(&d.record.conditions))
		finished(&p);
	else if (decide_suspended(p.plan))
		suspend(&p);
	else if (pass_claim(&p))
		act(&p);
	else
		pass_wake(&p, now + ATTEMPT_DELAY_SECONDS * NS_PER_SECOND);
	return d;
}
