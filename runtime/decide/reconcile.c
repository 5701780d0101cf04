/*
 * reconcile.c - goes through the replicas: which exist, how they ended, which are missing, and which must be deleted.
 */
#include "runtime/decide/decide_internal.h"
#include "runtime/run/judge.h"

/* ---- by index ---- */

int64_t decide_slots(const int64_t *indexes, size_t n, int64_t wanted)
{
	int64_t slots = wanted;

	for (size_t i = 0; i < n; i++)
		if (indexes[i] >= slots)
			slots = indexes[i] + 1;
	return slots;
}

static bool is_service(const struct seen *s) { return str_is(s->kind, "Service"); }

static int64_t slots_of(const struct decide_pass *p, size_t role)
{
	int64_t slots = p->plan->roles[role].max;

	for (size_t i = 0; i < p->seen->n; i++)
		if (p->seen->at[i].role == (int)role && p->seen->at[i].owner != OWNER_OTHER)
			slots = decide_slots(&p->seen->at[i].index, 1, slots);
	return slots;
}

static int64_t wanted_of(const struct decide_pass *p, size_t role)
{
	const struct plan_role *r = &p->plan->roles[role];
	int64_t size = r->elastic && p->job->sizes ? p->job->sizes[role] : r->max;

	return size < r->min ? r->min : size > r->max ? r->max : size;
}

void pass_index(struct decide_pass *p)
{
	p->parts = ARENA_ARRAY(p->arena, struct decide_part, p->plan->nroles);
	p->states = ARENA_ARRAY(p->arena, struct role_states, p->plan->nroles);
	for (size_t k = 0; k < p->plan->nroles; k++) {
		const struct plan_role *r = &p->plan->roles[k];
		struct decide_part *part = &p->parts[k];
		*part = (struct decide_part){ .plan = r, .slots = slots_of(p, k),
			.replicas = p->out->record.roles[k].at };
		part->wanted = wanted_of(p, k);
		part->at = ARENA_ARRAY(p->arena, const struct seen *, (size_t)part->slots);
		part->services = ARENA_ARRAY(p->arena, const struct seen *, (size_t)part->slots);
		part->states = ARENA_ARRAY(p->arena, enum replica_state, (size_t)r->max);
		p->states[k] = (struct role_states){ part->states, (size_t)r->max, false };
	}
	for (size_t i = 0; i < p->seen->n; i++) {
		const struct seen *s = &p->seen->at[i];
		if (s->role == NO_ROLE || s->owner == OWNER_OTHER)
			continue;
		struct decide_part *part = &p->parts[s->role];
		(is_service(s) ? part->services : part->at)[s->index] = s;
	}
}

/* ---- how attempts ended ---- */

/* Notes that a new attempt has replaced the attempt in the record. */
static void meet(struct decide_pass *p, const struct plan_role *role, struct decide_replica *r, const struct seen *s)
{
	if (!str_eq(r->uid, s->uid)) {
		p->out->record.spent += role_begins_again(role) ? r->restarts : 0;
		r->uid = str_copy(p->arena, s->uid);
		r->restarts = 0;
		r->again = 0;
	}
	if (s->restarts > r->restarts)
		r->restarts = s->restarts;
}

static bool earlier(const struct seen *s, const struct seen *than)
{
	return !than || s->end < than->end;
}

static void failed(struct decide_pass *p, const struct plan_role *role, struct decide_replica *r, const struct seen *s)
{
	struct attempt_end end = { .exit_code = s->exit_code, .disrupted = s->disrupted, .failures = r->failures };
	enum attempt_verdict verdict = judge_attempt(role, &end);

	if (verdict == ATTEMPT_FAILED) {
		r->failed = true;
		return;
	}
	r->doomed = r->uid;
	r->again = p->now;
	const struct seen **tell = failure_judge(role, true) == FAILURE_PASSES ? &p->replaced : &p->retried;
	if (earlier(s, *tell))
		*tell = s;
	if (s->disrupted)
		return;
	if (s->begin && s->end - s->begin >= ATTEMPT_SETTLED_SECONDS * INT64_C(1000000000))
		r->series = 0;
	r->failures += verdict == ATTEMPT_AGAIN;
	p->out->record.spent++;
	r->again = p->now + attempt_delay(ATTEMPT_DELAY_SECONDS * INT64_C(1000000000), ++r->series);
}

/* Handles a replica that has failed for good: it ends the job, or the job waits until somebody restarts it. */
static void lost(struct decide_pass *p, const struct plan_role *role, const struct seen *s)
{
	const struct seen **tell = failure_judge(role, false) == FAILURE_RESTARTS ? &p->retried : &p->lost;

	if (role_required(p->plan, role) && earlier(s, *tell))
		*tell = s;
}

static enum replica_state state_of(const struct decide_part *part, const struct decide_replica *r, const struct seen *s)
{
	if (r->succeeded)
		return REPLICA_SUCCEEDED;
	if (r->failed)
		return REPLICA_FAILED;
	if (is_current(r, s) && s->phase == SEEN_RUNNING)
		return s->ready ? REPLICA_READY : REPLICA_STARTED;
	/* an elastic role is not done while one of its replicas is about to start or waits for its next attempt */
	bool between = is_current(r, s) || (r->uid.n && r->again);
	return part->plan->elastic && between ? REPLICA_STARTED : REPLICA_WAITING;
}

/* Spreads the counts of an object that represents all replicas over the replicas: the lowest indexes count as ready. */
static void share(struct decide_part *part)
{
	for (int64_t i = 1; part->states[0] == REPLICA_READY && i < part->wanted; i++)
		part->states[i] = i < part->at[0]->ready ? REPLICA_READY : REPLICA_STARTED;
}

void pass_judge(struct decide_pass *p)
{
	for (size_t k = 0; k < p->plan->nroles; k++) {
		struct decide_part *part = &p->parts[k];
		for (int64_t i = 0; i < part->plan->max; i++) {
			struct decide_replica *r = &part->replicas[i];
			const struct seen *s = part->at[i];
			/* the job was scaled down: the end of this replica does not matter */
			bool sent_away = s && s->deleting && i >= part->wanted;
			if (is_current(r, s) && !sent_away) {
				meet(p, part->plan, r, s);
				if (s->phase == SEEN_SUCCEEDED)
					r->succeeded = true;
				else if (s->phase == SEEN_FAILED && !r->failed)
					failed(p, part->plan, r, s);
			}
			if (r->failed && s)
				lost(p, part->plan, s);
			part->states[i] = state_of(part, r, s);
		}
		if (part->wanted && !plan_role_is_numbered(p->plan, part->plan))
			share(part);
	}
}

void pass_blame(struct decide_pass *p)
{
	p->lost = NULL;
	for (size_t k = 0; k < p->plan->nroles; k++) {
		const struct decide_part *part = &p->parts[k];
		for (int64_t i = 0; i < part->plan->max && !part->spared; i++)
			if (part->replicas[i].failed && part->at[i])
				lost(p, part->plan, part->at[i]);
	}
}

void pass_begin_anew(struct decide_pass *p, bool all, int64_t again)
{
	for (size_t k = 0; k < p->plan->nroles; k++) {
		struct decide_part *part = &p->parts[k];
		for (int64_t i = 0; i < part->plan->max; i++) {
			struct decide_replica *r = &part->replicas[i];
			struct str gone = part->at[i] ? str_copy(p->arena, part->at[i]->uid) : r->doomed;
			p->out->record.spent += role_begins_again(part->plan) ? r->restarts : 0;
			bool ended = !all && (r->succeeded || r->failed);
			*r = (struct decide_replica){ .doomed = gone, .again = again,
				.succeeded = ended && r->succeeded, .failed = ended && r->failed };
			part->states[i] = state_of(part, r, NULL);
		}
		p->out->record.roles[k].released = false;
	}
}

/* ---- creating and deleting ---- */

static void order(struct decide_pass *p, enum decide_what what, const struct seen *s)
{
	struct decide_action a = { what, s->kind, s->name, s->uid, s->role, s->index };

	ARENA_PUSH(p->arena, p->out->actions, p->out->nactions, a);
}

static void make(struct decide_pass *p, struct str kind, struct str name, int role, int64_t index)
{
	struct decide_action a = { .what = DECIDE_CREATE, .kind = kind, .name = name, .role = role, .index = index };

	ARENA_PUSH(p->arena, p->out->actions, p->out->nactions, a);
}

static void delete(struct decide_pass *p, const struct seen *s)
{
	if (is_ours(s) && !s->deleting)
		order(p, DECIDE_DELETE, s);
}

/* Creates an object that is needed, or adopts it if it exists without an owner. */
static void have(struct decide_pass *p, const struct seen *s, struct str kind, struct str name, int role, int64_t index)
{
	if (!s)
		make(p, kind, name, role, index);
	else if (s->owner == OWNER_NONE && !s->deleting)
		order(p, DECIDE_ADOPT, s);
}

/* ---- objects that the job needs ---- */

static bool is_wanted(const struct decide_pass *p, const struct seen *s)
{
	if (s->role == NO_ROLE)
		return true;
	const struct decide_part *part = &p->parts[s->role];
	return s->index < part->wanted && !part->replicas[s->index].succeeded && !part->replicas[s->index].failed;
}

bool pass_claim(struct decide_pass *p)
{
	for (size_t i = 0; i < p->seen->n; i++) {
		const struct seen *s = &p->seen->at[i];
		if (s->owner == OWNER_OTHER && is_wanted(p, s)) {
			p->out->conflict = s;
			return false;
		}
	}
	return true;
}

static const struct seen *find_object(const struct decide_pass *p, struct str kind, struct str name)
{
	for (size_t i = 0; i < p->seen->n; i++)
		if (p->seen->at[i].role == NO_ROLE && str_eq(p->seen->at[i].kind, kind) &&
		    str_eq(p->seen->at[i].name, name))
			return &p->seen->at[i];
	return NULL;
}

static void objects(struct decide_pass *p)
{
	for (size_t i = 0; i < p->plan->nobjects; i++) {
		const struct data *o = p->plan->objects[i].data;
		struct str kind = status_text(o, "kind"), name = status_text(o, "metadata.name");
		if (p->plan->objects[i].framework)
			have(p, find_object(p, kind, name), kind, name, NO_ROLE, (int64_t)i);
	}
}

static void replica(struct decide_pass *p, size_t k, int64_t i)
{
	struct decide_part *part = &p->parts[k];
	struct decide_replica *r = &part->replicas[i];
	const struct seen *s = part->at[i];

	if (is_ours(s) && (!is_current(r, s) || (part->spared && !r->succeeded && !r->failed)))
		delete(p, s);
	else if (part->spared || r->succeeded || r->failed || (!s && !p->out->record.roles[k].released))
		return;
	else if (!s && r->again > p->now)
		pass_wake(p, r->again);
	else
		have(p, s, decide_kind(p->plan, part->plan), decide_name(p->arena, p->plan, part->plan, i), (int)k, i);
}

/* A Deployment represents all replicas of its role. */
static int64_t objects_of(const struct decide_pass *p, const struct decide_part *part)
{
	return !plan_role_is_numbered(p->plan, part->plan) && part->wanted > 1 ? 1 : part->wanted;
}

void pass_reconcile(struct decide_pass *p)
{
	objects(p);
	for (size_t k = 0; k < p->plan->nroles; k++) {
		struct decide_part *part = &p->parts[k];
		/* Services come first, because a program looks up its peers as soon as it starts */
		for (int64_t i = 0; i < part->wanted && plan_role_is_served(p->plan, part->plan); i++)
			have(p, part->services[i], STR("Service"), decide_name(p->arena, p->plan, part->plan, i),
				(int)k, i);
		for (int64_t i = 0; i < objects_of(p, part); i++)
			replica(p, k, i);
		for (int64_t i = part->wanted; i < part->slots; i++) {
			delete(p, part->at[i]);
			delete(p, part->services[i]);
		}
	}
}

/* ---- objects to delete ---- */

/*
 * Must the object be deleted when the job ends? `clean` decides; but a job that was cut short stops everything that
 * runs, whatever `clean` says.
 */
static bool goes(const struct decide_pass *p, const struct seen *s)
{
	bool active = s->phase == SEEN_RUNNING || s->phase == SEEN_PENDING;

	return clean_takes(p->plan, active) || (active && p->out->record.cut_short);
}

void pass_clear(struct decide_pass *p, bool all)
{
	bool nothing = !all && !p->out->record.cut_short && !clean_takes(p->plan, true);

	for (size_t k = 0; k < p->plan->nroles && !nothing; k++) {
		struct decide_part *part = &p->parts[k];
		for (int64_t i = 0; i < part->slots; i++) {
			const struct seen *s = part->at[i];
			bool stays = s && !all && !goes(p, s);
			if (stays)
				continue;
			delete(p, s);
			delete(p, part->services[i]);
		}
	}
}
