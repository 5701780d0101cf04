/*
 * fit.c - answers whether a job fits now, on the empty cluster, or never.
 */
#include "runtime/fit/fit.h"

const char *fit_word(enum fit_when w)
{
	static const char *const words[] = { "now", "preempts", "empty", "never", "unknown" };

	return words[w];
}

static bool fits(struct fit_cluster *c, const struct fit_job *job, bool empty, struct buf *why)
{
	const struct data **flavors = ARENA_ARRAY(c->arena, const struct data *, job->n);
	bool quota = fit_quota(c, job, empty, why), queue = fit_queue(c, job, empty, flavors, why);

	return fit_place(c, job, empty, flavors, why) && quota && queue;
}

/*
 * Answers for a job that does not fit now and would fit on the empty cluster: the scheduler may make room for it. WHY
 * already says why it does not fit now.
 */
static enum fit_when judge_priority(struct fit_cluster *c, const struct fit_job *job, struct buf *why)
{
	struct buf unused = { 0 };
	enum fit_when when = FIT_EMPTY;
	enum fit_priority lower = fit_begin_preemption(c, job);

	if (lower == FIT_LOWER_UNKNOWN) {
		buf_z(why, "; its class of priority is not known, so it may displace others");
		return FIT_UNKNOWN;
	}
	if (lower == FIT_LOWER_SOME && fits(c, job, false, &unused)) {
		when = FIT_PREEMPTS;
		buf_z(why, "; pods of lower priority make room for it: ");
		fit_put_victims(c, why);
	}
	fit_end_preemption(c);
	buf_release(&unused);
	return when;
}

struct fit_answer fit_judge(struct fit_cluster *c, const struct fit_job *job)
{
	struct fit_answer x = { FIT_NEVER, STR("") };
	struct str beyond = fit_beyond(c->arena, c, job);
	struct buf now = { 0 }, empty = { 0 };

	if (job->unknown.n) {
		buf_printf(&empty, "nothing is known of the pods of a %.*s", STR_ARG(job->unknown));
	} else if (fits(c, job, false, &now)) {
		x.when = FIT_NOW;
	} else if (fits(c, job, true, &empty)) {
		x.when = judge_priority(c, job, &now);
	}
	if (beyond.n && x.when != FIT_NEVER) {
		buf_printf(&now, "%snot considered: %.*s", now.n ? "; " : "it fits otherwise; ", STR_ARG(beyond));
		x.when = FIT_UNKNOWN;
	}
	if (x.when != FIT_NOW)
		x.why = buf_take(x.when == FIT_NEVER ? &empty : &now, c->arena);
	buf_release(&now);
	buf_release(&empty);
	return x;
}
