/*
 * decide_property_test.c - invariants of every decision, in random worlds: jobs of any shape, replicas that fail and
 * vanish, requests that are lost, user requests in between. The random numbers are always the same; a world that breaks
 * an invariant is reported by its number.
 */
#include "unit.h"

#include "world.h"

enum { WORLDS = 1500, STEPS = 24 };

struct rules {                          /* how many worlds broke the rule, and the first of them */
	const char *name;
	unsigned broken, first;
};
enum rule { REPEATS, SETTLES, FOREIGN, NEEDED, MONOTONE, FINAL, STILL, TIMES, CONDITIONS, ORDERLESS, NRULES };
static struct rules rules[NRULES] = {
	[REPEATS] = { .name = "the same view asks for the same and counts nothing again" },
	[SETTLES] = { .name = "what was done is not asked for again" },
	[FOREIGN] = { .name = "nothing of somebody else's is deleted" },
	[NEEDED] = { .name = "what is still needed stays" },
	[MONOTONE] = { .name = "what counts against the limit never becomes less before a resumption" },
	[FINAL] = { .name = "the end is the end" },
	[STILL] = { .name = "nothing is made for a job that has ended or is suspended" },
	[TIMES] = { .name = "the next look is in the future, the end after the beginning" },
	[CONDITIONS] = { .name = "conditions that contradict each other do not hold together" },
	[ORDERLESS] = { .name = "the order in which a cluster lists does not matter" },
};

static unsigned number;                 /* number of the current world */
static bool told[NRULES];

static void hold(enum rule r, bool holds)
{
	if (holds || told[r])
		return;
	told[r] = true;
	if (!rules[r].broken++)
		rules[r].first = number;
}

/* ---- random numbers ---- */

static uint64_t state;

static unsigned chance(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 11) % n);
}

static struct plan_int int_of(int64_t n) { return (struct plan_int){ .value = n, .set = true }; }
static struct plan_str word_of(const char *w) { return (struct plan_str){ .value = str_of(w), .set = true }; }

struct shape {
	struct plan_job job;
	struct plan_role roles[3];
	struct plan_condition success[2], after;
	struct data arguments, limit;
	struct data_member member;
	int64_t sizes[3];
};

static void any_role(struct plan_role *r, unsigned k)
{
	static const char *const names[] = { "a", "b", "c" }, *const objects[] = { "j-a", "j-b", "j-c" };
	static const char *const restarts[] = { "never", "never", "on-failure", "always" };
	static const char *const effects[] = { "", "", "", "fail", "restart", "replace", "ignore" };

	*r = (struct plan_role){ .name = str_of(names[k]), .label = str_of(names[k]), .object = str_of(objects[k]),
		.main.name = STR("main") };
	r->max = chance(4) ? 1 + chance(4) : 0;
	r->elastic = r->max > 1 && chance(4) == 0;
	r->min = r->elastic ? 1 : r->max;
	r->restart = word_of(restarts[chance(4)]);
	r->retries = int_of(chance(3) ? chance(3) : INT32_MAX);
	if (chance(3) == 0)
		plan_codes_add(&r->retry_on, 128, 255);
	r->aux = k == 2 && chance(3) == 0;
	r->on_failed_pod = word_of(effects[r->aux ? 0 : chance(7)]);
	r->replica.job = chance(8) == 0;
}

static void any_job(struct shape *s)
{
	static const char *const cleans[] = { "none", "running", "all" };

	*s = (struct shape){ 0 };
	for (unsigned k = 0; k < 3; k++) {
		any_role(&s->roles[k], k);
		s->sizes[k] = s->roles[k].min + (s->roles[k].elastic ?
			chance((unsigned)(s->roles[k].max - s->roles[k].min) + 1) : 0);
		if (!s->roles[k].elastic)
			s->sizes[k] = s->roles[k].max;
	}
	s->success[0] = (struct plan_condition){ .kind = CONDITION_DONE, .role = chance(2),
		.index = chance(3) ? CONDITION_ALL : CONDITION_ANY };
	s->after = (struct plan_condition){ .kind = CONDITION_STARTED, .role = 0, .index = CONDITION_ALL };
	if (chance(4) == 0)
		s->roles[1].start_after = &s->after;
	s->job = (struct plan_job){ .name = STR("j"), .roles = s->roles, .nroles = 3, .workload = WORKLOAD_POD,
		.clean = word_of(cleans[chance(3)]) };
	s->job.success = chance(8) ? &s->success[0] : NULL;
	s->job.hosts = chance(2) ? HOSTS_NAME : HOSTS_SUBDOMAIN;
	s->job.restarts = int_of(chance(3) ? 0 : 1);
	s->job.timeout = (struct plan_quantity){ .value = { .nano = (int128)(30 + chance(300)) * SECOND },
		.set = chance(3) == 0 };
	s->job.ttl = (struct plan_quantity){ .value = { .nano = (int128)chance(100) * SECOND }, .set = chance(3) == 0 };
	s->limit = (struct data){ .kind = DATA_INT, .u.integer = chance(6) };
	s->member = (struct data_member){ .key = STR("backoff_limit"), .value = &s->limit };
	s->arguments = (struct data){ .kind = DATA_MAP, .u.map = { &s->member, 1 } };
	s->job.arguments = chance(3) ? NULL : &s->arguments;
}

/* ---- what happens ---- */

static void something_ends(struct world *w, struct thing *t)
{
	static const int codes[] = { 0, 0, 0, 1, 137, 143 };

	if (t->phase != SEEN_RUNNING || str_is(t->kind, "Deployment"))
		return;
	t->disrupted = chance(8) == 0;
	thing_ends(w, t, t->disrupted ? 1 : codes[chance(6)]);
	if (t->phase == SEEN_FAILED && chance(8) == 0)
		t->exit_code = -1;
}

static void happens(struct world *w, struct shape *s)
{
	struct thing *t = w->n ? &w->at[chance((unsigned)w->n)] : NULL;
	unsigned k = chance(3);
	int64_t index;

	switch (chance(10)) {
	case 0:
	case 1:
		world_run_all(w);
		break;
	case 2:
	case 3:
	case 4:
		if (t && thing_runs(t))
			something_ends(w, t);
		break;
	case 5:
		if (t && thing_runs(t) && t->phase == SEEN_RUNNING)
			t->restarts += chance(3);
		break;
	case 6:
		if (t)
			world_remove(w, t);
		break;
	case 7:
		if (t)
			t->deleting = true;
		break;
	case 8:
		if (s->roles[k].elastic)
			s->sizes[k] = s->roles[k].min + chance((unsigned)(s->roles[k].max - s->roles[k].min) + 1);
		else if (chance(3) == 0)
			s->job.suspend = (struct plan_bool){ .value = chance(3) == 0, .set = true };
		break;
	default:
		k = chance(2);
		index = s->roles[k].max + chance(3);
		if (chance(3) == 0 && !world_replica(w, (int)k, index))
			world_pod(w, (int)k, index, SEEN_RUNNING)->owner = (enum seen_owner)chance(3);
		w->now += (1 + chance(40)) * SECOND;
	}
}

/* Removes objects that have been marked for deletion for a while. */
static void bury(struct world *w)
{
	for (size_t i = w->n; i-- > 0;)
		if (w->at[i].deleting && chance(2))
			world_remove(w, &w->at[i]);
}

/* ---- invariants ---- */

static bool same_actions(const struct decision *a, const struct decision *b, bool in_order)
{
	if (a->nactions != b->nactions || a->again != b->again || !a->conflict != !b->conflict)
		return false;
	for (size_t i = 0; i < a->nactions; i++) {
		bool found = false;
		for (size_t k = in_order ? i : 0; !found && k < (in_order ? i + 1 : b->nactions); k++)
			found = a->actions[i].what == b->actions[k].what &&
				str_eq(a->actions[i].name, b->actions[k].name) &&
				str_eq(a->actions[i].kind, b->actions[k].kind);
		if (!found)
			return false;
	}
	return true;
}

static bool is_wanted(const struct shape *s, const struct decide_record *r, const struct decide_action *a)
{
	const struct decide_replica *replica = a->index < s->roles[a->role].max ? &r->roles[a->role].at[a->index] :
		NULL;

	return replica && a->index < s->sizes[a->role] && !(replica->doomed.n && str_eq(replica->doomed, a->uid));
}

/*
 * A replica whose index is within the size of its role is deleted only for a reason: it has to restart, or the job
 * has ended or is suspended.
 */
static void check_deletions(struct world *w, const struct shape *s)
{
	const struct decide_record *r = &w->last.record;
	bool ended = conditions_finished(&r->conditions), suspends = decide_suspended(&s->job);

	for (size_t i = 0; i < w->last.nactions; i++) {
		const struct decide_action *a = &w->last.actions[i];
		struct thing *t = world_find(w, a->kind, a->name);
		if (a->what == DECIDE_CREATE)
			hold(STILL, !ended && !suspends && !t);
		if (a->what != DECIDE_DELETE)
			continue;
		hold(FOREIGN, t && t->owner == OWNER_THIS && str_eq(t->uid, a->uid));
		if (!t || !thing_runs(t))
			continue;
		bool active = t->phase == SEEN_RUNNING || t->phase == SEEN_PENDING;
		if (ended)
			hold(NEEDED, str_is(s->job.clean.value, "all") ||
				(active && (r->cut_short || str_is(s->job.clean.value, "running"))));
		else if (!suspends)
			hold(NEEDED, !is_wanted(s, r, a));
	}
}

static void check_conditions(const struct job_conditions *c)
{
	int active = conditions_hold(c, JOB_RUNNING) + conditions_hold(c, JOB_RESTARTING) +
		conditions_hold(c, JOB_SUSPENDED) +
		conditions_hold(c, JOB_SUCCEEDED) + conditions_hold(c, JOB_FAILED);

	hold(CONDITIONS, active <= 1 && conditions_hold(c, JOB_CREATED));
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < i; k++)
			hold(CONDITIONS, c->at[i].type != c->at[k].type);
}

static void check_order(struct world *w)
{
	struct seen_list seen = world_see(w);

	for (size_t i = seen.n; i > 1; i--) {
		size_t k = chance((unsigned)i);
		struct seen s = seen.at[i - 1];
		seen.at[i - 1] = seen.at[k];
		seen.at[k] = s;
	}
	struct decision d = decide(&w->arena, &w->job, &w->record, &seen, w->now);
	hold(ORDERLESS, same_actions(&w->last, &d, true));
}

static bool same_conditions(const struct job_conditions *a, const struct job_conditions *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (a->at[i].type != b->at[i].type || a->at[i].holds != b->at[i].holds ||
			a->at[i].changed != b->at[i].changed ||
		    !str_eq(a->at[i].message, b->at[i].message))
			return false;
	return a->n == b->n;
}

/* Makes one pass and checks all of its invariants; requests may be lost. */
static void pass(struct world *w, struct shape *s)
{
	const struct job_conditions before = w->record.conditions;
	bool was_suspended = conditions_hold(&before, JOB_SUSPENDED);
	int64_t spent = decide_spent(&s->job, &w->record);

	w->last = world_decide(w);
	check_order(w);
	check_deletions(w, s);
	check_conditions(&w->last.record.conditions);
	hold(FINAL, !conditions_finished(&before) || same_conditions(&before, &w->last.record.conditions));
	hold(MONOTONE, was_suspended || decide_suspended(&s->job) || decide_spent(&s->job, &w->last.record) >= spent);
	hold(TIMES, w->last.again > w->now && (!w->last.record.end || w->last.record.end >= w->last.record.begin));
	world_remember(w);
	struct decision again = world_decide(w);
	hold(REPEATS, same_actions(&w->last, &again, true) &&
		decide_spent(&s->job, &again.record) == decide_spent(&s->job, &w->record));
	for (size_t i = 0; i < w->last.nactions; i++)
		if (chance(8))
			world_act(w, &w->last.actions[i]);
}

/* If nothing happens and no request is lost, a few passes are enough for everything that is due at that time. */
static void settles(struct world *w)
{
	for (int i = 0; i < 4; i++)
		world_pass(w);
	hold(SETTLES, w->last.nactions == 0);
}

static void one_world(void)
{
	struct shape s;
	struct world w;

	any_job(&s);
	world_begin(&w, &s.job, STR("Job"));
	w.job.sizes = s.sizes;
	for (int i = 0; i < STEPS; i++) {
		pass(&w, &s);
		happens(&w, &s);
		bury(&w);
	}
	settles(&w);
	world_end(&w);
}

int main(void)
{
	for (number = 0; number < WORLDS; number++) {
		state = 0x9e3779b97f4a7c15u + number * 0xbf58476d1ce4e5b9u;
		memset(told, 0, sizeof(told));
		one_world();
	}
	for (unsigned r = 0; r < NRULES; r++) {
		if (rules[r].broken)
			printf("in %u worlds, first number %u:\n", rules[r].broken, rules[r].first);
		check_at(0, rules[r].broken == 0, rules[r].name);
	}
	return unit_end();
}
