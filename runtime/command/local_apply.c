/* local_apply.c - starts jobs as processes of this machine and leaves them running. */
#include <string.h>
#include <time.h>

#include "runtime/command/local.h"
#include "runtime/command/runs.h"
#include "runtime/local/run_dir.h"
#include "runtime/run/identity.h"

struct local_applying {
	struct session *session;
	struct keeper_start start;
	struct chosen running;          /* runs to wait for */
	struct map said;                /* notes that were printed: each once, however many runs have it */
	int status;                     /* the worst status so far */
	struct run_state *over;         /* the runs that had ended before */
	size_t nover;
};

static void tell(struct local_applying *p, struct str name, const char *verb)
{
	struct str form = option_value(p->session->options, OPTION_OUTPUT);

	if (str_is(form, "name"))
		session_print(p->session, str_printf(p->session->arena, "run/%.*s\n", STR_ARG(name)));
	else if (!str_is(form, "json"))
		session_print(p->session, str_printf(p->session->arena, "run/%.*s %s\n", STR_ARG(name), verb));
}

static void add_running(struct local_applying *p, struct str name)
{
	struct chosen_run r = { .name = name };

	ARENA_PUSH(p->session->arena, p->running.at, p->running.n, r);
}

/* Handles a run of that name that another command has started: either it is the same run, or it blocks the new run. */
static void compare(struct local_applying *p, const struct run_state *run)
{
	struct session *s = p->session;
	struct str name = p->start.name;

	if (identity_is_older(run->digest))
		session_say(s, "run '%.*s' was started by an earlier version of trainc: whether its program is the "
			"same is unknown", STR_ARG(name));
	else if (run->digest.n && !str_eq(run->digest, p->start.digest)) {
		session_say(s, "run '%.*s' was started from another program or with other options, and still runs; "
			"'trainc delete --local %.*s' ends it",
		            STR_ARG(name), STR_ARG(name));
		p->status = runs_worse(p->status, STATUS_CONFLICT);
		return;
	}
	tell(p, name, "unchanged");
	add_running(p, name);
}

/*
 * Waits while another command is starting a run of that name, until the run exists or has failed to start. Returns
 * false if it failed to start. A run of the same program may have ended already.
 */
static bool started_meanwhile(struct local_applying *p)
{
	const struct timespec pause = { 0, 10 * 1000000 };
	struct run_state run;
	struct str why;

	for (int tries = 0; tries < 500; tries++) {
		if (run_load(p->session->arena, p->start.state_dir, p->start.name, &run, &why) && run.digest.n &&
			(!run_phase_final(run.phase) || str_eq(run.digest, p->start.digest))) {
			compare(p, &run);
			return true;
		}
		nanosleep(&pause, NULL);
	}
	return false;
}

static void say_notes(struct local_applying *p, struct str text)
{
	while (text.n) {
		const char *newline = memchr(text.p, '\n', text.n);
		struct str line = { text.p, newline ? (size_t)(newline - text.p) : text.n };

		if (!map_put(&p->said, p->session->arena, str_copy(p->session->arena, line), p))
			local_say_lines(p->session, line);
		text = (struct str){ text.p + line.n + (newline != NULL), text.n - line.n - (newline != NULL) };
	}
}

static void start_job(struct local_applying *p, const char *verb)
{
	struct str why;
	struct keeper k;
	int status;

	if (keeper_start(p->session->arena, &p->start, &k, &why, &status)) {
		say_notes(p, k.notes);
		tell(p, p->start.name, verb);
		add_running(p, p->start.name);
	} else if (status == STATUS_CONFLICT && p->session->number) {
		p->session->taken = true;
		p->status = STATUS_CONFLICT;
	} else if (status != STATUS_CONFLICT || !started_meanwhile(p)) {
		local_say_lines(p->session, why);
		p->status = runs_worse(p->status, status);
	}
}

/* Handles a run that has ended: it stays as it is, unless the user asked to start it again. */
static void finished(struct local_applying *p, const struct run_state *s)
{
	struct buf b = { 0 };

	if (option_given(p->session->options, OPTION_RERUN) || option_given(p->session->options, OPTION_DETACH)) {
		start_job(p, "recreated");
		return;
	}
	report_headline(s, &b);
	if (s->digest.n && !identity_is_older(s->digest) && !str_eq(s->digest, p->start.digest)) {
		session_say(p->session, "run '%.*s' of another program, or with other options, has ended: %.*s; "
			"--rerun starts this one in its place", STR_ARG(s->name), STR_ARG(buf_text(&b)));
		buf_release(&b);
		p->status = runs_worse(p->status, STATUS_CONFLICT);
		return;
	}
	tell(p, s->name, "unchanged");
	ARENA_PUSH(p->session->arena, p->over, p->nover, *s);
	session_say(p->session, "run '%.*s' has ended: %.*s; --rerun starts it again", STR_ARG(s->name),
		STR_ARG(buf_text(&b)));
	buf_release(&b);
	p->status = runs_worse(p->status, s->phase == RUN_SUCCEEDED ? STATUS_DONE :
		s->phase == RUN_FAILED ? STATUS_FAILED : STATUS_CONFLICT);
}

static void apply_job(struct local_applying *p)
{
	struct str why;
	struct run_state run;

	if (!run_load(p->session->arena, p->start.state_dir, p->start.name, &run, &why)) {
		start_job(p, "created");
	} else if (p->session->number) {
		p->session->taken = true;
		p->status = STATUS_CONFLICT;
	} else if (run_phase_final(run.phase)) {
		finished(p, &run);
	} else if (!run.nroles) {               /* another command is starting a run, whose program is unknown so far */
		if (!started_meanwhile(p))
			start_job(p, "created");
	} else {
		compare(p, &run);
	}
}

/* Adds the runs that have ended after the others, as in a cluster. */
static void add_over(const struct local_applying *p, struct attend *ret)
{
	static const struct run_watch_ops none = { 0 };
	struct run_watch *all = ARENA_ARRAY(p->session->arena, struct run_watch, ret->n + p->nover);

	if (ret->n)
		memcpy(all, ret->runs, ret->n * sizeof *all);
	for (size_t i = 0; i < p->nover; i++)
		all[ret->n + i] = (struct run_watch){ .ops = &none, .name = p->over[i].name, .state = p->over[i] };
	ret->runs = all;
	ret->nover = p->nover;
}

int local_apply(struct session *s, struct programs *all, struct attend *ret)
{
	struct engine_options o;
	struct local_applying p = { .session = s, .start = { .options = &o, .replace = !s->number,
		.state_dir = local_state_dir(s) } };
	int status;

	if (!local_options(s, &o))
		return STATUS_USAGE;
	for (size_t i = 0; i < all->n; i++) {
		p.start.file = s->options->operands[i];
		for (size_t k = 0; k < all->at[i]->plan.njobs; k++) {
			p.start.job = &all->at[i]->plan.jobs[k];
			p.start.name = p.start.job->name;
			p.start.digest = runs_digest(s, &all->at[i]->plan, p.start.job);
			apply_job(&p);
		}
	}
	runs_watch(s, &p.running, ret, &status);
	add_over(&p, ret);
	return runs_worse(p.status, status);
}
