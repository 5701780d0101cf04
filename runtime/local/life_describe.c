/*
 * life_describe.c - describes the state of a run: phase, cause, and the replica to blame.
 */
#include <signal.h>

#include "runtime/local/life_internal.h"
#include "runtime/run/cells.h"

/* ---- blame ---- */

/* Ends that differ by less than this have no reliable order, because the kernel reports them one after the other. */
static const int64_t AT_ONCE = SECOND / 1000;

static bool at_once(const struct run_replica *r, const struct run_replica *other)
{
	return r->end - other->end < AT_ONCE && other->end - r->end < AT_ONCE;
}

/*
 * Is R to blame rather than OTHER? Both failed. If nothing else decides, the replica with the lower rank is to blame.
 * If both ended at the same moment, a kill from outside (for lack of memory, for example) is never the consequence of
 * the other rank's end; other signals often are. If a replica has recorded when it failed, the recorded time counts,
 * however long the replica took to end.
 */
static bool earlier(const struct run_replica *r, const struct run_replica *other)
{
	int64_t at = r->words.time ? r->words.time : r->end;
	int64_t other_at = other->words.time ? other->words.time : other->end;

	if (r->words.follows != other->words.follows)
		return other->words.follows;
	if (r->words.time || other->words.time)
		return at < other_at;
	if ((r->signal == SIGKILL) != (other->signal == SIGKILL) && at_once(r, other))
		return r->signal == SIGKILL;
	if (r->end != other->end)
		return r->end < other->end;
	return !r->signal && other->signal;
}

/*
 * Can the replica be to blame? A replica that waits for its next attempt can, too: in collective training, a replica
 * often fails for good because of the failure of another replica, which may try again.
 */
static bool suspect(const struct life_part *p, int64_t i)
{
	const struct run_replica *r = &p->run->at[i];

	if (r->words.time && !r->words.follows && r->state != REPLICA_SUCCEEDED)
		return true;                    /* the replica recorded its own error, even if it has not ended yet */
	return r->state == REPLICA_FAILED || (r->state == REPLICA_WAITING && r->again && r->exit_code > 0);
}

static bool part_suspect(const struct life_part *p)
{
	if (p->copy && p->copy->anew)
		return false;                   /* its failure is known, and the copy restarts */
	if (!p->required || failure_judge(p->plan, false) == FAILURE_PASSES)
		return false;
	for (int64_t i = 0; p->plan->elastic && i < p->plan->max; i++)
		if (p->run->at[i].state == REPLICA_FAILED)
			return true;
	return !p->plan->elastic;
}

/*
 * The text " (at the same moment: b-0, b-2)": other replicas that failed at the same time, as far as the clock shows.
 */
static struct str at_the_same_moment(struct life *l, const struct run_replica *first)
{
	struct buf b = { 0 };
	size_t n = 0;

	for (size_t k = 0; k < l->job->nroles; k++) {
		const struct life_part *p = &l->parts[k];
		for (int64_t i = 0; part_suspect(p) && i < p->plan->max; i++) {
			const struct run_replica *r = &p->run->at[i];
			if (r == first || !suspect(p, i) || r->end != first->end || n++ >= 3)
				continue;
			buf_printf(&b, "%s%.*s-%lld", n == 1 ? " (at the same moment: " : ", ", STR_ARG(p->plan->name),
				(long long)i);
		}
	}
	if (n > 3)
		buf_printf(&b, " and %zu more", n - 3);
	if (n)
		buf_char(&b, ')');
	struct str text = buf_take(&b, l->arena);
	buf_release(&b);
	return text;
}

void life_blame(struct life *l, const struct life_copy *copy)
{
	const struct run_replica *first = NULL;
	const struct life_part *of = NULL;

	for (size_t k = 0; k < l->job->nroles; k++) {
		const struct life_part *p = &l->parts[k];
		/* the run has gone on without copies that were lost before */
		bool meant = part_suspect(p) && (!copy || p->copy == copy) && !judge_spares(&l->facts, k);
		for (int64_t i = 0; meant && i < p->plan->max; i++)
			if (suspect(p, i) && (!first || earlier(&p->run->at[i], first))) {
				first = &p->run->at[i];
				of = p;
			}
	}
	if (!first)
		return;
	bool ended = first->state == REPLICA_FAILED || first->state == REPLICA_WAITING;
	struct str cause = ended && first->cause.n ? first->cause : first->words.text;
	struct str others = first->words.time ? STR("") : at_the_same_moment(l, first);
	l->state->failure = (struct run_failure){ .known = true, .role = of->plan->name, .index = first->index,
		.exit_code = ended ? first->exit_code : -1, .signal = ended ? first->signal : 0,
		.reason = str_cat(l->arena, cause, others, STR("")) };
}

/* ---- phase ---- */

struct count {
	int64_t expected, ready, begun, running;
	const struct run_replica *again;        /* the replica whose next attempt is due first */
	const struct life_part *again_of;
	/* a replica that failed for good, so that the job waits until somebody restarts it */
	const struct run_replica *waits;
	const struct life_part *waits_of;
};

static void count_part(const struct life_part *p, bool running, struct count *c)
{
	/* the job continues while a replica is replaced */
	bool replaced = running && failure_judge(p->plan, true) == FAILURE_PASSES;
	bool waits = failure_judge(p->plan, false) == FAILURE_RESTARTS;

	for (int64_t i = 0; i < p->plan->max; i++) {
		const struct run_replica *r = &p->run->at[i];
		bool counts = p->judged->released && i < p->run->desired && r->state < REPLICA_SUCCEEDED;
		c->running += p->units[i].process != PROCESS_GONE;
		c->begun += r->state != REPLICA_WAITING;
		c->expected += counts && !(replaced && r->again);
		c->ready += counts && r->state == REPLICA_READY;
		if (waits && i < p->run->desired && r->state == REPLICA_FAILED && !c->waits) {
			c->waits = r;
			c->waits_of = p;
		}
		if (counts && r->again && !replaced && (!c->again || r->again < c->again->again)) {
			c->again = r;
			c->again_of = p;
		}
	}
}

static struct str waiting_role(struct life *l)
{
	for (size_t i = 0; i < l->job->nroles; i++) {
		const struct plan_role *r = l->parts[i].plan;
		const struct judge_role *judged = l->parts[i].judged;
		if (!r->max || judged->released || judged->lost || judged->unwanted || !r->start_after)
			continue;
		struct str condition = plan_condition_text(&l->words, l->job, r->start_after);
		return str_printf(&l->words, "role '%.*s' waits for %.*s", STR_ARG(r->name), STR_ARG(condition));
	}
	return STR("");
}

static void say_life(struct life *l, enum run_phase phase, struct str cause)
{
	if (phase != l->state->phase)
		l->version++;
	l->state->phase = phase;
	l->state->cause = cause;
}

/* Why the first copy of a cell restarts that does; empty if none does. */
static struct str restarting_copy(const struct life *l)
{
	for (size_t i = 0; i < l->job->nroles; i++)
		if (l->parts[i].copy && l->parts[i].copy->anew)
			return l->parts[i].copy->cause;
	return STR("");
}

static void describe_going(struct life *l, int64_t now)
{
	struct count c = { 0 };
	struct str copy = restarting_copy(l);

	for (size_t i = 0; i < l->job->nroles; i++)
		if (l->parts[i].required && !l->parts[i].judged->lost)
			count_part(&l->parts[i], l->job->running && condition_holds(l->job, l->job->running, l->seen),
				&c);
	if (copy.n) {
		say_life(l, RUN_DEGRADED, copy);
	} else if (c.again) {
		say_life(l, RUN_DEGRADED, str_printf(&l->words, "%.*s-%lld restarts soon: %.*s",
			STR_ARG(c.again_of->plan->name),
			(long long)c.again->index, STR_ARG(c.again->cause)));
	} else if (c.waits) {
		say_life(l, RUN_DEGRADED, str_printf(&l->words,
			"%.*s-%lld has failed and waits for a manual restart: %.*s",
			STR_ARG(c.waits_of->plan->name), (long long)c.waits->index, STR_ARG(c.waits->cause)));
	} else if (!c.running && !c.begun) {
		say_life(l, RUN_PENDING, waiting_role(l));
	} else if (c.ready < c.expected) {
		say_life(l, RUN_STARTING, str_printf(&l->words, "%lld/%lld ready", (long long)c.ready,
			(long long)c.expected));
	} else if (now < l->degraded_until) {
		life_wake(l, l->degraded_until);
		say_life(l, RUN_DEGRADED, !l->degraded_by ? STR("restarted less than a minute ago") :
			str_printf(&l->words, "%.*s-%lld restarted less than a minute ago",
			STR_ARG(l->degraded_by->plan->name), (long long)l->degraded_index));
	} else {
		struct str lost = run_lost_copies(&l->words, l->state);
		say_life(l, RUN_RUNNING, lost.n ? lost : waiting_role(l));
	}
}

static void describe_end(struct life *l, int64_t now)
{
	bool over = life_over(l);

	if (over && !l->state->end) {
		l->state->end = now;
		l->version++;
	}
	if (l->asked_to_stop)
		say_life(l, over ? RUN_FAILED : RUN_TERMINATING, l->reason);
	else if (l->succeeded)
		say_life(l, over ? RUN_SUCCEEDED : RUN_COMPLETING, l->reason);
	else
		say_life(l, over ? RUN_FAILED : RUN_FAILING, l->reason);
}

/* ---- conditions ---- */

static bool counts_as_running(const struct life *l)
{
	if (l->job->running)
		return condition_holds(l->job, l->job->running, l->seen);
	for (size_t i = 0; i < l->state->nroles; i++)
		if (!l->state->roles[i].aux && run_count(&l->state->roles[i]).active)
			return true;
	return false;
}

static bool counts_as_restarting(const struct life *l)
{
	int64_t restarts = l->state->job_restarts;

	for (size_t i = 0; i < l->state->nroles; i++)
		restarts += run_count(&l->state->roles[i]).restarts;
	return l->state->phase == RUN_DEGRADED || (l->state->phase == RUN_STARTING && restarts);
}

void life_describe(struct life *l, int64_t now)
{
	arena_reset(&l->words);
	l->state->restarts_at = l->mode == MODE_ANEW ? l->anew_at ? l->anew_at : now : 0;
	switch (l->mode) {
	case MODE_GOING: describe_going(l, now); break;
	case MODE_SUSPENDED: say_life(l, RUN_SUSPENDED,
		life_runs_any(l) ? STR("replicas are still stopping") : STR("")); break;
	case MODE_ANEW: say_life(l, RUN_DEGRADED, str_printf(&l->words, "the job restarts: %.*s",
		STR_ARG(l->reason))); break;
	case MODE_ENDING: describe_end(l, now); break;
	}
	run_state_running(l->state, counts_as_running(l), counts_as_restarting(l), now);
}
