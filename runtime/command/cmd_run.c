/*
 * cmd_run.c - runs a program from its start to its verdict: all its jobs, with their output.
 */
#include <signal.h>

#include "base/file.h"
#include "runtime/command/logs.h"
#include "runtime/command/on_end.h"
#include "runtime/command/parallel.h"
#include "runtime/command/run_number.h"

struct run_command {
	const struct backend *backend;
	struct attached attached;
	struct parallel parallel;
};

static void changed(void *context, size_t i)
{
	struct run_command *r = context;

	if (r->backend->attach_changed)
		r->backend->attach_changed(&r->attached, i);
	if (r->attached.attend->logs)
		log_source_reconsider(r->attached.attend->logs);
}

static bool interrupted(void *context, int signal)
{
	struct run_command *r = context;

	r->attached.signals++;
	return r->backend->attach_signal(&r->attached, signal);
}

/* Acts on --timeout: asks a local run to stop and waits for it; leaves a run in a cluster running. */
static enum attend_end time_is_up(struct run_command *r)
{
	struct attend *a = r->attached.attend;

	attend_say(a, STR("trainc: the time is up\n"));
	a->deadline = 0;
	r->attached.signals++;
	return r->backend->attach_signal(&r->attached, SIGTERM) ? ATTEND_INTERRUPTED : attend(a);
}

static int stand_by(struct session *s, struct run_command *r, struct log_wish *wish)
{
	struct attend *a = r->attached.attend;
	bool json = str_is(option_value(s->options, OPTION_OUTPUT), "json");

	a->context = r;
	a->changed = changed;
	a->interrupted = interrupted;
	if (!json)
		logs_follow(s, r->backend, a, wish, false);
	runs_attend_open(s, a);
	parallel_begin(&r->parallel, r->backend, a);
	enum attend_end end = attend(a);
	bool late = end == ATTEND_TIMEOUT && !r->attached.signals;
	if (late)
		end = time_is_up(r);
	attend_close(a);
	if (a->out.error)
		session_say(s, "standard output could not be written: %.*s; the logs are complete",
			STR_ARG(file_reason(s->arena, a->out.error)));
	int status = end == ATTEND_LOST ? runs_lost(s, a) : runs_verdict(a, a->progress.mode != PROGRESS_QUIET);
	status = r->backend->attach_end(&r->attached, end, parallel_end(&r->parallel, a, status));
	if (json)
		runs_report(s, a, REPORT_JSON);
	if (late || (!r->attached.signals && end != ATTEND_INTERRUPTED))
		on_end_run(s, a);
	return late ? STATUS_TIMEOUT : status;
}

/* Starts the jobs; if the name of --name was taken meanwhile, with the next one. */
static bool attach_all(struct session *s, struct run_command *r, struct programs *all, int *ret_status)
{
	unsigned tries = 0;

	do {
		session_release(all);
		*all = (struct programs){ 0 };
		if (!run_number_choose(s, r->backend, ret_status) || !session_plan(s, false, all, ret_status))
			return false;
		*ret_status = STATUS_USAGE;
		if (!parallel_hold(&r->parallel, all))
			return false;
		if (r->backend->attach(&r->attached, all, ret_status))
			return true;
	} while (run_number_again(s, &tries));
	return false;
}

int cmd_run(struct session *s)
{
	struct attend a;
	struct run_command r = { .backend = backend_of(s), .attached = { .session = s, .attend = &a } };
	struct programs all = { 0 };
	struct log_wish wish;
	int status = STATUS_USAGE;

	if (option_given(s->options, OPTION_DRY_RUN) && r.backend && !r.backend->preview) {
		session_say(s, "run --dry-run is for local runs (--local); in a cluster, 'trainc apply "
			"--dry-run=client FILE' lists the objects");
		return STATUS_USAGE;
	}
	if (option_given(s->options, OPTION_DETACH) || option_given(s->options, OPTION_DRY_RUN))
		return cmd_apply(s);
	if (!r.backend || !on_end_valid(s) || !parallel_read(s, &r.parallel) ||
		!logs_wish(s, &wish) || !runs_attend_init(s, &a) ||
		!r.backend->begin(s, &status))
		return status;
	if (attach_all(s, &r, &all, &status)) {
		wish.attend = &a;
		wish.follow = true;
		status = logs_check(s, r.backend, &wish) ? stand_by(s, &r, &wish) :
			r.backend->attach_end(&r.attached, ATTEND_OVER, STATUS_USAGE);
	}
	attend_release(&a);
	session_release(&all);
	r.backend->end(s);
	return status;
}
