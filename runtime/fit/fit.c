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

/* ---- elastic roles ---- */

/* Does the job fit if SHAPE has N replicas? Sets this number; the other shapes keep theirs. */
static bool fits_with(struct fit_cluster *c, const struct fit_job *job, size_t shape, int64_t n, bool empty)
{
	struct buf unused = { 0 };
	bool ok;

	job->shapes[shape].count = n;
	ok = fits(c, job, empty, &unused);
	buf_release(&unused);
	return ok;
}

static void put_sizes(const struct fit_job *job, const int64_t *most, struct buf *out)
{
	bool first = true;

	for (size_t i = 0; i < job->n; i++) {
		const struct fit_shape *s = &job->shapes[i];
		if (!s->least || s->count == most[i])
			continue;
		buf_printf(out, "%s%.*s with %lld of %lld:%lld replicas", first ? "" : ", ", STR_ARG(s->role),
			(long long)s->count, (long long)s->least, (long long)most[i]);
		first = false;
	}
}

/*
 * Does the job fit with fewer replicas of its elastic roles, as Kueue starts them? Each role in turn gets as many
 * replicas as fit while the roles after it have their least numbers. If the job fits, writes the numbers to OUT.
 */
static bool fits_reduced(struct fit_cluster *c, const struct fit_job *job, bool empty, struct buf *out)
{
	int64_t *most = ARENA_ARRAY(c->arena, int64_t, job->n);
	size_t last = job->n;
	bool ok = false;

	for (size_t i = 0; i < job->n; i++) {
		most[i] = job->shapes[i].count;
		if (!job->queue.n || !job->shapes[i].least)
			continue;
		job->shapes[i].count = job->shapes[i].least;
		last = i;
	}
	ok = last < job->n && fits_with(c, job, last, job->shapes[last].least, empty);
	for (size_t i = 0; ok && i < job->n; i++) {
		int64_t low = job->shapes[i].count, high = most[i];
		while (low < high) {
			int64_t middle = low + (high - low + 1) / 2;
			if (fits_with(c, job, i, middle, empty))
				low = middle;
			else
				high = middle - 1;
		}
		job->shapes[i].count = low;
	}
	if (ok)
		put_sizes(job, most, out);
	for (size_t i = 0; i < job->n; i++)
		job->shapes[i].count = most[i];
	return ok;
}

struct fit_answer fit_judge(struct fit_cluster *c, const struct fit_job *job)
{
	struct fit_answer x = { FIT_NEVER, STR("") };
	struct str beyond = fit_beyond(c->arena, c, job);
	struct buf now = { 0 }, empty = { 0 }, sizes = { 0 };

	if (job->unknown.n) {
		buf_printf(&empty, "nothing is known of the pods of a %.*s", STR_ARG(job->unknown));
	} else if (fits(c, job, false, &now)) {
		x.when = FIT_NOW;
	} else if (fits_reduced(c, job, false, &sizes)) {
		x.when = FIT_NOW;
	} else if (fits(c, job, true, &empty)) {
		x.when = judge_priority(c, job, &now);
	} else if (fits_reduced(c, job, true, &sizes)) {
		x.when = FIT_EMPTY;
		buf_z(&now, "; without other pods it starts as ");
		buf_str(&now, buf_text(&sizes));
	}
	if (x.when == FIT_NOW) {
		now.n = 0;
		buf_str(&now, buf_text(&sizes));
	}
	if (beyond.n && x.when != FIT_NEVER) {
		buf_printf(&now, "%snot considered: %.*s", now.n ? "; " : "it fits otherwise; ", STR_ARG(beyond));
		x.when = FIT_UNKNOWN;
	}
	if (x.when != FIT_NOW || now.n)
		x.why = buf_take(x.when == FIT_NEVER ? &empty : &now, c->arena);
	buf_release(&now);
	buf_release(&empty);
	buf_release(&sizes);
	return x;
}
