/* identity_test.c - which options and amounts decide whether two programs are the same run. */
#include "unit.h"

#include "runtime/command/runs.h"
#include "runtime/run/identity.h"

/* Returns the digest of a job with two replicas, the second of which requests SECOND memory. */
static struct str digest_of(struct arena *a, int64_t second)
{
	struct plan_amounts each[2] = { { .memory = { .value = { .nano = 1 }, .set = true } },
		{ .memory = { .value = { .nano = second }, .set = true } } };
	struct plan_role r = { .name = STR("w"), .min = 2, .max = 2, .unrolled = true,
		.main = { .asks = each[0], .per_replica = each } };
	struct plan_job j = { .name = STR("j"), .roles = &r, .nroles = 1 };
	struct plan p = { .jobs = &j, .njobs = 1 };
	struct buf text = { 0 };

	identity_put(&p, &j, &text);
	struct str digest = identity_digest(a, buf_text(&text));
	buf_release(&text);
	return digest;
}

int main(void)
{
	struct arena a = { 0 };

	CHECK(str_eq(digest_of(&a, 2), digest_of(&a, 2)));
	CHECK(!str_eq(digest_of(&a, 2), digest_of(&a, 3)));

	/*
	 * whoever adds an option to these commands must decide whether it belongs to the identity of a run: see the
	 * lists above runs_digest()
	 */
	const char *run = runs_undecided(COMMAND_RUN), *apply = runs_undecided(COMMAND_APPLY);
	CHECK_TEXT(run ? str_of(run) : STR(""), "");
	CHECK_TEXT(apply ? str_of(apply) : STR(""), "");
	/* options of `logs` do not belong to the identity, so they are in no list */
	CHECK(runs_undecided(COMMAND_LOGS) != NULL);

	struct str digest = identity_digest(&a, STR("text"));
	CHECK(str_starts(digest, STR(IDENTITY_FORM)) && digest.n == sizeof IDENTITY_FORM - 1 + 64);
	CHECK(!identity_is_older(digest) && !identity_is_older(STR("")));
	CHECK(identity_is_older(STR("982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1")));
	arena_release(&a);
	return unit_end();
}
