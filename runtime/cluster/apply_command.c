/*
 * apply_command.c - the command `apply`: every job of every program.
 */
#include "runtime/cluster/apply.h"
#include "runtime/cluster/cluster_watch.h"
#include "runtime/cluster/restart.h"
#include "runtime/command/runs.h"

static enum apply_mode mode_of(const struct session *s)
{
	struct str word = option_value(s->options, OPTION_DRY_RUN);

	return str_is(word, "client") ? APPLY_DRY_CLIENT : str_is(word, "server") ? APPLY_DRY_SERVER : APPLY_REAL;
}

/* Reports the parts of the job that nothing in the cluster carries out, and names a target whose controller does. */
static void tell_undone(struct session *s, const struct plan_job *j, const struct plan_needs *needs)
{
	if (!needs->undone)
		return;
	session_say(s, "plain Pods cannot do everything that job '%.*s' needs, and for pods neither 'trainc wait' "
		"nor the controller does this:", STR_ARG(j->name));
	for (size_t i = needs->n - needs->undone; i < needs->n; i++)
		session_say(s, "  %.*s", STR_ARG(needs->at[i]));
	session_say(s, "apply it with '--target jobs'");
}

/*
 * Reports what plain Jobs do not do for the job, and who does it instead: a controller, or `trainc wait` while it runs.
 * Generated Secrets are not reported, because `apply` has created them.
 */
static void tell_needs(struct session *s, const struct applying *p)
{
	const struct plan_job *j = p->job;
	bool too_large = p->jobs_bytes && !p->jobs.n;
	struct plan_needs needs = plan_needs_runtime(s->arena, j);
	const struct parent *parent = p->now.there ? &p->now : &p->before;
	bool complete = str_is(option_value(s->options, OPTION_FOR), "complete");
	size_t end = needs.n - needs.undone;

	if (s->options->command != COMMAND_APPLY)
		return;
	tell_undone(s, j, &needs);
	if (too_large)
		session_say(s, "nothing restarts the whole run '%.*s': its Jobs take %zu KiB, and its record has room "
			"for %d; '--target jobset' leaves restarts to the JobSet controller", STR_ARG(j->name),
			p->jobs_bytes >> 10, RESTART_JOBS_MOST >> 10);
	end -= too_large && end == needs.n;
	if (complete || needs.generated == end)
		return;
	if (parent_is_attended(parent)) {
		session_say(s, "the controller does what plain Jobs cannot do for job '%.*s'%s", STR_ARG(j->name),
			needs.undone || too_large ? " except for this" : "");
		return;
	}
	if (parent_is_left(parent) && p->unlabelled)
		session_say(s, "no controller has taken run '%.*s': namespace '%.*s' has not opted in; 'kubectl label "
			"namespace %.*s " APPLYSET_SPACE_LABEL "=" APPLYSET_SPACE_ENABLED "' does that. Until then, "
			"'trainc wait %.*s' does this while it runs:", STR_ARG(j->name), STR_ARG(p->ns),
			STR_ARG(p->ns), STR_ARG(j->name));
	else if (parent_is_left(parent))
		session_say(s, "no controller has taken run '%.*s' yet; does 'trainc supervise' look after namespace "
			"'%.*s'? Until it does, 'trainc wait %.*s' does this while it runs:", STR_ARG(j->name),
			STR_ARG(p->ns), STR_ARG(j->name));
	else
		session_say(s, "plain Jobs cannot do everything that job '%.*s' needs; %s'trainc wait %.*s' does this "
			"while it runs:", STR_ARG(j->name),
			apply_follows(s) ? "this command does this until it returns, and after that " : "",
			STR_ARG(j->name));
	for (size_t i = needs.generated; i < end; i++)
		session_say(s, "  %.*s", STR_ARG(needs.at[i]));
	if (!parent_is_left(parent))
		session_say(s, "'trainc apply --controller' leaves it to 'trainc supervise' in the cluster");
}

/* Would a `ttl` remove the run without a command that waits? */
static bool ttl_works(const struct applying *p)
{
	const struct plan_job *j = p->job;
	unsigned traits = emit_target_traits(p->program->plan.target);

	if (traits & TARGET_STAYS)
		return false;
	return traits & TARGET_CONTROLLER || apply_wants_controller(p) ||
		(plan_job_objects(j) == 1 && !plan_each_replica(j));
}

/* Says once that new runs stay when they have ended, unless the program says that, or sets a `ttl`. */
static void tell_stays(struct session *s, const struct fleet *f)
{
	const struct applying *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct applying *p = &f->at[i];
		if (!p->wait || p->mode != APPLY_REAL || p->before.there || !p->job->success || p->job->ttl.set ||
			span_known(p->job->ttl.from))
			continue;
		first = first ? first : p;
		n++;
	}
	if (!first)
		return;
	struct str name = first->job->name, run = n == 1 ? str_printf(s->arena, "run '%.*s' stays when it has",
		STR_ARG(name)) : str_printf(s->arena, "these %zu runs stay when they have", n);
	if (ttl_works(first))
		session_say(s, "%.*s ended: 'ttl = 1d' in the job or in the project's defaults removes it a day later, "
			"'ttl = none' keeps it without this message", STR_ARG(run));
	else
		session_say(s, "%.*s ended, until 'trainc delete %.*s': 'ttl = none' in the job or in the project's "
			"defaults keeps it without this message", STR_ARG(run), STR_ARG(n == 1 ? name : STR("NAME")));
}

/*
 * Adds a run to the runs to wait for. If its state is already known, as for an unchanged run, the watch starts with
 * that state.
 */
static void add_watch(struct cluster *k, const struct applying *p, struct attend *ret, int *status)
{
	bool changed = p->now.there;
	struct cluster_seed seed = { changed ? &p->now : &p->before, changed && !p->seen ? NULL : &p->state };
	struct chosen_run r = { .name = p->job->name, .ns = p->ns };
	int one;

	if (cluster_watch_open(k, &r, &seed, &ret->runs[ret->n], &one))
		ret->n++;
	else
		*status = runs_worse(*status, one);
}

/* Appends the ended runs after the runs that apply waits for, so that -o json shows them, too. */
static void add_ended(const struct fleet *f, struct attend *ret)
{
	static const struct run_watch_ops none = { 0 };

	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].over)
			ret->runs[ret->n + ret->nover++] = (struct run_watch){ .ops = &none,
				.name = f->at[i].job->name, .state = f->at[i].state };
}

static struct fleet fleet_of(struct session *s, struct programs *all)
{
	struct fleet f = { 0 };

	for (size_t i = 0; i < all->n; i++)
		f.n += all->at[i]->plan.njobs;
	f.at = ARENA_ARRAY(s->arena, struct applying, f.n);
	f.n = 0;
	for (size_t i = 0; i < all->n; i++)
		for (size_t j = 0; j < all->at[i]->plan.njobs; j++)
			f.at[f.n++] = (struct applying){ .cluster = cluster_of(s), .session = s, .arena = s->arena,
				.program = all->at[i],
				.job = &all->at[i]->plan.jobs[j], .file = s->options->operands[i], .mode = mode_of(s),
				.adopt = option_given(s->options, OPTION_ADOPT),
					.force_conflicts = option_given(s->options, OPTION_FORCE_CONFLICTS),
				.recreate = option_given(s->options, OPTION_RECREATE),
					.rerun = option_given(s->options, OPTION_RERUN) ||
					option_given(s->options, OPTION_DETACH),
				.refresh = option_given(s->options, OPTION_REFRESH) };
	return f;
}

int cluster_apply(struct session *s, struct programs *all, struct attend *ret)
{
	struct cluster *k = cluster_of(s);
	struct fleet f = fleet_of(s, all);
	int status = STATUS_DONE;

	ret->runs = ARENA_ARRAY(s->arena, struct run_watch, f.n);
	if (f.n)
		apply_fleet(&f);
	if (f.n)
		apply_await_controllers(&f);
	if (f.n && apply_shows_state(s))
		apply_look_again(&f);
	for (size_t i = 0; i < f.n; i++) {
		const struct applying *p = &f.at[i];
		status = runs_worse(status, p->status);
		if (!p->wait || p->mode != APPLY_REAL)
			continue;
		if (p->now.there || parent_is_left(&p->before))
			tell_needs(s, p);
		add_watch(k, p, ret, &status);
	}
	if (f.n)
		tell_stays(s, &f);
	add_ended(&f, ret);
	return k->signal && status != STATUS_DONE ? cluster_interrupted(k) : status;
}
