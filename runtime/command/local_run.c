/*
 * local_run.c - `run` on this machine: the replicas end when the command does.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/words.h"
#include "runtime/command/local.h"
#include "runtime/command/runs.h"
#include "runtime/local/run_dir.h"

struct running {
	struct keeper *keepers;         /* the keepers of the runs, by the number of the run; pid 0: the keeper has
					 * ended */
	size_t n;
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

/* Removes the runs that have been started, after a later run was refused, so that nothing is left of them. */
static void take_back(struct session *s, struct running *r)
{
	struct str why;

	for (size_t i = 0; i < r->n; i++) {
		close(r->keepers[i].lifeline);
		r->keepers[i].lifeline = -1;
	}
	for (size_t i = 0; i < r->n; i++) {
		end_keeper(r, i);
		run_dir_remove(s->arena, r->keepers[i].run_dir, &why);
	}
	r->n = 0;
}

static bool start_all(struct session *s, struct running *r, struct keeper_start *start, const struct plan *plan,
	struct chosen *names, int *status)
{
	if (!plan->njobs) {
		session_say(s, "'%.*s' has no job to run", STR_ARG(start->file));
		*status = STATUS_USAGE;
		return false;
	}
	r->keepers = ARENA_ARRAY(s->arena, struct keeper, plan->njobs);
	for (size_t i = 0; i < plan->njobs; i++) {
		struct chosen_run run = { .name = plan->jobs[i].name };
		start->job = &plan->jobs[i];
		start->name = run.name;
		start->digest = runs_digest(s, plan, start->job);
		if (!local_start(s, start, &r->keepers[i], status)) {
			take_back(s, r);
			return false;
		}
		r->n++;
		ARENA_PUSH(s->arena, names->at, names->n, run);
	}
	return true;
}

bool local_attach(struct attached *x, struct programs *all, int *ret_status)
{
	struct session *s = x->session;
	struct running *r = x->own = ARENA_NEW(s->arena, struct running);
	struct engine_options o;
	struct keeper_start start = { .file = s->options->operands[0], .options = &o, .attached = true,
		.replace = !s->number, .state_dir = local_state_dir(s) };
	struct chosen names = { 0 };

	*ret_status = STATUS_USAGE;
	if (!local_options(s, &o) || !start_all(s, r, &start, &all->at[0]->plan, &names, ret_status))
		return false;
	if (runs_watch(s, &names, x->attend, ret_status))
		return true;
	take_back(s, r);
	return false;
}

/* ---- while they run ---- */

/* Called when a run has changed. If its keeper has died, ends the processes that the keeper left. */
void local_attach_changed(struct attached *x, size_t i)
{
	struct running *r = x->own;

	if (x->attend->runs[i].state.phase != RUN_UNKNOWN || !r->keepers[i].pid)
		return;
	end_keeper(r, i);
	keeper_sweep(r->keepers, x->attend->n);
}

/*
 * Sends SIGNAL to the keepers: a keeper stops its run at the first signal and kills it at the second. The keepers'
 * sockets are not used, since a socket at the same path may now belong to another run. The two signals differ because a
 * second signal of the same kind is lost while the first is pending.
 */
static void tell_keepers(struct attached *x, int signal)
{
	struct running *r = x->own;

	for (size_t i = 0; i < x->attend->n; i++)
		if (r->keepers[i].pid && !run_watch_over(&x->attend->runs[i]))
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

/*
 * The first signal stops the runs, and the second signal kills them. After the third signal, the command no longer
 * waits for processes that do not die.
 */
bool local_attach_signal(struct attached *x, int signal)
{
	struct attend *a = x->attend;
	int64_t n = count_active(a);

	(void)signal;
	a->leaving = true;
	switch (x->signals) {
	case 1:
		attend_say(a, str_printf(x->session->arena, "trainc: stopping %lld replica%s; a second signal kills\n",
			(long long)n, n == 1 ? "" : "s"));
		tell_keepers(x, SIGTERM);
		return false;
	case 2:
		attend_say(a, str_printf(x->session->arena, "trainc: killing %lld replica%s\n", (long long)n,
			n == 1 ? "" : "s"));
		tell_keepers(x, SIGINT);
		a->deadline = clock_steady() + 6 * NS_PER_SECOND;
		return false;
	default: return true;
	}
}

/* Ends the command: kills all replicas that are still alive, with everything that they started. */
int local_attach_end(struct attached *x, enum attend_end end, int status)
{
	struct running *r = x->own;

	if (status == STATUS_USAGE) {           /* a run was refused before the command started to wait */
		take_back(x->session, r);
		return status;
	}
	for (size_t i = 0; i < x->attend->n; i++) {
		if (end != ATTEND_OVER && r->keepers[i].pid)
			kill(r->keepers[i].pid, SIGKILL);
		if (x->attend->runs[i].given_up && r->keepers[i].lifeline >= 0) {
			close(r->keepers[i].lifeline);  /* which ends the run */
			r->keepers[i].lifeline = -1;
		}
		end_keeper(r, i);
	}
	if (end != ATTEND_OVER)
		keeper_sweep(NULL, 0);
	return x->signals && status != STATUS_DONE ? 128 + x->attend->signal : status;
}
