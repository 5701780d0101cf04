/*
 * life.c - takes events and gives orders. Nothing is decided at the moment of an event: life_next() looks at the whole
 * state and then gives the orders that the state requires. So events of the same time are judged together, and the
 * order in which they were reported does not matter.
 */
#include "runtime/local/life_internal.h"
#include "runtime/run/cells.h"
#include "base/words.h"

static void touch(struct life *l)
{
	l->changed = true;
	l->version++;
}

static struct run_replica *replica(const struct life_part *p, int64_t i) { return &p->run->at[i]; }

static void set_state(struct life_part *p, int64_t i, enum replica_state state)
{
	bool between = state == REPLICA_WAITING && (replica(p, i)->again || p->units[i].process != PROCESS_GONE);

	replica(p, i)->state = state;
	/* an elastic role is not done while one of its replicas is still starting, or is between two attempts */
	p->states[i] = between && p->plan->elastic ? REPLICA_STARTED : state;
}

/* Resets a replica to the state before its first attempt. */
static void forget(struct life_part *p, int64_t i)
{
	struct unit *u = &p->units[i];
	struct run_replica *r = replica(p, i);

	u->failures = u->series = 0;
	u->in_place = false;
	r->again = 0;
	r->cause = STR("");
	set_state(p, i, REPLICA_WAITING);
}

/* ---- the beginning ---- */

static void part_init(struct life *l, unsigned role)
{
	const struct plan_role *plan = &l->job->roles[role];
	struct life_part *p = &l->parts[role];
	struct run_role *run = &l->state->roles[role];
	size_t n = (size_t)plan->max;

	*p = (struct life_part){ .plan = plan, .run = run, .grace = LIFE_GRACE_SECONDS * SECOND };
	p->units = ARENA_ARRAY(l->arena, struct unit, n);
	p->states = ARENA_ARRAY(l->arena, enum replica_state, n);
	p->required = role_required(l->job, plan);
	p->judged = &l->facts.roles[role];
	p->present = ARENA_ARRAY(l->arena, bool, n);
	if (plan->grace.set)
		p->grace = (int64_t)plan->grace.value.nano;
	*run = (struct run_role){ .name = plan->name, .cell = plan->cell, .copy = plan->copy, .aux = plan->aux,
		.elastic = plan->elastic,
		.endless = plan->endless,
		.min = plan->min, .max = plan->max, .desired = plan->max };
	run->at = ARENA_ARRAY(l->arena, struct run_replica, n);
	for (size_t i = 0; i < n; i++)
		run->at[i] = (struct run_replica){ .index = (int64_t)i, .exit_code = -1 };
	l->seen[role] = (struct role_states){ p->states, n, false };
	*p->judged = (struct judge_role){ .states = p->states, .present = p->present };
}

static void copies_init(struct life *l)
{
	l->state->cells = ARENA_ARRAY(l->arena, struct run_cell, l->job->ncells);
	l->state->ncells = l->job->ncells;
	for (size_t i = 0; i < l->job->ncells; i++) {
		const struct plan_cell *cell = &l->job->cells[i];
		l->state->cells[i] = (struct run_cell){ .name = cell->name, .min = cell->min, .max = cell->max,
			.desired = cell->max };
		struct life_copy *copies = ARENA_ARRAY(l->arena, struct life_copy, (size_t)cell->max);
		for (int64_t c = 0; c < cell->max; c++)
			copies[c].cell = cell;
		for (size_t k = 0; k < l->job->nroles; k++)
			if (str_eq(l->job->roles[k].cell, cell->name))
				l->parts[k].copy = &copies[l->job->roles[k].copy];
	}
}

/* Sets the number of copies that the run should have. */
static void want_copies(struct life *l, struct run_cell *cell, int64_t n)
{
	cell->desired = n;
	for (size_t k = 0; k < l->job->nroles; k++) {
		struct life_part *p = &l->parts[k];
		if (!p->copy || !str_eq(p->plan->cell, cell->name))
			continue;
		bool wanted = p->plan->copy < n, before = !p->judged->unwanted;
		p->judged->unwanted = !wanted;
		if (wanted != before)
			p->run->desired = wanted ? p->plan->max : 0;
	}
}

static void begin(struct life *l, int64_t now)
{
	l->mode = MODE_GOING;
	l->beginnings++;
	l->reason = STR("");
	if (!l->facts.begin)
		l->facts.begin = now;
	touch(l);
}

struct life *life_new(struct arena *a, const struct plan_job *j, const struct life_options *o, struct run_state *s,
	int64_t now)
{
	struct life *l = ARENA_NEW(a, struct life);
	size_t replicas = 0;

	*l = (struct life){ .arena = a, .job = j, .state = s, .changed = true };
	l->backoff = o->backoff ? o->backoff : ATTEMPT_DELAY_SECONDS * SECOND;
	l->parts = ARENA_ARRAY(a, struct life_part, j->nroles);
	l->seen = ARENA_ARRAY(a, struct role_states, j->nroles);
	l->facts = (struct judge_facts){ .job = j, .roles = ARENA_ARRAY(a, struct judge_role, j->nroles),
		.seen = l->seen };
	s->roles = ARENA_ARRAY(a, struct run_role, j->nroles);
	s->nroles = j->nroles;
	s->begin = now;
	for (size_t i = 0; i < j->nroles; i++) {
		part_init(l, (unsigned)i);
		replicas += (size_t)j->roles[i].max;
	}
	copies_init(l);
	for (size_t i = 0; i < o->nsizes; i++) {
		if (o->sizes[i].cell)
			want_copies(l, &s->cells[o->sizes[i].role], o->sizes[i].n);
		else
			s->roles[o->sizes[i].role].desired = o->sizes[i].n;
	}
	l->queue = ARENA_ARRAY(a, struct life_action, replicas);
	if (j->suspend.set && j->suspend.value)
		l->mode = MODE_SUSPENDED;
	else
		begin(l, now);
	life_describe(l, now);
	return l;
}

void life_release(struct life *l) { arena_release(&l->words); }

/* ---- events ---- */

void life_started(struct life *l, unsigned role, int64_t i)
{
	set_state(&l->parts[role], i, REPLICA_STARTED);
	touch(l);
}

void life_ready(struct life *l, unsigned role, int64_t i)
{
	if (l->parts[role].units[i].process == PROCESS_GONE)
		return;
	set_state(&l->parts[role], i, REPLICA_READY);
	touch(l);
}

/* Handles an attempt that failed on its own. */
static void attempt_failed(struct life *l, struct life_part *p, int64_t i, const struct life_end *e)
{
	struct unit *u = &p->units[i];
	struct run_replica *r = replica(p, i);
	struct attempt_end end = { .exit_code = e->exit_code, .init = e->init,
		.in_place = plan_role_restarts(p->plan) && !e->init,
		.failures = u->failures };

	enum attempt_verdict verdict = judge_attempt(p->plan, &end);
	r->cause = end_words(l->arena, e->exit_code, e->signal);
	if (r->words.time)
		r->cause = str_printf(l->arena, "%.*s: %.*s", STR_ARG(r->cause), STR_ARG(r->words.text));
	if (e->unready)
		r->cause = str_printf(l->arena, "%.*s: it was not ready after %llds", STR_ARG(r->cause),
			(long long)e->unready);
	if (verdict == ATTEMPT_FAILED || l->mode == MODE_ENDING) {
		set_state(p, i, REPLICA_FAILED);
		return;
	}
	if (r->begin && e->time - r->begin >= ATTEMPT_SETTLED_SECONDS * SECOND)
		u->series = 0;
	u->failures += verdict == ATTEMPT_AGAIN;
	u->in_place = end.in_place;
	l->facts.spent++;
	r->again = e->time + attempt_delay(l->backoff, ++u->series);
	set_state(p, i, REPLICA_WAITING);
}

static void succeeded(struct life *l, struct life_part *p, int64_t i, const struct life_end *e)
{
	struct run_replica *r = replica(p, i);

	r->cause = STR("");
	if ((plan_workload(l->job, p->plan)->traits & WORKLOAD_ENDS) || l->mode == MODE_ENDING) {
		set_state(p, i, REPLICA_SUCCEEDED);
		return;
	}
	p->units[i].in_place = true;            /* a replica that always restarts does so after success, too */
	l->facts.spent++;
	r->again = e->time + attempt_delay(l->backoff, ++p->units[i].series);
	set_state(p, i, REPLICA_WAITING);
}

void life_told(struct life *l, unsigned role, int64_t i, const struct last_words *words)
{
	struct run_replica *r = replica(&l->parts[role], i);

	if (r->words.time && !last_words_before(words, &r->words))
		return;
	r->words = *words;
	r->words.text = str_copy(l->arena, words->text);
}

void life_ended(struct life *l, unsigned role, int64_t i, const struct life_end *e)
{
	struct life_part *p = &l->parts[role];
	struct unit *u = &p->units[i];
	struct run_replica *r = replica(p, i);

	u->process = PROCESS_GONE;
	r->end = e->time;
	r->exit_code = e->exit_code;
	r->signal = e->signal;
	r->again = 0;
	run_replica_span_end(r, u->ours ? SPAN_STOPPED : e->exit_code == 0 ? SPAN_SUCCEEDED : SPAN_FAILED, e->time);
	bool stays = u->restart && u->stays;
	if (u->ours)
		forget(p, i);
	else if (e->exit_code == 0)
		succeeded(l, p, i, e);
	else
		attempt_failed(l, p, i, e);
	u->in_place = u->in_place || (u->ours && stays);
	u->ours = u->restart = u->stays = false;
	touch(l);
}

static void end(struct life *l, bool success, struct str reason)
{
	l->mode = MODE_ENDING;
	l->succeeded = success;
	l->reason = reason;
	for (size_t k = 0; k < l->job->nroles; k++)
		for (int64_t i = 0; i < l->parts[k].plan->max; i++)
			replica(&l->parts[k], i)->again = 0;
	touch(l);
}

void life_refused(struct life *l, unsigned role, int64_t i, struct str cause, int64_t now)
{
	struct life_part *p = &l->parts[role];
	struct run_replica *r = replica(p, i);

	p->units[i].process = PROCESS_GONE;
	p->units[i].ours = false;
	r->cause = cause;
	r->end = now;
	run_replica_span_end(r, SPAN_FAILED, now);
	r->again = 0;
	r->exit_code = -1;
	r->signal = 0;
	set_state(p, i, REPLICA_FAILED);
	touch(l);
	if (l->mode == MODE_ENDING)
		return;
	l->state->failure = (struct run_failure){ .known = true, .role = p->plan->name, .index = i, .exit_code = -1,
		.reason = cause };
	end(l, false, str_printf(l->arena, "%.*s-%lld cannot be started: %.*s", STR_ARG(p->plan->name), (long long)i,
		STR_ARG(cause)));
}

void life_begin_anew(struct life *l, unsigned role, int64_t i, struct str cause)
{
	l->parts[role].units[i].process = PROCESS_GONE;
	l->parts[role].units[i].ours = false;
	replica(&l->parts[role], i)->attempts--;        /* the attempt has not started */
	touch(l);
	if (l->mode != MODE_GOING)
		return;
	l->mode = MODE_ANEW;
	l->anew_at = 0;
	l->reason = cause;
}

/* ---- requests ---- */

bool life_stop(struct life *l, bool kill, struct str *why)
{
	if (life_over(l)) {
		*why = STR("the run has ended");
		return false;
	}
	if (l->mode != MODE_ENDING) {
		l->asked_to_stop = true;
		end(l, false, STR(RUN_STOPPED));
	}
	l->stop_all = true;
	l->kill = l->kill || kill;
	touch(l);
	return true;
}

/* Resets all replicas before the job restarts; replicas that are still stopping are reset when they have stopped. */
static void forget_all(struct life *l)
{
	for (unsigned k = 0; k < l->job->nroles; k++) {
		struct life_part *p = &l->parts[k];
		p->judged->released = false;
		if (p->copy)
			*p->copy = (struct life_copy){ .cell = p->copy->cell };
		for (int64_t i = 0; i < p->plan->max; i++)
			if (p->units[i].process == PROCESS_GONE)
				forget(p, i);
	}
	l->state->failure = (struct run_failure){ 0 };
}

/*
 * Resets replicas that wait. Replicas that have ended stay as they are, and replicas between two attempts start at
 * once.
 */
static void forget_waiting(struct life *l)
{
	for (unsigned k = 0; k < l->job->nroles; k++) {
		struct life_part *p = &l->parts[k];
		p->judged->released = false;
		if (p->copy)
			p->copy->anew = false;
		for (int64_t i = 0; i < p->plan->max; i++)
			if (replica(p, i)->state == REPLICA_WAITING)
				forget(p, i);
	}
}

/* Counts the next start of a replica as part of the resumption, not as a restart. */
static void count_resumed(struct life *l)
{
	for (size_t k = 0; k < l->job->nroles; k++) {
		struct run_role *r = &l->state->roles[k];
		for (int64_t i = 0; i < r->desired; i++)
			if (r->at[i].attempts && r->at[i].state != REPLICA_SUCCEEDED &&
				r->at[i].state != REPLICA_FAILED)
				r->at[i].resumed++;
	}
}

bool life_suspend(struct life *l, bool suspend, int64_t now, struct str *why)
{
	if (l->mode == MODE_ENDING) {
		*why = life_over(l) ? STR("the run has ended") : STR("the run is ending");
		return false;
	}
	if (suspend == (l->mode == MODE_SUSPENDED))
		return true;
	l->facts.begin = 0;                     /* the deadline and the back-off limit count from the resumption */
	l->facts.spent = 0;
	if (l->mode == MODE_ANEW)
		forget_all(l);
	else
		forget_waiting(l);
	if (suspend) {
		l->mode = MODE_SUSPENDED;
	} else {
		count_resumed(l);
		begin(l, now);
	}
	touch(l);
	return true;
}

static struct life_part *find_part(const struct life *l, struct str role)
{
	for (size_t i = 0; i < l->job->nroles; i++)
		if (l->job->roles[i].max && str_eq(l->job->roles[i].name, role))
			return &l->parts[i];
	return NULL;
}

/* The names of all roles: "'a', 'b'". */
static struct str role_names(const struct life *l)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < l->job->nroles; i++)
		if (l->job->roles[i].max)
			buf_printf(&b, "%s'%.*s'", b.n ? ", " : "", STR_ARG(l->job->roles[i].name));
	struct str names = buf_take(&b, l->arena);
	buf_release(&b);
	return names;
}

/*
 * Forgets the copies of CELL from FROM to TO - 1: they are no longer wanted, or wanted again as new ones. Processes
 * that are still stopping belong to the old copies.
 */
static void renew_copies(struct life *l, const struct run_cell *cell, int64_t from, int64_t to)
{
	for (size_t k = 0; k < l->job->nroles; k++) {
		struct life_part *p = &l->parts[k];
		if (!p->copy || !str_eq(p->plan->cell, cell->name) || p->plan->copy < from || p->plan->copy >= to)
			continue;
		*p->copy = (struct life_copy){ .cell = p->copy->cell };
		p->judged->released = false;
		for (int64_t i = 0; i < p->plan->max; i++) {
			if (p->units[i].process == PROCESS_GONE)
				forget(p, i);
			else
				p->units[i].restart = true;
		}
	}
}

static bool scale_cell(struct life *l, struct run_cell *cell, int64_t n, struct str *why)
{
	*why = run_cell_refusal(l->arena, cell, n);
	if (why->n)
		return false;
	renew_copies(l, cell, n < cell->desired ? n : cell->desired, n < cell->desired ? cell->desired : n);
	want_copies(l, cell, n);
	touch(l);
	return true;
}

bool life_scale(struct life *l, struct str role, int64_t n, struct str *why)
{
	struct run_cell *cell = run_find_cell(l->state, role);
	struct life_part *p = find_part(l, role);

	if (l->mode == MODE_ENDING)
		*why = life_over(l) ? STR("the run has ended") : STR("the run is ending");
	else if (cell)
		return scale_cell(l, cell, n, why);
	else if (!p)
		*why = str_printf(l->arena, "unknown role '%.*s'; the roles are %.*s", STR_ARG(role),
			STR_ARG(role_names(l)));
	else if (!p->plan->elastic)
		*why = str_printf(l->arena, "role '%.*s' is not elastic: it has %lld replica%s", STR_ARG(role),
			(long long)p->plan->max,
			p->plan->max == 1 ? "" : "s");
	else if (n < p->plan->min || n > p->plan->max)
		*why = str_printf(l->arena, "role '%.*s' has %lld to %lld replicas, not %lld", STR_ARG(role),
			(long long)p->plan->min,
			(long long)p->plan->max, (long long)n);
	else if (p->judged->unwanted)
		*why = str_printf(l->arena, "the run has %lld copies of '%.*s' now, without copy %lld",
			(long long)run_find_cell(l->state, p->plan->cell)->desired, STR_ARG(p->plan->cell),
			(long long)p->plan->copy);
	else {
		for (int64_t i = p->run->desired; i < n; i++)
			if (replica(p, i)->attempts && replica(p, i)->state == REPLICA_WAITING &&
				p->units[i].process != PROCESS_RUNS)
				replica(p, i)->resumed++;       /* stopped by a command: this is not a restart */
		p->run->desired = n;
		touch(l);
		return true;
	}
	return false;
}

bool life_restart(struct life *l, struct str role, int64_t i, bool in_place, struct str *why)
{
	struct life_part *p = find_part(l, role);

	if (l->mode != MODE_GOING)
		*why = life_over(l) ? STR("the run has ended") : l->mode == MODE_ENDING ? STR("the run is ending") :
			STR("the run does not run now");
	else if (!p)
		*why = str_printf(l->arena, "no role '%.*s'; the roles are %.*s", STR_ARG(role),
			STR_ARG(role_names(l)));
	else if (p->judged->unwanted)
		*why = str_printf(l->arena, "the run has no copy %lld of '%.*s' now", (long long)p->plan->copy,
			STR_ARG(p->plan->cell));
	else if (i >= p->run->desired)
		*why = str_printf(l->arena, "role '%.*s' has replicas 0 to %lld, not %lld", STR_ARG(role),
			(long long)p->run->desired - 1, (long long)i);
	else {
		if (p->units[i].process == PROCESS_GONE)
			forget(p, i);           /* the replica waits, or has ended: it starts when its turn comes */
		else
			p->units[i].restart = true;
		p->units[i].stays = in_place;
		replica(p, i)->resumed += in_place;     /* the same attempt with other code is not a restart */
		touch(l);
		return true;
	}
	return false;
}

/* ---- copies of cells ---- */

static bool is_anew(const struct life_part *p) { return p->copy && p->copy->anew; }

/* Resets the replicas of the copy that do not run. Returns whether none runs. */
static bool forget_copy(struct life *l, const struct life_copy *copy)
{
	bool gone = true;

	for (size_t k = 0; k < l->job->nroles; k++) {
		struct life_part *p = &l->parts[k];
		for (int64_t i = 0; p->copy == copy && i < p->plan->max; i++) {
			if (p->units[i].process == PROCESS_GONE)
				forget(p, i);
			else
				gone = false;
		}
		p->judged->released = p->judged->released && p->copy != copy;
	}
	return gone;
}

/* May the copy restart by itself after a failure? */
static bool may_restart(const struct life_copy *copy)
{
	return copy && (copy->cell->restarts < 0 || copy->restarts < copy->cell->restarts);
}

/* Restarts the copy of P after the failure that the state has. */
static void restart_copy(struct life *l, const struct life_part *p, int64_t now)
{
	const struct run_failure *f = &l->state->failure;
	struct life_copy *copy = p->copy;
	int64_t most = copy->cell->restarts;

	if (copy->begun && now - copy->begun >= ATTEMPT_SETTLED_SECONDS * SECOND)
		copy->series = 0;
	copy->restarts++;
	copy->anew = true;
	copy->anew_at = now + attempt_delay(l->backoff, ++copy->series);
	copy->cause = str_printf(l->arena, "%.*s %lld: %.*s-%lld failed: %.*s; the copy restarts (%lld%s%.*s)",
		STR_ARG(copy->cell->name), (long long)p->plan->copy, STR_ARG(f->role), (long long)f->index,
		STR_ARG(f->reason), (long long)copy->restarts, most < 0 ? "" : " of ",
		STR_ARG(most < 0 ? STR("") : str_int(l->arena, most)));
	l->state->failure = (struct run_failure){ 0 };
	forget_copy(l, copy);
	touch(l);
}

/* Starts the copies again that have stopped and whose time has come. */
static void begin_copies(struct life *l, int64_t now)
{
	for (size_t k = 0; k < l->job->nroles; k++) {
		struct life_copy *copy = l->parts[k].copy;
		if (!copy || !copy->anew || !forget_copy(l, copy))
			continue;
		if (now < copy->anew_at) {
			life_wake(l, copy->anew_at);
			continue;
		}
		copy->anew = false;
		copy->begun = now;
		l->degraded_until = now + LIFE_DEGRADED_SECONDS * SECOND;
		l->degraded_by = NULL;
		touch(l);
	}
}

/* ---- judgement ---- */

static bool pending(const struct life *l, const struct life_part *p, int64_t i)
{
	return l->mode == MODE_GOING && !is_anew(p) && !p->judged->lost && p->judged->released && i < p->run->desired &&
		p->units[i].process == PROCESS_GONE
		&& replica(p, i)->state == REPLICA_WAITING;
}

static void job_failed(struct life *l, int64_t now)
{
	struct str role = l->state->failure.role, reason = l->state->failure.reason;
	struct str cause = str_printf(l->arena, "%.*s-%lld failed: %.*s", STR_ARG(role),
		(long long)l->state->failure.index, STR_ARG(reason));

	if (!judge_begins_anew(l->job, JUDGE_FAILED, l->state->job_restarts)) {
		end(l, false, cause);
		return;
	}
	l->state->job_restarts++;
	l->mode = MODE_ANEW;
	l->anew_at = now + attempt_delay(l->backoff, l->state->job_restarts);
	l->reason = cause;
	touch(l);
}

static void end_unreachable(struct life *l)
{
	struct str rule = plan_condition_text(l->arena, l->job, l->job->success);

	end(l, false, str_printf(l->arena, "nothing runs any more, and %.*s does not hold", STR_ARG(rule)));
}

static void end_at_deadline(struct life *l)
{
	l->stop_all = true;
	end(l, false, str_printf(l->arena, "deadline exceeded: it has run for %.*s",
		STR_ARG(duration_text(l->arena, l->job->timeout.value))));
}

static void end_at_limit(struct life *l)
{
	l->stop_all = true;
	end(l, false, str_printf(l->arena, "its back-off limit is reached: replicas restarted %lld time%s",
		(long long)l->facts.spent,
		l->facts.spent == 1 ? "" : "s"));
}

/* Gives the judge the facts that may have changed, and returns its verdict. */
static enum judge_what ask_judge(struct life *l, int64_t now)
{
	size_t released = 0;

	l->facts.now = now;
	for (size_t k = 0; k < l->job->nroles; k++) {
		struct life_part *p = &l->parts[k];
		p->judged->desired = p->run->desired;
		p->judged->again = may_restart(p->copy);
		for (int64_t i = 0; i < p->plan->max; i++)
			p->present[i] = p->units[i].process != PROCESS_GONE || is_anew(p);
		released += p->judged->released + p->judged->lost;
	}
	enum judge_what what = judge(&l->facts);
	for (size_t k = 0; k < l->job->nroles; k++) {
		const struct judge_role *r = l->parts[k].judged;
		released -= r->released + r->lost;
		l->parts[k].run->lost = r->lost;
	}
	l->version += released != 0;
	return what;
}

static void life_act(struct life *l, int64_t now)
{
	switch (ask_judge(l, now)) {
	case JUDGE_GOING: life_wake(l, l->facts.begin ? job_deadline(l->job, l->facts.begin) : LIFE_NEVER); break;
	case JUDGE_SUCCEEDED: end(l, true, plan_condition_text(l->arena, l->job, l->job->success)); break;
	case JUDGE_COPY:
		life_blame(l, l->parts[l->facts.failed].copy);
		restart_copy(l, &l->parts[l->facts.failed], now);
		break;
	case JUDGE_FAILED:
		life_blame(l, NULL);
		job_failed(l, now);
		break;
	case JUDGE_DEADLINE: end_at_deadline(l); break;
	case JUDGE_LIMIT: end_at_limit(l); break;
	case JUDGE_UNREACHABLE: end_unreachable(l); break;
	/* no process is left that could change anything */
	case JUDGE_IDLE: end(l, true, STR("everything has ended")); break;
	}
}

/* ---- orders ---- */

static bool must_stop(const struct life *l, const struct life_part *p, int64_t i)
{
	if (l->mode == MODE_GOING)
		return i >= p->run->desired || p->units[i].restart || is_anew(p) || p->judged->lost;
	return l->mode != MODE_ENDING || l->stop_all || clean_takes(l->job, true);
}

static void order(struct life *l, enum life_order what, const struct life_part *p, int64_t i)
{
	l->queue[l->n++] = (struct life_action){ what, (unsigned)(p - l->parts), i };
	l->version++;
}

static void order_start(struct life *l, struct life_part *p, int64_t i, int64_t now)
{
	struct unit *u = &p->units[i];
	struct run_replica *r = replica(p, i);

	if (r->again > now) {
		life_wake(l, r->again);
		return;
	}
	if (r->again) {
		l->degraded_until = now + LIFE_DEGRADED_SECONDS * SECOND;
		l->degraded_by = p;
		l->degraded_index = i;
		r->again = 0;
	}
	u->process = PROCESS_RUNS;
	r->attempts++;
	r->words = (struct last_words){ 0 };
	r->begin = now;
	run_replica_span_begin(l->arena, r, now);
	order(l, u->in_place ? LIFE_START_IN_PLACE : LIFE_START, p, i);
	u->in_place = false;
	set_state(p, i, REPLICA_WAITING);
}

static void order_stop(struct life *l, struct life_part *p, int64_t i, int64_t now)
{
	struct unit *u = &p->units[i];

	if (u->process == PROCESS_RUNS) {
		u->ours = true;
		u->process = l->kill ? PROCESS_KILLED : PROCESS_ASKED;
		u->due = now + (l->kill ? LIFE_REAP_SECONDS * SECOND : p->grace);
		order(l, l->kill ? LIFE_KILL : LIFE_TERM, p, i);
	} else if (u->process == PROCESS_ASKED && (l->kill || now >= u->due)) {
		u->process = PROCESS_KILLED;
		u->due = now + LIFE_REAP_SECONDS * SECOND;
		order(l, LIFE_KILL, p, i);
	} else if (u->process == PROCESS_KILLED && now >= u->due) {
		u->process = PROCESS_GONE;
		u->ours = false;
		replica(p, i)->cause = STR("it cannot be killed: one of its processes is stuck in the kernel");
		set_state(p, i, REPLICA_FAILED);
		order(l, LIFE_GIVE_UP, p, i);
		l->changed = true;
		return;
	}
	life_wake(l, u->due);
}

static void order_all(struct life *l, int64_t now)
{
	for (size_t k = 0; k < l->job->nroles; k++) {
		struct life_part *p = &l->parts[k];
		for (int64_t i = 0; i < p->plan->max; i++) {
			enum process process = p->units[i].process;
			if (pending(l, p, i))
				order_start(l, p, i, now);
			else if (process > PROCESS_RUNS || (process == PROCESS_RUNS && must_stop(l, p, i)))
				order_stop(l, p, i, now);
		}
	}
}

bool life_runs_any(const struct life *l)
{
	for (size_t k = 0; k < l->job->nroles; k++)
		for (int64_t i = 0; i < l->job->roles[k].max; i++)
			if (l->parts[k].units[i].process != PROCESS_GONE)
				return true;
	return false;
}

/* Resets all replicas when everything has stopped; they start again in the start order of the program. */
static void begin_anew(struct life *l, int64_t now)
{
	if (now < l->anew_at) {
		life_wake(l, l->anew_at);
		return;
	}
	forget_all(l);
	l->degraded_until = now + LIFE_DEGRADED_SECONDS * SECOND;
	l->degraded_by = NULL;
	begin(l, now);
}

static void consider(struct life *l, int64_t now)
{
	l->changed = false;
	l->at = l->n = 0;
	l->deadline = LIFE_NEVER;
	if (l->mode == MODE_ANEW && judge_past_deadline(l->job, l->facts.begin, now))
		end_at_deadline(l);
	if (l->mode == MODE_ANEW)
		life_wake(l, l->facts.begin ? job_deadline(l->job, l->facts.begin) : LIFE_NEVER);
	if (l->mode == MODE_ANEW && !life_runs_any(l))
		begin_anew(l, now);
	if (l->mode == MODE_GOING) {
		begin_copies(l, now);
		life_act(l, now);
	}
	order_all(l, now);
	life_describe(l, now);
}

bool life_next(struct life *l, int64_t now, struct life_action *ret)
{
	while (l->at == l->n) {
		if (!l->changed && now < l->deadline)
			return false;
		consider(l, now);
		if (l->n == 0 && !l->changed)
			return false;
	}
	*ret = l->queue[l->at++];
	return true;
}

int64_t life_deadline(const struct life *l) { return l->changed ? 0 : l->deadline; }
unsigned life_beginnings(const struct life *l) { return l->beginnings; }
bool life_over(const struct life *l) { return l->mode == MODE_ENDING && !life_runs_any(l); }
uint64_t life_version(const struct life *l) { return l->version; }
