/*
 * cmd_run.c - a program from its start to its verdict: every job of it, with what
 * they print.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "command/local.h"
#include "command/logs.h"
#include "command/runs.h"
#include "runtime/local/run_dir.h"
#include "runtime/words.h"

struct running {
	struct session *session;
	struct attend *attend;
	struct keeper *keepers;         /* of the runs, by number; pid 0 when it has ended */
	int signals;                    /* how often we were told to stop */
};

/* ---- starting ---- */

static void end_keeper(struct running *r, size_t i)
{
	if (!r->keepers[i].pid)
		return;
	while (waitpid(r->keepers[i].pid, NULL, 0) < 0 && errno == EINTR)
		;
	r->keepers[i].pid = 0;
	if (r->keepers[i].lifeline >= 0)
		close(r->keepers[i].lifeline);
}

/* What was started before something else was refused: as if it had never been. */
static void take_back(struct running *r, size_t n)
{
	struct str why;

	for (size_t i = 0; i < n; i++) {
		close(r->keepers[i].lifeline);
		r->keepers[i].lifeline = -1;
	}
	for (size_t i = 0; i < n; i++) {
		end_keeper(r, i);
		run_dir_remove(r->session->arena, r->keepers[i].run_dir, &why);
	}
}

static bool start_all(struct running *r, struct keeper_start *start, const struct plan *plan, struct chosen *names, int *status)
{
	struct session *s = r->session;

	if (!plan->njobs) {
		session_say(s, "'%.*s' has no job to run", STR_ARG(start->file));
		*status = STATUS_USAGE;
		return false;
	}
	r->keepers = ARENA_ARRAY(s->arena, struct keeper, plan->njobs);
	for (size_t i = 0; i < plan->njobs; i++) {
		start->job = &plan->jobs[i];
		start->digest = runs_digest(s, plan, start->job);
		if (!local_start(s, start, &r->keepers[i], status)) {
			take_back(r, i);
			return false;
		}
		ARENA_PUSH(s->arena, names->names, names->n, start->job->name);
	}
	return true;
}

/* ---- while they run ---- */

/* The keeper has died: what it left is ours to end. */
static void changed(void *context, size_t i)
{
	struct running *r = context;

	if (r->attend->runs[i].state.phase != RUN_UNKNOWN || !r->keepers[i].pid)
		return;
	end_keeper(r, i);
	keeper_sweep(r->keepers, r->attend->n);
}

/*
 * A keeper stops its run at the first signal and kills it at the second.  Not by its
 * socket: where that was, somebody else's may be by now.  Two numbers, since a second
 * signal of the same one is lost as long as the first is not read.
 */
static void tell_keepers(struct running *r, int signal)
{
	for (size_t i = 0; i < r->attend->n; i++)
		if (r->keepers[i].pid && !watch_over(&r->attend->runs[i]))
			kill(r->keepers[i].pid, signal);
}

static int64_t count_active(const struct attend *a)
{
	int64_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < a->runs[i].state.nroles; k++)
			n += run_count(&a->runs[i].state.roles[k]).active;
	return n;
}

/* The first signal stops, the second kills; then nothing is waited for that does not die. */
static bool interrupted(void *context, int signal)
{
	struct running *r = context;
	struct attend *a = r->attend;
	int64_t n = count_active(a);

	(void)signal;
	a->leaving = true;
	switch (r->signals++) {
	case 0:
		attend_say(a, str_printf(r->session->arena, "trainc: stopping %lld replica%s; once more kills\n", (long long)n, n == 1 ? "" : "s"));
		tell_keepers(r, SIGTERM);
		return false;
	case 1:
		attend_say(a, str_printf(r->session->arena, "trainc: killing %lld replica%s\n", (long long)n, n == 1 ? "" : "s"));
		tell_keepers(r, SIGINT);
		a->deadline = clock_steady() + 6 * NS_PER_SECOND;
		return false;
	default: return true;
	}
}

/* Whoever still lives after that is killed with everything that it started. */
static void end_all(struct running *r, enum attend_end end)
{
	for (size_t i = 0; i < r->attend->n; i++) {
		if (end != ATTEND_OVER && r->keepers[i].pid)
			kill(r->keepers[i].pid, SIGKILL);
		end_keeper(r, i);
	}
	if (end != ATTEND_OVER)
		keeper_sweep(NULL, 0);
}

static int stand_by(struct running *r, struct log_wish *wish)
{
	struct session *s = r->session;
	struct attend *a = r->attend;
	bool json = str_is(option_value(s->options, OPTION_OUTPUT), "json");

	a->context = r;
	a->changed = changed;
	a->interrupted = interrupted;
	if (!json)
		logs_follow(s, a, wish, false);
	runs_attend_open(s, a);
	enum attend_end end = attend(a);
	attend_close(a);
	end_all(r, end);
	if (a->out.error)
		session_say(s, "standard output could not be written: %.*s; the logs are complete", STR_ARG(file_reason(s->arena, a->out.error)));
	int status = runs_verdict(s, a, a->progress.mode != PROGRESS_QUIET);
	if (json)
		runs_report(s, a, REPORT_JSON);
	return r->signals && status != STATUS_DONE ? 128 + a->signal : status;
}

static int run(struct session *s, struct keeper_start *start, const struct plan *plan, struct log_wish *wish)
{
	struct attend a;
	struct running r = { .session = s, .attend = &a };
	struct chosen names = { .state_dir = start->state_dir };
	int status = STATUS_USAGE;

	if (!runs_attend_init(s, &a) || !start_all(&r, start, plan, &names, &status))
		return status;
	if (runs_watch(s, &names, &a, &status)) {
		wish->attend = &a;
		status = logs_check(s, wish) ? stand_by(&r, wish) : STATUS_USAGE;
	}
	if (status == STATUS_USAGE)
		take_back(&r, names.n);
	attend_release(&a);
	return status;
}

int cmd_run(struct session *s)
{
	struct engine_options o;
	struct programs all = { 0 };
	struct keeper_start start = { .file = s->options->operands[0], .options = &o, .attached = true, .replace = true };
	struct log_wish wish;
	struct str why;
	int status = STATUS_USAGE;

	if (!local_options(s, &o) || !logs_wish(s, &wish))
		return status;
	if (!state_dir(s->arena, &start.state_dir, &why)) {
		session_say(s, "%.*s", STR_ARG(why));
		return STATUS_OUTPUT;
	}
	if (session_plan(s, false, &all, &status))
		status = run(s, &start, &all.at[0]->plan, &wish);
	session_release(&all);
	return status;
}
