/*
 * names.c - names for completion scripts: runs, roles, replicas, ranks, jobs, contexts and namespaces. An answer takes
 * at most a second and prints neither questions nor errors. If no answer comes in that time, the shell offers
 * nothing.
 */
#include "runtime/command/names.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "runtime/command/runs.h"

enum { MOST_RANKS = 1000 };

static void give_up(int signal)
{
	(void)signal;
	_exit(STATUS_DONE);
}

/* Suppresses all messages: errors in a line that the user is still typing must not appear on the screen. */
static void be_quiet(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDERR_FILENO);
}

static void limit_time(void)
{
	const struct itimerval second = { .it_value.tv_sec = 1 };

	signal(SIGALRM, give_up);
	setitimer(ITIMER_REAL, &second, NULL);
}

/* ---- namespaces and runs ---- */

static void put_namespaces(struct session *s, struct buf *out)
{
	int status;

	if (!s->backend->begin(s, &status))
		return;
	s->backend->namespaces(s, out);
	s->backend->end(s);
}

static void put_runs(struct session *s, struct buf *out)
{
	const struct backend *b = s->backend;
	struct chosen chosen = { 0 };
	int status;

	if (!b || !b->begin(s, &status))
		return;
	if (b->names(s, STR(""), &chosen, &status))
		for (size_t i = 0; i < chosen.n; i++)
			buf_printf(out, "%.*s\n", STR_ARG(chosen.at[i].name));
	b->end(s);
}

/* ---- roles ---- */

static void put_role_names(unsigned names, struct str role, int64_t replicas, struct buf *out)
{
	if (names & NAMES_ROLES)
		buf_printf(out, "%.*s\n", STR_ARG(role));
	for (int64_t i = 0; names & NAMES_REPLICAS && i < replicas && i < MOST_RANKS; i++)
		buf_printf(out, "%.*s/%lld\n", STR_ARG(role), (long long)i);
}

static void put_ranks(unsigned names, int64_t n, struct buf *out)
{
	for (int64_t i = 0; names & NAMES_RANKS && i < n && i < MOST_RANKS; i++)
		buf_printf(out, "%lld\n", (long long)i);
}

static void put_program(struct session *s, unsigned names, struct buf *out)
{
	struct programs all = { 0 };
	int status;

	if (session_plan(s, false, &all, &status))
		for (size_t i = 0; i < all.at[0]->plan.njobs; i++) {
			const struct plan_job *j = &all.at[0]->plan.jobs[i];
			int64_t n = 0;
			if (names & NAMES_JOBS)
				buf_printf(out, "%.*s\n", STR_ARG(j->name));
			for (size_t k = 0; k < j->nroles; k++) {
				put_role_names(names, j->roles[k].name, j->roles[k].max, out);
				n += j->roles[k].aux ? 0 : j->roles[k].max;
			}
			put_ranks(names, n, out);
		}
	session_release(&all);
}

static void put_state(const struct run_state *state, unsigned names, struct buf *out)
{
	int64_t n = 0;

	for (size_t i = 0; i < state->nroles; i++) {
		put_role_names(names, state->roles[i].name, state->roles[i].desired, out);
		n += state->roles[i].aux ? 0 : state->roles[i].desired;
	}
	put_ranks(names, n, out);
}

static void put_run_names(struct session *s, unsigned names, struct buf *out)
{
	struct chosen chosen;
	struct attend a;
	int status;

	if (!s->backend || !runs_attend_init(s, &a) || !s->backend->begin(s, &status))
		return;
	if (runs_choose(s, s->backend, 1, &chosen, &status) && runs_watch(s, &chosen, &a, &status))
		for (size_t i = 0; i < a.n; i++)
			put_state(&a.runs[i].state, names, out);
	backend_end(s, &a, status);
}

/* ---- the answer ---- */

int names_answer(struct session *s, const struct names_question *q)
{
	unsigned of_run = NAMES_ROLES | NAMES_REPLICAS | NAMES_RANKS, of_program = of_run | NAMES_JOBS;
	bool local = option_given(&q->line, OPTION_LOCAL);
	struct session sub = *s;
	struct buf out = { 0 };

	limit_time();
	be_quiet();
	sub.options = &q->line;
	sub.quiet = true;
	sub.backend = local ? &backend_local : s->cluster;
	if (q->names & NAMES_CONTEXTS && s->cluster)
		s->cluster->contexts(&sub, &out);
	else if (q->names & NAMES_NAMESPACES && s->cluster)
		put_namespaces(&sub, &out);
	else if (q->names & of_program && q->line.noperands && str_ends(q->line.operands[0], STR(".tj")))
		put_program(&sub, q->names, &out);
	else if (q->names & of_run && q->line.noperands)
		put_run_names(&sub, q->names, &out);
	else if (q->names & NAMES_RUNS)
		put_runs(&sub, &out);
	session_print(s, buf_text(&out));
	buf_release(&out);
	return STATUS_DONE;
}
