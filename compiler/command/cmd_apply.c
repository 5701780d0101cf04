/* cmd_apply.c - make it so that the programs run, and leave them running. */
#include <unistd.h>

#include "command/local.h"
#include "command/runs.h"
#include "runtime/local/run_dir.h"

struct applying {
	struct session *session;
	struct keeper_start start;
	struct chosen running;          /* runs to wait for */
	int status;                     /* the worst so far */
};

/* Of several causes the one that tells most (runtime-requirements.md, section 6). */
static void set_status(struct applying *p, int status)
{
	static const int order[] = { STATUS_INTERNAL, STATUS_OUTPUT, STATUS_CONFLICT, STATUS_REFUSED, STATUS_FAILED, STATUS_TIMEOUT, STATUS_USAGE };

	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		if (p->status == order[i])
			return;
		if (status == order[i]) {
			p->status = status;
			return;
		}
	}
}

static void tell(struct applying *p, struct str name, const char *verb)
{
	struct str form = option_value(p->session->options, OPTION_OUTPUT);

	if (str_is(form, "name"))
		session_write(p->session, str_printf(p->session->arena, "run/%.*s\n", STR_ARG(name)));
	else if (!str_is(form, "json"))
		session_write(p->session, str_printf(p->session->arena, "run/%.*s %s\n", STR_ARG(name), verb));
}

static void start_job(struct applying *p, const char *verb)
{
	struct keeper k;
	int status;

	if (!local_start(p->session, &p->start, &k, &status)) {
		set_status(p, status);
		return;
	}
	tell(p, p->start.job->name, verb);
	ARENA_PUSH(p->session->arena, p->running.names, p->running.n, p->start.job->name);
}

/* A run that has ended stays as it is unless it is to be started anew (R-RERUN). */
static void finished(struct applying *p, const struct run_state *s)
{
	struct buf b = { 0 };

	if (option_given(p->session->options, OPTION_RERUN)) {
		start_job(p, "recreated");
		return;
	}
	report_headline(s, &b);
	tell(p, s->name, "unchanged");
	session_say(p->session, "run '%.*s' has ended: %.*s; --rerun starts it anew", STR_ARG(s->name), STR_ARG(buf_text(&b)));
	buf_release(&b);
	set_status(p, s->phase == RUN_SUCCEEDED ? STATUS_DONE : s->phase == RUN_FAILED ? STATUS_FAILED : STATUS_CONFLICT);
}

static void apply_job(struct applying *p)
{
	struct session *s = p->session;
	struct str name = p->start.job->name, why;
	struct run_state run;

	if (!run_load(s->arena, p->start.state_dir, name, &run, &why)) {
		start_job(p, "created");
	} else if (run_phase_final(run.phase)) {
		finished(p, &run);
	} else if (run.digest.n && !str_eq(run.digest, p->start.digest)) {
		session_say(s, "run '%.*s' was started from another program or with other options, and still runs; 'trainc delete --local %.*s' ends it",
		            STR_ARG(name), STR_ARG(name));
		set_status(p, STATUS_CONFLICT);
	} else {
		tell(p, name, "unchanged");
		ARENA_PUSH(s->arena, p->running.names, p->running.n, name);
	}
}

static void wait_for_all(struct applying *p)
{
	struct session *s = p->session;
	enum run_goal goal = option_given(s->options, OPTION_NO_WAIT) ? GOAL_CREATED : runs_goal(s, GOAL_RUNNING);
	struct attend a;
	int status;

	if (!runs_attend_init(s, &a)) {
		set_status(p, STATUS_USAGE);
		return;
	}
	if (runs_watch(s, &p->running, &a, &status) && goal != GOAL_CREATED)
		status = runs_wait(s, &a, goal);
	if (status > 128)
		p->status = status;
	else
		set_status(p, status);
	if (str_is(option_value(s->options, OPTION_OUTPUT), "json"))
		runs_report(s, &a, REPORT_JSON);
	attend_release(&a);
}

int cmd_apply(struct session *s)
{
	struct engine_options o;
	struct programs all = { 0 };
	struct applying p = { .session = s, .start = { .options = &o, .replace = true } };
	struct str why;
	int status = STATUS_USAGE;
	int64_t timeout;

	if (!local_options(s, &o) || !runs_duration(s, OPTION_TIMEOUT, &timeout))
		return status;
	if (!state_dir(s->arena, &p.start.state_dir, &why)) {
		session_say(s, "%.*s", STR_ARG(why));
		return STATUS_OUTPUT;
	}
	p.running.state_dir = p.start.state_dir;
	if (session_plan(s, false, &all, &status)) {
		for (size_t i = 0; i < all.n; i++) {
			p.start.file = s->options->operands[i];
			for (size_t k = 0; k < all.at[i]->plan.njobs; k++) {
				p.start.job = &all.at[i]->plan.jobs[k];
				p.start.digest = runs_digest(s, &all.at[i]->plan, p.start.job);
				apply_job(&p);
			}
		}
		wait_for_all(&p);
		status = p.status;
	}
	session_release(&all);
	return status;
}
