/*
 * judge_property_test.c - replays one history to a local run, to the controller's decisions and to `trainc status`:
 * their verdicts agree at each step.
 *
 * Jobs and histories are random, with the same seeds every time.  A history that breaks a rule is shortened as far as
 * it still breaks the rule, and printed.
 */
#include "unit.h"

#include "runtime/local/life.h"
#include "runtime/run/cells.h"
#include "world.h"

enum { HISTORIES = 8000, STEPS = 20, ROLES = 4, REPLICAS = 3, GRAVES = 200, ROUNDS = 40 };
enum verdict { GOING, WON, LOST };
static const char *const verdict_words[] = { "goes on", "succeeded", "failed" };

struct happening {                          /* an event of a history */
	enum event_kind { END_GOOD, END_BAD, END_FINAL, PASS_LITTLE, PASS_LONG, SCALE, KINDS } kind;
	unsigned role, index;
};

/* ---- random numbers ---- */

static uint64_t seed;

static unsigned chance(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)((seed >> 11) % n);
}

/* ---- jobs ---- */

struct shape {
	struct plan_job job;
	struct plan_role roles[ROLES];
	struct plan_condition success[3], after;
	struct plan_cell cell;          /* if the job has one: of its roles from `first` on */
	unsigned first, inner;          /* and the number of roles of each copy */
	struct plan_condition parts[40];        /* done(cell) */
	size_t nparts;
	struct data arguments, limit;
	struct data_member member;
};

static struct plan_int int_of(int64_t n) { return (struct plan_int){ .value = n, .set = true }; }
static struct plan_str word_of(const char *w) { return (struct plan_str){ .value = str_of(w), .set = true }; }

static void any_role(struct plan_role *r, unsigned k)
{
	static const char *const names[] = { "a", "b", "c", "d" }, *const objects[] = { "j-a", "j-b", "j-c", "j-d" };
	static const char *const effects[] = { "", "", "fail", "restart", "replace", "ignore" };

	*r = (struct plan_role){ .name = str_of(names[k]), .label = str_of(names[k]), .object = str_of(objects[k]),
		.main.name = STR("main") };
	r->max = k == 0 ? 1 + chance(REPLICAS) : chance(REPLICAS + 1);
	r->elastic = r->max > 1 && chance(3) == 0;
	r->min = r->elastic ? 1 : r->max;
	r->restart = word_of(chance(4) ? "never" : "on-failure");
	r->retries = int_of(chance(3));
	if (chance(3) == 0)
		plan_codes_add(&r->retry_on, 128, 255);
	r->aux = k == 2 && chance(3) == 0;
	r->on_failed_pod = word_of(effects[r->aux ? 0 : chance(6)]);
}

/* ---- cells ---- */

static const struct plan_condition *part(struct shape *s, struct plan_condition c)
{
	s->parts[s->nparts] = c;
	return &s->parts[s->nparts++];
}

static const struct plan_condition *join(struct shape *s, enum condition_kind kind, const struct plan_condition *left,
	const struct plan_condition *right)
{
	return left ? part(s, (struct plan_condition){ .kind = kind, .index = CONDITION_ALL, .left = left,
		.right = right }) : right;
}

/* done(x): at least the least number of copies are done, and each of the others is lost or not wanted. */
static const struct plan_condition *cell_done(struct shape *s)
{
	const struct plan_condition *list = NULL, *over = NULL, *last = NULL;

	for (int64_t c = 0; c < s->cell.max; c++) {
		const struct plan_condition *done = NULL;
		unsigned role = s->first + (unsigned)c * s->inner;
		for (unsigned k = role; k < role + s->inner; k++)
			done = join(s, CONDITION_AND, done, part(s, (struct plan_condition){ .kind = CONDITION_DONE,
				.role = k, .index = CONDITION_ALL }));
		struct plan_condition gone = { .kind = CONDITION_GONE, .role = role };
		over = join(s, CONDITION_AND, over, join(s, CONDITION_OR, done, part(s, gone)));
		list = join(s, CONDITION_LIST, list, last);
		last = done;
	}
	struct plan_condition enough = { .kind = CONDITION_LEAST, .index = s->cell.min, .left = list, .right = last };
	return join(s, CONDITION_AND, part(s, enough), over);
}

/* Makes the roles from `first` on a cell, whose copies have one role or two that are alike in all copies. */
static void any_cell(struct shape *s)
{
	static const char *const names[2][2] = { { "x-a-0", "x-b-0" }, { "x-a-1", "x-b-1" } };
	static const char *const singles[] = { "x-a-0", "x-a-1", "x-a-2", "x-a-3" };
	static const char *const objects[2][2] = { { "j-x-a-0", "j-x-b-0" }, { "j-x-a-1", "j-x-b-1" } };
	static const char *const single_objects[] = { "j-x-a-0", "j-x-a-1", "j-x-a-2", "j-x-a-3" };

	s->inner = 1 + chance(2);
	s->first = s->inner == 2 ? 0 : chance(3);
	s->cell = (struct plan_cell){ .name = STR("x"), .max = (ROLES - s->first) / s->inner };
	s->cell.min = 1 + chance((unsigned)s->cell.max);
	for (unsigned k = s->first; k < ROLES; k++) {
		unsigned at = k - s->first, copy = at / s->inner, inner = at % s->inner;
		struct plan_role *r = &s->roles[k];
		if (copy)
			*r = s->roles[s->first + inner];
		r->aux = false;
		r->max = r->max ? r->max : 1;
		r->min = r->elastic ? 1 : r->max;
		r->name = r->label = str_of(s->inner == 2 ? names[copy][inner] : singles[copy]);
		r->object = str_of(s->inner == 2 ? objects[copy][inner] : single_objects[copy]);
		r->cell = s->cell.name;
		r->copy = copy;
		r->start_after = NULL;
	}
	s->job.cells = &s->cell;
	s->job.ncells = 1;
	s->job.success = cell_done(s);
	if (s->first && s->roles[0].max)
		s->job.success = join(s, chance(2) ? CONDITION_AND : CONDITION_OR, &s->success[0], s->job.success);
}

static void any_job(struct shape *s)
{
	*s = (struct shape){ 0 };
	for (unsigned k = 0; k < ROLES; k++)
		any_role(&s->roles[k], k);
	for (unsigned k = 0; k < 2; k++)
		s->success[k] = (struct plan_condition){ .kind = CONDITION_DONE, .role = k,
			.index = chance(3) ? CONDITION_ALL : CONDITION_ANY };
	s->success[2] = (struct plan_condition){ .kind = chance(2) ? CONDITION_AND : CONDITION_OR,
		.left = &s->success[0], .right = &s->success[1] };
	s->after = (struct plan_condition){ .kind = chance(2) ? CONDITION_DONE : CONDITION_STARTED, .role = 0,
		.index = CONDITION_ALL };
	if (chance(4) == 0)
		s->roles[1].start_after = &s->after;
	s->job = (struct plan_job){ .name = STR("j"), .roles = s->roles, .nroles = ROLES - 1, .workload = WORKLOAD_POD,
		.clean = word_of("none") };
	s->job.success = &s->success[s->roles[1].max ? 2 * chance(2) : 0];
	s->job.restarts = int_of(chance(4) ? 0 : 1);
	s->job.timeout = (struct plan_quantity){ .value = { .nano = (int128)(30 + chance(600)) * SECOND },
		.set = chance(4) == 0 };
	s->limit = (struct data){ .kind = DATA_INT, .u.integer = chance(6) };
	s->member = (struct data_member){ .key = STR("backoff_limit"), .value = &s->limit };
	s->arguments = (struct data){ .kind = DATA_MAP, .u.map = { &s->member, 1 } };
	s->job.arguments = chance(3) ? NULL : &s->arguments;
	if (chance(2))
		return;
	s->job.nroles = ROLES;
	s->job.arguments = NULL;        /* copies that go take the restarts of their pods with them */
	any_cell(s);
}

/* ---- the three judges ---- */

struct trio {
	struct shape *shape;
	struct world world;             /* the cluster that the controller and status see */
	struct thing graves[GRAVES];    /* pods that failed and were replaced: a cluster keeps such pods for a while */
	size_t ngraves;
	struct arena arena;
	struct run_state state;
	struct life *life;
	bool runs[ROLES][REPLICAS + 1]; /* which processes of the local run exist */
	bool done[ROLES][REPLICAS + 1]; /* which replicas have really succeeded */
	int64_t starts[ROLES][REPLICAS + 1];
	int64_t copies;                 /* the wanted number of copies */
	bool scaled;                    /* the local run has been scaled: from then on it is alone */
	const char *broken;             /* the rule that was broken; NULL if none was */
	enum verdict verdicts[3];
};

static void breaks(struct trio *t, const char *rule)
{
	if (!t->broken)
		t->broken = rule;
}

static void obey_life(struct trio *t)
{
	struct life_action a;
	unsigned beginnings = life_beginnings(t->life);

	while (life_next(t->life, t->world.now, &a)) {
		bool start = a.order <= LIFE_START_IN_PLACE;
		/* the whole job has restarted, so starts of the previous attempt no longer count */
		if (life_beginnings(t->life) != beginnings) {
			beginnings = life_beginnings(t->life);
			memset(t->starts, 0, sizeof t->starts);
			memset(t->done, 0, sizeof t->done);
		}
		t->runs[a.role][a.index] = start;
		t->starts[a.role][a.index] += a.order == LIFE_START;
		if (start) {
			life_started(t->life, a.role, a.index);
			life_ready(t->life, a.role, a.index);
		} else {
			struct life_end end = { .time = t->world.now, .exit_code = 143, .signal = 15 };
			life_ended(t->life, a.role, a.index, &end);
		}
	}
}

static enum verdict of_phase(enum run_phase phase)
{
	return phase == RUN_SUCCEEDED || phase == RUN_COMPLETING ? WON :
		phase == RUN_FAILED || phase == RUN_FAILING ? LOST : GOING;
}

static void print_pod(struct trio *t, const struct thing *pod, struct str name, struct buf *b)
{
	buf_printf(b, "%s{\"kind\":\"Pod\",\"metadata\":{\"name\":\"%.*s\",\"creationTimestamp\":\"",
		b->p[b->n - 1] == '[' ? "" : ",", STR_ARG(name));
	put_time(b, pod->begin, 9);
	buf_printf(b,
		"\",\"labels\":{\"trainc.dev/job\":\"j\",\"trainc.dev/role\":\"%.*s\",\"trainc.dev/index\":\"%lld\"}}",
		STR_ARG(t->shape->roles[pod->role].label), (long long)pod->index);
	print_status(&t->world, pod, b);
	buf_char(b, '}');
}

/* Returns the verdict of `status`, from the existing pods and the ones that failed before them. */
static enum verdict ask_status(struct trio *t)
{
	struct sources sources = { .arena = &t->world.arena };
	struct status_objects objects = { 0 };
	struct data_error error;
	struct data *list;
	struct buf b = { 0 };

	buf_z(&b, "{\"kind\":\"List\",\"items\":[");
	for (size_t i = 0; i < t->ngraves; i++)
		print_pod(t, &t->graves[i], world_format(&t->world, "old-", (long long)i), &b);
	for (size_t i = 0; i < t->world.n; i++)
		if (thing_runs(&t->world.at[i]))
			print_pod(t, &t->world.at[i], t->world.at[i].name, &b);
	buf_z(&b, "]}");
	struct str text = buf_take(&b, &t->world.arena);
	buf_release(&b);
	if (!data_read_json(&t->world.arena, source_add(&sources, STR("pods"), text), &list, &error)) {
		breaks(t, "the pods can be read");
		return GOING;
	}
	status_add(&t->world.arena, &objects, list);
	return of_phase(status_of(&t->world.arena, &t->shape->job, &objects, t->world.now).phase);
}

/* Makes one pass of the controller. With COMPARE, the verdict of `status` is computed before pods are deleted. */
static bool pass_world(struct trio *t, bool compare)
{
	struct world *w = &t->world;

	if (compare)
		t->verdicts[2] = ask_status(t);
	w->last = world_decide(w);
	for (size_t i = 0; i < w->last.nactions; i++) {
		const struct decide_action *a = &w->last.actions[i];
		struct thing *thing = world_find(w, a->kind, a->name);
		if (a->what == DECIDE_DELETE && thing && thing->phase == SEEN_FAILED && t->ngraves < GRAVES)
			t->graves[t->ngraves++] = *thing;
		world_act(w, a);
	}
	world_remember(w);
	world_run_all(w);
	t->verdicts[1] = conditions_hold(&w->record.conditions, JOB_SUCCEEDED) ? WON :
		conditions_hold(&w->record.conditions, JOB_FAILED) ? LOST : GOING;
	return w->last.nactions > 0;
}

/* ---- rules ---- */

static void check_success(struct trio *t)
{
	enum replica_state states[ROLES][REPLICAS + 1];
	struct role_states seen[ROLES];

	for (unsigned k = 0; k < t->shape->job.nroles; k++) {
		const struct run_role *r = &t->state.roles[k];
		for (int64_t i = 0; i < t->shape->roles[k].max; i++)
			states[k][i] = t->done[k][i] ? REPLICA_SUCCEEDED : REPLICA_WAITING;
		seen[k] = (struct role_states){ states[k], (size_t)t->shape->roles[k].max,
			r->lost || !run_role_wanted(&t->state, r) };
	}
	if (!condition_holds(&t->shape->job, t->shape->job.success, seen))
		breaks(t, "success is what the rule says");
}

/* While the job goes on, a copy that is lost or not wanted does not run, and no more copies are lost than may be. */
static void check_copies(struct trio *t)
{
	int64_t lost = 0;

	if (t->verdicts[0] != GOING || t->shape->job.restarts.value)
		return;                         /* it ends, or may stop to begin anew */
	for (unsigned k = t->shape->first; k < t->shape->job.nroles && t->shape->cell.max; k++) {
		const struct run_role *r = &t->state.roles[k];
		bool wanted = run_role_wanted(&t->state, r);
		lost += wanted && r->lost && (k - t->shape->first) % t->shape->inner == 0;
		for (int64_t i = 0; i < r->max; i++)
			if (t->runs[k][i] && (r->lost || !wanted))
				breaks(t, "a copy that is lost or not wanted does not run");
	}
	if (t->copies - lost < t->shape->cell.min)
		breaks(t, "the least number of copies is left");
}

static void check_limits(struct trio *t)
{
	for (unsigned k = 0; k < t->shape->job.nroles; k++)
		for (int64_t i = 0; i < t->shape->roles[k].max; i++)
			if (t->starts[k][i] > 1 + t->shape->roles[k].retries.value)
				breaks(t, "no replica begins again more often than it may");
	if (t->state.job_restarts > t->shape->job.restarts.value)
		breaks(t, "the job does not begin again more often than it may");
}

static void settle(struct trio *t)
{
	/* pods do not show how often the whole job has restarted, and only Jobs, which are not here, are scaled away */
	bool compare = !t->shape->job.restarts.value && !t->scaled;

	obey_life(t);
	t->verdicts[0] = of_phase(t->state.phase);
	t->verdicts[1] = t->verdicts[2] = t->verdicts[0];
	bool first = compare;
	for (int i = 0; i < 20 && !t->scaled && pass_world(t, first); i++)
		first = false;
	if (t->verdicts[0] != t->verdicts[1] || t->verdicts[0] != t->verdicts[2])
		breaks(t, "one history, one verdict");
	if (t->verdicts[0] == WON)
		check_success(t);
	check_limits(t);
	check_copies(t);
}

/* ---- histories ---- */

static void end_replica(struct trio *t, unsigned k, int64_t i, int code)
{
	struct thing *pod = world_replica(&t->world, (int)k, i);
	bool again = code && plan_role_restarts(&t->shape->roles[k]);
	struct life_end end = { .time = t->world.now, .exit_code = code, .signal = code > 128 ? code - 128 : 0 };

	if (!t->runs[k][i] || (!t->scaled && (!pod || pod->phase != SEEN_RUNNING)))
		return;
	if (pod && again)
		pod->restarts++;        /* the kubelet restarts the container in place */
	else if (pod)
		thing_ends(&t->world, pod, code);
	t->done[k][i] = !code;
	t->runs[k][i] = false;
	life_ended(t->life, k, i, &end);
}

/* Scales the cell to another number of copies, of which those that come back are new. */
static void scale(struct trio *t, int64_t n)
{
	struct shape *s = t->shape;
	struct str why;

	if (!s->job.ncells || n < s->cell.min || n > s->cell.max || s->cell.min == s->cell.max)
		return;
	for (int64_t k = s->first + t->copies * s->inner; k < s->first + n * s->inner; k++) {
		memset(t->starts[k], 0, sizeof t->starts[k]);
		memset(t->done[k], 0, sizeof t->done[k]);
	}
	t->copies = n;
	t->scaled = true;
	if (!life_scale(t->life, s->cell.name, n, &why) && t->verdicts[0] == GOING)
		breaks(t, "a cell can be scaled within its limits");
}

static void tell(struct trio *t, const struct happening *e)
{
	static const int codes[] = { [END_GOOD] = 0, [END_BAD] = 137, [END_FINAL] = 1 };

	if (e->kind == SCALE)
		scale(t, 1 + e->role);
	else if (e->kind >= PASS_LITTLE)
		t->world.now += (e->kind == PASS_LONG ? 700 : 7) * SECOND;
	else if (e->role < t->shape->job.nroles && e->index < (unsigned)t->shape->roles[e->role].max)
		end_replica(t, e->role, e->index, codes[e->kind]);
	settle(t);
}

/* Lets everything that runs succeed, again and again: then the job must end, unless it waits for a user. */
static void finish(struct trio *t)
{
	for (int round = 0; round < ROUNDS && t->verdicts[0] == GOING && !t->broken; round++) {
		for (unsigned k = 0; k < ROLES; k++)
			for (unsigned i = 0; i < REPLICAS; i++)
				tell(t, &(struct happening){ END_GOOD, k, i });
		tell(t, &(struct happening){ .kind = PASS_LONG });
	}
	for (unsigned k = 0; k < t->shape->job.nroles && t->verdicts[0] == GOING; k++)
		for (int64_t i = 0; i < t->shape->roles[k].max; i++)
			if (t->state.roles[k].at[i].state == REPLICA_FAILED &&
				str_is(t->shape->roles[k].on_failed_pod.value, "restart"))
				return;
	if (t->verdicts[0] == GOING)
		breaks(t, "every fair history ends");
}

/* Returns the rule that a history breaks, or NULL. */
static const char *run_history(struct shape *s, const struct happening *at, size_t n, enum verdict verdicts[3])
{
	struct trio *t = memory_resize(NULL, sizeof *t);
	struct life_options o = { 0 };

	memset(t, 0, sizeof *t);
	t->shape = s;
	world_begin(&t->world, &s->job, STR("Test"));
	t->copies = s->cell.max;
	t->life = life_new(&t->arena, &s->job, &o, &t->state, t->world.now);
	settle(t);
	for (size_t i = 0; i < n && !t->broken && t->verdicts[0] == GOING; i++)
		tell(t, &at[i]);
	if (!t->broken)
		finish(t);
	memcpy(verdicts, t->verdicts, sizeof t->verdicts);
	const char *broken = t->broken;
	life_release(t->life);
	arena_release(&t->arena);
	world_end(&t->world);
	free(t);
	return broken;
}

/* ---- reporting a broken rule ---- */

static void print_shape(const struct shape *s)
{
	if (s->job.ncells)
		printf("  cell x %lld:%lld, %u roles\n", (long long)s->cell.min, (long long)s->cell.max, s->inner);
	for (unsigned k = 0; k < s->job.nroles; k++) {
		const struct plan_role *r = &s->roles[k];
		printf("  role %s %lld:%lld restart %s retries %lld%s%s on_failed_pod '%.*s'%s\n", r->name.p,
			(long long)r->min, (long long)r->max,
			r->restart.value.p, (long long)r->retries.value, r->retry_on.set ? " on 128..255" : "",
			r->aux ? " aux" : "",
			STR_ARG(r->on_failed_pod.value), r->start_after ? " start_after" : "");
	}
	struct arena a = { 0 };
	struct str rule = plan_condition_text(&a, &s->job, s->job.success);
	printf("  success %.*s, restarts %lld, timeout %lld s, backoff_limit %lld\n", STR_ARG(rule),
		(long long)s->job.restarts.value,
		s->job.timeout.set ? (long long)(s->job.timeout.value.nano / SECOND) : -1,
		s->job.arguments ? (long long)s->limit.u.integer : -1);
	arena_release(&a);
}

static void shrink_and_print(struct shape *s, struct happening *at, size_t n, unsigned number)
{
	static const char *const words[] = { "ends well", "is killed", "fails with 1", "7 s pass", "700 s pass",
		"is the last copy" };
	enum verdict verdicts[3];
	const char *rule = run_history(s, at, n, verdicts);

	for (size_t i = n; i-- > 0;) {
		struct happening without = at[i];
		memmove(&at[i], &at[i + 1], (n - i - 1) * sizeof *at);
		if (run_history(s, at, n - 1, verdicts)) {
			n--;
			continue;
		}
		memmove(&at[i + 1], &at[i], (n - i - 1) * sizeof *at);
		at[i] = without;
	}
	rule = run_history(s, at, n, verdicts);
	printf("FAIL history %u: %s\n", number, rule ? rule : "(not when it is told again)");
	print_shape(s);
	for (size_t i = 0; i < n; i++)
		printf("  %c-%u %s\n", 'a' + (char)at[i].role, at[i].index, words[at[i].kind]);
	printf("  local %s, decide %s, status %s\n", verdict_words[verdicts[0]], verdict_words[verdicts[1]],
		verdict_words[verdicts[2]]);
}

int main(void)
{
	unsigned broken = 0, ended[3] = { 0 };

	for (unsigned number = 1; number <= HISTORIES && broken < 5; number++) {
		struct shape s;
		struct happening at[STEPS];
		enum verdict verdicts[3];
		seed = UINT64_C(0x9e3779b97f4a7c15) * number;
		any_job(&s);
		for (size_t i = 0; i < STEPS; i++)
			at[i] = (struct happening){ (enum event_kind)chance(KINDS), chance(ROLES), chance(REPLICAS) };
		if (run_history(&s, at, STEPS, verdicts)) {
			broken++;
			shrink_and_print(&s, at, STEPS, number);
		}
		ended[verdicts[0]]++;
	}
	CHECK(broken == 0);
	/* random histories contained enough successes and failures */
	CHECK(ended[WON] > HISTORIES / 10 && ended[LOST] > HISTORIES / 10);
	return unit_end();
}
