/* attempts_test.c - how attempts of a replica are numbered if its Job has recorded earlier attempts. */
#include "base/words.h"
#include "runtime/status/attempts.h"
#include "unit.h"

static const struct attempts_before before = { .n = 2, .since = 100 * NS_PER_SECOND };

/* Returns the number of the last attempt of a replica whose only pod was created at MADE (in seconds). */
static int64_t last_of(int64_t made, bool present)
{
	struct attempts_pod pod = { .made = made * NS_PER_SECOND, .starts = 1, .name = STR("a"), .present = present };

	return attempts_last(&before, &pod, 1);
}

int main(void)
{
	struct attempts_pod two[] = {
		{ .made = 40 * NS_PER_SECOND, .starts = 2, .name = STR("a") },
		{ .made = 95 * NS_PER_SECOND, .starts = 1, .name = STR("b"), .present = true }
	};

	CHECK(last_of(100, true) == 3);
	CHECK(last_of(100, false) == 3);
	CHECK(last_of(99, true) == 3);          /* pods exist before the start of the Job is recorded */
	CHECK(last_of(99, false) == 3);
	CHECK(last_of(60, true) == 3);          /* the Job has very many pods, and this is the first of them */
	CHECK(last_of(60, false) == 1);         /* a pod that belongs to an earlier start of the Job and has ended */
	CHECK(attempts_first(&before, two, 2, &two[0]) == 1);
	CHECK(attempts_last(&before, two, 2) == 3);
	return unit_end();
}
