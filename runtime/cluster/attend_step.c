/* attend_step.c - decides one step of attending a run. */
#include "runtime/cluster/attend_step.h"

#include "base/words.h"
#include "runtime/cluster/restart.h"
#include "runtime/run/outcome.h"
#include "runtime/run/rules.h"
#include "runtime/status/look.h"

enum { DELETING_PAUSE = 1 };            /* seconds before the next look at a restart whose old Jobs are being deleted */

/* ---- the verdict ---- */

/* The verdict that follows from the state; empty: the state has no verdict yet. */
static struct str verdict_of(const struct run_state *s)
{
	switch (s->phase) {
	case RUN_SUCCEEDED: case RUN_COMPLETING: return STR("Succeeded");
	case RUN_FAILED: case RUN_FAILING: return STR("Failed");
	default: return STR("");
	}
}

/*
 * A verdict that a controller has recorded takes precedence: the controller has deleted workloads that would continue,
 * and perhaps the pods that show the verdict.
 */
static void take_verdict(struct arena *a, const struct parent *p, struct run_state *s)
{
	bool success = str_is(p->verdict, "Succeeded"), active = run_is_active(s);
	enum run_phase end = success ? RUN_SUCCEEDED : RUN_FAILED;

	if (!parent_is_left(p) || !p->verdict.n || s->phase == end)
		return;
	if (s->phase != (success ? RUN_COMPLETING : RUN_FAILING))
		s->cause = STR("");             /* the old cause only explains why the run did not progress */
	s->phase = !active ? end : success ? RUN_COMPLETING : RUN_FAILING;
	outcome_read(a, p->outcome, p->generation, s);
}

/*
 * Does the recorded outcome lack the first failing rank? This happens because the watch of Jobs may be ahead of the
 * watch of pods.
 */
static bool lacks_failure(struct arena *a, const struct parent *p)
{
	struct run_state ended = { 0 };

	return outcome_read(a, p->outcome, p->generation, &ended) && !ended.failure.known;
}

/*
 * Decides what must be recorded. A recorded verdict stays, although the objects that show it may be deleted by now; the
 * first failing rank is added when it is known.
 */
static void note_verdict(struct arena *a, const struct attend_look *l, struct attend_step *step)
{
	const struct parent *p = l->record;
	struct run_state ended = step->live;
	struct buf b = { 0 };

	step->verdict = p->verdict.n ? p->verdict : verdict_of(&step->live);
	step->judged = !p->verdict.n && step->verdict.n;
	step->news = step->judged || (str_is(p->verdict, "Failed") && step->live.failure.known && lacks_failure(a, p));
	if (!step->news)
		return;
	ended.cause.n -= ended.deletion;        /* a deletion is temporary, but the record is permanent */
	ended.deletion = 0;
	outcome_write(&ended, p->generation, ended.since ? ended.since : l->now, &b);
	step->outcome = buf_take(&b, a);
	buf_release(&b);
}

/* ---- restarts ---- */

/* Is a Job that the restart replaces still being deleted? The watch reports the end of the deletion. */
static bool still_deleting(const struct attend_look *l)
{
	for (size_t i = 0; i < l->objects->n; i++)
		for (size_t k = 0; k < l->record->nreplaced; k++)
			if (str_eq(status_text(l->objects->at[i], "metadata.uid"), l->record->replaced[k].old) &&
				status_text(l->objects->at[i], "metadata.deletionTimestamp").n)
				return true;
	return false;
}

/* What the record says of the restart that is due. */
static const struct status_restart *next_restart(struct arena *a, const struct attend_look *l,
	const struct run_state *live)
{
	struct status_restart *next = ARENA_NEW(a, struct status_restart);

	/* the number is that of the whole run; that of a copy is `count` */
	*next = (struct status_restart){ .number = l->record->restart.number + !live->restart_copy.n,
		.cause = live->restart_cause, .copy = live->restart_copy, .count = live->restart_count,
		.series = live->restart_series };
	return next;
}

static void decide_restart(struct arena *a, const struct attend_look *l, struct attend_step *step)
{
	const struct run_state *live = &step->live;
	const struct status_restart *last = &l->record->restart;
	int64_t left = live->restart_at - l->now;

	step->restart = last->going || live->restart_due;
	if (last->going) {
		bool over = last->copy.n && l->record->verdict.n;       /* the restart only has to be ended */
		step->patience = !over && still_deleting(l) ? DELETING_PAUSE * NS_PER_SECOND : 0;
	} else if (live->restart_due) {
		step->next = next_restart(a, l, live);
		step->patience = !live->restart_copy.n ? restart_patience(live, l->now) : left > 0 ? left : 0;
	}
}

/* ---- the Jobs ---- */

static bool uid_vouches(const struct status_objects *objects, struct str uid, struct str digest)
{
	for (size_t i = 0; i < objects->n; i++)
		if (str_eq(status_text(objects->at[i], "metadata.uid"), uid))
			return vouch_by(objects->at[i], digest);
	return false;
}

/*
 * Leaves out actions for objects that do not vouch for the record. If the objects do not show the verdict that is
 * recorded, only marked Jobs end.
 */
static void limit_actions(struct arena *a, const struct attend_look *l, bool shown, struct jobs_decision *d)
{
	struct str digest = d->n ? vouch_digest(a, l->record) : STR("");
	size_t kept = 0;

	for (size_t i = 0; i < d->n; i++)
		if ((shown || d->at[i].what == JOBS_END) && uid_vouches(l->objects, d->at[i].uid, digest))
			d->at[kept++] = d->at[i];
	d->n = kept;
}

/*
 * Deletes the Jobs of a run with several Jobs when `ttl` has passed since the end of the run. A run of a single Job
 * sets a field of the Job instead. The record and its verdict stay. The live objects must show that the run has ended:
 * they show the verdict, as SHOWN says, or all Jobs that are left are over. The end is the later one of the recorded
 * end and the one that they show.
 */
static void expire(struct arena *a, const struct attend_look *l, bool shown, const struct jobs_census *c,
	struct attend_step *step)
{
	struct run_state ended = { 0 };

	if (!plan_ttl_is_left(l->plan) || step->news || (!shown && c->over < c->n) || l->record->restart.going)
		return;
	outcome_read(a, l->record->outcome, l->record->generation, &ended);
	int64_t last = shown ? step->live.since : c->end, end = ended.end > last ? ended.end : last;
	int64_t at = (end ? end : l->now) + (int64_t)l->plan->ttl.value.nano;
	if (l->now < at) {
		step->again = at;
		return;
	}
	step->actions.n = 0;
	step->expired = true;
	for (size_t i = 0; i < l->objects->n; i++) {
		const struct data *o = l->objects->at[i];
		struct jobs_action x = { .what = JOBS_END, .name = status_text(o, "metadata.name"),
			.uid = status_text(o, "metadata.uid"), .role = status_label(o, "trainc.dev/role") };
		if (str_is(status_text(o, "kind"), "Job") && !status_text(o, "metadata.deletionTimestamp").n)
			ARENA_PUSH(a, step->actions.at, step->actions.n, x);
	}
}

/* What the record says about restarts and no Job shows; empty: nothing. */
static struct str doubt_restarts(struct arena *a, const struct attend_look *l)
{
	const struct status_restart *r = &l->record->restart;
	int64_t most = -1;

	if (r->damaged)
		return STR("what it says about restarts is damaged");
	for (size_t i = 0; i < l->objects->n; i++) {
		const struct data *o = l->objects->at[i];
		bool job = str_is(status_text(o, "kind"), "Job") &&
			parent_lists(l->record, status_text(o, "metadata.uid"));
		int64_t number = job ? vouch_number(o) : -1;
		most = number > most ? number : most;
	}
	return most < 0 || most >= r->number || r->going || l->objects->restart.going ? STR("") :
		str_printf(a, "no Job shows its restart %lld", (long long)r->number);
}

static void decide_actions(struct arena *a, const struct attend_look *l, struct attend_step *step)
{
	struct str said = l->record->verdict;
	bool shown = !said.n || str_eq(said, verdict_of(&step->live));

	step->actions = decide_jobs(a, l->plan, &step->live, l->objects);
	limit_actions(a, l, shown, &step->actions);
	if (!said.n)
		return;
	struct jobs_census c = jobs_census(a, l->plan, &step->live, l->objects);
	expire(a, l, shown, &c, step);
	if (!shown && !c.marked && c.over + c.ending < c.n && !str_is(l->plan->clean.value, "none"))
		step->doubt = str_printf(a, "no object shows the verdict '%.*s'", STR_ARG(said));
}

struct attend_step attend_step(struct arena *a, const struct attend_look *l)
{
	struct attend_step step = { .again = RULES_NEVER };
	struct str who;

	step.live = status_of(a, l->plan, l->objects, l->now);
	step.state = step.live;
	take_verdict(a, l->record, &step.state);
	step.vouched = l->acts ? vouch_judge(a, l->record, l->objects, &who) : VOUCH_ABSENT;
	if (step.vouched == VOUCH_MISSING)
		step.doubt = str_printf(a, "%.*s does not vouch for it", STR_ARG(who));
	else if (l->acts)
		step.doubt = doubt_restarts(a, l);
	if (step.doubt.n) {
		step.vouched = VOUCH_MISSING;
		return step;
	}
	note_verdict(a, l, &step);
	if (l->acts) {
		decide_restart(a, l, &step);
		decide_actions(a, l, &step);
	}
	return step;
}

int64_t attend_doubt_patience(const struct parent *record)
{
	return (parent_is_complete(record) ? VOUCH_LATE_MS : VOUCH_APPLY_MS) * (NS_PER_SECOND / 1000);
}
