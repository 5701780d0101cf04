/*
 * decide_test.c - what a controller does about one job, pass by pass, with plans built here.  Cases
 * that are data are in operator_test.c.
 *
 * The requested actions are compared as text: "create Pod j-a-0, delete Pod j-a-2".
 */
#include "unit.h"

#include "world.h"

/* ---- plans ---- */

static struct plan_role role(const char *name, int64_t n)
{
	static char objects[8][32];
	static unsigned used;
	char *object = objects[used++ % 8];

	snprintf(object, sizeof(objects[0]), "j-%s", name);
	return (struct plan_role){ .name = str_of(name), .label = str_of(name), .object = str_of(object), .min = n,
		.max = n, .main.name = STR("main") };
}

static struct plan_str word(const char *w) { return (struct plan_str){ .value = str_of(w), .set = true }; }
static struct plan_int count(int64_t n) { return (struct plan_int){ .value = n, .set = true }; }
static struct plan_quantity seconds(int64_t n)
{
	return (struct plan_quantity){ .value = { .nano = (int128)n * SECOND }, .set = true };
}
static struct plan_condition done(unsigned r)
{
	return (struct plan_condition){ .kind = CONDITION_DONE, .role = r, .index = CONDITION_ALL };
}
static struct plan_condition ready(unsigned r)
{
	return (struct plan_condition){ .kind = CONDITION_READY, .role = r, .index = CONDITION_ALL };
}

static struct plan_job job(struct plan_role *roles, size_t n, const struct plan_condition *success)
{
	return (struct plan_job){ .name = STR("j"), .roles = roles, .nroles = n, .success = success,
		.workload = WORKLOAD_POD, .clean = word("running") };
}

/* ---- requested actions ---- */

static struct str orders(struct world *w)
{
	static const char *const words[] = { [DECIDE_CREATE] = "create", [DECIDE_ADOPT] = "adopt",
		[DECIDE_DELETE] = "delete" };
	struct buf b = { 0 };

	world_pass(w);
	for (size_t i = 0; i < w->last.nactions; i++) {
		const struct decide_action *a = &w->last.actions[i];
		buf_printf(&b, "%s%s %.*s %.*s", i ? ", " : "", words[a->what], STR_ARG(a->kind), STR_ARG(a->name));
	}
	struct str text = buf_take(&b, &w->arena);
	buf_release(&b);
	return text;
}

/* Formats the conditions in their order: "+Created -Running". */
static struct str conditions(struct world *w)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < w->record.conditions.n; i++)
		buf_printf(&b, "%s%c%s", i ? " " : "", w->record.conditions.at[i].holds ? '+' : '-',
			condition_word(w->record.conditions.at[i].type));
	struct str text = buf_take(&b, &w->arena);
	buf_release(&b);
	return text;
}

static struct str message(const struct world *w) { return w->record.conditions.at[w->record.conditions.n - 1].message; }

#define ORDERS(want) CHECK_TEXT(orders(&w), want)
#define CONDITIONS(want) CHECK_TEXT(conditions(&w), want)
#define MESSAGE(want) CHECK_TEXT(message(&w), want)
#define AGAIN_IN(n) CHECK(w.last.again == w.now + (n) * SECOND)

static void start(struct world *w, const struct plan_job *j)
{
	world_begin(w, j, STR("Job"));
	world_pass(w);
	world_run_all(w);
	world_pass(w);
}

static void ends(struct world *w, int r, int64_t i, int exit_code) { thing_ends(w, world_replica(w, r, i), exit_code); }

/* ---- tests ---- */

static void simple_life(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = job(roles, 1, &all);
	struct world w;

	j.hosts = HOSTS_NAME;
	world_begin(&w, &j, STR("Job"));
	ORDERS("create Service j-a-0, create Service j-a-1, create Pod j-a-0, create Pod j-a-1");
	CONDITIONS("+Created");
	CHECK(w.record.begin == w.now && w.last.again == RULES_NEVER);
	world_run_all(&w);
	ORDERS("");
	CONDITIONS("+Created +Running");
	CHECK(w.last.roles[0].active == 2);
	ends(&w, 0, 1, 0);
	ORDERS("");
	CHECK(w.last.roles[0].active == 1 && w.last.roles[0].succeeded == 1);
	world_remove(&w, world_replica(&w, 0, 1));      /* somebody deletes a pod that has already succeeded */
	ORDERS("");
	w.now += SECOND;
	ends(&w, 0, 0, 0);
	/* replicas that have ended are kept, with their Services; a-1 has no pod anymore */
	ORDERS("delete Service j-a-1");
	CONDITIONS("+Created -Running +Succeeded");
	MESSAGE("Job j successfully completed.");
	CHECK(w.record.end == w.now);
	ORDERS("");
	world_end(&w);
}

static void attempts(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = job(roles, 1, &all);
	struct world w;

	roles[0].retries = count(2);
	start(&w, &j);
	ends(&w, 0, 1, 139);
	ORDERS("delete Pod j-a-1");
	CONDITIONS("+Created +Restarting");
	MESSAGE("Job j is restarting because a-1 failed: killed by SEGV");
	ORDERS("");
	AGAIN_IN(10);
	w.now += 10 * SECOND;
	ORDERS("create Pod j-a-1");
	world_run_all(&w);
	ORDERS("");
	CONDITIONS("+Created +Running");
	ends(&w, 0, 1, 1);
	ORDERS("delete Pod j-a-1");
	ORDERS("");
	AGAIN_IN(20);                                   /* the wait doubles after a second failure in a row */
	w.now += 20 * SECOND;
	ORDERS("create Pod j-a-1");
	world_run_all(&w);
	ends(&w, 0, 1, 7);
	/* that was the last attempt: the job fails, and running pods are deleted */
	ORDERS("delete Pod j-a-0");
	CONDITIONS("+Created -Running +Failed");
	MESSAGE("Job j has failed because a-1 failed: exit code 7");
	CHECK(decide_spent(&j, &w.record) == 2);
	world_end(&w);
}

/* If a request to delete is lost, it is sent again, and the failure counts only once. */
static void lost_orders(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 1) };
	struct plan_job j = job(roles, 1, &all);
	struct world w;

	roles[0].retries = count(1);
	start(&w, &j);
	ends(&w, 0, 0, 3);
	for (int i = 0; i < 3; i++) {
		w.last = world_decide(&w);
		world_remember(&w);
		CHECK(w.last.nactions == 1 && w.last.actions[0].what == DECIDE_DELETE);
	}
	CHECK(w.record.roles[0].at[0].failures == 1 && w.record.spent == 1);
	world_replica(&w, 0, 0)->deleting = true;       /* the deletion is in progress, so the controller waits */
	w.now += 60 * SECOND;
	ORDERS("");
	world_remove(&w, world_replica(&w, 0, 0));
	ORDERS("create Pod j-a-0");
	world_end(&w);
}

static void disruptions(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 1) };
	struct plan_job j = job(roles, 1, &all);
	struct world w;

	start(&w, &j);
	world_replica(&w, 0, 0)->disrupted = true;
	ends(&w, 0, 0, 1);
	ORDERS("delete Pod j-a-0");
	MESSAGE("Job j is restarting because a-0 failed: its node was taken from it");
	ORDERS("create Pod j-a-0");                     /* re-created at once, and the failure is not counted */
	CHECK(w.record.spent == 0 && w.record.roles[0].at[0].failures == 0);
	world_run_all(&w);
	world_remove(&w, world_replica(&w, 0, 0));      /* the pod disappears without a status */
	ORDERS("create Pod j-a-0");
	world_end(&w);
}

static void begins_anew(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = job(roles, 1, &all);
	struct world w;

	j.restarts = count(1);
	start(&w, &j);
	int64_t begin = w.record.begin;
	ends(&w, 0, 0, 1);
	ORDERS("delete Pod j-a-0, delete Pod j-a-1");
	CONDITIONS("+Created +Restarting");
	MESSAGE("Job j restarts because a-0 failed: exit code 1");
	ORDERS("");
	AGAIN_IN(10);
	w.now += 10 * SECOND;
	ORDERS("create Pod j-a-0, create Pod j-a-1");
	CHECK(w.record.begin == begin);                 /* the deadline still counts from the first start */
	world_run_all(&w);
	ORDERS("");
	ends(&w, 0, 1, 1);
	ORDERS("delete Pod j-a-0");
	CONDITIONS("+Created -Running +Failed");
	world_end(&w);
}

static void in_turn(void)
{
	struct plan_condition all = done(1), served = ready(0);
	struct plan_role roles[] = { role("ps", 1), role("worker", 1) };
	struct plan_job j = job(roles, 2, &all);
	struct world w;

	roles[0].endless = true;
	roles[1].start_after = &served;
	world_begin(&w, &j, STR("Job"));
	ORDERS("create Pod j-ps-0");
	world_replica(&w, 0, 0)->phase = SEEN_RUNNING;
	ORDERS("");
	world_replica(&w, 0, 0)->ready = true;
	ORDERS("create Pod j-worker-0");
	world_replica(&w, 0, 0)->ready = false;         /* the condition was met once, so it stays met */
	world_remove(&w, world_replica(&w, 1, 0));
	ORDERS("create Pod j-worker-0");
	world_run_all(&w);
	ends(&w, 1, 0, 0);
	ORDERS("delete Pod j-ps-0");
	world_end(&w);
}

static void owners(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = job(roles, 1, &all);
	struct world w;

	world_begin(&w, &j, STR("Job"));
	world_pod(&w, 0, 1, SEEN_RUNNING)->owner = OWNER_OTHER;
	ORDERS("");
	CHECK(w.last.conflict && str_is(w.last.conflict->name, "j-a-1"));
	AGAIN_IN(10);
	ends(&w, 0, 1, 0);
	ORDERS("");                                     /* the success of somebody else's pod does not count either */
	CHECK(w.last.roles[0].succeeded == 0 && !w.record.roles[0].at[1].succeeded);
	world_replica(&w, 0, 1)->phase = SEEN_RUNNING;
	world_replica(&w, 0, 1)->owner = OWNER_NONE;
	ORDERS("create Pod j-a-0, adopt Pod j-a-1");
	/* another owner's pod with an index that the role does not need */
	world_pod(&w, 0, 5, SEEN_RUNNING)->owner = OWNER_OTHER;
	world_pod(&w, 0, 6, SEEN_RUNNING)->owner = OWNER_NONE;
	world_pod(&w, 0, 7, SEEN_RUNNING);
	ORDERS("delete Pod j-a-7");
	world_run_all(&w);
	ends(&w, 0, 0, 0);
	ends(&w, 0, 1, 0);
	j.clean = word("all");
	ORDERS("delete Pod j-a-0, delete Pod j-a-1");
	CHECK(world_count(&w, false) == 2);
	world_end(&w);
}

static void elastic(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 4) };
	struct plan_job j = job(roles, 1, &all);
	int64_t sizes[] = { 2 };
	struct world w;

	roles[0].elastic = true;
	roles[0].min = 1;
	world_begin(&w, &j, STR("Job"));
	w.job.sizes = sizes;
	ORDERS("create Pod j-a-0, create Pod j-a-1");
	sizes[0] = 3;
	ORDERS("create Pod j-a-2");
	sizes[0] = 400;                                 /* the size is limited to the maximum of the role */
	ORDERS("create Pod j-a-3");
	sizes[0] = 3;
	ORDERS("delete Pod j-a-3");
	world_run_all(&w);
	ends(&w, 0, 1, 1);
	ORDERS("");                                     /* the job continues with the remaining replicas */
	CONDITIONS("+Created +Running");
	sizes[0] = 1;
	ORDERS("delete Pod j-a-1, delete Pod j-a-2");
	ends(&w, 0, 0, 0);
	ORDERS("");
	CONDITIONS("+Created -Running +Succeeded");
	world_end(&w);
}

/*
 * If a replica fails while a scale-down deletes it, no failure is counted, and the replica is re-created when the
 * size grows.
 */
static void sent_away(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = job(roles, 1, &all);
	int64_t sizes[] = { 2 };
	struct world w;

	roles[0].elastic = true;
	roles[0].min = 1;
	world_begin(&w, &j, STR("Job"));
	w.job.sizes = sizes;
	ORDERS("create Pod j-a-0, create Pod j-a-1");
	world_run_all(&w);
	ORDERS("");
	struct thing leaving = *world_replica(&w, 0, 1);
	sizes[0] = 1;
	ORDERS("delete Pod j-a-1");
	leaving.deleting = true;
	thing_ends(&w, &leaving, 143);
	*world_pod(&w, 0, 1, SEEN_FAILED) = leaving;
	ORDERS("");
	CHECK(!w.record.roles[0].at[1].failed && w.record.spent == 0);
	world_remove(&w, world_replica(&w, 0, 1));
	sizes[0] = 2;
	ORDERS("create Pod j-a-1");
	world_end(&w);
}

/* A pod that a framework adds next to the replicas is not counted as a replica; it only has to exist. */
static void pod_beside(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 1) };
	struct plan_job j = job(roles, 1, &all);
	struct data name = { .kind = DATA_STRING, .u.string = STR("j-helper") },
		kind = { .kind = DATA_STRING, .u.string = STR("Pod") };
	struct data_member named[] = { { .key = STR("name"), .value = &name } };
	struct data metadata = { .kind = DATA_MAP, .u.map = { named, 1 } };
	struct data_member members[] = { { .key = STR("kind"), .value = &kind },
		{ .key = STR("metadata"), .value = &metadata } };
	const struct data pod = { .kind = DATA_MAP, .u.map = { members, 2 } };
	struct plan_object objects[] = { { .data = &pod, .framework = true } };
	struct world w;

	j.objects = objects;
	j.nobjects = 1;
	world_begin(&w, &j, STR("Job"));
	ORDERS("create Pod j-helper, create Pod j-a-0");
	world_find(&w, STR("Pod"), STR("j-helper"))->phase = SEEN_FAILED;
	ORDERS("");
	world_end(&w);
}

static void time_limits(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = job(roles, 1, &all);
	struct world w;

	j.timeout = seconds(60);
	j.ttl = seconds(5);
	j.clean = word("none");
	start(&w, &j);
	AGAIN_IN(60);
	w.now += 59 * SECOND;
	ends(&w, 0, 0, 0);
	ORDERS("");
	AGAIN_IN(1);
	w.now += SECOND;
	/* running pods are deleted, even if the cleanup policy keeps all pods */
	ORDERS("delete Pod j-a-1");
	MESSAGE("Job j has failed because it was active longer than its deadline");
	AGAIN_IN(5);
	w.now += 5 * SECOND;
	ORDERS("");
	CHECK(w.last.remove);
	world_end(&w);
	start(&w, &j);
	ends(&w, 0, 0, 0);
	ends(&w, 0, 1, 0);
	/* the deadline has passed, but the job had ended before, unnoticed */
	w.now += 61 * SECOND;
	ORDERS("");
	CONDITIONS("+Created -Running +Succeeded");
	world_end(&w);
}

static void suspended(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = job(roles, 1, &all);
	struct world w;

	j.timeout = seconds(100);
	roles[0].restart = word("on-failure");
	start(&w, &j);
	int64_t begin = w.record.begin;
	world_replica(&w, 0, 0)->restarts = 4;
	w.now += 90 * SECOND;
	j.suspend = (struct plan_bool){ .value = true, .set = true };
	ORDERS("delete Pod j-a-0, delete Pod j-a-1");
	CONDITIONS("+Created -Running +Suspended");
	CHECK(w.record.begin == begin && w.last.again == RULES_NEVER && w.last.roles[0].active == 0);
	world_pod(&w, 0, 0, SEEN_RUNNING);              /* a pod that appears late is deleted too */
	ORDERS("delete Pod j-a-0");
	w.now += 500 * SECOND;
	world_pod(&w, 0, 1, SEEN_RUNNING)->deleting = true;
	ORDERS("");
	j.suspend.value = false;
	ORDERS("create Pod j-a-0");                     /* the old pod of the other replica still exists */
	CONDITIONS("+Created -Running -Suspended");
	CHECK(w.record.begin == w.now && decide_spent(&j, &w.record) == 0);
	AGAIN_IN(100);
	world_remove(&w, world_replica(&w, 0, 1));
	ORDERS("create Pod j-a-1");
	world_run_all(&w);
	ORDERS("");
	CONDITIONS("+Created -Suspended +Running");
	ends(&w, 0, 0, 0);
	ORDERS("");
	j.suspend.value = true;
	ORDERS("delete Pod j-a-0, delete Pod j-a-1");
	j.suspend.value = false;
	ORDERS("create Pod j-a-1");                     /* a replica that has ended is not started again */
	world_run_all(&w);
	ORDERS("");
	ends(&w, 0, 1, 0);
	ORDERS("");
	j.suspend.value = true;
	ORDERS("");                                     /* too late */
	CONDITIONS("+Created -Suspended -Running +Succeeded");
	world_end(&w);
}

static struct data limit_of(struct data_member *member, struct data *value, int64_t n)
{
	*value = (struct data){ .kind = DATA_INT, .u.integer = n };
	*member = (struct data_member){ .key = STR("backoff_limit"), .value = value };
	return (struct data){ .kind = DATA_MAP, .u.map = { member, 1 } };
}

static void back_off(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = job(roles, 1, &all);
	struct data_member member;
	struct data value, arguments = limit_of(&member, &value, 3);
	struct world w;

	j.arguments = &arguments;
	roles[0].restart = word("on-failure");
	start(&w, &j);
	world_replica(&w, 0, 0)->restarts = 1;
	ORDERS("");
	world_replica(&w, 0, 0)->restarts = 0;          /* a status without the states of the containers */
	ORDERS("");
	world_replica(&w, 0, 0)->disrupted = true;
	ends(&w, 0, 0, 1);
	world_pass(&w);
	world_pass(&w);
	world_run_all(&w);
	CHECK(decide_spent(&j, &w.record) == 1);        /* a restart of a pod that no longer exists stays counted */
	world_replica(&w, 0, 0)->restarts = 1;
	ORDERS("");
	CONDITIONS("+Created +Running");
	world_replica(&w, 0, 1)->restarts = 1;
	ORDERS("delete Pod j-a-0, delete Pod j-a-1");
	MESSAGE("Job j has failed because it reached its back-off limit");
	world_end(&w);
}

static void fails(struct plan_job *j, const char *effect, int exit_code, const char *want_orders,
	const char *want_conditions)
{
	struct world w;

	j->roles[0].on_failed_pod = word(effect);
	start(&w, j);
	ends(&w, 0, 1, exit_code);
	ORDERS(want_orders);
	CONDITIONS(want_conditions);
	ORDERS("");
	CONDITIONS(want_conditions);
	world_end(&w);
}

static void effects(void)
{
	struct plan_condition all = done(0), begun = { .kind = CONDITION_STARTED, .role = 0, .index = CONDITION_ANY };
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = job(roles, 1, &all);

	j.running = &begun;
	roles[0].retries = count(9);
	plan_codes_add(&roles[0].retry_on, 128, 255);
	fails(&j, "fail", 137, "delete Pod j-a-0", "+Created -Running +Failed");
	/* the controller does nothing more: the job waits for a user */
	fails(&j, "restart", 1, "", "+Created +Restarting");
	fails(&j, "replace", 137, "delete Pod j-a-1", "+Created +Running");
	fails(&j, "replace", 1, "delete Pod j-a-0", "+Created -Running +Failed");
	fails(&j, "ignore", 1, "", "+Created +Running");
}

static void unreachable(void)
{
	struct plan_condition first = { .kind = CONDITION_DONE, .role = 1, .index = CONDITION_ALL };
	struct plan_role roles[] = { role("a", 1), role("helper", 1) };
	struct plan_job j = job(roles, 2, &first);
	struct world w;

	roles[1].aux = true;
	start(&w, &j);
	ends(&w, 1, 0, 1);                              /* a failure of an aux role alone does not fail the job */
	ORDERS("");
	CONDITIONS("+Created +Running");
	ends(&w, 0, 0, 0);
	ORDERS("");
	MESSAGE("Job j has failed because nothing runs any more, and done(helper) does not hold");
	world_end(&w);
}

static void deployments(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 1), role("board", 2) };
	struct plan_job j = job(roles, 2, &all);
	struct world w;

	roles[1].aux = true;
	roles[1].restart = word("always");
	j.hosts = HOSTS_NAME;
	world_begin(&w, &j, STR("Job"));
	ORDERS("create Service j-a-0, create Pod j-a-0, create Deployment j-board");
	ORDERS("");
	world_run_all(&w);
	ends(&w, 0, 0, 0);
	ORDERS("delete Deployment j-board");
	world_end(&w);
}

/*
 * A role that waits for all replicas of a Deployment waits for the number of ready replicas in the Deployment's
 * status.
 */
static void deployments_in_turn(void)
{
	struct plan_condition all = done(1), served = ready(0);
	struct plan_role roles[] = { role("board", 3), role("a", 1) };
	struct plan_job j = job(roles, 2, &all);
	struct world w;

	roles[0].aux = true;
	roles[0].restart = word("always");
	roles[1].start_after = &served;
	world_begin(&w, &j, STR("Job"));
	ORDERS("create Deployment j-board");
	world_replica(&w, 0, 0)->ready = 2;
	ORDERS("");
	CHECK(w.last.roles[0].active == 2);
	world_replica(&w, 0, 0)->ready = 3;
	ORDERS("create Pod j-a-0");
	CHECK(w.last.roles[0].active == 3);
	world_end(&w);
}

/* If the size of a role changes, what is known about its replicas is kept. */
static void resized(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = job(roles, 1, &all);
	struct world w;

	start(&w, &j);
	ends(&w, 0, 0, 0);
	ORDERS("");
	roles[0].min = roles[0].max = 3;
	ORDERS("create Pod j-a-2");
	roles[0].min = roles[0].max = 1;
	ORDERS("delete Pod j-a-1, delete Pod j-a-2");
	CONDITIONS("+Created -Running +Succeeded");
	world_end(&w);
}

/* Names that only resemble those of replicas. */
static void names(void)
{
	static const char *const others[] = { "j-a-01", "j-a-", "j-a", "j-a-1x", "j-a-1000000", "j-ab-0",
		"j-a-99999999999999999999", "k-a-0" };
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 1) };
	struct plan_job j = job(roles, 1, &all);
	struct world w;

	world_begin(&w, &j, STR("Job"));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		world_add(&w, STR("Pod"), str_of(others[i]), 0, 0);
	CHECK(world_see(&w).n == 0);
	world_add(&w, STR("Pod"), STR("j-a-999999"), 0, 0);
	CHECK(world_see(&w).n == 1);
	ORDERS("create Pod j-a-0, delete Pod j-a-999999");
	world_end(&w);
}

/* Returns the owner of a pod with these labels, and with MORE in its metadata. */
static enum seen_owner owner(struct world *w, const char *labels, const char *more)
{
	struct seen_list seen = see_text(w, str_printf(&w->arena,
		"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"j-a-1\",\"labels\":{%s}%s}}", labels, more));

	return seen.n == 1 ? seen.at[0].owner : OWNER_OTHER;
}

static void labels(void)
{
	static const struct piece run[] = { { .kind = PIECE_TEXT, .u.text = { "fine", 4 } } },
		rank[] = { { .kind = PIECE_INDEX } };
	static const struct text texts[] = { { rank, 1, { 0 } }, { rank, 1, { 0 } } };
	struct plan_replica_label own[] = {
		{ .key = STR("example.com/run"), .text = { run, 1, { 0 } }, .selects = true },
		{ .key = STR("example.com/rank"), .per_replica = texts, .selects = true },
		{ .key = STR("example.com/extra"), .text = { run, 1, { 0 } } },
	};
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 2) };
	struct plan_job j = job(roles, 1, &all);
	struct world w;

	roles[0].replica = (struct plan_replica){ .set = true, .labels = own, .nlabels = 3 };
	world_begin(&w, &j, STR("Job"));
	const char *ours = "\"trainc.dev/job\":\"j\",\"example.com/run\":\"fine\",\"example.com/rank\":\"1\"";
	CHECK(owner(&w, ours, "") == OWNER_NONE);
	CHECK(owner(&w, "\"example.com/run\":\"fine\",\"example.com/rank\":\"1\"", "") == OWNER_OTHER);
	CHECK(owner(&w, "\"trainc.dev/job\":\"j\",\"example.com/run\":\"fine\",\"example.com/rank\":\"0\"",
		"") == OWNER_OTHER);
	CHECK(owner(&w, ours, ",\"ownerReferences\":[{\"uid\":\"x\",\"controller\":true}]") == OWNER_OTHER);
	CHECK(owner(&w, ours, ",\"ownerReferences\":[{\"uid\":\"x\"}]") == OWNER_NONE);
	CHECK(owner(&w, "", ",\"ownerReferences\":[{\"uid\":\"x\"},{\"uid\":\"" WORLD_UID
		"\",\"controller\":true}]") == OWNER_THIS);
	w.job.uid = STR("");                            /* without a uid no object owns the job, so only labels count */
	CHECK(owner(&w, ours, "") == OWNER_THIS);
	CHECK(owner(&w, ours, ",\"ownerReferences\":[{\"uid\":\"\",\"controller\":true}]") == OWNER_OTHER);
	j.ns = word("here");
	CHECK(owner(&w, ours, ",\"namespace\":\"here\"") == OWNER_THIS);
	CHECK(owner(&w, ours, ",\"namespace\":\"there\"") == OWNER_OTHER);
	struct plan_pairs selector = decide_selector(&w.arena, &j);
	CHECK(selector.n == 1 && str_is(selector.at[0].key, "example.com/run") && str_is(selector.at[0].value, "fine"));
	world_end(&w);
}

/* Objects can have any shape: a member of an unexpected type counts as missing. */
static void hostile(void)
{
	static const char *const objects[] = {
		"{}", "[]", "{\"kind\":\"Pod\"}", "{\"kind\":\"Pod\",\"metadata\":[]}",
		"{\"kind\":7,\"metadata\":{\"name\":\"j-a-0\"}}",
		"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"j-a-0\",\"labels\":[\"trainc.dev/job\"],\"ownerReferences\":{\"uid\":\"x\"}}}", "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"j-a-0\",\"labels\":{\"trainc.dev/job\":true},\"ownerReferences\":[7,null,{\"controller\":\"yes\"}]}}",
	};
	static const char owned[] = "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"j-a-0\",\"uid\":\"u\",\"ownerReferences\":[{\"controller\":true,\"uid\":\"" WORLD_UID "\"}]},"
		"\"status\":%s}";
	static const char *const statuses[] = {
		"[]", "7", "{\"phase\":7}", "{\"phase\":\"Failed\",\"containerStatuses\":{}}",
		"{\"phase\":\"Failed\",\"containerStatuses\":[7,[],{}]}",
		"{\"phase\":\"Failed\",\"startTime\":\"never\",\"containerStatuses\":[{\"name\":\"main\",\"restartCount\":-5,\"state\":[]}]}",
		("{\"phase\":\"Failed\",\"containerStatuses\":[{\"name\":\"main\",\"restartCount\":9223372036854775807,\"state\":{\"terminated\":{\"exitCode\":-9223372036854775807}}},"
			"{\"name\":\"main\",\"restartCount\":9223372036854775807,\"state\":{\"terminated\":{\"exitCode\":3221225477,\"finishedAt\":7}}}]}"),
	};
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 1) };
	struct plan_job j = job(roles, 1, &all);
	struct world w;

	roles[0].retries = count(1);
	world_begin(&w, &j, STR("Job"));
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
		struct seen_list seen = see_text(&w, str_of(objects[i]));
		CHECK(seen.n == 0 || seen.at[0].owner == OWNER_OTHER);
	}
	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++) {
		struct seen_list seen = see_text(&w, str_printf(&w.arena, owned, statuses[i]));
		CHECK(seen.n == 1 && seen.at[0].owner == OWNER_THIS && seen.at[0].restarts >= 0 &&
			seen.at[0].exit_code >= -1);
		struct decision d = decide(&w.arena, &w.job, &w.record, &seen, w.now);
		CHECK(!d.conflict && d.nactions == (seen.at[0].phase == SEEN_FAILED));
	}
	world_end(&w);
}

static bool reads(struct world *w, const char *text)
{
	struct sources sources = { .arena = &w->arena };
	struct data_error error;
	struct data *d;
	struct decide_record r;

	return data_read_json(&w->arena, source_add(&sources, STR("record"), str_of(text)), &d, &error) &&
		decide_record_read(&w->arena, d, w->job.plan, &r);
}

static void record(void)
{
	struct plan_condition all = done(0);
	struct plan_role roles[] = { role("a", 6) };
	struct plan_job j = job(roles, 1, &all);
	struct buf out = { 0 };
	struct world w;

	roles[0].retries = count(1);
	start(&w, &j);
	w.now += SECOND / 4;
	for (int64_t i = 0; i < 6; i++)
		ends(&w, 0, i, i == 4 ? 137 : 0);
	world_remove(&w, world_replica(&w, 0, 3));
	world_pass(&w);
	decide_record_print(&w.record, &j, &out);
	CHECK_TEXT(buf_text(&out), "{\"schemaVersion\":1,\"conditions\":["
		"{\"type\":\"Created\",\"status\":\"True\",\"reason\":\"JobCreated\",\"message\":\"Job j is created.\","
		"\"lastUpdateTime\":\"2023-11-14T22:13:20.000000000Z\",\"lastTransitionTime\":\"2023-11-14T22:13:20.000000000Z\"},"
		"{\"type\":\"Restarting\",\"status\":\"True\",\"reason\":\"JobRestarting\",\"message\":\"Job j is restarting because a-4 failed: killed by KILL\","
		"\"lastUpdateTime\":\"2023-11-14T22:13:20.250000000Z\",\"lastTransitionTime\":\"2023-11-14T22:13:20.250000000Z\"}],"
		"\"startTime\":\"2023-11-14T22:13:20.000000000Z\",\"spent\":1,\"roles\":{\"a\":{\"released\":true,\"succeeded\":\"0-2,5\","
		"\"attempts\":{\"4\":{\"uid\":\"uid-5\",\"doomed\":\"uid-5\",\"failures\":1,\"series\":1,\"again\":\"2023-11-14T22:13:30.250000000Z\"}}}}}");
	buf_release(&out);
	CHECK(!reads(&w, "{}") && !reads(&w, "[]") && !reads(&w, "{\"schemaVersion\":2}"));
	CHECK(reads(&w, "{\"schemaVersion\":1}"));
	CHECK(reads(&w, "{\"schemaVersion\":1,\"roles\":{\"a\":{\"succeeded\":\"0,2-999999\"},\"b\":7}}"));
	CHECK(!reads(&w, "{\"schemaVersion\":1,\"roles\":{\"a\":{\"succeeded\":\"0-\"}}}"));
	CHECK(!reads(&w, "{\"schemaVersion\":1,\"roles\":{\"a\":{\"failed\":\"3-2\"}}}"));
	CHECK(!reads(&w, "{\"schemaVersion\":1,\"roles\":{\"a\":{\"failed\":\"1000000\"}}}"));
	CHECK(!reads(&w, "{\"schemaVersion\":1,\"roles\":{\"a\":{\"failed\":\"1 2\"}}}"));
	CHECK(!reads(&w, "{\"schemaVersion\":1,\"roles\":{\"a\":{\"attempts\":{\"x\":{}}}}}"));
	CHECK(!reads(&w, "{\"schemaVersion\":1,\"conditions\":[{\"type\":\"Lost\"}]}"));
	world_end(&w);
}

static void transitions(void)
{
	struct arena a = { 0 };
	struct job_conditions c = { 0 };
	struct job_condition x = { .type = JOB_RUNNING, .holds = true, .reason = STR("R"), .updated = 1, .changed = 1 };

	conditions_set(&a, &c, &x);
	const struct job_condition *before = c.at;
	x.updated = x.changed = 2;
	x.message = STR("another");
	conditions_set(&a, &c, &x);                     /* the status and reason are the same, so nothing changes */
	CHECK(c.at == before && c.n == 1 && c.at[0].updated == 1);
	x.reason = STR("Q");
	/* the reason is different: the condition is updated, but this is not a transition */
	conditions_set(&a, &c, &x);
	CHECK(c.at[0].updated == 2 && c.at[0].changed == 1 && before->updated == 1);
	x.type = JOB_FAILED;
	conditions_set(&a, &c, &x);
	CHECK(conditions_finished(&c) && !conditions_hold(&c, JOB_RUNNING) && c.n == 2);
	x.type = JOB_SUCCEEDED;
	conditions_set(&a, &c, &x);                     /* a finished job stays finished */
	CHECK(c.n == 2 && conditions_hold(&c, JOB_FAILED));
	arena_release(&a);
}

static void delays(void)
{
	CHECK(attempt_delay(10 * SECOND, 1) == 10 * SECOND);
	CHECK(attempt_delay(10 * SECOND, 3) == 40 * SECOND);
	CHECK(attempt_delay(10 * SECOND, 7) == 600 * SECOND);
	CHECK(attempt_delay(10 * SECOND, INT64_MAX) == 600 * SECOND);
}

int main(void)
{
	simple_life();
	attempts();
	lost_orders();
	disruptions();
	begins_anew();
	in_turn();
	owners();
	elastic();
	sent_away();
	pod_beside();
	time_limits();
	suspended();
	back_off();
	effects();
	unreachable();
	deployments();
	deployments_in_turn();
	resized();
	names();
	labels();
	hostile();
	record();
	transitions();
	delays();
	return unit_end();
}
