/*
 * report_words.c - sentences about a run: how many replicas are in which state, why a role has a problem, how the run
 * ended.
 */
#include "runtime/run/report.h"

#include <signal.h>

#include "base/system.h"
#include "base/words.h"

/* ---- a role ---- */

static bool says_something(const struct run_replica *r)
{
	return r->cause.n && (r->state == REPLICA_FAILED || r->state == REPLICA_WAITING);
}

struct str report_role_cause(struct arena *a, const struct run_state *s, const struct run_role *r)
{
	const struct run_failure *f = &s->failure;
	const struct run_replica *worst = NULL;
	int64_t same = 0;

	for (int64_t i = 0; i < r->max; i++)
		if (says_something(&r->at[i]) && (!worst ||
			(r->at[i].state == REPLICA_FAILED && worst->state != REPLICA_FAILED)))
			worst = &r->at[i];
	if (r->cause.n || !worst)
		return r->cause;
	/* the first failing rank caused the other failures, and may have been stopped before it ended on its own */
	bool other = f->known && f->reason.n && str_eq(f->role, r->name) && f->index < r->max &&
		!str_eq(r->at[f->index].cause, worst->cause);
	if (other && run_phase_final(s->phase))
		return str_printf(a, "%.*s %lld: %.*s", STR_ARG(r->name), (long long)f->index, STR_ARG(f->reason));
	for (int64_t i = 0; i < r->max; i++)
		same += says_something(&r->at[i]) && str_eq(r->at[i].cause, worst->cause);
	if (r->max == 1)
		return worst->cause;
	if (same == 1)
		return str_printf(a, "%.*s %lld: %.*s", STR_ARG(r->name), (long long)worst->index,
			STR_ARG(worst->cause));
	return str_printf(a, "%lld of %lld replicas: %.*s", (long long)same, (long long)r->max, STR_ARG(worst->cause));
}

/* Is the replica waiting although nothing will start it, because its local run has ended? */
static bool waits_for_ever(const struct run_state *s, const struct run_replica *r)
{
	return r->state == REPLICA_WAITING && s->isolate.n && run_phase_final(s->phase);
}

const char *report_replica_word(const struct run_state *s, const struct run_replica *r)
{
	static const char *const states[] = { "waiting", "started", "ready", "succeeded", "failed" };

	if (waits_for_ever(s, r))
		return r->attempts ? "stopped" : "unstarted";
	return states[r->state];
}

int64_t report_stopped(const struct run_state *s, const struct run_role *r)
{
	int64_t n = 0;

	for (int64_t i = 0; i < r->max; i++)
		n += waits_for_ever(s, &r->at[i]) && r->at[i].attempts;
	return n;
}

void report_counts(const struct run_state *s, struct buf *out)
{
	int64_t restarts = 0;
	bool first = true;

	for (size_t i = 0; i < s->nroles; i++) {
		const struct run_role *r = &s->roles[i];
		struct run_count c = run_count(r);
		if (!r->desired)
			continue;
		buf_z(out, first ? "" : ", ");
		put_escaped(out, r->name);
		buf_char(out, ' ');
		if (c.succeeded == r->desired)
			buf_printf(out, "%lld succeeded", (long long)c.succeeded);
		else if (c.succeeded)
			buf_printf(out, "%lld/%lld ready, %lld succeeded", (long long)c.ready, (long long)r->desired,
				(long long)c.succeeded);
		else
			buf_printf(out, "%lld/%lld ready", (long long)c.ready, (long long)r->desired);
		if (c.failed)
			buf_printf(out, ", %lld failed", (long long)c.failed);
		restarts += c.restarts;
		first = false;
	}
	if (restarts)
		buf_printf(out, ", %lld restart%s", (long long)restarts, restarts == 1 ? "" : "s");
	if (s->job_restarts)
		buf_printf(out, ", %lld restart%s of the whole run", (long long)s->job_restarts,
			s->job_restarts == 1 ? "" : "s");
}

/* ---- the end of a run ---- */

/* Appends how the rank ended: "exited with code 3", "was killed by SIGSEGV". */
static void put_how(const struct run_failure *f, struct buf *out)
{
	const char *name = f->signal ? system_signal_name(f->signal) : NULL;

	if (name)
		buf_printf(out, "was killed by SIG%s", name);
	else if (f->signal)
		buf_printf(out, "was killed by signal %d", f->signal);
	else
		buf_printf(out, "exited with code %d", f->exit_code);
}

/*
 * Appends the error that the process has recorded, such as ": ValueError: bad batch (train.py:14, rank 2)". It follows
 * the first colon of the reason, unless that colon is in parentheses, as in "exit code 3 (at the same moment: b-1)".
 */
static void put_told(const struct run_failure *f, struct buf *out)
{
	const char *colon = f->reason.n ? memchr(f->reason.p, ':', f->reason.n) : NULL;
	bool of_end = str_starts(f->reason, STR("exit code")) || str_starts(f->reason, STR("killed by"));

	if (colon && of_end && !memchr(f->reason.p, '(', (size_t)(colon - f->reason.p)))
		put_escaped(out, (struct str){ colon, f->reason.n - (size_t)(colon - f->reason.p) });
}

/* Appends "worker 1 exited with code 3". */
static void put_rank(const struct run_failure *f, struct buf *out)
{
	put_escaped(out, f->role);
	buf_printf(out, " %lld ", (long long)f->index);
	put_how(f, out);
	put_told(f, out);
}

/*
 * Is the end of the failing rank the reason for the end of the run? A local run then names its host first, a run in a
 * cluster its role and index, as in "worker 0: exit code 3". A deadline or a stop has another cause.
 */
static bool rank_decided(const struct run_state *s)
{
	const struct run_failure *f = &s->failure;

	if (!f->known || f->exit_code <= 0 || !str_starts(s->cause, f->role))
		return false;
	struct str rest = { s->cause.p + f->role.n, s->cause.n - f->role.n };
	const char *in_cluster = NULL;
	if (rest.n && rest.p[0] == ' ' && !s->deletion)
		in_cluster = memmem(rest.p, rest.n, ": ", 2);
	struct str how = STR("");
	if (in_cluster)
		how = (struct str){ in_cluster + 2, (size_t)(rest.p + rest.n - in_cluster) - 2 };
	return (rest.n && rest.p[0] == '-') || str_starts(how, STR("exit code")) || str_starts(how, STR("killed by"));
}

/*
 * Is the cause only the reason of a controller's condition ("FailedJobs: ..."), which does not say which rank failed
 * first?
 */
static bool rank_missing(const struct run_state *s)
{
	const struct run_failure *f = &s->failure;

	return f->known && f->exit_code > 0 && s->cause.n && s->cause.p[0] >= 'A' && s->cause.p[0] <= 'Z' &&
		!str_starts(s->cause, STR("DeadlineExceeded"));
}

void report_headline(const struct run_state *s, struct buf *out)
{
	if (s->phase == RUN_SUCCEEDED) {
		buf_z(out, "Succeeded in ");
		put_duration(out, s->end - s->begin);
		return;
	}
	buf_printf(out, "%s: ", run_phase_word(s->phase));
	if (s->phase == RUN_FAILED && rank_decided(s)) {
		put_rank(&s->failure, out);
	} else {
		put_escaped(out, s->cause.n ? s->cause : STR("for an unknown reason"));
		if (s->phase == RUN_FAILED && rank_missing(s)) {
			buf_z(out, "; first failure: ");
			put_rank(&s->failure, out);
		}
	}
}

void report_last_lines(const struct run_state *s, bool escape, struct buf *out)
{
	const struct run_failure *f = &s->failure;

	if (!f->known || s->phase == RUN_SUCCEEDED)
		return;
	for (size_t i = 0; i < f->nlog; i++) {
		buf_z(out, "  ");
		put_escaped(out, f->role);
		buf_printf(out, "/%lld \xE2\x94\x82 ", (long long)f->index);
		if (escape)
			put_escaped(out, f->log[i]);
		else
			buf_str(out, f->log[i]);
		buf_char(out, '\n');
	}
}

void put_memory(struct buf *out, int64_t bytes)
{
	static const char *const units[] = { "Ki", "Mi", "Gi", "Ti" };
	double n = (double)bytes / 1024;
	size_t unit = 0;

	for (; n >= 1000 && unit + 1 < sizeof units / sizeof *units; unit++)
		n /= 1024;
	buf_printf(out, n < 10 && unit ? "%.1f%s" : "%.0f%s", n, units[unit]);
}
