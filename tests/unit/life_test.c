/*
 * life_test.c - the lifecycle of a run with a simulated clock: which orders follow which events.
 *
 * Orders are compared as text: "start a-0, term b-1".
 */
#include "unit.h"

#include "runtime/local/life.h"

#define MS (SECOND / 1000)

struct world {
	struct arena arena;
	struct run_state state;
	struct life *life;
	int64_t now;
	bool slow;                      /* programs only become ready when the test says so */
	struct buf orders;
};

/* ---- programs ---- */

static struct plan_role role(const char *name, int64_t n)
{
	return (struct plan_role){ .name = str_of(name), .min = n, .max = n };
}

static struct plan_role elastic(const char *name, int64_t lo, int64_t hi)
{
	return (struct plan_role){ .name = str_of(name), .min = lo, .max = hi, .elastic = true };
}

static struct plan_condition done(unsigned r)
{
	return (struct plan_condition){ .kind = CONDITION_DONE, .role = r, .index = -1 };
}
static struct plan_condition ready(unsigned r)
{
	return (struct plan_condition){ .kind = CONDITION_READY, .role = r, .index = -1 };
}
static struct plan_condition started(unsigned r)
{
	return (struct plan_condition){ .kind = CONDITION_STARTED, .role = r, .index = -1 };
}

static struct plan_int count(int64_t n) { return (struct plan_int){ .value = n, .set = true }; }
static struct plan_str word(const char *w) { return (struct plan_str){ .value = str_of(w), .set = true }; }
static struct plan_quantity seconds(int64_t n)
{
	return (struct plan_quantity){ .value = { .nano = (int128)n * SECOND }, .set = true };
}

/* ---- events ---- */

static const char *const order_words[] = {
	[LIFE_START] = "start", [LIFE_START_IN_PLACE] = "again", [LIFE_TERM] = "term", [LIFE_KILL] = "kill",
		[LIFE_GIVE_UP] = "give up",
};

/* Carries out the orders at once, and records them. */
static void obey(struct world *w)
{
	struct life_action a;

	while (life_next(w->life, w->now, &a)) {
		struct str name = w->state.roles[a.role].name;
		buf_printf(&w->orders, "%s%s %.*s-%lld", w->orders.n ? ", " : "", order_words[a.order], STR_ARG(name),
			(long long)a.index);
		if (a.order > LIFE_START_IN_PLACE)
			continue;
		life_started(w->life, a.role, a.index);
		if (!w->slow)
			life_ready(w->life, a.role, a.index);
	}
}

/* Returns the orders since the last call. */
static struct str orders(struct world *w)
{
	obey(w);
	return buf_take(&w->orders, &w->arena);
}

static void begin_sized(struct world *w, const struct plan_job *j, const struct life_options *o)
{
	*w = (struct world){ .now = 1000 * SECOND };
	w->life = life_new(&w->arena, j, o, &w->state, w->now);
}

static void begin(struct world *w, const struct plan_job *j)
{
	struct life_options o = { 0 };
	begin_sized(w, j, &o);
}

static void end(struct world *w)
{
	life_release(w->life);
	buf_release(&w->orders);
	arena_release(&w->arena);
}

static void pass(struct world *w, int64_t time) { w->now += time; }

static void ended(struct world *w, unsigned r, int64_t i, int exit_code)
{
	struct life_end e = { .time = w->now, .exit_code = exit_code, .signal = exit_code > 128 ? exit_code - 128 : 0 };
	life_ended(w->life, r, i, &e);
}

static struct str phase(const struct world *w)
{
	static const char *const words[] = {
		[RUN_PENDING] = "Pending", [RUN_STARTING] = "Starting", [RUN_RUNNING] = "Running",
			[RUN_DEGRADED] = "Degraded",
		[RUN_FAILING] = "Failing", [RUN_FAILED] = "Failed", [RUN_COMPLETING] = "Completing",
			[RUN_SUCCEEDED] = "Succeeded",
		[RUN_SUSPENDED] = "Suspended", [RUN_TERMINATING] = "Terminating", [RUN_UNKNOWN] = "Unknown",
	};
	return str_of(words[w->state.phase]);
}

#define ORDERS(want) CHECK_TEXT(orders(&w), want)
#define PHASE(want) CHECK_TEXT(phase(&w), want)
#define CAUSE(want) CHECK_TEXT(w.state.cause, want)

static const struct run_replica *at(const struct world *w, unsigned r, int64_t i) { return &w->state.roles[r].at[i]; }

/* ---- a simple run ---- */

static void success(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all };
	struct world w;

	begin(&w, &j);
	w.slow = true;
	PHASE("Pending");
	ORDERS("start a-0, start a-1");
	PHASE("Starting");
	CAUSE("0/2 ready");
	life_ready(w.life, 0, 0);
	ORDERS("");
	CAUSE("1/2 ready");
	life_ready(w.life, 0, 1);
	ORDERS("");
	PHASE("Running");
	CHECK(at(&w, 0, 1)->state == REPLICA_READY && at(&w, 0, 1)->attempts == 1);
	CHECK(life_deadline(w.life) == LIFE_NEVER);
	ended(&w, 0, 1, 0);
	ORDERS("");
	PHASE("Running");
	CHECK(at(&w, 0, 1)->state == REPLICA_SUCCEEDED);
	pass(&w, SECOND);
	ended(&w, 0, 0, 0);
	ORDERS("");
	PHASE("Succeeded");
	CHECK(life_over(w.life) && w.state.end == w.now && !w.state.failure.known);
	end(&w);
}

/* Programs that end before the engine sees them run. */
static void at_once(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all };
	struct world w;

	begin(&w, &j);
	ORDERS("start a-0, start a-1");
	ended(&w, 0, 0, 0);
	ended(&w, 0, 1, 0);
	ORDERS("");
	PHASE("Succeeded");
	end(&w);
}

/* A replica that failed for good stops the others; this checks every step of stopping. */
static void failure(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 3) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all, .clean = word("running") };
	struct world w;

	begin(&w, &j);
	ORDERS("start a-0, start a-1, start a-2");
	ended(&w, 0, 1, 3);
	ORDERS("term a-0, term a-2");
	PHASE("Failing");
	CAUSE("a-1 failed: exit code 3");
	CHECK(at(&w, 0, 1)->state == REPLICA_FAILED && at(&w, 0, 1)->exit_code == 3);
	ended(&w, 0, 0, 143);
	ORDERS("");
	CHECK(!life_over(w.life) && life_deadline(w.life) == w.now + 10 * SECOND);
	pass(&w, 10 * SECOND - 1);
	ORDERS("");
	pass(&w, 1);
	ORDERS("kill a-2");
	CHECK(life_deadline(w.life) == w.now + 5 * SECOND);
	pass(&w, 5 * SECOND);
	ORDERS("give up a-2");
	PHASE("Failed");
	CHECK(life_over(w.life) && at(&w, 0, 2)->cause.n > 0 && at(&w, 0, 0)->state == REPLICA_WAITING);
	CHECK(w.state.failure.known && w.state.failure.index == 1 && w.state.failure.exit_code == 3);
	CHECK_TEXT(w.state.failure.reason, "exit code 3");
	end(&w);
}

static void grace(void)
{
	struct plan_role roles[] = { role("a", 1), role("b", 1) };
	struct plan_job j = { .roles = roles, .nroles = 2 };
	struct world w;

	roles[1].grace = seconds(3);
	begin(&w, &j);
	ORDERS("start a-0, start b-0");
	ended(&w, 0, 0, 1);
	ORDERS("term b-0");
	pass(&w, 3 * SECOND);
	ORDERS("kill b-0");
	end(&w);
}

/* ---- order ---- */

static void start_after(void)
{
	struct plan_condition all = done(2), when_ready = ready(0), when_done = done(1);
	struct plan_role roles[] = { role("server", 2), role("prepare", 1), role("launcher", 1) };
	struct plan_job j = { .roles = roles, .nroles = 3, .success = &all };
	struct plan_condition both = { .kind = CONDITION_AND, .left = &when_ready, .right = &when_done };
	struct world w;

	roles[2].start_after = &both;
	begin(&w, &j);
	w.slow = true;
	ORDERS("start server-0, start server-1, start prepare-0");
	life_ready(w.life, 0, 0);
	ended(&w, 1, 0, 0);
	ORDERS("");
	life_ready(w.life, 0, 1);
	ORDERS("start launcher-0");
	/* once the role has started, the condition no longer matters */
	life_ready(w.life, 2, 0);
	ORDERS("");
	PHASE("Running");
	ended(&w, 2, 0, 0);
	ORDERS("term server-0, term server-1");
	PHASE("Completing");
	ended(&w, 0, 0, 143);
	ended(&w, 0, 1, 0);
	ORDERS("");
	PHASE("Succeeded");
	end(&w);
}

static void waiting(void)
{
	struct plan_condition when = started(0), never = done(1), all = done(1);
	struct plan_role roles[] = { role("a", 1), role("b", 1) };
	struct plan_job j = { .roles = roles, .nroles = 2, .success = &all };
	struct world w;

	roles[0].start_after = &never;
	begin(&w, &j);
	ORDERS("start b-0");
	PHASE("Running");
	CAUSE("role 'a' waits for done(b)");
	end(&w);

	roles[0].start_after = NULL;
	roles[1].start_after = &when;
	begin(&w, &j);
	w.slow = true;
	ORDERS("start a-0, start b-0");         /* a role that only waits for the start does not need ready replicas */
	end(&w);
}

/* If no role is left that could make the condition true, the job fails. */
static void dead_end(void)
{
	struct plan_condition when = done(1), all = done(0);
	struct plan_role roles[] = { role("a", 1), elastic("b", 2, 3) };
	struct plan_job j = { .roles = roles, .nroles = 2, .success = &all };
	struct world w;
	struct str why;

	roles[0].start_after = &when;
	begin(&w, &j);
	CHECK(life_scale(w.life, STR("b"), 2, &why));
	ORDERS("start b-0, start b-1");
	ended(&w, 1, 0, 0);
	ended(&w, 1, 1, 0);
	ORDERS("start a-0");
	end(&w);

	struct plan_condition self = ready(0);
	roles[0].start_after = &self;           /* the role waits for itself */
	begin(&w, &j);
	ORDERS("start b-0, start b-1, start b-2");
	for (int64_t i = 0; i < 3; i++)
		ended(&w, 1, i, 0);
	ORDERS("");
	PHASE("Failed");
	CAUSE("nothing runs any more, and done(a) does not hold");
	CHECK(!w.state.failure.known);
	end(&w);
}

/* ---- attempts ---- */

static void retries(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all };
	struct world w;

	roles[0].retries = count(2);
	begin(&w, &j);
	ORDERS("start a-0, start a-1");
	ended(&w, 0, 0, 1);
	ORDERS("");
	PHASE("Degraded");
	CAUSE("a-0 restarts soon: exit code 1");
	CHECK(at(&w, 0, 0)->state == REPLICA_WAITING && at(&w, 0, 0)->again == w.now + 10 * SECOND);
	CHECK(life_deadline(w.life) == w.now + 10 * SECOND);
	pass(&w, 10 * SECOND);
	ORDERS("start a-0");
	PHASE("Degraded");                      /* for a minute after the new attempt, the run stays "Degraded" */
	CHECK(at(&w, 0, 0)->attempts == 2 && life_deadline(w.life) == w.now + 60 * SECOND);
	pass(&w, 60 * SECOND);
	ORDERS("");
	PHASE("Running");
	ended(&w, 0, 0, 1);
	ORDERS("");
	CHECK(at(&w, 0, 0)->again == w.now + 20 * SECOND);      /* the pause has doubled */
	pass(&w, 20 * SECOND);
	ORDERS("start a-0");
	ended(&w, 0, 0, 1);
	ORDERS("term a-1");                     /* there are no attempts left, so the job fails */
	CHECK(at(&w, 0, 0)->attempts == 3);
	end(&w);
}

static void back_off(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 1) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all };
	struct life_options o = { .backoff = 100 * MS };
	static const int64_t wants[] = { 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200, 102400, 204800,
		409600, 600000, 600000 };
	struct world w;
	bool right = true;

	roles[0].retries = count(100);
	begin_sized(&w, &j, &o);
	obey(&w);
	for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
		ended(&w, 0, 0, 1);
		obey(&w);
		right = right && at(&w, 0, 0)->again == w.now + wants[i] * MS;
		w.now = at(&w, 0, 0)->again;
		obey(&w);
	}
	CHECK(right);
	pass(&w, 600 * SECOND);                 /* the replica ran for ten minutes, so the backoff starts over */
	ended(&w, 0, 0, 1);
	obey(&w);
	CHECK(at(&w, 0, 0)->again == w.now + 100 * MS);
	end(&w);
}

/* Some exit codes are final; others are retried. */
static void retry_on(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 1) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all };
	struct world w;

	roles[0].retries = count(5);
	plan_codes_add(&roles[0].retry_on, 128, 255);
	begin(&w, &j);
	ORDERS("start a-0");
	ended(&w, 0, 0, 137);
	ORDERS("");
	PHASE("Degraded");
	CAUSE("a-0 restarts soon: killed by KILL");
	pass(&w, 10 * SECOND);
	ORDERS("start a-0");
	ended(&w, 0, 0, 2);
	ORDERS("");
	PHASE("Failed");
	CHECK_TEXT(w.state.failure.reason, "exit code 2");
	end(&w);

	begin(&w, &j);
	ORDERS("start a-0");
	struct life_end e = { .time = w.now, .exit_code = 2, .init = true };
	/* an init container is retried in any case: retry_on only applies to the program itself */
	life_ended(w.life, 0, 0, &e);
	ORDERS("");
	PHASE("Degraded");
	end(&w);
}

static void restart(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 1), role("board", 1) };
	struct plan_job j = { .roles = roles, .nroles = 2, .success = &all };
	struct world w;

	roles[0].restart = word("on-failure");
	roles[1].restart = word("always");
	roles[1].aux = true;
	begin(&w, &j);
	ORDERS("start a-0, start board-0");
	ended(&w, 0, 0, 1);
	ended(&w, 1, 0, 0);                     /* restart = "always": even after success */
	ORDERS("");
	PHASE("Degraded");
	pass(&w, 10 * SECOND);
	ORDERS("again a-0, again board-0");
	ended(&w, 0, 0, 0);                     /* restart = "on-failure": not after success */
	ORDERS("term board-0");
	PHASE("Completing");
	ended(&w, 1, 0, 143);
	ORDERS("");
	PHASE("Succeeded");
	end(&w);

	/* an init container that fails causes a new attempt, not a restart in place */
	begin(&w, &j);
	ORDERS("start a-0, start board-0");
	struct life_end e = { .time = w.now, .exit_code = 1, .init = true };
	life_ended(w.life, 0, 0, &e);
	ORDERS("");
	pass(&w, 10 * SECOND);
	ORDERS("start a-0");
	end(&w);
}

/* ---- which roles decide the end of a job ---- */

/* The roles that count have succeeded while others still run. */
static void endless(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("chief", 1), role("ps", 2), role("board", 1) };
	struct plan_job j = { .roles = roles, .nroles = 3, .success = &all };
	struct world w;

	roles[1].endless = true;
	roles[2].aux = true;
	begin(&w, &j);
	ORDERS("start chief-0, start ps-0, start ps-1, start board-0");
	ended(&w, 2, 0, 1);                     /* an aux role does not count, so its failure does not fail the job */
	ORDERS("");
	PHASE("Running");
	CHECK(at(&w, 2, 0)->state == REPLICA_FAILED);
	ended(&w, 0, 0, 0);
	ORDERS("term ps-0, term ps-1");
	ended(&w, 1, 0, 143);
	ended(&w, 1, 1, 143);
	ORDERS("");
	PHASE("Succeeded");
	end(&w);

	begin(&w, &j);
	ORDERS("start chief-0, start ps-0, start ps-1, start board-0");
	ended(&w, 1, 1, 139);                   /* an endless role must not fail while the job runs */
	ORDERS("term chief-0, term ps-0, term board-0");
	CAUSE("ps-1 failed: killed by SEGV");
	end(&w);

	begin(&w, &j);
	ORDERS("start chief-0, start ps-0, start ps-1, start board-0");
	/* both end at the same time: the success rule is met, so the job has succeeded */
	ended(&w, 0, 0, 0);
	ended(&w, 1, 0, 1);
	ORDERS("term ps-1, term board-0");
	PHASE("Completing");
	end(&w);
}

static void no_rule(void)
{
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = { .roles = roles, .nroles = 1 };
	struct world w;

	roles[0].endless = true;
	begin(&w, &j);
	ORDERS("start a-0, start a-1");
	ended(&w, 0, 0, 0);
	ORDERS("");
	PHASE("Running");
	ended(&w, 0, 1, 0);
	ORDERS("");
	PHASE("Succeeded");
	end(&w);

	roles[0].aux = true;                    /* if a job has nothing but aux roles, they do count */
	begin(&w, &j);
	ORDERS("start a-0, start a-1");
	ended(&w, 0, 0, 1);
	ORDERS("term a-1");
	PHASE("Failing");
	end(&w);
}

/* The success of one replica ends the other replicas of its role. */
static void one_replica(void)
{
	struct plan_condition chief = { .kind = CONDITION_DONE, .role = 0, .index = 0 };
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &chief };
	struct world w;

	begin(&w, &j);
	ORDERS("start a-0, start a-1");
	ended(&w, 0, 0, 0);
	ORDERS("term a-1");
	ended(&w, 0, 1, 1);
	ORDERS("");
	PHASE("Succeeded");
	end(&w);
}

/* clean = "none" stops nothing, "all" stops everything. */
static void clean(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 1), role("b", 1), role("c", 1) };
	struct plan_job j = { .roles = roles, .nroles = 3, .success = &all, .clean = word("none") };
	struct world w;
	struct str why;

	roles[1].retries = roles[2].retries = count(3);
	begin(&w, &j);
	ORDERS("start a-0, start b-0, start c-0");
	ended(&w, 0, 0, 0);
	ORDERS("");                             /* the other replicas are not stopped */
	PHASE("Completing");
	ended(&w, 1, 0, 1);
	ORDERS("");                             /* a replica that fails now is not restarted */
	CHECK(at(&w, 1, 0)->state == REPLICA_FAILED && at(&w, 1, 0)->again == 0 && life_deadline(w.life) == LIFE_NEVER);
	CHECK(life_stop(w.life, false, &why));  /* a user stops the remaining replicas */
	ORDERS("term c-0");
	ended(&w, 2, 0, 143);
	ORDERS("");
	PHASE("Succeeded");                     /* being stopped does not change the verdict */
	end(&w);

	j.clean = word("all");
	begin(&w, &j);
	ORDERS("start a-0, start b-0, start c-0");
	ended(&w, 0, 0, 0);
	ORDERS("term b-0, term c-0");
	end(&w);
}

/* ---- deadlines and restarts of the whole job ---- */

/* S183 */
static void timeout(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 1) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all, .timeout = seconds(90),
		.restarts = count(3) };
	struct world w;

	begin(&w, &j);
	ORDERS("start a-0");
	CHECK(life_deadline(w.life) == w.now + 90 * SECOND);
	pass(&w, 90 * SECOND);
	ORDERS("term a-0");                     /* the deadline also ends attempts: the job does not restart */
	PHASE("Failing");
	CAUSE("deadline exceeded: it has run for 90s");
	ended(&w, 0, 0, 143);
	ORDERS("");
	PHASE("Failed");
	end(&w);

	/* whatever the cleanup policy says, the deadline stops what still runs */
	j.clean = word("none");
	begin(&w, &j);
	ORDERS("start a-0");
	pass(&w, 90 * SECOND);
	ORDERS("term a-0");
	end(&w);

	begin(&w, &j);                          /* the deadline also applies between two attempts of the job */
	ORDERS("start a-0");
	pass(&w, 85 * SECOND);
	ended(&w, 0, 0, 1);
	ORDERS("");
	PHASE("Degraded");
	CHECK(life_deadline(w.life) == w.now + 5 * SECOND);
	pass(&w, 5 * SECOND);
	ORDERS("");
	PHASE("Failed");
	CAUSE("deadline exceeded: it has run for 90s");
	end(&w);

	begin(&w, &j);
	ORDERS("start a-0");
	pass(&w, 90 * SECOND);
	ended(&w, 0, 0, 0);                     /* the replica ends exactly at the deadline */
	ORDERS("");
	PHASE("Succeeded");
	end(&w);
}

/* Limits how often the whole job restarts. */
static void restarts(void)
{
	struct plan_condition all = done(0), when = ready(0);
	struct plan_role roles[] = { role("a", 2), role("b", 1) };
	struct plan_job j = { .roles = roles, .nroles = 2, .success = &all, .restarts = count(1) };
	struct world w;

	roles[0].retries = count(1);
	roles[1].start_after = &when;
	begin(&w, &j);
	w.slow = true;
	ORDERS("start a-0, start a-1");
	life_ready(w.life, 0, 0);
	life_ready(w.life, 0, 1);
	ORDERS("start b-0");
	ended(&w, 0, 0, 0);
	ended(&w, 1, 0, 7);
	ORDERS("term a-1");
	PHASE("Degraded");
	CAUSE("the job restarts: b-0 failed: exit code 7");
	CHECK(w.state.job_restarts == 1 && life_beginnings(w.life) == 1);
	ended(&w, 0, 1, 143);
	ORDERS("");
	CHECK(life_deadline(w.life) == w.now + 10 * SECOND);
	pass(&w, 10 * SECOND);
	/* all replicas start again, in start order, including the one that had succeeded */
	ORDERS("start a-0, start a-1");
	CHECK(life_beginnings(w.life) == 2 && !w.state.failure.known);
	life_ready(w.life, 0, 0);
	life_ready(w.life, 0, 1);
	ORDERS("start b-0");
	ended(&w, 0, 0, 1);                     /* the new attempt of the job starts with a new count of retries */
	ORDERS("");
	pass(&w, 10 * SECOND);
	ORDERS("start a-0");
	ended(&w, 1, 0, 7);
	ORDERS("term a-0, term a-1");
	PHASE("Failing");                       /* once only */
	end(&w);
}

/* S186 */
static void suspend(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 3) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all, .timeout = seconds(100) };
	struct world w;
	struct str why;

	begin(&w, &j);
	ORDERS("start a-0, start a-1, start a-2");
	ended(&w, 0, 1, 0);
	ORDERS("");
	pass(&w, 50 * SECOND);
	CHECK(life_suspend(w.life, true, w.now, &why));
	ORDERS("term a-0, term a-2");
	PHASE("Suspended");
	CAUSE("replicas are still stopping");
	ended(&w, 0, 0, 1);                     /* the replica was asked to stop, so its exit code does not count */
	ended(&w, 0, 2, 0);
	ORDERS("");
	PHASE("Suspended");
	CAUSE("");
	CHECK(at(&w, 0, 0)->state == REPLICA_WAITING && at(&w, 0, 2)->state == REPLICA_WAITING);
	CHECK(life_suspend(w.life, true, w.now, &why));         /* has no effect: the run is already suspended */
	pass(&w, 1000 * SECOND);                /* the time of a suspension does not count towards the deadline */
	ORDERS("");
	PHASE("Suspended");
	CHECK(!life_over(w.life) && life_deadline(w.life) == LIFE_NEVER);
	CHECK(life_suspend(w.life, false, w.now, &why));
	ORDERS("start a-0, start a-2");         /* a replica that has succeeded does not start again */
	CHECK(life_deadline(w.life) == w.now + 100 * SECOND);
	ended(&w, 0, 0, 0);
	ended(&w, 0, 2, 0);
	ORDERS("");
	PHASE("Succeeded");
	CHECK(!life_suspend(w.life, true, w.now, &why));
	CHECK_TEXT(why, "the run has ended");
	end(&w);

	/* the run is resumed while replicas are still stopping */
	begin(&w, &j);
	ORDERS("start a-0, start a-1, start a-2");
	CHECK(life_suspend(w.life, true, w.now, &why));
	ORDERS("term a-0, term a-1, term a-2");
	CHECK(life_suspend(w.life, false, w.now, &why));
	ended(&w, 0, 1, 143);
	ORDERS("start a-1");
	pass(&w, 10 * SECOND);
	ORDERS("kill a-0, kill a-2");
	ended(&w, 0, 0, 137);
	ended(&w, 0, 2, 137);
	ORDERS("start a-0, start a-2");
	PHASE("Running");
	end(&w);

	j.suspend = (struct plan_bool){ .value = true, .set = true };
	begin(&w, &j);
	ORDERS("");
	PHASE("Suspended");
	CHECK(life_suspend(w.life, false, w.now, &why));
	ORDERS("start a-0, start a-1, start a-2");
	end(&w);
}

/* A job that is suspended between two of its attempts forgets failures just as without the suspension. */
static void suspended_between(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 3) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all, .restarts = count(1) };
	struct world w;
	struct str why;

	begin(&w, &j);
	w.slow = true;
	ORDERS("start a-0, start a-1, start a-2");
	ended(&w, 0, 0, 0);
	ended(&w, 0, 1, 4);
	ORDERS("term a-2");
	CHECK(life_suspend(w.life, true, w.now, &why));
	ORDERS("");
	PHASE("Suspended");
	ended(&w, 0, 2, 143);
	CHECK(life_suspend(w.life, false, w.now, &why));
	ORDERS("start a-0, start a-1, start a-2");
	PHASE("Starting");
	CHECK(w.state.job_restarts == 1 && life_beginnings(w.life) == 2 && !w.state.failure.known);
	end(&w);
}

static void stop(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all, .restarts = count(3),
		.clean = word("none") };
	struct world w;
	struct str why;

	roles[0].retries = count(3);
	begin(&w, &j);
	ORDERS("start a-0, start a-1");
	CHECK(life_stop(w.life, false, &why));
	ORDERS("term a-0, term a-1");
	PHASE("Terminating");
	CHECK(life_stop(w.life, true, &why));
	ORDERS("kill a-0, kill a-1");
	ended(&w, 0, 0, 137);
	ended(&w, 0, 1, 137);
	ORDERS("");
	PHASE("Failed");
	CAUSE("stopped");
	CHECK(life_over(w.life) && !w.state.failure.known);
	CHECK(!life_stop(w.life, true, &why));
	end(&w);

	begin(&w, &j);
	ORDERS("start a-0, start a-1");
	CHECK(life_stop(w.life, true, &why));
	ORDERS("kill a-0, kill a-1");           /* without grace */
	end(&w);

	begin(&w, &j);
	CHECK(life_stop(w.life, false, &why));  /* the run is stopped before anything has started */
	ORDERS("");
	PHASE("Failed");
	end(&w);
}

/* ---- elastic roles ---- */

static void grow_and_shrink(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { elastic("a", 2, 4), role("b", 1) };
	struct plan_job j = { .roles = roles, .nroles = 2, .success = &all };
	struct life_size three = { .role = 0, .n = 3 };
	struct life_options o = { .sizes = &three, .nsizes = 1 };
	struct world w;
	struct str why;

	begin(&w, &j);
	/* an elastic role starts with its maximum */
	ORDERS("start a-0, start a-1, start a-2, start a-3, start b-0");
	end(&w);

	begin_sized(&w, &j, &o);
	ORDERS("start a-0, start a-1, start a-2, start b-0");
	PHASE("Running");
	CHECK(life_scale(w.life, STR("a"), 4, &why));
	ORDERS("start a-3");
	CHECK(life_scale(w.life, STR("a"), 2, &why));
	ORDERS("term a-2, term a-3");
	CHECK(w.state.roles[0].desired == 2);
	ended(&w, 0, 3, 1);                     /* a replica that was asked to stop has not failed */
	CHECK(life_scale(w.life, STR("a"), 4, &why));
	ORDERS("start a-3");                    /* a-2 is not started, because it is still stopping */
	ended(&w, 0, 2, 143);
	ORDERS("start a-2");
	CHECK(!life_scale(w.life, STR("a"), 5, &why));
	CHECK_TEXT(why, "role 'a' has 2 to 4 replicas, not 5");
	CHECK(!life_scale(w.life, STR("a"), 1, &why));
	CHECK(!life_scale(w.life, STR("b"), 2, &why));
	CHECK_TEXT(why, "role 'b' is not elastic: it has 1 replica");
	CHECK(!life_scale(w.life, STR("c"), 2, &why));
	CHECK_TEXT(why, "unknown role 'c'; the roles are 'a', 'b'");
	end(&w);
}

static void spare(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { elastic("a", 2, 4) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all };
	struct world w;
	struct str why;

	begin(&w, &j);
	ORDERS("start a-0, start a-1, start a-2, start a-3");
	ended(&w, 0, 1, 1);
	ended(&w, 0, 3, 1);
	ORDERS("");                             /* the job continues while the minimum of replicas runs */
	PHASE("Running");
	ended(&w, 0, 0, 0);
	ORDERS("");
	ended(&w, 0, 2, 0);
	ORDERS("");
	PHASE("Succeeded");
	end(&w);

	begin(&w, &j);
	ORDERS("start a-0, start a-1, start a-2, start a-3");
	ended(&w, 0, 1, 1);
	pass(&w, SECOND);
	ended(&w, 0, 3, 1);
	ORDERS("");
	pass(&w, SECOND);
	ended(&w, 0, 2, 1);
	ORDERS("term a-0");                     /* fewer replicas than the minimum are left */
	CAUSE("a-1 failed: exit code 1");
	end(&w);

	begin(&w, &j);
	CHECK(life_scale(w.life, STR("a"), 3, &why));
	ORDERS("start a-0, start a-1, start a-2");
	ended(&w, 0, 0, 1);
	ORDERS("");
	ended(&w, 0, 1, 1);
	ORDERS("term a-2");                     /* a smaller size also tolerates fewer failures */
	end(&w);

	/* the job does not end while a replica is between two attempts */
	roles[0].retries = count(1);
	begin(&w, &j);
	ORDERS("start a-0, start a-1, start a-2, start a-3");
	for (int64_t i = 0; i < 3; i++)
		ended(&w, 0, i, 0);
	ended(&w, 0, 3, 1);
	ORDERS("");
	PHASE("Degraded");
	pass(&w, 10 * SECOND);
	ORDERS("start a-3");
	ended(&w, 0, 3, 0);
	ORDERS("");
	PHASE("Succeeded");
	end(&w);
}

/* ---- which replica is blamed for a failure ---- */

/* The conditions of a job depend on the roles that decide its end. A role whose failures do not count ends nothing. */
static void deciding(void)
{
	struct plan_condition all = done(0), first = started(0), after = ready(1);
	struct plan_role roles[] = { role("a", 1), role("b", 2) };
	struct plan_job j = { .roles = roles, .nroles = 2, .success = &all, .running = &first };
	struct world w;

	roles[0].start_after = &after;
	roles[1].on_failed_pod = word("ignore");
	begin(&w, &j);
	w.slow = true;
	ORDERS("start b-0, start b-1");
	CHECK(!w.state.running && !w.state.ran);
	pass(&w, SECOND);
	life_ready(w.life, 1, 0);
	life_ready(w.life, 1, 1);
	ORDERS("start a-0");
	CHECK(w.state.running && w.state.ran == w.now && !w.state.restarting);
	PHASE("Starting");
	life_ready(w.life, 0, 0);
	ended(&w, 1, 0, 1);
	ended(&w, 1, 1, 1);
	ORDERS("");
	CHECK(w.state.running);
	ended(&w, 0, 0, 0);
	ORDERS("");
	PHASE("Succeeded");
	end(&w);
}

static void blame(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 4), role("aux", 1) };
	struct plan_job j = { .roles = roles, .nroles = 2, .success = &all };
	struct world w;

	roles[1].aux = true;
	begin(&w, &j);
	obey(&w);
	ended(&w, 1, 0, 1);                     /* this replica failed earlier, but its role does not count */
	pass(&w, SECOND);
	ended(&w, 0, 3, 134);
	ended(&w, 0, 2, 5);
	ended(&w, 0, 1, 5);
	obey(&w);
	/* for failures at the same time, exit codes come before signals, then the lowest rank decides */
	CHECK(w.state.failure.index == 1);
	ended(&w, 0, 0, 9);                     /* a replica that was asked to stop is never blamed */
	obey(&w);
	CHECK(w.state.failure.index == 1 && life_over(w.life));
	end(&w);

	begin(&w, &j);
	obey(&w);
	struct life_end early = { .time = w.now, .exit_code = 139, .signal = 11 },
		late = { .time = w.now + 1, .exit_code = 1 };
	life_ended(w.life, 0, 0, &late);
	life_ended(w.life, 0, 3, &early);
	obey(&w);
	/* the earliest failure is blamed, even if it is a signal */
	CHECK(w.state.failure.index == 3 && w.state.failure.signal == 11);
	CHECK_TEXT(w.state.failure.reason, "killed by SEGV");
	end(&w);

	/* a rank runs out of memory and is killed, and its peers fail within the same millisecond */
	begin(&w, &j);
	obey(&w);
	struct life_end echo = { .time = w.now, .exit_code = 1 },
		killed = { .time = w.now + 1000, .exit_code = 137, .signal = 9 };
	life_ended(w.life, 0, 0, &echo);
	life_ended(w.life, 0, 1, &echo);
	life_ended(w.life, 0, 3, &killed);
	obey(&w);
	CHECK(w.state.failure.index == 3 && w.state.failure.signal == 9);
	end(&w);

	/* ranks that failed at exactly the same time are reported together */
	begin(&w, &j);
	obey(&w);
	life_ended(w.life, 0, 2, &echo);
	life_ended(w.life, 0, 1, &echo);
	obey(&w);
	CHECK(w.state.failure.index == 1);
	CHECK_TEXT(w.state.failure.reason, "exit code 1 (at the same moment: a-2)");
	end(&w);

	/* the replica that may retry failed first; the final failure of the other is only a consequence */
	struct plan_condition both_done = done(0);
	struct plan_role two[] = { role("a", 1), role("b", 1) };
	struct plan_job k = { .roles = two, .nroles = 2, .success = &both_done };
	two[0].retries = count(3);
	begin(&w, &k);
	obey(&w);
	ended(&w, 0, 0, 1);
	obey(&w);
	pass(&w, 100 * MS);
	ended(&w, 1, 0, 1);
	obey(&w);
	CHECK(str_is(w.state.failure.role, "a"));
	end(&w);

	/* a failure that has no effect on the job is not a cause either */
	two[0].retries = count(0);
	two[0].on_failed_pod = word("ignore");
	both_done = done(1);
	begin(&w, &k);
	obey(&w);
	ended(&w, 0, 0, 3);
	obey(&w);
	pass(&w, SECOND);
	ended(&w, 1, 0, 1);
	obey(&w);
	CAUSE("b-0 failed: exit code 1");
	end(&w);
}

static void refused(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2), role("board", 1) };
	struct plan_job j = { .roles = roles, .nroles = 2, .success = &all, .restarts = count(2) };
	struct world w;

	roles[0].retries = count(2);
	roles[1].aux = true;
	begin(&w, &j);
	ORDERS("start a-0, start a-1, start board-0");
	life_refused(w.life, 0, 1, STR("command not found: 'x'"), w.now);
	ORDERS("term a-0, term board-0");       /* a further attempt would not help */
	PHASE("Failing");
	CAUSE("a-1 cannot be started: command not found: 'x'");
	CHECK(w.state.failure.known && w.state.failure.index == 1 && w.state.failure.exit_code == -1);
	end(&w);

	begin(&w, &j);
	ORDERS("start a-0, start a-1, start board-0");
	life_refused(w.life, 1, 0, STR("command not found: 'x'"), w.now);
	/* an aux role that cannot be started fails the job: this is an error in the program */
	ORDERS("term a-0, term a-1");
	end(&w);
}

/* If a port was taken, the job restarts, and the restart is not counted. */
static void anew(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all };
	struct world w;
	struct life_action a;

	roles[0].retries = count(1);
	begin(&w, &j);
	CHECK(life_next(w.life, w.now, &a) && a.index == 0);
	life_started(w.life, 0, 0);
	CHECK(life_next(w.life, w.now, &a) && a.index == 1);
	life_begin_anew(w.life, 0, 1, STR("port 4711 is taken"));
	ORDERS("term a-0");
	PHASE("Degraded");
	ended(&w, 0, 0, 143);
	ORDERS("start a-0, start a-1");
	CHECK(w.state.job_restarts == 0 && life_beginnings(w.life) == 2);
	end(&w);
}

/* A thousand replicas end one after the other: for each of them, only a bounded number of replicas is examined. */
static void many(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 1000) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all };
	struct world w;

	begin(&w, &j);
	obey(&w);
	for (int64_t i = 0; i < 1000; i++) {
		ended(&w, 0, i, 0);
		obey(&w);
	}
	CHECK(life_over(w.life) && w.state.phase == RUN_SUCCEEDED);
	CHECK(w.arena.total < 4 << 20);
	end(&w);
}

/* What the failure of a replica does to the job, for each value of on_failed_pod. */
static void on_failed_pod(void)
{
	static const struct {
		const char *word;
		int64_t retries;
		const char *orders, *phase, *cause;
	} rows[] = {
		{ "", 1, "", "Degraded", "a-0 restarts soon: exit code 1" },
		{ "fail", 1, "term a-1", "Failing", "a-0 failed: exit code 1" },
		{ "restart", 1, "", "Degraded", "a-0 restarts soon: exit code 1" },
		{ "restart", 0, "", "Degraded",
			"a-0 has failed and waits for a manual restart: exit code 1" },
		{ "replace", 1, "", "Running", "" },
		{ "replace", 0, "term a-1", "Failing", "a-0 failed: exit code 1" },
		{ "ignore", 0, "", "Running", "" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct plan_condition all = done(0),
			any = { .kind = CONDITION_STARTED, .role = 0, .index = CONDITION_ANY };
		struct plan_role roles[] = { role("a", 2) };
		struct plan_job j = { .roles = roles, .nroles = 1, .success = &all };
		struct world w;

		roles[0].on_failed_pod = word(rows[i].word);
		roles[0].retries = count(rows[i].retries);
		j.running = str_is(str_of(rows[i].word), "replace") ? &any : NULL;
		begin(&w, &j);
		ORDERS("start a-0, start a-1");
		ended(&w, 0, 0, 1);
		ORDERS(rows[i].orders);
		PHASE(rows[i].phase);
		CAUSE(rows[i].cause);
		end(&w);
	}
}

/* The limit in a framework's arguments counts every new attempt, including restarts in place. */
static void backoff_limit(void)
{
	struct data limit = { .kind = DATA_INT, .u.integer = 2 };
	struct data_member member = { .key = STR("backoff_limit"), .value = &limit };
	struct data arguments = { .kind = DATA_MAP, .u.map = { &member, 1 } };
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all, .arguments = &arguments };
	struct world w;

	roles[0].restart = word("on-failure");
	begin(&w, &j);
	ORDERS("start a-0, start a-1");
	ended(&w, 0, 0, 1);
	ORDERS("");
	pass(&w, 11 * SECOND);
	ORDERS("again a-0");
	ended(&w, 0, 1, 1);
	ORDERS("term a-0");
	PHASE("Failing");
	CAUSE("its back-off limit is reached: replicas restarted 2 times");
	end(&w);
}

/* A user restarts a replica that runs, one that waits for its next attempt, and one that has failed for good. */
static void restart_one(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 3) };
	struct plan_job j = { .roles = roles, .nroles = 1, .success = &all };
	struct world w;
	struct str why = STR("");

	roles[0].on_failed_pod = word("restart");
	roles[0].retries = count(1);
	begin(&w, &j);
	ORDERS("start a-0, start a-1, start a-2");
	CHECK(life_restart(w.life, STR("a"), 1, false, &why));
	ORDERS("term a-1");
	ended(&w, 0, 1, 143);
	ORDERS("start a-1");
	ended(&w, 0, 0, 1);
	ORDERS("");
	CHECK(life_restart(w.life, STR("a"), 0, false, &why));
	ORDERS("start a-0");            /* starts without a pause; earlier attempts still count */
	ended(&w, 0, 0, 1);
	ORDERS("");
	pass(&w, 3600 * SECOND);
	ORDERS("start a-0");
	ended(&w, 0, 0, 1);
	ORDERS("");
	PHASE("Degraded");
	CHECK(at(&w, 0, 0)->state == REPLICA_FAILED && life_restart(w.life, STR("a"), 0, false, &why));
	ORDERS("start a-0");
	pass(&w, 61 * SECOND);
	ORDERS("");
	PHASE("Running");
	CHECK(!life_restart(w.life, STR("a"), 3, false, &why));
	CHECK_TEXT(why, "role 'a' has replicas 0 to 2, not 3");
	CHECK(!life_restart(w.life, STR("b"), 0, false, &why));
	CHECK_TEXT(why, "no role 'b'; the roles are 'a'");
	for (int64_t i = 0; i < 3; i++)
		ended(&w, 0, i, 0);
	ORDERS("");
	PHASE("Succeeded");
	CHECK(!life_restart(w.life, STR("a"), 0, false, &why));
	CHECK_TEXT(why, "the run has ended");
	end(&w);
}

int main(void)
{
	restart_one();
	on_failed_pod();
	backoff_limit();
	success();
	at_once();
	failure();
	grace();
	start_after();
	waiting();
	dead_end();
	retries();
	back_off();
	retry_on();
	restart();
	endless();
	no_rule();
	one_replica();
	clean();
	timeout();
	restarts();
	suspend();
	suspended_between();
	stop();
	grow_and_shrink();
	spare();
	deciding();
	blame();
	refused();
	anew();
	many();
	return unit_end();
}
