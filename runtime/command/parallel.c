/* parallel.c - see parallel.h. */
#include "runtime/command/parallel.h"

#include "base/words.h"
#include "runtime/command/runs.h"

/* TRIES_MOST: how often a run is resumed before it is given up, in half a minute */
enum { PARALLEL_MOST = 10000, TRIES_MOST = 6 };

/* Does the command stay until its runs end? Only then can it start others. */
static bool stays(const struct session *s)
{
	const struct options *o = s->options;

	return o->command == COMMAND_RUN ? !option_given(o, OPTION_DETACH) :
		str_is(option_value(o, OPTION_FOR), "complete") && !option_given(o, OPTION_NO_WAIT);
}

bool parallel_read(struct session *s, struct parallel *ret)
{
	struct str text = option_value(s->options, OPTION_PARALLEL);
	int64_t n = 0;

	*ret = (struct parallel){ .session = s };
	if (!text.p)
		return true;
	if (!str_number(text, 9, &n) || !n || n > PARALLEL_MOST)
		session_say(s, "--parallel needs a number of runs from 1 to %d, found '%.*s'", PARALLEL_MOST,
			STR_ARG(text));
	else if (!stays(s))
		session_say(s, "--parallel needs a command that stays until the end: 'run', or 'apply "
			"--for=complete'");
	else {
		ret->most = (size_t)n;
		return true;
	}
	return false;
}

bool parallel_hold(struct parallel *p, struct programs *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n && p->most; i++)
		for (size_t k = 0; k < all->at[i]->plan.njobs; k++) {
			struct plan_job *j = &all->at[i]->plan.jobs[k];
			bool queued = j->queue.value.n > 0;
			if (queued || (j->suspend.set && j->suspend.value)) {
				session_say(p->session, "--parallel cannot hold job '%.*s' back: %s", STR_ARG(j->name),
					queued ? "its queue decides when it starts" : "the program suspends it");
				return false;
			}
			if (n++ >= p->most)
				j->suspend = (struct plan_bool){ .value = true, .set = true };
		}
	return true;
}

/* Notes that run I could not be resumed: it is tried again later, or given up. */
static void not_resumed(struct parallel *p, size_t i, int status)
{
	struct run_watch *w = &p->attend->runs[i];
	struct parallel_run *r = &p->runs[i];
	bool again = (status == STATUS_UNREACHABLE || status == STATUS_CONFLICT) && ++r->tries < TRIES_MOST;

	if (again) {
		int64_t pause = (int64_t)1 << (r->tries - 1);
		r->due = clock_steady() + pause * NS_PER_SECOND;
		session_say(p->session, "run '%.*s' was not resumed; this is tried again in %lld s", STR_ARG(w->name),
			(long long)pause);
		return;
	}
	w->given_up = true;
	p->status = runs_worse(p->status, status);
	session_say(p->session, "run '%.*s' stays suspended, and the others go on; 'trainc resume%s %.*s' starts it",
		STR_ARG(w->name), p->session->backend->option, STR_ARG(w->name));
}

/* Counts the runs that go on, and notes which have begun, also by somebody else's `resume`. */
static size_t count_going(struct parallel *p)
{
	size_t going = 0;

	for (size_t i = 0; i < p->attend->n; i++) {
		struct run_watch *w = &p->attend->runs[i];
		p->runs[i].begun = p->runs[i].begun || w->state.phase != RUN_SUSPENDED;
		w->given_up = w->given_up && !p->runs[i].begun;
		going += p->runs[i].begun && !run_watch_over(w);
	}
	return going;
}

/* Resumes the next runs while fewer than N go on. */
static void resume_next(void *to)
{
	struct parallel *p = to;
	struct attend *a = p->attend;
	size_t going = count_going(p);

	a->turn_due = 0;
	for (size_t i = 0; i < a->n && going < p->most; i++) {
		struct parallel_run *r = &p->runs[i];
		int status;
		if (r->begun || a->runs[i].given_up || run_watch_over(&a->runs[i]))
			continue;
		if (r->due <= clock_steady()) {
			r->begun = p->backend->suspend(p->session, &a->runs[i], false, &status);
			if (!r->begun)
				not_resumed(p, i, status);
		}
		going += r->begun;
		if (!r->begun && !a->runs[i].given_up && (!a->turn_due || r->due < a->turn_due))
			a->turn_due = r->due;
	}
	if (going >= p->most)
		a->turn_due = 0;                /* the end of a run calls this again */
}

void parallel_begin(struct parallel *p, const struct backend *b, struct attend *a)
{
	if (!p->most)
		return;
	p->backend = b;
	p->attend = a;
	p->runs = ARENA_ARRAY(p->session->arena, struct parallel_run, a->n);
	memset(p->runs, 0, a->n * sizeof *p->runs);
	a->turn = resume_next;
	a->turns = p;
	resume_next(p);
}

int parallel_end(struct parallel *p, const struct attend *a, int status)
{
	if (!p->most)
		return status;
	if (!str_is(option_value(p->session->options, OPTION_OUTPUT), "json"))
		runs_results(a);
	return runs_worse(status, p->status);
}
