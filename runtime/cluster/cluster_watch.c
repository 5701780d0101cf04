/*
 * cluster_watch.c - derives the states of runs from the objects of a namespace.
 */
#include "runtime/cluster/cluster_watch.h"
#include "runtime/cluster/strayed.h"
#include "runtime/cluster/unrecorded.h"

#include "base/words.h"
#include "data/data_read.h"
#include "data/data_write.h"
#include "runtime/cluster/code_record.h"
#include "runtime/cluster/jobs_request.h"
#include "runtime/cluster/watch_record.h"
#include "runtime/cluster/watch_restart.h"
#include "runtime/command/runs.h"
#include "runtime/run/outcome.h"
#include "runtime/run/plan_record.h"
#include "runtime/status/look.h"

/*
 * JUDGE_SHARE: the pause before a run is judged again, as a multiple of the time that the last judgment took; at most
 * JUDGE_MOST_MS. IDLE_SHARE: the pause before a healthy run is judged without a change, as a multiple of the pause
 * above. VANISHED_MS: after the Jobs of a run were deleted, how long to wait for Jobs that replace them, as with
 * 'kubectl replace --force'. RECORD_MS: how far the watch of records may lag behind the other watches. AGAIN_MS: the
 * pause before an action for the run is repeated: it was refused, or its effect has not been reported yet.
 */
enum { JUDGE_SHARE = 20, IDLE_SHARE = 20, JUDGE_MOST_MS = 100, VANISHED_MS = 2000, RECORD_MS = 10000,
	AGAIN_MS = 5000 };
enum { STRAYED_MOST = 4 };      /* up to this number of runs, `status` and `why` compare objects with their records */
#define NS_PER_MS INT64_C(1000000)

/* ---- actions for runs ---- */

/*
 * Does the command act for the run? A command that stays until the end does the work that Jobs cannot do for each
 * other, and so does `apply` until its goal is reached: without that, a role that starts after another one would never
 * run, and `apply` would never return.
 */
static bool attends(const struct session *s)
{
	struct str goal = option_value(s->options, OPTION_FOR);

	switch (s->options->command) {
	case COMMAND_RUN: return true;
	case COMMAND_WAIT: return !goal.n || str_is(goal, "complete");
	case COMMAND_APPLY: return !str_is(goal, "created") && !option_given(s->options, OPTION_NO_WAIT);
	default: return false;
	}
}

static void action_done(void *to, const struct transport_result *r)
{
	struct cluster_watch *c = to;

	c->acting--;
	c->dirty = true;
	if (transport_ok(r) || call_class(r) == CALL_NOT_FOUND || call_class(r) == CALL_CONFLICT)
		return;
	if (!c->complained)
		session_say(c->cluster->session, "%.*s", STR_ARG(r->error));
	c->complained = true;
}

/* The time in ns after which action X may be sent; if it may be sent now, notes that it is sent. */
static int64_t act_pause(struct cluster_watch *c, const struct jobs_action *x)
{
	struct str key = str_printf(&c->scratch, "%u/%.*s", (unsigned)x->what, STR_ARG(x->uid));
	int64_t *sent = map_get(&c->acted, key), now = loop_now(c->cluster->client.loop);

	if (!sent) {
		sent = ARENA_NEW(c->cluster->arena, int64_t);
		map_put(&c->acted, c->cluster->arena, str_copy(c->cluster->arena, key), sent);
		*sent = now - AGAIN_MS * NS_PER_MS;
	}
	int64_t left = *sent + AGAIN_MS * NS_PER_MS - now;
	if (left <= 0)
		*sent = now;
	return left;
}

/*
 * Carries out a decision. An action that is in progress is not started again; an action that was lost or refused is
 * decided again later. The watches may report an action long after the server has accepted it. Only the actions of the
 * first stage are sent; the others are decided again when the effects of these are seen.
 */
static void send_actions(struct cluster_watch *c, const struct jobs_decision *d)
{
	struct arena *a = &c->scratch;
	enum jobs_stage first = JOBS_STAGE_JOB;

	arena_reset(a);
	for (size_t i = 0; i < d->n; i++)
		first = jobs_stage_of(&d->at[i]) < first ? jobs_stage_of(&d->at[i]) : first;
	for (size_t i = 0; i < d->n; i++) {
		if (jobs_stage_of(&d->at[i]) != first)
			continue;
		int64_t left = act_pause(c, &d->at[i]);
		if (left > 0) {
			cluster_watch_wake(c, left);
			continue;
		}
		struct transport_request r = jobs_request(a, &d->at[i], c->ns, "trainc-attend");
		r.done = action_done;
		r.to = c;
		c->acting++;
		call_start(c->cluster->client.calls, &r, CALL_REPEAT, NULL);
	}
}

/* ---- judging ---- */

static int64_t server_time(const struct cluster *k)
{
	return clock_real() + transport_clock_offset(k->client.transport);
}

/* The digest of a state and of the names of its pods. The names count because another pod has another log. */
static uint64_t print_of(const struct run_state *s)
{
	uint64_t print = run_state_digest(s);

	for (size_t k = 0; k < s->nroles; k++)
		for (int64_t i = 0; i < s->roles[k].max; i++)
			print = print * 31 + str_hash(s->roles[k].at[i].pod);
	for (size_t i = 0; i < s->nobjects; i++)
		print = print * 31 + str_hash(s->objects[i].name) + (uint64_t)s->objects[i].phase;
	return print;
}

/*
 * The time after which a run must be judged again even if it is unchanged: some states depend on the time that has
 * passed. A large healthy run is judged less often, so that judging takes about a four-hundredth of the time.
 */
static int64_t patience(const struct cluster_watch *c, const struct run_state *s)
{
	int64_t usual = 30 * NS_PER_SECOND, most = 4 * usual, share = IDLE_SHARE * c->pause;

	switch (s->phase) {
	case RUN_PENDING: case RUN_STARTING: case RUN_DEGRADED: case RUN_STALLED: case RUN_QUEUED:
	case RUN_UNKNOWN: return 5 * NS_PER_SECOND;
	case RUN_RUNNING: return share < usual ? usual : share < most ? share : most;
	default: return usual;
	}
}

/*
 * Is the Job one of the run's own Jobs? A Job with another owner, such as a JobSet or a TrainJob, is created again by
 * that owner.
 */
static bool is_own_job(const struct cluster_watch *c, const struct data *o)
{
	bool owned = status_list(o, "metadata.ownerReferences")->u.list.n > 0;

	return str_is(status_text(o, "kind"), "Job") && (!owned || status_owned_by(o, c->parent.uid));
}

/*
 * Notes the Jobs of the run. If a Job has the name of an earlier Job but another uid, somebody has started another run
 * since, unless a restart of the whole run has created the Job.
 */
static void note_jobs(struct cluster_watch *c, const struct status_objects *objects)
{
	struct arena *a = c->cluster->arena;
	size_t present = 0;

	for (size_t i = 0; i < objects->n; i++) {
		const struct data *o = objects->at[i];
		if (!is_own_job(c, o))
			continue;
		struct str name = status_text(o, "metadata.name"), uid = status_text(o, "metadata.uid");
		const struct str *known = map_get(&c->jobs, name);
		if (!known) {
			struct str *first = ARENA_NEW(a, struct str);
			*first = str_copy(a, uid);
			map_put(&c->jobs, a, str_copy(a, name), first);
		} else if (!str_eq(*known, uid) && !watch_restart_explains(c, uid)) {
			c->watch->replaced = true;
		}
		present++;
	}
	bool there = present || !c->jobs.n || c->parent.restart.going;
	c->vanished = there ? 0 : c->vanished ? c->vanished : loop_now(c->cluster->client.loop);
}

/* Have the Jobs just disappeared, so that they may be about to be replaced? If so, the old state is kept for now. */
static bool may_be_replaced(struct cluster_watch *c)
{
	struct loop *l = c->cluster->client.loop;
	int64_t most = parent_may_restart(&c->parent) ? RECORD_MS : VANISHED_MS;
	int64_t left = c->vanished + most * NS_PER_MS - loop_now(l);

	if (!c->vanished || c->removed || c->watch->replaced || left <= 0)
		return false;
	loop_timer_set(l, &c->timer, left);
	return true;
}

static bool has_ended(const struct run_watch *w)
{
	return run_phase_final(w->state.phase) && w->state.phase != RUN_UNKNOWN;
}

/* ---- what a controller has recorded ---- */

static bool read_plan(struct cluster_watch *c, struct str record, struct str code, struct str *why)
{
	struct source source = { .text = record, .base = 1 };
	struct data_error error;
	struct data *d;

	*why = STR("the run's record is not JSON");
	if (!data_read_json(c->cluster->arena, &source, &d, &error) || !plan_record_read(c->cluster->arena, d,
		&c->plan, why))
		return false;
	code_record_read(c->cluster->arena, code, &c->plan);
	return true;
}

/* Takes over the plan and what else the objects vouch for, after the run was applied again without new Jobs. */
static void renew_plan(struct cluster_watch *c, const struct parent *now)
{
	struct arena *a = c->cluster->arena;
	struct parent *p = &c->parent;
	struct plan_job old = c->plan;
	struct str why;

	p->jobs_digest = str_copy(a, now->jobs_digest);
	if (str_eq(now->plan, p->plan) && str_eq(now->code, p->code))
		return;
	p->plan = str_copy(a, now->plan);
	p->code = str_copy(a, now->code);
	if (!read_plan(c, p->plan, p->code, &why))
		c->plan = old;
	c->plan.ns = (struct plan_str){ .value = c->ns, .set = true };
}

static void note_record(void *to, struct str uid, const struct data *object)
{
	struct cluster_watch *c = to;
	struct parent *p = &c->parent;
	struct parent now;
	struct str why;

	struct arena *a = c->cluster->arena;

	if (!str_eq(uid, p->uid) || !parent_read(a, object, &now, &why) ||
		(now.generation != p->generation && !watch_restart_keeps(c, &now)))
		return;                         /* somebody has applied the run again; the new Jobs will show this */
	watch_restart_renew(c, &now);
	renew_plan(c, &now);
	p->hash = str_copy(a, now.hash);
	p->version = str_copy(a, now.version);
	p->attended = now.attended;
	p->verdict = str_copy(a, now.verdict);
	p->outcome = str_copy(a, now.outcome);
}

/* Does another process write the record of the run while the run continues? */
static bool has_writers(const struct parent *p) { return parent_is_left(p) || parent_may_restart(p); }

/*
 * Reads the record of a run if the record has changed and others may write it. The texts of the record are kept as long
 * as the command runs, since a record changes only a few times in the life of a run.
 */
static void renew_record(struct cluster_watch *c)
{
	if (has_writers(&c->parent) && c->view && c->records != view_records(c->view)) {
		c->records = view_records(c->view);
		view_each(c->view, "ConfigMap", c->watch->name, c->ns, note_record, c);
	}
}

static enum run_phase verdict_phase(const struct parent *p)
{
	return str_is(p->verdict, "Succeeded") ? RUN_SUCCEEDED : RUN_FAILED;
}

void cluster_watch_recall(struct arena *a, const struct parent *p, struct run_state *s)
{
	if (s->phase != RUN_ABSENT || !p->verdict.n || p->restart.going)
		return;
	s->phase = verdict_phase(p);
	s->cause = STR(RUN_REMOVED);
	outcome_read(a, p->outcome, p->generation, s);
	const struct run_failure *f = &s->failure;
	if (f->known && str_is(s->cause, RUN_REMOVED))
		s->cause = str_printf(a, "%.*s %lld: %.*s; " RUN_REMOVED, STR_ARG(f->role), (long long)f->index,
			STR_ARG(f->reason));
}

/*
 * A run may seem to have ended although its controller has recorded no verdict: the controller first records the
 * verdict and then deletes Jobs, but a command may see the deletions first. The end counts if no verdict comes within
 * RECORD_MS. Returns the time in ns after which the run must be judged again, or 0.
 */
static int64_t hold_end(struct cluster_watch *c, struct run_state *s)
{
	const struct parent *p = &c->parent;
	int64_t now = loop_now(c->cluster->client.loop);

	if (!c->attends || !parent_is_attended(p) || p->verdict.n ||
		(s->phase != RUN_SUCCEEDED && s->phase != RUN_FAILED)) {
		c->unrecorded = 0;
		return 0;
	}
	c->unrecorded = c->unrecorded ? c->unrecorded : now;
	int64_t left = c->unrecorded + RECORD_MS * NS_PER_MS - now;
	if (left <= 0)
		return 0;
	s->phase = s->phase == RUN_SUCCEEDED ? RUN_COMPLETING : RUN_FAILING;
	return left;
}

/* Takes over a state that has been judged; true if it differs from the previous state. */
static bool take_state(struct cluster_watch *c, const struct run_state *s)
{
	struct run_watch *w = c->watch;
	uint64_t print = print_of(s);

	if (s->phase == RUN_ABSENT && c->seen)
		w->gone = true;
	c->seen = c->seen || s->phase != RUN_ABSENT;
	if (print == c->print && !w->gone)
		return false;
	c->print = print;
	w->state = run_state_copy(&c->memory[!c->current], s);
	c->current = !c->current;
	return true;
}

/*
 * Reports once what the record says and no live object shows, unless it is only a moment since an `apply` or another
 * attendant has changed the record.
 */
static void tell_doubt(struct cluster_watch *c, struct str doubt)
{
	struct loop *l = c->cluster->client.loop;

	if (!doubt.n) {
		c->doubtful = 0;
		return;
	}
	c->doubtful = c->doubtful ? c->doubtful : loop_now(l);
	int64_t left = c->doubtful + attend_doubt_patience(&c->parent) - loop_now(l);
	if (left > 0) {
		cluster_watch_wake(c, left);
	} else if (!c->doubted) {
		c->doubted = true;
		session_say(c->cluster->session, "nothing is done because of the record of run '%.*s': %.*s. If the "
			"run was applied again, repeat this command; otherwise somebody may have changed the record, "
			"and 'trainc apply' with the program restores it", STR_ARG(c->watch->name), STR_ARG(doubt));
	}
}

/* Does this command do what the Jobs of the run cannot do for each other? Not if a controller does it. */
static bool acts_for(const struct cluster_watch *c)
{
	return c->attends && !c->removed && !parent_is_attended(&c->parent) &&
		!view_useless(c->view, c->watch->name, c->ns);
}

/* Carries out a step: first the record, then a restart or the actions. */
static void carry_out(struct cluster_watch *c, const struct attend_look *look, const struct attend_step *step,
	const struct run_state *shown)
{
	int64_t left = step->again == RULES_NEVER ? RULES_NEVER : step->again - look->now;
	bool due = step->news && !c->acting && (look->acts || run_phase_final(shown->phase));

	c->superseded = step->news && c->recording && !str_eq(step->outcome, c->outcome);
	if (due && watch_record(c, step->verdict, step->outcome))
		return;
	if (!look->acts)
		return;
	tell_doubt(c, step->doubt);
	if (left != RULES_NEVER)
		cluster_watch_wake(c, left);
	if (step->restart)
		watch_restart_act(c, step, look->objects);
	if (!c->acting)
		send_actions(c, &step->actions);
}

/* Judges the run by its objects, with trees and views in A; true if its state has changed. */
static bool judge_in(struct cluster_watch *c, struct arena *a)
{
	struct status_objects objects = { 0 };
	struct run_watch *w = c->watch;
	bool was_final = has_ended(w);

	view_objects(c->view, a, w->name, c->ns, &objects);
	renew_record(c);
	note_jobs(c, &objects);
	watch_restart_prepare(c, &objects);
	objects.attended = c->attends || parent_is_attended(&c->parent);
	struct attend_look look = { .plan = &c->plan, .record = &c->parent, .objects = &objects, .acts = acts_for(c),
		.now = server_time(c->cluster) };
	struct attend_step step = attend_step(a, &look);
	struct run_state s = step.state;
	int64_t held = hold_end(c, &s);
	s.ns = c->ns;
	s.file = c->parent.file;
	c->judged = loop_now(c->cluster->client.loop);
	c->news = view_news(c->view);
	c->dirty = false;
	if (c->seen && !was_final && !(parent_is_left(&c->parent) && c->parent.verdict.n) && may_be_replaced(c))
		return false;
	loop_timer_set(c->cluster->client.loop, &c->timer, held ? held : patience(c, &s));
	if (s.phase == RUN_ABSENT && c->seen && was_final)
		return false;                   /* the run was removed after its end: its last state counts */
	carry_out(c, &look, &step, &s);
	cluster_watch_recall(a, &c->parent, &s);
	strayed_show(a, c->strayed, c->nstrayed, &s);
	return take_state(c, &s);
}

/* Updates the state; true if it has changed. The previous state exists until the next call. */
static bool judge_watched(struct cluster_watch *c)
{
	struct arena judging = { .frugal = true };

	arena_release(&c->memory[!c->current]);
	bool changed = judge_in(c, &judging);
	arena_release(&judging);
	return changed;
}

/* ---- functions for run_watch ---- */

/* The time in ns after which the run may be judged again: many changes are judged together. */
static int64_t judge_pause(const struct cluster_watch *c)
{
	int64_t most = JUDGE_MOST_MS * NS_PER_MS;

	return c->judged + (c->pause < most ? c->pause : most) - loop_now(c->cluster->client.loop);
}

/*
 * Is there a reason to judge the run? While the connection is cut off, only news from a watch that has reconnected is a
 * reason, not elapsed time.
 */
static bool must_judge(const struct cluster_watch *c)
{
	return c->view && c->dirty && !(c->cut_off && c->news == view_news(c->view));
}

/* Will watch_update() do anything even without a further event? */
static bool has_changed(const struct cluster_watch *c)
{
	const struct run_watch *w = c->watch;
	struct str why;
	int status;

	return c->view && c->dirty && (must_judge(c) || !view_cut_off(c->view) ||
		(!w->lost && !has_ended(w) && view_failed(c->view, &why, &status)));
}

/*
 * A turn of the loop delivers the events of all runs and logs. So a change of this run may have been delivered while
 * another run was updated, or while lines were read. No further event announces such a change, so a timer does.
 */
static int watch_fd(const struct run_watch *w)
{
	struct cluster_watch *c = cluster_watch_of(w);
	struct loop *l = c->cluster->client.loop;
	int status;

	if (!c->view)
		cluster_watch_start(c->cluster, &status);
	if (has_changed(c))
		loop_timer_set(l, &c->timer, judge_pause(c));
	return loop_descriptor(l);
}

static void on_timer(struct loop_timer *t) { ((struct cluster_watch *)t->to)->dirty = true; }

/*
 * While the server cannot be reached, keeps the state that is shown; after some time, reports that the server does not
 * answer.
 */
static bool tell_cut_off(struct cluster_watch *c)
{
	struct loop *l = c->cluster->client.loop;
	int64_t since = c->view ? view_cut_off(c->view) : 0, until = since + 10 * NS_PER_SECOND;

	if (!since || c->cut_off) {
		c->cut_off = c->cut_off && since;
		return false;
	}
	if (loop_now(l) < until) {
		loop_timer_set(l, &c->timer, until - loop_now(l));
		return false;
	}
	c->cut_off = true;
	c->print = 0;                   /* the state must be reported again after the connection is back */
	c->watch->state.cause = STR("the API server does not answer; reconnecting");
	return true;
}

/*
 * Handles a watch that has given up. The objects that it brought before are judged first, because they may contain a
 * verdict.
 */
static bool note_lost(struct cluster_watch *c)
{
	struct run_watch *w = c->watch;
	struct str why;
	int status;

	if (!c->view || w->lost || has_ended(w) || !view_failed(c->view, &why, &status))
		return false;
	if (c->dirty)
		judge_watched(c);
	if (!has_ended(w)) {
		w->lost = status;
		w->lost_why = why;
	}
	return true;
}

static bool watch_update(struct run_watch *w)
{
	struct cluster_watch *c = cluster_watch_of(w);
	struct loop *l = c->cluster->client.loop;

	loop_turn(l);
	if (note_lost(c) || tell_cut_off(c))
		return true;
	if (!must_judge(c))
		return false;
	if (judge_pause(c) > 0) {
		loop_timer_set(l, &c->timer, judge_pause(c));
		return false;
	}
	int64_t now = loop_now(l);
	bool changed = judge_watched(c);
	c->pause = JUDGE_SHARE * (loop_now(l) - now);
	return changed;
}

/* Does this command still have to end the restart of a copy, because the run has ended? */
static bool ends_restart(const struct cluster_watch *c)
{
	return c->parent.restart.going && c->parent.restart.copy.n && c->parent.verdict.n && acts_for(c) &&
		!c->restart_complained;
}

static bool watch_is_over(const struct run_watch *w)
{
	const struct cluster_watch *c = cluster_watch_of(w);

	bool owes = c->superseded && !c->unrecordable && !c->cut_off;

	/*
	 * cluster_end() waits for a record that is being written; no restart is left behind that would go on after the
	 * verdict
	 */
	return w->replaced || (has_ended(w) && c->acting == c->recording && !owes && !ends_restart(c));
}

static void watch_close(struct run_watch *w)
{
	struct cluster_watch *c = cluster_watch_of(w);

	loop_timer_drop(c->cluster->client.loop, &c->timer);
	arena_release(&c->scratch);     /* cluster_end() releases the last state, which it may still record */
}

/* ---- opening ---- */

/* Reports that a run named on the command line does not exist. For `delete` this is a success. */
static bool say_absent(struct cluster *k, const struct chosen_run *r, struct str ns, int *ret_status)
{
	session_say(k->session,
		"no run '%.*s' in namespace '%.*s'; 'trainc list' lists runs",
		STR_ARG(r->name), STR_ARG(ns));
	*ret_status = k->session->options->command == COMMAND_DELETE ? STATUS_DONE : STATUS_USAGE;
	return false;
}

/*
 * Does the command look for objects that somebody has deleted or changed? A command that shows the present state of a
 * few runs does: `status` and `why`.
 */
static bool shows_strayed(const struct cluster *k)
{
	enum command command = k->session->options->command;

	return (command == COMMAND_WHY || command == COMMAND_STATUS) && k->nwatches < STRAYED_MOST &&
		!option_given(k->session->options, OPTION_WATCH);
}

/* Does the command change or delete objects of a run, which have to be its own for that? */
static bool changes_objects(enum command c)
{
	return c == COMMAND_DELETE || c == COMMAND_SCALE || c == COMMAND_SUSPEND || c == COMMAND_RESUME ||
		c == COMMAND_SYNC;
}

/*
 * Finds what the run without a record is that the command line names: the objects that kubectl or a GitOps tool has
 * applied. False if there are none, or if the command would change what somebody else keeps as it is.
 */
static bool find_unrecorded(struct cluster *k, struct cluster_watch *c, const struct chosen_run *r, int *ret_status)
{
	struct parent *p = &c->parent;

	if (!unrecorded_read(k, p, ret_status)) {
		if (r->listed && *ret_status == STATUS_CONFLICT)
			*ret_status = STATUS_DONE;      /* anybody may write such labels; the others are shown */
		return false;
	}
	if (!p->plan.n && r->listed)
		*ret_status = STATUS_DONE;
	if (!p->plan.n)
		return !r->listed && say_absent(k, r, c->ns, ret_status);
	if (!changes_objects(k->session->options->command))
		return true;
	session_say(k->session, "run '%.*s' in namespace '%.*s' has no record: kubectl or another tool has applied it, "
		"so 'trainc %s' leaves it as it is. 'trainc apply --adopt' with its program takes it over",
		STR_ARG(r->name), STR_ARG(c->ns), command_word(k->session->options->command));
	*ret_status = STATUS_CONFLICT;
	return false;
}

bool cluster_watch_open(struct cluster *k, const struct chosen_run *r, const struct cluster_seed *seed,
	struct run_watch *ret, int *ret_status)
{
	static const struct run_watch_ops ops = { .fd = watch_fd, .update = watch_update, .over = watch_is_over,
		.close = watch_close };
	struct cluster_watch *c = ARENA_NEW(k->arena, struct cluster_watch);
	/* with -A every run was listed with its own namespace, whatever --namespace says */
	bool listed = r->ns.n && option_given(k->session->options, OPTION_ALL_NAMESPACES);
	struct str why;

	*c = (struct cluster_watch){ .cluster = k, .watch = ret, .memory = { { .frugal = true }, { .frugal = true } },
		.ns = str_copy(k->arena, listed ? r->ns : cluster_namespace(k, r->ns)) };
	c->timer = (struct loop_timer){ .fire = on_timer, .to = c };
	/* the texts are copied because the program may be released earlier */
	*ret = (struct run_watch){ .ops = &ops, .name = str_copy(k->arena, r->name), .own = c };
	if (seed)
		c->parent = *seed->parent;
	else if (!cluster_parent(k, r->name, c->ns, &c->parent, ret_status))
		return false;
	bool named = !r->record.n || changes_objects(k->session->options->command);
	if (!c->parent.there && named && !find_unrecorded(k, c, r, ret_status))
		return false;
	struct str record = c->parent.plan.n ? c->parent.plan : r->record;
	if (c->parent.there && !c->parent.plan.n) {
		session_say(k->session, "run '%.*s': its record has no plan, which somebody has removed",
			STR_ARG(r->name));
		*ret_status = STATUS_CONFLICT;
		return false;
	}
	if (!read_plan(c, record, c->parent.code, &why)) {
		session_say(k->session, "run '%.*s': %.*s", STR_ARG(r->name), STR_ARG(why));
		*ret_status = STATUS_CONFLICT;
		return false;
	}
	watch_restart_open(c);
	if (c->parent.there && !seed && shows_strayed(k))
		c->strayed = strayed_objects(k, &c->parent, &c->nstrayed);
	/* a plan that was read from objects is only shown: who may write objects need not be allowed to delete Jobs */
	c->attends = attends(k->session) && (c->parent.there || r->record.n);
	c->plan.ns = (struct plan_str){ .value = c->ns, .set = true };
	ret->state = seed && seed->state ? *seed->state : (struct run_state){ .name = ret->name, .ns = c->ns,
		.phase = RUN_ABSENT, .file = c->parent.file };
	c->seen = ret->state.phase != RUN_ABSENT;
	ARENA_PUSH(k->arena, k->watches, k->nwatches, c);
	return true;
}

/* ---- starting ---- */

static void view_has_changed(void *to)
{
	struct cluster *k = to;

	for (size_t i = 0; i < k->nwatches; i++)
		k->watches[i]->dirty = true;
	loop_stop(k->client.loop);
}

/*
 * Adds the kinds, besides Pods, Jobs and Events, that a run's state depends on: kinds that represent the run or admit
 * it.
 */
static void add_kinds(struct cluster *k, const struct cluster_watch *c, struct view_options *o, struct resource *kinds)
{
	for (size_t i = 0; i < c->parent.nkinds && o->nkinds < 6; i++) {
		const struct resource *r = &c->parent.kinds[i];
		bool known = !cluster_watches_kind(r);
		for (size_t n = 0; n < o->nkinds && !known; n++)
			known = str_eq(kinds[n].kind, r->kind) && str_eq(kinds[n].group, r->group);
		if (!known)
			kinds[o->nkinds++] = *r;
	}
	bool queued = c->plan.queue.value.n || str_is(c->plan.gang.value, "kueue");
	for (size_t n = 0; n < o->nkinds && queued; n++)
		queued = !str_is(kinds[n].group, "kueue.x-k8s.io");
	const struct resource *workload = queued ? discovery_any(&k->discovery, STR("kueue.x-k8s.io"),
		STR("Workload")) : NULL;
	if (workload && o->nkinds < 6)
		kinds[o->nkinds++] = *workload;
}

/* The label selector of the watches: one value for a single run, any value for several runs. */
static struct str selector_of(struct cluster *k, struct str ns, struct str only)
{
	size_t n = 0;

	for (size_t i = 0; i < k->nwatches; i++)
		n += str_eq(k->watches[i]->ns, ns);
	return n == 1 ? str_cat(k->arena, STR("trainc.dev/job="), only, STR("")) : STR("trainc.dev/job");
}

/* Names the runs of namespace NS whose Events are wanted. If there are many runs, all Events are kept. */
static void name_runs(struct cluster *k, struct str ns, struct view_options *o)
{
	enum { MOST = 32 };
	struct str *runs = ARENA_ARRAY(k->arena, struct str, k->nwatches);

	for (size_t i = 0; i < k->nwatches; i++)
		if (str_eq(k->watches[i]->ns, ns))
			runs[o->nruns++] = k->watches[i]->watch->name;
	o->runs = runs;
	if (o->nruns > MOST)
		o->nruns = 0;
}

static void start_view(struct cluster *k, struct cluster_watch *c)
{
	struct resource *kinds = ARENA_ARRAY(k->arena, struct resource, 8);
	struct view_options o = { .client = &k->client, .ns = c->ns, .selector = selector_of(k, c->ns,
		c->watch->name), .kinds = kinds,
		.no_events = k->session->options->command == COMMAND_EVENTS, .changed = view_has_changed, .to = k };

	for (size_t i = 0; i < k->nwatches; i++)
		if (str_eq(k->watches[i]->ns, c->ns)) {
			add_kinds(k, k->watches[i], &o, kinds);
			const struct parent *p = &k->watches[i]->parent;
			o.records = o.records || has_writers(p);
			o.all_records = o.all_records || (has_writers(p) && !parent_is_left(p));
		}
	name_runs(k, c->ns, &o);
	struct view *v = view_start(k->arena, &o);
	ARENA_PUSH(k->arena, k->views, k->nviews, v);
	for (size_t i = 0; i < k->nwatches; i++)
		if (str_eq(k->watches[i]->ns, c->ns) && !k->watches[i]->view)
			k->watches[i]->view = v;
}

static bool all_synced(const struct cluster *k)
{
	for (size_t i = 0; i < k->nviews; i++)
		if (!view_synced(k->views[i]))
			return false;
	return true;
}

bool cluster_watch_start(struct cluster *k, int *ret_status)
{
	struct str why;

	cluster_listen(k, true);
	for (size_t i = 0; i < k->nwatches; i++)
		if (!k->watches[i]->view)
			start_view(k, k->watches[i]);
	while (!all_synced(k) && !k->interrupted)
		loop_run(k->client.loop);
	if (k->late) {
		if (!k->late_said)
			cluster_say_late(k, k->nwatches == 1 ? "the run goes on" : "the runs go on");
		*ret_status = STATUS_TIMEOUT;
		return false;
	}
	for (size_t i = 0; i < k->nviews; i++)
		if (view_failed(k->views[i], &why, ret_status)) {
			session_say(k->session, "%.*s", STR_ARG(why));
			for (size_t w = 0; w < k->nwatches; w++)
				k->watches[w]->watch->lost = *ret_status;       /* no state was seen */
			return false;
		}
	for (size_t i = 0; i < k->nwatches; i++)
		judge_watched(k->watches[i]);
	if (k->interrupted)
		*ret_status = cluster_interrupted(k);
	return !k->interrupted;
}
