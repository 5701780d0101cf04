/*
 * fit.c - answers whether a job fits now, on the empty cluster, or never.
 */
#include "runtime/fit/fit.h"

const char *fit_word(enum fit_when w)
{
	static const char *const words[] = { "now", "empty", "never" };

	return words[w];
}

static bool fits(struct fit_cluster *c, const struct fit_job *job, bool empty, struct buf *why)
{
	const struct data **flavors = ARENA_ARRAY(c->arena, const struct data *, job->n);
	bool quota = fit_quota(c, job, empty, why), queue = fit_queue(c, job, empty, flavors, why);

	return fit_place(c, job, empty, flavors, why) && quota && queue;
}

struct fit_answer fit_judge(struct fit_cluster *c, const struct fit_job *job)
{
	struct fit_answer x = { FIT_NEVER, STR("") };
	struct buf now = { 0 }, empty = { 0 };

	if (job->unknown.n)
		buf_printf(&empty, "nothing is known of the pods of a %.*s", STR_ARG(job->unknown));
	else if (fits(c, job, false, &now))
		x.when = FIT_NOW;
	else if (fits(c, job, true, &empty))
		x.when = FIT_EMPTY;
	x.why = x.when == FIT_NOW ? STR("") : buf_take(x.when == FIT_EMPTY ? &now : &empty, c->arena);
	buf_release(&now);
	buf_release(&empty);
	return x;
}
