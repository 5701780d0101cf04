/* parallel.c - see parallel.h. */
#include "runtime/command/parallel.h"

#include "runtime/command/runs.h"

enum { PARALLEL_MOST = 10000 };

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
	size_t n = 0;

	*ret = (struct parallel){ .session = s };
	if (!text.p)
		return true;
	for (size_t i = 0; i < text.n && n <= PARALLEL_MOST; i++)
		n = text.p[i] >= '0' && text.p[i] <= '9' ? n * 10 + (size_t)(text.p[i] - '0') : PARALLEL_MOST + 1;
	if (!n || n > PARALLEL_MOST)
		session_say(s, "--parallel needs a number of runs from 1 to %d, found '%.*s'", PARALLEL_MOST,
			STR_ARG(text));
	else if (!stays(s))
		session_say(s, "--parallel needs a command that stays until the end: 'run', or 'apply "
			"--for=complete'");
	else {
		ret->most = n;
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

/* Resumes the next runs while fewer than N go on. */
static void resume_next(void *to)
{
	struct parallel *p = to;
	const struct attend *a = p->attend;
	size_t going = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct run_watch *w = &a->runs[i];
		p->begun[i] = p->begun[i] || w->state.phase != RUN_SUSPENDED;
		going += p->begun[i] && !run_watch_over(w);
	}
	for (size_t i = 0; i < a->n && going < p->most; i++) {
		int status;
		if (p->begun[i] || run_watch_over(&a->runs[i]))
			continue;
		p->begun[i] = true;     /* once, also if it fails: that was reported */
		if (p->backend->suspend(p->session, &a->runs[i], false, &status))
			going++;
		else
			p->status = runs_worse(p->status, status);
	}
}

void parallel_begin(struct parallel *p, const struct backend *b, struct attend *a)
{
	if (!p->most)
		return;
	p->backend = b;
	p->attend = a;
	p->begun = ARENA_ARRAY(p->session->arena, bool, a->n);
	memset(p->begun, 0, a->n * sizeof *p->begun);
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
