/* runtime_rules_test.c - what follows from the states of replicas, as a table. */
#include "unit.h"

#include "runtime/run/rules.h"

#define W REPLICA_WAITING
#define R REPLICA_STARTED
#define Y REPLICA_READY
#define S REPLICA_SUCCEEDED
#define F REPLICA_FAILED

static struct plan_role roles[] = {
	{ .name = { "worker", 6 }, .min = 3, .max = 3 },
	{ .name = { "grow", 4 }, .min = 1, .max = 3, .elastic = true },
	{ .name = { "none", 4 } },
};
static const struct plan_job job = { .roles = roles, .nroles = 3 };

/* Is a simple condition about one role true in the given states of three replicas? */
static bool holds(enum condition_kind kind, unsigned role, int64_t index, enum replica_state a, enum replica_state b,
	enum replica_state c)
{
	enum replica_state at[3] = { a, b, c };
	struct role_states states[3] = { { at, 3, false }, { at, 3, false }, { at, 0, false } };
	struct plan_condition condition = { .kind = kind, .role = role, .index = index };
	return condition_holds(&job, &condition, states);
}

static void fixed_size(void)
{
	CHECK(holds(CONDITION_DONE, 0, -1, S, S, S));
	CHECK(!holds(CONDITION_DONE, 0, -1, S, S, Y));
	CHECK(!holds(CONDITION_DONE, 0, -1, S, S, F));
	CHECK(holds(CONDITION_DONE, 0, 1, W, S, F));
	CHECK(!holds(CONDITION_DONE, 0, 0, W, S, S));
	CHECK(!holds(CONDITION_DONE, 0, 7, S, S, S));
	CHECK(holds(CONDITION_STARTED, 0, -1, R, Y, S));
	CHECK(!holds(CONDITION_STARTED, 0, -1, R, Y, W));
	CHECK(holds(CONDITION_READY, 0, -1, Y, Y, S));
	CHECK(!holds(CONDITION_READY, 0, -1, Y, Y, R));
	CHECK(!holds(CONDITION_READY, 0, -1, Y, Y, F));
}

static void elastic(void)
{
	CHECK(holds(CONDITION_DONE, 1, -1, S, W, W));           /* two replicas were never scheduled */
	CHECK(holds(CONDITION_DONE, 1, -1, S, F, S));
	CHECK(!holds(CONDITION_DONE, 1, -1, S, R, W));          /* one replica is still running */
	CHECK(!holds(CONDITION_DONE, 1, -1, W, W, F));
	CHECK(holds(CONDITION_READY, 1, -1, Y, W, W));
	CHECK(!holds(CONDITION_READY, 1, -1, R, W, W));
	CHECK(role_spare_replicas(&roles[1]) == 2);
	CHECK(role_spare_replicas(&roles[0]) == 0);
}

static void joined(void)
{
	enum replica_state done[3] = { S, S, S }, waiting[3] = { W, W, W };
	struct role_states states[3] = { { done, 3, false }, { waiting, 3, false }, { NULL, 0, false } };
	struct plan_condition a = { .kind = CONDITION_DONE, .role = 0, .index = -1 };
	struct plan_condition b = { .kind = CONDITION_DONE, .role = 1, .index = -1 };
	struct plan_condition none = { .kind = CONDITION_DONE, .role = 2, .index = -1 };
	struct plan_condition both = { .kind = CONDITION_AND, .left = &a, .right = &b };
	struct plan_condition either = { .kind = CONDITION_OR, .left = &b, .right = &a };
	CHECK(!condition_holds(&job, &both, states));
	CHECK(condition_holds(&job, &either, states));
	CHECK(!condition_holds(&job, &none, states));           /* in a role without replicas, no replica can be done */
}

static void attempts(void)
{
	struct plan_role r = { .min = 1, .max = 1, .retries = { .value = 2, .set = true } };
	CHECK(attempt_judge(&r, 1, false, 0) == ATTEMPT_AGAIN);
	CHECK(attempt_judge(&r, 1, false, 1) == ATTEMPT_AGAIN);
	CHECK(attempt_judge(&r, 1, false, 2) == ATTEMPT_FAILED);
	CHECK(attempt_judge(&r, 1, true, 2) == ATTEMPT_AGAIN_FREE);
	plan_codes_add(&r.retry_on, 17, 17);
	plan_codes_add(&r.retry_on, 128, 255);
	CHECK(attempt_judge(&r, 16, false, 0) == ATTEMPT_FAILED);
	CHECK(attempt_judge(&r, 17, false, 0) == ATTEMPT_AGAIN);
	CHECK(attempt_judge(&r, 18, false, 0) == ATTEMPT_FAILED);
	CHECK(attempt_judge(&r, 127, false, 0) == ATTEMPT_FAILED);
	CHECK(attempt_judge(&r, 128, false, 0) == ATTEMPT_AGAIN);
	CHECK(attempt_judge(&r, 137, false, 0) == ATTEMPT_AGAIN);
	/* a preempted program often exits with 1, so this attempt is not counted */
	CHECK(attempt_judge(&r, 1, true, 0) == ATTEMPT_AGAIN_FREE);
	struct plan_role in_place = { .restart = { .value = { "on-failure", 10 }, .set = true } };
	CHECK(attempt_judge(&in_place, 1, false, 100) == ATTEMPT_AGAIN_FREE);
	struct plan_role once = { .min = 1, .max = 1 };
	CHECK(attempt_judge(&once, 1, false, 0) == ATTEMPT_FAILED);
}

/* The effect of `on_failed_pod` on failures that may be retried, and on others. */
static void effects(void)
{
	static const struct {
		const char *word;
		enum failure_effect again, final;
	} rows[] = {
		{ "", FAILURE_RESTARTS, FAILURE_ENDS }, { "fail", FAILURE_ENDS, FAILURE_ENDS },
		{ "restart", FAILURE_RESTARTS, FAILURE_RESTARTS }, { "replace", FAILURE_PASSES, FAILURE_ENDS },
		{ "ignore", FAILURE_PASSES, FAILURE_PASSES },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct plan_role r = { .min = 3, .max = 3,
			.on_failed_pod = { .value = str_of(rows[i].word), .set = *rows[i].word } };
		CHECK(failure_judge(&r, true) == rows[i].again);
		CHECK(failure_judge(&r, false) == rows[i].final);
		CHECK(role_spare_replicas(&r) == (rows[i].final == FAILURE_PASSES ? 3 : 0));
	}
}

int main(void)
{
	fixed_size();
	elastic();
	joined();
	attempts();
	effects();
	return unit_end();
}
